//! Bodies posted to a server, one after another on a connection that is kept: a blocking socket around the sessions that the load uses too.

use proto::http1::request::RequestHead;
use proto::http1::{Body, Ended, Event, Limits, RequestKind, Session, Want};
use proto::tls::{ServerName, TlsClient, TlsEnd, TlsSession, TlsSettings};
use std::io::{Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

/// From a request's begin to its answer's end: as long as Prometheus itself waits for a receiver.
pub(super) const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);
/// To open a connection.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(5);
/// Read at a time, bytes: a record of TLS.
const CHUNK_BYTES: usize = 16 << 10;
/// Of an answer's body, for the message when it is an error.
const ANSWER_BYTES_MAX: usize = 64 << 10;
/// Characters of that body that are shown.
const SHOWN_CHARS_MAX: usize = 200;
/// Length of a URL at most, bytes: as long as servers take.
const URL_BYTES_MAX: usize = 8_192;

/// Where bodies go: the parts of an `http` or `https` URL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Endpoint {
    pub(super) is_tls: bool,
    /// Host, and port where the URL has one.
    pub(super) authority: String,
    /// Begins with `/`, or is empty.
    pub(super) path: String,
    /// Behind `?`, without it; may be empty.
    pub(super) query: String,
    /// Name and password before the host.
    pub(super) user: Option<(String, String)>,
}

impl Endpoint {
    /// Reads a URL.
    ///
    /// Errors: what is wrong with it and how to mend that.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let shown = crate::registry::shown(text);
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| format!("`{shown}` is no URL: it must begin with http:// or https://"))?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(format!("`{shown}`: the address must begin with http:// or https://")),
        };
        if text.len() > URL_BYTES_MAX {
            return Err(format!("`{shown}` is longer than {URL_BYTES_MAX} bytes"));
        }
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => {
                let (name, password) = user.split_once(':').unwrap_or((user, ""));
                (Some((decoded(name), decoded(password))), authority)
            }
            None => (None, authority),
        };
        let endpoint = Self {
            is_tls,
            authority: authority.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            user,
        };
        if endpoint.host_and_port().is_none_or(|(host, _)| host.is_empty()) {
            return Err(format!("`{shown}` names no host, or a port that is none"));
        }
        Ok(endpoint)
    }

    /// Scheme and authority, without name and password.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", if self.is_tls { "https" } else { "http" }, self.authority)
    }

    /// Host without brackets, and port.
    fn host_and_port(&self) -> Option<(&str, u16)> {
        let default = if self.is_tls { 443 } else { 80 };
        let (host, port) = match self.authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
            _ => (self.authority.as_str(), default),
        };
        Some((host.trim_start_matches('[').trim_end_matches(']'), port))
    }
}

/// A text of a URL without its percent signs; what is no such sign stays.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text as it stands in a query.
pub(super) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Sends to one server.
#[derive(Debug)]
pub(super) struct Client {
    endpoint: Endpoint,
    tls: Option<TlsClient>,
    headers: Vec<(String, String)>,
    connection: Option<Connection>,
}

#[derive(Debug)]
struct Connection {
    stream: TcpStream,
    tls: Option<TlsSession>,
    session: Session,
}

/// Why an answer did not come.
#[derive(Debug)]
struct Failure {
    said: String,
    /// Whether the server may have closed the kept connection as the request was on its way: nothing of an answer had come.
    is_stale: bool,
}

impl From<String> for Failure {
    fn from(said: String) -> Self {
        Self { said, is_stale: false }
    }
}

impl Client {
    /// With headers for every request.
    ///
    /// Errors: certificates that can't be used.
    pub(super) fn new(
        endpoint: Endpoint,
        tls: &TlsSettings,
        headers: Vec<(String, String)>,
    ) -> Result<Self, String> {
        let tls = endpoint.is_tls.then(|| TlsClient::new(tls)).transpose();
        let tls = tls.map_err(|error| error.to_string())?;
        let client = Self { endpoint, tls, headers, connection: None };
        // What is wrong with headers is known before anything is sent.
        client.request("/", b"")?;
        Ok(client)
    }

