//! Any bytes as a result file of Tulip: a record that every form can show, or a reason why not, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| tulip::fuzz::output(input));
