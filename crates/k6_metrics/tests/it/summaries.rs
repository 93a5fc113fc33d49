//! The summary as data.

use crate::fixture::{run, summary};
use expect_test::expect;
use k6_metrics::summary::{Execution, MachineFacts, TimeUnit};
use k6_metrics::text::{LegacyText, Visibility};
use k6_metrics::{Detail, Json, JunitNames, Summary, SummaryOptions, TrendStats, junit};

#[test]
fn the_argument_of_handle_summary() {
    let data = summary(&run(Detail::Compact), &SummaryOptions::default()).to_json();
    expect![[r#"
        {
            "root_group": {
                "name": "",
                "path": "",
                "id": "d41d8cd98f00b204e9800998ecf8427e",
                "groups": [
                    {
                        "name": "cart",
                        "path": "::cart",
                        "id": "f04b3cd05742616746bf38f3dd5f5654",
                        "groups": [
                            {
                                "name": "pay",
                                "path": "::cart::pay",
                                "id": "18ed24413e4a1a7c2728221c5ca36cc4",
                                "groups": [],
                                "checks": [
                                    {
                                        "name": "paid",
                                        "path": "::cart::pay::paid",
                                        "id": "4cadd9c2ab1ca90199b0a0406beae5ba",
                                        "passes": 0,
                                        "fails": 3
                                    },
                                    {
                                        "name": "alive",
                                        "path": "::cart::pay::alive",
                                        "id": "a712254207e2331042bba250c25a6dc6",
                                        "passes": 4,
                                        "fails": 0
                                    }
                                ]
                            }
                        ],
                        "checks": [
                            {
                                "name": "status is 200",
                                "path": "::cart::status is 200",
                                "id": "4efe55c570fffedd232da787a19c4c1c",
                                "passes": 2,
                                "fails": 1
                            }
                        ]
                    }
                ],
                "checks": [
                    {
                        "name": "alive",
                        "path": "::alive",
                        "id": "6cc3121ed323aca6d4b9ac4d24f940f9",
                        "passes": 1,
                        "fails": 0
                    }
                ]
            },
            "options": {
                "summaryTrendStats": [
                    "avg",
                    "min",
                    "med",
                    "max",
                    "p(90)",
                    "p(95)"
                ],
                "summaryTimeUnit": "",
                "noColor": false
            },
            "state": {
                "isStdOutTTY": true,
                "isStdErrTTY": false,
                "testRunDurationMs": 10000
            },
            "metrics": {
                "Age": {
                    "type": "gauge",
                    "contains": "time",
                    "values": {
                        "value": 0.25,
                        "min": 0.25,
                        "max": 0.25
                    }
                },
                "checks": {
                    "type": "rate",
                    "contains": "default",
                    "values": {
                        "rate": 0.6363636363636364,
                        "passes": 7,
                        "fails": 4
                    },
                    "thresholds": {
                        "rate>0.9": {
                            "ok": false
                        }
                    }
                },
                "data_received": {
                    "type": "counter",
                    "contains": "data",
                    "values": {
                        "count": 123456,
                        "rate": 12345.6
                    }
                },
                "found": {
                    "type": "rate",
                    "contains": "default",
                    "values": {
                        "rate": 0.25,
                        "passes": 1,
                        "fails": 3
                    }
                },
                "group_duration": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 10,
                        "min": 10,
                        "med": 10,
                        "max": 10,
                        "p(90)": 10,
                        "p(95)": 10
                    }
                },
                "http_req_duration": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 250,
                        "min": 100,
                        "med": 250,
                        "max": 400,
                        "p(90)": 370,
                        "p(95)": 385
                    },
                    "thresholds": {
                        "p(95)<300": {
                            "ok": false
                        },
                        "p(99.5) < 100": {
                            "ok": false
                        }
                    }
                },
                "http_req_duration{expected_response:true}": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 250,
                        "min": 100,
                        "med": 250,
                        "max": 400,
                        "p(90)": 370,
                        "p(95)": 385
                    }
                },
                "http_req_duration{gzip:yes}": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 250,
                        "min": 100,
                        "med": 250,
                        "max": 400,
                        "p(90)": 370,
                        "p(95)": 385
                    },
                    "thresholds": {
                        "avg<=250": {
                            "ok": true
                        }
                    }
                },
                "http_req_failed": {
                    "type": "rate",
                    "contains": "default",
                    "values": {
                        "rate": 0,
                        "passes": 0,
                        "fails": 4
                    }
                },
                "http_req_waiting": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 249.5,
                        "min": 99.5,
                        "med": 249.5,
                        "max": 399.5,
                        "p(90)": 369.5,
                        "p(95)": 384.5
                    }
                },
                "http_reqs": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 4,
                        "rate": 0.4
                    }
                },
                "iteration_duration": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 1234.567,
                        "min": 1234.567,
                        "med": 1234.567,
                        "max": 1234.567,
                        "p(90)": 1234.567,
                        "p(95)": 1234.567
                    }
                },
                "iterations": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 5,
                        "rate": 0.5
                    }
                },
                "nothing": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 0,
                        "rate": 0
                    }
                },
                "nothing{a:b}": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 0,
                        "rate": 0
                    },
                    "thresholds": {
                        "count==0": {
                            "ok": true
                        }
                    }
                },
                "queue": {
                    "type": "gauge",
                    "contains": "default",
                    "values": {
                        "value": 1,
                        "min": 1,
                        "max": 4
                    }
                },
                "steps": {
                    "type": "trend",
                    "contains": "time",
                    "values": {
                        "avg": 92250,
                        "min": 0,
                        "med": 92250,
                        "max": 184500,
                        "p(90)": 166050,
                        "p(95)": 175274.99999999997
                    }
                },
                "visits": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 6.5,
                        "rate": 0.65
                    }
                },
                "visits{page: \"home\"}": {
                    "type": "counter",
                    "contains": "default",
                    "values": {
                        "count": 4,
                        "rate": 0.4
                    },
                    "thresholds": {
                        "count>5": {
                            "ok": false
                        },
                        "rate>0": {
                            "ok": true
                        }
                    }
                },
                "vus": {
                    "type": "gauge",
                    "contains": "default",
                    "values": {
                        "value": 3,
                        "min": 3,
                        "max": 3
                    }
                },
                "weight": {
                    "type": "trend",
                    "contains": "default",
                    "values": {
                        "avg": 0.8333333333333334,
                        "min": -0.3333333333333333,
                        "med": 0.8333333333333335,
                        "max": 2,
                        "p(90)": 1.7666666666666668,
                        "p(95)": 1.8833333333333335
                    }
                }
            },
            "setup_data": {
                "token": "x",
                "list": [
                    1,
                    2
                ]
            }
        }"#]]
    .assert_eq(&data.to_pretty());
}

