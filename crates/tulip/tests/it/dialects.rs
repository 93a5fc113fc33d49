//! Names of different releases in one file, and the rules that differ by release.

use crate::shown;
use expect_test::{Expect, expect};
use plan::Load;

/// A newest-form configuration with the class of the first releases, so that ids 0 to 10 are there.
fn config(contexts: &str, benchmarks: &str) -> String {
    format!(
        r#"{{"actions": {{"user_class": "user.http.HttpUser", "user_params": {{"url": "http://a:1/base"}}}},
        "contexts": {contexts}, "benchmarks": {benchmarks},
        "workflows": {{"w": {{"-": {{"1": 0.333, "2": 0.667}}, "1": {{"2": 0.9, "-": 0.1}}, "2": {{"-": 1.0}}}}}}}}"#
    )
}

const CONTEXT: &str = r#"{"c": {"enabled": true, "num_users": 4, "num_threads": 3}}"#;

fn check(benchmarks: &str, expected: Expect) {
    expected.assert_eq(&shown(&tulip::parse(&config(CONTEXT, benchmarks), "c.json", None)));
}

#[test]
fn names_of_all_releases_may_be_mixed() {
    check(
        r#"{"onStart": {"scenario_actions": [{"id": 0}]},
            "b": {"throughput_rate": 10, "warmup_duration1": 1, "num_tasks": 3,
                  "time": {"warmup_duration": 2, "benchmark_duration": 3, "benchmark_repeat_count": 2},
                  "actions": [{"id": 1, "weight": 2}, {"id": 2, "weight": 1}, {"id": 1, "weight": 1}, {"id": 3}]},
            "onStop": {"save_stats": false, "actions": []}}"#,
        expect![[r#"
            dialect F (2.2.1 to 2.2.5), threads 3
            plan "c"
            scenario "onStart" Sequence
                "action0"
            scenario "b" Cycle([3, 1])
                "action1" Uniform(0, 12000000)
                "action2" Uniform(0, 28000000)
            scenario "onStop" Sequence
                "action100" Constant(100000000)
            phase "onStart" Measure "onStart" once 4 users, in flight None, - x1
            phase "b prewarmup" Warmup "b" closed 4 users, in flight Some(3), 1.00 s x1
            phase "b warmup" Warmup "b" open 10/s, 4 users, in flight 3, 2.00 s x1
            phase "b" Measure "b" open 10/s, 4 users, in flight 3, 3.00 s x2
            phase "onStop" Measure "onStop" once 4 users, in flight None, - x1
            [0][0] "onStart" u:4 t:3 tokens:11 ["onStart"]
            [0][1] "b" u:4 t:3 tokens:3 ["b"]
            [0][2] "onStop" u:4 t:3 tokens:11 not saved ["onStop"]
            0 "action0" None
            1 "action1" None
            2 "action2" None
            100 "action100" None
        "#]],
    );
}

#[test]
fn rate_steps_count_iterations() {
    check(
        r#"[{"name": "s", "aps_rate": 40, "aps_rate_step_change": 40, "aps_rate_step_count": 3,
            "benchmark_duration": 1, "benchmark_iterations": 3, "scenario_workflow": "w"},
            {"name": "s", "benchmark_duration": 1, "benchmark_iterations": 2, "aps_rate_step_count": 3,
            "actions": [{"id": 9}, {"id": 3}, {"id": 9}]}]"#,
        expect![[r#"
            dialect C (2.0.2 to 2.1.0), threads 3
            plan "c"
            target a:1 http://a:1/base Shared(4) []
            scenario "s" Workflow { start: [0.333, 0.667], rows: [[0.0, 0.9], [0.0, 0.0]] }
                "action1" Uniform(0, 12000000)
                "action2" Uniform(0, 28000000)
            scenario "s" Sequence
                "action9"
                "action3" GET /posts/${user_number}
                "action9"
            phase "s step 1" Measure "s" open 40/s, 4 users, in flight 4, 1.00 s x3
            phase "s step 2" Measure "s" open 80/s, 4 users, in flight 4, 1.00 s x3
            phase "s step 3" Measure "s" open 120/s, 4 users, in flight 4, 1.00 s x3
            phase "s" Measure "s" closed 4 users, in flight None, 1.00 s x6
            [0][0] "s" u:4 t:3 tokens:33 w:w ["s step 1", "s step 2", "s step 3"]
            [0][1] "s" u:4 t:3 tokens:33 ["s"]
            1 "action1" None
            2 "action2" None
            9 "action9" None
            3 "action3" None
        "#]],
    );
}

#[test]
fn parameters_of_a_context_win_and_each_context_has_its_target() {
    let contexts = r#"{"a": {"enabled": true, "num_users": 4, "num_threads": 2},
        "b": {"enabled": true, "num_users": 8, "num_threads": 2, "user_params": {"url": "https://b", "shareConnections": "false"}}}"#;
    let text = config(contexts, r#"{"h": {"benchmark_duration": 1, "scenario_actions": [{"id": 3}]}}"#);
    let run = tulip::parse(&text, "c.json", None).run.unwrap();
    let targets: Vec<String> =
        run.plan.targets.iter().map(|target| format!("{} {:?}", target.url(), target.connections)).collect();
    assert_eq!(targets, ["http://a:1/base Shared(8)", "https://b PerUser"]);
    let names: Vec<&str> = run.plan.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["a / onStart", "a / h", "a / onStop", "b / onStart", "b / h", "b / onStop"]);
    assert_eq!(run.facts.benchmarks[4].context_index, 1);
}

