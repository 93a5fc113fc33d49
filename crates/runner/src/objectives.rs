//! Whether an objective that ends the run is already lost.

use plan::{Metric, Slo};
use record::PhaseRecord;

/// Objectives that can still recover are held against a run only after so many intervals.
const INTERVALS_MIN: usize = 5;

/// The first objective with `abort` that this phase, of which so many intervals are known, can no longer keep, in words.
pub(crate) fn lost(slos: &[Slo], phase: &PhaseRecord, interval_count: usize) -> Option<String> {
    let concerned =
        slos.iter().filter(|slo| slo.abort && slo.phase.as_ref().is_none_or(|name| *name == phase.name));
    for slo in concerned {
        // Counts and maxima only grow; all else may still get better and is given some time.
        let only_grows = matches!(slo.metric, Metric::Max(_) | Metric::ErrorCount | Metric::DroppedCount);
        if !only_grows && interval_count < INTERVALS_MIN {
            continue;
        }
        if let Ok(value) = record::observed(slo, phase)
            && !slo.comparison.holds(value, slo.bound.value())
        {
            return Some(format!("the objective `{slo}` can't be kept any more in phase {}", phase.name));
        }
    }
    None
}
