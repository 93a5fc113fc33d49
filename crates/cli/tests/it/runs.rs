//! Real runs against a target in this process: counts, exit codes, outputs, signals.

use crate::command::{Folder, command, weir};
use crate::server::{signal, target};
use record::RunRecord;
use rustix::process::Signal;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::Child;

fn record(path: &str) -> RunRecord {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Actions started over all phases.
fn started(record: &RunRecord) -> u64 {
    record.phases.iter().map(|phase| phase.counts.started).sum()
}

#[test]
fn a_count_is_kept_and_counted_alike_on_both_sides() {
    let folder = Folder::new("count");
    let json = folder.file("run.json");
    for rate in [&[][..], &["-r", "5000/s"], &["-r", "5000/s", "--poisson"]] {
        let (running, address) = target();
        let url = format!("{address}/hello");
        let args = ["http", &url, "-n", "500", "-c", "8", "--json", &json];
        let run = weir(&[&args, rate].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{rate:?}");
        let (stats, record) = (running.stop(), record(&json));
        assert_eq!(stats.paths.get("/hello"), Some(&500), "{rate:?}");
        let [phase] = record.phases.as_slice() else { panic!("{} phases", record.phases.len()) };
        assert_eq!((phase.counts.completed, phase.counts.failed, phase.counts.due), (500, 0, 500));
        assert_eq!((phase.traffic.requests, phase.response_ns.count), (500, 500));
        // One more was accepted before: whether the target is there is looked at first.
        assert_eq!(phase.traffic.connections_opened + 1, stats.connections_accepted);
        assert_eq!((phase.bytes_sent, phase.bytes_received), (stats.bytes_in, stats.bytes_out));
        assert!(run.stdout.starts_with(&format!("http://{url}  ")), "{}", run.stdout);
        assert!(run.stdout.contains("  requests     500 completed, 0 failed\n"), "{}", run.stdout);
    }
}

#[test]
fn a_warm_up_is_left_out_but_counted() {
    let folder = Folder::new("warm-up");
    let json = folder.file("run.json");
    let (running, address) = target();
    let run = weir(&["http", &address, "-d", "200ms", "--warmup", "100ms", "-r", "1000/s", "--json", &json]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let record = record(&json);
    let due: Vec<u64> = record.phases.iter().map(|phase| phase.counts.due).collect();
    assert_eq!(due, [100, 200]);
    assert_eq!(running.stop().requests, started(&record));
    assert!(run.stdout.contains("\n  left out     warm-up (100 ms, 100 completed)\n"), "{}", run.stdout);
    assert!(run.stderr.starts_with("warm-up      100 ms  "), "{}", run.stderr);
}

#[test]
fn a_request_is_what_the_flags_say() {
    let folder = Folder::new("request");
    let body = folder.write("body", "content of a file");
    let socket = folder.file("socket");
    let listen = target::Listen::Unix(socket.clone().into());
    let running =
        target::Server::bind(target::Options { listen, ..Default::default() }).unwrap().start().unwrap();
    let at = format!("@{body}");
    let run = weir(&[
        "http",
        "a.example/load",
        "-n",
        "3",
        "-b",
        &at,
        "--unix-socket",
        &socket,
        "--no-keepalive",
        "-q",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let stats = running.stop();
    assert_eq!((stats.methods.get("POST"), stats.paths.get("/load")), (Some(&3), Some(&3)));
    assert_eq!(stats.connections_accepted, 1 + 3);
}

#[test]
fn certificates_are_verified_unless_told_otherwise() {
    let folder = Folder::new("tls");
    let tls = Some(target::TlsOptions::default());
    let running =
        target::Server::bind(target::Options { tls, ..Default::default() }).unwrap().start().unwrap();
    let ca = folder.write("ca.pem", running.ca_pem().unwrap());
    let url = format!("https://{}/hello", running.local_addr().unwrap());
    let code = |flags: &[&str]| {
        let run = weir(&[&["http", &url, "-n", "4", "-c", "2", "-q"], flags].concat());
        (run.code, run.stderr)
    };
    assert_eq!(code(&["--cacert", &ca]), (Some(0), String::new()));
    assert_eq!(code(&["--insecure"]), (Some(0), String::new()));
    let (refused, said) = code(&[]);
    assert_eq!(refused, Some(3), "{said}");
    assert!(said.starts_with("error: ") && said.contains("tls") && said.contains("--cacert"), "{said}");
    assert_eq!(running.stop().requests, 8);
}

#[test]
fn an_absent_target_is_said_with_class_and_address() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let run = weir(&["http", &address]);
    expect_test::expect![[r#"
        exit code 3
        --- stderr
        error: target http://ADDRESS can't be reached at ADDRESS: connect_refused (connection refused)
        hint: check that the server runs and listens there
    "#]]
    .assert_eq(&run.shown(&[(&address, "ADDRESS")]));
}

#[test]
fn nothing_is_sent_when_a_result_cant_be_written() {
    let (running, address) = target();
    let run = weir(&["http", &address, "-n", "1", "--json", "/no/such/folder/run.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        run.stderr,
        "error: can't open `/no/such/folder/run.json`: no such file or directory\n\
         hint: create the folder first: mkdir -p '/no/such/folder'\n"
    );
    let stats = running.stop();
    assert_eq!((stats.requests, stats.connections_accepted), (0, 0));
}

#[test]
fn a_disk_that_fills_up_is_said_and_the_text_is_not_lost() {
    let (_running, address) = target();
    let run = weir(&["http", &address, "-n", "10", "--json", "/dev/full", "-q"]);
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.contains("10 completed"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        "error: can't write `/dev/full`: no space left on device\n\
         hint: free some space, or name a file on another disk\n"
    );
}

#[test]
fn a_text_that_cant_be_written_is_said() {
    let (_running, address) = target();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["http", &address, "-n", "10", "-q"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: can't write to stdout: "));
}

#[test]
fn stdout_is_the_json_alone_when_it_is_asked_for() {
    let (_running, address) = target();
    let run = weir(&["http", &address, "-n", "10", "--json", "-"]);
    assert_eq!(run.code, Some(0));
    let record: RunRecord = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(started(&record), 10);
    assert!(run.stderr.contains("10 completed"), "{}", run.stderr);
}

#[test]
fn a_missed_objective_is_exit_code_one() {
    let folder = Folder::new("objective");
    let junit = folder.file("run.xml");
    let (_running, address) = target();
    let run = weir(&[
        "http",
        &address,
        "-n",
        "100",
        "--slo",
        "max(response) < 1ns",
        "--slo",
        "errors <= 0",
        "--junit",
        &junit,
    ]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("\nobjectives\n  ✗ max(response) < 1 ns  "), "{}", run.stdout);
    assert!(run.stdout.contains("\n  ✓ errors <= 0 "), "{}", run.stdout);
    let xml = std::fs::read_to_string(junit).unwrap();
    assert!(xml.contains(r#"<failure message="observed: "#) && xml.contains(r#"tests="3""#), "{xml}");
}

#[test]
fn a_doubtful_run_fails_only_when_that_is_asked_for() {
    let (_running, address) = target();
    // One connection and 5 ms for each answer: 200/s are served of 2000/s asked.
    let url = format!("{address}/delay?ms=5");
    let args = ["http", &url, "-r", "2000/s", "-d", "50ms", "-c", "1", "-q"];
    let run = weir(&args);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(!run.stdout.contains("✓ valid"), "{}", run.stdout);
    assert_eq!(weir(&[&args[..], &["--fail-on", "suspect"]].concat()).code, Some(6));
}

/// A run that goes on until it is stopped, when the target has seen its first request.
fn running_for_ever(running: &target::Running, args: &[&str]) -> Child {
    let child = command(&[&["http"], args, &["-d", "1h"]].concat()).spawn().unwrap();
    while running.stats().requests == 0 {
        std::thread::yield_now();
    }
    child
}

#[test]
fn an_interrupt_drains_and_reports() {
    let folder = Folder::new("interrupt");
    let json = folder.file("run.json");
    for end in [Signal::INT, Signal::TERM] {
        let (running, address) = target();
        let child = running_for_ever(&running, &[&address, "-r", "500/s", "--json", &json]);
        signal(&child, end);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(4));
        let record = record(&json);
        let counts = &record.phases[0].counts;
        assert!(record.aborted.is_some());
        assert_eq!((counts.completed, counts.unfinished), (counts.started, 0));
        assert_eq!(running.stop().requests, started(&record));
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(stdout.contains("cut short"), "{stdout}");
        assert!(stderr.contains("stopping: requests under way may finish"), "{stderr}");
    }
}

#[test]
fn a_second_interrupt_stops_at_once_and_keeps_the_record() {
    let folder = Folder::new("second");
    let json = folder.file("run.json");
    let (running, address) = target();
    let url = format!("{address}/delay?ms=60000");
    let mut child = running_for_ever(&running, &[&url, "-c", "2", "--timeout", "2m", "--json", &json]);
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    signal(&child, Signal::INT);
    let mut said = String::new();
    while !said.contains("Ctrl-C again stops now") {
        assert!(stderr.read_line(&mut said).unwrap() > 0, "{said}");
    }
    signal(&child, Signal::INT);
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{said}");
    let counts = record(&json).phases[0].counts;
    assert_eq!((counts.completed, counts.started, counts.unfinished), (0, 2, 2));
}

#[test]
fn the_demo_runs_and_names_what_it_wrote() {
    let folder = Folder::new("demo");
    let out = folder.file("out");
    let run = weir(&["demo", "--time-scale", "0.05", "--out", &out]);
    assert!(matches!(run.code, Some(0 | 1)), "{}{}", run.stdout, run.stderr);
    for name in ["demo.json", "demo.md", "demo.xml", "demo.yaml"] {
        assert!(run.stdout.contains(&format!("{out}/{name}")), "{}", run.stdout);
        assert!(std::fs::metadata(format!("{out}/{name}")).unwrap().len() > 100);
    }
    let record = record(&format!("{out}/demo.json"));
    let names: Vec<&str> = record.phases.iter().map(|phase| phase.name.as_str()).collect();
    assert_eq!(names, ["warm-up", "steady", "stall on", "stall", "stall off", "ramp", "flat out"]);
    let failed: u64 = record.phases.iter().map(|phase| phase.counts.failed).sum();
    assert_eq!(failed, 0, "{}", run.stdout);
}
