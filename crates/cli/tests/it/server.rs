//! `weir target`, and targets for other tests.

use crate::command::command;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

/// A target in this process and what it is reached by.
pub(crate) fn target() -> (target::Running, String) {
    let running = target::Server::bind(target::Options::default()).unwrap().start().unwrap();
    let address = running.local_addr().unwrap().to_string();
    (running, address)
}

/// Sends a signal to a command that runs.
pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_target_serves_until_a_signal_and_says_what_it_counted() {
    for end in [Signal::INT, Signal::TERM] {
        let mut child = command(&["target", "--listen", "127.0.0.1:0", "--stall", "1ms/1h"]).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut told = String::new();
        for _ in 0..3 {
            stdout.read_line(&mut told).unwrap();
        }
        let address = told.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        let welcome = "serving http://ADDRESS/, standing still 1ms/1h\n\
            try: weir http http://ADDRESS/hello -r 1000/s\n\
            an unknown path lists all that it serves, /stats counts; Ctrl-C stops\n";
        assert_eq!(told.replace(&address, "ADDRESS"), welcome);
        assert!(get(&address, "/hello").ends_with("Hello world"));
        assert!(get(&address, "/nope").starts_with("HTTP/1.1 404"));
        signal(&child, end);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let first = rest.lines().next().unwrap();
        assert!(first.starts_with("2 requests on 2 connections, "), "{rest}");
        assert!(rest.ends_with("             1  (unknown)\n             1  /hello\n"), "{rest}");
    }
}
