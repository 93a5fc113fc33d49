//! The command lines of `run`, `archive` and `inspect`.

use crate::said;
use k6_options::{Command, CommandLine, CompatibilityMode, Fault, Settings, SummaryMode, TestType, usage};
use std::collections::BTreeMap;

fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|word| (*word).to_owned()).collect()
}

fn run(line: &[&str]) -> Result<CommandLine, Fault> {
    let mut words = words(line);
    words.push("s.js".to_owned());
    CommandLine::read(Command::Run, &words)
}

/// What is set by a line, as `inspect` and scripts show it.
fn check(line: &[&str], expected: &[(&str, &str)]) {
    let read = run(line).unwrap_or_else(|fault| panic!("{line:?}: {fault}"));
    let shown = read.options.inspect();
    for (key, value) in expected {
        let own = match *key {
            "consoleOutput" | "localIPs" => read.options.as_seen_by_scripts(),
            _ => shown.clone(),
        };
        assert_eq!(
            own.get(key).map(|value| value.to_go_compact()).as_deref(),
            Some(*value),
            "{line:?} {key}"
        );
    }
    assert_eq!(read.script, "s.js");
}

fn refused(line: &[&str], expected: &str) {
    assert_eq!(said(run(line)), (255, expected.to_owned()), "{line:?}");
}

