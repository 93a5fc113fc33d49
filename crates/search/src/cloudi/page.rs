//! The page of latency statistics in CloudI's form, and beside it what a person should conclude.

use super::distribution::{Distribution, Kurtosis, Skewness, distribution};
use record::{PhaseKind, RunRecord};
use stats::{Histogram, Moments};
use std::fmt::Write as _;

/// CloudI's percentiles.
pub const PERCENTILES: [f64; 13] =
    [10.0, 20.0, 30.0, 40.0, 50.0, 75.0, 80.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999];

/// The percentile p (in 0..1) by R. J. Hyndman and Y. Fan's type 8 (Sample quantiles in statistical packages, 1996): between the j-th and the
/// next value, h = p (n + 1/3) + 1/3, j = ⌊h⌋. Values are known to half a bucket, 0.05 %. `None` without values.
pub fn percentile_ns(histogram: &Histogram, p: f64) -> Option<f64> {
    if histogram.is_empty() {
        return None;
    }
    let n = histogram.count() as f64;
    let value = |rank: f64| {
        // Half a rank below, so that rounding does not lead to the next one.
        histogram.quantile_ns(((rank.clamp(1.0, n) - 0.5) / n).clamp(0.0, 1.0)).map(|ns| ns as f64)
    };
    let h = p * (n + 1.0 / 3.0) + 1.0 / 3.0;
    let (j, g) = (h.floor(), h - h.floor());
    Some((1.0 - g) * value(j)? + g * value(j + 1.0)?)
}

/// CloudI's block below its first line: moments with their words, the distribution, the percentiles; µs. Empty without values.
pub fn statistics(histogram: &Histogram) -> String {
    let moments = Moments::of(histogram);
    let (Some(mean), Some(min), Some(max)) = (histogram.mean_ns(), histogram.min_ns(), histogram.max_ns())
    else {
        return String::new();
    };
    let shape = moments.skewness().zip(moments.kurtosis());
    let found =
        shape.map_or(Distribution::Undefined, |(skewness, kurtosis)| distribution(skewness, kurtosis));
    let mut text = format!("  request latency (distribution {found}):\n");
    let micros = |ns: f64| format!("{:>9.0} us", (ns / 1e3).round());
    let _ = writeln!(text, "    {:<19}{}", "mean", micros(mean));
    let number = |value: Option<f64>| value.map_or("undefined".to_owned(), |value| format!("{value:.2}"));
    let _ = writeln!(text, "    {:<19}{:>12}", "stddev", number(moments.stdev().map(|ns| ns / 1e3)));
    let words = [
        ("skewness", moments.skewness(), moments.skewness().map(|s| Skewness::of(s).to_string())),
        ("kurtosis", moments.kurtosis(), moments.kurtosis().map(|k| Kurtosis::of(k).to_string())),
    ];
    for (label, value, word) in words {
        let word = word.map_or(String::new(), |word| format!(" ({word})"));
        let _ = writeln!(text, "    {label:<19}{:>12}{word}", number(value));
    }
    let _ = writeln!(text, "\n    {:<19}{}", "  0% (minimum)", micros(min as f64));
    for percent in PERCENTILES {
        let value = percentile_ns(histogram, percent / 100.0).unwrap_or_default();
        // Numbers are right-aligned at their whole part.
        let label = format!("{:>3}{}%", percent.trunc(), fraction(percent));
        let _ = writeln!(text, "    {label:<19}{}", micros(value));
    }
    let _ = writeln!(text, "    {:<19}{}", "100% (maximum)", micros(max as f64));
    text
}

