//! Other tools' results, as these tools print them.

use record::{LoadModel, RunRecord, VerdictState};
use store::read;

fn runs(text: &str) -> Vec<RunRecord> {
    read::records(text.as_bytes(), "result", 1_790_942_467_000_000_000)
        .unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    read::records(text.as_bytes(), "result", 0).unwrap_err().message
}

fn one(text: &str) -> RunRecord {
    let [record] = <[RunRecord; 1]>::try_from(runs(text)).unwrap();
    assert_eq!(record.verdict.state, VerdictState::Suspect);
    assert!(record.verdict.reasons[0].message.contains(&record.origin), "{:?}", record.verdict);
    assert_eq!(runs(text)[0], record, "the same file is the same run");
    record
}

const WRK: &str = "\
Running 10s test @ http://127.0.0.1:8080/index.html
  2 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  Latency Distribution
     50%  250.00us
     75%  491.00us
     90%  700.00us
     99%    5.80ms
  1000000 requests in 10.00s, 1.50MB read
  Socket errors: connect 1, read 2, write 3, timeout 4
  Non-2xx or 3xx responses: 10
Requests/sec: 100000.00
Transfer/sec:    153.60KB
";

#[test]
fn a_page_of_wrk() {
    let record = one(WRK);
    let phase = &record.phases[0];
    assert_eq!((record.origin.as_str(), record.name.as_str()), ("wrk", "http://127.0.0.1:8080/index.html"));
    assert_eq!((phase.load_model, phase.duration_ns), (LoadModel::Closed, 10_000_000_000));
    assert_eq!((phase.counts.completed, phase.counts.failed), (1_000_000 - 4 - 10, 20));
    assert_eq!(phase.errors["timeout"], 4);
    assert_eq!(phase.bytes_received, 1_572_864);
    let times = &phase.response_ns;
    assert_eq!((times.mean, times.stdev, times.max), (Some(635_910), Some(890_000), Some(12_920_000)));
    assert_eq!(
        (times.p50, times.p75, times.p99, times.p99_9),
        (Some(250_000), Some(491_000), Some(5_800_000), None)
    );
    assert_eq!(times.count, 999_996);
    assert_eq!(record.started_unix_ns, 1_790_942_467_000_000_000);
}

#[test]
fn the_rate_of_a_page_is_the_one_that_it_prints() {
    let page = WRK.replace("in 10.00s", "in 1.11s").replace("1000000 requests", "25110 requests");
    let plain = page.replace("timeout 4", "timeout 0").replace("responses: 10", "responses: 0");
    let phase = &one(&plain.replace("Requests/sec: 100000.00", "Requests/sec: 22694.47")).phases[0];
    assert!((phase.achieved_per_sec - 22_694.47).abs() < 0.01, "{}", phase.achieved_per_sec);
    // A rate that has nothing to do with the duration is not believed.
    assert_eq!(one(&plain).phases[0].duration_ns, 1_110_000_000);
}

