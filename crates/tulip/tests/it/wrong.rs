//! What is wrong is said all at once, with its place and its mend.

use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let loaded = tulip::parse(text, "c.json", None);
    assert!(loaded.run.is_none(), "{text}");
    let said: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    expected.assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn many_faults_at_once() {
    check(
        r#"{
  "actions": {"descripton": "x", "user_class": "HttpUser", "user_actions": {"1000": "a"}},
  "contexts": {"c": {"enabled": true, "num_users": 0, "num_thread": 2}},
  "benchmarks": {
    "a": {"benchmark_duraton": 3, "aps_rate": "fast", "scenario_actions": [{"id": 1}]},
    "b": {"benchmark_duration": 3, "aps_rate": -1, "scenario_workflow": "Wx"},
    "c": {"benchmark_duration": 3, "scenario_workflow": "w"},
    "d": {"benchmark_duration": 3, "scenario_actions": [{"id": 3}, {"id": 42}, {"weight": 1}, {"id": 101}]},
    "e": {"benchmark_duration": 3, "enabled": "yes"},
    "f": 7
  },
  "workflows": {"w": {"-": {"1": 0.5, "2": 0.4}, "1": {"*": 1.0}, "2": {"-": 2}}, "wx": {"-": {"1": 1.0}}},
  "bench": 1
}"#,
        expect![[r#"
            error: `user_params` has no `url`, and actions send requests
              --> c.json:2:3
            hint: add `"url": "http://localhost:7070"`
            error: `actions` has no key `descripton`
              --> c.json:2:15
            hint: did you mean `description`?
            warning: `1000` is no id of an action, and its name is shown nowhere
              --> c.json:2:85
            hint: ids are 0 to 100
            error: the context `c` has no users
              --> c.json:3:16
            hint: set `num_users` to 1 or more
            error: the context `c` has no key `num_thread`
              --> c.json:3:55
            hint: did you mean `num_threads`?
            error: the benchmark `a` has no key `benchmark_duraton`
              --> c.json:5:11
            hint: did you mean `benchmark_duration`?
            error: `aps_rate` must be a number, found `fast`
              --> c.json:5:47
            hint: write for example 100.0
            error: the benchmark `b` has a negative rate
              --> c.json:6:48
            hint: use actions per second, or 0 for as fast as possible
            error: there is no workflow `Wx`
              --> c.json:6:73
            hint: did you mean `wx`?
            error: the class `HttpUser` has no action 42
              --> c.json:8:68
            hint: define it in a file named with --actions, as an action named "42"
            error: an action needs an `id`
              --> c.json:8:80
            hint: write `{"id": 1}`
            error: there is no action id 101
              --> c.json:8:95
            hint: ids are 0 to 100
            error: the benchmark `e` has no actions
              --> c.json:9:5
            hint: add `"scenario_actions": [{"id": 1}]`
            error: `enabled` must be true or false, found `yes`
              --> c.json:9:47
            hint: write true or false
            warning: the benchmark `f` has no actions and does nothing
              --> c.json:10:5
            hint: remove it
            error: an element of `benchmarks` must be an object, found `7`
              --> c.json:10:10
            hint: write `{…}`
            error: workflow `w`, state `-`: the probabilities sum to 0.9, not to 1
              --> c.json:12:23
            hint: make them sum to 1; what is left over may go to "-"
            error: workflow `w`, state `1`: `*` is no state
              --> c.json:12:61
            hint: no release of Tulip carried a wildcard out; write a row for each state
            error: workflow `w`, state `2`: the probabilities sum to 2, not to 1
              --> c.json:12:67
            hint: make them sum to 1; what is left over may go to "-"
            error: workflow `w`, state `2`: 2 is no probability
              --> c.json:12:78
            hint: use 0.0 to 1.0
            warning: the workflow `wx` leads to the state `1`, which has no row
              --> c.json:12:83
            hint: add `"1": {"-": 1.0}`
            error: the configuration has no key `bench`
              --> c.json:13:3
            hint: remove it
        "#]],
    );
}

#[test]
fn an_unknown_class_gets_the_stub_to_write() {
    check(
        r#"{"actions": {"user_class": "shop.User", "user_actions": {"2": "BUY, Buys"}},
  "contexts": {"c": {"enabled": true, "num_users": 1}},
  "benchmarks": {"a": {"benchmark_duration": 3, "scenario_actions": [{"id": 2}, {"id": 7}]}}}"#,
        expect![[r#"
            error: the user class `shop.User` is not built in, and nothing else says what its actions do
              --> c.json:1:28
            hint: write what they do into a file and name it with --actions, for example

              target: http://localhost:7070
              actions:
                - name: "2"   # BUY
                  get: /
                - name: "7"
                  get: /
        "#]],
    );
}

#[test]
fn a_workflow_needs_a_row_for_each_state_that_it_reaches() {
    let text = |rows: &str| {
        format!(
            r#"{{"actions": {{"user_class": "HttpUser"}}, "contexts": {{"c": {{"enabled": true, "num_users": 1}}}},
  "benchmarks": {{"a": {{"benchmark_duration": 3, "scenario_workflow": "w"}}}},
  "workflows": {{"w": {rows}}}}}"#
        )
    };
    check(
        &text(r#"{"-": {"1": 1.0}}"#),
        expect![[r#"
        error: the workflow `w` leads to the state `1`, which has no row
          --> c.json:3:17
        hint: add `"1": {"-": 1.0}`
    "#]],
    );
    check(
        &text(r#"{"1": {"-": 1.0}}"#),
        expect![[r#"
        error: the workflow `w` has no row `-`
          --> c.json:3:17
        hint: say what comes first: `"-": {"1": 1.0}`
    "#]],
    );
    check(
        &text(r#"{"-": {"-": 1.0}}"#),
        expect![[r#"
        error: the workflow `w` never begins: `-` leads to no action
          --> c.json:3:17
        hint: give an action a chance above 0
    "#]],
    );
    let loaded = tulip::parse(
        &text(r#"{"-": {"1": 1}, "1": {"1": 0.333333, "2": 0.333333, "-": 0.333334}, "2": {"-": 1}}"#),
        "c.json",
        None,
    );
    assert!(loaded.run.is_some(), "{:?}", loaded.diagnostics);
}

#[test]
fn nothing_enabled_and_nothing_there() {
    check(
        "{}",
        expect![[r#"
        error: the configuration has no `actions`
          --> c.json:1:1
        hint: add `"actions": {"user_class": …}`
        error: the configuration has no `contexts`
          --> c.json:1:1
        hint: add `"contexts": {…}`
        error: the configuration has no `benchmarks`
          --> c.json:1:1
        hint: add `"benchmarks": {…}`
        error: no context is enabled
          --> c.json:1:1
        hint: set `"enabled": true` in one
    "#]],
    );
    check(
        r#"{"static": {}, "contexts": [{"name": "c", "num_users": 1}], "benchmarks": [{"name": "b"}]}"#,
        expect![[r#"
            error: no context is enabled
              --> c.json:1:29
            hint: set `"enabled": true` in one
        "#]],
    );
}

#[test]
fn what_is_refused_is_said_once() {
    let b = r#""benchmark_duration": 1, "scenario_actions": [{"id": 3}]"#;
    check_one(
        b,
        r#""benchmark_duration": 1, "scenario_actions": [{"id": 101}]"#,
        expect![[r#"
        error: there is no action id 101
          --> c.json:3:126
        hint: ids are 0 to 100
    "#]],
    );
    check_one(
        b,
        r#""benchmark_duration": 1, "scenario_actions": [{"weight": 1}]"#,
        expect![[r#"
        error: an action needs an `id`
          --> c.json:3:126
        hint: write `{"id": 1}`
    "#]],
    );
    check_one(
        b,
        r#""benchmark_duration": 1, "scenario_actions": [{"id": -1}]"#,
        expect![[r#"
        error: the action id -1 asks a class written in a JVM language for the next action
          --> c.json:3:126
        hint: name a workflow instead: `"scenario_workflow": …`
    "#]],
    );
    check_one(
        b,
        &format!("{b}, \"aps_rate\": -5"),
        expect![[r#"
        error: the benchmark `e` has a negative rate
          --> c.json:3:150
        hint: use actions per second, or 0 for as fast as possible
    "#]],
    );
    check_one(
        r#""-": {"1": 0.333,"#,
        r#""-": {"1": "a third","#,
        expect![[r#"
        error: `1` must be a number, found `a third`
          --> c.json:4:32
        hint: write for example 100.0
    "#]],
    );
    check_one(
        r#""1": {"-": 1.0}"#,
        r#""1": {}"#,
        expect![[r#"
        error: workflow `w`, state `1`: the probabilities sum to 0, not to 1
          --> c.json:4:64
        hint: make them sum to 1; what is left over may go to "-"
    "#]],
    );
}

#[test]
fn what_holds_in_several_contexts_is_said_once_and_shown_without_obeyed_characters() {
    let text = r#"{"actions": {"user_class": "a.B", "user_params": {"url": "http://a/\u001b[31m"}, "user_actions": {"1": "x\u0007y"}},
        "contexts": {"c": {"enabled": true, "num_users": 1}, "d": {"enabled": true, "num_users": 1}},
        "benchmarks": {"b": {"benchmark_duration": 1, "scenario_actions": [{"id": 1}, {"id": 3}]}}}"#;
    check(
        text,
        expect![[r#"
        error: the user class `a.B` is not built in, and nothing else says what its actions do
          --> c.json:1:28
        hint: write what they do into a file and name it with --actions, for example

          target: http://a/�[31m
          actions:
            - name: "1"   # x�y
              get: /
            - name: "3"
              get: /
    "#]],
    );
    let known = text.replace("a.B", "KwrkHttpUser").replace("/\\u001b[31m", "");
    check(
        &known,
        expect![[r#"
        error: the class `KwrkHttpUser` has no action 3
          --> c.json:3:87
        hint: define it in a file named with --actions, as an action named "3"
    "#]],
    );
}

#[test]
fn numbers_without_measure_are_refused_in_few_words() {
    let b = r#""benchmark_duration": 1, "scenario_actions": [{"id": 3}]"#;
    for rate in ["1e300", "1e-300", "100000001", "1e999", "NaN", "0x10"] {
        let text = TEMPLATE.replace(b, &format!("{b}, \"aps_rate\": {rate}"));
        let loaded = tulip::parse(&text, "c.json", None);
        assert_eq!((loaded.run.is_none(), loaded.diagnostics.len()), (true, 1), "{rate}");
        let found = &loaded.diagnostics[0];
        assert!(found.message.len() < 60 && found.location.as_ref().unwrap().line == 3, "{found:?}");
    }
    let with = |keys: &str| format!("{b}, \"aps_rate\": 5, {keys}");
    check_one(
        b,
        &with(r#""aps_rate_step_change": 1e300, "benchmark_iterations": 2"#),
        expect![[r#"
        error: step 2 of `e` would have the rate 1e300
          --> c.json:3:150
        hint: change `aps_rate_step_change` or have fewer iterations
    "#]],
    );
    check_one(
        b,
        &with(r#""aps_rate_step_change": -3, "benchmark_iterations": 3"#),
        expect![[r#"
        error: step 3 of `e` would have the rate -1
          --> c.json:3:150
        hint: change `aps_rate_step_change` or have fewer iterations
    "#]],
    );
    check_one(
        b,
        &with(r#""benchmark_iterations": 100000, "aps_rate_step_count": 100000"#),
        expect![[r#"
        error: the benchmark `e` has 10000000000 iterations
          --> c.json:3:74
        hint: keep iterations times `aps_rate_step_count` to 100000 at most
    "#]],
    );
    check_one(
        b,
        &with(r#""benchmark_iterations": 100000, "aps_rate_step_change": 0.001"#),
        expect![[r#"
        error: there would be more than 10000 phases
          --> c.json:3:74
        hint: have fewer rate steps
    "#]],
    );
    let urls = vec!["http://a"; 1001].join(",");
    check_one(
        "http://a",
        &urls,
        expect![[r#"
        error: `url` has 1001 URLs
          --> c.json:1:67
        hint: keep 1000 at most
    "#]],
    );
}

#[test]
fn a_benchmark_that_measures_nothing_is_named() {
    for (keys, key) in [
        (r#""benchmark_duration": 1, "benchmark_iterations": 0"#, "benchmark_iterations"),
        (r#""warmup_duration2": 1"#, "benchmark_duration"),
    ] {
        let text = TEMPLATE.replacen(r#""benchmark_duration": 1"#, keys, 1);
        let loaded = tulip::parse(&text, "c.json", None);
        assert!(loaded.run.is_some(), "Tulip went on, too");
        let said: Vec<_> = loaded.diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(said, [format!("the benchmark `b` measures nothing: its `{key}` is 0")]);
    }
}

#[test]
fn an_error_behind_a_hundred_warnings_still_refuses() {
    let unknown: String = (0..150).map(|index| format!("\"zz{index}\": 1, ")).collect();
    let text = format!(
        r#"{{"static": {{"user_class": "HttpUser"}}, "contexts": [{{"name": "c", "enabled": true, "num_users": 1}}],
        "benchmarks": [{{"name": "b", "enabled": true, {unknown} "time": {{"benchmark_duration": 1}}, "actions": [{{"id": 42}}]}}]}}"#
    );
    let loaded = tulip::parse(&text, "c.json", None);
    assert!(loaded.run.is_none());
    assert!(loaded.diagnostics.iter().any(|found| found.message.contains("has no action 42")));
}

/// Keys that a configuration's own names are not: those of Tulip.
const KEYS: [&str; 43] = [
    "static",
    "actions",
    "contexts",
    "benchmarks",
    "workflows",
    "description",
    "output_filename",
    "report_filename",
    "user_class",
    "user_params",
    "user_actions",
    "name",
    "enabled",
    "num_users",
    "num_threads",
    "num_tasks",
    "workload_model",
    "time",
    "prewarmup_duration",
    "pre_warmup_duration",
    "warmup_duration",
    "warmup_duration1",
    "warmup_duration2",
    "benchmark_duration",
    "benchmark_duration_repeat_count",
    "benchmark_repeat_count",
    "benchmark_iterations",
    "throughput_rate",
    "aps_rate",
    "aps_rate_step_change",
    "aps_rate_step_count",
    "aps_rate_increment",
    "work_in_progress",
    "worker_thread_qsize",
    "worker_thread_queue_size",
    "workflow",
    "scenario_workflow",
    "scenario_actions",
    "save_stats",
    "id",
    "weight",
    "url",
    "httpVersion",
];

#[test]
fn every_misspelt_key_of_every_dialect_is_named_with_what_was_meant() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut checked = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        // Beside configurations, by their dialect's letter, there are results.
        if name.as_bytes().get(1) != Some(&b'-') {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for key in KEYS.iter().filter(|key| !["url", "httpVersion"].contains(key)) {
            let Some(at) = text.find(&format!("\"{key}\":")) else { continue };
            let wrong = if key.len() > 4 { key[1..].to_owned() } else { format!("{}{key}", &key[..1]) };
            let changed = format!("{}\"{wrong}\"{}", &text[..at], &text[at + key.len() + 2..]);
            let found = tulip::parse(&changed, &name, None).diagnostics;
            let said = found.iter().find(|found| found.message.ends_with(&format!("has no key `{wrong}`")));
            let said = said.unwrap_or_else(|| panic!("{name}: {wrong}: {found:#?}"));
            assert_eq!(
                said.hint.as_deref(),
                Some(format!("did you mean `{key}`?").as_str()),
                "{name}: {wrong}"
            );
            let line = changed[..at].matches('\n').count() + 1;
            assert_eq!(said.location.as_ref().map(|place| place.line), Some(line), "{name}: {wrong}");
            // The first releases went on without it, later ones refused it.
            let is_refused = said.severity == plan::Severity::Error;
            assert_eq!(is_refused, !name.starts_with('A') || *key == "static", "{name}: {wrong}");
            checked.insert(*key);
        }
    }
    assert!(checked.len() > 35, "{checked:?}");
}

/// A sound configuration.
const TEMPLATE: &str = r#"{"actions": {"user_class": "TestHttpUser", "user_params": {"url": "http://a"}},
"contexts": {"c": {"enabled": true, "num_users": 4, "num_threads": 3}},
"benchmarks": {"b": {"benchmark_duration": 1, "scenario_workflow": "w"}, "e": {"benchmark_duration": 1, "scenario_actions": [{"id": 3}]}},
"workflows": {"w": {"-": {"1": 0.333, "2": 0.333, "3": 0.334}, "1": {"-": 1.0}, "2": {"-": 1.0}, "3": {"-": 1.0}}}}"#;

/// One thing wrong in an otherwise sound configuration: its message with place and mend.
fn check_one(change: &str, to: &str, expected: Expect) {
    assert!(tulip::parse(TEMPLATE, "c.json", None).run.is_some(), "any ratio of users to threads is sound");
    assert!(TEMPLATE.contains(change), "{change}");
    check(&TEMPLATE.replacen(change, to, 1), expected);
}

#[test]
fn what_tulip_ran_on_with_or_hung_on_is_refused() {
    check_one(
        r#""3": 0.334}"#,
        r#""3": 0.333}"#,
        expect![[r#"
        error: workflow `w`, state `-`: the probabilities sum to 0.999, not to 1
          --> c.json:4:21
        hint: make them sum to 1; what is left over may go to "-"
    "#]],
    );
    check_one(
        r#""1": {"-": 1.0}"#,
        r#""1": {"-": 0.9, "2": 0.2}"#,
        expect![[r#"
        error: workflow `w`, state `1`: the probabilities sum to 1.1, not to 1
          --> c.json:4:64
        hint: make them sum to 1; what is left over may go to "-"
    "#]],
    );
    check_one(
        r#""scenario_workflow": "w""#,
        r#""scenario_workflow": "ww""#,
        expect![[r#"
        error: there is no workflow `ww`
          --> c.json:3:68
        hint: did you mean `w`?
    "#]],
    );
    check_one(
        r#"{"id": 3}"#,
        r#"{"id": 11}"#,
        expect![[r#"
        error: the class `TestHttpUser` has no action 11
          --> c.json:3:126
        hint: define it in a file named with --actions, as an action named "11"
    "#]],
    );
    check_one(
        r#"{"id": 3}"#,
        r#"{"id": "three"}"#,
        expect![[r#"
            error: `id` must be a whole number, found `three`
              --> c.json:3:133
            hint: write for example 0
        "#]],
    );
    check_one(
        r#""3": {"-": 1.0}"#,
        r#""3": {"42": 1.0}, "42": {"-": 1}"#,
        expect![[r#"
            error: the class `TestHttpUser` has no action 42
              --> c.json:4:116
            hint: define it in a file named with --actions, as an action named "42"
        "#]],
    );
}

#[test]
fn counts_urls_and_truth_values_that_are_none_are_refused() {
    check_one(
        r#""num_users": 4"#,
        r#""num_users": 0"#,
        expect![[r#"
        error: the context `c` has no users
          --> c.json:2:14
        hint: set `num_users` to 1 or more
    "#]],
    );
    check_one(
        r#""num_users": 4"#,
        r#""num_users": -4"#,
        expect![[r#"
            error: `num_users` must be a whole number from 0 to 10000000, found `-4`
              --> c.json:2:50
            hint: write for example 1
        "#]],
    );
    check_one(
        r#""url": "http://a""#,
        r#""urk": "http://a""#,
        expect![[r#"
            error: `user_params` has no `url`, and actions send requests
              --> c.json:1:67
            hint: did you mean `url` by `urk`?
        "#]],
    );
    check_one(
        r#""url": "http://a""#,
        r#""url": """#,
        expect![[r#"
        error: `user_params` has no `url`, and actions send requests
          --> c.json:1:2
        hint: add `"url": "http://localhost:7070"`
    "#]],
    );
    check_one(
        r#""url": "http://a""#,
        r#""url": "http://a:99999""#,
        expect![[r#"
        error: the URL `http://a:99999`: `99999` is no port
          --> c.json:1:67
        hint: write for example http://localhost:7070
    "#]],
    );
    check_one(
        r#""benchmark_duration": 1"#,
        r#""benchmark_duration": 1.5"#,
        expect![[r#"
            error: `benchmark_duration` must be a whole number from 0 to 31622400, found `1.5`
              --> c.json:3:44
            hint: write for example 1
        "#]],
    );
    check_one(
        r#""enabled": true"#,
        r#""enabled": 1"#,
        expect![[r#"
            error: `enabled` must be true or false, found `1`
              --> c.json:2:31
            hint: write true or false
        "#]],
    );
}