#[test]
fn flags_are_options() {
    check(&[], &[("vus", "null"), ("stages", "null"), ("tags", "null"), ("systemTags", "null")]);
    check(
        &["-u5", "-i", "7", "-d", "1m30s"],
        &[("vus", "5"), ("iterations", "7"), ("duration", r#""1m30s""#)],
    );
    check(&["--vus=0x10", "--vus", "1_000"], &[("vus", "1000")]);
    check(&["-pw"], &[("paused", "true"), ("throw", "true")]);
    check(&["--no-setup", "--no-teardown=false"], &[("noSetup", "true"), ("noTeardown", "false")]);
    let two = r#"[{"duration":"10s","target":5},{"duration":"5s","target":0}]"#;
    check(&["-s", "10s:5,5s:0"], &[("stages", two)]);
    check(&["-s", "10s:5", "--stage", "5s:0"], &[("stages", two)]);
    check(&["-s", "10s"], &[("stages", r#"[{"duration":"10s","target":null}]"#)]);
    check(&["-s", ""], &[("stages", "[]")]);
    check(&["--http-debug"], &[("httpDebug", r#""headers""#)]);
    check(&["--http-debug=full"], &[("httpDebug", r#""full""#)]);
    check(&["--tag", "a=b,c=d", "--tag", "e=f=g"], &[("tags", r#"{"a":"b,c=d","e":"f=g"}"#)]);
    check(&["--blacklist-ip", "10.0.0.0/8,1.0.0.0/8"], &[("blacklistIPs", r#"["10.0.0.0/8","1.0.0.0/8"]"#)]);
    check(
        &["--block-hostnames", "a.b", "--block-hostnames", "*.c"],
        &[("blockHostnames", r#"["a.b","*.c"]"#)],
    );
    check(&["--summary-trend-stats", "avg,p(99)"], &[("summaryTrendStats", r#"["avg","p(99)"]"#)]);
    check(&["--summary-trend-stats", ""], &[("summaryTrendStats", "[]")]);
    check(&["--summary-time-unit", "ms"], &[("summaryTimeUnit", r#""ms""#)]);
    check(&["--system-tags", "url", "--system-tags", "status,foo"], &[("systemTags", r#"["status","url"]"#)]);
    check(&["--system-tags", ""], &[("systemTags", "null")]);
    check(&["--user-agent", ""], &[("userAgent", r#""""#)]);
    check(&["--dns", "ttl=0,policy=any"], &[("dns", r#"{"ttl":"0","select":null,"policy":"any"}"#)]);
    check(&["--dns", ""], &[("dns", r#"{"ttl":null,"select":null,"policy":null}"#)]);
    check(
        &["--execution-segment", "25%", "--execution-segment-sequence", "0,1/4,1"],
        &[("executionSegment", r#""0:1/4""#), ("executionSegmentSequence", r#""0,1/4,1""#)],
    );
    check(
        &["--max-redirects", "3", "--batch", "4", "--batch-per-host=5", "--rps", "6"],
        &[("maxRedirects", "3"), ("batch", "4"), ("batchPerHost", "5"), ("rps", "6")],
    );
    check(
        &["--console-output", "x", "--local-ips", "127.0.0.1"],
        &[("consoleOutput", r#""x""#), ("localIPs", r#""127.0.0.1""#)],
    );
    check(
        &["--min-iteration-duration", "5s", "--discard-response-bodies", "--insecure-skip-tls-verify"],
        &[
            ("minIterationDuration", r#""5s""#),
            ("discardResponseBodies", "true"),
            ("insecureSkipTLSVerify", "true"),
        ],
    );
    check(
        &["--no-connection-reuse", "--no-vu-connection-reuse", "--features", "a, b", "--features", "c"],
        &[("noConnectionReuse", "true"), ("noVUConnectionReuse", "true"), ("features", r#"["a","b","c"]"#)],
    );
}

#[test]
fn what_is_no_value_is_refused_in_the_words_people_know() {
    refused(
        &["-d", "10"],
        r#"invalid argument "10" for "-d, --duration" flag: time: missing unit in duration "10""#,
    );
    refused(
        &["-d", "1d"],
        r#"invalid argument "1d" for "-d, --duration" flag: time: unknown unit "d" in duration "1d""#,
    );
    refused(
        &["--min-iteration-duration", "5"],
        r#"invalid argument "5" for "--min-iteration-duration" flag: time: missing unit in duration "5""#,
    );
    refused(
        &["-u", "x"],
        r#"invalid argument "x" for "-u, --vus" flag: strconv.ParseInt: parsing "x": invalid syntax"#,
    );
    refused(&["--foo"], "unknown flag: --foo");
    refused(&["-px"], "unknown shorthand flag: 'x' in -x");
    refused(&["-s", "5"], r#"error for stage 0: time: missing unit in duration "5""#);
    refused(&["-s", "1s:1", "-s", "10:5"], r#"error for stage 1: time: missing unit in duration "10""#);
    refused(&["-s", ":5"], "stage 0 doesn't have a specified duration");
    refused(&["-s", "10s:x"], r#"error for stage 0: strconv.ParseInt: parsing "x": invalid syntax"#);
    refused(&["--tag", "a"], "error parsing tag 'a': invalid tag, empty value");
    refused(&["--tag", "=b"], "error parsing tag '=b': invalid tag, empty name");
    refused(&["--blacklist-ip", "x"], "error parsing blacklist-ip 'x': invalid CIDR address: x");
    refused(&["--block-hostnames", "a*b"], "invalid hostname pattern 'a*b'");
    refused(&["--summary-trend-stats", "avg, max"], "invalid trend stat ' max', unknown format");
    refused(&["--summary-time-unit", "x"], "invalid summary time unit 'x', use 's', 'ms' or 'us'");
    refused(&["--dns", "x"], "no value for key x");
    refused(&["--dns", "ttl=x"], "invalid DNS TTL: x");
    refused(&["--local-ips", "x"], "x is not a valid IP, IP range or CIDR");
    refused(
        &["--execution-segment", "x"],
        "'x' is not a valid percentage, decimal, fraction or interval value",
    );
    refused(&["-e", "1A=B"], "invalid environment variable name '1A'");
    refused(&["-e", "=B"], "invalid environment variable name ''");
    refused(&["-t", "foo"], "unknown or unspecified test type 'foo'");
    refused(&["--summary-mode=x"], "invalid summary mode");
    refused(
        &["--compatibility-mode", "x"],
        r#"invalid compatibility mode "x". Use: "extended", "base", "experimental_enhanced""#,
    );
    let more = ": arg should either be \"-\", if reading script from stdin, or a path to a script file";
    refused(&["--http-debug", "full"], &format!("accepts 1 arg(s), received 2{more}"));
    assert_eq!(said(CommandLine::read(Command::Run, &[])).1, format!("accepts 1 arg(s), received 0{more}"));
    assert_eq!(said(CommandLine::read(Command::Inspect, &[])).1, "accepts 1 arg(s), received 0");
    assert_eq!(
        said(CommandLine::read(Command::Run, &words(&["--stage"]))).1,
        "flag needs an argument: --stage"
    );
}

#[test]
fn settings_are_read_beside_options() {
    let line = [
        "-e",
        "A=B",
        "-e",
        "A=C=D",
        "-eE",
        "-o",
        "json=x",
        "--out",
        "csv",
        "-lqv",
        "--no-thresholds",
        "-t",
        "js",
    ];
    let settings = run(&line).unwrap().settings;
    let env = BTreeMap::from([("A".to_owned(), "C=D".to_owned()), ("E".to_owned(), String::new())]);
    assert_eq!((settings.env, settings.out), (env, words(&["json=x", "csv"])));
    assert_eq!((settings.linger, settings.quiet, settings.verbose), (Some(true), Some(true), Some(true)));
    assert_eq!((settings.no_thresholds, settings.test_type), (Some(true), Some(TestType::Js)));
    let mode = |line: &[&str]| run(line).unwrap().settings.summary_mode;
    assert_eq!(mode(&["--summary-mode=legacy"]), Some(SummaryMode::Legacy));
    assert_eq!(mode(&["--no-summary"]), Some(SummaryMode::Disabled));
    assert_eq!(mode(&["--no-usage-report"]), None);
    let enhanced = run(&["--compatibility-mode=experimental_enhanced"]).unwrap();
    assert_eq!(
        (enhanced.settings.compatibility_mode, enhanced.warnings.len()),
        (Some(CompatibilityMode::Extended), 1)
    );
    let archive =
        CommandLine::read(Command::Archive, &words(&["-O", "-", "--exclude-env-vars", "a.js"])).unwrap();
    assert_eq!(
        (archive.settings.archive_out.as_deref(), archive.settings.exclude_env_vars),
        (Some("-"), Some(true))
    );
    let inspect = CommandLine::read(Command::Inspect, &words(&["--execution-requirements", "a.js"])).unwrap();
    assert_eq!(inspect.settings.execution_requirements, Some(true));
    assert_eq!(
        said(CommandLine::read(Command::Inspect, &words(&["a.js", "-u", "5"]))).1,
        "unknown shorthand flag: 'u' in -u"
    );
    assert!(CommandLine::read(Command::Run, &words(&["-h"])).unwrap().wants_help);
}

#[test]
fn variables_fill_in_what_flags_leave_open() {
    let variables = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let fill = |line: &[&str], pairs: &[(&str, &str)]| {
        run(line).unwrap().settings.with_variables(&variables(pairs), &mut Vec::new())
    };
    let all = [
        ("K6_OUT", "json=a,csv"),
        ("K6_SUMMARY_MODE", "full"),
        ("K6_NO_THRESHOLDS", "1"),
        ("NO_COLOR", ""),
        ("K6_LINGER", "true"),
    ];
    let filled = fill(&[], &all).unwrap();
    assert_eq!((filled.out, filled.summary_mode), (words(&["json=a", "csv"]), Some(SummaryMode::Full)));
    assert_eq!((filled.no_thresholds, filled.no_color, filled.linger), (Some(true), Some(true), Some(true)));
    let kept =
        fill(&["-o", "x", "--summary-mode=compact", "--no-thresholds=false", "--no-color=false"], &all)
            .unwrap();
    assert_eq!((kept.out, kept.summary_mode), (words(&["x"]), Some(SummaryMode::Compact)));
    assert_eq!((kept.no_thresholds, kept.no_color), (Some(false), Some(false)));
    assert_eq!(fill(&[], &[]).unwrap(), Settings::default());
    let no_boolean = "env var 'K6_NO_THRESHOLDS' is not a valid boolean value: strconv.ParseBool: parsing \"x\": invalid syntax";
    assert_eq!(said(fill(&[], &[("K6_NO_THRESHOLDS", "x")])), (255, no_boolean.to_owned()));
    assert_eq!(
        said(fill(&[], &[("K6_LINGER", "x")])),
        (104, "assigning K6_LINGER: invalid input:x".to_owned())
    );
    assert_eq!(said(fill(&[], &[("K6_SUMMARY_MODE", "x")])).0, 255);
}

#[test]
fn the_usage_names_every_flag_once() {
    let text = usage(Command::Run);
    assert!(text.contains("  -u, --vus N") && text.contains("      --http-debug[=full]"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}
