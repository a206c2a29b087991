//! libFuzzer on `crates/fuzz-targets/src/agent_lines.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::agent_lines::run(data));
