//! From the bytes of a request's head to what the server needs of it, strictly by RFC 9112: what is ambiguous is refused.

use std::mem::MaybeUninit;

use httparse::Header;

/// Longest head (request line and header fields) that is read. Larger ones are answered with 431; nginx allows 32 KiB.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Most header fields in a request; more are answered with 431.
const HEADER_COUNT_MAX: usize = 128;

/// The methods that are counted by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Post,
    Put,
    Delete,
    Patch,
    Options,
    Other,
}

impl Method {
    /// In the order of the variants.
    pub(crate) const NAMES: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other"];

    fn from_name(name: &str) -> Self {
        match name {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "DELETE" => Self::Delete,
            "PATCH" => Self::Patch,
            "OPTIONS" => Self::Options,
            _ => Self::Other,
        }
    }
}

/// How the end of a request's body is found. RFC 9112 §6.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `content-length`, or 0 without one.
    Length(u64),
    /// `transfer-encoding: chunked`.
    Chunked,
}

/// The head of one request; borrows from the bytes that it was read from.
#[derive(Debug)]
pub(crate) struct Head<'h, 'b> {
    pub(crate) method: Method,
    /// The method as it was sent.
    pub(crate) method_name: &'b str,
    /// The request target as it was sent.
    pub(crate) target: &'b str,
    /// The target's path, still percent-encoded.
    pub(crate) path: &'b str,
    /// What stands after the first `?`, or nothing.
    pub(crate) query: &'b str,
    /// 0 or 1, of HTTP/1.x.
    pub(crate) minor_version: u8,
    pub(crate) headers: &'h [Header<'b>],
    pub(crate) framing: Framing,
    /// Whether the client lets the connection live on after this request.
    pub(crate) keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub(crate) expects_continue: bool,
    /// Bytes of the head, through the empty line.
    pub(crate) size_bytes: usize,
}