    /// Posts a body; an answer other than 2xx is an error too.
    pub(super) fn post(&mut self, target: &str, body: &[u8], until: Instant) -> Result<(), String> {
        let until = until.min(Instant::now() + ANSWER_TIME_MAX);
        let request = self.request(target, body)?;
        let was_kept = self.connection.is_some();
        match self.exchange(&request, until) {
            Err(failure) if was_kept && failure.is_stale => {
                self.exchange(&request, until).map_err(|failure| failure.said)
            }
            other => other.map_err(|failure| failure.said),
        }
    }

    fn request(&self, target: &str, body: &[u8]) -> Result<Vec<u8>, String> {
        let mut request = Vec::with_capacity(body.len() + 512);
        let mut head = RequestHead::begin(&mut request, "POST", target, &self.endpoint.authority)
            .map_err(|error| error.to_string())?;
        for (name, value) in &self.headers {
            head.header(name, value.as_bytes()).map_err(|error| error.to_string())?;
        }
        head.finish(Some(body.len() as u64));
        request.extend_from_slice(body);
        Ok(request)
    }

    fn exchange(&mut self, request: &[u8], until: Instant) -> Result<(), Failure> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(until)?,
        };
        let is_kept = connection.exchange(request, until)?;
        let answer = connection.session.response().ok_or_else(|| "an answer without an end".to_owned())?;
        let outcome = match answer.status {
            200..=299 => Ok(()),
            status => {
                let (Body::Whole(body) | Body::Truncated(body)) = answer.body else {
                    return Err(format!("answered with {status}").into());
                };
                let text: String = String::from_utf8_lossy(body).chars().take(SHOWN_CHARS_MAX).collect();
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let colon = if text.is_empty() { "" } else { ": " };
                Err(Failure::from(format!("answered with {status}{colon}{}", units::legible(&text))))
            }
        };
        if is_kept {
            self.connection = Some(connection);
        }
        outcome
    }

    fn connect(&self, until: Instant) -> Result<Connection, String> {
        let (host, port) = self.endpoint.host_and_port().ok_or("the port is none")?;
        let addresses = (host, port).to_socket_addrs();
        let addresses =
            addresses.map_err(|error| format!("the host {host}: {}", units::system_words(&error)))?;
        let mut said = format!("the host {host} has no address");
        for address in addresses {
            match TcpStream::connect_timeout(&address, left(until)?.min(CONNECT_TIME_MAX)) {
                Ok(stream) => {
                    // Small last segments of bodies need not wait for what went before.
                    stream.set_nodelay(true).map_err(|error| units::system_words(&error))?;
                    let limits = Limits { body_kept_bytes_max: ANSWER_BYTES_MAX, ..Limits::default() };
                    return Ok(Connection {
                        stream,
                        tls: self.tls.as_ref().map(|client| session(client, host)).transpose()?,
                        session: Session::new(limits),
                    });
                }
                Err(error) => said = format!("{address}: {}", units::system_words(&error)),
            }
        }
        Err(said)
    }
}

fn session(client: &TlsClient, host: &str) -> Result<TlsSession, String> {
    let name = ServerName::new(host).map_err(|error| error.to_string())?;
    TlsSession::new(client, &name).map_err(|error| error.to_string())
}

/// What is left of the time, or that there is none.
fn left(until: Instant) -> Result<Duration, String> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err("no answer in time".to_owned()) } else { Ok(left) }
}

