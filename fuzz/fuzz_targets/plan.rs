//! Any bytes as a plan: a plan or a reason why not, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| planfile::fuzz::plan(input));
