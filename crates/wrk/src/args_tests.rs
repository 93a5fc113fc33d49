use super::*;
use proptest::prelude::*;

fn reading(line: &str, mode: Mode) -> Reading {
    let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
    read(&words, mode, mode.as_str())
}

fn options(line: &str, mode: Mode) -> Options {
    reading(line, mode).outcome.unwrap_or_else(|refusal| panic!("{line}: {}", refusal.message))
}

#[test]
fn without_flags_both_tools_do_the_same() {
    let options = options("http://a/", Mode::Wrk);
    assert_eq!((options.connections, options.threads), (10, 2));
    assert_eq!((options.duration_ns, options.timeout_ns), (10_000_000_000, 2_000_000_000));
    assert!(!options.latency && options.rate.is_none() && options.warmup_ns.is_none());
    assert_eq!((options.script_args, options.warnings), (Vec::<String>::new(), Vec::<String>::new()));
}

#[test]
fn every_flag_is_read() {
    let line =
        "-t4 -c1k -d 1m -s post.lua --timeout 500ms http://a/x -L one --json run.json -k --driver epoll two";
    let got = options(line, Mode::Wrk);
    assert_eq!((got.threads, got.connections, got.duration_ns), (4, 1000, 60_000_000_000));
    assert_eq!((got.timeout_ns, got.latency, got.insecure), (500_000_000, true, true));
    assert_eq!(got.script.as_deref(), Some(std::path::Path::new("post.lua")));
    assert_eq!((got.script_args, got.url.path.as_str()), (vec!["one".to_owned(), "two".to_owned()], "/x"));
    assert_eq!((got.output.json, got.output.driver.as_deref()), (Some("run.json".into()), Some("epoll")));
    let got = options("-R2k -U -B -d1.5s http://a/ --warmup 0 --seed 7 --slo errors<=0", Mode::Wrk2);
    assert_eq!((got.rate.map(units::Rate::as_f64), got.duration_ns), (Some(2000.0), 1_500_000_000));
    assert!(got.latency && got.uncorrected_latency && got.batch_latency);
    assert_eq!((got.warmup_ns, got.seed, got.slos), (Some(0), Some(7), vec!["errors<=0".to_owned()]));
    assert!(options("-R 5 http://a/", Mode::Wrk).rate.is_some(), "a rate goes with wrk too");
}

#[test]
fn headers_keep_their_order_and_what_is_none_is_said() {
    let words = ["-H", "B: 2", "-H", "a:1", "-H", "B:  3 ", "-H", "nonsense", "-H", "x y: 1", "http://a/"];
    let words: Vec<String> = words.map(str::to_owned).to_vec();
    let got = read(&words, Mode::Wrk, "wrk").outcome.unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(got.headers, [pair("B", "2"), pair("a", "1"), pair("B", "3")]);
    assert_eq!(got.warnings.len(), 2);
    assert!(got.warnings[0].starts_with("the header `nonsense` is not sent: it has no colon"));
}

#[test]
fn what_is_wrong_is_said_as_both_tools_do() {
    let check = |line: &str, mode: Mode, expected: &str| {
        assert_eq!(reading(line, mode).outcome, Err(Refusal { message: expected.to_owned() }), "{line}");
    };
    for line in ["", "--help http://a/", "-? http://a/"] {
        check(line, Mode::Wrk, "");
    }
    check("-t0 http://a/", Mode::Wrk, "--threads must be above 0");
    check("-d0s http://a/", Mode::Wrk, "--duration must be above 0");
    check("-T0 http://a/", Mode::Wrk, "--timeout must be above 0");
    check("-h", Mode::Wrk, "wrk: invalid option -- 'h'");
    check("-r http://a/", Mode::Wrk, "wrk: invalid option -- 'r'");
    check("-U http://a/", Mode::Wrk, "wrk: invalid option -- 'U'");
    check("foo", Mode::Wrk, "invalid URL: foo");
    check("-c0 http://a/", Mode::Wrk, "number of connections must be >= threads");
    check("-c2 -t3 http://a/", Mode::Wrk, "number of connections must be >= threads");
    check("http://a/", Mode::Wrk2, "Throughput MUST be specified with the --rate or -R option");
    check(
        "-d 1d http://a/",
        Mode::Wrk,
        "wrk: --duration `1d` is no time; write for example 30s, 2m or 500ms",
    );
    check(
        "-c 1e3 http://a/",
        Mode::Wrk,
        "wrk: --connections `1e3` is no number; write for example 100 or 1k",
    );
    check("-c 99M http://a/", Mode::Wrk, "at most 10000000 connections and 1024 threads");
    check(
        "--fail-on x http://a/",
        Mode::Wrk,
        "wrk: --fail-on `x` is no verdict; write for example invalid or suspect",
    );
}

#[test]
fn the_version_is_said_and_the_line_read_on() {
    let reading = reading("-v -c 5 http://a/", Mode::Wrk);
    assert!(reading.wants_version);
    assert_eq!(reading.outcome.map(|options| options.connections), Ok(5));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec("(--?[a-zA-Z=_?-]{0,12}|[0-9.]{1,9}[a-zA-Z ]{0,3}|https?://[a-z@:/?#0-9.\\[\\]]{0,20}|\\PC{0,8})", 0..8)) {
        for mode in [Mode::Wrk, Mode::Wrk2] {
            if let Ok(options) = read(&words, mode, "wrk").outcome {
                prop_assert!(options.threads >= 1 && options.connections >= options.threads);
                prop_assert!(options.duration_ns > 0 && options.timeout_ns > 0 && !options.url.host.is_empty());
                prop_assert!(options.url.path.starts_with('/'));
                prop_assert!(mode == Mode::Wrk || options.rate.is_some());
            }
        }
    }
}
