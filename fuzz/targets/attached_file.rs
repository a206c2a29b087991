//! libFuzzer on `crates/fuzz-targets/src/attached_file.rs`.

#![no_main]

// What is compiled once is compiled before the time of an input is measured.
libfuzzer_sys::fuzz_target!(
    init: parlor_fuzz_targets::attached_file::run(b""),
    |data: &[u8]| parlor_fuzz_targets::attached_file::run(data)
);
