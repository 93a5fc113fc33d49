//! Tulip's result files, `benchmark_output.json`, of the first releases and of the last, so that its own tools read what Weir measured.

mod newest;
mod seed;

pub(crate) use newest::task_count;

use super::cells::seconds;
use super::figures::{Figures, Iteration, Results};
use record::RunRecord;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use stats::Histogram;

/// Which of Tulip's forms a result takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// That of the first releases, 2.0.0-beta: times in ms, 20 columns.
    Seed,
    /// That of the last releases, from 2.3 on: times in ns, 14 columns and 9 more.
    Newest,
}

impl Form {
    /// The form in which the releases that a run's configuration was written for had their results. The forms between the first and the
    /// last count as the one that they are nearer to. `None`: the run was of something else than a configuration of Tulip.
    pub fn of(record: &RunRecord) -> Option<Self> {
        let facts = crate::Facts::of(&record.plan)?;
        Some(Self::of_facts(&facts))
    }

    /// The same of what a configuration says.
    pub fn of_facts(facts: &crate::Facts) -> Self {
        if facts.dialect.starts_with(['A', 'B']) { Self::Seed } else { Self::Newest }
    }
}

/// The run as Tulip's result file. `None`: the run was of something else than a configuration of Tulip.
pub fn output_json(record: &RunRecord, form: Form) -> Option<String> {
    let results = Results::of(record)?;
    Some(match form {
        Form::Seed => seed::text(&results),
        Form::Newest => newest::text(&results),
    })
}

/// One row a line; commas begin lines, as Tulip has them.
fn rows(mut out: String, first: &str, rows: impl Iterator<Item = String>) -> String {
    let mut before = first;
    for row in rows {
        out.push_str(before);
        out.push_str(&row);
        out.push('\n');
        before = ",";
    }
    if before == first {
        out.push('\n');
    }
    out.push_str("]\n}\n");
    out
}

/// What is made of values that no text can stand in the way of.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Percentiles by their names.
struct Percentiles<const N: usize>([(&'static str, f64); N]);

impl<const N: usize> Serialize for Percentiles<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0)
    }
}

/// Actions by their ids.
struct ById<V>(Vec<(u32, V)>);

impl<V> ById<V> {
    /// Those that ran in an iteration, each made of its name and figures.
    fn of(results: &Results<'_>, iteration: &Iteration<'_>, make: impl Fn(String, &Figures) -> V) -> Self {
        let mut known: Vec<_> = results.facts.actions.iter().collect();
        known.sort_by_key(|action| action.id);
        let made = known.into_iter().filter_map(|action| {
            let figures = iteration.action(&action.action)?;
            let name = action.name.clone().unwrap_or_else(|| format!("action{}", action.id));
            Some((action.id, make(name, &figures)))
        });
        Self(made.collect())
    }
}

impl<V: Serialize> Serialize for ById<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (id, value) in &self.0 {
            map.serialize_entry(id, value)?;
        }
        map.end()
    }
}

/// The value at a percentile, in ns.
fn at(service: &Histogram, percentile: f64) -> f64 {
    service.quantile_ns(percentile / 100.0).unwrap_or(0) as f64
}

/// What made a result, where Tulip names the maker of its virtual machine.
const VENDOR: &str = "Weir (no JVM)";

/// The version that wrote the record.
fn version<'r>(results: &Results<'r>) -> &'r str {
    &results.record.environment.weir_version
}
