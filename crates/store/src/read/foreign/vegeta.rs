//! `vegeta report -type=json`: an open model; latencies in ns from the moment of sending, errors among them.
//! Source: `Metrics` in <https://github.com/tsenart/vegeta> `lib/metrics.go`.

use super::run::carried;
use super::{Foreign, Measured, count, ns, number, statuses};
use crate::read::date;
use record::Latencies;
use serde_json::Value;

pub(super) fn is_report(value: &Value) -> bool {
    let has = |key: &str| value.get(key).is_some();
    has("latencies") && has("throughput") && has("success") && has("status_codes")
}

pub(super) fn read(value: &Value) -> Result<Foreign, String> {
    let requests = count(value, &["requests"]).ok_or("it has no `requests`")?;
    let success =
        number(value, &["success"]).filter(|share| *share <= 1.0).ok_or("it has no `success` of 0 to 1")?;
    let completed = (requests as f64 * success).round() as u64;
    let time = |key: &str| ns(value, &["latencies", key], 1.0);
    let latencies = Latencies {
        count: requests,
        min: time("min").filter(|min| *min > 0),
        mean: time("mean"),
        p50: time("50th"),
        p90: time("90th"),
        p95: time("95th"),
        p99: time("99th"),
        max: time("max"),
        ..Latencies::default()
    };
    let duration_ns = ns(value, &["duration"], 1.0).unwrap_or(0);
    Ok(Foreign {
        tool: "vegeta",
        started_unix_ns: value.get("earliest").and_then(Value::as_str).and_then(date::unix_ns),
        measured: Measured {
            is_open: true,
            duration_ns,
            offered_per_sec: number(value, &["rate"]),
            // Over the attack and the wait for its last answers.
            achieved_per_sec: number(value, &["throughput"]),
            completed,
            errors: [("failed".to_owned(), requests.saturating_sub(completed))].into(),
            bytes_sent: count(value, &["bytes_out", "total"]).unwrap_or(0),
            bytes_received: count(value, &["bytes_in", "total"]).unwrap_or(0),
            statuses: statuses(value.get("status_codes")),
            service_ns: carried(latencies),
            ..Measured::default()
        },
        lacking: "latencies count from the moment of sending, so what a request waited before it is missing",
        ..Foreign::default()
    })
}
