//! What people and scripts see: descriptions, start-up text, progress, `inspect`, `exec.test.options`.

use crate::{script, test};
use expect_test::{Expect, expect};
use k6_options::{
    Colour, Consolidated, GoDuration, ProgressBlock, ProgressHead, ProgressRow, ScenarioNow, ScenarioState,
    StartText,
};

const ALL: &str = r#"{"scenarios":{
    "ca":{"executor":"constant-arrival-rate","rate":2,"duration":"3s","preAllocatedVUs":1,"maxVUs":20},
    "cv":{"executor":"constant-vus","vus":2,"duration":"3s","exec":"other"},
    "ec":{"executor":"externally-controlled","vus":2,"maxVUs":12,"duration":"10s"},
    "pv":{"executor":"per-vu-iterations","vus":2,"iterations":500,"maxDuration":"2s"},
    "ra":{"executor":"ramping-arrival-rate","startRate":100,"timeUnit":"1m","stages":[{"duration":"3s","target":90}],"preAllocatedVUs":1,"gracefulStop":0},
    "rv_with_a_very_long_name_of_more_than_thirty":{"executor":"ramping-vus","startVUs":0,"stages":[{"duration":"2s","target":12}],"startTime":"1s","gracefulStop":"1s"},
    "si":{"executor":"shared-iterations","vus":2,"iterations":10}
}}"#;

fn start(test: &Consolidated, outputs: &[&str], colour: Colour) -> String {
    let outputs: Vec<String> = outputs.iter().map(|output| (*output).to_owned()).collect();
    let text = StartText { script: "s/h.js", outputs: &outputs, web_dashboard: None }.text(test, colour);
    // The indent of the first lines would be taken for that of the test.
    text.lines().map(|line| format!("|{line}\n")).collect()
}

fn check(shown: &str, expected: Expect) {
    expected.assert_eq(shown);
}

