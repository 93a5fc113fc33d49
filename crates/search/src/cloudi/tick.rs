//! A tick as a plan: a phase for each sender, side by side, each with the requests of one tick.

use super::{Group, Settings};
use plan::{Load, PhaseKind, PhaseStart, Plan, Stage};
use units::Rate;

/// How long a burst's requests take to be due: all at once, as far as a schedule can say it.
const BURST_NS: u64 = units::NS_PER_MS;

/// The plan of the next tick: evenly paced, or all requests at its beginning. A tick's end is its requests' end: what has no answer by then is
/// no success, as in CloudI.
pub fn tick_plan(plan: &Plan, phase_index: usize, group: &Group, settings: Settings, is_burst: bool) -> Plan {
    let mut made = plan.clone();
    made.slos.clear();
    made.phases.clear();
    let Some(phase) = plan.phases.get(phase_index) else { return made };
    let tick_ns = settings.tick_length_ms.saturating_mul(units::NS_PER_MS);
    for target in &mut made.targets {
        target.request_timeout_ns = tick_ns;
    }
    for (index, sender) in group.senders().iter().enumerate() {
        let count = sender.request_count();
        let mut phase = phase.clone();
        phase.name = format!("sender {}", index + 1);
        phase.kind = PhaseKind::Measure;
        phase.duration_ns = Some(tick_ns);
        phase.action_count_max = None;
        phase.repeat_count = 1;
        phase.drain_limit_ns = 0;
        phase.start = if index == 0 { PhaseStart::After(None, 0) } else { PhaseStart::With(0, 0) };
        if let Load::Open { stages, .. } = &mut phase.load {
            let stage = |count: u64, duration_ns: u64| {
                let rate = Rate::new(count, duration_ns).or(Rate::per_sec(1))?;
                Some(Stage { rate_from: rate, rate_to: rate, duration_ns })
            };
            *stages = match is_burst {
                true => {
                    [stage(count, BURST_NS.max(count)), stage(0, tick_ns)].into_iter().flatten().collect()
                }
                false => stage(count, tick_ns).into_iter().collect(),
            };
        }
        made.phases.push(phase);
    }
    made
}
