//! libFuzzer on `crates/fuzz-targets/src/picture.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::picture::run(data));
