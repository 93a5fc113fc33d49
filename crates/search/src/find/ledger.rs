//! How many seconds went well and badly at each rate, and which rates are bounds: the classification of MLRsearch.
//!
//! Source: `draft-ietf-bmwg-mlrsearch-15`, section "Load Classification", and FD.io CSIT's `MLRsearch` library. Durations are ns.

use super::{Outcome, Trial};
use serde::{Deserialize, Serialize};

/// A rate that was tried and how the time there went. `short` are trials below the full length.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Load {
    /// Arrivals per second.
    pub rate_per_sec: f64,
    /// Trials.
    pub trial_count: u32,
    /// Full length, sustained.
    pub full_good_ns: u64,
    /// Full length, not sustained.
    pub full_bad_ns: u64,
    /// Short, sustained.
    pub short_good_ns: u64,
    /// Short, not sustained.
    pub short_bad_ns: u64,
    /// Of the bad ones: those in which the client was the limit.
    pub client_limited_ns: u64,
}

/// What a rate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Sustained, even if all that was not measured had gone badly.
    Lower,
    /// Not sustained, even if all that was not measured had gone well.
    Upper,
    /// More has to be measured.
    Undecided,
}

/// The relevant bounds: the smallest upper bound, and the highest lower bound below it. Where a lower rate is an upper bound and a higher one
/// a lower bound (an inversion), what is above the inversion does not count.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// Arrivals per second.
    pub lower_per_sec: Option<f64>,
    /// Arrivals per second.
    pub upper_per_sec: Option<f64>,
    /// The highest lower bound above the upper one, where there is such an inversion.
    pub inversion_per_sec: Option<f64>,
}

impl Load {
    /// Its class for a share `exceed_ratio` of bad seconds and a least time `duration_sum_ns` of measuring.
    ///
    /// Short good trials cancel short bad ones in the proportion x / (1 − x) and do nothing else: only full trials make a lower bound.
    pub fn bound(&self, exceed_ratio: f64, duration_sum_ns: u64) -> Bound {
        let [good, bad, short_good, short_bad] =
            [self.full_good_ns, self.full_bad_ns, self.short_good_ns, self.short_bad_ns].map(|ns| ns as f64);
        let x = exceed_ratio;
        let balancing = short_good * x / (1.0 - x);
        let bad = bad + (short_bad - balancing).max(0.0);
        let whole = (good + bad).max(duration_sum_ns as f64);
        let limit = x * whole;
        match (bad <= limit, whole - good <= limit) {
            (_, true) => Bound::Lower,
            (false, _) => Bound::Upper,
            _ => Bound::Undecided,
        }
    }
}

/// All rates tried, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    loads: Vec<Load>,
}

/// Rates nearer than this are the same: they differ by rounding alone.
const SAME_RATIO: f64 = 1e-6;

impl Ledger {
    /// Books a trial; it is short if shorter than `full_ns`.
    pub fn add(&mut self, trial: &Trial, outcome: Outcome, full_ns: u64) {
        let rate = trial.rate_per_sec;
        let at = self.loads.partition_point(|load| load.rate_per_sec < rate * (1.0 - SAME_RATIO));
        let is_there = self.loads.get(at).is_some_and(|load| load.rate_per_sec <= rate * (1.0 + SAME_RATIO));
        if !is_there {
            self.loads.insert(at, Load { rate_per_sec: rate, ..Load::default() });
        }
        let Some(load) = self.loads.get_mut(at) else { return };
        load.trial_count += 1;
        let is_good = outcome == Outcome::Sustained;
        let place = match (trial.duration_ns >= full_ns, is_good) {
            (true, true) => &mut load.full_good_ns,
            (true, false) => &mut load.full_bad_ns,
            (false, true) => &mut load.short_good_ns,
            (false, false) => &mut load.short_bad_ns,
        };
        *place = place.saturating_add(trial.duration_ns);
        if outcome == Outcome::ClientLimited {
            load.client_limited_ns = load.client_limited_ns.saturating_add(trial.duration_ns);
        }
    }

