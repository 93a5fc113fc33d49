//! Flags → plan, and everything that is wrong with them at once.

use super::*;
use crate::args::{Cli, Command};
use clap::Parser as _;
use expect_test::{Expect, expect};

/// The plan of a command line in JSON without its defaults, or what is wrong with it. Files: `there` and nothing else.
fn planned(line: &[&str]) -> Result<Plan, String> {
    let cli = Cli::try_parse_from(["weir", "http"].iter().chain(line)).map_err(|error| error.to_string())?;
    let Command::Http(args) = cli.command else { return Err("not http".to_owned()) };
    let read = |path: &str| match path {
        "there" => Ok(b"content".to_vec()),
        _ => Err("no such file or directory".to_owned()),
    };
    plan_of(&args, &read)
        .map_err(|faults| faults.iter().map(|fault| format!("{fault}\n")).collect::<String>())
}

fn check(line: &[&str], expected: Expect) {
    match planned(line) {
        Ok(plan) => {
            let mut text = format!("{} seed {}\n", plan.name, plan.seed);
            text.push_str(&format!("{:?}\n", plan.targets[0]));
            text.push_str(&format!("{:?}\n", plan.scenarios[0].actions));
            for phase in &plan.phases {
                text.push_str(&format!("{phase:?}\n"));
            }
            for slo in &plan.slos {
                text.push_str(&format!("{slo}\n"));
            }
            expected.assert_eq(&text);
        }
        Err(said) => expected.assert_eq(&said),
    }
}

