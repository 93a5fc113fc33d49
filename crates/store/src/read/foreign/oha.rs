//! `oha --output-format json`: latencies in seconds. Source: `schema.json` in <https://github.com/hatoo/oha>.
//!
//! Its `requestsPerSec` counts errors and what was cut off at the end as well (`ResultData::len` there), so the rate is made of what completed.

use super::run::carried;
use super::{Foreign, Measured, count, ns, statuses};
use record::Latencies;
use serde_json::Value;

pub(super) fn is_report(value: &Value) -> bool {
    let has = |path: [&str; 2]| value.get(path[0]).and_then(|part| part.get(path[1])).is_some();
    has(["summary", "requestsPerSec"])
        && has(["summary", "successRate"])
        && value.get("statusCodeDistribution").is_some()
}

pub(super) fn read(value: &Value) -> Result<Foreign, String> {
    let time = |path: &[&str]| ns(value, path, 1e9);
    let percentile = |key: &str| time(&["latencyPercentiles", key]);
    let statuses = statuses(value.get("statusCodeDistribution"));
    let class = |name: &str| statuses.get(name).copied().unwrap_or(0);
    let answered = statuses.values().fold(0u64, |sum, count| sum.saturating_add(*count));
    let completed = class("2xx").saturating_add(class("3xx"));
    let (mut errors, mut unfinished) = (std::collections::BTreeMap::new(), 0u64);
    errors.insert("status".to_owned(), answered.saturating_sub(completed));
    for (text, count) in value.get("errorDistribution").and_then(Value::as_object).into_iter().flatten() {
        let count = count.as_u64().unwrap_or(0);
        // What was under way at the end of the time is no failure.
        if text.contains("deadline") {
            unfinished = unfinished.saturating_add(count);
        } else {
            let class =
                if text.contains("timeout") || text.contains("timed out") { "timeout" } else { "other" };
            let sum = errors.entry(class.to_owned()).or_insert(0);
            *sum = sum.saturating_add(count);
        }
    }
    let latencies = Latencies {
        count: answered,
        min: time(&["summary", "fastest"]),
        mean: time(&["summary", "average"]),
        p50: percentile("p50"),
        p75: percentile("p75"),
        p90: percentile("p90"),
        p95: percentile("p95"),
        p99: percentile("p99"),
        p99_9: percentile("p99.9"),
        p99_99: percentile("p99.99"),
        max: time(&["summary", "slowest"]),
        ..Latencies::default()
    };
    Ok(Foreign {
        tool: "oha",
        measured: Measured {
            duration_ns: time(&["summary", "total"]).ok_or("it has no `summary.total`")?,
            completed,
            errors,
            unfinished,
            bytes_received: count(value, &["summary", "totalData"]).unwrap_or(0),
            statuses,
            service_ns: if answered > 0 { carried(latencies) } else { Latencies::default() },
            ..Measured::default()
        },
        lacking: "its result does not tell whether a rate was asked for, nor whether latencies were corrected for it",
        ..Foreign::default()
    })
}
