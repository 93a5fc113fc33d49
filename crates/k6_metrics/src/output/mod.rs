//! Samples as files, JSON lines and CSV, and on their way to servers ([`push`]).
//!
//! ```text
//! worker: SampleFeed ─ batches ─┐
//! worker: SampleFeed ─ batches ─┼─► one thread: each output's format ─► its file, or a thread that sends
//! ```
//!
//! A worker never waits for a disk: that would disturb the load that is measured. Batches that were not yet written are kept in memory up to
//! [`PENDING_SAMPLES_MAX`]; beyond that whole batches are left out of the files, counted, and said with the times between which they are missing. Summaries,
//! thresholds and reports are made from [`crate::Books`] and miss nothing. An output that fails is said once and left; the others go on.

mod csv;
mod feed;
mod json_lines;
pub mod push;
mod sink;
mod spec;
mod time;
mod writer;

pub use csv::TimeFormat;
pub use feed::{Metadata, PENDING_SAMPLES_MAX, Sample, SampleFeed};
pub use sink::OutputError;
pub use spec::{OutputFormat, OutputSpec, SpecError};
pub use time::{Origin, rfc3339};
pub use writer::{Missing, OutputReport, SampleWriter};
