//! Looking more than once at data that grow, without being fooled more often.
//!
//! A test at 5 % that is repeated after each pair until it says yes says yes far too often (P. Armitage et al., J. R. Stat. Soc. A 132, 1969). Here the looks are planned:
//! at fixed numbers of units, the whole error spent over them by the function of K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983), of Pocock's
//! kind: α(t) = α·ln(1 + (e − 1)·t), t being the share of the greatest number. Each look may use what is newly spent. By Bonferroni's inequality the sum bounds the
//! error over all looks, however the looks depend on each other and whatever the test is.

/// The error that may have been spent when the share `t` (0..=1) of the data is there.
pub fn spent(t: f64, alpha: f64) -> f64 {
    alpha * (1.0 + (std::f64::consts::E - 1.0) * t.clamp(0.0, 1.0)).ln()
}

/// Planned looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Looks {
    /// The numbers of units at which is looked, ascending; the last is the greatest number.
    units: Vec<u64>,
    alpha: f64,
}

impl Looks {
    /// One look, at the end: nothing is paid for others.
    pub fn once(units: u64, alpha: f64) -> Self {
        Self { units: vec![units.max(1)], alpha }
    }

    /// At most `count` looks from `first` to `last` units, in a geometric row: a difference twice as large needs a quarter of the units.
    pub fn spread(first: u64, last: u64, count: u32, alpha: f64) -> Self {
        let (first, last) = (first.clamp(1, last.max(1)), last.max(1));
        let step = (last as f64 / first as f64).powf(1.0 / f64::from(count.max(2) - 1));
        let mut units: Vec<u64> =
            (0..count.max(2)).map(|look| (first as f64 * step.powi(look as i32)).round() as u64).collect();
        units.dedup();
        units.retain(|at| *at < last);
        units.push(last);
        Self { units, alpha }
    }

    /// The error that the look at so many units may use; `None` where no look is planned.
    pub fn alpha_at(&self, units: u64) -> Option<f64> {
        let index = self.units.binary_search(&units).ok()?;
        let last = *self.units.last()? as f64;
        let share = |at: Option<&u64>| at.map_or(0.0, |at| *at as f64 / last);
        let before = index.checked_sub(1).and_then(|before| self.units.get(before));
        Some(spent(share(self.units.get(index)), self.alpha) - spent(share(before), self.alpha))
    }

    /// The error that a look at so many units may use when it replaces all that are planned from there on: what the planned ones before have left.
    pub fn alpha_since(&self, units: u64) -> f64 {
        let last = self.units.last().copied().unwrap_or(1) as f64;
        let before = self.units.iter().copied().take_while(|at| *at < units).last().unwrap_or(0);
        spent(units as f64 / last, self.alpha) - spent(before as f64 / last, self.alpha)
    }

    /// The next planned look at or after so many units.
    pub fn next_at(&self, units: u64) -> Option<u64> {
        self.units.iter().copied().find(|at| *at >= units)
    }

    /// The numbers of units at which is looked.
    pub fn units(&self) -> &[u64] {
        &self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::{Spread, paired};
    use units::Random;

    #[test]
    fn all_looks_together_spend_the_whole_error_and_no_more() {
        for (first, last, count) in [(4, 30, 8), (1, 1, 5), (10, 12, 8), (3, 1000, 20)] {
            let looks = Looks::spread(first, last, count, 0.05);
            let sum: f64 = looks.units().iter().map(|at| looks.alpha_at(*at).unwrap()).sum();
            assert!((sum - 0.05).abs() < 1e-12, "{looks:?}");
            assert!(looks.units().is_sorted() && looks.units().last() == Some(&last), "{looks:?}");
        }
        assert_eq!(Looks::once(10, 0.05).alpha_at(10), Some(0.05));
        assert_eq!(Looks::once(10, 0.05).alpha_at(9), None);
        let looks = Looks::spread(4, 30, 8, 0.05);
        assert_eq!(looks.alpha_since(30), looks.alpha_at(30).unwrap());
        assert!(looks.alpha_since(29) < looks.alpha_since(30));
        assert!((looks.alpha_since(4) + looks.alpha_since(5) - spent(5.0 / 30.0, 0.05)).abs() < 1e-12);
        assert_eq!(Looks::spread(4, 30, 8, 0.05).next_at(5), Some(5));
        assert_eq!(Looks::spread(4, 30, 8, 0.05).next_at(31), None);
    }

    #[test]
    fn half_the_data_have_spent_three_fifths() {
        // ln(1 + (e − 1)/2) = ln(1.859141) = 0.620115.
        assert!((spent(0.5, 1.0) - 0.620_114_507).abs() < 1e-9);
        assert_eq!((spent(0.0, 0.05), spent(2.0, 0.05)), (0.0, 0.05));
    }

    #[test]
    fn planned_looks_keep_the_error_and_unplanned_ones_do_not() {
        let looks = Looks::spread(4, 40, 8, 0.05);
        let trials = 2_000;
        let (mut planned, mut unplanned) = (0, 0);
        for trial in 0..trials {
            let mut random = Random::stream(17, trial);
            let values: Vec<f64> =
                (0..40).map(|_| (0..12).map(|_| random.unit()).sum::<f64>() - 6.0).collect();
            let p_of = |count: usize| {
                let (difference, spread): (f64, Spread) = paired(&values[..count]).unwrap();
                spread.p_beyond(difference.abs())
            };
            let found = |count: u64| looks.alpha_at(count).is_some_and(|alpha| p_of(count as usize) <= alpha);
            planned += u32::from(looks.units().iter().any(|count| found(*count)));
            unplanned += u32::from((4..=40).any(|count| p_of(count) <= 0.05));
        }
        let share = |count: u32| f64::from(count) / trials as f64;
        assert!(share(planned) <= 0.05, "{}", share(planned));
        assert!(share(unplanned) > 0.15, "{}", share(unplanned));
    }
}
