//! A run that has no end: what its intervals still tell.

use crate::RunState;
use record::{
    ActionRecord, CountsRecord, IntervalRecord, Latencies, LoadModel, PhaseKind, PhaseRecord, Reason,
    ReasonCode, RunRecord, TrafficRecord, Verdict, VerdictState,
};
use serde::{Deserialize, Serialize};
use stats::Histogram;
use std::collections::BTreeMap;

/// What is known of a phase before it ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LivePhase {
    /// Its place in the order of starts.
    pub(crate) index: i64,
    pub(crate) name: String,
    pub(crate) repeat_index: u32,
    pub(crate) kind: PhaseKind,
    pub(crate) load_model: LoadModel,
}

/// The phase that its intervals make up. What intervals do not tell (bytes sent, connections, checks, lateness) stays empty.
pub(crate) fn phase(stub: LivePhase, intervals: Vec<IntervalRecord>) -> PhaseRecord {
    let start_ns = intervals.iter().map(|interval| interval.start_ns).min().unwrap_or(0);
    let end_ns = intervals.iter().map(|i| i.start_ns.saturating_add(i.duration_ns)).max().unwrap_or(0);
    let duration_ns = end_ns.saturating_sub(start_ns);
    let mut counts = CountsRecord::default();
    let mut errors = BTreeMap::new();
    let mut in_flight_ns = 0.0;
    for interval in &intervals {
        add(&mut counts, &interval.counts);
        add_errors(&mut errors, &interval.errors);
        in_flight_ns += interval.in_flight_mean * interval.duration_ns as f64;
    }
    let per_sec = |count: u64| if duration_ns > 0 { count as f64 * 1e9 / duration_ns as f64 } else { 0.0 };
    PhaseRecord {
        name: stub.name,
        kind: stub.kind,
        load_model: stub.load_model,
        repeat_index: stub.repeat_index,
        start_ns,
        duration_ns,
        drain_ns: 0,
        offered_per_sec: (stub.load_model == LoadModel::Open).then(|| per_sec(counts.due)),
        achieved_per_sec: per_sec(counts.completed),
        counts,
        errors,
        bytes_sent: 0,
        bytes_received: intervals.iter().fold(0, |sum, interval| sum.saturating_add(interval.bytes_received)),
        traffic: TrafficRecord::default(),
        in_flight_mean: if duration_ns > 0 { in_flight_ns / duration_ns as f64 } else { 0.0 },
        in_flight_max: intervals.iter().map(|interval| interval.in_flight_max).max().unwrap_or(0),
        think_ns: 0,
        service_ns: merged(intervals.iter().map(|interval| interval.service_ns.to_histogram().ok())),
        response_ns: merged(intervals.iter().map(|interval| interval.response_ns.to_histogram().ok())),
        wait_ns: merged(intervals.iter().map(|interval| interval.wait_ns.to_histogram().ok())),
        lateness_ns: Latencies::default(),
        busy_ratio_max: 0.0,
        off_cpu_ratio_max: None,
        actions: actions(&intervals),
        requests: Vec::new(),
        checks: Vec::new(),
        intervals,
    }
}

/// The actions that intervals tell apart, in the order in which they are first met.
fn actions(intervals: &[IntervalRecord]) -> Vec<ActionRecord> {
    let mut names: Vec<&str> = Vec::new();
    for action in intervals.iter().flat_map(|interval| &interval.actions) {
        if !names.contains(&action.name.as_str()) {
            names.push(&action.name);
        }
    }
    let action = |name: &str| {
        let parts: Vec<_> =
            intervals.iter().flat_map(|i| &i.actions).filter(|action| action.name == name).collect();
        let mut counts = CountsRecord::default();
        let mut errors = BTreeMap::new();
        for part in &parts {
            add(&mut counts, &part.counts);
            add_errors(&mut errors, &part.errors);
        }
        ActionRecord {
            name: name.to_owned(),
            counts,
            errors,
            service_ns: merged(parts.iter().map(|part| part.service_ns.to_histogram().ok())),
            response_ns: merged(parts.iter().map(|part| part.response_ns.to_histogram().ok())),
            wait_ns: Latencies::default(),
        }
    };
    names.into_iter().map(action).collect()
}

fn merged(parts: impl Iterator<Item = Option<Histogram>>) -> Latencies {
    let mut all = Histogram::default();
    parts.flatten().for_each(|part| all.merge(&part));
    Latencies::of(&all)
}

fn add(sum: &mut CountsRecord, part: &CountsRecord) {
    let pairs = [
        (&mut sum.due, part.due),
        (&mut sum.started, part.started),
        (&mut sum.completed, part.completed),
        (&mut sum.failed, part.failed),
        (&mut sum.dropped, part.dropped),
        (&mut sum.unstarted, part.unstarted),
        (&mut sum.unfinished, part.unfinished),
        (&mut sum.censored, part.censored),
    ];
    for (sum, part) in pairs {
        *sum = sum.saturating_add(part);
    }
}

fn add_errors(sum: &mut BTreeMap<String, u64>, part: &BTreeMap<String, u64>) {
    for (class, count) in part {
        let sum = sum.entry(class.clone()).or_default();
        *sum = sum.saturating_add(*count);
    }
}

/// Says of a run without an end what it is: its phases are there, its verdict is not.
pub(crate) fn run(record: &mut RunRecord, state: RunState) {
    let end_ns =
        |phase: &PhaseRecord| phase.start_ns.saturating_add(phase.duration_ns).saturating_add(phase.drain_ns);
    record.duration_ns = record.phases.iter().map(end_ns).max().unwrap_or(0);
    let (why, message, hint) = if state == RunState::Running {
        (
            "the run is still going on",
            "the run is still going on: what is here is what it has measured so far, and it has not been judged",
            "wait for its end",
        )
    } else {
        (
            "the run has no end: its program was killed or its machine stopped",
            "the run has no end: its program was killed or its machine stopped; its phases are rebuilt from the intervals that were kept, and what intervals do not tell is missing",
            "run it again",
        )
    };
    record.aborted.get_or_insert_with(|| why.to_owned());
    let reason = Reason {
        code: ReasonCode::Aborted,
        state: VerdictState::Invalid,
        message: message.to_owned(),
        hint: hint.to_owned(),
    };
    record.verdict = Verdict { state: VerdictState::Invalid, reasons: vec![reason] };
}
