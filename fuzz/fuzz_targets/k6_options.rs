//! Any bytes as options of k6: JSON, configuration file, variables, command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| k6_options::fuzz::options(input));
