//! The newer form for machines: argument of handleSummary and exported file with `--new-machine-readable-summary`.
//!
//! Trends have a fixed set of values here, whatever `summaryTrendStats` says, so they are taken from the books.

use super::Summary;
use crate::books::Books;
use crate::metric::{Contains, MetricKind};
use crate::registry::SeriesId;
use crate::sink::{Rate, Sink};
use crate::text::Visibility;
use crate::{Json, MetricId};

/// Version of the form.
const VERSION: &str = "1.0.0";

/// Where the test ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// On this machine.
    #[default]
    Local,
    /// In a cloud.
    Cloud,
}

/// What the form says besides measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineFacts<'a> {
    /// The script's source.
    pub script: &'a str,
    /// Where it ran.
    pub execution: Execution,
    /// When it was made, as RFC 3339 has it.
    pub generated_at: &'a str,
    /// The version of k6 whose form this is.
    pub k6_version: &'a str,
    /// Which metrics are in it: those that the text of the same mode shows.
    pub visibility: Visibility,
}

impl Summary {
    /// The form for machines. `books` are those that the summary was made of.
    pub fn to_machine(&self, books: &Books, facts: MachineFacts<'_>) -> Json {
        let registry = books.registry();
        let metrics = self.metrics.iter().filter_map(|metric| {
            let (name, _) = metric.parts();
            if !facts.visibility.shows(name) {
                return None;
            }
            let series = registry.series(&metric.name).ok()?;
            Some(metric_json(&metric.name, metric.kind, metric.contains, values(books, series)?))
        });
        let execution = match facts.execution {
            Execution::Local => "local",
            Execution::Cloud => "cloud",
        };
        Json::object([
            (
                "config",
                Json::object([
                    ("duration", Json::Number(self.state.test_run_duration_ms / 1e3)),
                    ("execution", execution.into()),
                    ("script", facts.script.into()),
                ]),
            ),
            (
                "metadata",
                Json::object([
                    ("generated_at", Json::from(facts.generated_at)),
                    ("k6_version", facts.k6_version.into()),
                ]),
            ),
            ("results", Json::object([("checks", self.checks_json(books)), ("metrics", metrics.collect())])),
            ("version", VERSION.into()),
        ])
    }

    fn checks_json(&self, books: &Books) -> Json {
        let total = match books.sink(MetricId::CHECKS) {
            Some(Sink::Rate(rate)) => *rate,
            _ => Rate::default(),
        };
        let failed = Rate { passes: total.fails(), total: total.total };
        let count = Json::object([("count", Json::Number(total.total as f64))]);
        let metric = |name, kind, values| metric_json(name, kind, Contains::Default, values);
        let metrics = if total.total == 0 {
            Vec::new()
        } else {
            vec![
                metric("checks_total", MetricKind::Counter, count),
                metric("checks_failed", MetricKind::Rate, rate_json(failed)),
                metric("checks_succeeded", MetricKind::Rate, rate_json(total)),
            ]
        };
        let results = self.checks.iter().map(|check| {
            Json::object([
                ("fails", Json::Number(check.fails as f64)),
                ("name", check.name.as_str().into()),
                ("passes", Json::Number(check.passes as f64)),
            ])
        });
        Json::object([("metrics", Json::List(metrics)), ("results", results.collect())])
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Json>>(values: I) -> Self {
        Self::List(values.into_iter().collect())
    }
}

fn metric_json(name: &str, kind: MetricKind, contains: Contains, values: Json) -> Json {
    Json::object([
        ("contains", Json::from(contains.word())),
        ("name", name.into()),
        ("type", kind.word().into()),
        ("values", values),
    ])
}

fn rate_json(rate: Rate) -> Json {
    Json::object([
        ("matches", Json::Number(rate.passes as f64)),
        ("rate", rate.ratio().into()),
        ("total", Json::Number(rate.total as f64)),
    ])
}

fn values(books: &Books, series: SeriesId) -> Option<Json> {
    Some(match books.sink(series)? {
        Sink::Counter(counter) => Json::object([("count", Json::Number(counter.sum()))]),
        Sink::Rate(rate) => rate_json(*rate),
        Sink::Gauge(gauge) => Json::object([
            ("max", Json::Number(gauge.max())),
            ("min", gauge.min().into()),
            ("value", gauge.value().into()),
        ]),
        Sink::Trend(trend) => Json::object([
            ("avg", Json::Number(trend.mean())),
            ("max", trend.max().into()),
            ("med", trend.quantile(0.5).into()),
            ("min", trend.min().into()),
            ("p90", trend.quantile(0.9).into()),
            ("p95", trend.quantile(0.95).into()),
        ]),
    })
}
