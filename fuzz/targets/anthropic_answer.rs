//! libFuzzer on `crates/fuzz-targets/src/anthropic_answer.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::anthropic_answer::run(data));
