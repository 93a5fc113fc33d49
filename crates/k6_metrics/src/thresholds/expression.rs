//! One threshold: `AGGREGATION OPERATOR NUMBER`, for example `p(95)<500`.

use crate::metric::MetricKind;
use crate::sink::Sink;

/// Bytes of an expression: more than any that is meant.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// In the order in which they are looked for: the first that occurs anywhere parts the expression.
const OPERATORS: [(&str, Operator); 7] = [
    ("<=", Operator::AtMost),
    ("<", Operator::Below),
    (">=", Operator::AtLeast),
    (">", Operator::Above),
    ("===", Operator::Equal),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
    Unequal,
}

/// What of a metric's samples is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aggregation {
    /// The sum of a counter.
    Count,
    /// A counter's sum per second, or a rate's share.
    Rate,
    /// A gauge's last value.
    Value,
    /// A trend's mean.
    Avg,
    /// A trend's least value.
    Min,
    /// A trend's greatest value.
    Max,
    /// A trend's median.
    Med,
    /// A trend's quantile in percent, 0..=100.
    Percentile(f64),
}

/// Why an expression is none.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionError {
    /// There is none of `<= < >= > === == !=` in it.
    NoOperator,
    /// What stands left of the operator is no aggregation.
    BadAggregation(String),
    /// A percentile outside 0..=100.
    BadPercentile(f64),
    /// What stands right of the operator is no number.
    BadNumber(String),
    /// The metric has no such aggregation.
    Unsupported {
        /// As written.
        aggregation: String,
        /// Of what kind the metric is.
        kind: MetricKind,
    },
    /// Longer than any expression that is meant.
    TooLong,
}

impl std::fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::registry::shown;
        match self {
            Self::NoOperator => f.write_str("there is no operator in it: write for example `p(95)<500`"),
            Self::BadAggregation(text) => write!(
                f,
                "`{}` is none of count, rate, value, avg, min, max, med, p(0) to p(100)",
                shown(text)
            ),
            Self::BadPercentile(percent) => write!(f, "percentiles go from 0 to 100, and this is {percent}"),
            Self::BadNumber(text) => write!(f, "`{}` is no number to compare with", shown(text)),
            Self::Unsupported { aggregation, kind } => {
                let known = match kind {
                    MetricKind::Counter => "count and rate",
                    MetricKind::Gauge => "value",
                    MetricKind::Rate => "rate",
                    MetricKind::Trend => "avg, min, max, med and p(N)",
                };
                write!(f, "a {} has no `{}`, only {known}", kind.word(), shown(aggregation))
            }
            Self::TooLong => write!(f, "it has more than {TEXT_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for ExpressionError {}

/// A threshold that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What is looked at.
    pub aggregation: Aggregation,
    /// The aggregation as written, without spaces around it.
    pub aggregation_text: String,
    operator: Operator,
    bound: f64,
}

impl Expression {
    /// Reads it for a metric of a kind.
    pub fn parse(text: &str, kind: MetricKind) -> Result<Self, ExpressionError> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(ExpressionError::TooLong);
        }
        let parted =
            OPERATORS.into_iter().find_map(|(sign, operator)| Some((text.split_once(sign)?, operator)));
        let ((left, right), operator) = parted.ok_or(ExpressionError::NoOperator)?;
        let (left, right) = (left.trim(), right.trim());
        let aggregation = aggregation(left)?;
        let bound: f64 = right.parse().map_err(|_| ExpressionError::BadNumber(right.to_owned()))?;
        if bound.is_nan() {
            return Err(ExpressionError::BadNumber(right.to_owned()));
        }
        if !aggregation.is_of(kind) {
            return Err(ExpressionError::Unsupported { aggregation: left.to_owned(), kind });
        }
        Ok(Self { aggregation, aggregation_text: left.to_owned(), operator, bound })
    }

    /// Whether a sink holds it after so long a time. An empty rate does, and a counter's rate over no time.
    pub fn holds(&self, sink: &Sink, elapsed_ns: u64) -> bool {
        let Some(value) = self.aggregation.of(sink, elapsed_ns) else { return true };
        match self.operator {
            Operator::AtMost => value <= self.bound,
            Operator::Below => value < self.bound,
            Operator::AtLeast => value >= self.bound,
            Operator::Above => value > self.bound,
            Operator::Equal => value == self.bound,
            Operator::Unequal => value != self.bound,
        }
    }
}

fn aggregation(text: &str) -> Result<Aggregation, ExpressionError> {
    let bad = || ExpressionError::BadAggregation(text.to_owned());
    Ok(match text {
        "count" => Aggregation::Count,
        "rate" => Aggregation::Rate,
        "value" => Aggregation::Value,
        "avg" => Aggregation::Avg,
        "min" => Aggregation::Min,
        "max" => Aggregation::Max,
        "med" => Aggregation::Med,
        _ => {
            let percent = text.strip_prefix("p(").and_then(|text| text.strip_suffix(')')).ok_or_else(bad)?;
            let percent: f64 = percent.parse().map_err(|_| bad())?;
            if !(0.0..=100.0).contains(&percent) {
                return Err(ExpressionError::BadPercentile(percent));
            }
            Aggregation::Percentile(percent)
        }
    })
}

