//! What a trial's record says: sustained, not sustained, or the client was the limit.
//!
//! Sustained means that every objective was met, nothing was dropped or left over, few failed, and work did not pile up. Work piles up where
//! the response time grows with the length of the trial: at r arrivals per second against a capacity of C it grows by 1 − C/r seconds per
//! second, whatever the objective. A short trial sees that long before its latencies break a bound.

use crate::find::Outcome;
use plan::{Metric, Slo};
use record::{IntervalRecord, PhaseKind, PhaseRecord, ReasonCode, RunRecord, SloRecord, VerdictState};
use serde::{Deserialize, Serialize};

/// Growth of the response time per second below which a service keeps up: 2 ms in a second. Capacity is told to this share.
pub const GROWTH_MIN: f64 = 0.002;
/// Standard errors by which growth must differ from none.
const GROWTH_ERRORS: f64 = 3.0;
/// The beginning of a trial is left out of the growth: queues fill to their usual length there.
const GROWTH_SKIPPED: f64 = 0.25;
/// Intervals that a growth needs.
const GROWTH_POINTS_MIN: usize = 6;
/// Share of arrivals that may be dropped or left without a user.
const LEFT_OVER_RATIO: f64 = 0.001;
/// Share of actions that may fail where no objective speaks of failures.
const FAILED_RATIO: f64 = 0.01;
/// Service times below this multiple of the light load's are the service's usual ones.
const LIGHT_FACTOR: f64 = 1.5;

/// What a trial says, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// Sustained or not.
    pub outcome: Outcome,
    /// Arrivals due per second; null for a closed trial.
    pub offered_per_sec: Option<f64>,
    /// Actions completed per second within the load's length.
    pub achieved_per_sec: f64,
    /// Seconds by which the response time grows in a second; null where it can't be told.
    pub growth_ratio: Option<f64>,
    /// What did not end well to all that was due.
    pub error_ratio: f64,
    /// Mean of sent → done, ns.
    pub service_mean_ns: Option<u64>,
    /// Mean of intended → done, ns.
    #[serde(default)]
    pub response_mean_ns: Option<u64>,
    /// Quantiles of intended → done, ns; null where the samples don't carry them.
    pub response_p50_ns: Option<u64>,
    /// Likewise.
    pub response_p99_ns: Option<u64>,
    /// Mean number in flight.
    pub in_flight_mean: f64,
    /// What was not as it should be, for people.
    pub reasons: Vec<String>,
    /// The client's own limits, for people; where there are some, the trial says nothing of the service.
    pub client_reasons: Vec<String>,
}

/// What is known beside the record.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context {
    /// Connections or users that may be busy at once.
    pub in_flight_max: Option<u64>,
    /// Mean service time of the lightest trial so far, ns.
    pub light_service_ns: Option<u64>,
}

/// Holds a trial's record, with one measured phase, against what it was to sustain. `None` where nothing was measured.
pub fn assess(record: &RunRecord, slos: &[Slo], context: Context) -> Option<Assessment> {
    let phase = record.phases.iter().find(|phase| phase.kind == PhaseKind::Measure)?;
    let mut reasons = Vec::new();
    for slo in record.slos.iter().filter(|slo| !slo.ok && !is_met_as_far_as_seen(slo, slos, phase)) {
        reasons.push(format!("{} missed: {}", slo.expression, slo.observed_text));
    }
    let missed_count = reasons.len();
    let (growth, action) = telling_growth(phase);
    let is_growing = growth.is_some_and(|growth| growth.is_certain());
    if let Some(growth) = growth.filter(|_| is_growing) {
        let of = action.map_or(String::new(), |name| format!(" of {name}"));
        reasons.push(format!(
            "work piled up: response times{of} grew by {} in each second",
            units::duration((growth.ratio * 1e9) as u64)
        ));
    }
    left_over(phase, slos, &mut reasons);
    let client_reasons = match reasons.is_empty() {
        true => Vec::new(),
        false if is_answered_wrongly(phase) => Vec::new(),
        false => {
            let is_latency_alone = reasons.len() == missed_count && missed_count > 0;
            client_limits(record, phase, context, is_latency_alone)
        }
    };
    let outcome = match (reasons.is_empty(), client_reasons.is_empty()) {
        (true, _) => Outcome::Sustained,
        (false, true) => Outcome::NotSustained,
        (false, false) => Outcome::ClientLimited,
    };
    Some(Assessment {
        outcome,
        offered_per_sec: phase.offered_per_sec,
        achieved_per_sec: phase.achieved_per_sec,
        growth_ratio: growth.map(|growth| growth.ratio),
        error_ratio: phase.counts.error_ratio(),
        service_mean_ns: phase.service_ns.mean,
        response_mean_ns: phase.response_ns.mean,
        response_p50_ns: phase.response_ns.p50,
        response_p99_ns: phase.response_ns.p99,
        in_flight_mean: phase.in_flight_mean,
        reasons,
        client_reasons,
    })
}