#[test]
fn the_exported_file_says_what_failed() {
    let data = summary(&run(Detail::Compact), &SummaryOptions::default()).to_export();
    expect![[r#"
        {
            "root_group": {
                "name": "",
                "path": "",
                "id": "d41d8cd98f00b204e9800998ecf8427e",
                "groups": {
                    "cart": {
                        "name": "cart",
                        "path": "::cart",
                        "id": "f04b3cd05742616746bf38f3dd5f5654",
                        "groups": {
                            "pay": {
                                "name": "pay",
                                "path": "::cart::pay",
                                "id": "18ed24413e4a1a7c2728221c5ca36cc4",
                                "groups": {},
                                "checks": {
                                    "paid": {
                                        "name": "paid",
                                        "path": "::cart::pay::paid",
                                        "id": "4cadd9c2ab1ca90199b0a0406beae5ba",
                                        "passes": 0,
                                        "fails": 3
                                    },
                                    "alive": {
                                        "name": "alive",
                                        "path": "::cart::pay::alive",
                                        "id": "a712254207e2331042bba250c25a6dc6",
                                        "passes": 4,
                                        "fails": 0
                                    }
                                }
                            }
                        },
                        "checks": {
                            "status is 200": {
                                "name": "status is 200",
                                "path": "::cart::status is 200",
                                "id": "4efe55c570fffedd232da787a19c4c1c",
                                "passes": 2,
                                "fails": 1
                            }
                        }
                    }
                },
                "checks": {
                    "alive": {
                        "name": "alive",
                        "path": "::alive",
                        "id": "6cc3121ed323aca6d4b9ac4d24f940f9",
                        "passes": 1,
                        "fails": 0
                    }
                }
            },
            "metrics": {
                "Age": {
                    "value": 0.25,
                    "min": 0.25,
                    "max": 0.25
                },
                "checks": {
                    "value": 0.6363636363636364,
                    "passes": 7,
                    "fails": 4,
                    "thresholds": {
                        "rate>0.9": true
                    }
                },
                "data_received": {
                    "count": 123456,
                    "rate": 12345.6
                },
                "found": {
                    "value": 0.25,
                    "passes": 1,
                    "fails": 3
                },
                "group_duration": {
                    "avg": 10,
                    "min": 10,
                    "med": 10,
                    "max": 10,
                    "p(90)": 10,
                    "p(95)": 10
                },
                "http_req_duration": {
                    "avg": 250,
                    "min": 100,
                    "med": 250,
                    "max": 400,
                    "p(90)": 370,
                    "p(95)": 385,
                    "thresholds": {
                        "p(95)<300": true,
                        "p(99.5) < 100": true
                    }
                },
                "http_req_duration{expected_response:true}": {
                    "avg": 250,
                    "min": 100,
                    "med": 250,
                    "max": 400,
                    "p(90)": 370,
                    "p(95)": 385
                },
                "http_req_duration{gzip:yes}": {
                    "avg": 250,
                    "min": 100,
                    "med": 250,
                    "max": 400,
                    "p(90)": 370,
                    "p(95)": 385,
                    "thresholds": {
                        "avg<=250": false
                    }
                },
                "http_req_failed": {
                    "value": 0,
                    "passes": 0,
                    "fails": 4
                },
                "http_req_waiting": {
                    "avg": 249.5,
                    "min": 99.5,
                    "med": 249.5,
                    "max": 399.5,
                    "p(90)": 369.5,
                    "p(95)": 384.5
                },
                "http_reqs": {
                    "count": 4,
                    "rate": 0.4
                },
                "iteration_duration": {
                    "avg": 1234.567,
                    "min": 1234.567,
                    "med": 1234.567,
                    "max": 1234.567,
                    "p(90)": 1234.567,
                    "p(95)": 1234.567
                },
                "iterations": {
                    "count": 5,
                    "rate": 0.5
                },
                "nothing": {
                    "count": 0,
                    "rate": 0
                },
                "nothing{a:b}": {
                    "count": 0,
                    "rate": 0,
                    "thresholds": {
                        "count==0": false
                    }
                },
                "queue": {
                    "value": 1,
                    "min": 1,
                    "max": 4
                },
                "steps": {
                    "avg": 92250,
                    "min": 0,
                    "med": 92250,
                    "max": 184500,
                    "p(90)": 166050,
                    "p(95)": 175274.99999999997
                },
                "visits": {
                    "count": 6.5,
                    "rate": 0.65
                },
                "visits{page: \"home\"}": {
                    "count": 4,
                    "rate": 0.4,
                    "thresholds": {
                        "count>5": true,
                        "rate>0": false
                    }
                },
                "vus": {
                    "value": 3,
                    "min": 3,
                    "max": 3
                },
                "weight": {
                    "avg": 0.8333333333333334,
                    "min": -0.3333333333333333,
                    "med": 0.8333333333333335,
                    "max": 2,
                    "p(90)": 1.7666666666666668,
                    "p(95)": 1.8833333333333335
                }
            },
            "setup_data": {
                "token": "x",
                "list": [
                    1,
                    2
                ]
            }
        }"#]]
    .assert_eq(&data.to_pretty());
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
    expect![[r#"
        {
            "config": {
                "duration": 10,
                "execution": "local",
                "script": "export default () => {}\n"
            },
            "metadata": {
                "generated_at": "2026-11-21T08:38:16.95Z",
                "k6_version": "2.2.0"
            },
            "results": {
                "checks": {
                    "metrics": [
                        {
                            "contains": "default",
                            "name": "checks_total",
                            "type": "counter",
                            "values": {
                                "count": 11
                            }
                        },
                        {
                            "contains": "default",
                            "name": "checks_failed",
                            "type": "rate",
                            "values": {
                                "matches": 4,
                                "rate": 0.36363636363636365,
                                "total": 11
                            }
                        },
                        {
                            "contains": "default",
                            "name": "checks_succeeded",
                            "type": "rate",
                            "values": {
                                "matches": 7,
                                "rate": 0.6363636363636364,
                                "total": 11
                            }
                        }
                    ],
                    "results": [
                        {
                            "fails": 0,
                            "name": "alive",
                            "passes": 5
                        },
                        {
                            "fails": 1,
                            "name": "status is 200",
                            "passes": 2
                        },
                        {
                            "fails": 3,
                            "name": "paid",
                            "passes": 0
                        }
                    ]
                },
                "metrics": [
                    {
                        "contains": "time",
                        "name": "Age",
                        "type": "gauge",
                        "values": {
                            "max": 0.25,
                            "min": 0.25,
                            "value": 0.25
                        }
                    },
                    {
                        "contains": "data",
                        "name": "data_received",
                        "type": "counter",
                        "values": {
                            "count": 123456
                        }
                    },
                    {
                        "contains": "default",
                        "name": "found",
                        "type": "rate",
                        "values": {
                            "matches": 1,
                            "rate": 0.25,
                            "total": 4
                        }
                    },
                    {
                        "contains": "time",
                        "name": "http_req_duration",
                        "type": "trend",
                        "values": {
                            "avg": 250,
                            "max": 400,
                            "med": 250,
                            "min": 100,
                            "p90": 370,
                            "p95": 385
                        }
                    },
                    {
                        "contains": "time",
                        "name": "http_req_duration{expected_response:true}",
                        "type": "trend",
                        "values": {
                            "avg": 250,
                            "max": 400,
                            "med": 250,
                            "min": 100,
                            "p90": 370,
                            "p95": 385
                        }
                    },
                    {
                        "contains": "time",
                        "name": "http_req_duration{gzip:yes}",
                        "type": "trend",
                        "values": {
                            "avg": 250,
                            "max": 400,
                            "med": 250,
                            "min": 100,
                            "p90": 370,
                            "p95": 385
                        }
                    },
                    {
                        "contains": "default",
                        "name": "http_req_failed",
                        "type": "rate",
                        "values": {
                            "matches": 0,
                            "rate": 0,
                            "total": 4
                        }
                    },
                    {
                        "contains": "default",
                        "name": "http_reqs",
                        "type": "counter",
                        "values": {
                            "count": 4
                        }
                    },
                    {
                        "contains": "time",
                        "name": "iteration_duration",
                        "type": "trend",
                        "values": {
                            "avg": 1234.567,
                            "max": 1234.567,
                            "med": 1234.567,
                            "min": 1234.567,
                            "p90": 1234.567,
                            "p95": 1234.567
                        }
                    },
                    {
                        "contains": "default",
                        "name": "iterations",
                        "type": "counter",
                        "values": {
                            "count": 5
                        }
                    },
                    {
                        "contains": "default",
                        "name": "nothing",
                        "type": "counter",
                        "values": {
                            "count": 0
                        }
                    },
                    {
                        "contains": "default",
                        "name": "nothing{a:b}",
                        "type": "counter",
                        "values": {
                            "count": 0
                        }
                    },
                    {
                        "contains": "default",
                        "name": "queue",
                        "type": "gauge",
                        "values": {
                            "max": 4,
                            "min": 1,
                            "value": 1
                        }
                    },
                    {
                        "contains": "time",
                        "name": "steps",
                        "type": "trend",
                        "values": {
                            "avg": 92250,
                            "max": 184500,
                            "med": 92250,
                            "min": 0,
                            "p90": 166050,
                            "p95": 175274.99999999997
                        }
                    },
                    {
                        "contains": "default",
                        "name": "visits",
                        "type": "counter",
                        "values": {
                            "count": 6.5
                        }
                    },
                    {
                        "contains": "default",
                        "name": "visits{page: \"home\"}",
                        "type": "counter",
                        "values": {
                            "count": 4
                        }
                    },
                    {
                        "contains": "default",
                        "name": "vus",
                        "type": "gauge",
                        "values": {
                            "max": 3,
                            "min": 3,
                            "value": 3
                        }
                    },
                    {
                        "contains": "default",
                        "name": "weight",
                        "type": "trend",
                        "values": {
                            "avg": 0.8333333333333334,
                            "max": 2,
                            "med": 0.8333333333333335,
                            "min": -0.3333333333333333,
                            "p90": 1.7666666666666668,
                            "p95": 1.8833333333333335
                        }
                    }
                ]
            },
            "version": "1.0.0"
        }"#]]
    .assert_eq(&summary(&run, &options).to_machine(&run.books, facts).to_pretty());
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
