//! What a test promises of its metrics: read from the option `thresholds`, evaluated while the test runs and at its end.

mod expression;

pub use expression::{Aggregation, Expression, ExpressionError};

use crate::books::Books;
use crate::go_duration::GoDuration;
use crate::json::Json;
use crate::registry::{MetricError, Registry, SeriesId, shown};

/// Thresholds of a test: each is evaluated every two seconds.
const THRESHOLDS_MAX: usize = 10_000;

/// One threshold as an option has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThresholdSpec {
    /// The expression as written.
    pub expression: String,
    /// Whether the test stops when it fails.
    pub abort_on_fail: bool,
    /// How long after the start it can't stop the test yet.
    pub delay_abort_eval_ns: Option<u64>,
}

impl From<&str> for ThresholdSpec {
    fn from(expression: &str) -> Self {
        Self { expression: expression.to_owned(), ..Self::default() }
    }
}

/// What is wrong with a threshold, and where. A test with such must not start.
#[derive(Debug, Clone, PartialEq)]
pub enum ThresholdError {
    /// The option has another shape.
    BadShape {
        /// Where: the metric's key, or empty for the whole option.
        key: String,
        /// What is wanted there.
        wanted: &'static str,
    },
    /// The metric can't be had.
    Metric {
        /// The metric's key as written.
        key: String,
        /// Why.
        error: MetricError,
    },
    /// The expression can't be read.
    Expression {
        /// The metric's key.
        key: String,
        /// The expression as written.
        text: String,
        /// Why.
        error: ExpressionError,
    },
    /// There are more than can be evaluated in time.
    TooMany,
}

impl std::fmt::Display for ThresholdError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadShape { key, wanted } if key.is_empty() => write!(f, "thresholds: {wanted}"),
            Self::BadShape { key, wanted } => write!(f, "thresholds of `{}`: {wanted}", shown(key)),
            Self::Metric { key, error: MetricError::Unknown(name) } => write!(
                f,
                "threshold on `{}`: there is no metric `{}`; custom metrics must be made in the init code",
                shown(key),
                shown(name)
            ),
            Self::Metric { key, error: MetricError::BadKey { error, .. } } => {
                write!(f, "threshold on `{}`: {error}", shown(key))
            }
            Self::Metric { key, error } => write!(f, "threshold on `{}`: {error}", shown(key)),
            Self::Expression { key, text, error } => {
                write!(f, "threshold `{}` on `{}`: {error}", shown(text), shown(key))
            }
            Self::TooMany => write!(f, "there are more than {THRESHOLDS_MAX} thresholds"),
        }
    }
}

impl std::error::Error for ThresholdError {}

/// When thresholds are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// While the test runs, every [`EVALUATION_PERIOD_NS`]: what has no samples is left out.
    Periodic,
    /// After the last sample: nothing is left out.
    Final,
}

/// How often thresholds are to be evaluated while a test runs.
pub const EVALUATION_PERIOD_NS: u64 = 2_000_000_000;

/// What came of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evaluation {
    /// The keys of the metrics of which a threshold failed, sorted.
    pub crossed: Vec<String>,
    /// Whether one of them stops the test.
    pub must_abort: bool,
}

impl Evaluation {
    /// The error of a test whose thresholds failed; `None` if none did.
    pub fn failure_text(&self) -> Option<String> {
        let names = self.crossed.join(", ");
        (!self.crossed.is_empty()).then(|| format!("thresholds on metrics '{names}' have been crossed"))
    }

    /// The error of a test that is stopped; `None` if it goes on.
    pub fn abort_text(&self) -> Option<String> {
        let names = self.crossed.join(", ");
        self.must_abort.then(|| {
            format!(
                "thresholds on metrics '{names}' were crossed; at least one has abortOnFail enabled, stopping test prematurely"
            )
        })
    }
}

