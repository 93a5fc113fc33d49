//! CPU time per request and requests per second: Weir, wrk and a bare epoll loop in turn, as fast as they can.
//!
//! CPU time is what the kernel counted for the whole process, start and exit included; requests are counted by the server. Requests per
//! second are each client's own figure, because only the client knows when its load began and ended.

use super::child::{Target, after, build_apart, number, phase, run_measured, run_weir};
use super::report::Section;
use super::{Setup, median, spread};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

const CONNECTIONS: &str = "64";
/// A client's count may miss what was under way when it stopped.
const COUNT_SLACK: f64 = 256.0;

const METHOD: &str = "`GET /hello`, 64 keep-alive connections, as fast as possible, one thread, client and server pinned to a core \
    each. CPU time is the kernel's for the client's whole process, divided by the requests that the server counted.";

/// Who makes the load.
#[derive(Debug, Clone)]
enum Client {
    Weir(&'static str),
    Wrk,
    Floor(PathBuf),
}

/// One turn.
#[derive(Debug, Clone, Copy)]
struct Turn {
    per_sec: f64,
    user_us: f64,
    system_us: f64,
}

impl Turn {
    fn cpu_us(&self) -> f64 {
        self.user_us + self.system_us
    }
}

impl Client {
    fn name(&self) -> &'static str {
        match self {
            Self::Weir("io_uring") => "weir, io_uring",
            Self::Weir(_) => "weir, epoll",
            Self::Wrk => "wrk",
            Self::Floor(_) => "floor",
        }
    }
}

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("CPU per request", METHOD);
    let target = Target::start(setup, &[])?;
    let clients = clients(setup, &target, &mut section)?;
    // Not counted: the server's code and memory get warm.
    turn(setup, &target, &Client::Weir("epoll"), 1)?;
    let mut turns: Vec<Vec<Turn>> = vec![Vec::new(); clients.len()];
    for round in 0..setup.round_count {
        // Each round begins with another client, so that none always comes first after a pause.
        for place in 0..clients.len() {
            let index = (round + place) % clients.len();
            if let (Some(client), Some(turns)) = (clients.get(index), turns.get_mut(index)) {
                turns.push(turn(setup, &target, client, setup.turn_secs)?);
            }
        }
    }
    let by_client: Vec<(&Client, &Vec<Turn>)> = clients.iter().zip(&turns).collect();
    section.table(
        &["client", "requests/s", "CPU µs/request", "user µs", "system µs"],
        by_client.iter().map(|(client, turns)| row(client, turns)).collect(),
    );
    bars(&mut section, &by_client);
    Ok(section)
}

/// Those that are there; what is missing is said with the way to get it.
fn clients(setup: &Setup, target: &Target, section: &mut Section) -> Result<Vec<Client>> {
    let mut clients = vec![Client::Weir("epoll")];
    let (_, record) =
        run_weir(setup, &[&target.url("/hello"), "-n", "1", "-c", "1", "--driver", "io_uring"])?;
    match record["environment"]["driver"].as_str() {
        Some("io_uring") => clients.push(Client::Weir("io_uring")),
        _ => section.note(format!("io_uring is left out: {}", record["environment"]["notes"])),
    }
    // Without arguments wrk prints its usage and ends with 1: that it starts is enough.
    if Command::new("wrk").output().is_ok() {
        clients.push(Client::Wrk);
    } else {
        let why = "wrk is not installed: on Debian `apt-get install wrk`";
        section.not_measured("CPU per request against wrk", "≤ 0.85", why);
        section.not_measured("requests/s against wrk", "≥ 1.10", why);
    }
    clients.push(Client::Floor(build_apart(setup, "floor")?));
    Ok(clients)
}

