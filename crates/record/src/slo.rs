//! SLOs held against a record.

use crate::{Latencies, PhaseKind, PhaseRecord, SloRecord};
use plan::{Metric, Plan, Slo};

/// Each SLO of the plan against each phase run that it speaks of, in the SLOs' order. One that names an action speaks of the phases whose
/// scenario has it.
pub fn evaluate(plan: &Plan, phases: &[PhaseRecord]) -> Vec<SloRecord> {
    let mut results = Vec::new();
    let has_action = |phase: &PhaseRecord, action: &str| {
        let planned = plan.phases.iter().find(|planned| planned.name == phase.name);
        let scenario = planned.and_then(|planned| plan.scenarios.get(planned.scenario));
        scenario.is_none_or(|scenario| scenario.actions.iter().any(|known| known.name == action))
    };
    for slo in &plan.slos {
        let speaks_of = |phase: &&PhaseRecord| match &slo.phase {
            Some(name) => phase.name == *name,
            None => phase.kind == PhaseKind::Measure,
        };
        let concerns_action =
            |phase: &&PhaseRecord| slo.action.as_ref().is_none_or(|action| has_action(phase, action));
        let before = results.len();
        results.extend(
            phases.iter().filter(speaks_of).filter(concerns_action).map(|phase| evaluate_one(slo, phase)),
        );
        if results.len() == before {
            results.push(SloRecord {
                expression: slo.to_string(),
                ok: false,
                observed: None,
                observed_text: "the phase did not run".to_owned(),
                phase: slo.phase.clone().unwrap_or_default(),
            });
        }
    }
    results
}

fn evaluate_one(slo: &Slo, phase: &PhaseRecord) -> SloRecord {
    let observed = observed(slo, phase);
    let (value, text) = match observed {
        Ok(value) => (Some(value), text_of(slo.metric, value)),
        Err(reason) => (None, reason.to_owned()),
    };
    let repeat = if phase.repeat_index > 0 { format!(" #{}", phase.repeat_index + 1) } else { String::new() };
    SloRecord {
        expression: slo.to_string(),
        ok: value.is_some_and(|value| slo.comparison.holds(value, slo.bound.value())),
        observed: value,
        observed_text: text,
        phase: format!("{}{repeat}", phase.name),
    }
}

/// The metric's value in a phase (ns, ratio, count or per second), or why there is none.
pub fn observed(slo: &Slo, phase: &PhaseRecord) -> Result<f64, &'static str> {
    let action = match &slo.action {
        Some(name) => {
            Some(phase.actions.iter().find(|action| action.name == *name).ok_or("the action did not run")?)
        }
        None => None,
    };
    let counts = action.map_or(&phase.counts, |action| &action.counts);
    let latencies = |which| phase.latencies(which, action);
    let none = "nothing was measured";
    match slo.metric {
        Metric::Quantile(which, quantile) => quantile_of(latencies(which), quantile),
        Metric::Mean(which) => latencies(which).mean.map(|ns| ns as f64).ok_or(none),
        Metric::Max(which) => latencies(which).max.map(|ns| ns as f64).ok_or(none),
        Metric::ErrorRatio if counts.due.max(counts.started) == 0 => Err(none),
        Metric::ErrorRatio => Ok(counts.error_ratio()),
        Metric::ErrorCount => Ok(counts.failed as f64),
        Metric::DroppedCount => Ok(counts.dropped as f64),
        Metric::AchievedRatio => {
            let offered = phase.offered_per_sec.ok_or("a closed model offers no rate")?;
            if action.is_some() {
                return Err("achieved is known for whole phases only");
            }
            if offered > 0.0 { Ok(phase.achieved_per_sec / offered) } else { Err(none) }
        }
        Metric::Rate => match action {
            None => Ok(phase.achieved_per_sec),
            Some(action) if phase.duration_ns > 0 => {
                Ok(action.counts.completed as f64 * 1e9 / phase.duration_ns as f64)
            }
            Some(_) => Err(none),
        },
    }
}

fn quantile_of(latencies: &Latencies, quantile: f64) -> Result<f64, &'static str> {
    if quantile >= 1.0 {
        return latencies.max.map(|ns| ns as f64).ok_or("nothing was measured");
    }
    let histogram = latencies.to_histogram().map_err(|_| "the histogram can't be read")?;
    histogram
        .carried_quantile_ns(quantile)
        .map(|ns| ns as f64)
        .ok_or("too few samples for this percentile (10 must lie beyond it)")
}

fn text_of(metric: Metric, value: f64) -> String {
    match metric {
        Metric::Quantile(..) | Metric::Mean(_) | Metric::Max(_) => units::duration(value as u64),
        Metric::ErrorRatio | Metric::AchievedRatio => units::ratio(value),
        Metric::ErrorCount | Metric::DroppedCount => units::count(value as u64),
        Metric::Rate => format!("{}/s", units::per_sec(value)),
    }
}