#[test]
fn a_url_alone_is_a_closed_run_of_ten_seconds() {
    check(
        &["localhost:8080/x?y=1"],
        expect![[r#"
            http://localhost:8080/x?y=1 seed 1
            Target { name: "localhost", scheme: Http, host: "localhost", port: 8080, base_path: "", headers: [], tls: TlsSettings { ca_pem: None, client_certificate: None, check: Verify, server_name: None, version_min: None, version_max: None, cipher_suites: [] }, connections: PerUser, unix_socket: None, addresses: [], local_address: None, tunnel: None, alternates: [], connect_timeout_ns: 5000000000, request_timeout_ns: 30000000000 }
            [Action { name: "GET /x?y=1", steps: [Request(Request { name: "GET /x?y=1", target: 0, method: "GET", path: Template { parts: [Text("/x?y=1")] }, query: [], headers: [], body: None, checks: [], captures: [], redirects_max: 0, timeout_ns: None })] }]
            Phase { name: "measure", kind: Measure, scenario: 0, load: Closed { users: 64, in_flight_max: None }, duration_ns: Some(10000000000), action_count_max: None, repeat_count: 1, start: After(None, 0), drain_limit_ns: 5000000000 }
        "#]],
    );
}

#[test]
fn a_rate_is_an_open_run_over_a_shared_pool() {
    check(
        &[
            "https://[::1]/",
            "-r",
            "1000/s",
            "-d",
            "1m",
            "-c",
            "8",
            "--poisson",
            "--warmup",
            "2s",
            "-n",
            "500",
        ],
        expect![[r#"
            https://[::1]/ seed 1
            Target { name: "::1", scheme: Https, host: "::1", port: 443, base_path: "", headers: [], tls: TlsSettings { ca_pem: None, client_certificate: None, check: Verify, server_name: None, version_min: None, version_max: None, cipher_suites: [] }, connections: Shared(8), unix_socket: None, addresses: [], local_address: None, tunnel: None, alternates: [], connect_timeout_ns: 5000000000, request_timeout_ns: 30000000000 }
            [Action { name: "GET /", steps: [Request(Request { name: "GET /", target: 0, method: "GET", path: Template { parts: [Text("/")] }, query: [], headers: [], body: None, checks: [], captures: [], redirects_max: 0, timeout_ns: None })] }]
            Phase { name: "warm-up", kind: Warmup, scenario: 0, load: Open { stages: [Stage { rate_from: Rate { count: 1000, period_ns: 1000000000 }, rate_to: Rate { count: 1000, period_ns: 1000000000 }, duration_ns: 0 }], arrivals: Poisson, on_saturation: Queue, users_max: 8, users: None }, duration_ns: Some(2000000000), action_count_max: None, repeat_count: 1, start: After(None, 0), drain_limit_ns: 5000000000 }
            Phase { name: "measure", kind: Measure, scenario: 0, load: Open { stages: [Stage { rate_from: Rate { count: 1000, period_ns: 1000000000 }, rate_to: Rate { count: 1000, period_ns: 1000000000 }, duration_ns: 0 }], arrivals: Poisson, on_saturation: Queue, users_max: 8, users: None }, duration_ns: Some(60000000000), action_count_max: Some(500), repeat_count: 1, start: After(Some(0), 0), drain_limit_ns: 5000000000 }
        "#]],
    );
}

#[test]
fn every_flag_has_its_place() {
    let line = [
        "https://shop.example/a/${uuid}",
        "-X",
        "PUT",
        "-H",
        "Accept: a/b",
        "-H",
        "authorization: Bearer x",
        "-b",
        "@there",
        "-k",
        "--timeout",
        "1s",
        "--connect-timeout",
        "200ms",
        "--no-keepalive",
        "--resolve",
        "shop.example:10.0.0.1",
        "--resolve",
        "SHOP.example:[::1]",
        "--slo",
        "p99(response)<50ms",
        "--seed",
        "7",
        "--name",
        "mine",
        "-n",
        "10",
        "-r",
        "90/min",
    ];
    check(
        &line,
        expect![[r#"
            mine seed 7
            Target { name: "shop.example", scheme: Https, host: "shop.example", port: 443, base_path: "", headers: [("Accept", a/b), ("authorization", (hidden))], tls: TlsSettings { ca_pem: None, client_certificate: None, check: Insecure, server_name: None, version_min: None, version_max: None, cipher_suites: [] }, connections: PerRequest, unix_socket: None, addresses: [10.0.0.1, ::1], local_address: None, tunnel: None, alternates: [], connect_timeout_ns: 200000000, request_timeout_ns: 1000000000 }
            [Action { name: "PUT /a/${uuid}", steps: [Request(Request { name: "PUT /a/${uuid}", target: 0, method: "PUT", path: Template { parts: [Text("/a/"), Builtin(Uuid)] }, query: [], headers: [], body: Bytes([99, 111, 110, 116, 101, 110, 116]), checks: [], captures: [], redirects_max: 0, timeout_ns: None })] }]
            Phase { name: "measure", kind: Measure, scenario: 0, load: Open { stages: [Stage { rate_from: Rate { count: 90, period_ns: 60000000000 }, rate_to: Rate { count: 90, period_ns: 60000000000 }, duration_ns: 0 }], arrivals: Constant, on_saturation: Queue, users_max: 64, users: None }, duration_ns: None, action_count_max: Some(10), repeat_count: 1, start: After(None, 0), drain_limit_ns: 5000000000 }
            p99(response) < 50.0 ms
        "#]],
    );
}

#[test]
fn a_body_makes_it_a_post() {
    let request = |line: &[&str]| match &planned(line).unwrap().scenarios[0].actions[0].steps[0] {
        Step::Request(request) => (request.method.clone(), request.body.clone()),
        _ => unreachable!("http has one step, a request"),
    };
    assert_eq!(request(&["a", "-b", "x=1"]), ("POST".to_owned(), Body::Bytes(b"x=1".to_vec())));
    assert_eq!(request(&["a", "-b", "x", "-X", "PUT"]).0, "PUT");
    assert_eq!(request(&["a"]), ("GET".to_owned(), Body::None));
    assert!(matches!(request(&["a", "-b", "${uuid}"]).1, Body::Text(_)));
}

#[test]
fn credentials_stay_out_of_the_record() {
    let plan = planned(&["a", "-H", "Authorization: Bearer secret"]).unwrap();
    let recorded = serde_json::to_string(&plan).unwrap();
    assert!(recorded.contains("Authorization") && !recorded.contains("secret"), "{recorded}");
    assert_eq!(plan.targets[0].headers[0].1.expose(), "Bearer secret");
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_the_mend() {
    let line = [
        "ftp://a/",
        "-r",
        "1000",
        "-d",
        "10",
        "--warmup",
        "2x",
        "-H",
        "no colon",
        "-H",
        "content-length: 3",
        "-X",
        "G T",
        "-b",
        "@gone",
        "--cacert",
        "gone",
        "--timeout",
        "0",
        "--slo",
        "p99 < 5ms",
        "--slo",
        "p99(response) < 50",
    ];
    check(
        &line,
        expect![[r#"
            error: `ftp://a/`: `ftp` is not spoken
            hint: use http:// or https://
            error: --body: can't read `gone`: no such file or directory
            hint: name a file that is there and may be read
            error: --method: `G T` is no method
            hint: write for example -X PUT
            error: --timeout: `0` is out of range
            hint: use a time above 0, such as 10s
            error: --cacert: can't read `gone`: no such file or directory
            hint: name a file that is there and may be read
            error: --header 'no…': there is no colon
            hint: write for example -H 'accept: text/html'
            error: --header 'content-length…': weir sets it from the body
            hint: remove it
            error: --rate: `1000` has no unit
            hint: write for example `1000/s`
            error: --duration: `10` has no unit
            hint: write for example `10s`
            error: --warmup: unknown unit `x`
            hint: use one of ns, us, ms, s, m, h, d
            error: --slo 'p99 < 5ms': unknown metric `p99`
            hint: use pNN(response|service|wait), mean(…), max(…), error_ratio, errors, achieved, rate or dropped
            error: --slo 'p99(response) < 50': `50` has no unit
            hint: write for example `50s`
        "#]],
    );
}

#[test]
fn faults_of_other_kinds() {
    check(
        &["a/${nope}", "--resolve", "b:10.0.0.1", "--resolve", "a:x", "--resolve", "a"],
        expect![[r#"
        error: the URL: nothing is known of `${nope}`
        hint: use ${uuid}, ${iteration}, ${user_index} or ${random(LOW,HIGH)}, or `$${` for a literal `${`
        error: --resolve b:10.0.0.1: the URL's host is `a`, not `b`
        hint: write for example --resolve a:10.0.0.1
        error: --resolve a:x: `x` is no IP address
        hint: write for example --resolve a:10.0.0.1
        error: --resolve a: there is no address
        hint: write for example --resolve a:10.0.0.1
    "#]],
    );
    check(
        &["a", "-d", "0s"],
        expect![[r#"
            error: --duration: `0s` is out of range
            hint: use a time above 0, such as 10s
        "#]],
    );
    check(
        &["a", "-r", "0/s"],
        expect![[r#"
        error: --rate: `0/s` is out of range
        hint: use a rate above 0, such as 100/s
    "#]],
    );
    check(
        &["a/${open"],
        expect![[r#"
        error: the URL: a `${` has no `}`
        hint: write `$${` for a literal `${`
    "#]],
    );
}
