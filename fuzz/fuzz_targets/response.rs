//! A session of HTTP/1.1 under a sequence of operations, and under every kind of split.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| proto::fuzz::response(input));
