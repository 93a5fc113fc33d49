//! A test's results, from which every text and file about it is made.
//!
//! ```text
//! Books + Thresholds ─► Summary ─► handleSummary's argument, summary export, machine-readable form   (forms)
//!                                ─► the text of old and new releases, JUnit                          (crate::text, crate::junit)
//! ```
//!
//! A script gets the data, may change it, and hands it to the old text: so a summary is also read back from that JSON.

mod build;
mod forms;
mod machine;
mod stats;

pub use build::SummaryInput;
pub use machine::{Execution, MachineFacts};
pub use stats::{BadTrendStat, TrendStats};

use crate::metric::{Contains, MetricKind};

/// In which unit times are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
}

impl TimeUnit {
    /// The unit of the option's word `s`, `ms` or `us`.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "s" => Self::Seconds,
            "ms" => Self::Milliseconds,
            "us" => Self::Microseconds,
            _ => return None,
        })
    }

    /// The option's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
        }
    }
}

/// What the user asked of the summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryOptions {
    /// What is shown of trends.
    pub trend_stats: TrendStats,
    /// In which unit times are printed; without one, each in what suits it.
    pub time_unit: Option<TimeUnit>,
    /// Whether colours are switched off.
    pub no_color: bool,
}

/// What is known of the run besides its measurements.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SummaryState {
    /// Whether stdout is a terminal.
    pub is_stdout_tty: bool,
    /// Whether stderr is a terminal.
    pub is_stderr_tty: bool,
    /// From the test's start to its end, setup and teardown among it.
    pub test_run_duration_ms: f64,
}

/// One threshold with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct ThresholdSummary {
    /// As written.
    pub expression: String,
    /// Whether it held.
    pub is_ok: bool,
    /// What was looked at and its value; `None` where nothing can be said, and in what was read back.
    pub measured: Option<(String, f64)>,
}

/// One metric or sub-metric.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSummary {
    /// Its name; of a sub-metric `metric{tag:value}`.
    pub name: String,
    /// How its samples were put together.
    pub kind: MetricKind,
    /// What its values are.
    pub contains: Contains,
    /// Names and values in the order in which they are shown.
    pub values: Vec<(String, f64)>,
    /// Its thresholds.
    pub thresholds: Vec<ThresholdSummary>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckSummary {
    /// Its name.
    pub name: String,
    /// Its group's path with its name.
    pub path: String,
    /// How often it held.
    pub passes: u64,
    /// How often it did not.
    pub fails: u64,
}

/// One group with what is in it, in the order in which it first appeared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupSummary {
    /// Its name; empty for the root.
    pub name: String,
    /// The names on the way to it: `::outer::inner`.
    pub path: String,
    /// The groups in it.
    pub groups: Vec<Self>,
    /// The checks in it.
    pub checks: Vec<CheckSummary>,
}

/// A scenario or a group of the full text, with the groups in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its checks by name.
    pub checks: Vec<CheckSummary>,
    /// Its metrics by name.
    pub metrics: Vec<MetricSummary>,
    /// The groups in it, in the order in which they first appeared.
    pub groups: Vec<Self>,
}

/// A test's results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// What the user asked of it.
    pub options: SummaryOptions,
    /// What is known of the run besides.
    pub state: SummaryState,
    /// What `setup` returned.
    pub setup_data: Option<crate::Json>,
    /// Everything that is in no other group.
    pub root_group: GroupSummary,
    /// All metrics and sub-metrics that have samples or thresholds, by name.
    pub metrics: Vec<MetricSummary>,
    /// For the full text: groups outside scenarios, in the order in which they first appeared.
    pub groups: Vec<Section>,
    /// For the full text: scenarios by name.
    pub scenarios: Vec<Section>,
    /// All checks by name, over all groups, in the order in which they first appeared.
    pub checks: Vec<CheckSummary>,
}

impl MetricSummary {
    /// The metric's name and, of a sub-metric, what stands between the braces.
    pub fn parts(&self) -> (&str, Option<&str>) {
        match self.name.split_once('{') {
            Some((name, rest)) => (name, Some(rest.strip_suffix('}').unwrap_or(rest))),
            None => (&self.name, None),
        }
    }

    /// A value by its name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}
