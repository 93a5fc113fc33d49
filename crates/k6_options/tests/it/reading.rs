//! Values of options: strict and lax as k6 is, with its texts.

use crate::{said, script, test};
use k6_options::{GoDuration, Options, Stage};
use std::collections::BTreeMap;

fn check(json: &str, expected: &str) {
    assert_eq!(said(test(json)), (104, expected.to_owned()), "{json}");
}

#[test]
fn numbers_may_be_texts_and_must_be_whole() {
    let vus = |json: &str| script(json).map(|options| options.vus);
    for (json, expected) in [
        (r#"{"vus":5}"#, Some(5)),
        (r#"{"vus":"5"}"#, Some(5)),
        (r#"{"vus":"+5"}"#, Some(5)),
        (r#"{"vus":-5}"#, Some(-5)),
        (r#"{"vus":1e3}"#, Some(1000)),
        (r#"{"vus":""}"#, None),
        (r#"{"vus":null}"#, None),
        (r#"{"VUs":3}"#, Some(3)),
    ] {
        assert_eq!(vus(json), Ok(expected), "{json}");
    }
    check(r#"{"vus":"5x"}"#, r#"option `vus`: strconv.ParseInt: parsing "5x": invalid syntax"#);
    check(r#"{"vus":"undefined"}"#, r#"option `vus`: strconv.ParseInt: parsing "undefined": invalid syntax"#);
    check(r#"{"vus":2.5}"#, "option `vus`: json: cannot unmarshal number 2.5 into a whole number");
    check(r#"{"vus":true}"#, "option `vus`: json: cannot unmarshal bool into a whole number");
    check(
        r#"{"vus":"99999999999999999999"}"#,
        r#"option `vus`: strconv.ParseInt: parsing "99999999999999999999": value out of range"#,
    );
    assert!(script(r#"{"vus":1e300}"#).is_err() && script(r#"{"vus":[]}"#).is_err());
}

#[test]
fn booleans_and_strings_are_strict() {
    assert_eq!(
        script(r#"{"noSetup":true,"throw":null}"#).map(|options| (options.no_setup, options.throw)),
        Ok((Some(true), None))
    );
    check(r#"{"noSetup":"true"}"#, "option `noSetup`: json: cannot unmarshal string into true or false");
    check(r#"{"throw":1}"#, "option `throw`: json: cannot unmarshal number into true or false");
    check(r#"{"userAgent":5}"#, "option `userAgent`: json: cannot unmarshal number into a string");
    check(r#"{"tags":{"a":1}}"#, r#"option `tags`: json: cannot unmarshal number into a string at "a""#);
    assert_eq!(
        script(r#"{"tags":{"a":""}}"#).unwrap().tags,
        Some(BTreeMap::from([("a".to_owned(), String::new())]))
    );
}

#[test]
fn durations_are_ms_or_gos_syntax_with_days() {
    let ns = |json: &str| script(json).unwrap().duration.map(GoDuration::ns);
    for (json, expected) in [
        (r#"{"duration":"10"}"#, 10_000_000),
        (r#"{"duration":1500.5}"#, 1_500_500_000),
        (r#"{"duration":"1e3"}"#, 1_000_000_000),
        (r#"{"duration":"1m30s"}"#, 90_000_000_000),
        (r#"{"duration":"1d12h"}"#, 129_600_000_000_000),
        (r#"{"duration":-5}"#, -5_000_000),
    ] {
        assert_eq!(ns(json), Some(expected), "{json}");
    }
    check(r#"{"duration":"abc"}"#, r#"option `duration`: time: invalid duration "abc""#);
    check(r#"{"duration":""}"#, r#"option `duration`: time: invalid duration """#);
    check(r#"{"duration":true}"#, "option `duration`: 'true' is not a valid duration value");
    check(r#"{"duration":"1.5d"}"#, r#"option `duration`: strconv.ParseInt: parsing "1.5": invalid syntax"#);
    check(r#"{"duration":1e300}"#, "option `duration`: '1e+300' is not a valid duration value");
    // A stage of `'60'` lasts 60 ms.
    let stages = script(r#"{"stages":[{"duration":"60","target":"5","foo":1}]}"#).unwrap().stages;
    let stage = Stage { duration: Some(GoDuration::from_ns(60_000_000)), target: Some(5) };
    assert_eq!(stages, Some(vec![stage]));
}

#[test]
fn what_is_not_known_at_the_top_is_a_warning() {
    let value = serde_json::json!({"foo": 1, "bar": 2, "vus": 2, "consoleOutput": "x", "features": ["x"]});
    let read = Options::from_script(&value).unwrap();
    assert_eq!(read.options.vus, Some(2));
    assert_eq!((read.options.console_output, read.options.features), (None, None));
    let unknown =
        "There were unknown fields in the options exported in the script: `bar`, `consoleOutput`, `foo`";
    assert_eq!(read.warnings[0], unknown);
    assert!(read.warnings[1].starts_with("Feature flags in script options are not supported"));
    assert_eq!(Options::from_script(&serde_json::Value::Null).unwrap().options, Options::default());
    for (json, kind) in [("5", "number"), ("[]", "array"), (r#""x""#, "string"), ("true", "bool")] {
        check(json, &format!("json: cannot unmarshal {kind} into options"));
    }
}

#[test]
fn all_faults_are_said_at_once() {
    check(
        r#"{"vus":"x","noSetup":1,"duration":"y"}"#,
        "option `duration`: time: invalid duration \"y\"\n\t- option `noSetup`: json: cannot unmarshal number into true or false\n\t- option `vus`: strconv.ParseInt: parsing \"x\": invalid syntax",
    );
}

#[test]
fn scenarios_are_strict() {
    let check = |json: &str, expected: &str| check(json, &format!("option `scenarios`: {expected}"));
    check(r#"{"scenarios":{"a":{}}}"#, "scenario 'a' doesn't have a specified executor type");
    check(r#"{"scenarios":{"a":null}}"#, "scenario 'a' doesn't have a specified executor type");
    check(r#"{"scenarios":{"a":{"executor":""}}}"#, "scenario 'a' doesn't have a specified executor type");
    check(r#"{"scenarios":{"a":{"executor":"foo"}}}"#, "unknown executor type 'foo'");
    check(r#"{"scenarios":{"a":{"executor":5}}}"#, "json: cannot unmarshal number into an executor type");
    check(
        r#"{"scenarios":{"a":{"executor":"constant-vus","foo":1}}}"#,
        "json: unknown field \"foo\" (scenario `a`)",
    );
    check(
        r#"{"scenarios":{"a":{"executor":"ramping-vus","stages":[{"duration":"1s","target":5,"foo":1}]}}}"#,
        "json: unknown field \"foo\" (scenario `a`)",
    );
    check(
        r#"{"scenarios":{"a":{"executor":"constant-vus","stages":[]}}}"#,
        "json: unknown field \"stages\" (scenario `a`)",
    );
    check(
        r#"{"scenarios":{"a":{"executor":"constant-vus","vus":"x"}}}"#,
        "strconv.ParseInt: parsing \"x\": invalid syntax (scenario `a`)",
    );
    check(
        r#"{"scenarios":{"a":{"executor":"constant-vus","env":{"A":1}}}}"#,
        "json: cannot unmarshal number into a string at \"A\" (scenario `a`)",
    );
    check(r#"{"scenarios":[]}"#, "json: cannot unmarshal array into an object of scenarios");
    let lax = r#"{"scenarios":{"a":{"Executor":"constant-vus","VUS":"7","duration":"1s","GRACEFULSTOP":"0s","options":{"browser":{}}}}}"#;
    let test = test(lax).unwrap();
    assert_eq!((test.requirements().vus_max(), test.requirements().end()), (7, GoDuration::from_secs(1)));
}

#[test]
fn thresholds_must_be_lists() {
    check(
        r#"{"thresholds":"a"}"#,
        "option `thresholds`: json: cannot unmarshal string into an object of lists of thresholds",
    );
    check(
        r#"{"thresholds":{"checks":"rate>0"}}"#,
        "option `thresholds`: json: cannot unmarshal string into a list of thresholds (thresholds of `checks`)",
    );
    check(
        r#"{"thresholds":{"checks":[5]}}"#,
        "option `thresholds`: json: cannot unmarshal number into a threshold (thresholds of `checks`)",
    );
    let json =
        r#"{"thresholds":{"a":["x",{"threshold":"y","abortOnFail":true,"delayAbortEval":"10s"}],"b":null}}"#;
    let thresholds = script(json).unwrap().thresholds.unwrap();
    let [x, y] = thresholds["a"].as_slice() else { panic!("{thresholds:?}") };
    assert_eq!((x.expression.as_str(), x.abort_on_fail, x.delay_abort_eval), ("x", false, None));
    assert_eq!(
        (y.expression.as_str(), y.abort_on_fail, y.delay_abort_eval),
        ("y", true, Some(GoDuration::from_secs(10)))
    );
    assert_eq!(thresholds["b"].len(), 0);
}

#[test]
fn connections_and_names_are_checked() {
    check(
        r#"{"dns":"ttl=1m"}"#,
        "option `dns`: json: cannot unmarshal string into an object with ttl, select and policy",
    );
    check(r#"{"dns":{"ttl":5}}"#, "option `dns`: json: cannot unmarshal number into a string");
    check(r#"{"dns":{"select":"x"}}"#, "option `dns`: x does not belong to DNSSelect values");
    check(r#"{"dns":{"policy":""}}"#, "option `dns`:  does not belong to DNSPolicy values");
    assert_eq!(said(test(r#"{"dns":{"ttl":"x"}}"#)), (255, "invalid DNS TTL: x".to_owned()));
    check(r#"{"tlsVersion":"tls1.9"}"#, "option `tlsVersion`: unknown TLS version 'tls1.9'");
    check(r#"{"tlsVersion":{"min":"x"}}"#, "option `tlsVersion`: unknown TLS version 'x'");
    check(r#"{"tlsCipherSuites":["FOO"]}"#, "option `tlsCipherSuites`: unknown cipher suite 'FOO'");
    check(r#"{"tlsAuth":[{}]}"#, "option `tlsAuth`: tls: failed to find any PEM data in certificate input");
    check(r#"{"hosts":{"a*b":"1.2.3.4"}}"#, "option `hosts`: invalid host pattern 'a*b'");
    check(
        r#"{"hosts":{"a":"localhost"}}"#,
        "option `hosts`: host 'a' can't go to 'localhost', which is no IP address",
    );
    check(r#"{"blockHostnames":["a*b"]}"#, "option `blockHostnames`: invalid hostname pattern 'a*b'");
    check(
        r#"{"blacklistIPs":["1.2.3.4"]}"#,
        "option `blacklistIPs`: failed to parse CIDR '1.2.3.4': invalid CIDR address: 1.2.3.4",
    );
    check(
        r#"{"executionSegment":"2"}"#,
        "option `executionSegment`: segment end value can't be more than 1 but was 2.00",
    );
    check(
        r#"{"executionSegment":5}"#,
        "option `executionSegment`: json: cannot unmarshal number into an execution segment",
    );
    check(r#"{"ext":5}"#, "option `ext`: json: cannot unmarshal number into an object");
    let fine = r#"{"hosts":{"a:80":"[::1]:81"},"tlsVersion":{"min":"tls1.2"},"executionSegment":"","dns":{"foo":1,"ttl":""},"cloud":5}"#;
    let options = script(fine).unwrap();
    assert_eq!(options.hosts.unwrap().resolve("A", 80), Some(("::1".parse().unwrap(), 81)));
    assert_eq!((options.execution_segment, options.dns.unwrap().ttl_ns()), (None, Ok(300_000_000_000)));
}

#[test]
fn large_and_deep_values_are_refused() {
    let deep = format!(r#"{{"ext":{}1{}}}"#, r#"{"a":"#.repeat(70), "}".repeat(70));
    check(&deep, "the options are too large: nested more than 64 levels deep");
    let long = format!(r#"{{"userAgent":"{}"}}"#, "x".repeat((1 << 20) + 1));
    check(&long, "the options are too large: a string of more than 1048576 bytes");
    let many: Vec<String> =
        (0..1_001).map(|number| format!(r#""s{number}":{{"executor":"constant-vus"}}"#)).collect();
    check(
        &format!(r#"{{"scenarios":{{{}}}}}"#, many.join(",")),
        "option `scenarios`: 1001 entries, and 1000 are the most",
    );
    let wide = format!(r#"{{"ext":{{"a":[{}0]}}}}"#, "0,".repeat(1_000_000));
    check(&wide, "the options are too large: more than 1000000 values");
}