/// Reads the option: an object of lists of expressions or of `{threshold, abortOnFail, delayAbortEval}`, in its order.
///
/// Errors: all that have another shape. Metrics and expressions are looked at by [`Thresholds::new`].
pub fn read_thresholds(option: &Json) -> Result<Vec<(String, Vec<ThresholdSpec>)>, Vec<ThresholdError>> {
    let (mut read, mut errors) = (Vec::new(), Vec::new());
    if !matches!(option, Json::Object(_) | Json::Null) {
        let wanted = "write an object of metrics, each with a list of expressions";
        errors.push(ThresholdError::BadShape { key: String::new(), wanted });
    }
    for (key, list) in option.pairs() {
        let Json::List(list) = list else {
            let wanted = "write a list, for example [\"p(95)<500\"]";
            errors.push(ThresholdError::BadShape { key: key.clone(), wanted });
            continue;
        };
        let mut specs = Vec::new();
        for value in list {
            match read_spec(value) {
                Ok(spec) => specs.push(spec),
                Err(wanted) => errors.push(ThresholdError::BadShape { key: key.clone(), wanted }),
            }
        }
        read.push((key.clone(), specs));
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

fn read_spec(value: &Json) -> Result<ThresholdSpec, &'static str> {
    const SHAPE: &str =
        "an entry is a text or {threshold: text, abortOnFail: true or false, delayAbortEval: duration}";
    if let Some(text) = value.text() {
        return Ok(text.into());
    }
    let expression = value.get("threshold").and_then(Json::text).ok_or(SHAPE)?.to_owned();
    let abort_on_fail = match value.get("abortOnFail") {
        None | Some(Json::Null) => false,
        Some(Json::Bool(value)) => *value,
        Some(_) => return Err("`abortOnFail` is true or false"),
    };
    let delay = "`delayAbortEval` is a duration, for example \"10s\"";
    let delay_abort_eval_ns = match value.get("delayAbortEval") {
        None | Some(Json::Null) => None,
        Some(value) => {
            let read = match value {
                Json::Number(ms) => GoDuration::from_ms(*ms),
                Json::Text(text) => GoDuration::parse_extended(text).ok(),
                _ => None,
            };
            Some(read.and_then(|delay| u64::try_from(delay.ns()).ok()).ok_or(delay)?)
        }
    };
    Ok(ThresholdSpec { expression, abort_on_fail, delay_abort_eval_ns })
}

/// One threshold with its last outcome.
#[derive(Debug, Clone)]
pub(crate) struct Threshold {
    pub(crate) spec: ThresholdSpec,
    pub(crate) expression: Expression,
    pub(crate) is_ok: bool,
}

/// All thresholds of one metric or sub-metric.
#[derive(Debug, Clone)]
pub(crate) struct ThresholdList {
    pub(crate) key: String,
    pub(crate) series: SeriesId,
    pub(crate) thresholds: Vec<Threshold>,
}

/// The thresholds of a test.
#[derive(Debug, Clone, Default)]
pub struct Thresholds {
    lists: Vec<ThresholdList>,
}

impl Thresholds {
    /// Checks metrics and expressions, and makes the sub-metrics in the registry. To be asked after the init code and before the first books are made, which
    /// refuse new ones.
    ///
    /// Errors: all at once; then the test must not start (or, without thresholds, is warned).
    pub fn new(
        registry: &Registry,
        specs: &[(String, Vec<ThresholdSpec>)],
    ) -> Result<Self, Vec<ThresholdError>> {
        let (mut lists, mut errors) = (Vec::<ThresholdList>::new(), Vec::new());
        if specs.iter().map(|(_, specs)| specs.len()).sum::<usize>() > THRESHOLDS_MAX {
            return Err(vec![ThresholdError::TooMany]);
        }
        for (key, specs) in specs {
            let series = match registry.series(key) {
                Ok(series) => series,
                Err(error) => {
                    errors.push(ThresholdError::Metric { key: key.clone(), error });
                    continue;
                }
            };
            let Some(metric) = registry.describe(series.metric) else { continue };
            let mut thresholds = Vec::new();
            for spec in specs {
                match Expression::parse(&spec.expression, metric.kind) {
                    Ok(expression) => {
                        thresholds.push(Threshold { spec: spec.clone(), expression, is_ok: true })
                    }
                    Err(error) => {
                        let text = spec.expression.clone();
                        errors.push(ThresholdError::Expression { key: key.clone(), text, error });
                    }
                }
            }
            match lists.iter_mut().find(|list| list.series == series) {
                Some(list) => list.thresholds.extend(thresholds),
                None => lists.push(ThresholdList { key: key.clone(), series, thresholds }),
            }
        }
        if errors.is_empty() { Ok(Self { lists }) } else { Err(errors) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lists.iter().all(|list| list.thresholds.is_empty())
    }

    /// Tags in thresholds that samples never carry, since they stand in the metadata: to be warned of.
    pub fn metadata_tags(&self, registry: &Registry) -> Vec<&'static str> {
        let metrics = registry.metrics();
        let subs = self.lists.iter().filter_map(|list| {
            metrics.get(list.series.metric.index())?.sub_metrics.get(list.series.sub_index? as usize)
        });
        let keys: Vec<&str> = subs.flat_map(|sub| &sub.tags).map(|(key, _)| key.as_str()).collect();
        ["vu", "iter"].into_iter().filter(|tag| keys.contains(tag)).collect()
    }

    /// Holds all of them against the books of the whole test after so long a time, and keeps the outcomes for the summary.
    pub fn evaluate(&mut self, books: &Books, elapsed_ns: u64, moment: Moment) -> Evaluation {
        let mut evaluation = Evaluation::default();
        for list in &mut self.lists {
            let Some(sink) = books.sink(list.series) else { continue };
            if moment == Moment::Periodic && sink.is_empty() {
                continue;
            }
            let mut is_crossed = false;
            for threshold in &mut list.thresholds {
                threshold.is_ok = threshold.expression.holds(sink, elapsed_ns);
                if !threshold.is_ok {
                    is_crossed = true;
                    let is_due =
                        threshold.spec.delay_abort_eval_ns.is_none_or(|delay_ns| delay_ns < elapsed_ns);
                    evaluation.must_abort |= threshold.spec.abort_on_fail && is_due;
                }
            }
            if is_crossed {
                evaluation.crossed.push(list.key.clone());
            }
        }
        evaluation.crossed.sort_unstable();
        evaluation
    }

    /// Those of a metric or sub-metric.
    pub(crate) fn of(&self, series: SeriesId) -> Option<&ThresholdList> {
        self.lists.iter().find(|list| list.series == series)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
