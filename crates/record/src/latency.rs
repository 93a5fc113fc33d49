//! One latency's distribution in the record: its histogram, with the figures that people read ([`Latencies`]) or without ([`Distribution`]).

use serde::{Deserialize, Serialize};
use stats::{Histogram, HistogramError};

/// The quantiles of the record and their keys.
pub const QUANTILES: [(&str, f64); 7] = [
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99_9", 0.999),
    ("p99_99", 0.9999),
];

/// A distribution of times, ns. A quantile is null where fewer than ten values lie beyond it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Latencies {
    /// How many values.
    pub count: u64,
    /// Least, exact.
    pub min: Option<u64>,
    /// Arithmetic mean, from the exact sum, rounded.
    pub mean: Option<u64>,
    /// Standard deviation (n in the denominator), rounded.
    pub stdev: Option<u64>,
    /// Median.
    pub p50: Option<u64>,
    /// 75th percentile.
    pub p75: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 95th percentile.
    pub p95: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p99_9: Option<u64>,
    /// 99.99th percentile.
    pub p99_99: Option<u64>,
    /// Greatest, exact.
    pub max: Option<u64>,
    /// HdrHistogram V2 compressed, base64; empty when there are no values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub histogram: String,
}

impl Latencies {
    /// The figures of a histogram.
    pub fn of(histogram: &Histogram) -> Self {
        let whole = |value: f64| value.round() as u64;
        let carried = |quantile| histogram.carried_quantile_ns(quantile);
        Self {
            count: histogram.count(),
            min: histogram.min_ns(),
            mean: histogram.mean_ns().map(whole),
            stdev: histogram.stdev_ns().map(whole),
            p50: carried(0.5),
            p75: carried(0.75),
            p90: carried(0.9),
            p95: carried(0.95),
            p99: carried(0.99),
            p99_9: carried(0.999),
            p99_99: carried(0.9999),
            max: histogram.max_ns(),
            histogram: if histogram.is_empty() { String::new() } else { histogram.to_base64() },
        }
    }

    /// The quantiles with their keys, in order.
    pub fn quantiles(&self) -> [(&'static str, Option<u64>); 7] {
        let values = [self.p50, self.p75, self.p90, self.p95, self.p99, self.p99_9, self.p99_99];
        std::array::from_fn(|index| (QUANTILES[index].0, values[index]))
    }

    /// The histogram again, for quantiles that are not among the keys and for merging.
    pub fn to_histogram(&self) -> Result<Histogram, HistogramError> {
        let exact = [self.min, self.mean, self.max].map(Option::unwrap_or_default);
        histogram_of(&self.histogram, self.count, exact)
    }
}

/// A distribution of times, ns, in as little room as can be: for what there are thousands of. All figures are 0 when there are no values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values.
    pub count: u64,
    /// Least, exact.
    pub min: u64,
    /// Arithmetic mean, from the exact sum, rounded.
    pub mean: u64,
    /// Greatest, exact.
    pub max: u64,
    /// HdrHistogram V2 compressed, base64; empty when there are no values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub histogram: String,
}

impl Distribution {
    /// The form of a histogram.
    pub fn of(histogram: &Histogram) -> Self {
        Self {
            count: histogram.count(),
            min: histogram.min_ns().unwrap_or(0),
            mean: histogram.mean_ns().map_or(0, |mean| mean.round() as u64),
            max: histogram.max_ns().unwrap_or(0),
            histogram: if histogram.is_empty() { String::new() } else { histogram.to_base64() },
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The histogram again, for quantiles and for merging.
    ///
    /// # Errors
    /// What is no histogram, such as a text of another program.
    pub fn to_histogram(&self) -> Result<Histogram, HistogramError> {
        histogram_of(&self.histogram, self.count, [self.min, self.mean, self.max])
    }
}

/// A histogram from its text and the figures kept beside it: least, mean, greatest.
fn histogram_of(text: &str, count: u64, [min, mean, max]: [u64; 3]) -> Result<Histogram, HistogramError> {
    if text.is_empty() {
        return Ok(Histogram::default());
    }
    let sum_ns = u128::from(mean) * u128::from(count);
    Ok(Histogram::from_base64(text)?.with_exact(min, max, sum_ns))
}
