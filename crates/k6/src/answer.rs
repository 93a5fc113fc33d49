//! What a user hears of a request: what came, how long it took, or why nothing came.

use k6_options::CipherSuite;
use proto::http1::Headers;
use proto::tls::{TlsSession, TlsVersion};
use scenario::{Answer, Timing};
use stats::ErrorClass;
use std::borrow::Cow;
use std::net::SocketAddr;

/// An answer, as a user keeps it.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    /// From the status line to the empty line.
    head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    pub(crate) timing: Timing,
    pub(crate) done_ns: u64,
    pub(crate) remote: Option<SocketAddr>,
    /// `None`: it came in plain.
    pub(crate) tls: Option<Tls>,
}

/// What TLS agreed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tls {
    /// In k6's words: `tls1.3`.
    pub(crate) version: &'static str,
    /// By its name at IANA.
    pub(crate) cipher_suite: &'static str,
}

impl Tls {
    fn of(session: &TlsSession) -> Self {
        let suite = session.cipher_suite().and_then(CipherSuite::by_number);
        Self {
            version: match session.version() {
                Some(TlsVersion::V1_3) => "tls1.3",
                Some(TlsVersion::V1_2) => "tls1.2",
                None => "",
            },
            cipher_suite: suite.map_or("", CipherSuite::name),
        }
    }
}

impl Heard {
    pub(crate) fn of(answer: &Answer<'_>, done_ns: u64) -> Self {
        Self {
            status: answer.status,
            head: answer.headers.map(|headers| headers.as_bytes().to_vec()).unwrap_or_default(),
            body: answer.body.whole().map(<[u8]>::to_vec).unwrap_or_default(),
            timing: answer.timing,
            done_ns,
            remote: answer.remote,
            tls: answer.tls.map(Tls::of),
        }
    }

    /// As a log shows it.
    pub(crate) fn shown(&self, with_body: bool) -> String {
        let mut text = format!("HTTP/1.1 {} {}\n", self.status, reason(self.status));
        for (name, value) in self.headers() {
            text.push_str(&format!("{name}: {value}\n"));
        }
        text.push('\n');
        if with_body {
            text.push_str(&String::from_utf8_lossy(&self.body));
        }
        text.push('\n');
        text
    }

    /// Names in canonical form and values, in the order in which they came.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (String, Cow<'_, str>)> {
        Headers::of_head(&self.head)
            .iter()
            .map(|(name, value)| (canonical(name), String::from_utf8_lossy(value)))
    }

    /// All values of a header.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Cow<'a, str>> {
        let is_named = move |(own, _): &(&str, &[u8])| own.eq_ignore_ascii_case(name);
        Headers::of_head(&self.head).iter().filter(is_named).map(|(_, value)| String::from_utf8_lossy(value))
    }
}

/// The form of a header's name that Go gives it: `content-type` is `Content-Type`.
pub(crate) fn canonical(name: &str) -> String {
    let mut is_first = true;
    let letter = |letter: char| {
        let shown = if is_first { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
        is_first = letter == '-';
        shown
    };
    name.chars().map(letter).collect()
}

/// k6's code and text of a failure without an answer.
pub(crate) fn failure(class: ErrorClass) -> (u16, &'static str) {
    match class {
        ErrorClass::Resolve => (1101, "lookup: no such host"),
        ErrorClass::ConnectRefused => (1212, "dial: connection refused"),
        ErrorClass::ConnectTimeout => (1211, "dial: i/o timeout"),
        ErrorClass::ConnectNoAddress | ErrorClass::ConnectFailed => (1210, "dial: unknown error"),
        ErrorClass::Proxy => (1000, "the proxy opened no tunnel to the host"),
        ErrorClass::Tls => (1300, "tls: the handshake or a record failed"),
        ErrorClass::Send => (1201, "write: broken pipe"),
        ErrorClass::ReceiveReset => (1220, "read: connection reset by peer"),
        ErrorClass::ReceiveEarlyEnd => (1000, "EOF"),
        ErrorClass::Timeout => (1050, "request timeout"),
        _ => (1000, "the answer could not be understood"),
    }
}

/// The text of a status, RFC 9110 and those that extend it.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        101 => "Switching Protocols",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        203 => "Non-Authoritative Information",
        204 => "No Content",
        205 => "Reset Content",
        206 => "Partial Content",
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Request Entity Too Large",
        414 => "Request URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Requested Range Not Satisfiable",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Entity",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        507 => "Insufficient Storage",
        508 => "Loop Detected",
        511 => "Network Authentication Required",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_canonical() {
        assert_eq!(super::canonical("content-TYPE"), "Content-Type");
        assert_eq!(super::canonical("x--a-"), "X--A-");
    }
}
