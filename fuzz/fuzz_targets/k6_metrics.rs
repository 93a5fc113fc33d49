//! Any bytes as keys, thresholds and summaries of k6: read and shown, or refused with a reason, never a panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| k6_metrics::fuzz::texts(input));
