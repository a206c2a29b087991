//! libFuzzer on `crates/fuzz-targets/src/recipe_import.rs`.

#![no_main]

// What is compiled once is compiled before the time of an input is measured.
libfuzzer_sys::fuzz_target!(
    init: parlor_fuzz_targets::recipe_import::run(b""),
    |data: &[u8]| parlor_fuzz_targets::recipe_import::run(data)
);
