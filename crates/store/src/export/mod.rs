//! Runs for other programs: tables as CSV, interval histograms as an HdrHistogram log.

mod csv;
mod hdr_log;

pub use csv::{actions as actions_csv, intervals as intervals_csv};
pub use hdr_log::write as hdr_log;
