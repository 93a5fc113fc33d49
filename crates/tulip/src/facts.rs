//! What Tulip's reports say and a run record does not: kept beside the plan in the record, so that a report is computable from it alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The key of [`record::RunRecord::plan`] under which [`Facts`] stand.
pub const RECORD_KEY: &str = "tulip";

/// The configuration as its reports show it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The family of releases that it was written for.
    pub dialect: String,
    /// The report's title.
    pub description: String,
    /// Where Tulip would have written its results.
    pub output_filename: String,
    /// Where Tulip would have written its report.
    pub report_filename: String,
    /// The class that said what actions do.
    pub user_class: String,
    /// Ids and names of the plan's actions.
    pub actions: Vec<ActionFacts>,
    /// In the order of their run.
    pub benchmarks: Vec<BenchmarkFacts>,
}

/// An action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionFacts {
    /// Its name in plan and record.
    pub action: String,
    /// Its id in the configuration.
    pub id: u32,
    /// What `user_actions` call it, without a description.
    pub name: Option<String>,
}

/// A benchmark in a context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkFacts {
    /// Its place among the enabled contexts.
    pub context_index: usize,
    /// The context's name.
    pub context: String,
    /// Its place among all benchmarks.
    pub benchmark_index: usize,
    /// Its name.
    pub benchmark: String,
    /// Users of the context.
    pub user_count: u32,
    /// `num_threads`; users where there is a thread per user.
    pub thread_count: u32,
    /// Most actions under way or queued.
    pub token_count: u32,
    /// Name of the workflow, if one says what comes next.
    pub workflow: Option<String>,
    /// Whether its rows are in the report.
    pub is_saved: bool,
    /// Names of the plan's phases that measure, in order; a phase may be repeated.
    pub phases: Vec<String>,
    /// Of each of these phases: actions per second asked for, 0 as fast as possible.
    pub target_per_sec: Vec<f64>,
}

impl Facts {
    /// Those of a record; `None` when the run was not of a configuration of Tulip.
    pub fn of(plan: &Value) -> Option<Self> {
        Facts::deserialize(plan.get(RECORD_KEY)?).ok()
    }

    /// Puts them into a record's plan.
    pub fn put_into(&self, plan: &mut Value) {
        if let (Value::Object(entries), Ok(facts)) = (plan, serde_json::to_value(self)) {
            entries.insert(RECORD_KEY.to_owned(), facts);
        }
    }
}
