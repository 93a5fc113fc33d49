//! Where the built-in classes send: URLs, connections, limits, the header.

use expect_test::{Expect, expect};

/// A configuration of one HTTP action with these `user_params`.
fn check(class: &str, params: &str, expected: Expect) {
    let text = format!(
        r#"{{"actions": {{"user_class": "{class}", "user_params": {params}}}, "contexts": {{"c": {{"enabled": true, "num_users": 4}}}},
        "benchmarks": {{"b": {{"benchmark_duration": 1, "scenario_actions": [{{"id": {}}}]}}}}}}"#,
        if class == "KwrkHttpUser" { 1 } else { 3 }
    );
    let loaded = tulip::parse(&text, "c.json", None);
    let mut out: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|found| format!("{}: {}", found.message, found.hint.as_deref().unwrap_or_default()))
        .collect();
    for target in loaded.run.iter().flat_map(|run| &run.plan.targets) {
        let limits = (target.connect_timeout_ns / 1_000_000, target.request_timeout_ns / 1_000_000);
        out.push(format!(
            "{} {} {:?} turns {:?} {limits:?} {:?}",
            target.name,
            target.url(),
            target.connections,
            target.alternates,
            target.headers
        ));
    }
    expected.assert_eq(&(out.join("\n") + "\n"));
}

#[test]
fn several_urls_are_taken_in_turn_over_shared_connections() {
    check(
        "TestHttpUser",
        r#"{"url": "http://a:1, https://b"}"#,
        expect![[r#"
        a:1 http://a:1 Shared(4) turns [1] (5000, 30000) [("User-Agent", Tulip)]
        b https://b Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
    "#]],
    );
    check(
        "TestHttpUser",
        r#"{"url": ["http://a:1", "http://a:1", "http://a:2"], "shareConnections": true}"#,
        expect![[r#"
            a:1 http://a:1 Shared(4) turns [1, 2] (5000, 30000) [("User-Agent", Tulip)]
            a:1 (2) http://a:1 Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
            a:2 http://a:2 Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
        "#]],
    );
    check(
        "KwrkHttpUser",
        r#"{"url": "http://a:1/x?y=1,http://a:2/x?y=1"}"#,
        expect![[r#"
        a:1 http://a:1 Shared(4) turns [1] (5000, 30000) [("User-Agent", Tulip)]
        a:2 http://a:2 Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
    "#]],
    );
}

#[test]
fn connections_of_each_users_own_take_the_first_url() {
    check(
        "TestHttpUser",
        r#"{"url": "http://a:1,http://b", "shareConnections": false}"#,
        expect![[r#"
        of several URLs in `url` only the first is used, as in Tulip without shared connections: keep one, or set `shareConnections` to true: users then take the URLs in turn
        a:1 http://a:1 PerUser turns [] (5000, 30000) [("User-Agent", Tulip)]
    "#]],
    );
    check(
        "TestHttpUser",
        r#"{"url": "http://a:1", "shareConnections": "no"}"#,
        expect![[r#"
        `shareConnections` `no` counts as false: write true or false
        a:1 http://a:1 PerUser turns [] (5000, 30000) [("User-Agent", Tulip)]
    "#]],
    );
}

#[test]
fn what_is_not_done_is_said() {
    check(
        "TestHttpUser",
        r#"{"url": "http://a/x", "httpVersion": "HTTP_2"}"#,
        expect![[r#"
        what follows host and port in `url` is in no request: each action has its own path: remove it
        `httpVersion` `HTTP_2`: requests go by HTTP/1.1, and what is measured is HTTP/1.1: write HTTP_1_1 to say so
        a http://a Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
    "#]],
    );
    check(
        "TestHttpUser",
        r#"{"url": "http://a", "httpVersion": "HTTP", "connectTimeoutMilis": 7, "debug": 1, "mine": 2}"#,
        expect![[r#"
            `httpVersion` `HTTP` is none, and HTTP/1.1 is spoken, as in Tulip: write HTTP_1_1
            the class reads no parameter `connectTimeoutMilis`: did you mean `connectTimeoutMillis`?
            a http://a Shared(4) turns [] (5000, 30000) [("User-Agent", Tulip)]
        "#]],
    );
    check(
        "TestHttpUser",
        r#"{"url": "http://a", "connectTimeoutMillis": 700, "readTimeoutMillis": "800", "httpHeader": "X-A: b:c"}"#,
        expect![[r#"
            the value of `httpHeader` is sent whole; Tulip cut it at its colon: nothing need be done
            a http://a Shared(4) turns [] (700, 800) [("X-A", b:c)]
        "#]],
    );
    check(
        "TestHttpUser",
        r#"{"url": "http://a", "connectTimeoutMillis": "soon", "httpHeader": "nothing"}"#,
        expect![[r#"
            `connectTimeoutMillis` must be a whole number above 0, found `soon`: write for example 1000
            `httpHeader` `nothing` is no header: write `Name: value`
        "#]],
    );
    check(
        "KwrkHttpUser",
        r#"{"url": "http://a/x,http://b/y"}"#,
        expect![[r#"
        the URLs in `url` differ in their path, and all users ask for the same: give all of them the same path and query
    "#]],
    );
    check(
        "user.http.HttpUser",
        r#"{"url": "http://a/x,http://b/x"}"#,
        expect![[r#"
        this class sends to one URL, and `url` has several: keep one, or run the configuration once per URL
    "#]],
    );
    check(
        "user.http.HttpUser",
        r#"{"url": " , "}"#,
        expect![[r#"
        there is no URL in `url`: write for example http://localhost:7070
    "#]],
    );
    check(
        "user.http.HttpUser",
        r#"{"url": "ftp://a"}"#,
        expect![[r#"
        the URL `ftp://a`: it begins with neither http:// nor https://: write for example http://localhost:7070
    "#]],
    );
    check(
        "user.http.HttpUser",
        r#"{"url": "http://a/base", "httpVersion": "HTTP_2"}"#,
        expect![[r#"
        a http://a/base Shared(4) turns [] (5000, 30000) []
    "#]],
    );
}
