//! Service level objectives: `p99(response) < 50ms`, `error_ratio < 0.1%`, `achieved >= 99%`.

use serde::Serialize;
use std::fmt;
use units::{QuantityError, Rate, parse_duration_ns, parse_ratio};

/// A promise that a run is judged by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slo {
    /// What is looked at.
    pub metric: Metric,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub bound: Bound,
    /// Only this phase; `None`: all measured phases, each for itself.
    pub phase: Option<String>,
    /// Only this action; `None`: the phase as a whole.
    pub action: Option<String>,
    /// Ends the run when it is clear that it can't be kept.
    pub abort: bool,
}

/// What an SLO looks at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// `p99.9(response)`: quantile in 0..=1 of a latency.
    Quantile(Latency, f64),
    /// `mean(service)`.
    Mean(Latency),
    /// `max(wait)`.
    Max(Latency),
    /// `error_ratio`: actions that failed, were given up, dropped or never begun, to all that were due.
    ErrorRatio,
    /// `errors`: failed actions.
    ErrorCount,
    /// `achieved`: completed to offered, open load only.
    AchievedRatio,
    /// `rate`: actions completed per second.
    Rate,
    /// `dropped`: arrivals dropped.
    DroppedCount,
}

/// The latencies that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// Intended → done.
    Response,
    /// Sent → done.
    Service,
    /// Intended → sent.
    Wait,
}

/// How an observed value is compared with the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Comparison {
    /// `<`
    #[serde(rename = "<")]
    Less,
    /// `<=`
    #[serde(rename = "<=")]
    LessOrEqual,
    /// `>`
    #[serde(rename = ">")]
    Greater,
    /// `>=`
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

impl Comparison {
    /// Whether `observed` stands in this relation to `bound`.
    pub fn holds(self, observed: f64, bound: f64) -> bool {
        match self {
            Self::Less => observed < bound,
            Self::LessOrEqual => observed <= bound,
            Self::Greater => observed > bound,
            Self::GreaterOrEqual => observed >= bound,
        }
    }
}

/// What an observed value is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// ns
    DurationNs(u64),
    /// A share, 1 is all.
    Ratio(f64),
    /// Actions.
    Count(u64),
    /// Actions per second.
    PerSec(Rate),
}

impl Bound {
    /// The number that an observed one is held against: ns, ratio, count or events per second.
    pub fn value(self) -> f64 {
        match self {
            Self::DurationNs(ns) => ns as f64,
            Self::Ratio(ratio) => ratio,
            Self::Count(count) => count as f64,
            Self::PerSec(rate) => rate.as_f64(),
        }
    }
}

/// Why a text is no SLO.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SloError {
    /// No `<`, `<=`, `>` or `>=` in it.
    NoComparison,
    /// The left side is none of the metrics.
    UnknownMetric(String),
    /// The percentile is not above 0 and at most 100.
    BadPercentile(String),
    /// The right side is not of the metric's kind.
    BadBound(QuantityError),
}

