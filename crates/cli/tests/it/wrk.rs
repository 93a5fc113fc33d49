//! `weir wrk` and `weir wrk2` against a target in this process: pages, what stands behind their numbers, exit codes.

use crate::command::{Folder, Transcript, command, weir};
use crate::server::{signal, target};
use netio::sim::{FixedServer, SimDriver};
use record::RunRecord;
use regex::Regex;
use rustix::process::Signal;
use std::process::Stdio;

/// A page with its numbers as `N` and their columns as one blank, and the rows of a spectrum as one.
fn masked(text: &str, address: &str) -> String {
    let replace = |text: &str, pattern: &str, with: &str| {
        Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
    };
    let text = text.replace(address, "ADDRESS");
    let text = replace(&text, r"(?m)^ +\d+\.\d{3} +[01]\.\d{6} +\d+ +(\d+\.\d\d|inf)\n", "~\n");
    let text = replace(&text, r"(~\n)+", "(rows)\n");
    let text = replace(&text, r"\d+\.\d+(us|ms|[smkKMGT])?|\d+ requests", "N ");
    replace(&replace(&text, r"(\S) +", "$1 "), r"(?m) +$", "")
}

/// Each line of a page has the form that both tools give it, blanks and all.
fn assert_layout(page: &str) {
    let forms = [
        r"Running \d+m?[sm] test @ \S+",
        r"  \d+ threads and \d+ connections",
        r"  Thread calibration: mean lat\.: \d+\.\d{3}ms, rate sampling interval: \d+ms",
        r"  Thread Stats   Avg      Stdev     Max   \+/- Stdev",
        r"    (Latency   |Req/Sec   )[ \d.a-zA-Z-]{8}[ \d.a-zA-Z-]{10}[ \d.a-zA-Z-]{9}[ \d.nan-]{8}%",
        r"  Latency Distribution",
        r"     (50|75|90|99)%[ \d.umsk]{10}",
        r"  Latency Distribution \(HdrHistogram - (Recorded Latency|Uncorrected Latency \(measured without taking delayed starts into account\))\)",
        r"( 50\.000| 75\.000| 90\.000| 99\.000| 99\.900| 99\.990| 99\.999|100\.000)%[ \d.ums]{10}",
        r"",
        r"  Detailed Percentile spectrum:",
        r"       Value   Percentile   TotalCount 1/\(1-Percentile\)",
        r"[ \d]{8}\.\d{3}     [01]\.\d{6} [ \d]{12} ([ \d]{9}\.\d\d|         inf)",
        r"#\[Mean    = [ \d]{8}\.\d{3}, StdDeviation   = [ \d]{8}\.\d{3}\]",
        r"#\[Max     = [ \d]{8}\.\d{3}, Total count    = [ \d]{12}\]",
        r"#\[Buckets =           27, SubBuckets     =         2048\]",
        r"----------------------------------------------------------",
        r"  \d+ requests in \d+\.\d\d(us|ms|s|m), \d+\.\d\d[KMGT]?B read",
        r"  Socket errors: connect \d+, read \d+, write \d+, timeout \d+",
        r"  Non-2xx or 3xx responses: \d+",
        r"Requests/sec: [ \d]{6,}\.\d\d",
        r"Transfer/sec: [ \d.KMGT]{10}B",
    ];
    let forms: Vec<Regex> = forms.iter().map(|form| Regex::new(&format!("^{form}$")).unwrap()).collect();
    for line in page.lines() {
        assert!(forms.iter().any(|form| form.is_match(line)), "`{line}` in\n{page}");
    }
    assert!(page.ends_with("B\n") && !page.ends_with("\n\n"));
}

/// Without what is said on stderr.
fn quiet(args: &[&str]) -> Transcript {
    let (mode, rest) = args.split_first().unwrap();
    let run = weir(&[&[mode, "-q"], rest].concat());
    assert_eq!(run.stderr, "", "{}", run.stdout);
    run
}

