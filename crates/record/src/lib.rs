//! The record of a run: everything that reports, comparisons and stores need, in one value with a versioned JSON form.
//!
//! [`RunRecord`] is complete: no report looks anywhere else. [`judge`] holds a run against its own measurements and says whether
//! its numbers may be believed; [`evaluate_slos`] holds it against what was promised.

mod latency;
mod model;
mod observer;
mod slo;
mod verdict;

pub use latency::{Distribution, Latencies, QUANTILES};
pub use model::{
    ActionRecord, CheckRecord, Client, CountsRecord, Environment, IntervalActionRecord, IntervalClientRecord,
    IntervalRecord, LoadModel, PhaseFrame, PhaseKind, PhaseRecord, RunRecord, SCHEMA_VERSION, SloRecord,
    TrafficRecord, WorkerRecord,
};
pub use observer::{Progress, RunObserver};
pub use slo::{evaluate as evaluate_slos, observed};
pub use verdict::{Reason, ReasonCode, Verdict, VerdictState, judge};