/// Whether a percentile that a trial has too few samples for is met by the samples that there are: of an action that is rare, or where
/// longer trials don't fit in the budget. Alone that says little; a search pools many trials.
fn is_met_as_far_as_seen(missed: &SloRecord, slos: &[Slo], phase: &PhaseRecord) -> bool {
    let Some(slo) = slos.iter().find(|slo| slo.to_string() == missed.expression) else { return false };
    let Metric::Quantile(latency, quantile) = slo.metric else { return false };
    if missed.observed.is_some() {
        return false;
    }
    let action =
        slo.action.as_ref().and_then(|name| phase.actions.iter().find(|action| action.name == *name));
    let seen = phase
        .latencies(latency, action)
        .to_histogram()
        .ok()
        .and_then(|histogram| histogram.quantile_ns(quantile));
    seen.is_some_and(|ns| slo.comparison.holds(ns as f64, slo.bound.value()))
}

/// Arrivals that came to nothing, and failures where no objective allows for them.
fn left_over(phase: &PhaseRecord, slos: &[Slo], reasons: &mut Vec<String>) {
    let counts = &phase.counts;
    let due = counts.due.max(1) as f64;
    for (count, what) in [
        (counts.dropped, "arrivals were dropped"),
        (counts.unstarted, "arrivals found no user"),
        (counts.unfinished, "actions did not end"),
    ] {
        if count as f64 > LEFT_OVER_RATIO * due {
            reasons.push(format!("{} of {} {what}", units::count(count), units::count(counts.due)));
        }
    }
    let speaks_of_failures =
        |slo: &Slo| matches!(slo.metric, Metric::ErrorRatio | Metric::ErrorCount) && slo.action.is_none();
    if !slos.iter().any(speaks_of_failures) && counts.failed as f64 > FAILED_RATIO * due {
        let most = phase.errors.iter().max_by_key(|(_, count)| **count);
        let class = most.map_or(String::new(), |(class, _)| format!(", mostly {class}"));
        reasons.push(format!(
            "{} of {} failed{class}",
            units::count(counts.failed),
            units::count(counts.due)
        ));
    }
    if counts.completed == 0 && reasons.is_empty() {
        reasons.push("nothing was completed".to_owned());
    }
}

/// Whether so many answers were not as they should be that no delay of the client's could be the reason.
fn is_answered_wrongly(phase: &PhaseRecord) -> bool {
    let wrong: u64 = ["status", "check"].into_iter().filter_map(|class| phase.errors.get(class)).sum();
    wrong as f64 > FAILED_RATIO * phase.counts.due.max(1) as f64
}

/// What of a bad trial may be the client's own fault.
fn client_limits(
    record: &RunRecord,
    phase: &PhaseRecord,
    context: Context,
    by_latency_alone: bool,
) -> Vec<String> {
    let mut limits = Vec::new();
    for reason in &record.verdict.reasons {
        let is_limit = match reason.code {
            ReasonCode::GeneratorBound | ReasonCode::LocalResources => reason.state > VerdictState::Valid,
            // These add to latencies; that work piles up they bring about only when they are gross.
            ReasonCode::SendLateness | ReasonCode::OffCpu | ReasonCode::Steal => {
                reason.state == VerdictState::Invalid
                    || (by_latency_alone && reason.state == VerdictState::Suspect)
            }
            _ => false,
        };
        if is_limit {
            // A trial has one measured phase, whose name says nothing.
            let of_phase = format!("phase {}: ", phase.name);
            limits.push(reason.message.strip_prefix(&of_phase).unwrap_or(&reason.message).to_owned());
        }
    }
    let is_full = context.in_flight_max.is_some_and(|max| phase.in_flight_max >= max);
    if let (true, Some(light_ns), Some(service_ns)) =
        (is_full, context.light_service_ns, phase.service_ns.mean)
        && (service_ns as f64) < LIGHT_FACTOR * light_ns as f64
        && phase.counts.failed == 0
    {
        limits.push(format!(
            "all {} connections were busy while the service took {} as under light load: use more (--connections, or the plan's)",
            units::count(phase.in_flight_max),
            units::duration(service_ns)
        ));
    }
    limits
}

