//! What is compared: rate, errors, times, cost. One name each, as flags and JSON have it.

use record::{Latencies, QUANTILES};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Which of a sample's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LatencyKind {
    /// Intended → done.
    Response,
    /// Sent → done.
    Service,
}

impl LatencyKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Service => "service",
        }
    }
}

/// A figure of a phase, an action or a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Actions completed per second within the load's length.
    Rate,
    /// What did not end well to all that was due, 0..=1.
    Errors,
    /// Mean of a time, ns.
    Mean(LatencyKind),
    /// A quantile of a time, ns: an index of [`QUANTILES`].
    Quantile(LatencyKind, usize),
    /// The client's CPU time per request, ns, spinning before deadlines left out: a cost of the generator, known for whole runs only.
    ClientCpu,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    Up,
    /// Less is better.
    Down,
}

/// A name that is no metric's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricError(pub String);

impl std::fmt::Display for MetricError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}` is no metric; write rate, errors, response, service, mean, p50, p75, p90, p95, p99, p99.9, p99.99, client_cpu, or both parts such as response.p99",
            self.0
        )
    }
}

impl std::error::Error for MetricError {}

impl Metric {
    /// All there are, in the order of rows.
    pub fn all() -> Vec<Self> {
        let times = |kind| {
            let quantiles = (0..QUANTILES.len()).map(move |index| Self::Quantile(kind, index));
            std::iter::once(Self::Mean(kind)).chain(quantiles)
        };
        let first = [Self::Rate, Self::Errors].into_iter();
        let times = times(LatencyKind::Response).chain(times(LatencyKind::Service));
        first.chain(times).chain([Self::ClientCpu]).collect()
    }

    /// Those that runs are compared by unless asked otherwise: p75 and p95 say little that p50, p90 and p99 don't, and each row has its price.
    pub fn usual_of_runs() -> Vec<Self> {
        let is_usual = |metric: &Self| !["p75", "p95"].contains(&metric.part());
        Self::all().into_iter().filter(is_usual).collect()
    }

    /// Those that interleaved slices are compared by unless asked otherwise: slices are short, and response time holds service time.
    pub fn usual_of_pairs() -> Vec<Self> {
        let response = LatencyKind::Response;
        let is_usual = |metric: &Self| match metric {
            Self::Rate | Self::Errors => true,
            Self::Mean(kind) => *kind == response,
            Self::Quantile(kind, _) => *kind == response && ["p50", "p90", "p99"].contains(&metric.part()),
            Self::ClientCpu => false,
        };
        Self::all().into_iter().filter(is_usual).collect()
    }

    /// All metrics that a name means: `response` is all response times, `p99` both, `response.p99` one.
    ///
    /// # Errors
    /// A name that means none.
    pub fn named(text: &str) -> Result<Vec<Self>, MetricError> {
        let wanted = text.trim().replace("p99.99", "p99_99").replace("p99.9", "p99_9");
        let is_meant = |metric: &Self| {
            let key = metric.key();
            key == wanted || metric.group() == wanted || metric.part() == wanted
        };
        let found: Vec<Self> = Self::all().into_iter().filter(is_meant).collect();
        if found.is_empty() { Err(MetricError(text.to_owned())) } else { Ok(found) }
    }

    /// `response`, `service`, or the whole name.
    fn group(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::Errors => "errors",
            Self::Mean(kind) | Self::Quantile(kind, _) => kind.as_str(),
            Self::ClientCpu => "client_cpu",
        }
    }

    /// `mean`, `p99_9`, or the whole name.
    fn part(self) -> &'static str {
        match self {
            Self::Mean(_) => "mean",
            Self::Quantile(_, index) => QUANTILES.get(index).map_or("", |(key, _)| key),
            Self::Rate | Self::Errors | Self::ClientCpu => self.group(),
        }
    }

    /// As in JSON: `rate`, `response.mean`, `response.p99_9`.
    pub fn key(self) -> String {
        match self {
            Self::Mean(_) | Self::Quantile(..) => format!("{}.{}", self.group(), self.part()),
            Self::Rate | Self::Errors | Self::ClientCpu => self.group().to_owned(),
        }
    }

    /// For people: `rate`, `response p99.9`.
    pub fn label(self) -> String {
        match self {
            Self::ClientCpu => "client CPU/req".to_owned(),
            metric => metric.key().replace('.', " ").replace('_', "."),
        }
    }

    /// The quantile, 0..1.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Self::Quantile(_, index) => QUANTILES.get(index).map(|(_, quantile)| *quantile),
            _ => None,
        }
    }

    /// Which time it is of.
    pub fn latency(self) -> Option<LatencyKind> {
        match self {
            Self::Mean(kind) | Self::Quantile(kind, _) => Some(kind),
            _ => None,
        }
    }

    /// Which way is better.
    pub fn direction(self) -> Direction {
        if self == Self::Rate { Direction::Up } else { Direction::Down }
    }

    /// Whether differences are told as a share of the baseline. Errors are not: their baseline is often 0.
    pub fn is_relative(self) -> bool {
        self != Self::Errors
    }

    /// Whether it says something of the service and not of the generator, so that it counts in `--fail-on`.
    pub fn is_of_service(self) -> bool {
        self != Self::ClientCpu
    }

    /// Standard deviation of the rounding of one value, relative: histograms know a quantile to 0.1 % (uniform over a bucket), all else is exact.
    pub(crate) fn rounding_ratio(self) -> f64 {
        if matches!(self, Self::Quantile(..)) { 1e-3 / 12f64.sqrt() } else { 0.0 }
    }

    /// The figure of a distribution, ns; `None` where the samples don't carry it.
    pub(crate) fn of_latencies(self, latencies: &Latencies) -> Option<f64> {
        let ns = match self {
            Self::Mean(_) => latencies.mean,
            Self::Quantile(_, index) => latencies.quantiles().get(index).and_then(|(_, ns)| *ns),
            _ => None,
        };
        ns.map(|ns| ns as f64)
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.key())
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let found = Self::all().into_iter().find(|metric| metric.key() == key);
        found.ok_or_else(|| serde::de::Error::custom(MetricError(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_metrics() {
        let check = |text: &str, expected: &[&str]| {
            let keys: Vec<String> = Metric::named(text).unwrap().into_iter().map(Metric::key).collect();
            assert_eq!(keys, expected, "{text}");
        };
        check("rate", &["rate"]);
        check("p99", &["response.p99", "service.p99"]);
        check("p99.9", &["response.p99_9", "service.p99_9"]);
        check("service.p99.99", &["service.p99_99"]);
        check("response.mean", &["response.mean"]);
        assert_eq!(Metric::named("response").unwrap().len(), 8);
        assert_eq!(Metric::named("p98"), Err(MetricError("p98".to_owned())));
        assert_eq!(Metric::Quantile(LatencyKind::Response, 5).label(), "response p99.9");
        assert_eq!(Metric::usual_of_pairs().len(), 6);
        assert_eq!(Metric::usual_of_runs().len(), 15);
        for metric in Metric::all() {
            let text = serde_json::to_string(&metric).unwrap();
            assert_eq!(serde_json::from_str::<Metric>(&text).unwrap(), metric);
        }
    }
}