impl Aggregation {
    fn is_of(self, kind: MetricKind) -> bool {
        match self {
            Self::Count => kind == MetricKind::Counter,
            Self::Rate => matches!(kind, MetricKind::Counter | MetricKind::Rate),
            Self::Value => kind == MetricKind::Gauge,
            Self::Avg | Self::Min | Self::Max | Self::Med | Self::Percentile(_) => kind == MetricKind::Trend,
        }
    }

    /// Its value after so long a time; 0 where there are no samples. `None` where nothing can be said: a rate without samples, a counter's rate over no time, a
    /// metric of another kind.
    pub fn of(self, sink: &Sink, elapsed_ns: u64) -> Option<f64> {
        match (self, sink) {
            (Self::Count, Sink::Counter(counter)) => Some(counter.sum()),
            (Self::Rate, Sink::Counter(counter)) => {
                (elapsed_ns > 0).then(|| counter.sum() / (elapsed_ns as f64 / 1e9))
            }
            (Self::Rate, Sink::Rate(rate)) => (rate.total > 0).then(|| rate.ratio()),
            (Self::Value, Sink::Gauge(gauge)) => Some(gauge.value()),
            (Self::Avg, Sink::Trend(trend)) => Some(trend.mean()),
            (Self::Min, Sink::Trend(trend)) => Some(trend.min()),
            (Self::Max, Sink::Trend(trend)) => Some(trend.max()),
            (Self::Med, Sink::Trend(trend)) => Some(trend.quantile(0.5)),
            (Self::Percentile(percent), Sink::Trend(trend)) => Some(trend.quantile(percent / 100.0)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sink(kind: MetricKind, values: &[f64]) -> Sink {
        let mut sink = Sink::new(kind);
        for value in values {
            sink.add(*value, 0);
        }
        sink
    }

    fn check(text: &str, kind: MetricKind, values: &[f64], elapsed_ns: u64, expected: bool) {
        let expression = Expression::parse(text, kind).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(expression.holds(&sink(kind, values), elapsed_ns), expected, "{text} of {values:?}");
    }

    #[test]
    fn expressions_hold_or_not() {
        use MetricKind::{Counter, Gauge, Rate, Trend};
        const SECOND: u64 = 1_000_000_000;
        check("count<=3", Counter, &[1.0, 2.0], SECOND, true);
        check("count<3", Counter, &[1.0, 2.0], SECOND, false);
        check(" count ===  3 ", Counter, &[1.0, 2.0], SECOND, true);
        check("count!=3", Counter, &[1.0, 2.0], SECOND, false);
        check("rate>=1.5", Counter, &[1.0, 2.0], 2 * SECOND, true);
        check("rate>1.5", Counter, &[1.0, 2.0], 2 * SECOND, false);
        check("value==-2e0", Gauge, &[7.0, -2.0], SECOND, true);
        check("rate<.5", Rate, &[1.0, 0.0, 0.0], SECOND, true);
        check("avg<2.5", Trend, &[1.0, 3.0], SECOND, true);
        check("med>2", Trend, &[1.0, 3.0], SECOND, false);
        check("min==1", Trend, &[1.0, 3.0], SECOND, true);
        check("max>3", Trend, &[1.0, 3.0], SECOND, false);
        check("p(75)==2.5", Trend, &[1.0, 3.0], SECOND, true);
        check("p(99.9) < 2.998", Trend, &[1.0, 3.0], SECOND, false);
    }

    #[test]
    fn what_is_empty_is_nought_or_passes() {
        use MetricKind::{Counter, Gauge, Rate, Trend};
        check("rate>0.99", Rate, &[], 1, true);
        check("rate>0.99", Counter, &[5.0], 0, true);
        check("rate>0.99", Counter, &[], 1, false);
        check("count==0", Counter, &[], 1, true);
        check("value==0", Gauge, &[], 1, true);
        check("p(95)>0", Trend, &[], 1, false);
        check("avg<1", Trend, &[], 1, true);
    }

    #[test]
    fn what_is_no_expression_says_why() {
        let check = |text: &str, kind, expected| {
            assert_eq!(Expression::parse(text, kind).map(|_| ()), Err(expected), "{text}")
        };
        let trend = MetricKind::Trend;
        check("", trend, ExpressionError::NoOperator);
        check("p(95)=5", trend, ExpressionError::NoOperator);
        check("p(95)<", trend, ExpressionError::BadNumber(String::new()));
        check("p(95)<5ms", trend, ExpressionError::BadNumber("5ms".into()));
        check("p(95)<nan", trend, ExpressionError::BadNumber("nan".into()));
        check("p(95)<<5", trend, ExpressionError::BadNumber("<5".into()));
        check("<5", trend, ExpressionError::BadAggregation(String::new()));
        check("p(95<5", trend, ExpressionError::BadAggregation("p(95".into()));
        check("p()<5", trend, ExpressionError::BadAggregation("p()".into()));
        check("p(100.1)<5", trend, ExpressionError::BadPercentile(100.1));
        check("p(-1)<5", trend, ExpressionError::BadPercentile(-1.0));
        assert!(matches!(
            Expression::parse("p(nan)<5", trend),
            Err(ExpressionError::BadPercentile(percent)) if percent.is_nan()
        ));
        let unsupported = ExpressionError::Unsupported { aggregation: "count".into(), kind: trend };
        assert_eq!(unsupported.to_string(), "a trend has no `count`, only avg, min, max, med and p(N)");
        check("count<5", trend, unsupported);
        check(&"<".repeat(TEXT_BYTES_MAX + 1), trend, ExpressionError::TooLong);
    }
}