/// The statistics page of a run: for each measured phase CloudI's block over all its response times, and what to conclude of them. Moments and
/// percentiles are taken from the phase's histogram, into which those of all workers and intervals were merged without loss: each
/// value is known to 0.05 %.
pub fn moments_page(record: &RunRecord) -> String {
    let mut text = String::new();
    for phase in record.phases.iter().filter(|phase| phase.kind == PhaseKind::Measure) {
        let histogram = match phase.response_ns.to_histogram() {
            Ok(histogram) if !histogram.is_empty() => histogram,
            Ok(_) => {
                let _ = writeln!(text, "{}: nothing was measured\n", phase.name);
                continue;
            }
            Err(error) => {
                let _ = writeln!(text, "{}: {error}\n", phase.name);
                continue;
            }
        };
        let _ = writeln!(
            text,
            "{}: {:.1} requests/second, {} response times",
            phase.name,
            phase.achieved_per_sec,
            units::count(histogram.count())
        );
        text.push_str(&statistics(&histogram));
        text.push('\n');
        for conclusion in conclusions(&histogram) {
            let _ = writeln!(text, "  → {conclusion}");
        }
        if phase.counts.censored > 0 {
            let _ = writeln!(
                text,
                "  → {} of the times are lower bounds, since no answer came: the true ones are longer",
                units::count(phase.counts.censored)
            );
        }
        text.push('\n');
    }
    if text.is_empty() {
        text.push_str("the run has no measured phase\n");
    }
    text
}

/// `.99` of 99.99, nothing of 99.
fn fraction(percent: f64) -> String {
    percent.to_string().split_once('.').map_or(String::new(), |(_, digits)| format!(".{digits}"))
}

/// What a person should conclude, which two moments can't tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Conclusion {
    /// Several humps: their places, ns. Mean and percentiles between them describe no request.
    Multimodal(Vec<u64>),
    /// Times spread evenly from nearly nothing to the maximum: a queue that filled at once and drained at a constant rate.
    BatchDrain,
    /// The slowest in ten thousand took so many times as long as the slowest in a hundred.
    HeavyTail {
        /// p99.99 (or the maximum, where fewer samples carry less) to p99, or p99.9 to p90.
        ratio: f64,
    },
    /// One hump, no heavy tail.
    OneHump,
    /// Too few values for their shape.
    TooFew,
}

impl std::fmt::Display for Conclusion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Multimodal(at) => {
                let at: Vec<String> = at.iter().map(|ns| units::duration(*ns)).collect();
                write!(
                    f,
                    "several kinds of requests: humps at {}; mean and standard deviation describe none of them",
                    at.join(", ")
                )
            }
            Self::BatchDrain => f.write_str(
                "batch drain suspected: times are spread evenly up to the maximum, as when many requests come at once and are worked off; they show how long the queue was, not what a request takes",
            ),
            Self::HeavyTail { ratio } => write!(
                f,
                "heavy tail: the slowest took {ratio:.0} times as long as the slow; look at the high percentiles and not at the mean"
            ),
            Self::OneHump => f.write_str("one kind of requests, no heavy tail"),
            Self::TooFew => f.write_str("too few requests to speak of a shape"),
        }
    }
}

/// Fewer values have no shape.
const SHAPE_COUNT_MIN: u64 = 200;
/// Mean to maximum of what drains evenly is 0.5; all that CloudI published as uniform has 0.50 to 0.56.
const DRAIN_MEAN: (f64, f64) = (0.42, 0.6);
/// A tail this many times as long as what comes before it.
const TAIL_RATIO: f64 = 5.0;
/// Bins over the logarithm of the times.
const BINS: usize = 40;
/// A hump has at least this share of the values.
const HUMP_SHARE: f64 = 0.05;
/// Between humps there is a valley at most this high to the lower of them.
const VALLEY: f64 = 0.5;

/// What a person should conclude of a distribution.
pub fn conclusions(histogram: &Histogram) -> Vec<Conclusion> {
    if histogram.count() < SHAPE_COUNT_MIN {
        return vec![Conclusion::TooFew];
    }
    let mut found = Vec::new();
    let humps = humps(histogram);
    let drains = drains(histogram);
    if drains {
        found.push(Conclusion::BatchDrain);
    } else if humps.len() > 1 {
        found.push(Conclusion::Multimodal(humps));
    }
    let quantile = |q: f64| histogram.carried_quantile_ns(q).map(|ns| ns as f64);
    let pairs = [(0.9999, 0.99), (0.999, 0.9), (0.99, 0.5)];
    let carried = pairs.into_iter().find_map(|(high, low)| Some(quantile(high)? / quantile(low)?.max(1.0)));
    if let Some(ratio) = carried.filter(|ratio| *ratio >= TAIL_RATIO) {
        found.push(Conclusion::HeavyTail { ratio });
    }
    if found.is_empty() {
        found.push(Conclusion::OneHump);
    }
    found
}

