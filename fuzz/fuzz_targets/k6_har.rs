//! Any bytes as a recording of a browser, made into k6 scripts.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| k6::fuzz::har(input));
