//! Memory at its peak, and the time from starting the program to its first request.

use super::Setup;
use super::child::{Target, after, build_apart, number, phase, run_measured, run_weir};
use super::report::Section;
use anyhow::{Context as _, Result};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Starts timed in all.
const START_COUNT: usize = 20;
/// A start that takes longer has failed.
const START_MAX: Duration = Duration::from_secs(5);
const MB: f64 = 1e6;
/// What the record's intervals take in memory by what they take as JSON: numbers are 16 bytes each there, and a growing list has room to spare.
const RECORD_FACTOR: f64 = 2.0;

const METHOD: &str = "Peak resident memory as the kernel counted it (`ru_maxrss`) over a run as fast as possible. Start: from just before the \
    program is started to the first byte of a request at a raw listener, on one clock; the trial connection and the opening of 64 \
    connections are in it. \
    Long runs: `bench/hour` in simulated time, 100 requests/s; the record keeps an interval a second, whose size as JSON is shown.";

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("Memory and start", METHOD);
    let megabytes = |value: f64| format!("{value:.1} MB");
    for (connections, limit_mb) in [("64", 12.0), ("10000", 60.0)] {
        let target = Target::start(setup, &[])?;
        let (mut peaks, mut failed_count) = (Vec::new(), 0.0);
        for _ in 0..setup.few_rounds() {
            let duration = format!("{}s", setup.turn_secs);
            let (ended, record) =
                run_weir(setup, &[&target.url("/hello"), "-c", connections, "-d", &duration])?;
            peaks.push(ended.rss_max_bytes as f64 / MB);
            failed_count += number(phase(&record)?, &["counts", "failed"])?;
        }
        section.at_most(&format!("{connections} connections"), limit_mb, &peaks, megabytes);
        if failed_count > 0.0 {
            section.note(format!("With {connections} connections {failed_count} requests failed."));
        }
    }
    let starts_ms = (0..START_COUNT).map(|_| start_ms(setup)).collect::<Result<Vec<_>>>()?;
    section.at_most("start to first request", 15.0, &starts_ms, |value| format!("{value:.1} ms"));
    long_run(setup, &mut section)?;
    Ok(section)
}

/// What an hour of simulated time takes beyond ten minutes of it. The record keeps an interval a second; all else must not grow.
fn long_run(setup: &Setup, section: &mut Section) -> Result<()> {
    let program = build_apart(setup, "hour")?;
    let run = |seconds: &str| -> Result<(f64, f64)> {
        let ended = run_measured(setup, &program, &[seconds])?;
        Ok((after(&ended.stdout, "rss_max_bytes")?, after(&ended.stdout, "intervals_bytes")?))
    };
    let ((short_bytes, short_intervals_bytes), (long_bytes, long_intervals_bytes)) =
        (run("600")?, run("3600")?);
    let grown_bytes = long_bytes - short_bytes;
    let record_bytes = long_intervals_bytes - short_intervals_bytes;
    let measured = format!("+{:.1} MB, record +{:.1} MB", grown_bytes / MB, record_bytes / MB);
    let is_flat = grown_bytes <= record_bytes * RECORD_FACTOR;
    section.bar("simulated time, minute 10 to 60", "flat but for the record".to_owned(), measured, is_flat);
    Ok(())
}

/// Milliseconds from starting Weir to the first byte of a request.
fn start_ms(setup: &Setup) -> Result<f64> {
    first_request_ms(setup, |command, url| {
        command.arg(&setup.weir).args(["http", url, "-c", "64", "-n", "64", "-t", "1", "--quiet"]);
    })
}

/// Milliseconds from starting a program to the first byte of its request to a URL; `add` says which one.
pub(super) fn first_request_ms(setup: &Setup, add: impl Fn(&mut Command, &str)) -> Result<f64> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/", listener.local_addr()?);
    let (first, heard) = channel();
    // Ends with the process: it has nothing to put in order.
    thread::spawn(move || accept(&listener, &first));
    let mut command = Command::new("taskset");
    command.args(["-c", &setup.client_core.to_string()]);
    add(&mut command, &url);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn()?;
    let heard = heard.recv_timeout(START_MAX);
    let _ = child.kill();
    child.wait()?;
    let at = heard.context("no request came")?;
    Ok(at.duration_since(started).as_secs_f64() * 1e3)
}

/// Tells when the first byte of a request comes on any connection. Each has its own thread: the trial connection sends nothing.
fn accept(listener: &TcpListener, first: &Sender<Instant>) {
    while let Ok((stream, _)) = listener.accept() {
        let first = first.clone();
        thread::spawn(move || answer(stream, &first));
    }
}

fn answer(mut stream: TcpStream, first: &Sender<Instant>) {
    let mut buffer = [0; 4096];
    while let Ok(1..) = stream.read(&mut buffer) {
        // Only the first is waited for.
        let _ = first.send(Instant::now());
        if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").is_err() {
            return;
        }
    }
}
