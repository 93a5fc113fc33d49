//! A run in one line: what a list shows of it, kept beside the run so that a list reads no bodies.

use record::{LoadModel, PhaseKind, PhaseRecord, RunRecord, VerdictState};
use serde::{Deserialize, Serialize};
use stats::Histogram;
use std::collections::BTreeMap;

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// To its end, and was judged.
    Ended,
    /// It has no end: its program was killed or its machine stopped.
    Aborted,
    /// It is still going on.
    Running,
}

impl RunState {
    /// `ended`, `aborted` or `running`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Aborted => "aborted",
            Self::Running => "running",
        }
    }
}

/// A run in one line. The figures are of all measured phases together: of one where there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// By which it is selected.
    pub id: String,
    /// The plan's name or what the user said.
    pub name: String,
    /// What made it, as in the record.
    pub origin: String,
    /// Wall clock at the start.
    pub started_unix_ns: u64,
    /// Start of the first phase to end of the last.
    pub duration_ns: u64,
    /// How far it came.
    pub state: RunState,
    /// Whether the numbers may be believed; of a run without an end: no.
    pub verdict: VerdictState,
    /// Why the run ended before its plan did.
    pub aborted: Option<String>,
    /// Of the measured phases; null when they differ or there are none.
    pub load_model: Option<LoadModel>,
    /// Arrivals due per second; null in a closed model.
    pub offered_per_sec: Option<f64>,
    /// Completed within the load, per second of load.
    pub achieved_per_sec: f64,
    /// Ended well.
    pub completed: u64,
    /// Failed, dropped, unstarted or unfinished.
    pub not_completed: u64,
    /// Of the response time, ns; null where the samples don't carry it.
    pub p50_ns: Option<u64>,
    /// Of the response time, ns; null where the samples don't carry it.
    pub p99_ns: Option<u64>,
    /// Objectives.
    pub slo_count: u64,
    /// Those that were missed.
    pub slo_missed_count: u64,
    /// What the user wrote on it.
    pub labels: BTreeMap<String, String>,
}

impl RunSummary {
    /// The line of a record.
    pub fn of(record: &RunRecord, state: RunState) -> Self {
        let measured: Vec<&PhaseRecord> =
            record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure).collect();
        let load_ns = covered_ns(&measured);
        // Σ rate × length over the time that any of them took: phases may run side by side.
        let per_sec = |rate: &dyn Fn(&PhaseRecord) -> f64| match measured.as_slice() {
            [] => 0.0,
            [phase] => rate(phase),
            _ if load_ns == 0 => 0.0,
            phases => {
                phases.iter().map(|phase| rate(phase) * phase.duration_ns as f64).sum::<f64>()
                    / load_ns as f64
            }
        };
        let first_model = measured.first().map(|phase| phase.load_model);
        let offers = !measured.is_empty() && measured.iter().all(|phase| phase.offered_per_sec.is_some());
        let (p50_ns, p99_ns) = quantiles(&measured);
        Self {
            id: record.run_id.clone(),
            name: record.name.clone(),
            origin: record.origin.clone(),
            started_unix_ns: record.started_unix_ns,
            duration_ns: record.duration_ns,
            state,
            verdict: if state == RunState::Ended { record.verdict.state } else { VerdictState::Invalid },
            aborted: record.aborted.clone(),
            load_model: first_model.filter(|first| measured.iter().all(|phase| phase.load_model == *first)),
            offered_per_sec: offers.then(|| per_sec(&|phase| phase.offered_per_sec.unwrap_or(0.0))),
            achieved_per_sec: per_sec(&|phase| phase.achieved_per_sec),
            completed: sum(&measured, |phase| phase.counts.completed),
            not_completed: sum(&measured, |phase| phase.counts.not_completed()),
            p50_ns,
            p99_ns,
            slo_count: record.slos.len() as u64,
            slo_missed_count: record.slos.iter().filter(|slo| !slo.ok).count() as u64,
            labels: record.labels.clone(),
        }
    }
}

fn sum(phases: &[&PhaseRecord], count: impl Fn(&PhaseRecord) -> u64) -> u64 {
    phases.iter().fold(0, |sum, phase| sum.saturating_add(count(phase)))
}

/// Median and 99th percentile of the response times: those of the record, or of all phases' histograms merged.
fn quantiles(measured: &[&PhaseRecord]) -> (Option<u64>, Option<u64>) {
    if let [phase] = measured {
        return (phase.response_ns.p50, phase.response_ns.p99);
    }
    let mut all = Histogram::default();
    for phase in measured {
        match phase.response_ns.to_histogram() {
            Ok(histogram) if histogram.count() == phase.response_ns.count => all.merge(&histogram),
            // A phase without its histogram would be missing in the sum.
            _ => return (None, None),
        }
    }
    (all.carried_quantile_ns(0.5), all.carried_quantile_ns(0.99))
}

/// The time in which any of the phases' loads ran.
fn covered_ns(phases: &[&PhaseRecord]) -> u64 {
    let mut spans: Vec<(u64, u64)> = phases
        .iter()
        .map(|phase| (phase.start_ns, phase.start_ns.saturating_add(phase.duration_ns)))
        .collect();
    spans.sort_unstable();
    let mut until_ns = 0;
    let mut covered_ns = 0u64;
    for (start_ns, end_ns) in spans {
        covered_ns = covered_ns.saturating_add(end_ns.saturating_sub(start_ns.max(until_ns)));
        until_ns = until_ns.max(end_ns);
    }
    covered_ns
}
