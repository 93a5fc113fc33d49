//! The record of a search: all that is needed to report it, to compare with it and to go on with it. Its JSON is read by other
//! programs: keys are added, never renamed.

use crate::assess::Assessment;
use crate::curve::Curve;
use crate::find::{Answer, Load, Options, Trial, TrialResult};
use record::RunRecord;
use serde::{Deserialize, Serialize};

/// Raised when a reader of older records would misunderstand a newer one.
pub const SCHEMA_VERSION: u32 = 1;

/// A search, over or under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchRecord {
    /// Always `search`, which tells it from a run's record.
    pub kind: String,
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Short, sorts by time.
    pub search_id: String,
    /// What was searched, for people.
    pub name: String,
    /// Wall clock at the start.
    pub started_unix_ns: u64,
    /// The objectives, as they are printed.
    pub slos: Vec<String>,
    /// What was asked for.
    pub options: Options,
    /// Each trial in its order.
    pub trials: Vec<TrialRecord>,
    /// The seconds that went well and badly at each rate, ascending.
    pub loads: Vec<Load>,
    /// The curve of latency against load, where one was asked for in place of an answer.
    #[serde(default)]
    pub curve: Option<Curve>,
    /// What was found; null while the search is under way or where it was cut short.
    pub answer: Option<Answer>,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// What was tried.
    pub trial: Trial,
    /// What it says.
    pub assessment: Assessment,
    /// What the controller was told.
    pub result: TrialResult,
    /// The run, without its intervals' histograms, which would make a search hundreds of times as large.
    pub run: RunRecord,
}

/// A run without the histograms of its intervals; those of its phases stay.
pub fn slim(mut run: RunRecord) -> RunRecord {
    for interval in run.phases.iter_mut().flat_map(|phase| &mut phase.intervals) {
        for latencies in [&mut interval.response_ns, &mut interval.service_ns, &mut interval.wait_ns] {
            latencies.histogram.clear();
        }
        for action in &mut interval.actions {
            action.response_ns.histogram.clear();
            action.service_ns.histogram.clear();
        }
    }
    run
}

impl SearchRecord {
    /// What `kind` says.
    pub const KIND: &'static str = "search";
}
