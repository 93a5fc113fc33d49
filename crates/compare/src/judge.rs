//! From estimates to verdicts: all rows of a comparison at once, so that looking at many of them costs what it must.

use crate::{Direction, Interval, Metric, Settings, Verdict};
use stats::inference::{Claim, Gates, Spread, discoveries, level_per_row};

/// A row's estimate on the scale on which it is judged: logarithms, or errors per action.
#[derive(Debug, Clone)]
pub(crate) struct Estimate {
    pub(crate) metric: Metric,
    pub(crate) difference: f64,
    pub(crate) spread: Spread,
    /// Whether the baseline's, the candidate's value is only a lower bound.
    pub(crate) bounded: (bool, bool),
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    pub(crate) interval: Option<Interval>,
    /// A true change of this size would be found four times in five.
    pub(crate) found_from: Option<f64>,
}

/// z of 80 %: how far the truth must lie beyond what is found half of the time.
const POWER_Z: f64 = 0.841_621;

/// Judges the rows together, at `alpha` for all of them.
///
/// Claims of a difference and claims of sameness are two families, each with its own price: many rows that are surely the same must not make it cheap to
/// call another one different.
pub(crate) fn judge(estimates: &[Option<Estimate>], settings: &Settings, alpha: f64) -> Vec<Option<Judged>> {
    let gates: Vec<Option<Gates>> = estimates
        .iter()
        .map(|estimate| estimate.as_ref().map(|estimate| gates_of(estimate, settings)))
        .collect();
    let present = || gates.iter().flatten();
    let count = present().count();
    let beyond: Vec<f64> = present().map(Gates::p_beyond_margin).collect();
    let within: Vec<f64> = present().map(Gates::p_within_margin).collect();
    let beyond_alpha = level_per_row(discoveries(&beyond, alpha), count, alpha);
    let within_alpha = level_per_row(discoveries(&within, alpha), count, alpha);
    let judged = |(estimate, gates): (&Option<Estimate>, &Option<Gates>)| {
        let (estimate, gates) = (estimate.as_ref()?, gates.as_ref()?);
        let own_alpha = if gates.suggested() == Claim::Within { within_alpha } else { beyond_alpha };
        let claim = gates.claim(own_alpha).filter(|claim| is_allowed(*claim, estimate.bounded));
        // What is undecided is shown at the stricter level, at which it would have had to be clear.
        let shown_alpha = if claim.is_some() { own_alpha } else { beyond_alpha.min(within_alpha) };
        Some(Judged {
            verdict: claim.map_or(Verdict::Undecided, |claim| verdict_of(claim, estimate.metric)),
            interval: interval_of(estimate, shown_alpha),
            found_from: found_from(estimate, gates.margin, beyond_alpha),
        })
    };
    estimates.iter().zip(&gates).map(judged).collect()
}

fn gates_of(estimate: &Estimate, settings: &Settings) -> Gates {
    Gates {
        difference: estimate.difference,
        spread: estimate.spread.clone(),
        margin: settings.margin(estimate.metric),
    }
}

/// A value that is a lower bound may be called greater than another, but neither less nor equal.
fn is_allowed(claim: Claim, (baseline, candidate): (bool, bool)) -> bool {
    match claim {
        Claim::Above => !baseline,
        Claim::Below => !candidate,
        Claim::Within => !baseline && !candidate,
    }
}

fn verdict_of(claim: Claim, metric: Metric) -> Verdict {
    match (claim, metric.direction()) {
        (Claim::Within, _) => Verdict::Same,
        (Claim::Above, Direction::Up) | (Claim::Below, Direction::Down) => Verdict::Faster,
        (Claim::Above, Direction::Down) | (Claim::Below, Direction::Up) => Verdict::Slower,
    }
}

/// From the scale of judging to the share of the baseline.
pub(crate) fn change_of(metric: Metric, difference: f64) -> f64 {
    if metric.is_relative() { difference.exp_m1() } else { difference }
}

/// The interval of the change; `None` where the values don't carry a finite one.
pub(crate) fn interval_of(estimate: &Estimate, alpha: f64) -> Option<Interval> {
    let half = estimate.spread.half_width(alpha);
    let ends = [estimate.difference - half, estimate.difference + half];
    let [low, high] = ends.map(|end| change_of(estimate.metric, end));
    (low.is_finite() && high.is_finite()).then_some(Interval { low, high, confidence: 1.0 - alpha })
}

fn found_from(estimate: &Estimate, margin: f64, alpha: f64) -> Option<f64> {
    let needed = margin + estimate.spread.half_width(alpha) + POWER_Z * estimate.spread.se();
    let change = change_of(estimate.metric, needed);
    change.is_finite().then_some(change)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LatencyKind;

    fn estimate(metric: Metric, difference: f64, se: f64) -> Estimate {
        Estimate { metric, difference, spread: Spread::Normal { se }, bounded: (false, false) }
    }

    #[test]
    fn up_and_down_are_better_or_worse() {
        let settings = Settings::of_runs();
        let mean = Metric::Mean(LatencyKind::Response);
        let check = |metric, difference, expected| {
            let judged = judge(&[Some(estimate(metric, difference, 0.001))], &settings, 0.05);
            assert_eq!(judged[0].unwrap().verdict, expected, "{metric:?} {difference}");
        };
        check(Metric::Rate, 0.1, Verdict::Faster);
        check(Metric::Rate, -0.1, Verdict::Slower);
        check(mean, 0.1, Verdict::Slower);
        check(mean, -0.1, Verdict::Faster);
        check(mean, 0.01, Verdict::Same);
        check(mean, 0.02, Verdict::Undecided);
        check(Metric::Errors, 0.01, Verdict::Slower);
    }

    #[test]
    fn what_is_shown_agrees_with_what_is_said() {
        let settings = Settings::of_runs();
        let mean = Metric::Mean(LatencyKind::Response);
        let margin = settings.margin(mean);
        let mut random = units::Random::new(3);
        for _ in 0..300 {
            let rows: Vec<Option<Estimate>> = (0..12)
                .map(|_| Some(estimate(mean, 0.12 * (random.unit() - 0.5), 0.03 * random.unit() + 1e-4)))
                .collect();
            for judged in judge(&rows, &settings, 0.05).into_iter().flatten() {
                let interval = judged.interval.unwrap();
                let (low, high) = (interval.low.ln_1p(), interval.high.ln_1p());
                let slack = 1e-9;
                match judged.verdict {
                    Verdict::Slower => assert!(low >= margin - slack),
                    Verdict::Faster => assert!(high <= -margin + slack),
                    Verdict::Same => assert!(low >= -margin - slack && high <= margin + slack),
                    Verdict::Undecided => {
                        assert!(low < margin && high > -margin && (low < -margin || high > margin));
                    }
                }
            }
        }
    }

    #[test]
    fn a_lower_bound_is_never_less_or_the_same() {
        let settings = Settings::of_runs();
        let mean = Metric::Mean(LatencyKind::Response);
        let check = |difference, bounded, expected| {
            let row = Estimate { bounded, ..estimate(mean, difference, 0.001) };
            assert_eq!(judge(&[Some(row)], &settings, 0.05)[0].unwrap().verdict, expected);
        };
        check(0.5, (false, true), Verdict::Slower);
        check(-0.5, (false, true), Verdict::Undecided);
        check(-0.5, (true, false), Verdict::Faster);
        check(0.5, (true, false), Verdict::Undecided);
        check(0.0, (true, false), Verdict::Undecided);
    }
}