impl Connection {
    /// Sends the request and takes the answer; whether the connection may carry another.
    fn exchange(&mut self, request: &[u8], until: Instant) -> Result<bool, Failure> {
        self.session.expect(RequestKind::Other, Want { headers: false, body: true });
        let stale = |said: String| Failure { said, is_stale: true };
        let mut out = Vec::new();
        match &mut self.tls {
            None => self.write(request, until).map_err(stale)?,
            Some(tls) => tls.send(request).map_err(|error| error.to_string())?,
        }
        let (mut plain, mut chunk) = (Vec::new(), vec![0; CHUNK_BYTES]);
        loop {
            if self.tls.as_mut().is_some_and(|tls| tls.poll_transmit(&mut out)) {
                self.write(&std::mem::take(&mut out), until).map_err(stale)?;
            }
            self.stream.set_read_timeout(Some(left(until)?)).map_err(|error| words(&error))?;
            let count = self.stream.read(&mut chunk).map_err(|error| Failure {
                said: words(&error),
                is_stale: error.kind() == std::io::ErrorKind::ConnectionReset
                    && !self.session.is_within_answer(),
            })?;
            let came = chunk.get(..count).unwrap_or_default();
            let mut has_ended = count == 0;
            let mut rest = match &mut self.tls {
                None => came,
                Some(tls) => {
                    plain.clear();
                    let progress = tls.handle(came, &mut plain).map_err(|error| error.to_string())?;
                    has_ended |= progress.peer_closed;
                    plain.as_slice()
                }
            };
            while !rest.is_empty() {
                let (used, event) = self.session.handle(rest).map_err(|error| error.to_string())?;
                rest = rest.get(used..).unwrap_or_default();
                if let Some(Event::Complete(complete)) = event {
                    return Ok(complete.keep_alive && !has_ended);
                }
            }
            if has_ended {
                let is_clean = self.tls.as_mut().is_none_or(|tls| tls.end() == TlsEnd::Clean);
                return match self.session.end() {
                    Ended::Complete(_) if is_clean => Ok(false),
                    Ended::Early { received_any: false } => {
                        Err(stale("the connection was closed without an answer".to_owned()))
                    }
                    _ => Err("the connection ended within the answer".to_owned().into()),
                };
            }
        }
    }

    fn write(&mut self, mut bytes: &[u8], until: Instant) -> Result<(), String> {
        while !bytes.is_empty() {
            // Anew for each write: a server that takes a little at a time must not take for ever.
            self.stream.set_write_timeout(Some(left(until)?)).map_err(|error| words(&error))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err("the connection was closed".to_owned()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(words(&error)),
            }
        }
        Ok(())
    }
}

/// Time-outs of sockets are told as if something had to be tried again.
fn words(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => "no answer in time".to_owned(),
        _ => units::system_words(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let check = |text: &str, origin: &str, host: &str, port: u16, path: &str, query: &str| {
            let endpoint = Endpoint::parse(text).unwrap();
            assert_eq!(endpoint.origin(), origin);
            assert_eq!(endpoint.host_and_port(), Some((host, port)));
            assert_eq!((endpoint.path.as_str(), endpoint.query.as_str()), (path, query));
        };
        check("http://a.example", "http://a.example", "a.example", 80, "", "");
        check("HTTPS://a.example/db", "https://a.example", "a.example", 443, "/db", "");
        check("http://[::1]:8086/db?x=1#y", "http://[::1]:8086", "::1", 8086, "/db", "x=1");
        check("http://[::1]/", "http://[::1]", "::1", 80, "/", "");
        check("http://u%40v:p:q@h:1/", "http://h:1", "h", 1, "/", "");
        let user = Endpoint::parse("http://u%40v:p:q@h:1/").unwrap().user;
        assert_eq!(user, Some(("u@v".to_owned(), "p:q".to_owned())));
        for bad in ["", "a.example", "ftp://a", "http://", "http://:80", "http://a:b", "http://a:65536"] {
            assert!(Endpoint::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percent_signs_are_read_and_written() {
        assert_eq!(decoded("a%20b%zz%4"), "a b%zz%4");
        assert_eq!(decoded("%e4%"), "\u{fffd}%");
        assert_eq!(encoded("a b&c=\u{e4}"), "a%20b%26c%3D%C3%A4");
    }
}