#[test]
fn one_token_without_a_duration_is_one_after_another() {
    let text =
        config(CONTEXT, r#"[{"name": "i", "worker_thread_qsize": 1, "actions": [{"id": 0}, {"id": 8}]}]"#);
    let run = tulip::parse(&text, "c.json", None).run.unwrap();
    let phase = &run.plan.phases[0];
    assert_eq!(phase.load, Load::Once { users: 4, in_flight_max: Some(1) });
    assert_eq!((phase.action_count_max, phase.duration_ns), (None, None));
}

#[test]
fn a_file_of_actions_says_what_a_class_does() {
    let text = r#"{"actions": {"user_class": "shop.User", "user_actions": {"1": "PA, Pre-authorize", "2": "buy"}},
        "contexts": {"c": {"enabled": true, "num_users": 4}},
        "benchmarks": {"b": {"benchmark_duration": 1, "scenario_actions": [{"id": 1}, {"id": 2}, {"id": 3}]}}}"#;
    let mut actions = tulip::parse(
        &config(
            CONTEXT,
            r#"{"b": {"benchmark_duration": 1, "scenario_actions": [{"id": 1}, {"id": 2}, {"id": 3}]}}"#,
        ),
        "a.json",
        None,
    );
    let file = &mut actions.run.as_mut().unwrap().plan;
    for (action, name) in file.scenarios[1].actions.iter_mut().zip(["PA", "2", "3"]) {
        name.clone_into(&mut action.name);
    }
    let run = tulip::parse(text, "c.json", Some(file)).run.unwrap();
    // The class has no start and no stop that the file knew of, and a thread per user is any number of threads.
    assert_eq!((run.plan.phases.len(), run.thread_count), (1, None));
    let names: Vec<&str> = run.plan.scenarios[0].actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(names, ["PA", "buy", "action3"]);
    assert_eq!(run.plan.targets, file.targets);
}

#[test]
fn other_plans_are_not_taken_for_configurations() {
    assert!(!tulip::is_config("target: http://a\nrequest: GET /\nphases: []\n"));
    assert!(!tulip::is_config(r#"{"target": "http://a", "request": "GET /", "actions": []}"#));
    assert!(!tulip::is_config(""));
    assert!(tulip::is_config("// mine\n{benchmarks: {}}"));
    assert!(tulip::is_config(r#"{"contexts": {"a" {}}, "benchmarks": 1}"#), "broken, but meant so");
}

#[test]
fn contexts_that_differ_in_threads_are_run_by_the_most_and_their_rows_say_so() {
    let contexts = r#"{"one": {"enabled": true, "num_users": 4, "num_threads": 2}, "two": {"enabled": true, "num_users": 8, "num_threads": 1},
        "three": {"enabled": true, "num_users": 2}}"#;
    let benchmarks =
        r#"{"b": {"benchmark_duration": 1, "worker_thread_queue_size": 3, "scenario_actions": [{"id": 9}]}}"#;
    let loaded = tulip::parse(&config(contexts, benchmarks), "c.json", None);
    let said: Vec<&str> = loaded.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert_eq!(said, ["contexts differ in `num_threads`: all are run by 2 threads"]);
    let run = loaded.run.unwrap();
    assert_eq!(run.thread_count, Some(2));
    let rows = run.facts.benchmarks.iter().filter(|benchmark| benchmark.benchmark == "b");
    let rows: Vec<(u32, u32, u32)> = rows.map(|b| (b.user_count, b.thread_count, b.token_count)).collect();
    // Tokens are counted by each context's own threads; without any, there is one per user.
    assert_eq!(rows, [(4, 2, 6), (8, 2, 3), (2, 2, 6)]);
}
