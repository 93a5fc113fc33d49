//! The summary as data.

use crate::fixture::{run, summary};
use expect_test::{expect, expect_file};
use k6_metrics::summary::{Execution, MachineFacts, TimeUnit};
use k6_metrics::text::{LegacyText, Visibility};
use k6_metrics::{Detail, Json, JunitNames, Summary, SummaryOptions, TrendStats, junit};

#[test]
fn the_argument_of_handle_summary() {
    let data = summary(&run(Detail::Compact), &SummaryOptions::default()).to_json();
    expect_file!["gold/handle-summary.json"].assert_eq(&format!("{}\n", data.to_pretty()));
}

#[test]
fn the_exported_file_says_what_failed() {
    let data = summary(&run(Detail::Compact), &SummaryOptions::default()).to_export();
    expect_file!["gold/summary-export.json"].assert_eq(&format!("{}\n", data.to_pretty()));
}

#[test]
fn the_form_for_machines() {
    let run = run(Detail::Compact);
    // What trends show elsewhere changes nothing here.
    let options =
        SummaryOptions { trend_stats: TrendStats::parse(["count"]).unwrap(), ..SummaryOptions::default() };
    let facts = MachineFacts {
        script: "export default () => {}\n",
        execution: Execution::Local,
        generated_at: "2026-11-21T08:38:16.95Z",
        k6_version: "2.2.0",
        visibility: Visibility::Compact,
    };
    let data = summary(&run, &options).to_machine(&run.books, facts);
    expect_file!["gold/machine-readable.json"].assert_eq(&format!("{}\n", data.to_pretty()));
}

#[test]
fn what_a_script_hands_back_prints_the_same() {
    let options = SummaryOptions {
        trend_stats: TrendStats::parse(["avg", "p(99.9)", "count"]).unwrap(),
        time_unit: Some(TimeUnit::Milliseconds),
        no_color: true,
    };
    let before = summary(&run(Detail::Compact), &options);
    let text = before.to_json().to_compact();
    let after = Summary::from_json(&Json::parse(&text).unwrap());
    assert_eq!(after.to_json().to_compact(), text);
    assert_eq!(LegacyText::default().render(&after), LegacyText::default().render(&before));
    assert_eq!(junit(&after, &JunitNames::default()), junit(&before, &JunitNames::default()));
}

#[test]
fn what_a_script_broke_still_prints() {
    for text in [
        "null",
        "{}",
        "[1]",
        r#"{"metrics": 1, "root_group": [], "options": "x", "state": null}"#,
        r#"{"metrics": {"a": 1, "b": {"type": "counter"}, "c{": {"type": "trend", "values": {"avg": "x"}}, "d": {"type": "rate", "values": {"rate": 1e308}}},
            "root_group": {"name": "g", "checks": [1, {"name": "c", "passes": -1, "fails": 1e300}], "groups": [null]}}"#,
    ] {
        let summary = Summary::from_json(&Json::parse(text).unwrap());
        let printed = LegacyText::default().render(&summary);
        assert!(!printed.contains("NaN"), "{printed}");
        assert!(junit(&summary, &JunitNames::default()).contains("tests=\"0\""));
    }
}

#[test]
fn thresholds_are_test_cases() {
    let names = JunitNames { name: "nightly <\"&'>".to_owned(), classname: "shop".to_owned() };
    let xml = junit(&summary(&run(Detail::Compact), &SummaryOptions::default()), &names);
    expect![[r#"
        <?xml version="1.0"?>
            <testsuites tests="7" failures="4">
              <testsuite name="nightly &lt;&quot;&amp;&apos;&gt;" tests="7" failures="4">
                <testcase name="checks - rate&gt;0.9" classname="shop"><failure message="rate threshold failed: rate value: 0.6363636363636364, passes value: 7, fails value: 4" /></testcase>
        <testcase name="http_req_duration - p(95)&lt;300" classname="shop"><failure message="trend threshold failed: avg value: 250, min value: 100, med value: 250, max value: 400, p(90) value: 370, p(95) value: 385" /></testcase>
        <testcase name="http_req_duration - p(99.5) &lt; 100" classname="shop"><failure message="trend threshold failed: avg value: 250, min value: 100, med value: 250, max value: 400, p(90) value: 370, p(95) value: 385" /></testcase>
        <testcase name="http_req_duration{gzip:yes} - avg&lt;=250" classname="shop" />
        <testcase name="nothing{a:b} - count==0" classname="shop" />
        <testcase name="visits{page: &quot;home&quot;} - count&gt;5" classname="shop"><failure message="counter threshold failed: count value: 4, rate value: 0.4" /></testcase>
        <testcase name="visits{page: &quot;home&quot;} - rate&gt;0" classname="shop" />
              </testsuite>
            </testsuites>"#]].assert_eq(&xml);
}
