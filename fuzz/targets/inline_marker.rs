//! libFuzzer on `crates/fuzz-targets/src/inline_marker.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::inline_marker::run(data));
