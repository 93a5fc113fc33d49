//! Targets that are not there, die and come back; runs that are cut short.

use crate::*;
use runner::RunControl;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use target::Listen;

#[test]
fn an_absent_target_is_an_error_before_any_load() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let plan = plan(&format!("target: http://{address}\nrequest: GET /\nusers: 1\ncount: 1\n"));
    let error = run_with(plan, RunOptions::default()).unwrap_err();
    assert!(
        matches!(&error, RunError::Unreachable { class, .. } if class.as_str() == "connect_refused"),
        "{error}"
    );
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    let named = crate::plan("target: http://no-such-host.invalid\nrequest: GET /\nusers: 1\ncount: 1\n");
    let error = run_with(named, RunOptions::default()).unwrap_err();
    assert!(matches!(&error, RunError::Unreachable { class, .. } if class.as_str() == "resolve"), "{error}");
}

#[test]
fn a_target_that_dies_and_comes_back_takes_load_again() {
    let running = target();
    let address = running.local_addr().unwrap();
    let plan = plan_for(
        &running,
        "targets: {a: {url: URL, connections: 8}}\nrequest: GET /hello\nrate: 500/s\nduration: 3s\n",
    );
    let mut running = Some(running);
    let mut revived = None;
    let mut intervals = 0;
    struct Killer<'a>(&'a mut dyn FnMut());
    impl RunObserver for Killer<'_> {
        fn interval_ended(&mut self, _: &record::Progress<'_>) {
            (self.0)();
        }
    }
    let mut act = || {
        intervals += 1;
        match intervals {
            1 => drop(running.take().map(Running::stop)),
            2 => revived = Some(target_with(Options { listen: Listen::Tcp(address), ..Options::default() })),
            _ => {}
        }
    };
    let record = execute(plan, RunOptions::default(), &mut [&mut Killer(&mut act)]).unwrap();
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!(phase.counts.due, 1500);
    assert!(phase.counts.completed > 700, "{:?}", phase.counts);
    let refused = phase.errors.get("connect_refused").copied().unwrap_or(0);
    // Eight connections that try again after 10 ms, 20 ms, … for a second: some dozens, not thousands.
    assert!((8..400).contains(&refused), "{:?}", phase.errors);
    let after = &phase.intervals[phase.intervals.len() - 2];
    assert!(after.counts.completed > 300, "load went on: {after:?}");
    assert!(
        phase.response_ns.max.unwrap() > 500_000_000,
        "arrivals during the outage waited: {:?}",
        phase.response_ns
    );
    assert!(revived.unwrap().stop().requests > 300);
}

#[test]
fn an_interrupt_drains_and_a_second_one_gives_up() {
    let running = target();
    let plan = plan_for(&running, "target: URL\nrequest: GET /delay?ms=50\nusers: 4\nduration: 60s\n");
    let options = RunOptions::default();
    let control = options.control.clone();
    let record = execute(plan, options, &mut [&mut AtFirstInterval(Some(|| control.stop()))]).unwrap();
    assert_eq!(record.aborted.as_deref(), Some("interrupted"));
    let phase = &record.phases[0];
    assert_laws(phase);
    assert!(phase.counts.unfinished == 0 && phase.counts.completed > 40, "{:?}", phase.counts);
    assert!((900_000_000..5_000_000_000).contains(&phase.duration_ns), "{}", phase.duration_ns);

    let plan = plan_for(
        &running,
        "target: URL\nrequest: GET /delay?ms=30000\nusers: 4\nduration: 60s\ndrain: 60s\n",
    );
    let options = RunOptions::default();
    let control: RunControl = options.control.clone();
    let twice = || {
        control.stop();
        control.stop();
    };
    let record = execute(plan, options, &mut [&mut AtFirstInterval(Some(twice))]).unwrap();
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!((phase.counts.unfinished, phase.counts.censored), (4, 4), "{:?}", phase.counts);
    assert!(phase.response_ns.min.unwrap() > 900_000_000, "{:?}", phase.response_ns);
}