#[test]
fn what_wrk2_calls_time_outs_are_no_requests() {
    let record = one("\
Running 30s test @ http://127.0.0.1:8080/
  2 threads and 100 connections
  Thread calibration: mean lat.: 1.002ms, rate sampling interval: 10ms
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.50ms    0.50ms   4.00ms   70.00%
    Req/Sec     1.05k   100.00     1.20k    80.00%
  300 requests in 30.00s, 19.81KB read
  Socket errors: connect 0, read 0, write 0, timeout 500
Requests/sec:     10.00
Transfer/sec:      0.66KB
");
    let phase = &record.phases[0];
    assert_eq!((record.origin.as_str(), phase.counts.completed, phase.errors["timeout"]), ("wrk2", 300, 500));
}

#[test]
fn a_spectrum_of_wrk2_gives_its_histogram() {
    let record = one("\
Running 30s test @ http://127.0.0.1:8080/
  2 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.50ms    0.50ms   4.00ms   70.00%
    Req/Sec     1.05k   100.00     1.20k    80.00%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.40ms
 99.000%    3.00ms
100.000%    4.00ms

  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.500     0.000000           10         1.00
       1.400     0.500000        30000         2.00
       3.000     0.990000        59400       100.00
       4.000     1.000000        60000          inf
#[Mean    =        1.500, StdDeviation   =        0.500]
#[Max     =        4.000, Total count    =        60000]
  60000 requests in 30.00s, 19.81MB read
Requests/sec:   2000.00
Transfer/sec:      0.66MB
");
    let phase = &record.phases[0];
    assert_eq!(
        (record.origin.as_str(), phase.load_model, phase.offered_per_sec),
        ("wrk2", LoadModel::Open, None)
    );
    assert_eq!((phase.response_ns.count, phase.service_ns.count), (60_000, 0));
    let histogram = phase.response_ns.to_histogram().unwrap();
    assert_eq!(histogram.count_above(3_100_000), 600);
    assert!(phase.response_ns.p50.unwrap().abs_diff(1_400_000) < 2_000);
}

#[test]
fn summaries_of_k6_of_both_kinds() {
    let new = one(
        r#"{"root_group":{"groups":[{"groups":[],"checks":[{"name":"inner","passes":3,"fails":4}]}],
        "checks":[{"name":"status is 200","passes":99,"fails":1}]},"options":{},"state":{"testRunDurationMs":10000.5},
        "metrics":{"http_reqs":{"type":"counter","values":{"count":20000,"rate":2000}},
        "http_req_failed":{"type":"rate","values":{"rate":0.01,"passes":200,"fails":19800}},
        "http_req_duration":{"type":"trend","contains":"time","values":{"avg":2.5,"min":0.5,"med":2,"max":50,"p(90)":4,"p(95)":5.25},
        "thresholds":{"p(95)<5":{"ok":false}}},
        "data_received":{"values":{"count":123456,"rate":1}},"dropped_iterations":{"values":{"count":7}}}}"#,
    );
    let old = one(
        r#"{"metrics":{"http_reqs":{"count":20000,"rate":2000},"http_req_failed":{"passes":200,"fails":19800,"value":0.01},
        "http_req_duration":{"avg":2.5,"min":0.5,"med":2,"max":50,"p(90)":4,"p(95)":5.25,"thresholds":{"p(95)<5":true}},
        "data_received":{"count":123456},"dropped_iterations":{"count":7}},
        "root_group":{"groups":{"g":{"checks":{"inner":{"name":"inner","passes":3,"fails":4}}}},"checks":{"status is 200":{"name":"status is 200","passes":99,"fails":1}}}}"#,
    );
    let machine = one(
        r#"{"config":{"duration":10},"metadata":{"k6_version":"1.5"},"results":{"checks":{"results":[{"name":"inner","passes":3,"fails":4}]},
        "metrics":[{"name":"http_reqs","values":{"count":20000}},{"name":"http_req_failed","values":{"matches":200,"total":20000,"rate":0.01}},
        {"name":"http_req_duration","values":{"avg":2.5,"min":0.5,"med":2,"max":50,"p90":4,"p95":5.25}}]}}"#,
    );
    for record in [&new, &old, &machine] {
        let phase = &record.phases[0];
        assert_eq!((phase.counts.completed, phase.counts.failed), (19_800, 200));
        let times = &phase.service_ns;
        assert_eq!((times.mean, times.min, times.p50), (Some(2_500_000), Some(500_000), Some(2_000_000)));
        assert_eq!(
            (times.p90, times.p95, times.p99, times.max),
            (Some(4_000_000), Some(5_250_000), None, Some(50_000_000))
        );
        assert_eq!(phase.response_ns.count, 0, "k6 knows nothing of waits");
        assert!(
            phase.checks.iter().any(|check| check.name == "inner" && (check.passed, check.failed) == (3, 4))
        );
    }
    for record in [&new, &old] {
        assert_eq!((record.phases[0].counts.dropped, record.phases[0].checks.len()), (7, 2));
        assert_eq!(
            (record.slos[0].expression.as_str(), record.slos[0].ok),
            ("http_req_duration: p(95)<5", false)
        );
    }
    assert_eq!(new.phases[0].duration_ns, 10_000_500_000);
    assert_eq!(old.phases[0].duration_ns, 10_000_000_000);
}

