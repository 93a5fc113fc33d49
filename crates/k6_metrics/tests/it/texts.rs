//! The texts at a test's end, to the byte.

use crate::fixture::{run, summary};
use expect_test::{Expect, expect, expect_file};
use k6_metrics::summary::TimeUnit;
use k6_metrics::text::{Colors, LegacyText, ModernText, RateForm, Visibility};
use k6_metrics::{
    Books, Contains, Detail, MetricKind, Registry, Summary, SummaryInput, SummaryOptions, SystemTags,
    TagSetId, Thresholds, TrendStats,
};

/// Ends of lines are marked, since spaces before them count; escapes are shown as `^`.
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text));
}

fn shown(text: &str) -> String {
    text.split('\n').map(|line| format!("{}|\n", line.replace('\u{1b}', "^"))).collect()
}

fn compact() -> Summary {
    summary(&run(Detail::Compact), &SummaryOptions::default())
}

#[test]
fn the_old_text_for_scripts() {
    check(
        &LegacyText::default().render(&compact()),
        &expect![[r#"
             ✓ alive|
        |
             █ cart|
        |
               ✗ status is 200|
                ↳  66% — ✓ 2 / ✗ 1|
        |
               █ pay|
        |
                 ✗ paid|
                  ↳  0% — ✓ 0 / ✗ 3|
                 ✓ alive|
        |
             Age............................: 250µs  min=250µs max=250µs|
           ✗ checks.........................: 63.63% ✓ 7       ✗ 4      |
             data_received..................: 124 kB 12 kB/s|
             found..........................: 25.00% ✓ 1       ✗ 3      |
             group_duration.................: avg=10ms     min=10ms      med=10ms     max=10ms    p(90)=10ms     p(95)=10ms    |
           ✗ http_req_duration..............: avg=250ms    min=100ms     med=250ms    max=400ms   p(90)=370ms    p(95)=385ms   |
               { expected_response:true }...: avg=250ms    min=100ms     med=250ms    max=400ms   p(90)=370ms    p(95)=385ms   |
             ✓ { gzip:yes }.................: avg=250ms    min=100ms     med=250ms    max=400ms   p(90)=370ms    p(95)=385ms   |
             http_req_failed................: 0.00%  ✓ 0       ✗ 4      |
             http_req_waiting...............: avg=249.5ms  min=99.5ms    med=249.5ms  max=399.5ms p(90)=369.5ms  p(95)=384.5ms |
             http_reqs......................: 4      0.4/s|
             iteration_duration.............: avg=1.23s    min=1.23s     med=1.23s    max=1.23s   p(90)=1.23s    p(95)=1.23s   |
             iterations.....................: 5      0.5/s|
             nothing........................: 0      0/s|
             ✓ { a:b }......................: 0      0/s|
             queue..........................: 1      min=1     max=4    |
             steps..........................: avg=1m32s    min=0s        med=1m32s    max=3m4s    p(90)=2m46s    p(95)=2m55s   |
             visits.........................: 6.5    0.65/s|
             ✗ { page: "home" }.............: 4      0.4/s|
             vus............................: 3      min=3     max=3    |
             weight.........................: avg=0.833333 min=-0.333333 med=0.833333 max=2       p(90)=1.766667 p(95)=1.883333|
    "#]],
    );
}

#[test]
fn the_old_text_of_the_command() {
    let text = LegacyText {
        indent: String::new(),
        colors: Colors::On,
        time_unit: Some(TimeUnit::Seconds),
        trend_stats: Some(TrendStats::parse(["count", "p(99.99)"]).unwrap()),
        rate_form: RateForm::OutOf,
    };
    check(
        &text.render(&compact()),
        &expect![[r#"
        ^[32m    ✓ alive^[0m|
        |
            █ cart|
        |
        ^[31m      ✗ status is 200|
               ↳  66% — ✓ 2 / ✗ 1^[0m|
        |
              █ pay|
        |
        ^[31m        ✗ paid|
                 ↳  0% — ✓ 0 / ✗ 3^[0m|
        ^[32m        ✓ alive^[0m|
        |
            Age^[2m............................:^[0m ^[36m0.00s^[0m  ^[36;2mmin=0.00s^[0m   ^[36;2mmax=0.00s^[0m|
          ^[31m✗^[0m checks^[2m.........................:^[0m ^[36m63.63%^[0m ^[36;2m7 out of 11^[0m|
            data_received^[2m..................:^[0m ^[36m124 kB^[0m ^[36;2m12 kB/s^[0m|
            found^[2m..........................:^[0m ^[36m25.00%^[0m ^[36;2m1 out of 4^[0m|
            group_duration^[2m.................:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
          ^[31m✗^[0m http_req_duration^[2m..............:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
              { expected_response:true }^[2m...:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
            ^[32m✓^[0m { gzip:yes }^[2m.................:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
            http_req_failed^[2m................:^[0m ^[36m0.00%^[0m  ^[36;2m0 out of 4^[0m|
            http_req_waiting^[2m...............:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
            http_reqs^[2m......................:^[0m ^[36m4^[0m      ^[36;2m0.4/s^[0m|
            iteration_duration^[2m.............:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
            iterations^[2m.....................:^[0m ^[36m5^[0m      ^[36;2m0.5/s^[0m|
            nothing^[2m........................:^[0m ^[36m0^[0m      ^[36;2m0/s^[0m|
            ^[32m✓^[0m { a:b }^[2m......................:^[0m ^[36m0^[0m      ^[36;2m0/s^[0m|
            queue^[2m..........................:^[0m ^[36m1^[0m      ^[36;2mmin=1^[0m       ^[36;2mmax=4^[0m    |
            steps^[2m..........................:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
            visits^[2m.........................:^[0m ^[36m6.5^[0m    ^[36;2m0.65/s^[0m|
            ^[31m✗^[0m { page: "home" }^[2m.............:^[0m ^[36m4^[0m      ^[36;2m0.4/s^[0m|
            vus^[2m............................:^[0m ^[36m3^[0m      ^[36;2mmin=3^[0m       ^[36;2mmax=3^[0m    |
            weight^[2m.........................:^[0m count=^[36m-^[0m p(99.99)=^[36m-^[0m|
    "#]],
    );
}

#[test]
fn the_compact_text() {
    check(
        &ModernText::default().render(&compact()),
        &expect![[r#"
        |
          █ THRESHOLDS |
        |
            checks|
            ✗ 'rate>0.9' rate=63.63%|
        |
            http_req_duration|
            ✗ 'p(95)<300' p(95)=385ms|
            ✗ 'p(99.5) < 100' p(99.5)=398.5ms|
        |
              {gzip:yes}|
              ✓ 'avg<=250' avg=250ms|
        |
            nothing{a:b}|
            ✓ 'count==0' count=0|
        |
            visits{page: "home"}|
            ✗ 'count>5' count=4|
            ✓ 'rate>0' rate=0.4/s|
        |
        |
          █ TOTAL RESULTS |
        |
            checks_total.......: 11     1.1/s|
            checks_succeeded...: 63.63% 7 out of 11|
            checks_failed......: 36.36% 4 out of 11|
        |
            ✓ alive|
            ✗ status is 200|
              ↳  66% — ✓ 2 / ✗ 1|
            ✗ paid|
              ↳  0% — ✓ 0 / ✗ 3|
        |
            CUSTOM|
            Age............................: 250µs  min=250µs  max=250µs|
            found..........................: 25.00% 1 out of 4|
            nothing........................: 0      0/s|
              { a:b }......................: 0      0/s|
            queue..........................: 1      min=1      max=4    |
            steps..........................: avg=1m32s    min=0s        med=1m32s    max=3m4s  p(90)=2m46s    p(95)=2m55s   |
            visits.........................: 6.5    0.65/s|
              { page: "home" }.............: 4      0.4/s|
            weight.........................: avg=0.833333 min=-0.333333 med=0.833333 max=2     p(90)=1.766667 p(95)=1.883333|
        |
            HTTP|
            http_req_duration..............: avg=250ms    min=100ms     med=250ms    max=400ms p(90)=370ms    p(95)=385ms   |
              { expected_response:true }...: avg=250ms    min=100ms     med=250ms    max=400ms p(90)=370ms    p(95)=385ms   |
              { gzip:yes }.................: avg=250ms    min=100ms     med=250ms    max=400ms p(90)=370ms    p(95)=385ms   |
            http_req_failed................: 0.00%  0 out of 4|
            http_reqs......................: 4      0.4/s|
        |
            EXECUTION|
            iteration_duration.............: avg=1.23s    min=1.23s     med=1.23s    max=1.23s p(90)=1.23s    p(95)=1.23s   |
            iterations.....................: 5      0.5/s|
            vus............................: 3      min=3      max=3    |
        |
            NETWORK|
            data_received..................: 124 kB 12 kB/s|
        |
        |
    "#]],
    );
}

#[test]
fn the_full_text() {
    let text = ModernText { visibility: Visibility::Full, colors: Colors::Off };
    let printed = text.render(&summary(&run(Detail::Full), &SummaryOptions::default()));
    expect_file!["gold/full.txt"].assert_eq(&shown(&printed));
}

#[test]
fn the_compact_text_in_colours() {
    let options = SummaryOptions {
        trend_stats: TrendStats::parse(["med", "count"]).unwrap(),
        time_unit: Some(TimeUnit::Microseconds),
        no_color: false,
    };
    let text = ModernText { visibility: Visibility::Compact, colors: Colors::On };
    check(
        &text.render(&summary(&run(Detail::Compact), &options)),
        &expect![[r#"
        |
          █ ^[1mTHRESHOLDS^[0m |
        |
            checks|
            ^[31m✗^[0m ^[37m'rate>0.9'^[0m ^[37mrate^[0m=^[36m63.63%^[0m|
        |
            http_req_duration|
            ^[31m✗^[0m ^[37m'p(95)<300'^[0m ^[37mp(95)^[0m=^[36m385000.00µs^[0m|
            ^[31m✗^[0m ^[37m'p(99.5) < 100'^[0m ^[37mp(99.5)^[0m=^[36m398500.00µs^[0m|
        |
              {gzip:yes}|
              ^[32m✓^[0m ^[37m'avg<=250'^[0m ^[37mavg^[0m=^[36m250000.00µs^[0m|
        |
            nothing{a:b}|
            ^[32m✓^[0m ^[37m'count==0'^[0m ^[37mcount^[0m=^[36m0^[0m|
        |
            visits{page: "home"}|
            ^[31m✗^[0m ^[37m'count>5'^[0m ^[37mcount^[0m=^[36m4^[0m|
            ^[32m✓^[0m ^[37m'rate>0'^[0m ^[37mrate^[0m=^[36m0.4/s^[0m|
        |
        |
          █ ^[1mTOTAL RESULTS^[0m |
        |
            checks_total^[2;37m.......:^[0m ^[36m11^[0m     ^[2;36m1.1/s^[0m|
            checks_succeeded^[2;37m...:^[0m ^[36m63.63%^[0m ^[2;36m7 out of 11^[0m|
            checks_failed^[2;37m......:^[0m ^[36m36.36%^[0m ^[2;36m4 out of 11^[0m|
        |
            ^[32m✓ alive^[0m|
            ^[31m✗ status is 200^[0m|
              ^[31m↳  66% — ✓ 2 / ✗ 1^[0m|
            ^[31m✗ paid^[0m|
              ^[31m↳  0% — ✓ 0 / ✗ 3^[0m|
        |
            ^[1mCUSTOM^[0m|
            Age^[2;37m............................:^[0m ^[36m250.00µs^[0m ^[2;36mmin=250.00µs^[0m ^[2;36mmax=250.00µs^[0m|
            found^[2;37m..........................:^[0m ^[36m25.00%^[0m   ^[2;36m1 out of 4^[0m|
            nothing^[2;37m........................:^[0m ^[36m0^[0m        ^[2;36m0/s^[0m|
              { a:b }^[2;37m......................:^[0m ^[36m0^[0m        ^[2;36m0/s^[0m|
            queue^[2;37m..........................:^[0m ^[36m1^[0m        ^[2;36mmin=1^[0m        ^[2;36mmax=4^[0m       |
            steps^[2;37m..........................:^[0m med=^[36m92250000.00µs^[0m count=^[36m4^[0m|
            visits^[2;37m.........................:^[0m ^[36m6.5^[0m      ^[2;36m0.65/s^[0m|
              { page: "home" }^[2;37m.............:^[0m ^[36m4^[0m        ^[2;36m0.4/s^[0m|
            weight^[2;37m.........................:^[0m med=^[36m0.833333^[0m      count=^[36m2^[0m|
        |
            ^[1mHTTP^[0m|
            http_req_duration^[2;37m..............:^[0m med=^[36m250000.00µs^[0m   count=^[36m4^[0m|
              { expected_response:true }^[2;37m...:^[0m med=^[36m250000.00µs^[0m   count=^[36m4^[0m|
              { gzip:yes }^[2;37m.................:^[0m med=^[36m250000.00µs^[0m   count=^[36m4^[0m|
            http_req_failed^[2;37m................:^[0m ^[36m0.00%^[0m    ^[2;36m0 out of 4^[0m|
            http_reqs^[2;37m......................:^[0m ^[36m4^[0m        ^[2;36m0.4/s^[0m|
        |
            ^[1mEXECUTION^[0m|
            iteration_duration^[2;37m.............:^[0m med=^[36m1234567.00µs^[0m  count=^[36m1^[0m|
            iterations^[2;37m.....................:^[0m ^[36m5^[0m        ^[2;36m0.5/s^[0m|
            vus^[2;37m............................:^[0m ^[36m3^[0m        ^[2;36mmin=3^[0m        ^[2;36mmax=3^[0m       |
        |
            ^[1mNETWORK^[0m|
            data_received^[2;37m..................:^[0m ^[36m124 kB^[0m   ^[2;36m12 kB/s^[0m|
        |
        |
    "#]],
    );
}

#[test]
fn metrics_stand_under_their_own_heading() {
    let registry = Registry::new(SystemTags::default());
    let mut books = {
        for name in [
            "http_req_mine",
            "checks_of_mine",
            "group_duration_of_mine",
            "vus_mine",
            "browser_mine",
            "browser_web_vital_x",
        ] {
            registry.metric(name, MetricKind::Counter, Contains::Default).unwrap();
        }
        Books::new(&registry, Detail::Compact)
    };
    for metric in registry.metrics() {
        books.add(registry.find(&metric.name).unwrap(), TagSetId::EMPTY, 1.0, 0);
    }
    let (options, thresholds) = (SummaryOptions::default(), Thresholds::default());
    let (state, setup_data) = (Default::default(), None);
    let summary = Summary::new(SummaryInput {
        books: &books,
        thresholds: &thresholds,
        options: &options,
        state,
        setup_data,
    });
    let full = ModernText { visibility: Visibility::Full, colors: Colors::Off }.render(&summary);
    let names: Vec<&str> = full
        .lines()
        .filter_map(|line| line.trim().split(['.', ' ']).next())
        .filter(|word| !word.is_empty())
        .collect();
    expect![[r#"
        █
        CUSTOM
        checks_of_mine
        group_duration_of_mine
        http_req_mine
        vus_mine
        HTTP
        http_req_blocked
        http_req_connecting
        http_req_duration
        http_req_failed
        http_req_receiving
        http_req_sending
        http_req_tls_handshaking
        http_req_waiting
        http_reqs
        EXECUTION
        dropped_iterations
        iteration_duration
        iterations
        vus
        vus_max
        NETWORK
        data_received
        data_sent
        BROWSER
        browser_mine
        WEB_VITALS
        browser_web_vital_x
        GRPC
        grpc_req_duration
        grpc_streams
        grpc_streams_msgs_received
        grpc_streams_msgs_sent
        WEBSOCKET
        ws_connecting
        ws_msgs_received
        ws_msgs_sent
        ws_ping
        ws_session_duration
        ws_sessions
        WEIR
        iteration_response_time
        iteration_start_delay"#]]
    .assert_eq(&names.join("\n"));
}

#[test]
fn a_test_without_samples_has_a_text() {
    let empty = Summary::default();
    check(
        &ModernText::default().render(&empty),
        &expect![[r#"
        |
          █ TOTAL RESULTS |
        |
        |
    "#]],
    );
    check(
        &LegacyText::default().render(&empty),
        &expect![[r#"
        |
    "#]],
    );
}