    /// The rates tried, ascending.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// The relevant bounds for a share of bad seconds and a least time of measuring.
    pub fn bounds(&self, exceed_ratio: f64, duration_sum_ns: u64) -> Bounds {
        let class = |load: &&Load| load.bound(exceed_ratio, duration_sum_ns);
        let upper = self.loads.iter().find(|load| class(load) == Bound::Upper);
        let upper_per_sec = upper.map(|load| load.rate_per_sec);
        let is_below = |load: &&Load| upper_per_sec.is_none_or(|upper| load.rate_per_sec < upper);
        let lower = self.loads.iter().rev().filter(is_below).find(|load| class(load) == Bound::Lower);
        let highest = self.loads.iter().rev().find(|load| class(load) == Bound::Lower);
        Bounds {
            lower_per_sec: lower.map(|load| load.rate_per_sec),
            upper_per_sec,
            inversion_per_sec: highest
                .map(|load| load.rate_per_sec)
                .filter(|rate| upper_per_sec.is_some_and(|upper| *rate > upper)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::TrialKind;

    const SEC: u64 = units::NS_PER_SEC;

    fn load(full_good: u64, full_bad: u64, short_good: u64, short_bad: u64) -> Load {
        Load {
            full_good_ns: full_good * SEC,
            full_bad_ns: full_bad * SEC,
            short_good_ns: short_good * SEC,
            short_bad_ns: short_bad * SEC,
            ..Load::default()
        }
    }

    #[test]
    fn rates_are_classified_as_the_draft_says() {
        use Bound::{Lower, Undecided, Upper};
        let check = |load: Load, exceed: f64, sum: u64, want: Bound| {
            assert_eq!(load.bound(exceed, sum * SEC), want, "{load:?} exceed {exceed} sum {sum}");
        };
        // RFC 2544: one minute without loss.
        check(load(60, 0, 0, 0), 0.0, 60, Lower);
        check(load(0, 60, 0, 0), 0.0, 60, Upper);
        check(load(59, 0, 0, 0), 0.0, 60, Undecided);
        check(load(59, 1, 0, 0), 0.0, 60, Upper);
        // ETSI TST 009, max(r) = 2: two minutes, half of which may go badly.
        check(load(60, 0, 0, 0), 0.5, 120, Lower);
        check(load(60, 60, 0, 0), 0.5, 120, Lower);
        check(load(0, 60, 0, 0), 0.5, 120, Undecided);
        check(load(0, 61, 0, 0), 0.5, 120, Upper);
        // Beyond the sum all that was measured counts.
        check(load(120, 121, 0, 0), 0.5, 120, Upper);
        // Short trials never make a lower bound, but they make an upper one, unless good ones cancel them.
        check(load(0, 0, 999, 0), 0.5, 20, Undecided);
        check(load(0, 0, 0, 11), 0.5, 20, Upper);
        check(load(0, 0, 5, 11), 0.5, 20, Undecided);
        check(load(0, 0, 9, 11), 0.0, 20, Upper);
        check(load(0, 0, 0, 0), 0.5, 20, Undecided);
    }

    #[test]
    fn above_an_inversion_nothing_counts() {
        let mut ledger = Ledger::default();
        let mut add = |rate: f64, outcome| {
            let trial =
                Trial { kind: TrialKind::Measure, rate_per_sec: rate, duration_ns: 10 * SEC, settle_ns: 0 };
            ledger.add(&trial, outcome, 10 * SEC);
            ledger.bounds(0.5, 10 * SEC)
        };
        assert_eq!(add(100.0, Outcome::Sustained).lower_per_sec, Some(100.0));
        let bounds = add(200.0, Outcome::NotSustained);
        assert_eq!((bounds.lower_per_sec, bounds.upper_per_sec), (Some(100.0), Some(200.0)));
        let bounds = add(300.0, Outcome::Sustained);
        assert_eq!((bounds.lower_per_sec, bounds.inversion_per_sec), (Some(100.0), Some(300.0)));
        // The lower rate is tried again, twice, and sustained: its bad seconds are now below half.
        add(200.0, Outcome::Sustained);
        let bounds = add(200.0, Outcome::Sustained);
        assert_eq!((bounds.lower_per_sec, bounds.upper_per_sec), (Some(300.0), None));
        assert_eq!(bounds.inversion_per_sec, None);
        assert_eq!(ledger.loads().len(), 3);
    }
}
