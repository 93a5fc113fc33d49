//! What the page of a search draws: its trials by rate, and the words that are printed too. The page works nothing out: what it shows is what
//! the terminal shows. Its JSON stands in the page; the runs of the trials don't.

use crate::curve;
use crate::find::{Outcome, TrialKind};
use crate::record::{SearchRecord, TrialRecord};
use crate::text;
use plan::{Bound, Metric, Slo};
use record::{PhaseKind, PhaseRecord};
use serde::Serialize;

/// A search, or a curve, as a page shows it. Times ns, rates per second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// [`SearchRecord::KIND`], which tells it from the records of runs.
    pub kind: &'static str,
    /// What was searched.
    pub name: String,
    /// As in the record.
    pub search_id: String,
    /// Wall clock at the start.
    pub started_unix_ns: u64,
    /// The answer in one line; empty for a curve.
    pub headline: String,
    /// Label and text of what is printed below it.
    pub lines: Vec<(&'static str, String)>,
    /// Objectives on latencies, to be drawn as lines.
    pub objectives: Vec<ObjectiveLine>,
    /// Each trial at a rate, by rising rate.
    pub points: Vec<PagePoint>,
    /// Whether the points are one curve; else rates were tried several times.
    pub is_curve: bool,
    /// Where the knee is, for a curve.
    pub knee_per_sec: Option<f64>,
    /// The rate to choose: the answer, or a curve's choice.
    pub chosen_per_sec: Option<f64>,
    /// Where the bound lies, with 95 %.
    pub bound_per_sec: Option<(f64, f64)>,
}

/// An objective that bounds a latency from above.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObjectiveLine {
    /// As it is printed.
    pub expression: String,
    /// ns.
    pub bound_ns: u64,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PagePoint {
    /// From 1, in the order in which they were made.
    pub number: usize,
    /// Why it was made.
    pub kind: &'static str,
    /// Arrivals per second that were asked for.
    pub offered_per_sec: f64,
    /// Actions completed per second.
    pub achieved_per_sec: f64,
    /// Length of the load.
    pub duration_ns: u64,
    /// Quantiles of intended → done, where the samples carry them.
    pub p50_ns: Option<u64>,
    /// Likewise.
    pub p90_ns: Option<u64>,
    /// Likewise.
    pub p99_ns: Option<u64>,
    /// Likewise.
    pub p99_9_ns: Option<u64>,
    /// What each of the objectives looks at, in their order.
    pub objectives_ns: Vec<Option<u64>>,
    /// Mean number in flight.
    pub in_flight_mean: f64,
    /// Whether it was sustained.
    pub outcome: Outcome,
    /// Why not.
    pub reasons: Vec<String>,
}

impl Page {
    /// Of a search, over or not.
    pub fn of(record: &SearchRecord) -> Self {
        // The record has objectives as texts; one that speaks of an action only is no line of the whole.
        let parsed: Vec<Slo> = record.slos.iter().filter_map(|text| Slo::parse(text).ok()).collect();
        let slos: Vec<(&Slo, u64)> = parsed.iter().filter_map(|slo| Some((slo, ceiling_ns(slo)?))).collect();
        let tried = record.trials.iter().enumerate().filter(|(_, made)| is_drawn(made));
        let mut points: Vec<PagePoint> = tried.map(|(index, made)| point(index + 1, made, &slos)).collect();
        points.sort_by(|a, b| a.offered_per_sec.total_cmp(&b.offered_per_sec));
        let (headline, lines, chosen_per_sec) = match (&record.answer, &record.curve) {
            (Some(answer), _) => (
                text::headline(answer),
                text::lines(record, answer, None),
                Some(answer.rate_per_sec).filter(|rate| *rate > 0.0),
            ),
            (None, Some(curve)) => (String::new(), curve::lines(curve), curve.chosen_per_sec),
            (None, None) => (text::CUT_SHORT.to_owned(), Vec::new(), None),
        };
        let estimate = record.answer.and_then(|answer| answer.estimate);
        Self {
            kind: SearchRecord::KIND,
            name: record.name.clone(),
            search_id: record.search_id.clone(),
            started_unix_ns: record.started_unix_ns,
            headline,
            lines,
            objectives: slos
                .iter()
                .map(|(slo, bound_ns)| ObjectiveLine { expression: slo.to_string(), bound_ns: *bound_ns })
                .collect(),
            points,
            is_curve: record.curve.is_some(),
            knee_per_sec: record.curve.as_ref().and_then(|curve| curve.knee_per_sec),
            chosen_per_sec,
            bound_per_sec: estimate.map(|estimate| (estimate.low_per_sec, estimate.high_per_sec)),
        }
    }
}

/// Trials at a rate of their own. An overload and what follows it show what comes after and not what the rate brings.
fn is_drawn(made: &TrialRecord) -> bool {
    let is_apart = matches!(made.trial.kind, TrialKind::Maximum | TrialKind::Overload | TrialKind::Down);
    !is_apart && made.trial.rate_per_sec > 0.0
}

/// The bound of an objective on a latency.
fn ceiling_ns(slo: &Slo) -> Option<u64> {
    match (slo.metric, slo.bound) {
        (Metric::Quantile(..) | Metric::Mean(_) | Metric::Max(_), Bound::DurationNs(ns)) => Some(ns),
        _ => None,
    }
}

fn point(number: usize, made: &TrialRecord, slos: &[(&Slo, u64)]) -> PagePoint {
    let phase = made.run.phases.iter().find(|phase| phase.kind == PhaseKind::Measure);
    let response = phase.map(|phase| &phase.response_ns);
    let reasons = match made.assessment.outcome {
        Outcome::ClientLimited => &made.assessment.client_reasons,
        _ => &made.assessment.reasons,
    };
    PagePoint {
        number,
        kind: made.trial.kind.as_str(),
        offered_per_sec: made.trial.rate_per_sec,
        achieved_per_sec: made.assessment.achieved_per_sec,
        duration_ns: made.trial.duration_ns,
        p50_ns: response.and_then(|response| response.p50),
        p90_ns: response.and_then(|response| response.p90),
        p99_ns: response.and_then(|response| response.p99),
        p99_9_ns: response.and_then(|response| response.p99_9),
        objectives_ns: slos.iter().map(|(slo, _)| seen_ns(slo, phase?)).collect(),
        in_flight_mean: made.assessment.in_flight_mean,
        outcome: made.assessment.outcome,
        reasons: reasons.clone(),
    }
}

/// What an objective looks at, where the samples carry it.
fn seen_ns(slo: &Slo, phase: &PhaseRecord) -> Option<u64> {
    record::observed(slo, phase).ok().map(|ns| ns as u64)
}
