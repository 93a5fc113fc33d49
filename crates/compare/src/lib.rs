//! Runs held against each other: what differs, and how certain that is. Records in, [`Comparison`] out; no I/O.
//!
//! The one idea: the unit of replication is the launch or the repeat, never the request. A million requests of one run tell exactly what *that
//! run* was like; how much the next one would differ only other runs can tell. So [`runs`](compare_runs) needs several runs on a side to decide
//! anything, and [`pairs`](PairedAnalysis) interleaves slices of load on two targets, whose order within each block is drawn by lot.
//!
//! A verdict passes two gates: statistically clear, and beyond a margin that matters ([`stats::inference::Gates`]). Many rows are judged at once, so the error of
//! all of them together is held down ([`stats::inference::discoveries`]).

mod interleaved;
mod judge;
mod metric;
mod model;
mod pairs;
mod place;
mod plans;
mod runs;
mod settings;
mod within;

pub use interleaved::InterleavedStory;
pub use metric::{Direction, LatencyKind, Metric, MetricError};
pub use model::{
    Basis, Candidate, Comparison, Difference, DifferenceKind, Interval, NotCarried, Objection, PairsInfo,
    Row, RunInfo, SCHEMA_VERSION, SideInfo, Tally, Verdict, WithinRuns,
};
pub use pairs::{BlockRow, PairedAnalysis, PairedPlan, PairedSide, RowKey, Stop, block_order, block_rows};
pub use plans::differences;
pub use runs::{Side, compare_runs};
pub use settings::Settings;
