//! Results of the java-http load tests, version 1: a run for each server, tool and scenario; times in µs, made by wrk or fusionauth.

use super::run::carried;
use super::{Foreign, Measured, count, ns};
use crate::read::date;
use record::{Environment, Latencies};
use serde_json::Value;

/// Most rows of a file: twenty servers with fifty scenarios.
const ROWS_MAX: usize = 1_000;

pub(super) fn is_result(value: &Value) -> bool {
    let row = value.get("results").and_then(|rows| rows.get(0));
    value.get("version").is_some()
        && row.is_some_and(|row| row.get("server").is_some() && row.get("metrics").is_some())
}

pub(super) fn read(value: &Value) -> Result<Vec<Foreign>, String> {
    let version = count(value, &["version"]);
    if version != Some(1) {
        return Err("only version 1 of java-http results is known".to_owned());
    }
    let started_unix_ns = value.get("timestamp").and_then(Value::as_str).and_then(date::unix_ns);
    let rows = value.get("results").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if rows.len() > ROWS_MAX {
        return Err(format!("it has more than {ROWS_MAX} rows"));
    }
    let environment = environment(value);
    let run = |row: &Value| {
        of_row(row).map(|run| Foreign { started_unix_ns, environment: environment.clone(), ..run })
    };
    rows.iter().map(run).collect()
}

fn environment(value: &Value) -> Environment {
    let system = |key: &str| text(value.get("system"), key);
    Environment {
        os: system("os").to_lowercase(),
        kernel: system("osVersion"),
        cpu_model: system("cpuModel"),
        cpu_count: count(value, &["system", "cpuCores"])
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(0),
        memory_bytes: count(value, &["system", "ramGB"]).unwrap_or(0).saturating_mul(1 << 30),
        notes: Some(system("javaVersion")).filter(|java| !java.is_empty()).into_iter().collect(),
        ..Environment::default()
    }
}

fn text(value: Option<&Value>, key: &str) -> String {
    value.and_then(|value| value.get(key)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn of_row(row: &Value) -> Result<Foreign, String> {
    let (server, scenario, tool) =
        (text(Some(row), "server"), text(Some(row), "scenario"), text(Some(row), "tool"));
    let metric = |key: &str| count(row, &["metrics", key]);
    let requests = metric("requests").ok_or("a row has no `metrics.requests`")?;
    let is_wrk = tool == "wrk";
    // 0 stands for what was not measured.
    let time = |key: &str| ns(row, &["metrics", key], 1e3).filter(|ns| *ns > 0);
    let latencies = Latencies {
        count: requests,
        mean: time("avg_latency_us"),
        p50: time("p50_us"),
        p90: time("p90_us"),
        p99: time("p99_us"),
        max: time("max_us"),
        ..Latencies::default()
    };
    let error = |class: &str, key: &str| (class.to_owned(), metric(key).unwrap_or(0));
    let errors = [
        error("connect", "errors_connect"),
        error("read", "errors_read"),
        error("write", "errors_write"),
        error("timeout", "errors_timeout"),
    ];
    let late = if is_wrk { metric("errors_timeout").unwrap_or(0) } else { 0 };
    let latencies = carried(latencies);
    Ok(Foreign {
        tool: if is_wrk { "wrk" } else { "java-http" },
        name: format!("{server} {scenario}").trim().to_owned(),
        labels: [("server", server), ("scenario", scenario), ("tool", tool)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
        measured: Measured {
            duration_ns: ns(row, &["metrics", "duration_us"], 1e3).unwrap_or(0),
            completed: requests.saturating_sub(late),
            errors: errors.into(),
            response_ns: latencies.clone(),
            service_ns: latencies,
            ..Measured::default()
        },
        lacking: "statuses were not recorded (answers with an error count as completed), and stalls are hidden, for its model is closed",
        ..Foreign::default()
    })
}
