//! The `{…}` of the record: one latency's distribution in figures, with its histogram.

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
        if self.histogram.is_empty() {
            return Ok(Histogram::default());
        }
        let sum_ns = u128::from(self.mean.unwrap_or(0)) * u128::from(self.count);
        Ok(Histogram::from_base64(&self.histogram)?.with_exact(
            self.min.unwrap_or(0),
            self.max.unwrap_or(0),
            sum_ns,
        ))
    }
}
