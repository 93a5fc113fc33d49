//! Old configurations in the newest form: the same plan, comments kept, and what changes said.

use expect_test::{Expect, ExpectFile, expect, expect_file};
use plan::Plan;
use std::path::Path;

/// Migrates a text, checks that the result runs the same and stays as it is, and gives it after the findings.
fn migrated(text: &str, name: &str) -> String {
    let migrated = tulip::to_newest(text, name);
    let renames = migrated.diagnostics.iter().any(|found| found.message.contains("called"));
    let mut out: Vec<String> = migrated.diagnostics.iter().map(ToString::to_string).collect();
    let Some(newest) = migrated.text else { return out.join("\n") };
    assert!(tulip::is_config(&newest), "{newest}");
    let (before, after) = (tulip::parse(text, name, None), tulip::parse(&newest, name, None));
    assert_eq!(before.run.is_some(), after.run.is_some(), "{newest}\n{:#?}", after.diagnostics);
    if let (Some(before), Some(after)) = (before.run, after.run) {
        assert_eq!(after.dialect, tulip::Dialect::G, "{newest}");
        let parts = |plan: &Plan| {
            let mut plan = plan.clone();
            if renames {
                plan.phases.iter_mut().for_each(|phase| phase.name.clear());
                plan.scenarios.iter_mut().for_each(|scenario| scenario.name.clear());
            }
            (plan.name, plan.targets, plan.scenarios, plan.phases)
        };
        assert_eq!(parts(&before.plan), parts(&after.plan), "{newest}");
        assert_eq!(before.thread_count, after.thread_count);
    }
    assert_eq!(
        tulip::to_newest(&newest, name).text.as_deref(),
        Some(newest.as_str()),
        "written anew it changes again"
    );
    out.push(newest);
    out.join("\n")
}

fn check_file(name: &str, expected: ExpectFile) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    expected.assert_eq(&migrated(&std::fs::read_to_string(path).unwrap(), name));
}

#[test]
fn the_corpus() {
    check_file("A-2024-08-seed-default.json", expect_file!["gold/newest-A.txt"]);
    check_file("B-2.0.0-mbench.json", expect_file!["gold/newest-B.txt"]);
    check_file("C-2.0.5-benchmark_config.jsonc", expect_file!["gold/newest-C.txt"]);
    check_file("D-2.1.5-benchmark_config.jsonc", expect_file!["gold/newest-D.txt"]);
    check_file("E-2.1.17-benchmark_config.jsonc", expect_file!["gold/newest-E.txt"]);
    check_file("F-2.2.5-benchmark_config.jsonc", expect_file!["gold/newest-F.txt"]);
    check_file("G-2.3.4-benchmark_config.jsonc", expect_file!["gold/newest-G.txt"]);
    check_file("G-kwrk-default.json", expect_file!["gold/newest-kwrk.txt"]);
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&migrated(text, "c.json"));
}

#[test]
fn what_the_newest_form_says_otherwise_is_said() {
    // Two contexts whose tokens differ for some benchmarks, the id at the end in use, two benchmarks of one name, a key of nobody's.
    let said = migrated(
        r#"{"static": {"user_class": "HttpUser", "user_params": {"n": 1, "s": "1", "b": true}, "user_actions": {"99": "stop", "100": "x"}, "x": 1},
        "contexts": [{"name": "a", "enabled": true, "num_users": 4, "num_threads": 2}, {"name": "b", "num_users": 4, "num_threads": 4}],
        "benchmarks": [
            {"name": "onStart", "enabled": true, "work_in_progress": 1, "actions": [{"id": 0}, {"id": 8}]},
            {"name": "m", "enabled": true, "time": {"benchmark_duration": 99, "prewarmup_duration": 1}, "throughput_rate": 99.0, "actions": [{"id": 1, "weight": 99}]},
            {"name": "m", "enabled": true, "time": {"benchmark_duration": 2}, "work_in_progress": -1, "actions": [{"id": 1}]},
            {"name": "end", "enabled": true, "work_in_progress": 1, "actions": [{"id": 99}]}]}"#,
        "c.json",
    );
    expect_file!["gold/newest-odd.txt"].assert_eq(&said);
}

