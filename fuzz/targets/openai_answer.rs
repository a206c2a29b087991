//! libFuzzer on `crates/fuzz-targets/src/openai_answer.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::openai_answer::run(data));