/// What came of reading a head.
#[derive(Debug)]
pub(crate) enum HeadResult<R> {
    Complete(R),
    /// More bytes are needed.
    Partial,
    /// The bytes are no request that can be served: the status to answer with, and what is wrong.
    Refused(u16, &'static str),
}

/// Reads the head at the start of `bytes` and hands it to `then`. (A closure, because the header fields live on this call's stack.)
pub(crate) fn read_head<R>(bytes: &[u8], then: impl FnOnce(Head<'_, '_>) -> R) -> HeadResult<R> {
    let mut slots = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADER_COUNT_MAX];
    let mut parsed = httparse::Request::new(&mut []);
    let size_bytes = match parsed.parse_with_uninit_headers(bytes, &mut slots) {
        Ok(httparse::Status::Complete(size_bytes)) if size_bytes <= HEAD_BYTES_MAX => size_bytes,
        Ok(httparse::Status::Complete(_)) => {
            return HeadResult::Refused(431, "the head is longer than 64 KiB");
        }
        Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return HeadResult::Partial,
        Ok(httparse::Status::Partial) => return HeadResult::Refused(431, "the head is longer than 64 KiB"),
        Err(httparse::Error::TooManyHeaders) => {
            return HeadResult::Refused(431, "more than 128 header fields");
        }
        Err(httparse::Error::Version) if names_http(bytes) => {
            return HeadResult::Refused(505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
        }
        Err(_) => return HeadResult::Refused(400, "the head is not HTTP/1.1"),
    };
    let (Some(method_name), Some(target), Some(minor_version)) = (parsed.method, parsed.path, parsed.version)
    else {
        return HeadResult::Refused(400, "the request line is incomplete");
    };
    let fields = match Fields::read(parsed.headers, minor_version) {
        Ok(fields) => fields,
        Err((status, reason)) => return HeadResult::Refused(status, reason),
    };
    let origin = origin_form(target);
    let (path, query) = origin.split_once('?').unwrap_or((origin, ""));
    HeadResult::Complete(then(Head {
        method: Method::from_name(method_name),
        method_name,
        target,
        path,
        query,
        minor_version,
        headers: parsed.headers,
        framing: fields.framing,
        keep_alive: fields.keep_alive,
        expects_continue: fields.expects_continue,
        size_bytes,
    }))
}

/// Whether the request line speaks of HTTP at all, in whatever version.
fn names_http(bytes: &[u8]) -> bool {
    let line =
        bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    line.windows(6).any(|window| window == b" HTTP/")
}

/// The path and query of a target in absolute form (`http://host/path`), which every server must take (RFC 9112 §3.2.2).
fn origin_form(target: &str) -> &str {
    if target.starts_with('/') {
        return target;
    }
    match target.split_once("://") {
        Some((_, rest)) => rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => target,
    }
}

/// The header fields that steer the connection.
struct Fields {
    framing: Framing,
    keep_alive: bool,
    expects_continue: bool,
}

impl Fields {
    fn read(headers: &[Header<'_>], minor_version: u8) -> Result<Self, (u16, &'static str)> {
        let mut length: Option<u64> = None;
        let mut chunked = false;
        let mut host_count = 0;
        let mut fields =
            Self { framing: Framing::Length(0), keep_alive: minor_version >= 1, expects_continue: false };
        for header in headers {
            // Comparing lengths first keeps the many fields that do not matter here cheap.
            match header.name.len() {
                4 if is(header, "host") => host_count += 1,
                6 if is(header, "expect") => {
                    fields.expects_continue =
                        minor_version >= 1 && header.value.eq_ignore_ascii_case(b"100-continue");
                }
                10 if is(header, "connection") => {
                    fields.keep_alive = keeps_alive(header.value, fields.keep_alive)
                }
                14 if is(header, "content-length") => {
                    let value = decimal(header.value).ok_or((400, "content-length is not a number"))?;
                    if length.replace(value).is_some_and(|earlier| earlier != value) {
                        return Err((400, "two content-lengths that differ"));
                    }
                }
                17 if is(header, "transfer-encoding") => {
                    if chunked || !header.value.eq_ignore_ascii_case(b"chunked") {
                        return Err((501, "the only transfer-encoding known here is chunked"));
                    }
                    chunked = true;
                }
                _ => {}
            }
        }
        if chunked && (length.is_some() || minor_version == 0) {
            return Err((400, "transfer-encoding together with content-length or HTTP/1.0"));
        }
        if minor_version >= 1 && host_count != 1 {
            return Err((400, "HTTP/1.1 demands exactly one host field (RFC 9112, section 3.2)"));
        }
        fields.framing = if chunked { Framing::Chunked } else { Framing::Length(length.unwrap_or(0)) };
        Ok(fields)
    }
}

fn is(header: &Header<'_>, name: &str) -> bool {
    header.name.eq_ignore_ascii_case(name)
}

/// Reads the list in a `connection` field; options that are not known leave things as they were.
fn keeps_alive(value: &[u8], before: bool) -> bool {
    let mut keep_alive = before;
    for option in value.split(|byte| *byte == b',') {
        match option.trim_ascii() {
            option if option.eq_ignore_ascii_case(b"close") => return false,
            option if option.eq_ignore_ascii_case(b"keep-alive") => keep_alive = true,
            _ => {}
        }
    }
    keep_alive
}

/// Digits only: no sign, no list, no blank inside.
fn decimal(value: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(value).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(bytes: &[u8]) -> String {
        match read_head(bytes, |head| {
            format!(
                "{} {} ?{} {:?} keep={}",
                head.method_name, head.path, head.query, head.framing, head.keep_alive
            )
        }) {
            HeadResult::Complete(text) => text,
            HeadResult::Partial => "partial".to_owned(),
            HeadResult::Refused(status, _) => status.to_string(),
        }
    }

    #[test]
    fn heads_are_read_by_the_rules_of_rfc_9112() {
        let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(70_000));
        let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "A: b\r\n".repeat(200));
        for (text, want) in [
            ("GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a ?b=c Length(0) keep=true"),
            ("GET http://h:1/a?b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a ?b Length(0) keep=true"),
            ("GET http://h HTTP/1.1\r\nHost: a\r\n\r\n", "GET / ? Length(0) keep=true"),
            ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * ? Length(0) keep=true"),
            ("GET / HTTP/1.0\r\n\r\n", "GET / ? Length(0) keep=false"),
            ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / ? Length(0) keep=true"),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: te, Close\r\n\r\n", "GET / ? Length(0) keep=false"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n", "PUT / ? Length(7) keep=true"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n", "PUT / ? Chunked keep=true"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "400"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nContent-Length: 8\r\n\r\n", "400"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: +7\r\n\r\n", "400"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"),
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
            ("what is this?\r\n\r\n", "400"),
            ("\u{16}\u{3}\u{1}", "400"),
            ("GET / HTTP/1.1\r\nHost: a\r\n", "partial"),
            (long.as_str(), "431"),
            (many.as_str(), "431"),
        ] {
            assert_eq!(summary(text.as_bytes()), want, "{}", text.get(..60).unwrap_or(text));
        }
    }
}
