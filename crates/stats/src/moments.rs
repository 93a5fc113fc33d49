//! Moments of a distribution: count, mean, spread, skewness, kurtosis; merged exactly.
//!
//! Sources: P. Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments, Sandia
//! report SAND2008-6212 (2008); T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for computing the sample variance (1983).
//!
//! Runs keep histograms and no moments: recording stays as cheap as it is. A histogram merges without loss over workers and
//! intervals, and moments are taken from it once, at the end. Each value is then known to half a bucket, 0.05 %, which bounds the error: the
//! mean's (and that is exact where the exact sum was kept) and, for spreads that are no small share of the mean, the standard deviation's.

use crate::Histogram;

/// Moments about the mean: M2, M3 and M4 are sums of powers of differences from it. No values: all 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    count: u64,
    mean: f64,
    m2: f64,
    m3: f64,
    m4: f64,
    min: f64,
    max: f64,
}

impl Moments {
    /// Of all values of a histogram, ns. What two intervals have in moments is what their merged histograms have.
    pub fn of(histogram: &Histogram) -> Self {
        let mut moments = Self::default();
        for (value_ns, count) in histogram.values() {
            moments.add(value_ns as f64, count);
        }
        if let (Some(min_ns), Some(max_ns)) = (histogram.min_ns(), histogram.max_ns()) {
            (moments.min, moments.max) = (min_ns as f64, max_ns as f64);
        }
        moments
    }

    /// Adds a value so many times.
    pub fn add(&mut self, value: f64, count: u64) {
        self.merge(&Self { count, mean: value, min: value, max: value, ..Self::default() });
    }

    /// Adds all of another's values (Pébay 2008, equations 2.1 and 3.1 for two sets).
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        let (na, nb) = (self.count as f64, other.count as f64);
        let n = na + nb;
        let delta = other.mean - self.mean;
        let (d_n, d2) = (delta / n, delta * delta);
        let m4 = self.m4
            + other.m4
            + d2 * d2 * na * nb * (na * na - na * nb + nb * nb) / (n * n * n)
            + 6.0 * d_n * d_n * (na * na * other.m2 + nb * nb * self.m2)
            + 4.0 * d_n * (na * other.m3 - nb * self.m3);
        let m3 = self.m3
            + other.m3
            + delta * d2 * na * nb * (na - nb) / (n * n)
            + 3.0 * d_n * (na * other.m2 - nb * self.m2);
        let m2 = self.m2 + other.m2 + d2 * na * nb / n;
        *self = Self {
            count: self.count + other.count,
            mean: self.mean + d_n * nb,
            m2,
            m3,
            m4,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        };
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Arithmetic mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// Least value.
    pub fn min(&self) -> Option<f64> {
        (self.count > 0).then_some(self.min)
    }

    /// Greatest value.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Standard deviation of the sample, n − 1 in the denominator; `None` for fewer than two values.
    pub fn stdev(&self) -> Option<f64> {
        (self.count > 1).then(|| (self.m2 / (self.count - 1) as f64).sqrt())
    }

    /// √n M3 / M2^1.5: 0 for what is symmetric, positive for a tail to the right (Fisher and Pearson, of the population); `None`
    /// without spread.
    pub fn skewness(&self) -> Option<f64> {
        (self.m2 > 0.0).then(|| (self.count as f64).sqrt() * self.m3 / self.m2.powf(1.5))
    }

    /// n M4 / M2² − 3: 0 for a normal distribution, positive for heavier tails (excess, of the population); `None` without spread.
    pub fn kurtosis(&self) -> Option<f64> {
        (self.m2 > 0.0).then(|| self.count as f64 * self.m4 / (self.m2 * self.m2) - 3.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use units::Random;

    /// By the definitions, in two passes.
    fn defined(values: &[f64]) -> (f64, f64, f64, f64) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let power = |p: i32| values.iter().map(|value| (value - mean).powi(p)).sum::<f64>();
        (
            mean,
            (power(2) / (n - 1.0)).sqrt(),
            n.sqrt() * power(3) / power(2).powf(1.5),
            n * power(4) / power(2).powi(2) - 3.0,
        )
    }

    fn near(got: Option<f64>, want: f64, share: f64) {
        let got = got.unwrap();
        assert!((got - want).abs() <= share * (1.0 + want.abs()), "{got}, not {want}");
    }

    #[test]
    fn known_distributions_have_their_moments() {
        let mut random = Random::new(2);
        let (mut uniform, mut exponential) = (Moments::default(), Moments::default());
        for _ in 0..400_000 {
            uniform.add(random.unit(), 1);
            exponential.add(random.exponential(), 1);
        }
        near(uniform.skewness(), 0.0, 0.01);
        near(uniform.kurtosis(), -1.2, 0.01);
        near(exponential.stdev(), 1.0, 0.01);
        near(exponential.skewness(), 2.0, 0.03);
        near(exponential.kurtosis(), 6.0, 0.1);
    }

    #[test]
    fn of_a_histogram_they_are_known_to_its_buckets() {
        let mut random = Random::new(4);
        let values: Vec<f64> = (0..50_000).map(|_| (random.exponential() * 3e6).floor() + 1e5).collect();
        let mut histogram = Histogram::default();
        values.iter().for_each(|value| histogram.record(*value as u64));
        let (mean, stdev, skewness, kurtosis) = defined(&values);
        let moments = Moments::of(&histogram);
        near(moments.mean(), mean, 1e-4);
        near(moments.stdev(), stdev, 1e-3);
        near(moments.skewness(), skewness, 1e-3);
        near(moments.kurtosis(), kurtosis, 2e-3);
        assert_eq!(moments.max(), histogram.max_ns().map(|ns| ns as f64));
    }

    #[test]
    fn few_values_have_few_moments() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.stdev(), moments.skewness()), (None, None, None));
        moments.add(5.0, 1);
        assert_eq!((moments.mean(), moments.stdev(), moments.kurtosis()), (Some(5.0), None, None));
        moments.add(5.0, 9);
        assert_eq!((moments.count(), moments.stdev(), moments.skewness()), (10, Some(0.0), None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn merging_in_any_grouping_is_adding(values in prop::collection::vec(1f64..1e6, 4..60), cut in 0usize..60) {
            let of = |part: &[f64]| {
                let mut moments = Moments::default();
                part.iter().for_each(|value| moments.add(*value, 1));
                moments
            };
            let cut = cut.min(values.len());
            let (left, right) = (of(&values[..cut]), of(&values[cut..]));
            let (mean, stdev, skewness, kurtosis) = defined(&values);
            for (mut one, other) in [(left, right), (right, left)] {
                one.merge(&other);
                prop_assert_eq!(one.count(), values.len() as u64);
                near(one.mean(), mean, 1e-9);
                near(one.stdev(), stdev, 1e-6);
                near(one.skewness(), skewness, 1e-6);
                near(one.kurtosis(), kurtosis, 1e-6);
            }
        }
    }
}