/// Whether times are spread evenly from a small one to the maximum.
fn drains(histogram: &Histogram) -> bool {
    let (Some(mean), Some(max_ns)) = (histogram.mean_ns(), histogram.max_ns()) else { return false };
    let share = mean / max_ns as f64;
    let moments = Moments::of(histogram);
    let is_flat = moments.kurtosis().is_some_and(|kurtosis| (-1.35..-1.0).contains(&kurtosis));
    let is_even = moments.skewness().is_some_and(|skewness| skewness.abs() < 0.25);
    let is_wide = histogram.quantile_ns(0.05).is_some_and(|ns| (ns as f64) < 0.35 * max_ns as f64);
    (DRAIN_MEAN.0..DRAIN_MEAN.1).contains(&share) && is_flat && is_even && is_wide
}

/// The tops of the humps over the logarithm of time, ns, ascending.
fn humps(histogram: &Histogram) -> Vec<u64> {
    let (Some(low), Some(high)) = (histogram.quantile_ns(0.001), histogram.quantile_ns(0.999)) else {
        return Vec::new();
    };
    let (low, high) = ((low.max(1) as f64).ln(), (high.max(2) as f64).ln());
    // Within a third of each other all is one hump.
    let width = (high - low) / BINS as f64;
    if width * (BINS as f64) < 0.3 {
        return vec![low.exp() as u64];
    }
    let mut bins = vec![0.0; BINS];
    for (value_ns, count) in histogram.values() {
        let at = (((value_ns.max(1) as f64).ln() - low) / width).floor();
        if let Some(bin) = bins.get_mut(at.clamp(0.0, BINS as f64 - 1.0) as usize) {
            *bin += count as f64;
        }
    }
    let smooth: Vec<f64> = (0..BINS)
        .map(|at| {
            let near = at.saturating_sub(1)..(at + 2).min(BINS);
            let part = bins.get(near).unwrap_or_default();
            part.iter().sum::<f64>() / part.len().max(1) as f64
        })
        .collect();
    tops(&smooth, histogram.count() as f64)
        .into_iter()
        .map(|at| (low + (at as f64 + 0.5) * width).exp() as u64)
        .collect()
}

