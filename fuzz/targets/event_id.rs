//! libFuzzer on `crates/fuzz-targets/src/event_id.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| parlor_fuzz_targets::event_id::run(data));