#[test]
fn the_start_tells_what_will_run() {
    check(
        &start(&test(ALL).unwrap(), &[], Colour::Never),
        expect![[r#"
            |     execution: local
            |        script: s/h.js
            |        output: -
            |
            |     scenarios: (100.00%) 7 scenarios, 50 max VUs, 10m30s max duration (incl. graceful stop):
            |              * ca: 2.00 iterations/s for 3s (maxVUs: 1-20, gracefulStop: 30s)
            |              * cv: 2 looping VUs for 3s (exec: other, gracefulStop: 30s)
            |              * ec: Externally controlled execution with 2 VUs, 12 max VUs, 10s duration
            |              * pv: 500 iterations for each of 2 VUs (maxDuration: 2s, gracefulStop: 30s)
            |              * ra: Up to 1.67 iterations/s for 3s over 1 stages (maxVUs: 1)
            |              * si: 10 iterations shared among 2 VUs (maxDuration: 10m0s, gracefulStop: 30s)
            |              * rv_with_a_very_long_name_of_more_than_thirty: Up to 12 looping VUs for 2s over 1 stages (gracefulRampDown: 30s, startTime: 1s, gracefulStop: 1s)
            |
        "#]],
    );
    let third = test(
        r#"{"vus":2,"duration":"1234ms","executionSegment":"1/3:2/3","executionSegmentSequence":"0,1/3,2/3,1"}"#,
    );
    check(
        &start(&third.unwrap(), &["json (a.json)", "csv"], Colour::Ansi).replace('\u{1b}', "^"),
        expect![[r#"
            |     execution: ^[36mlocal^[0m
            |        script: ^[36ms/h.js^[0m
            |        output: ^[36mjson (a.json), csv^[0m
            |
            |     scenarios: ^[36m(33.33%) 1 scenario, 1 max VUs, 31.2s max duration (incl. graceful stop):^[0m
            |              * default: 1 looping VUs for 1.234s (gracefulStop: 30s)
            |
        "#]],
    );
}

#[test]
fn an_instance_tells_its_part() {
    let none =
        r#"{"vus":1,"duration":"5s","executionSegment":"2/3:1","executionSegmentSequence":"0,1/3,2/3,1"}"#;
    let none = start(&test(none).unwrap(), &[], Colour::Never);
    assert!(
        none.contains("(33.33%) 1 scenario, 0 max VUs, 0s max duration")
            && none.contains("default: 0 looping VUs")
    );
    let json = r#"{"scenarios":{
        "a":{"executor":"shared-iterations","vus":1,"iterations":27,"maxDuration":"11s"},
        "b":{"executor":"ramping-arrival-rate","startRate":18,"stages":[{"duration":"3s","target":9}],"preAllocatedVUs":8},
        "c":{"executor":"constant-arrival-rate","rate":27,"timeUnit":"300ms","duration":"3s","preAllocatedVUs":8,"maxVUs":17},
        "d":{"executor":"ramping-vus","stages":[{"duration":"3s","target":9}],"gracefulRampDown":0}
    },"executionSegment":"1/6:1/2","executionSegmentSequence":"0,1/6,1/2,5/6,1"}"#;
    // A ramping rate is shown by the segment (18/3), a constant one by its VUs (90·6/17).
    check(
        &start(&test(json).unwrap(), &[], Colour::Never),
        expect![[r#"
        |     execution: local
        |        script: s/h.js
        |        output: -
        |
        |     scenarios: (33.33%) 4 scenarios, 13 max VUs, 41s max duration (incl. graceful stop):
        |              * a: 27 iterations shared among 1 VUs (maxDuration: 11s, gracefulStop: 30s)
        |              * b: Up to 6.00 iterations/s for 3s over 1 stages (maxVUs: 3, gracefulStop: 30s)
        |              * c: 31.76 iterations/s for 3s (maxVUs: 3-6, gracefulStop: 30s)
        |              * d: Up to 3 looping VUs for 3s over 1 stages (gracefulRampDown: 0s, gracefulStop: 30s)
        |
    "#]],
    );
}

const fn ms(ms: i64) -> GoDuration {
    GoDuration::from_ns(ms * 1_000_000)
}

/// A scenario's numbers: state, ms since its start, active and busy VUs, iterations, rate.
type Now = (ScenarioState, i64, u64, u64, u64, f64);

fn block(
    test: &Consolidated,
    head: ProgressHead,
    nows: &[Now],
    columns: Option<usize>,
    colour: Colour,
) -> String {
    let rows = test.scenarios().into_iter().zip(nows).map(|((name, scenario), now)| {
        let &(state, elapsed_ms, active_vus, busy_vus, iterations, rate_per_sec) = now;
        let now =
            ScenarioNow { state, elapsed: ms(elapsed_ms), active_vus, busy_vus, iterations, rate_per_sec };
        ProgressRow { name, state: Some(state), progress: scenario.progress(&test.share, &now) }
    });
    let lines = ProgressBlock { head, rows: rows.collect() }.lines(columns, colour);
    // Spaces at the ends of lines are part of the layout.
    lines.iter().map(|line| format!("{line}$\n")).collect()
}

const fn running(elapsed_ms: i64) -> ProgressHead {
    ProgressHead::Running {
        is_paused: false,
        elapsed: ms(elapsed_ms),
        longest: ms(630_000),
        active_vus: 5,
        initialised_vus: 19,
        vus_max: 38,
        complete: 24,
        interrupted: 0,
    }
}

const MIDWAY: [Now; 7] = [
    (ScenarioState::Running, 660, 1, 0, 1, 0.0),
    (ScenarioState::Running, 660, 2, 2, 0, 0.0),
    (ScenarioState::Running, 660, 2, 2, 0, 0.0),
    (ScenarioState::Running, 660, 2, 2, 12, 0.0),
    (ScenarioState::Running, 660, 1, 1, 1, 1.62),
    (ScenarioState::Done, 500, 2, 0, 10, 0.0),
    (ScenarioState::Waiting(ms(400)), 0, 0, 0, 0, 0.0),
];

#[test]
fn progress_is_a_block_of_lines() {
    check(
        &block(&test(ALL).unwrap(), running(1_900), &MIDWAY, None, Colour::Never),
        expect![[r#"
            $
            running (00m01.9s), 05/19 VUs, 24 complete and 0 interrupted iterations$
            ca                               [  22% ] 00/01 VUs  0.7s/3s         2.00 iters/s$
            cv                               [  22% ] 2 VUs      0.7s/3s        $
            ec                               [   7% ] 02/12 VUs  00.7s/10s      $
            pv                               [   1% ] 2 VUs      0.7s/2s         0012/1000 iters, 500 per VU$
            ra                               [  22% ] 1/1 VUs    0.7s/3s         1.62 iters/s$
            si                             ✓ [ 100% ] 2 VUs      00m00.5s/10m0s  10/10 shared iters$
            rv_with_a_very_long_name_of... • [   0% ] waiting    0.4s           $
        "#]],
    );
}

#[test]
fn a_terminal_has_bars_as_wide_as_fits() {
    let mut late = MIDWAY;
    late[0] = (ScenarioState::Stopping, 3_200, 1, 1, 6, 0.0);
    late[1] = (ScenarioState::Done, 3_000, 2, 0, 4, 0.0);
    late[3] = (ScenarioState::Done, 2_000, 2, 0, 40, 0.0);
    late[4] = (ScenarioState::Interrupted, 2_600, 1, 0, 4, 1.55);
    late[6] = (ScenarioState::Running, 1_000, 6, 6, 9, 0.0);
    let shown = block(&test(ALL).unwrap(), running(3_200), &late, Some(120), Colour::Never);
    assert!(shown.lines().all(|line| line.chars().count() <= 120), "{shown}");
    check(
        &shown,
        expect![[r#"
            $
            running (00m03.2s), 05/19 VUs, 24 complete and 0 interrupted iterations$
            ca                             ↓ [=============================] 01/01 VUs  3s              2.00 iters/s$
            cv                             ✓ [=============================] 2 VUs      3s             $
            ec                               [>----------------------------] 02/12 VUs  00.7s/10s      $
            pv                             ✓ [=============================] 2 VUs      2s              0040/1000 iters, 500 per VU$
            ra                             ✗ [========================>----] 0/1 VUs    2.6s/3s         1.55 iters/s$
            si                             ✓ [=============================] 2 VUs      00m00.5s/10m0s  10/10 shared iters$
            rv_with_a_very_long_name_of...   [=============>---------------] 06/12 VUs  1.0s/2.0s      $
        "#]],
    );
    let narrow = block(&test(ALL).unwrap(), running(1_900), &MIDWAY, Some(70), Colour::Never);
    assert_eq!(narrow, block(&test(ALL).unwrap(), running(1_900), &MIDWAY, None, Colour::Never));
}

#[test]
fn colours_stand_for_states() {
    let one = test(r#"{"duration":"2s"}"#).unwrap();
    let line = |state: ScenarioState| {
        let shown = block(&one, running(1_000), &[(state, 1_000, 1, 1, 1, 0.0)], Some(60), Colour::Ansi);
        shown.lines().last().unwrap_or_default().replace('\u{1b}', "^")
    };
    assert_eq!(
        line(ScenarioState::Running),
        "default   [===============>^[2m----------------^[22m] 1 VUs  1.0s/2s$"
    );
    assert!(line(ScenarioState::Done).starts_with("default ^[32m✓^[0m ["));
    assert!(line(ScenarioState::Interrupted).starts_with("default ^[31m✗^[0m ["));
    assert!(line(ScenarioState::Waiting(ms(1))).starts_with("default ^[2m•^[22m ["));
}

#[test]
fn before_and_after_there_is_a_bar_for_the_whole() {
    let one = test(r#"{"duration":"2s"}"#).unwrap();
    let rows = || {
        vec![ProgressRow {
            name: "default",
            state: None,
            progress: k6_options::ScenarioProgress { done_ratio: 0.0, columns: vec![] },
        }]
    };
    let shown =
        |head: ProgressHead| ProgressBlock { head, rows: rows() }.lines(None, Colour::Never).join("|");
    let init = ProgressHead::Initialising { done: 2, planned: 30 };
    assert_eq!(shown(init), "|Init      [   7% ] 02/30 VUs initialized|default   [   0% ]");
    assert_eq!(shown(ProgressHead::Setup), "|Run       [ 100% ] setup()|default   [   0% ]");
    assert_eq!(shown(ProgressHead::Teardown), "|Run       [ 100% ] teardown()|default   [   0% ]");
    assert_eq!(one.scenarios().len(), 1);
    assert_eq!(ScenarioState::ended(1.0), ScenarioState::Done);
    assert_eq!(ScenarioState::ended(0.99), ScenarioState::Interrupted);
}

#[test]
fn rates_and_paused_runs_are_shown() {
    let ramp = test(
        r#"{"scenarios":{"ra":{"executor":"ramping-arrival-rate","startRate":5,"stages":[{"duration":"3s","target":200}],"preAllocatedVUs":10}}}"#,
    )
    .unwrap();
    let ProgressHead::Running {
        elapsed,
        longest,
        active_vus,
        initialised_vus,
        vus_max,
        complete,
        interrupted,
        ..
    } = running(500)
    else {
        panic!("a run")
    };
    let head = ProgressHead::Running {
        is_paused: true,
        elapsed,
        longest,
        active_vus,
        initialised_vus,
        vus_max,
        complete,
        interrupted,
    };
    let shown = block(&ramp, head, &[(ScenarioState::Running, 1_000, 10, 3, 1, 69.06)], None, Colour::Never);
    check(
        &shown,
        expect![[r#"
            $
            paused (00m00.5s), 05/19 VUs, 24 complete and 0 interrupted iterations$
            ra     [  33% ] 03/10 VUs  1.0s/3s  069.06 iters/s$
        "#]],
    );
}

#[test]
fn inspect_shows_every_key_in_order() {
    check(
        &script("{}").unwrap().inspect().to_go_pretty(),
        expect![[r#"
            {
              "paused": null,
              "vus": null,
              "duration": null,
              "iterations": null,
              "stages": null,
              "scenarios": null,
              "executionSegment": null,
              "executionSegmentSequence": null,
              "noSetup": null,
              "setupTimeout": null,
              "noTeardown": null,
              "teardownTimeout": null,
              "handleSummaryTimeout": null,
              "rps": null,
              "dns": {
                "ttl": null,
                "select": null,
                "policy": null
              },
              "maxRedirects": null,
              "userAgent": null,
              "batch": null,
              "batchPerHost": null,
              "httpDebug": null,
              "insecureSkipTLSVerify": null,
              "tlsCipherSuites": null,
              "tlsVersion": null,
              "tlsAuth": null,
              "throw": null,
              "thresholds": null,
              "blacklistIPs": null,
              "blockHostnames": null,
              "hosts": null,
              "noConnectionReuse": null,
              "noVUConnectionReuse": null,
              "minIterationDuration": null,
              "ext": null,
              "summaryTrendStats": null,
              "summaryTimeUnit": null,
              "systemTags": null,
              "tags": null,
              "metricSamplesBufferSize": null,
              "noCookiesReset": null,
              "discardResponseBodies": null,
              "features": null
            }"#]],
    );
}

#[test]
fn inspect_shows_what_follows_on_demand() {
    let json = test(r#"{"vus":"5","duration":"10s","summaryTrendStats":["avg"],"systemTags":["url"]}"#)
        .unwrap()
        .inspect();
    let shown = |key: &str| json.get(key).map(|value| value.to_go_compact()).unwrap_or_default();
    assert_eq!(
        shown("scenarios"),
        r#"{"default":{"executor":"constant-vus","startTime":null,"gracefulStop":null,"env":null,"exec":null,"tags":null,"vus":5,"duration":"10s"}}"#
    );
    assert_eq!((shown("totalDuration"), shown("maxVUs")), (r#""40s""#.to_owned(), "5".to_owned()));
    assert_eq!((shown("vus"), shown("duration")), ("5".to_owned(), r#""10s""#.to_owned()));
    assert_eq!(
        (shown("summaryTrendStats"), shown("systemTags")),
        (r#"["avg"]"#.to_owned(), r#"["url"]"#.to_owned())
    );
    let plain = test("{}").unwrap().inspect();
    let shown = |key: &str| plain.get(key).map(|value| value.to_go_compact()).unwrap_or_default();
    assert_eq!(shown("summaryTrendStats"), r#"["avg","min","med","max","p(90)","p(95)"]"#);
    assert_eq!(shown("systemTags").matches(',').count(), 13);
    assert_eq!((shown("totalDuration"), shown("maxVUs")), (r#""10m30s""#.to_owned(), "1".to_owned()));
}

#[test]
fn scripts_see_consolidated_options() {
    let json = r#"{"vus":2,"stages":[{"duration":"1s","target":1}],"hosts":{"a.b":"1.2.3.4","*.x.y:80":"1.2.3.5:81"},
        "blockHostnames":["*.foo.com","bar.com"],"blacklistIPs":["10.0.0.0/8"],"systemTags":["url","status","zzz"],
        "tlsVersion":{"min":"tls1.2","max":"tls1.3"},"tlsCipherSuites":["TLS_RSA_WITH_AES_128_CBC_SHA"],
        "summaryTrendStats":["avg","p(99.9)"],"ext":{"x":{"a":2,"b":1}},"cloud":{"name":"x"},"httpDebug":"","summaryTimeUnit":"ms",
        "dns":{"ttl":"1m"},"setupTimeout":5000,"rps":10,"executionSegment":"0:1/3","tags":{},
        "thresholds":{"m":["p(95)<500",{"threshold":"avg<100","abortOnFail":true,"delayAbortEval":"10s"},{"threshold":"avg<100"}]}}"#;
    check(
        &test(json).unwrap().as_seen_by_scripts().to_go_compact().replace(",\"", ",\n\""),
        expect![[r#"
            {"paused":null,
            "scenarios":{"default":{"executor":"ramping-vus",
            "startTime":null,
            "gracefulStop":null,
            "env":null,
            "exec":null,
            "tags":null,
            "startVUs":2,
            "stages":[{"duration":"1s",
            "target":1}],
            "gracefulRampDown":null}},
            "executionSegment":"0:1/3",
            "executionSegmentSequence":null,
            "noSetup":null,
            "setupTimeout":"5s",
            "noTeardown":null,
            "teardownTimeout":null,
            "handleSummaryTimeout":null,
            "rps":10,
            "dns":{"ttl":"1m",
            "select":null,
            "policy":null},
            "maxRedirects":null,
            "userAgent":null,
            "batch":null,
            "batchPerHost":null,
            "httpDebug":"",
            "insecureSkipTLSVerify":null,
            "tlsCipherSuites":["TLS_RSA_WITH_AES_128_CBC_SHA"],
            "tlsVersion":{"min":"tls1.2",
            "max":"tls1.3"},
            "tlsAuth":null,
            "throw":null,
            "thresholds":{"m":["p(95)\u003c500",{"threshold":"avg\u003c100",
            "abortOnFail":true,
            "delayAbortEval":"10s"},
            "avg\u003c100"]},
            "blacklistIPs":["10.0.0.0/8"],
            "blockHostnames":["*.foo.com",
            "bar.com"],
            "hosts":{"*.x.y:80":"1.2.3.5:81",
            "a.b":"1.2.3.4"},
            "noConnectionReuse":null,
            "noVUConnectionReuse":null,
            "minIterationDuration":null,
            "cloud":{"name":"x"},
            "ext":{"x":{"a":2,
            "b":1}},
            "summaryTrendStats":["avg",
            "p(99.9)"],
            "summaryTimeUnit":"ms",
            "systemTags":["status",
            "url"],
            "tags":null,
            "metricSamplesBufferSize":null,
            "noCookiesReset":null,
            "discardResponseBodies":null,
            "features":null,
            "consoleOutput":null,
            "localIPs":null}"#]],
    );
}