/// Indices of tops that have a valley between them and enough around them.
fn tops(bins: &[f64], total: f64) -> Vec<usize> {
    let mut tops: Vec<usize> = Vec::new();
    let mut valley = f64::INFINITY;
    let mut mass = 0.0;
    let mut masses: Vec<f64> = Vec::new();
    for (at, height) in bins.iter().enumerate() {
        valley = valley.min(*height);
        let Some(top) = tops.last_mut() else {
            (tops, masses, valley, mass) = (vec![at], Vec::new(), *height, *height);
            continue;
        };
        let top_height = bins.get(*top).copied().unwrap_or_default();
        if valley < VALLEY * top_height.min(*height) && *height > 0.0 {
            masses.push(mass);
            tops.push(at);
            (valley, mass) = (*height, 0.0);
        } else if *height > top_height {
            *top = at;
            valley = *height;
        }
        mass += height;
    }
    masses.push(mass);
    let enough = tops.iter().zip(&masses).filter(|(_, mass)| **mass >= HUMP_SHARE * total);
    enough.map(|(top, _)| *top).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    fn histogram(count: u64, mut value_ns: impl FnMut(u64) -> f64) -> Histogram {
        let mut histogram = Histogram::default();
        (0..count).for_each(|index| histogram.record(value_ns(index) as u64));
        histogram
    }

    #[test]
    fn percentiles_are_of_type_8() {
        // The twelve values of the NIST handbook's example (section prc262): its p90 by type 8 is 95.19724.
        let values = [
            95.1772, 95.1567, 95.1937, 95.1959, 95.1442, 95.0610, 95.1591, 95.1195, 95.1065, 95.0925,
            95.1990, 95.1682,
        ];
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        // In units that fill the buckets, so that each value has one of its own: 0.1 % of the range and not of the value.
        let mut histogram = Histogram::default();
        let scaled = |value: f64| ((value - 95.0) * 1e6) as u64;
        values.iter().for_each(|value| histogram.record(scaled(*value)));
        for p in [0.1, 0.5, 0.9] {
            let h: f64 = p * (12.0 + 1.0 / 3.0) + 1.0 / 3.0;
            let (j, g) = (h.floor(), h - h.floor());
            let exact = (1.0 - g) * (sorted[j as usize - 1] - 95.0) + g * (sorted[j as usize] - 95.0);
            let got = percentile_ns(&histogram, p).unwrap() / 1e6;
            assert!((got / exact - 1.0).abs() < 1e-3, "p {p}: {got}, not {exact}");
        }
        let p90 = percentile_ns(&histogram, 0.9).unwrap() / 1e6 + 95.0;
        assert!((p90 - 95.197_24).abs() < 2e-4, "{p90}");
        assert_eq!(percentile_ns(&Histogram::default(), 0.5), None);
    }

    #[test]
    fn the_page_has_cloudis_form() {
        let text = statistics(&histogram(10_000, |index| 1e6 + index as f64 * 1e4));
        let expected = "  request latency (distribution uniform):
    mean                   50995 us
    stddev                 28868.96
    skewness                   0.00 (approximately_symmetric)
    kurtosis                  -1.20 (platykurtic)

      0% (minimum)          1000 us
";
        // As in CloudI, what is not quite 0 keeps its sign.
        let rounded = text.replace("-0.00", " 0.00");
        let (got, want): (Vec<&str>, Vec<&str>) = (rounded.lines().collect(), expected.lines().collect());
        for (index, line) in want.iter().enumerate() {
            // The standard deviation is known to the buckets' 0.1 %.
            if index != 2 {
                assert_eq!(got[index], *line, "{text}");
            }
        }
        for line in text.lines().filter(|line| line.ends_with(" us")) {
            assert_eq!(line.len(), 35, "{line}");
        }
        assert!(text.contains("\n     99.999%  "), "{text}");
        assert!(text.contains("\n    100% (maximum)        100990 us\n"), "{text}");
        assert_eq!(statistics(&Histogram::default()), "");
    }

    #[test]
    fn shapes_are_told_apart() {
        let mut random = Random::new(9);
        let one = conclusions(&histogram(5_000, |_| 1e6 * (0.9 + 0.2 * random.unit())));
        assert_eq!(one, [Conclusion::OneHump]);
        let mut random = Random::new(9);
        let exponential = conclusions(&histogram(5_000, |_| 1e6 + 1e6 * random.exponential()));
        assert_eq!(exponential, [Conclusion::OneHump], "a usual queue has one hump");
        let mut random = Random::new(9);
        let two = conclusions(&histogram(5_000, |index| {
            let at = if index % 5 == 0 { 2e7 } else { 1e6 };
            at * (0.9 + 0.2 * random.unit())
        }));
        let Conclusion::Multimodal(at) = &two[0] else { panic!("{two:?}") };
        assert_eq!(at.len(), 2, "{two:?}");
        assert!((at[0] as f64 / 1e6 - 1.0).abs() < 0.15 && (at[1] as f64 / 2e7 - 1.0).abs() < 0.15, "{at:?}");
        let drain = conclusions(&histogram(5_000, |index| 1e5 + 4e5 * index as f64));
        assert_eq!(drain, [Conclusion::BatchDrain]);
        let mut random = Random::new(9);
        let pareto = conclusions(&histogram(200_000, |_| 1e6 * (1.0 - random.unit()).powf(-1.0)));
        assert!(matches!(pareto[..], [Conclusion::HeavyTail { .. }]), "{pareto:?}");
        assert_eq!(conclusions(&histogram(100, |_| 5.0)), [Conclusion::TooFew]);
    }
}
