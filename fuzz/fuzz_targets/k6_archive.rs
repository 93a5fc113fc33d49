//! Any bytes as an archive of k6's.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| k6::fuzz::archive(input));
