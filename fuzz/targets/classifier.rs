//! libFuzzer on `crates/fuzz-targets/src/classifier.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::classifier::run(data));
