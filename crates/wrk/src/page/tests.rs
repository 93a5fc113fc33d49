use super::*;
use record::Latencies;
use std::collections::BTreeMap;

/// A record with one measured phase, made through its JSON so that what is left out has its default.
fn record(facts: &Facts, latencies: &Latencies, errors: &[(&str, u64)], model: &str) -> RunRecord {
    let counts = serde_json::json!({"due": 0, "started": 0, "completed": latencies.count, "failed": 0, "dropped": 0, "unstarted": 0, "unfinished": 0, "censored": 0});
    let none = serde_json::to_value(Latencies::default()).unwrap();
    let some = serde_json::to_value(latencies).unwrap();
    let errors: BTreeMap<&str, u64> = errors.iter().copied().collect();
    let refused = errors.get("status").copied().unwrap_or(0);
    let phase = serde_json::json!({
        "name": "measure", "kind": "measure", "load_model": model, "repeat_index": 0, "start_ns": 0,
        "duration_ns": 2_000_000_000u64, "drain_ns": 0, "offered_per_sec": null, "achieved_per_sec": 0.0,
        "counts": counts, "errors": errors, "bytes_sent": 0, "bytes_received": 109_400,
        "traffic": {"requests": 0, "connections_opened": 0, "connections_lost": 0,
            "statuses": {"2xx": latencies.count - refused, "4xx": refused},
            "connect_ns": none, "tls_ns": none, "first_byte_ns": none},
        "in_flight_mean": 0.0, "in_flight_max": 0, "think_ns": 0,
        "service_ns": some, "response_ns": some, "wait_ns": none, "lateness_ns": none,
        "actions": [], "intervals": []
    });
    let mut plan = serde_json::json!({});
    facts.put_into(&mut plan);
    serde_json::from_value(serde_json::json!({
        "schema_version": 1, "run_id": "", "name": "", "started_unix_ns": 0, "duration_ns": 0, "aborted": null,
        "plan": plan, "environment": {"os": "", "kernel": "", "cpu_model": "", "cpu_count": 1, "memory_bytes": 0, "weir_version": "", "driver": ""},
        "verdict": {"state": "valid", "reasons": []}, "slos": [], "phases": [phase],
        "client": {"cpu_user_ns": 0, "cpu_system_ns": 0, "rss_bytes_max": 0, "steal_ratio": null, "workers": []}
    }))
    .unwrap()
}

fn facts(line: &str, mode: Mode) -> Facts {
    let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
    let mut facts = Facts::of(&crate::read(&words, mode, "wrk").outcome.unwrap());
    facts.requests_per_sec = Statistics::of_samples([490, 500, 510, 860]);
    facts
}

/// 1000 values from 100 µs to 1.2 s, most of them small.
fn latencies() -> Latencies {
    let mut histogram = stats::Histogram::default();
    (1..=990u64).for_each(|n| histogram.record(n * 100_000));
    (1..=10u64).for_each(|n| histogram.record(n * 120_000_000));
    Latencies::of(&histogram)
}

/// What ends in a blank shows it as `·`.
fn shown(page: &str) -> String {
    page.lines()
        .map(|line| line.strip_suffix(' ').map_or(line.to_owned(), |line| format!("{line}·")) + "\n")
        .collect()
}

#[test]
fn wrks_page_has_its_layout() {
    let facts = facts("-t3 -c10 -d90 -L http://127.0.0.1:8080/x", Mode::Wrk);
    let errors = [("timeout", 3), ("connect_refused", 1), ("receive_reset", 2), ("status", 7)];
    let record = record(&facts, &latencies(), &errors, "closed");
    expect_test::expect![[r#"
        Running 2m test @ http://127.0.0.1:8080/x
          3 threads and 10 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency    55.65ms   75.44ms   1.20s    99.10%
            Req/Sec   590.00    180.19     0.86k    75.00%
          Latency Distribution
             50%   50.09ms
             75%   75.07ms
             90%   90.08ms
             99%  120.03ms
          1000 requests in 2.00s, 106.84KB read
          Socket errors: connect 1, read 2, write 0, timeout 3
          Non-2xx or 3xx responses: 7
        Requests/sec:    500.00
        Transfer/sec:     53.42KB
    "#]]
    .assert_eq(&shown(&page(&record).unwrap()));
}

#[test]
fn a_page_without_a_single_answer_has_the_forms_that_parsers_meet() {
    let mut facts = facts("-L http://a/", Mode::Wrk);
    facts.requests_per_sec = Statistics::default();
    let none = record(&facts, &Latencies::default(), &[], "closed");
    expect_test::expect![[r#"
        Running 10s test @ http://a/
          2 threads and 10 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     0.00us    0.00us   0.00us    -nan%
            Req/Sec     0.00      0.00     0.00      -nan%
          Latency Distribution
             50%    0.00us
             75%    0.00us
             90%    0.00us
             99%    0.00us
          0 requests in 2.00s, 106.84KB read
        Requests/sec:      0.00
        Transfer/sec:     53.42KB
    "#]]
    .assert_eq(&shown(&page(&none).unwrap()));
    facts.mode = "wrk2".to_owned();
    facts.latency = false;
    let none = record(&facts, &Latencies::default(), &[], "open");
    expect_test::expect![[r#"
        Running 10s test @ http://a/
          2 threads and 10 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency       -nan      -nan   0.00us    0.00%
            Req/Sec       -nan      -nan   0.00      0.00%
          0 requests in 2.00s, 106.84KB read
        Requests/sec:      0.00
        Transfer/sec:     53.42KB
    "#]]
    .assert_eq(&shown(&page(&none).unwrap()));
}

#[test]
fn wrk2s_page_has_its_layout() {
    let facts = facts("-R500 -U -d 30s http://127.0.0.1:8080/x", Mode::Wrk2);
    let mut record = record(&facts, &latencies(), &[], "open");
    let mut warm_up = record.phases[0].clone();
    warm_up.kind = PhaseKind::Warmup;
    record.phases.insert(0, warm_up);
    let page = shown(&page(&record).unwrap());
    // The spectrum has a test of its own.
    let short: Vec<&str> = page
        .lines()
        .filter(|line| !line.trim_start().starts_with(|c: char| c.is_ascii_digit()) || !line.contains("  "))
        .collect();
    expect_test::expect![[r#"
        Running 30s test @ http://127.0.0.1:8080/x
          Thread calibration: mean lat.: 55.654ms, rate sampling interval: 100ms
          Thread calibration: mean lat.: 55.654ms, rate sampling interval: 100ms
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency    55.65ms   75.41ms   1.20s    99.10%
            Req/Sec   590.00    156.04     0.86k    75.00%
          Latency Distribution (HdrHistogram - Recorded Latency)

          Detailed Percentile spectrum:
               Value   Percentile   TotalCount 1/(1-Percentile)

        #[Mean    =       55.654, StdDeviation   =       75.406]
        #[Max     =     1200.000, Total count    =         1000]
        #[Buckets =           27, SubBuckets     =         2048]
        ----------------------------------------------------------

          Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))

          Detailed Percentile spectrum:
               Value   Percentile   TotalCount 1/(1-Percentile)

        #[Mean    =       55.654, StdDeviation   =       75.406]
        #[Max     =     1200.000, Total count    =         1000]
        #[Buckets =           27, SubBuckets     =         2048]
        ----------------------------------------------------------
        Requests/sec:    500.00
        Transfer/sec:     53.42KB"#]].assert_eq(&short.join("\n"));
    assert_eq!(page.matches("  Thread calibration: mean lat.: ").count(), 2, "one for each thread");
}