#[test]
fn what_is_open_at_the_end_is_counted_as_unfinished() {
    let running = target();
    let yaml = "target: URL\nrequest: GET /delay?ms=10000\nusers: 3\nduration: 100ms\ndrain: 50ms\n";
    let record = run(plan_for(&running, yaml));
    let phase = &record.phases[0];
    assert_laws(phase);
    assert_eq!(phase.counts.unfinished, 3);
    assert!(phase.response_ns.min.unwrap() >= 140_000_000, "{:?}", phase.response_ns);
    assert_eq!(record.verdict.state, record::VerdictState::Invalid);
}

#[test]
fn arrivals_that_find_no_user_queue_or_are_dropped_and_are_counted() {
    let running = target();
    let yaml = |saturation: &str| {
        format!(
            "target: URL\nrequest: GET /delay?ms=100\nrate: 100/s\nduration: 500ms\nusers_max: 2\ndrain: 50ms\non_saturation: {saturation}\n"
        )
    };
    let queued = run(plan_for(&running, &yaml("queue")));
    let phase = &queued.phases[0];
    assert_laws(phase);
    assert_eq!((phase.counts.due, phase.counts.dropped), (50, 0));
    assert!((6..=14).contains(&phase.counts.started) && phase.counts.unstarted >= 36, "{:?}", phase.counts);
    assert!(phase.response_ns.max.unwrap() > 350_000_000);
    let drained = run(plan_for(&running, &yaml("queue").replace("drain: 50ms\n", "")));
    let phase = &drained.phases[0];
    assert_laws(phase);
    assert_eq!(
        (phase.counts.completed, phase.counts.unstarted),
        (50, 0),
        "the backlog is worked off in the drain"
    );
    assert!(phase.drain_ns > 1_900_000_000 && phase.response_ns.max.unwrap() > 1_900_000_000, "{phase:?}");
    let dropped = run(plan_for(&running, &yaml("drop")));
    let phase = &dropped.phases[0];
    assert_laws(phase);
    assert_eq!((phase.counts.due, phase.counts.unstarted), (50, 0));
    assert!(phase.counts.dropped >= 38, "{:?}", phase.counts);
}

#[test]
fn an_objective_with_abort_ends_the_run() {
    let running = target();
    let yaml = "target: URL\nrequest: GET /status/500\nrate: 100/s\nduration: 60s\nslos: [{expect: errors < 5, abort: true}]\n";
    let record = run(plan_for(&running, yaml));
    assert!(record.aborted.as_deref().is_some_and(|why| why.contains("errors < 5")), "{:?}", record.aborted);
    assert!(record.phases[0].duration_ns < 10_000_000_000);
    assert!(!record.slos[0].ok);
}

/// A server of raw bytes: for each connection, the answer given as soon as anything was read.
fn raw_server(answer: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(200) {
            let Ok(mut stream) = stream else { break };
            let mut buffer = [0u8; 4096];
            while stream.read(&mut buffer).is_ok_and(|count| count > 0) {
                let _ = stream.write_all(answer);
                if answer.is_empty() {
                    break;
                }
            }
        }
    });
    address
}

#[test]
fn hostile_bytes_are_errors_and_never_end_the_run() {
    for (answer, class) in [
        (&b""[..], "receive_early_end"),
        (b"\x00\xff\x00\xff\r\n\r\n", "protocol"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello", "protocol"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "protocol"),
    ] {
        let address = raw_server(answer);
        let plan = plan(&format!(
            "target: http://{address}\nactions: [{{name: a, steps: [{{get: /, timeout: 2s}}]}}]\nusers: 1\ncount: 5\n"
        ));
        let record = run(plan);
        assert_eq!(record.phases[0].errors.get(class), Some(&5), "{class}: {:?}", record.phases[0].errors);
    }
    // An answer with one more behind it that nobody asked for: the first counts, the connection does not live on.
    let twice = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let address = raw_server(twice);
    let record = run(plan(&format!("target: http://{address}\nrequest: GET /\nusers: 1\ncount: 5\n")));
    assert_eq!(record.phases[0].counts.completed, 5, "{:?}", record.phases[0].errors);
    assert_eq!(record.phases[0].traffic.connections_opened, 5);
}