#[test]
fn tokens_that_differ_by_context_alone_become_the_contexts_own() {
    check(
        r#"{"actions": {"user_class": "TestHttpUser"},
        "contexts": {"a": {"enabled": true, "num_users": 4, "num_threads": 1}, "b": {"enabled": true, "num_users": 4, "num_threads": 2}},
        "benchmarks": {"m": {"aps_rate": 5, "worker_thread_queue_size": 1, "time": {"benchmark_duration": 1}, "scenario_actions": [{"id": 1}]},
            "n": {"aps_rate": 5, "worker_thread_queue_size": -3, "time": {"benchmark_duration": 1}, "scenario_actions": [{"id": 1}]}}}"#,
        expect![[r#"
            warning: releases from 2.2.1 on put `onStart` before and `onStop` behind the benchmarks; a disabled one of that name keeps them out, as before
              --> c.json:3:9
            hint: remove it to have actions 0 and 100 carried out
            {
                "actions": {
                    "user_class": "TestHttpUser",
                    "user_actions": {}
                },
                "contexts": {
                    "a": {
                        "enabled": true,
                        "num_users": 4,
                        "num_tasks": 1,
                        "num_threads": 1
                    },
                    "b": {
                        "enabled": true,
                        "num_users": 4,
                        "num_tasks": 2,
                        "num_threads": 2
                    }
                },
                "benchmarks": {
                    "onStart": {
                        "enabled": false
                    },
                    "m": {
                        "enabled": true,
                        "aps_rate": 5.0,
                        "benchmark_duration": 1,
                        "scenario_actions": [
                            { "id": 1 }
                        ]
                    },
                    "n": {
                        "enabled": true,
                        "aps_rate": 5.0,
                        "num_tasks": 3,
                        "benchmark_duration": 1,
                        "scenario_actions": [
                            { "id": 1 }
                        ]
                    },
                    "onStop": {
                        "enabled": false
                    }
                }
            }
        "#]],
    );
}

#[test]
fn comments_stay_where_they_stood() {
    check(
        "// mine\n{ # top\n actions: {user_class: TestHttpUser /* who */}, contexts: {c: {enabled: true, num_users: 1}},\n
        // all of them\n benchmarks: {\n /* one\n  * and more */ 'b': { // b itself\n time: { // its time\n warmup_duration2: 1, // rated\n benchmark_duration: 1 },
        scenario_actions: [ // which\n { id: 1 }, // first\n // then\n { id: 2, weight: 0 } ] },\n },\n // the end\n}\n// after all\n",
        expect![[r#"
            warning: releases from 2.2.1 on put `onStart` before and `onStop` behind the benchmarks; a disabled one of that name keeps them out, as before
              --> c.json:6:2
            hint: remove it to have actions 0 and 100 carried out
            {
                // mine
                // top
                "actions": {
                    "user_class": "TestHttpUser", // who
                    "user_actions": {}
                },
                "contexts": {
                    "c": {
                        "enabled": true,
                        "num_users": 1,
                        "num_threads": 0
                    }
                },
                // all of them
                "benchmarks": {
                    "onStart": {
                        "enabled": false
                    },
                    // one
                    // and more
                    "b": { // b itself
                        "enabled": true,
                        "num_tasks": 11,
                        // its time
                        "warmup_duration2": 1, // rated
                        "benchmark_duration": 1,
                        "scenario_actions": [ // which
                            { "id": 1 }, // first
                            // then
                            { "id": 2, "weight": 0 }
                        ]
                    },
                    "onStop": {
                        "enabled": false
                    }
                }
            }
            // the end
            // after all
        "#]],
    );
}

#[test]
fn what_is_wrong_or_can_t_be_is_refused() {
    check(
        r#"{"static": {"workflows": {"w": {"-": {"99": 1.0}, "99": {"-": 1.0}}}}, "contexts": [], "benchmarks": [{"name": "b", "workflow": "w"}]}"#,
        expect![[r#"
            error: the workflow `w` has the action at the end for a state, and 100 can't be one
              --> c.json:1:33
            hint: leave it to a benchmark without a duration
            error: the workflow `w` has the action at the end for a state, and 100 can't be one
              --> c.json:1:51
            hint: leave it to a benchmark without a duration
            warning: releases from 2.2.1 on put `onStart` before and `onStop` behind the benchmarks; a disabled one of that name keeps them out, as before
              --> c.json:1:88
            hint: remove it to have actions 0 and 100 carried out"#]],
    );
    check(
        r#"{"actions": {}, "contexts": {"c": {"num_user": 1}}, "benchmarks": {}}"#,
        expect![[r#"
        error: the context `c` has no key `num_user`
          --> c.json:1:36
        hint: did you mean `num_users`?"#]],
    );
    check(
        r#"{"actions": {"user_class": "x" "#,
        expect![[r#"
        error: the text ends too early
          --> c.json:1:32
        hint: close what is open with `}`"#]],
    );
}

#[test]
fn a_class_of_somebodys_own_need_not_be_known() {
    let text = r#"{"actions": {"user_class": "shop.User"}, "contexts": {"c": {"enabled": true, "num_users": 2}},
        "benchmarks": {"b": {"worker_thread_queue_size": 0, "time": {"benchmark_duration": 1}, "scenario_actions": [{"id": 1}]}}}"#;
    let migrated = tulip::to_newest(text, "c.json").text.unwrap();
    assert!(
        migrated.contains("\"num_tasks\": 22") && migrated.contains("\"user_class\": \"shop.User\""),
        "{migrated}"
    );
}