#[test]
fn reports_of_vegeta_and_oha() {
    let record = one(
        r#"{"latencies":{"total":37036760000,"mean":12345587,"50th":10234567,"90th":19876543,"95th":24567890,"99th":38901234,"max":98765432,"min":503210},
        "bytes_in":{"total":3072000,"mean":1024},"bytes_out":{"total":0,"mean":0},"earliest":"2025-03-15T14:30:00Z","latest":"2025-03-15T14:30:29.99Z",
        "end":"2025-03-15T14:30:30.09Z","duration":29990000000,"wait":108765432,"requests":3000,"rate":100.03334,"throughput":99.7,"success":0.997,
        "status_codes":{"200":2991,"500":9},"errors":["500 Internal Server Error"]}"#,
    );
    let phase = &record.phases[0];
    assert_eq!((record.started_unix_ns, phase.offered_per_sec), (1_742_049_000_000_000_000, Some(100.03334)));
    assert_eq!((phase.counts.completed, phase.counts.failed, phase.traffic.statuses["5xx"]), (2_991, 9, 9));
    assert_eq!((phase.service_ns.p99, phase.service_ns.p50), (Some(38_901_234), Some(10_234_567)));
    let record = one(
        r#"{"summary":{"successRate":1,"total":10.0,"slowest":0.05,"fastest":0.0001,"average":0.001,"requestsPerSec":5000,"totalData":1000,
        "sizePerRequest":1,"sizePerSec":1},"responseTimeHistogram":{},"latencyPercentiles":{"p10":0.0002,"p50":0.0009,"p99":0.01,"p99.9":0.02,"p99.99":0.04},
        "statusCodeDistribution":{"200":49000,"503":900},"errorDistribution":{"aborted due to deadline":50,"operation timed out":100}}"#,
    );
    let phase = &record.phases[0];
    assert_eq!((phase.counts.completed, phase.counts.failed, phase.counts.unfinished), (49_000, 1_000, 50));
    assert_eq!((phase.errors["status"], phase.errors["timeout"]), (900, 100));
    // `requestsPerSec` has errors and what was cut off in it, too.
    let record = one(
        r#"{"summary":{"successRate":0.5,"total":10.0,"requestsPerSec":205,"totalData":1000},"latencyPercentiles":{},
        "statusCodeDistribution":{"200":1000},"errorDistribution":{"aborted due to deadline":50,"Connection refused (os error 111)":1000}}"#,
    );
    assert_eq!((record.phases[0].achieved_per_sec, record.phases[0].counts.failed), (100.0, 1_000));
    assert_eq!((phase.service_ns.p99_9, phase.service_ns.p99_99), (Some(20_000_000), None));
}

#[test]
fn a_result_of_java_http_is_a_run_for_each_row() {
    let row = |server: &str| {
        format!(
            r#"{{"server":"{server}","tool":"wrk","protocol":"http/1.1","scenario":"hello",
        "config":{{"threads":2,"connections":64,"duration":"10s","endpoint":"/"}},"metrics":{{"requests":50000,"duration_us":10000000,"rps":5000.00,
        "avg_latency_us":200.50,"p50_us":150,"p90_us":300,"p99_us":900,"max_us":9000,"errors_connect":0,"errors_read":0,"errors_write":0,"errors_timeout":0}}}}"#
        )
    };
    let text = format!(
        r#"{{"version":1,"timestamp":"2026-01-02T03:04:05Z","system":{{"os":"Linux","cpuModel":"Fast","cpuCores":8,"ramGB":16}},
        "tools":{{"selected":"wrk"}},"results":[{},{}]}}"#,
        row("self"),
        row("netty")
    );
    let records = runs(&text);
    let told: Vec<(&str, &str)> =
        records.iter().map(|run| (run.name.as_str(), run.labels["server"].as_str())).collect();
    assert_eq!(told, [("self hello", "self"), ("netty hello", "netty")]);
    assert_ne!(records[0].run_id, records[1].run_id);
    assert_eq!(
        (records[0].phases[0].achieved_per_sec, records[0].phases[0].response_ns.p99),
        (5_000.0, Some(900_000))
    );
    assert_eq!(records[0].environment.cpu_count, 8);
}

#[test]
fn hostile_and_foreign_texts_are_refused() {
    assert_eq!(refused(""), "`result` is no record of a run: it is neither JSON nor a report");
    assert_eq!(refused("{\"a\":1}"), "`result` is no record of a run: missing field `schema_version`");
    assert_eq!(refused("[]"), "`result` is no record of a run: it is empty");
    assert!(refused("<html>").contains("a page without runs of weir"));
    assert!(refused(&"[".repeat(100_000)).contains("no record of a run"));
    assert!(refused(&"{\"a\":".repeat(100_000)).contains("no record of a run"));
    let contradicts = WRK.replace("12.92ms", "0.10ms");
    assert_eq!(refused(&contradicts), "`result` can't be read: its latencies contradict each other");
    let huge =
        WRK.replace("1000000 requests", "99999999999999999999999 requests").replace("10.00s", "1e400s");
    assert!(refused(&huge).contains("N requests in T"));
    for cut in (0..WRK.len()).filter(|at| WRK.is_char_boundary(*at)) {
        // Whatever a page is cut to, it is read or refused.
        let _ = read::records(&WRK.as_bytes()[..cut], "result", 0);
    }
}

#[test]
fn an_html_report_gives_its_records_back() {
    let mut record = one(WRK);
    record.name = "</script><b>".to_owned();
    let json = serde_json::to_string(&[&record]).unwrap().replace('<', "\\u003c");
    let page = format!(
        "<!doctype html><script type=\"application/json\" id=\"weir-runs\">{json}</script><script>1</script>"
    );
    assert_eq!(runs(&page), [record]);
    assert!(refused(page.split("</script>").next().unwrap()).contains("cut short"));
}