impl fmt::Display for SloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComparison => {
                f.write_str("an objective needs `<`, `<=`, `>` or `>=`, as in `p99(response) < 50ms`")
            }
            Self::UnknownMetric(name) => write!(
                f,
                "unknown metric `{name}`; use pNN(response|service|wait), mean(…), max(…), error_ratio, errors, achieved, rate or dropped"
            ),
            Self::BadPercentile(text) => {
                write!(f, "`{text}` is not a percentile; use p1 to p100, such as p99.9")
            }
            Self::BadBound(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SloError {}

impl Slo {
    /// Reads `METRIC COMPARISON BOUND`, for all measured phases, without abort.
    pub fn parse(text: &str) -> Result<Self, SloError> {
        let at = text.find(['<', '>']).ok_or(SloError::NoComparison)?;
        let (left, right) = text.split_at(at);
        let or_equal = right[1..].starts_with('=');
        let comparison = match (right.starts_with('<'), or_equal) {
            (true, false) => Comparison::Less,
            (true, true) => Comparison::LessOrEqual,
            (false, false) => Comparison::Greater,
            (false, true) => Comparison::GreaterOrEqual,
        };
        let metric = Metric::parse(left.trim())?;
        let bound =
            metric.parse_bound(right[1 + usize::from(or_equal)..].trim()).map_err(SloError::BadBound)?;
        Ok(Self { metric, comparison, bound, phase: None, action: None, abort: false })
    }
}

impl Metric {
    fn parse(text: &str) -> Result<Self, SloError> {
        let simple = match text {
            "error_ratio" => Some(Self::ErrorRatio),
            "errors" => Some(Self::ErrorCount),
            "achieved" => Some(Self::AchievedRatio),
            "rate" => Some(Self::Rate),
            "dropped" => Some(Self::DroppedCount),
            _ => None,
        };
        if let Some(metric) = simple {
            return Ok(metric);
        }
        let unknown = || SloError::UnknownMetric(text.to_owned());
        let (function, rest) = text.split_once('(').ok_or_else(unknown)?;
        let latency = match rest.strip_suffix(')').map(str::trim) {
            Some("response") => Latency::Response,
            Some("service") => Latency::Service,
            Some("wait") => Latency::Wait,
            _ => return Err(unknown()),
        };
        match function.trim() {
            "mean" => Ok(Self::Mean(latency)),
            "max" => Ok(Self::Max(latency)),
            "median" => Ok(Self::Quantile(latency, 0.5)),
            other => {
                let digits = other.strip_prefix('p').ok_or_else(unknown)?;
                let percent: f64 = digits.parse().map_err(|_| SloError::BadPercentile(other.to_owned()))?;
                let sane = percent > 0.0 && percent <= 100.0;
                if sane {
                    Ok(Self::Quantile(latency, percent / 100.0))
                } else {
                    Err(SloError::BadPercentile(other.to_owned()))
                }
            }
        }
    }

    fn parse_bound(self, text: &str) -> Result<Bound, QuantityError> {
        match self {
            Self::Quantile(..) | Self::Mean(_) | Self::Max(_) => {
                parse_duration_ns(text).map(Bound::DurationNs)
            }
            Self::ErrorRatio | Self::AchievedRatio => parse_ratio(text).map(Bound::Ratio),
            Self::Rate => Rate::parse(text).map(Bound::PerSec),
            Self::ErrorCount | Self::DroppedCount => text
                .parse()
                .map(Bound::Count)
                .map_err(|_| QuantityError::NotANumber { text: text.to_owned(), example: "10" }),
        }
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Response => "response",
            Self::Service => "service",
            Self::Wait => "wait",
        })
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Ten decimals hide that 99.9 / 100 × 100 is not quite 99.9 in binary.
            Self::Quantile(latency, q) => write!(f, "p{}({latency})", (q * 1e12).round() / 1e10),
            Self::Mean(latency) => write!(f, "mean({latency})"),
            Self::Max(latency) => write!(f, "max({latency})"),
            Self::ErrorRatio => f.write_str("error_ratio"),
            Self::ErrorCount => f.write_str("errors"),
            Self::AchievedRatio => f.write_str("achieved"),
            Self::Rate => f.write_str("rate"),
            Self::DroppedCount => f.write_str("dropped"),
        }
    }
}

impl fmt::Display for Slo {
    /// The expression in one form: `p99(response) < 50.0 ms`, with its scope when it has one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let comparison = match self.comparison {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        write!(f, "{} {comparison} ", self.metric)?;
        match self.bound {
            Bound::DurationNs(ns) => f.write_str(&units::duration(ns))?,
            Bound::Ratio(ratio) => f.write_str(&units::ratio(ratio))?,
            Bound::Count(count) => write!(f, "{count}")?,
            Bound::PerSec(rate) => write!(f, "{rate}")?,
        }
        if let Some(phase) = &self.phase {
            write!(f, " in phase {phase}")?;
        }
        if let Some(action) = &self.action {
            write!(f, " for action {action}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_and_printed() {
        let check = |text: &str| {
            Slo::parse(text).map(|slo| slo.to_string()).unwrap_or_else(|error| error.to_string())
        };
        assert_eq!(check("p99(response) < 50ms"), "p99(response) < 50.0 ms");
        assert_eq!(check("p99.9( service )<=1.5s"), "p99.9(service) <= 1.50 s");
        assert_eq!(check("error_ratio < 0.1%"), "error_ratio < 0.100%");
        assert_eq!(check("achieved >= 99%"), "achieved >= 99.0%");
        assert_eq!(check("rate > 1000/s"), "rate > 1,000/s");
        assert_eq!(check("errors <= 3"), "errors <= 3");
        assert_eq!(check("p99(response) < 50"), "`50` has no unit; write for example `50s`");
        assert_eq!(check("p200(wait) < 5s"), "`p200` is not a percentile; use p1 to p100, such as p99.9");
        assert!(check("speed > 3").starts_with("unknown metric `speed`"));
        assert!(check("p99(response)").starts_with("an objective needs"));
    }
}
