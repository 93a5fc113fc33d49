//! k6's summaries: the data of `handleSummary`, the machine-readable form of 1.5 and later, and the old `--summary-export`. Times in ms.
//!
//! Requests are what is read; iterations have no counterpart here.

use super::run::carried;
use super::{Foreign, Measured, count, number};
use record::{CheckRecord, Latencies, SloRecord};
use serde_json::{Map, Value};

/// Most checks and thresholds kept of one file.
const ITEMS_MAX: usize = 1_000;

pub(super) fn is_summary(value: &Value) -> bool {
    let old = value.get("metrics").is_some_and(Value::is_object);
    let new = value.get("results").and_then(|results| results.get("metrics")).is_some_and(Value::is_array);
    old && (value.get("root_group").is_some() || value.get("state").is_some())
        || new && value.get("config").is_some()
}

pub(super) fn read(value: &Value) -> Result<Foreign, String> {
    let metrics = metrics_of(value);
    let metric = |name: &str, key: &str| {
        let metric = metrics.get(name)?;
        number(metric, &["values", key]).or_else(|| number(metric, &[key]))
    };
    let whole = |name: &str, key: &str| metric(name, key).map(|number| number.round() as u64);
    let requests =
        whole("http_reqs", "count").ok_or("it has no `http_reqs`: nothing was requested by HTTP")?;
    let failed = whole("http_req_failed", "passes")
        .or_else(|| whole("http_req_failed", "matches"))
        .or_else(|| {
            let ratio = metric("http_req_failed", "rate").or_else(|| metric("http_req_failed", "value"))?;
            Some((ratio * requests as f64).round() as u64)
        })
        .unwrap_or(0);
    let rate = metric("http_reqs", "rate").filter(|rate| *rate > 0.0);
    let duration_ms = number(value, &["state", "testRunDurationMs"])
        .or_else(|| number(value, &["config", "duration"]).map(|secs| secs * 1e3))
        .or_else(|| rate.map(|rate| requests as f64 * 1e3 / rate))
        .unwrap_or(0.0);
    let time = |keys: &[&str]| {
        let ms = keys.iter().find_map(|key| metric("http_req_duration", key))?;
        Some((ms * 1e6).min(1e18).round() as u64)
    };
    let latencies = Latencies {
        count: whole("http_req_duration", "count").unwrap_or(requests),
        min: time(&["min"]),
        mean: time(&["avg"]),
        p50: time(&["med", "p(50)"]),
        p75: time(&["p(75)"]),
        p90: time(&["p(90)", "p90"]),
        p95: time(&["p(95)", "p95"]),
        p99: time(&["p(99)", "p99"]),
        p99_9: time(&["p(99.9)"]),
        p99_99: time(&["p(99.99)"]),
        max: time(&["max"]),
        ..Latencies::default()
    };
    Ok(Foreign {
        tool: "k6",
        started_unix_ns: None,
        measured: Measured {
            duration_ns: (duration_ms * 1e6).clamp(0.0, 1e18) as u64,
            completed: requests.saturating_sub(failed),
            errors: [("failed".to_owned(), failed.min(requests))].into(),
            dropped: whole("dropped_iterations", "count").unwrap_or(0),
            bytes_sent: whole("data_sent", "count").unwrap_or(0),
            bytes_received: whole("data_received", "count").unwrap_or(0),
            service_ns: if requests > 0 { carried(latencies) } else { Latencies::default() },
            checks: checks(value),
            ..Measured::default()
        },
        slos: thresholds(&metrics),
        lacking: "latencies count from the moment of sending, so what a request waited before it is missing; its executors, and so its load model, are not in the summary, and dropped counts iterations",
        ..Foreign::default()
    })
}

/// The metrics by name, whichever form they come in.
fn metrics_of(value: &Value) -> Map<String, Value> {
    if let Some(metrics) = value.get("metrics").and_then(Value::as_object) {
        return metrics.clone();
    }
    let listed = value.get("results").and_then(|results| results.get("metrics")).and_then(Value::as_array);
    let named = |metric: &Value| Some((metric.get("name")?.as_str()?.to_owned(), metric.clone()));
    listed.into_iter().flatten().filter_map(named).collect()
}

/// The checks of all groups; groups nest, and the depth is bounded by the reader of JSON.
fn checks(value: &Value) -> Vec<CheckRecord> {
    let mut checks = Vec::new();
    let mut groups: Vec<&Value> = value.get("root_group").into_iter().collect();
    groups.extend(value.get("results").and_then(|results| results.get("checks")));
    while let Some(group) = groups.pop() {
        let listed = group.get("checks").or_else(|| group.get("results"));
        for check in items(listed).take(ITEMS_MAX.saturating_sub(checks.len())) {
            let name = check.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            let number = |key: &str| count(check, &[key]).unwrap_or(0);
            checks.push(CheckRecord { name, passed: number("passes"), failed: number("fails") });
        }
        groups.extend(items(group.get("groups")));
    }
    checks
}

/// The members of a list, or of an object by name.
fn items(value: Option<&Value>) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Some(Value::Array(items)) => Box::new(items.iter()),
        Some(Value::Object(items)) => Box::new(items.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Thresholds are objectives; `--summary-export` says of each whether it failed, `handleSummary` whether it is kept.
fn thresholds(metrics: &Map<String, Value>) -> Vec<SloRecord> {
    let mut slos = Vec::new();
    for (name, metric) in metrics {
        for (expression, outcome) in metric.get("thresholds").and_then(Value::as_object).into_iter().flatten()
        {
            let kept = outcome.get("ok").and_then(Value::as_bool).or(outcome.as_bool().map(|failed| !failed));
            if let Some(ok) = kept.filter(|_| slos.len() < ITEMS_MAX) {
                slos.push(SloRecord {
                    expression: format!("{name}: {expression}"),
                    ok,
                    observed: None,
                    observed_text: "as k6 found".to_owned(),
                    phase: "measure".to_owned(),
                });
            }
        }
    }
    slos
}
