//! The server over real sockets and a real store: what it answers, to whom, and how it tells of a run that goes on.

mod access;
mod live;
mod store_over_http;

use record::RunRecord;
use serde_json::Value;
use serve::{Options, Serving, Token};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A folder that goes with its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-serve-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn store(&self) -> PathBuf {
        self.0.join("runs.db")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn serving(store: &Path, token: Option<&str>) -> Serving {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let token = token.map(|text| Token::new(text).unwrap());
    Serving::start(Options { listen, store: store.to_owned(), token }).unwrap()
}

/// A run as `weir http` recorded it, under another id and name.
fn run(id: &str, name: &str) -> RunRecord {
    let record: RunRecord = serde_json::from_str(include_str!("run.json")).unwrap();
    RunRecord { run_id: id.to_owned(), name: name.to_owned(), ..record }
}

/// An answer: status, head in lower case, body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// Sends a request with these header lines and reads the answer to the connection's end.
fn ask(server: &Serving, request: &str, headers: &[&str], body: &str) -> Answer {
    let mut stream = TcpStream::connect(server.local_addr()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut text = format!("{request} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|line| line.starts_with("host:")) {
        text.push_str(&format!("host: {}\r\n", server.local_addr()));
    }
    headers.iter().for_each(|line| text.push_str(&format!("{line}\r\n")));
    stream.write_all(format!("{text}\r\n{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head: head.to_lowercase(), body: body.to_owned() }
}

fn get(server: &Serving, path: &str) -> Answer {
    ask(server, &format!("GET {path}"), &[], "")
}

/// The next event of a stream: its name and its data.
fn next_event(stream: &mut BufReader<TcpStream>) -> (String, String) {
    let (mut name, mut data) = (String::new(), String::new());
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(text) = line.trim_end().strip_prefix("event: ") {
            name = text.to_owned();
        } else if let Some(text) = line.trim_end().strip_prefix("data: ") {
            data.push_str(text);
        } else if line.trim_end().is_empty() && !name.is_empty() {
            return (name, data);
        }
    }
}
