//! libFuzzer on `crates/fuzz-targets/src/login_provider.rs`.

#![no_main]

// What is compiled once is compiled before the time of an input is measured.
libfuzzer_sys::fuzz_target!(
    init: parlor_fuzz_targets::login_provider::run(b""),
    |data: &[u8]| parlor_fuzz_targets::login_provider::run(data)
);