fn record(path: &str) -> RunRecord {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The number after some words.
fn number(page: &str, pattern: &str) -> f64 {
    let found = Regex::new(pattern).unwrap().captures(page).unwrap_or_else(|| panic!("{pattern}\n{page}"));
    found[1].parse().unwrap()
}

/// A time of a page in ms.
fn ms(page: &str, pattern: &str) -> f64 {
    let found = Regex::new(&format!("(?m){pattern}(us|ms|s|m)"))
        .unwrap()
        .captures(page)
        .unwrap_or_else(|| panic!("{pattern}\n{page}"));
    let scale = match &found[2] {
        "us" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        _ => 6e4,
    };
    found[1].parse::<f64>().unwrap() * scale
}

#[test]
fn wrks_page() {
    let (_running, address) = target();
    let run = quiet(&["wrk", "-t2", "-c4", "-d300ms", "--latency", &format!("http://{address}/hello")]);
    assert_layout(&run.stdout);
    assert_eq!(run.code, Some(0));
    expect_test::expect![[r#"
        Running 300ms test @ http://ADDRESS/hello
          2 threads and 4 connections
          Thread Stats Avg Stdev Max +/- Stdev
            Latency N N N N %
            Req/Sec N N N N %
          Latency Distribution
             50% N
             75% N
             90% N
             99% N
          N in N , N B read
        Requests/sec: N
        Transfer/sec: N B
    "#]]
    .assert_eq(&masked(&run.stdout, &address));
}

#[test]
fn wrk2s_page() {
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    let run = quiet(&["wrk2", "-t2", "-c4", "-R500", "-d300ms", "--warmup", "100ms", "-U", &url]);
    assert_layout(&run.stdout);
    assert_eq!(run.code, Some(0));
    expect_test::expect![[r#"
        Running 300ms test @ http://ADDRESS/hello
          2 threads and 4 connections
          Thread calibration: mean lat.: N , rate sampling interval: 100ms
          Thread calibration: mean lat.: N , rate sampling interval: 100ms
          Thread Stats Avg Stdev Max +/- Stdev
            Latency N N N N %
            Req/Sec N N N N %
          Latency Distribution (HdrHistogram - Recorded Latency)
         N % N
         N % N
         N % N
         N % N
         N % N
         N % N
         N % N
        N % N

          Detailed Percentile spectrum:
               Value Percentile TotalCount 1/(1-Percentile)

        (rows)
        #[Mean = N , StdDeviation = N ]
        #[Max = N , Total count = 150]
        #[Buckets = 27, SubBuckets = 2048]
        ----------------------------------------------------------

          Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))
         N % N
         N % N
         N % N
         N % N
         N % N
         N % N
         N % N
        N % N

          Detailed Percentile spectrum:
               Value Percentile TotalCount 1/(1-Percentile)

        (rows)
        #[Mean = N , StdDeviation = N ]
        #[Max = N , Total count = 150]
        #[Buckets = 27, SubBuckets = 2048]
        ----------------------------------------------------------
          N in N , N B read
        Requests/sec: N
        Transfer/sec: N B
    "#]].assert_eq(&masked(&run.stdout, &address));
    let short = quiet(&["wrk2", "-t1", "-c4", "-R500", "-d100ms", &url]);
    assert_layout(&short.stdout);
    assert!(
        !short.stdout.contains("Distribution") && !short.stdout.contains("calibration"),
        "{}",
        short.stdout
    );
}

#[test]
fn a_warm_up_is_in_no_figure_and_all_of_the_duration_is() {
    let folder = Folder::new("wrk-warm-up");
    let json = folder.file("run.json");
    let (running, address) = target();
    let run = quiet(&[
        "wrk2",
        "-t1",
        "-c4",
        "-R1000",
        "-d200ms",
        "--warmup",
        "100ms",
        "--json",
        &json,
        &format!("http://{address}/hello"),
    ]);
    let counts: Vec<u64> = record(&json).phases.iter().map(|phase| phase.counts.completed).collect();
    assert_eq!((counts, running.stop().requests), (vec![100, 200], 300));
    // Stretches of 100 ms, and the last one has no answer after it.
    let samples = record(&json).plan["wrk"]["requests_per_sec"]["count"].as_u64();
    assert!(matches!(samples, Some(1 | 2)), "{samples:?}");
    assert!(
        (195.0..=200.0).contains(&number(&run.stdout, r"(\d+) requests in 200\.00ms,")),
        "{}",
        run.stdout
    );
}

#[test]
fn what_goes_wrong_is_counted_once_and_when_it_happens() {
    let (_running, address) = target();
    let page = |flags: &[&str], path: &str| {
        let url = format!("http://{address}{path}");
        let run = quiet(&[&["wrk", "-t1", "-c4", "--latency"], flags, &[&url]].concat());
        assert_eq!(run.code, Some(0));
        assert_layout(&run.stdout);
        run.stdout
    };
    let refused = page(&["-d100ms"], "/status/404");
    let (answers, others) =
        (number(&refused, r"(\d+) requests in"), number(&refused, r"Non-2xx or 3xx responses: (\d+)"));
    assert!(answers > 0.0 && answers == others && !refused.contains("Socket errors"), "{refused}");
    assert!(!page(&["-d100ms"], "/status/304").contains("Non-2xx"));
    // Beyond what HTTP knows: an answer, and none that was wanted.
    let odd = page(&["-d100ms"], "/status/999");
    let (answers, others) =
        (number(&odd, r"(\d+) requests in"), number(&odd, r"Non-2xx or 3xx responses: (\d+)"));
    assert!(answers > 0.0 && answers == others && !odd.contains("Socket errors"), "{odd}");
    // No answer ever comes: four time-outs at 120 ms, four at 240 ms, and what is then begun is open at the end.
    let late = page(&["-d250ms", "-T120ms"], "/delay?ms=60000");
    assert!(late.contains("  0 requests in 250.00ms, 0.00B read\n"), "{late}");
    assert!(late.contains("  Socket errors: connect 0, read 0, write 0, timeout 8\n"), "{late}");
    assert!(ms(&late, r"^ +50%\s+([\d.]+)") >= 100.0, "{late}");
    let lost = page(&["-d100ms"], "/reset?size=1000");
    assert!(number(&lost, r"connect 0, read (\d+), write 0, timeout 0") > 0.0, "{lost}");
    // A server that ends each connection: no error, and another connection.
    let ended = page(&["-d100ms"], "/close");
    assert!(number(&ended, r"(\d+) requests in") > 0.0 && !ended.contains("Socket errors"), "{ended}");
}

#[test]
fn every_connection_is_opened_whatever_the_threads() {
    let (running, address) = target();
    let run = quiet(&["wrk", "-t3", "-c10", "-d100ms", &format!("http://{address}/delay?ms=1")]);
    assert!(run.stdout.contains("\n  3 threads and 10 connections\n"), "{}", run.stdout);
    // And one before, by which it was seen that the target is there.
    assert_eq!(running.stop().connections_accepted, 1 + 10);
    let (running, address) = target();
    quiet(&["wrk2", "-t1", "-c10", "-R100", "-d100ms", &format!("http://{address}/hello")]);
    assert_eq!(running.stop().connections_accepted, 1 + 10);
}

#[test]
fn a_stall_shows_in_wrk2_and_in_wrk_only_with_a_rate() {
    // 100 ms of the second: 1 % of the arrivals wait longer than 90 ms.
    let page = |mode: &str, flags: &[&str]| {
        let stall = Some("100ms@400ms".parse().unwrap());
        let options = target::Options { stall, ..target::Options::default() };
        let running = target::Server::bind(options).unwrap().start().unwrap();
        let url = format!("http://{}/hello", running.local_addr().unwrap());
        quiet(&[&[mode, "-t1", "-c10", "-d1", "--latency"], flags, &[&url]].concat()).stdout
    };
    let p99 = r"^ ?\s*99(?:\.000)?%\s+([\d.]+)";
    let wrk2 = page("wrk2", &["-R500"]);
    assert!((80.0..200.0).contains(&ms(&wrk2, p99)), "{wrk2}");
    let rated = page("wrk", &["-R500"]);
    assert!((80.0..200.0).contains(&ms(&rated, p99)), "{rated}");
}

#[test]
fn a_freeze_of_two_seconds_reads_as_arithmetic_says() {
    // 500/s for 20 s, frozen for the last two of them: P(latency > t) = (2 s − t) / 20 s, whatever the connections.
    const MS: u64 = units::NS_PER_MS;
    for connections in ["-c10", "-c100"] {
        let words = ["-t1", connections, "-R500", "-d20", "-U", "http://127.0.0.1/"].map(str::to_owned);
        let options = wrk::read(&words, wrk::Mode::Wrk2, "wrk2").outcome.unwrap();
        let plan = wrk::lower(&options, 1, None).unwrap();
        let reply: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        let server = FixedServer::new(MS, 1000, reply).stalling(20_000 * MS, 2_000 * MS);
        let mut record = runner::simulate(&plan, SimDriver::new(Box::new(server))).unwrap();
        wrk::Facts::of(&options).put_into(&mut record.plan);
        let page = wrk::page(&record).unwrap();
        assert_layout(&page);
        let of = |percentile: &str| ms(&page, &format!(r"^ {percentile}%\s+([\d.]+)"));
        assert!((of("99.000") / 1_800.0 - 1.0).abs() < 0.02, "{page}");
        assert!((of("50.000") - 1.0).abs() < 0.02, "{page}");
    }
}

#[test]
fn usage_and_failures_are_theirs() {
    let check = |args: &[&str], expected: &str| {
        let run = weir(args);
        let first = run.stdout.lines().next().unwrap_or_default();
        let said =
            format!("{} | {first} | {}", run.code.unwrap_or(-1), run.stderr.trim_end().replace('\n', " / "));
        assert_eq!(said, expected, "{args:?}");
    };
    let usage = "Usage: wrk <options> <url>";
    check(&["wrk"], &format!("1 | {usage} | "));
    check(&["wrk", "--help"], &format!("1 | {usage} | "));
    check(&["wrk", "-h"], &format!("1 | {usage} | wrk: invalid option -- 'h'"));
    check(&["wrk", "-t0", "http://a/"], &format!("1 | {usage} | --threads must be above 0"));
    check(&["wrk", "a:80/"], &format!("1 | {usage} | invalid URL: a:80/"));
    check(&["wrk", "-c1", "http://a/"], &format!("1 | {usage} | number of connections must be >= threads"));
    check(
        &["wrk2", "http://a/"],
        &format!("1 | {usage} | Throughput MUST be specified with the --rate or -R option"),
    );
    check(
        &["--color", "never", "wrk", "-c"],
        &format!("1 | {usage} | wrk: option requires an argument -- 'c'"),
    );
    check(
        &["wrk", "-v"],
        &format!("1 | wrk 4.2.0 [epoll] as weir {} speaks it | ", env!("CARGO_PKG_VERSION")),
    );
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    check(
        &["wrk", &format!("http://{free}/")],
        &format!("1 |  | unable to connect to {free} Connection refused"),
    );
    check(
        &["wrk", "-s", "nowhere.lua", "http://127.0.0.1/"],
        "2 |  | nowhere.lua: no such file or directory",
    );
    check(
        &["wrk", "--json", "/no/where/x", "http://127.0.0.1/"],
        "2 |  | error: can't open `/no/where/x`: no such file or directory / hint: create the folder first: mkdir -p '/no/where'",
    );
    let unresolved = weir(&["wrk", "http://nowhere.invalid/"]);
    assert!(
        unresolved.stderr.starts_with("unable to resolve nowhere.invalid:http "),
        "{}",
        unresolved.stderr
    );
    assert_eq!((unresolved.code, unresolved.stdout.as_str()), (Some(1), ""));
}

#[test]
fn the_name_of_the_program_chooses_the_mode() {
    let folder = Folder::new("wrk-name");
    let (_running, address) = target();
    for name in ["wrk", "wrk2"] {
        let link = folder.file(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_weir"), &link).unwrap();
        let url = format!("http://{address}/hello");
        let output =
            std::process::Command::new(&link).args(["-R", "100", "-d", "50ms", "-L", &url]).output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            (output.status.code(), stdout.contains("HdrHistogram")),
            (Some(0), name == "wrk2"),
            "{stdout}"
        );
    }
}

#[test]
fn an_interrupt_prints_the_results_so_far() {
    let (running, address) = target();
    let child = command(&["wrk", "-q", "-c2", "-d1h", &format!("http://{address}/hello")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while running.stats().requests == 0 {
        std::thread::yield_now();
    }
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert_layout(&page);
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    assert!(page.starts_with("Running 60m test @ ") && number(&page, r"(\d+) requests in") > 0.0, "{page}");
}

#[test]
fn a_page_is_printed_again_from_the_record_alone() {
    let folder = Folder::new("wrk-report");
    let (json, other) = (folder.file("run.json"), folder.file("other.json"));
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    for args in [&["wrk", "-L"][..], &["wrk2", "-R300", "-U", "--warmup", "50ms"]] {
        let run = quiet(&[args, &["-t1", "-c4", "-d250ms", "--json", &json, &url]].concat());
        assert_eq!(weir(&["report", &json, "--format", "wrk"]).stdout, run.stdout);
    }
    let run = weir(&["wrk", "-q", "-d50ms", "--json", "-", &url]);
    assert!(serde_json::from_str::<RunRecord>(&run.stdout).is_ok(), "{}", run.stdout);
    assert_layout(&run.stderr);
    assert_eq!(weir(&["http", &url, "-n", "5", "-q", "--json", &other]).code, Some(0));
    let refused = weir(&["report", &other, "--format", "wrk"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("is no run of `weir wrk` or `weir wrk2`"), "{}", refused.stderr);
}

#[test]
fn runs_are_compared_unless_they_did_other_work() {
    let folder = Folder::new("wrk-compare");
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    let script = |text: &str| folder.write("script.lua", text);
    let record = |name: &str, script: &str, flags: &[&str]| {
        let json = folder.file(name);
        quiet(&[&["wrk", "-t1", "-c2", "-d100ms", "-s", script, "--json", &json, &url], flags].concat());
        json
    };
    let first = record("1.json", &script("wrk.path = '/hello'"), &[]);
    let same = record("2.json", &script("wrk.path = '/hello'"), &["-L"]);
    let other = record("3.json", &script("wrk.path = '/'"), &[]);
    let objects = |candidate: &str| {
        let run = weir(&["compare", &first, candidate]);
        (run.stdout + &run.stderr).contains("the plans ask for different work: wrk.script: ")
    };
    assert!(!objects(&same) && objects(&other));
    assert!(!weir(&["compare", &first, &same]).stderr.contains("different work"));
}

#[test]
fn objectives_and_doubts_fail_only_when_asked_for() {
    let (_running, address) = target();
    let (hello, slow) = (format!("http://{address}/hello"), format!("http://{address}/delay?ms=5"));
    assert_eq!(quiet(&["wrk", "-d50ms", "--slo", "max(response) < 1ns", &hello]).code, Some(1));
    // One connection and 5 ms for each answer: 200/s are served of 2000/s asked.
    let behind = ["wrk2", "-t1", "-c1", "-R2000", "-d100ms", &slow];
    assert_eq!(quiet(&behind).code, Some(0));
    assert_eq!(quiet(&[&behind[..], &["--fail-on", "suspect"]].concat()).code, Some(6));
}

#[test]
fn what_the_figures_leave_open_is_said_once() {
    let (_running, address) = target();
    let url = format!("http://{address}/hello");
    let closed = weir(&["wrk", "-d50ms", "-H", "nonsense", &url]).stderr;
    let note = "note: without a rate nothing is sent while the server stalls, so stalls hardly show; -R RATE shows them\n";
    assert_eq!(closed.matches(note).count(), 1, "{closed}");
    assert!(closed.starts_with("warning: the header `nonsense` is not sent: it has no colon"), "{closed}");
    assert!(!weir(&["wrk", "-R100", "-d50ms", &url]).stderr.contains("note: without a rate"));
}

#[test]
fn certificates_are_verified_unless_told_otherwise() {
    let folder = Folder::new("wrk-tls");
    let json = folder.file("run.json");
    let tls = Some(target::TlsOptions::default());
    let running =
        target::Server::bind(target::Options { tls, ..Default::default() }).unwrap().start().unwrap();
    let ca = folder.write("ca.pem", running.ca_pem().unwrap());
    let address = running.local_addr().unwrap();
    let url = format!("https://{address}/hello");
    let run = |flags: &[&str]| weir(&[&["wrk", "-t1", "-c2", "-d50ms", "-R100", &url], flags].concat());
    let refused = run(&[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.starts_with(&format!("unable to connect to {address} ")), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("\nhint: trust its issuer with --cacert, or skip the check with -k\n"),
        "{}",
        refused.stderr
    );
    // What no flag on certificates mends has no hint on them.
    let (_plain, plain_address) = target();
    let not_tls = weir(&["wrk", "-d50ms", &format!("https://{plain_address}/")]);
    assert!(
        not_tls.stderr.contains("does not speak TLS") && not_tls.stderr.lines().count() == 1,
        "{}",
        not_tls.stderr
    );
    let insecure = run(&["-k", "--json", &json]);
    assert_eq!(insecure.code, Some(0), "{}", insecure.stderr);
    assert!(
        insecure.stderr.starts_with("note: the server's certificate is not verified\n"),
        "{}",
        insecure.stderr
    );
    assert_eq!(record(&json).plan["wrk"]["insecure"], true);
    assert_eq!(run(&["--cacert", &ca]).code, Some(0));
}

#[test]
fn a_request_is_what_the_flags_say() {
    let (running, address) = target();
    let run = quiet(&[
        "wrk",
        "-t1",
        "-c1",
        "-d50ms",
        "-H",
        "X-A: 1",
        &format!("http://{address}/echo?a={{b}}#part"),
    ]);
    assert!(number(&run.stdout, r"(\d+) requests in") > 0.0, "{}", run.stdout);
    assert!(!run.stdout.contains("Non-2xx"), "{}", run.stdout);
    assert!(running.stop().paths["/echo"] > 0);
}

/// What scripts and CI jobs look for on the page: each pattern with how many groups it must find. Gathered from public benchmark
/// scripts (framework comparisons, parsers in Python, JavaScript, Go, Rust and awk), in forms of our own.
const IN_THE_WILD: [(&str, usize); 24] = [
    (r"Requests/sec:\s+(\d+\.?\d*)", 1),
    (r"(?m)^Requests/sec:\s*([0-9]+(?:\.[0-9]+)?)\s*$", 1),
    (r"Transfer/sec:\s+([\d.]+)([KMGT]?B)", 2),
    (r"Running (\d+)([sm]) test @ (.+)", 3),
    (r"(\d+) threads and (\d+) connections", 2),
    (r"Latency\s+([\d.]+)(us|ms|s)", 2),
    (r"Latency\s+([\d.]+\w+)\s+([\d.]+\w+)\s+([\d.]+\w+)\s+([\d.]+)%", 4),
    (r"Req/Sec\s+([\d.]+)(\w?)\s+([\d.]+)(\w?)\s+([\d.]+)(\w?)\s+([\d.]+)%", 7),
    (r"(?m)^\s+(50|75|90|99)%\s+([\d.]+)(us|ms|s|m)\s*$", 3),
    (r"\s+99%(?:\s+(\d+.\d+)([a-z]+))", 2),
    (r"(?m)^ +50%", 0),
    (r"([0-9]+) requests in", 1),
    (r"(\d+)\s+requests in\s+([\d.]+)(us|ms|s|m|h), ([\d.]+)(\w+) read", 5),
    (r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", 4),
    (r"connect ([0-9]+)", 1),
    (r"read ([0-9]+)", 1),
    (r"write ([0-9]+)", 1),
    (r"timeout ([0-9]+)", 1),
    (r"Non-2xx or 3xx responses:\s*([0-9]+)", 1),
    (r"Latency Distribution\n(\s+\d+%\s+\S+\s*\n)+", 1),
    (r"(?m)^\s*(\d+)%\s+([\d.]+)(\D+)$", 3),
    (r"Thread Stats\s+Avg\s+Stdev\s+Max\s+\+/- Stdev", 0),
    (r"(?m)^\s+Latency\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$", 4),
    (r"(?m)^\s+Req/Sec\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$", 4),
];

/// The same for wrk2's page.
const IN_THE_WILD_WRK2: [(&str, usize); 7] = [
    (r"Thread calibration: mean lat\.: ([\d.]+)ms, rate sampling interval: (\d+)ms", 2),
    (r"(?m)^\s*(50|75|90|99|100)\.(\d+)%\s+([\d.]+)(us|ms|s|m)", 4),
    (r"(?m)^\s*99\.999%\s+([\d.]+)(\w+)", 2),
    (
        r"Detailed Percentile spectrum:\n\s+Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)\n\n((?:\s+[\d.]+\s+[\d.]+\s+\d+\s+(?:[\d.]+|inf)\n)+)#\[Mean",
        1,
    ),
    (r"#\[Mean\s+=\s+([\d.]+), StdDeviation\s+=\s+([\d.]+)\]", 2),
    (r"#\[Max\s+=\s+([\d.]+), Total count\s+=\s+(\d+)\]", 2),
    (r"#\[Buckets\s+=\s+(\d+), SubBuckets\s+=\s+(\d+)\]", 2),
];

#[test]
fn parsers_from_the_wild_find_what_they_look_for() {
    let (_running, address) = target();
    let finds = |page: &str, patterns: &[(&str, usize)]| {
        for (pattern, group_count) in patterns {
            let found =
                Regex::new(pattern).unwrap().captures(page).unwrap_or_else(|| panic!("{pattern}\n{page}"));
            assert_eq!(found.iter().skip(1).flatten().count(), *group_count, "{pattern}\n{page}");
        }
    };
    // Answers of 404 after 20 ms, and every so often a connection that ends without one.
    let mixed = quiet(&[
        "wrk",
        "-t1",
        "-c4",
        "-d300ms",
        "-T60ms",
        "--latency",
        &format!("http://{address}/delay?ms=20&jitter=60"),
    ]);
    let refused = quiet(&["wrk", "-t1", "-c4", "-d1", "--latency", &format!("http://{address}/status/500")]);
    let lines = |page: &str, from: &str| {
        page.lines().filter(|line| line.contains(from)).map(|line| format!("{line}\n")).collect::<String>()
    };
    // One page that has every optional line, of two runs.
    let page =
        refused.stdout.replacen("  Non-2xx", &(lines(&mixed.stdout, "Socket errors") + "  Non-2xx"), 1);
    finds(&page, &IN_THE_WILD);
    let calibrated = quiet(&[
        "wrk2",
        "-t1",
        "-c4",
        "-R500",
        "-d250ms",
        "--warmup",
        "50ms",
        "-L",
        &format!("http://{address}/hello"),
    ]);
    finds(&calibrated.stdout, &IN_THE_WILD_WRK2);
    // Some count lines from the end.
    let from_end = |back: usize| page.split('\n').rev().nth(back - 1).unwrap();
    assert!(from_end(3).starts_with("Requests/sec: ") && from_end(2).starts_with("Transfer/sec: "), "{page}");
}
