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
            error: `1000` is no id of an action
              --> c.json:2:85
            hint: ids are whole numbers from 0 to 100
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
