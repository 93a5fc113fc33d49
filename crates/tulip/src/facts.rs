//! What Tulip's reports say and a run record does not: kept beside the plan in the record, so that a report is computable from it alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

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
    /// What the configuration said; result files repeat it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<ConfigFacts>,
    /// Of a result that was read in: what a record has no place for, by iteration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imported: Vec<ImportedRow>,
}

/// A configuration, all names of a concept in one and credentials hidden.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConfigFacts {
    /// Parameters of the class, in order.
    pub user_params: Vec<(String, String)>,
    /// Names of actions with their descriptions, by id.
    pub user_actions: BTreeMap<u32, String>,
    /// In order, those not enabled too.
    pub contexts: Vec<ContextConfig>,
    /// In order, those not enabled too.
    pub benchmarks: Vec<BenchmarkConfig>,
    /// Markov chains: name, states, and of each state what follows with which chance.
    pub workflows: Vec<(String, Vec<(String, Chances)>)>,
}

/// What follows a state, and with which chance.
pub type Chances = Vec<(String, f64)>;

/// A context as configured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContextConfig {
    /// Its name.
    pub name: String,
    /// Whether it is run.
    pub is_enabled: bool,
    /// Users.
    pub user_count: u32,
    /// Threads; 0 is one per user.
    pub thread_count: u32,
    /// Tokens where a benchmark says nothing; null where the context does not either.
    pub task_count: Option<u32>,
    /// Parameters that win over those of all contexts.
    pub user_params: Vec<(String, String)>,
}

/// A benchmark as configured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BenchmarkConfig {
    /// Its name.
    pub name: String,
    /// Whether it is run.
    pub is_enabled: bool,
    /// Whether its rows are in the report.
    pub is_saved: bool,
    /// Actions per second, 0 as fast as possible.
    pub rate: f64,
    /// Added at each step.
    pub rate_step_change: f64,
    /// Iterations per step.
    pub rate_step_count: u32,
    /// Tokens as the first releases counted them: 0 is two per thread, -1 eleven per thread, else so many.
    pub work_in_progress: i32,
    /// Tokens as the last releases count them; 0 is the context's.
    pub task_count: u32,
    /// Ids and weights of actions, in order.
    pub actions: Vec<(u32, u32)>,
    /// Name of the workflow, if one says what comes next.
    pub workflow: Option<String>,
    /// Length of the warm-up at full speed.
    pub warmup_1_s: u32,
    /// Length of the warm-up at the rate.
    pub warmup_2_s: u32,
    /// Length of an iteration.
    pub duration_s: u32,
    /// Iterations.
    pub iteration_count: u32,
}

/// What a result that was read in says of an iteration beyond what a record holds. Its waits count from a queue and not from the moment an
/// action was due, so they are none of the record's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ImportedRow {
    /// The record's phase.
    pub phase: String,
    /// And its repeat.
    pub repeat_index: u32,
    /// Done within the time: the rate that the row says, times its length.
    pub ended_in_time: f64,
    /// Longest queue of a worker thread.
    pub queue_max: f64,
    /// Mean queue of the worker threads.
    pub queue_mean: f64,
    /// Longest wait in a queue.
    pub wait_ns_max: f64,
    /// Mean wait in a queue.
    pub wait_ns_mean: f64,
    /// CPU time of the process to the row's length, or load of the system in the first releases; 1 is one CPU.
    pub cpu_ratio: f64,
    /// CPU time of the process; 0 in the first releases.
    pub cpu_ns: u64,
    /// CPU time of garbage collection.
    pub collection_ns: u64,
    /// Memory in use.
    pub memory_used_bytes: u64,
    /// Memory taken from the system.
    pub memory_total_bytes: u64,
    /// The most of it allowed.
    pub memory_bytes_max: u64,
    /// When the greatest service time was, since the run's start.
    pub max_at_ns: Option<u64>,
    /// The same of actions, by their names in the record.
    pub actions: Vec<ImportedAction>,
}

/// An action of an [`ImportedRow`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ImportedAction {
    /// Its name in the record.
    pub action: String,
    /// Done within the time.
    pub ended_in_time: f64,
    /// When its greatest service time was, since the run's start.
    pub max_at_ns: Option<u64>,
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

    /// What a result that was read in says besides of a run of a phase.
    pub(crate) fn imported_row(&self, phase: &str, repeat_index: u32) -> Option<&ImportedRow> {
        self.imported.iter().find(|row| row.phase == phase && row.repeat_index == repeat_index)
    }

    /// Puts them into a record's plan.
    pub fn put_into(&self, plan: &mut Value) {
        if let (Value::Object(entries), Ok(facts)) = (plan, serde_json::to_value(self)) {
            entries.insert(RECORD_KEY.to_owned(), facts);
        }
    }
}
