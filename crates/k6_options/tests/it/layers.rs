//! Which layer wins, what is lost on the way, and what shortcuts become.

use crate::{said, script, test};
use k6_options::{ConfigFile, Executor, GoDuration, Layers, Options};
use std::collections::BTreeMap;

fn variables(pairs: &[(&str, &str)]) -> Options {
    let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Options::from_variables(&pairs.collect()).unwrap()
}

fn of(json: &str) -> Options {
    script(json).unwrap()
}

/// The executors that run, and warnings.
fn runs(layers: &Layers) -> (String, Vec<String>) {
    let test = layers.consolidate().unwrap();
    let all = test
        .scenarios()
        .into_iter()
        .map(|(name, scenario)| format!("{name}: {}", scenario.description(&test.share)));
    (all.collect::<Vec<_>>().join("; "), test.warnings.clone())
}

#[test]
fn the_upper_layer_wins_key_by_key() {
    let layers = Layers {
        config_file: of(
            r#"{"rps":1,"batch":1,"userAgent":"file","maxRedirects":1,"tags":{"a":"file","b":"file"}}"#,
        ),
        script: of(r#"{"batch":2,"userAgent":"script","maxRedirects":2,"tags":{"a":"script"}}"#),
        variables: variables(&[("K6_USER_AGENT", "variable"), ("K6_MAX_REDIRECTS", "3")]),
        flags: of(r#"{"maxRedirects":4}"#),
    };
    let (options, warnings) = layers.merged();
    assert_eq!((options.rps, options.batch, options.max_redirects), (Some(1), Some(2), Some(4)));
    assert_eq!(options.user_agent.as_deref(), Some("variable"));
    // Tags are replaced as a whole.
    assert_eq!(options.tags, Some(BTreeMap::from([("a".to_owned(), "script".to_owned())])));
    assert_eq!(warnings, [""; 0]);
}

#[test]
fn dns_is_laid_over_part_by_part_and_empty_tags_say_nothing() {
    let layers = Layers {
        script: of(r#"{"dns":{"ttl":"1m","select":"first"},"tags":{"a":"b"}}"#),
        variables: variables(&[("K6_DNS", "select=roundRobin,policy=any")]),
        flags: Options { tags: Some(BTreeMap::new()), ..Options::default() },
        ..Layers::default()
    };
    let (options, _) = layers.merged();
    let dns = options.dns.unwrap();
    let (select, policy) = (dns.select.unwrap(), dns.policy.unwrap());
    assert_eq!((dns.ttl.as_deref(), select.as_str(), policy.as_str()), (Some("1m"), "roundRobin", "any"));
    assert_eq!(options.tags.unwrap().len(), 1);
}

#[test]
fn features_are_named_outside_of_the_script() {
    let tags = |layers: &Layers| {
        let test = layers.consolidate().unwrap();
        let tags = test.options.tags.iter().flatten().map(|(name, value)| format!("{name}={value}"));
        (tags.collect::<Vec<_>>().join(" "), test.features.join(" "), test.warnings)
    };
    let mut layers = Layers {
        config_file: ConfigFile::parse(r#"{"tags":{"a":"f","x":"f"}}"#).unwrap().options,
        script: of(r#"{"tags":{"a":"s","b":"s"}}"#),
        flags: Options {
            tags: Some(BTreeMap::from([("b".to_owned(), "c".to_owned())])),
            ..Options::default()
        },
        ..Layers::default()
    };
    assert_eq!(tags(&layers), ("b=c".to_owned(), String::new(), vec![]));
    layers.variables = variables(&[("K6_FEATURES", "merge-run-tags,foo")]);
    let merged = "a=s b=c k6_feature_merge_run_tags=true x=f".to_owned();
    assert_eq!(
        tags(&layers),
        (merged, "merge-run-tags".to_owned(), vec!["Unknown feature flag: foo".to_owned()])
    );
    layers.flags.features = Some(vec!["freeze-env".to_owned()]);
    assert_eq!(tags(&layers), ("b=c k6_feature_freeze_env=true".to_owned(), "freeze-env".to_owned(), vec![]));
}

#[test]
fn what_runs_is_replaced_as_one() {
    const SCENARIO: &str = r#"{"scenarios":{"a":{"executor":"constant-vus","duration":"1s"}}}"#;
    let lost = |name: &str| {
        vec![format!("\"{name}\" level configuration overrode scenarios configuration entirely")]
    };
    let a = "a: 1 looping VUs for 1s (gracefulStop: 30s)".to_owned();
    let looping = "default: 1 looping VUs for 2s (gracefulStop: 30s)".to_owned();
    let shared =
        "default: 3 iterations shared among 1 VUs (maxDuration: 10m0s, gracefulStop: 30s)".to_owned();
    let case = |config_file: &str, script: &str, variables: Options, flags: &str| {
        runs(&Layers { config_file: of(config_file), script: of(script), variables, flags: of(flags) })
    };
    let none = Options::default;
    assert_eq!(case("{}", SCENARIO, none(), "{}"), (a.clone(), vec![]));
    assert_eq!(case("{}", SCENARIO, none(), r#"{"duration":"2s"}"#), (looping.clone(), lost("cli")));
    assert_eq!(case("{}", SCENARIO, variables(&[("K6_DURATION", "2s")]), "{}"), (looping, lost("env")));
    assert_eq!(case(SCENARIO, r#"{"iterations":3}"#, none(), "{}"), (shared.clone(), lost("script")));
    assert_eq!(case(SCENARIO, SCENARIO, none(), "{}"), (a.clone(), lost("script")));
    // A layer that says duration throws away iterations below, and no warning is due.
    assert_eq!(
        case(
            r#"{"duration":"9s"}"#,
            r#"{"stages":[{"duration":"1s","target":1}]}"#,
            none(),
            r#"{"iterations":3}"#
        ),
        (shared, vec![])
    );
    // VUs alone wipe nothing when layers are merged, but win in the end.
    let vus = "default: 2 iterations shared among 2 VUs (maxDuration: 10m0s, gracefulStop: 30s)".to_owned();
    let warning = vec!["`vus=2` overrides scenarios configuration".to_owned()];
    assert_eq!(case("{}", SCENARIO, variables(&[("K6_VUS", "2")]), "{}"), (vus, warning));
}

#[test]
fn shortcuts_become_scenarios() {
    let check = |json: &str, expected: &str| {
        let layers = Layers { script: of(json), ..Layers::default() };
        assert_eq!(runs(&layers), (format!("default: {expected}"), vec![]), "{json}");
    };
    check(r#"{"iterations":7}"#, "7 iterations shared among 1 VUs (maxDuration: 10m0s, gracefulStop: 30s)");
    check(
        r#"{"iterations":7,"vus":3,"duration":"5s"}"#,
        "7 iterations shared among 3 VUs (maxDuration: 5s, gracefulStop: 30s)",
    );
    check(r#"{"duration":"5s"}"#, "1 looping VUs for 5s (gracefulStop: 30s)");
    check(r#"{"duration":"5s","vus":4}"#, "4 looping VUs for 5s (gracefulStop: 30s)");
    check(
        r#"{"stages":[{"duration":"5s","target":4},{"target":9}],"vus":2}"#,
        "Up to 4 looping VUs for 5s over 1 stages (gracefulRampDown: 30s, gracefulStop: 30s)",
    );
    check(r#"{"vus":4}"#, "4 iterations shared among 4 VUs (maxDuration: 10m0s, gracefulStop: 30s)");
    check("{}", "1 iterations for each of 1 VUs (maxDuration: 10m0s, gracefulStop: 30s)");
}

#[test]
fn what_is_set_to_nothing_runs_once_with_a_warning() {
    let once = "default: 1 iterations for each of 1 VUs (maxDuration: 10m0s, gracefulStop: 30s)".to_owned();
    let empty = |name: &str| {
        format!("`{name}` was explicitly set to an empty value, running the script with 1 iteration in 1 VU")
    };
    let case = |json: &str| runs(&Layers { script: of(json), ..Layers::default() });
    assert_eq!(case(r#"{"stages":[]}"#), (once.clone(), vec![empty("stages")]));
    assert_eq!(case(r#"{"stages":[{"target":5}],"vus":3}"#), (once.clone(), vec![empty("stages")]));
    assert_eq!(case(r#"{"scenarios":{}}"#), (once.clone(), vec![empty("scenarios")]));
    assert_eq!(case(r#"{"stages":[],"scenarios":{}}"#), (once, vec![empty("stages"), empty("scenarios")]));
    let (three, warnings) = case(r#"{"scenarios":{},"vus":3}"#);
    assert!(three.starts_with("default: 3 iterations shared"), "{three}");
    assert_eq!(warnings, ["`vus=3` overrides scenarios configuration"]);
}

#[test]
fn shortcuts_that_exclude_each_other_are_refused() {
    let parts = [
        ("iterations", r#""iterations":5"#),
        ("duration", r#""duration":"1s""#),
        ("stages", r#""stages":[{"duration":"1s","target":5}]"#),
        ("scenarios", r#""scenarios":{"a":{"executor":"constant-vus","duration":"1s"}}"#),
    ];
    for (index, (first, one)) in parts.iter().enumerate() {
        for (second, other) in &parts[index + 1..] {
            let result = test(&format!("{{{one},{other}}}"));
            if (*first, *second) == ("iterations", "duration") {
                assert!(result.is_ok());
                continue;
            }
            let text = format!("using `{first}` and `{second}` options simultaneously is not allowed");
            assert_eq!(said(result), (104, text));
        }
    }
    let endless = "`duration` option should be more than 0, for infinite duration use the externally-controlled executor";
    assert_eq!(said(test(r#"{"duration":"0"}"#)), (104, endless.to_owned()));
}

#[test]
fn variables_are_read_with_their_own_forms() {
    let all = variables(&[
        ("K6_VUS", "3"),
        ("K6_ITERATIONS", ""),
        ("K6_DURATION", "10"),
        ("K6_STAGES", "10s:5,5s:0"),
        ("K6_NO_SETUP", "true"),
        ("K6_SETUP_TIMEOUT", "5"),
        ("K6_TAGS", "a:b,c:d:e"),
        ("K6_SUMMARY_TREND_STATS", "avg,max"),
        ("K6_SYSTEM_TAGS", "url,foo"),
        ("K6_BLACKLIST_IPS", "10.0.0.0/8,1.0.0.0/8"),
        ("K6_BLOCK_HOSTNAMES", "a.b,*.c"),
        ("K6_HOSTS", r#"{"a.b":"1.2.3.4"}"#),
        ("K6_THRESHOLDS", r#"{"checks":["rate>0"]}"#),
        ("K6_TLS_CIPHER_SUITES", "TLS_AES_128_GCM_SHA256"),
        ("K6_LOCAL_IPS", "127.0.0.1"),
        ("K6_CONSOLE_OUTPUT", "out.txt"),
        ("K6_FEATURES", "native-histograms"),
        ("K6_USER_AGENT", ""),
        ("HOME", "/"),
    ]);
    assert_eq!((all.vus, all.iterations, all.no_setup), (Some(3), None, Some(true)));
    assert_eq!(all.duration, Some(GoDuration::from_ns(10_000_000)));
    let stages: Vec<_> =
        all.stages.unwrap().iter().map(|stage| (stage.duration.unwrap().to_string(), stage.target)).collect();
    assert_eq!(stages, [("10s".to_owned(), Some(5)), ("5s".to_owned(), Some(0))]);
    assert_eq!(all.tags.unwrap()["c"], "d:e");
    assert_eq!(all.system_tags.unwrap().names(), ["url"]);
    assert_eq!(all.block_hostnames.unwrap().matching("x.c"), Some("*.c"));
    assert!(
        all.hosts.unwrap().resolve("a.b", 80).is_some() && all.thresholds.unwrap().contains_key("checks")
    );
    assert_eq!((all.user_agent, all.console_output.as_deref()), (None, Some("out.txt")));
    assert_eq!(variables(&[("K6_STAGES", "")]).stages, Some(vec![]));
    assert_eq!(variables(&[("K6_SUMMARY_TREND_STATS", "")]).summary_trend_stats.unwrap().names().len(), 0);
}

#[test]
fn variables_that_cant_be_read_are_named() {
    let check = |name: &str, value: &str, expected: &str| {
        let one = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        assert_eq!(said(Options::from_variables(&one)), (104, format!("assigning {name} to {expected}")));
    };
    check("K6_VUS", "x", r#"vus: strconv.ParseInt: parsing "x": invalid syntax"#);
    check("K6_PAUSED", "1", "paused: invalid input:1");
    check("K6_THROW", "TRUE", "throw: invalid input:TRUE");
    check("K6_DURATION", "abc", r#"duration: time: invalid duration "abc""#);
    check("K6_STAGES", "x", r#"stages: time: invalid duration "x""#);
    check("K6_STAGES", &"1s:1,".repeat(100_000), "stages: 100001 entries, and 100000 are the most");
    check("K6_DNS", "", "dns: no value for key ");
    check("K6_TAGS", "a=b", r#"tags: invalid map item: "a=b""#);
    check("K6_BLOCK_HOSTNAMES", "a*b", "blockHostnames: invalid hostname pattern 'a*b'");
    check("K6_LOCAL_IPS", "x", "localIPs: x is not a valid IP, IP range or CIDR");
}

#[test]
fn the_configuration_file_holds_options_and_some_flags() {
    let file =
        ConfigFile::parse(r#"{"vus":3,"foo":1,"out":["json=x"],"linger":true,"features":["a"]}"#).unwrap();
    assert_eq!((file.options.vus, file.linger, file.no_usage_report), (Some(3), Some(true), None));
    assert_eq!(
        (file.out, file.options.features),
        (Some(vec!["json=x".to_owned()]), Some(vec!["a".to_owned()]))
    );
    for (text, expected) in [
        (r#"{"out":"x"}"#, "configuration file: `out`: json: cannot unmarshal string into a list of strings"),
        (
            r#"{"vus":"x"}"#,
            r#"configuration file: option `vus`: strconv.ParseInt: parsing "x": invalid syntax"#,
        ),
        ("{", "failed to parse the configuration file: EOF while parsing an object at line 1 column 1"),
    ] {
        assert_eq!(said(ConfigFile::parse(text)), (104, expected.to_owned()));
    }
}

#[test]
fn what_can_never_run_is_refused_in_the_end() {
    let check = |json: &str, code: u8, expected: &str| {
        assert_eq!(said(test(json)), (code, expected.to_owned()), "{json}")
    };
    check(r#"{"setupTimeout":0}"#, 104, "setupTimeout must be positive");
    check(r#"{"summaryTrendStats":["foo"]}"#, 255, "invalid trend stat 'foo', unknown format");
    check(
        r#"{"executionSegment":"1/3:1/2","executionSegmentSequence":"0,1/2,1"}"#,
        104,
        "provided segment 1/3:1/2 can't be found in sequence 0,1/2,1",
    );
    check(
        r#"{"executionSegmentSequence":"0,1/2,1"}"#,
        104,
        "provided segment 0:1 can't be found in sequence 0,1/2,1",
    );
    assert!(test(r#"{"executionSegment":"1/2","executionSegmentSequence":"0,1/2"}"#).is_ok());
    let functions = r#"{"scenarios":{"a":{"executor":"constant-vus","duration":"1s","exec":"nope"},"b":{"executor":"constant-vus","duration":"1s"}}}"#;
    let test = test(functions).unwrap();
    assert_eq!(
        said(test.check_exports(&["default"])),
        (104, "executor a: function 'nope' not found in exports".to_owned())
    );
    assert_eq!(test.check_exports(&["default", "nope"]), Ok(()));
    assert!(matches!(test.options.scenarios.unwrap()["a"].executor, Executor::ConstantVus(_)));
}