fn turn(setup: &Setup, target: &Target, client: &Client, secs: u64) -> Result<Turn> {
    target.ask("/stats/reset")?;
    let url = target.url("/hello");
    let secs = secs.to_string();
    let (ended, count, per_sec) = match client {
        Client::Weir(driver) => {
            let duration = format!("{secs}s");
            let arguments = [&url, "-c", CONNECTIONS, "-d", &duration, "--driver", driver];
            let (ended, record) = run_weir(setup, &arguments)?;
            let phase = phase(&record)?;
            let per_sec = number(phase, &["achieved_per_sec"])?;
            (ended, number(phase, &["counts", "completed"])?, per_sec)
        }
        Client::Wrk => {
            let duration = format!("-d{secs}s");
            let ended = run_measured(setup, Path::new("wrk"), &["-t1", "-c", CONNECTIONS, &duration, &url])?;
            let count = first_number(&ended.stdout, " requests in")?;
            let per_sec = after(&ended.stdout, "Requests/sec:")?;
            (ended, count, per_sec)
        }
        Client::Floor(path) => {
            let ended = run_measured(setup, path, &[&target.address, CONNECTIONS, &secs])?;
            let count = after(&ended.stdout, "requests ")?;
            let per_sec = after(&ended.stdout, "requests_per_sec")?;
            (ended, count, per_sec)
        }
    };
    let stats = target.ask("/stats")?;
    let counted = number(&stats, &["paths", "/hello"])?;
    if (counted - count).abs() > COUNT_SLACK {
        bail!("{} says {count} requests, but the server counted {counted}", client.name());
    }
    Ok(Turn { per_sec, user_us: ended.user_us / counted, system_us: ended.system_us / counted })
}

/// The last number on the line before some words.
pub(super) fn first_number(text: &str, words: &str) -> Result<f64> {
    let before = text.split(words).next().unwrap_or_default();
    let number = before.split_ascii_whitespace().next_back();
    number
        .and_then(|number| number.parse().ok())
        .with_context(|| format!("no number before `{words}` in: {text}"))
}

fn row(client: &Client, turns: &[Turn]) -> Vec<String> {
    let of = |figure: fn(&Turn) -> f64| -> Vec<f64> { turns.iter().map(figure).collect() };
    let micros = |value: f64| format!("{value:.2}");
    vec![
        client.name().to_owned(),
        spread(&of(|turn| turn.per_sec), |value| format!("{value:.0}")),
        spread(&of(Turn::cpu_us), micros),
        micros(median(&of(|turn| turn.user_us))),
        micros(median(&of(|turn| turn.system_us))),
    ]
}

/// Ratios within each round; their median is held against the bar.
fn bars(section: &mut Section, clients: &[(&Client, &Vec<Turn>)]) {
    let turns_of =
        |wanted: &str| clients.iter().find(|(client, _)| client.name() == wanted).map(|(_, turns)| *turns);
    let ratios = |ours: &[Turn], theirs: &[Turn], figure: fn(&Turn) -> f64| -> Vec<f64> {
        ours.iter().zip(theirs).map(|(ours, theirs)| figure(ours) / figure(theirs)).collect()
    };
    let form = |value: f64| format!("{value:.3}");
    for name in ["weir, epoll", "weir, io_uring"] {
        let Some(weir) = turns_of(name) else { continue };
        if let Some(wrk) = turns_of("wrk") {
            let what = format!("{name}: CPU per request against wrk (aim 0.75)");
            section.at_most(&what, 0.85, &ratios(weir, wrk, Turn::cpu_us), form);
            let what = format!("{name}: requests/s against wrk");
            section.at_least(&what, 1.1, &ratios(weir, wrk, |turn| turn.per_sec), form);
        }
        if let Some(floor) = turns_of("floor") {
            let what = format!("{name}: CPU per request against the floor");
            section.at_most(&what, 1.15, &ratios(weir, floor, Turn::cpu_us), form);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clients_print_is_read() {
        let wrk = "  2 threads\n  912345 requests in 5.01s, 120.1MB read\nRequests/sec: 182103.55\n";
        assert_eq!(first_number(wrk, " requests in").unwrap(), 912_345.0);
        assert_eq!(after(wrk, "Requests/sec:").unwrap(), 182_103.55);
        let floor = "requests 10\nrequests_per_sec 2\ncpu_ns_per_request 4000\n";
        assert_eq!(
            (after(floor, "requests ").unwrap(), after(floor, "requests_per_sec").unwrap()),
            (10.0, 2.0)
        );
        assert!(after(floor, "nothing").is_err());
    }
}
