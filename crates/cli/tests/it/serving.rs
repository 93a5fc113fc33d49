//! `weir serve`, and `--serve` beside a run.

use crate::command::{Folder, command, weir};
use crate::server::{signal, target};
use rustix::process::Signal;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;
use std::time::{Duration, Instant};

/// Ends with its test, whatever becomes of that.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first line with an address.
fn address(from: impl std::io::Read) -> String {
    let mut lines = BufReader::new(from).lines();
    loop {
        let line = lines.next().expect("an address is said").unwrap();
        if let Some((_, rest)) = line.split_once("http://") {
            return rest.split(['/', ' ']).next().unwrap_or_default().to_owned();
        }
    }
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_kept_runs_are_served_until_a_signal() {
    let folder = Folder::new("serve");
    let store = folder.file("runs.db");
    let (running, target) = target();
    let kept = weir(&["http", &target, "-n", "5", "-q", "--name", "kept", "--store", &store]);
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    let child = command(&["serve", "--listen", "127.0.0.1:0", "--store", &store]).spawn().unwrap();
    let mut serving = Killed(child);
    let at = address(serving.0.stdout.take().unwrap());
    assert!(get(&at, "/").contains("<title>"));
    assert!(get(&at, "/api/runs").contains(r#""name":"kept""#));
    signal(&serving.0, Signal::TERM);
    drop(running);
    assert_eq!(serving.0.wait().unwrap().code(), Some(0));
}

#[test]
fn a_run_is_served_while_it_goes_on() {
    let folder = Folder::new("serve-run");
    let store = folder.file("runs.db");
    let (running, target) = target();
    let args = ["http", &target, "-r", "100/s", "-d", "60s", "-q", "--store", &store, "--serve=127.0.0.1:0"];
    let mut run = Killed(command(&args).spawn().unwrap());
    let at = address(run.0.stderr.take().unwrap());
    // The run's row comes with its start, which its own thread writes.
    let until = Instant::now() + Duration::from_secs(30);
    let is_shown = || get(&at, "/api/runs").contains(r#""state":"running""#);
    let is_there =
        std::iter::repeat_with(is_shown).take_while(|_| Instant::now() < until).any(|is_shown| is_shown);
    assert!(is_there, "{}", get(&at, "/api/runs"));
    drop(running);
}

#[test]
fn what_cannot_be_served_is_said_before_anything_is_sent() {
    let folder = Folder::new("serve-wrong");
    let store = folder.file("runs.db");
    let open = weir(&["serve", "--listen", "0.0.0.0:0", "--store", &store]);
    assert_eq!(open.code, Some(2));
    assert!(
        open.stderr.contains("no loopback address") && open.stderr.contains("--token"),
        "{}",
        open.stderr
    );
    let short = weir(&["serve", "--listen", "127.0.0.1:0", "--token", "abc", "--store", &store]);
    assert_eq!(short.code, Some(2));
    assert!(short.stderr.contains("too short"), "{}", short.stderr);
    let damaged =
        folder.write("damaged.db", "this is no database but some text that is long enough to be looked at");
    let refused = weir(&["serve", "--listen", "127.0.0.1:0", "--store", &damaged]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("damaged or no store"), "{}", refused.stderr);
    let (running, target) = target();
    let refused = weir(&["http", &target, "-n", "1", "--store", &store, &format!("--serve={target}")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("address already in use"), "{}", refused.stderr);
    // The environment of tests says that there is no store.
    let none = weir(&["http", &target, "-n", "1", "--serve=127.0.0.1:0"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("there is no store"), "{}", none.stderr);
    assert_eq!(running.stop().requests, 0);
}
