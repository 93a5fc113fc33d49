//! The numbers of a page, from a record and nothing else.
//!
//! Counts and rates are of the load's own time: what came while the last requests drained is in the latencies only. Times that are lower
//! bounds (time-outs, lost connections, what was open at the end) are in the latencies.

use crate::facts::Facts;
use crate::statistics::Statistics;
use record::{LoadModel, PhaseKind, PhaseRecord, RunRecord};
use std::collections::BTreeMap;

/// What a page and a script's `done` are told of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// Length of the measured load, ns.
    pub duration_ns: u64,
    /// Answers within it, whatever their status.
    pub requests: u64,
    /// Bytes read within it, heads included.
    pub bytes: u64,
    /// What went wrong, over load and drain.
    pub errors: ErrorCounts,
    /// In µs: from the intended time where a rate is given, else from the send, to the last byte.
    pub latency: Statistics,
    /// In µs: from the send to the last byte.
    pub uncorrected_latency: Statistics,
}

/// Errors by the kinds that both tools tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErrorCounts {
    /// No connection: name, TCP or TLS.
    pub connect: u64,
    /// The connection ended, or what came was not HTTP.
    pub read: u64,
    /// Sending failed.
    pub write: u64,
    /// No whole answer within the limit, counted once when it passes.
    pub timed_out: u64,
    /// Statuses from 400.
    pub status: u64,
}

/// Classes of the record by kind; what is not here is an answer of an unwanted status.
const CONNECT: [&str; 6] =
    ["resolve", "connect_refused", "connect_timeout", "connect_no_address", "connect_failed", "tls"];
const READ: [&str; 3] = ["receive_reset", "receive_early_end", "protocol"];
const ANSWERED: [&str; 3] = ["status", "check", "redirect"];

impl Figures {
    /// Of a record's measured phase; zeros where it never came to one.
    pub fn of(record: &RunRecord, facts: &Facts) -> Self {
        let measured = record.phases.iter().find(|phase| phase.kind == PhaseKind::Measure);
        measured.map(|phase| Self::of_phase(phase, facts)).unwrap_or_default()
    }

    fn of_phase(phase: &PhaseRecord, facts: &Facts) -> Self {
        // Answers to pipelined requests are booked one by one beside their batch.
        let is_single =
            facts.batch_latency || phase.requests.is_empty() || phase.load_model == LoadModel::Closed;
        let single = phase.requests.first().filter(|_| !is_single);
        let (latency, service) = match (single, phase.load_model) {
            (Some(request), _) => (&request.response_ns, &request.service_ns),
            (None, LoadModel::Open) => (&phase.response_ns, &phase.service_ns),
            (None, LoadModel::Closed) => (&phase.service_ns, &phase.service_ns),
        };
        // A record whose histogram can't be read was not written by Weir: it has no latencies.
        let statistics = |latencies| Statistics::of_latencies(latencies).unwrap_or_default();
        let statuses = |classes: &[&str]| -> u64 {
            classes.iter().filter_map(|class| phase.traffic.statuses.get(*class)).sum()
        };
        let drain = Drain::of(phase, u64::from(facts.pipeline_depth));
        let (all, refused) = (statuses(&["2xx", "3xx", "4xx", "5xx"]), statuses(&["4xx", "5xx"]));
        let requests = all.saturating_sub(drain.answers);
        Self {
            duration_ns: phase.duration_ns,
            requests,
            bytes: phase.bytes_received.saturating_sub(drain.bytes),
            errors: ErrorCounts {
                connect: sum(&phase.errors, &CONNECT),
                read: sum(&phase.errors, &READ),
                write: sum(&phase.errors, &["send"]),
                timed_out: sum(&phase.errors, &["timeout"]),
                status: refused.saturating_sub(drain.refused).min(requests),
            },
            latency: statistics(latency),
            uncorrected_latency: statistics(service),
        }
    }
}

/// Requests without an answer when a phase ended: sent, or due by a rate and not sent. A connection that rested in a script's `delay` is none.
pub fn open_count(phase: &PhaseRecord) -> u64 {
    let lost = phase.errors.iter().filter(|(class, _)| !ANSWERED.contains(&class.as_str()));
    let lost: u64 = lost.map(|(_, count)| count).sum();
    phase.counts.censored.saturating_sub(lost)
}

/// What came after the load's end.
struct Drain {
    answers: u64,
    refused: u64,
    bytes: u64,
}

impl Drain {
    fn of(phase: &PhaseRecord, depth: u64) -> Self {
        let load_end_ns = phase.start_ns.saturating_add(phase.duration_ns);
        let mut drain = Self { answers: 0, refused: 0, bytes: 0 };
        for interval in phase.intervals.iter().filter(|interval| interval.start_ns >= load_end_ns) {
            let refused = sum(&interval.errors, &ANSWERED);
            drain.answers += (interval.counts.completed + refused).saturating_mul(depth);
            drain.refused += refused.saturating_mul(depth);
            drain.bytes += interval.bytes_received;
        }
        drain
    }
}

fn sum(errors: &BTreeMap<String, u64>, classes: &[&str]) -> u64 {
    classes.iter().filter_map(|class| errors.get(*class)).sum()
}
