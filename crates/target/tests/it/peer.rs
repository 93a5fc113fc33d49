//! A client for tests: raw bytes out, one response in, nothing hidden.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroUsize;
use std::time::Duration;

use target::{Options, Running, Server};

/// A test that waits longer than this has failed.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn serve(options: Options) -> Running {
    Server::bind(options).unwrap().start().unwrap()
}

pub(crate) fn serve_with_threads(threads: usize) -> Running {
    serve(Options { threads: NonZeroUsize::new(threads).unwrap(), ..Options::default() })
}

pub(crate) fn address(running: &Running) -> SocketAddr {
    running.local_addr().unwrap()
}

/// A `GET` with the one header field that HTTP/1.1 demands.
pub(crate) fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: test\r\n\r\n")
}

pub(crate) fn post(target: &str, body: &str) -> String {
    format!("POST {target} HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The head through its empty line.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// Trailer lines of a chunked body.
    pub(crate) trailers: Vec<String>,
}

impl Response {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1);
        lines.filter_map(|line| line.split_once(": ")).find(|(have, _)| *have == name).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// One connection over any stream.
pub(crate) struct Peer<S> {
    pub(crate) stream: S,
    received: Vec<u8>,
}

impl Peer<TcpStream> {
    pub(crate) fn connect(running: &Running) -> Self {
        Self::connect_to(address(running))
    }

    pub(crate) fn connect_to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(stream)
    }
}

impl<S: Read + Write> Peer<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream, received: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Sends a request and reads its response.
    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Response {
        self.send(request);
        self.response()
    }

    pub(crate) fn get(&mut self, target: &str) -> Response {
        self.ask(get(target))
    }

    /// Reads one response to a request that was not HEAD.
    pub(crate) fn response(&mut self) -> Response {
        let mut response = self.head();
        let length = response.field("content-length").map(|text| text.parse::<usize>().unwrap());
        if response.field("transfer-encoding") == Some("chunked") {
            self.read_chunks(&mut response);
        } else if let Some(length) = length {
            response.body = self.take(length);
        } else if response.status >= 200 && !matches!(response.status, 204 | 304) {
            response.body = self.rest().expect("the connection ends in order");
        }
        response
    }

    /// Reads the head of a response and nothing after it.
    pub(crate) fn head(&mut self) -> Response {
        let head = self.take_through(b"\r\n\r\n");
        let head = String::from_utf8(head).unwrap();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or_else(|| panic!("no status in {head:?}"));
        Response { status, head, body: Vec::new(), trailers: Vec::new() }
    }

    fn read_chunks(&mut self, response: &mut Response) {
        loop {
            let line = self.line();
            let size = usize::from_str_radix(&line, 16).unwrap();
            if size == 0 {
                break;
            }
            response.body.extend(self.take(size));
            assert_eq!(self.take(2), b"\r\n");
        }
        loop {
            match self.line() {
                line if line.is_empty() => return,
                line => response.trailers.push(line),
            }
        }
    }

    fn line(&mut self) -> String {
        let line = self.take_through(b"\r\n");
        String::from_utf8(line).unwrap().trim_end().to_owned()
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        while self.received.len() < count {
            assert!(
                self.more().expect("no error inside a response"),
                "the connection ended inside a response"
            );
        }
        self.received.drain(..count).collect()
    }

    fn take_through(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.received.windows(end.len()).position(|window| window == end) {
                return self.received.drain(..at + end.len()).collect();
            }
            let more = self.more().expect("no error inside a response");
            assert!(more, "the connection ended after {:?}", String::from_utf8_lossy(&self.received));
        }
    }

    /// Everything until the connection ends, or the error that ends it.
    pub(crate) fn rest(&mut self) -> std::io::Result<Vec<u8>> {
        while self.more()? {}
        Ok(std::mem::take(&mut self.received))
    }

    fn more(&mut self) -> std::io::Result<bool> {
        let mut buffer = [0; 65_536];
        let count = self.stream.read(&mut buffer)?;
        self.received.extend_from_slice(&buffer[..count]);
        Ok(count > 0)
    }

    /// What was received and not taken yet.
    pub(crate) fn received(&self) -> &[u8] {
        &self.received
    }
}
