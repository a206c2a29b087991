//! libFuzzer on `crates/fuzz-targets/src/sse.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::sse::run(data));
