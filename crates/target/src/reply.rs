//! Writing an answer: its head, and what is to happen with its body and the connection.

use std::io::Write;

use crate::head::{Head, Method};
use crate::stream::Stream;

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    KeepAlive,
    Close,
    /// Close, but first let the client finish sending: closing with bytes unread would reset the connection, and the answer could be lost.
    Linger,
    /// TCP reset: nothing more is sent, not even what is still in the kernel's buffer.
    Reset,
}

/// How the client finds the end of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    Bytes(u64),
    Chunked,
    /// The end of the connection.
    Eof,
    /// The status allows no body (RFC 9110 §6.4.1).
    Nothing,
}

pub(crate) const TEXT_PLAIN: (&str, &str) = ("content-type", "text/plain");
pub(crate) const JSON: (&str, &str) = ("content-type", "application/json; charset=utf-8");

/// The answer to one request while it is made. No `date` and no `server` field: the same request gets the same bytes.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    out: &'a mut Vec<u8>,
    head_only: bool,
    minor_version: u8,
    pub(crate) status: u16,
    pub(crate) end: End,
    /// Not sent before this time.
    pub(crate) due_ns: u64,
    /// CPU time used up just before it is sent.
    pub(crate) work_ns: u64,
    /// What is sent after the bytes in `out`.
    pub(crate) stream: Stream,
}

/// What is left to do with an answer whose first bytes were written.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) end: End,
    pub(crate) due_ns: u64,
    pub(crate) work_ns: u64,
    pub(crate) stream: Stream,
}

impl<'a> Reply<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>, head: &Head<'_, '_>) -> Self {
        Self {
            out,
            head_only: head.method == Method::Head,
            minor_version: head.minor_version,
            status: 200,
            end: if head.keep_alive { End::KeepAlive } else { End::Close },
            due_ns: 0,
            work_ns: 0,
            stream: Stream::None,
        }
    }

    /// Whether this answer's head needs no `connection` field.
    pub(crate) fn is_plain(&self) -> bool {
        self.end == End::KeepAlive && self.minor_version == 1 && !self.head_only
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Writes the head. To `HTTP/1.0` clients no chunks can be sent: there the end of the connection ends the body.
    pub(crate) fn head(&mut self, status: u16, length: Length, fields: &[(&str, &str)]) {
        self.status = status;
        let length = if length == Length::Chunked && self.minor_version == 0 { Length::Eof } else { length };
        if length == Length::Eof && self.end == End::KeepAlive {
            self.end = End::Close;
        }
        append_head(self.out, status, fields);
        match length {
            Length::Bytes(bytes) => append(self.out, format_args!("content-length: {bytes}\r\n")),
            Length::Chunked => self.raw(b"transfer-encoding: chunked\r\n"),
            Length::Eof | Length::Nothing => {}
        }
        match (self.end, self.minor_version) {
            (End::KeepAlive, 0) => self.raw(b"connection: keep-alive\r\n"),
            (End::Close | End::Linger, _) => self.raw(b"connection: close\r\n"),
            _ => {}
        }
        self.raw(b"\r\n");
    }

    /// A whole answer with a body at hand. HEAD gets the same head and no body.
    pub(crate) fn body(&mut self, status: u16, fields: &[(&str, &str)], body: &[u8]) {
        self.head(status, Length::Bytes(body.len() as u64), fields);
        if !self.head_only {
            self.raw(body);
        }
    }

    pub(crate) fn json(&mut self, status: u16, value: &serde_json::Value) {
        self.body(status, &[JSON], value.to_string().as_bytes());
    }

    /// 400 with the reason as text: the request was read well but asks for what cannot be.
    pub(crate) fn refuse(&mut self, reason: &str) {
        self.body(400, &[TEXT_PLAIN], format!("{reason}\n").as_bytes());
    }

    /// The body that follows the head, unless only the head was asked for.
    pub(crate) fn stream(&mut self, stream: Stream) {
        if !self.head_only {
            self.stream = stream;
        }
    }

    pub(crate) fn is_http_1_0(&self) -> bool {
        self.minor_version == 0
    }

    pub(crate) fn into_pending(self) -> Pending {
        Pending { end: self.end, due_ns: self.due_ns, work_ns: self.work_ns, stream: self.stream }
    }
}

fn append_head(out: &mut Vec<u8>, status: u16, fields: &[(&str, &str)]) {
    append(out, format_args!("HTTP/1.1 {status} {}\r\n", reason(status)));
    for (name, value) in fields {
        append(out, format_args!("{name}: {value}\r\n"));
    }
}

/// An interim answer (1xx): a head that another head follows.
pub(crate) fn append_interim(out: &mut Vec<u8>, status: u16, fields: &[(&str, &str)]) {
    append_head(out, status, fields);
    out.extend_from_slice(b"\r\n");
}

/// The answer to a request that could not be read; the connection closes after it.
pub(crate) fn append_refusal(out: &mut Vec<u8>, status: u16, why: &str) {
    append_head(out, status, &[TEXT_PLAIN, ("connection", "close")]);
    append(out, format_args!("content-length: {}\r\n\r\n{why}\n", why.len() + 1));
}

fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a Vec does not fail.
    let _ = out.write_fmt(text);
}

/// The reason phrase, from the registry of RFC 9110 §15 and RFC 6585; empty for a status without one.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        103 => "Early Hints",
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
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        418 => "I'm a teapot",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
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
        _ => "",
    }
}
