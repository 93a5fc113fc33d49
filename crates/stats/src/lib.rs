//! What is counted and timed, and how it is merged: histograms, counters, the interval.
//!
//! A worker records into its own [`Interval`] and moves it on when the interval ends. Intervals and totals are of the same stuff
//! ([`SampleStats`]) and only ever merged, never averaged, so that the order and grouping of merges do not matter.

mod counts;
mod hdr;
mod histogram;
pub mod inference;
mod interval;
mod moments;
mod sparse;

pub use counts::{Counts, ErrorClass, Errors};
pub use histogram::{Histogram, HistogramError, SAMPLES_BEYOND_MIN};
pub use interval::{Effort, InFlight, Interval, Outcome, Sample, SampleStats, Traffic};
pub use moments::Moments;
pub use sparse::{SparseHistogram, SparseReader};
