//! A plan's open phase made into trials: its rate is replaced, all else of it stays.

use crate::find::{Trial, TrialKind};
use plan::{Load, Phase, PhaseKind, PhaseStart, Plan, Stage};
use units::Rate;

/// Users of a closed trial where the plan's own number is a bound and not a wish.
pub const CLOSED_USERS: u32 = 64;
/// Intervals of a trial: enough for its growth.
const INTERVALS: u64 = 20;
/// Three in each interval: where some are empty, growth can't be told, and a trial that fell far behind would pass.
const GROWTH_SAMPLES: u64 = 3 * INTERVALS;
/// The shortest full trial: a short one, 2/5 of it, has ten of the shortest intervals then.
pub const FULL_NS_MIN: u64 = 500 * units::NS_PER_MS;
/// Shortest interval.
const INTERVAL_NS_MIN: u64 = 20 * units::NS_PER_MS;

/// Why a plan can't be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialPlanError {
    /// No phase has an open load.
    NoOpenPhase {
        /// The names of those there are.
        phases: Vec<String>,
    },
    /// No open phase of that name.
    UnknownPhase {
        /// As asked.
        name: String,
        /// The names of the open ones.
        open: Vec<String>,
    },
}

impl std::fmt::Display for TrialPlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoOpenPhase { phases } => write!(
                f,
                "the plan has no phase with a rate (there are: {}), and a search changes the rate; give one phase a `rate` in place of `users`",
                phases.join(", ")
            ),
            Self::UnknownPhase { name, open } => {
                write!(
                    f,
                    "the plan has no phase `{name}` with a rate; use --phase with one of {}",
                    open.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for TrialPlanError {}

/// The phase that a search varies: the named one, or the last open one that is measured, or the last open one.
///
/// # Errors
/// There is none.
pub fn open_phase(plan: &Plan, name: Option<&str>) -> Result<usize, TrialPlanError> {
    let open: Vec<(usize, &Phase)> =
        plan.phases.iter().enumerate().filter(|(_, phase)| matches!(phase.load, Load::Open { .. })).collect();
    let names = |phases: &mut dyn Iterator<Item = &Phase>| phases.map(|phase| phase.name.clone()).collect();
    if open.is_empty() {
        return Err(TrialPlanError::NoOpenPhase { phases: names(&mut plan.phases.iter()) });
    }
    if let Some(name) = name {
        let found = open.iter().find(|(_, phase)| phase.name == name).map(|(index, _)| *index);
        return found.ok_or_else(|| TrialPlanError::UnknownPhase {
            name: name.to_owned(),
            open: names(&mut open.iter().map(|(_, phase)| *phase)),
        });
    }
    let measured = open.iter().rev().find(|(_, phase)| phase.kind == PhaseKind::Measure);
    Ok(measured.or(open.last()).map_or(0, |(index, _)| *index))
}

/// The plan of a trial: the phase alone, at a constant rate or closed, with the objectives that speak of it; before it a closed warm-up of
/// `warm_up_ns`, where that is not 0.
pub fn for_trial(plan: &Plan, phase_index: usize, trial: &Trial, warm_up_ns: u64, seed: u64) -> Plan {
    let mut made = plan.clone();
    let Some(mut phase) = plan.phases.get(phase_index).cloned() else { return made };
    let name = phase.name.clone();
    made.slos.retain(|slo| slo.phase.as_ref().is_none_or(|of| *of == name));
    made.seed = seed;
    made.interval_ns = (trial.duration_ns / INTERVALS).clamp(INTERVAL_NS_MIN, Plan::INTERVAL_NS);
    phase.kind = PhaseKind::Measure;
    phase.duration_ns = Some(trial.duration_ns);
    phase.action_count_max = None;
    phase.repeat_count = 1;
    phase.start = PhaseStart::After(None, 0);
    made.phases.clear();
    if warm_up_ns > 0 {
        let mut warm_up = closed(&phase);
        warm_up.name = format!("{name}, warm-up");
        warm_up.kind = PhaseKind::Warmup;
        warm_up.duration_ns = Some(warm_up_ns);
        made.phases.push(warm_up);
        phase.start = PhaseStart::After(Some(0), 0);
    }
    if trial.kind == TrialKind::Maximum {
        // What the objectives promise is for the open load.
        made.slos.clear();
        phase = closed(&phase);
    } else if let Load::Open { stages, .. } = &mut phase.load
        && let Some(rate) = Rate::from_f64(trial.rate_per_sec)
    {
        *stages = vec![Stage { rate_from: rate, rate_to: rate, duration_ns: 0 }];
    }
    made.phases.push(phase);
    made
}

/// The phase with a closed load.
fn closed(phase: &Phase) -> Phase {
    let load = match phase.load {
        Load::Open { users_max, .. } => {
            Load::Closed { users: users_max.min(CLOSED_USERS), in_flight_max: None }
        }
        _ => phase.load.clone(),
    };
    Phase { load, ..phase.clone() }
}

/// Samples that a trial needs: for the objectives ten beyond the highest quantile among them, and always as many as tell whether work piles up.
pub fn samples_min(plan: &Plan) -> u64 {
    let quantiles = plan.slos.iter().filter_map(|slo| match slo.metric {
        plan::Metric::Quantile(_, quantile) if quantile < 1.0 => Some(quantile),
        _ => None,
    });
    quantiles
        .map(|q| (stats::SAMPLES_BEYOND_MIN as f64 / (1.0 - q)).ceil() as u64)
        .max()
        .unwrap_or(0)
        .max(GROWTH_SAMPLES)
}
