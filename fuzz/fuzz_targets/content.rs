//! Decoding of bodies by Content-Encoding.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proto::fuzz::content(input));