/// Growth of the response time over a trial, as seconds per second, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// 1 − C/r where the service is overloaded, about 0 where it is not.
    pub ratio: f64,
    /// Standard error.
    pub error: f64,
}

impl Growth {
    /// Whether work piled up beyond doubt.
    pub fn is_certain(&self) -> bool {
        self.ratio > GROWTH_MIN && self.ratio > GROWTH_ERRORS * self.error
    }
}

/// The slope of a straight line through the intervals' mean response times, by least squares.
pub fn growth(phase: &PhaseRecord) -> Option<Growth> {
    growth_of(phase, |interval| interval.response_ns.mean)
}

/// The growth that tells of the phase, and of which action that is; `None`: of all together. One action among many may pile up alone, and the
/// mean over all would hardly show it.
fn telling_growth(phase: &PhaseRecord) -> (Option<Growth>, Option<&str>) {
    let of_action = |name: &str| {
        growth_of(phase, |interval| {
            let part = interval.actions.iter().find(|action| action.name == name)?;
            Some(part.response_ns.mean).filter(|_| !part.response_ns.is_empty())
        })
    };
    let all = growth(phase);
    if all.is_some_and(|growth| growth.is_certain()) {
        return (all, None);
    }
    let certain = phase.actions.iter().filter_map(|action| {
        let growth = of_action(&action.name).filter(Growth::is_certain)?;
        Some((growth, action.name.as_str()))
    });
    let most = certain.max_by(|(a, _), (b, _)| a.ratio.total_cmp(&b.ratio));
    most.map_or((all, None), |(growth, name)| (Some(growth), Some(name)))
}

fn growth_of(phase: &PhaseRecord, mean_ns: impl Fn(&IntervalRecord) -> Option<u64>) -> Option<Growth> {
    let (start_ns, length_ns) = (phase.start_ns, phase.duration_ns);
    let first_ns = start_ns as f64 + GROWTH_SKIPPED * length_ns as f64;
    let points: Vec<(f64, f64)> = phase
        .intervals
        .iter()
        .filter(|interval| interval.start_ns < start_ns.saturating_add(length_ns))
        .map(|interval| (interval.start_ns as f64 + interval.duration_ns as f64 / 2.0, mean_ns(interval)))
        .filter(|(middle_ns, _)| *middle_ns >= first_ns)
        .filter_map(|(middle_ns, mean_ns)| Some((middle_ns / 1e9, mean_ns? as f64 / 1e9)))
        .collect();
    slope(&points)
}

/// Least squares; the error is widened where residuals follow each other, as the lengths of queues do.
fn slope(points: &[(f64, f64)]) -> Option<Growth> {
    let n = points.len() as f64;
    if points.len() < GROWTH_POINTS_MIN {
        return None;
    }
    let (mean_x, mean_y) =
        (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if spread <= 0.0 {
        return None;
    }
    let ratio = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let residuals: Vec<f64> = points.iter().map(|(x, y)| y - mean_y - ratio * (x - mean_x)).collect();
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let products: f64 = residuals.iter().zip(residuals.iter().skip(1)).map(|(a, b)| a * b).sum();
    let following = if squares > 0.0 { (products / squares).clamp(0.0, 0.9) } else { 0.0 };
    let widened = ((1.0 + following) / (1.0 - following)).sqrt();
    Some(Growth { ratio, error: (squares / (n - 2.0) / spread).sqrt() * widened })
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    #[test]
    fn overload_is_told_from_noise() {
        let mut random = Random::new(3);
        let mut line = |growth: f64, noise: f64| -> Growth {
            let points: Vec<(f64, f64)> = (0..15)
                .map(|i| {
                    (f64::from(i) * 0.25, 0.01 + growth * f64::from(i) * 0.25 + noise * (random.unit() - 0.5))
                })
                .collect();
            slope(&points).unwrap()
        };
        assert!(line(0.01, 0.001).is_certain());
        assert!((line(0.01, 0.0).ratio - 0.01).abs() < 1e-12);
        assert!(!line(0.001, 0.0).is_certain(), "a service that is 0.1 % slower keeps up");
        let certain = (0..200).filter(|_| line(0.0, 0.02).is_certain()).count();
        assert!(certain <= 3, "{certain} of 200 trials without growth");
        assert_eq!(slope(&[(0.0, 1.0); 20]), None);
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 2.0)]), None);
    }
}
