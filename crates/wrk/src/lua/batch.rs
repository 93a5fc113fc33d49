//! How many requests a text holds, and of which kind each is: what decides how many answers come and how they end.
//!
//! Two readers. [`verify`] is strict and says where a fault is, for the one call at the start that a person waits for. [`kinds`] is
//! quick and forgiving, for every call after it: a script may send what it likes, and what is no sound request counts as one request.

use scenario::RequestKind;

/// Requests in one text at most. A batch is one write; depths beyond some hundreds only measure buffers.
const DEPTH_MAX: usize = 65_536;

/// Why a text is not one or more whole requests, and where (from 1, in bytes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) reason: &'static str,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// What of a head decides where its request ends and how the answer is framed.
struct Head {
    kind: RequestKind,
    /// Length of the head, its empty line included.
    head_bytes: usize,
    content_bytes: usize,
    is_chunked: bool,
}

/// The kinds of all requests in `text`, appended to `kinds`: at least one.
pub(crate) fn kinds(text: &[u8], kinds: &mut Vec<RequestKind>) {
    let mut rest = text;
    let before = kinds.len();
    while let Some((kind, after)) = next(rest) {
        kinds.push(kind);
        rest = after;
        if rest.is_empty() || kinds.len() >= DEPTH_MAX {
            break;
        }
    }
    if kinds.len() == before {
        kinds.push(kind_of_method(text));
    }
}

/// The first request's kind, and what follows it; `None` when it is not whole.
#[inline]
fn next(text: &[u8]) -> Option<(RequestKind, &[u8])> {
    let head = read_head(text)?;
    let after = text.get(head.head_bytes..)?;
    let body_bytes = if head.is_chunked { chunked_bytes(after)? } else { head.content_bytes };
    Some((head.kind, after.get(body_bytes..)?))
}

fn kind_of_method(text: &[u8]) -> RequestKind {
    if text.starts_with(b"HEAD ") {
        RequestKind::Head
    } else if text.starts_with(b"CONNECT ") {
        RequestKind::Connect
    } else {
        RequestKind::Other
    }
}

/// Reads line by line; only the lines that decide something are looked into.
#[inline]
fn read_head(text: &[u8]) -> Option<Head> {
    let mut head = Head { kind: kind_of_method(text), head_bytes: 0, content_bytes: 0, is_chunked: false };
    let mut at = memchr::memchr(b'\n', text)? + 1;
    loop {
        let line_end = at + memchr::memchr(b'\n', text.get(at..)?)?;
        let line = text.get(at..line_end)?;
        at = line_end + 1;
        match line.first() {
            None | Some(b'\r') => {
                head.head_bytes = at;
                return Some(head);
            }
            Some(b'C' | b'c' | b'T' | b't' | b'U' | b'u') => note_field(line, &mut head),
            Some(_) => {}
        }
    }
}

fn note_field(line: &[u8], head: &mut Head) {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
    let (name, value) = line.split_at(colon);
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    if name.eq_ignore_ascii_case(b"content-length") {
        head.content_bytes =
            std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
        head.is_chunked = value.to_ascii_lowercase().ends_with(b"chunked");
    } else if name.eq_ignore_ascii_case(b"upgrade") && head.kind == RequestKind::Other {
        head.kind = RequestKind::Upgrade;
    }
}

/// Length of a chunked body with its trailer section (RFC 9112 §7.1); `None` when it is not whole.
fn chunked_bytes(text: &[u8]) -> Option<usize> {
    let mut at = 0usize;
    loop {
        let line_end = at.checked_add(memchr::memchr(b'\n', text.get(at..)?)?)?;
        let line = text.get(at..line_end)?;
        let digits = line.split(|byte| matches!(byte, b';' | b'\r' | b' ')).next()?;
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        at = line_end + 1;
        if size == 0 {
            break;
        }
        // Data, then CRLF.
        at = at.checked_add(size)?.checked_add(2)?;
    }
    loop {
        let line_end = at.checked_add(memchr::memchr(b'\n', text.get(at..)?)?)?;
        let is_last = matches!(text.get(at..line_end)?, b"" | b"\r");
        at = line_end + 1;
        if is_last {
            return Some(at);
        }
    }
}

/// Reads a text that must be one or more whole requests of HTTP/1.x and nothing else: their kinds.
///
/// # Errors
/// What is wrong first, and where.
pub(crate) fn verify(text: &[u8]) -> Result<Vec<RequestKind>, Fault> {
    let mut found = Vec::new();
    let mut at = 0usize;
    while at < text.len() || found.is_empty() {
        let rest = text.get(at..).unwrap_or_default();
        if let Some((reason, offset)) = head_fault(rest) {
            return Err(fault(text, reason, at + offset));
        }
        let Some((kind, after)) = next(rest) else {
            return Err(fault(text, "incomplete request", text.len()));
        };
        found.push(kind);
        at = text.len() - after.len();
        if found.len() > DEPTH_MAX {
            return Err(fault(text, "too many requests", at));
        }
    }
    Ok(found)
}

fn fault(text: &[u8], reason: &'static str, at: usize) -> Fault {
    let before = text.get(..at).unwrap_or(text);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    Fault { reason, line, column }
}

/// What is wrong with the head at the front, as far as it goes, and at which byte.
fn head_fault(text: &[u8]) -> Option<(&'static str, usize)> {
    let line_end = memchr::memchr(b'\n', text);
    let line = text.get(..line_end.unwrap_or(text.len()))?;
    if let Some(fault) = request_line_fault(line, line_end.is_some()) {
        return Some(fault);
    }
    let mut at = line_end? + 1;
    loop {
        let line = text.get(at..)?;
        let end = memchr::memchr(b'\n', line)?;
        let line = line.get(..end)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let colon = line.iter().position(|byte| !is_token(*byte));
        match colon {
            Some(colon) if colon > 0 && line.get(colon) == Some(&b':') => {
                let value = line.get(colon + 1..)?;
                if let Some(bad) = value.iter().position(|byte| *byte != b'\t' && byte.is_ascii_control()) {
                    return Some(("invalid character in header", at + colon + 1 + bad));
                }
            }
            found => return Some(("invalid character in header", at + found.unwrap_or(line.len()))),
        }
        at += end + 1;
    }
}

fn request_line_fault(line: &[u8], is_whole: bool) -> Option<(&'static str, usize)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let method_end = line.iter().position(|byte| !is_token(*byte));
    let Some(method_end) = method_end else {
        // A text that ends within the method may still become one.
        return (is_whole || line.is_empty()).then_some(("invalid HTTP method", line.len()));
    };
    if method_end == 0 || line.get(method_end) != Some(&b' ') {
        return Some(("invalid HTTP method", method_end));
    }
    let target_at = method_end + 1;
    let target = line.get(target_at..)?;
    let target_end = target.iter().position(|byte| *byte == b' ' || byte.is_ascii_control());
    let Some(target_end) = target_end else {
        return is_whole.then_some(("invalid HTTP version", line.len()));
    };
    if target_end == 0 || target.get(target_end) != Some(&b' ') {
        return Some(("invalid URL", target_at + target_end));
    }
    let version = target.get(target_end + 1..)?;
    let is_version = matches!(version, b"HTTP/1.1" | b"HTTP/1.0");
    (is_whole && !is_version).then_some(("invalid HTTP version", target_at + target_end + 1))
}

/// tchar of RFC 9110 §5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use RequestKind::{Connect, Head, Other, Upgrade};
    use proptest::prelude::*;

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    /// Both readers agree on sound text.
    fn check(text: &str, expected: &[RequestKind]) {
        assert_eq!(verify(text.as_bytes()).as_deref(), Ok(expected), "{text:?}");
        let mut quick = Vec::new();
        kinds(text.as_bytes(), &mut quick);
        assert_eq!(quick, expected, "{text:?}");
    }

    #[test]
    fn a_batch_is_counted_with_the_kind_of_each_request() {
        check(GET, &[Other]);
        check(&GET.repeat(3), &[Other, Other, Other]);
        check(&format!("HEAD / HTTP/1.1\r\n\r\n{GET}"), &[Head, Other]);
        check(
            &format!("POST / HTTP/1.1\r\ncontent-length: 4\r\n\r\nHEADHEAD / HTTP/1.1\r\n\r\n{GET}"),
            &[Other, Head, Other],
        );
        check("CONNECT a:1 HTTP/1.1\r\n\r\n", &[Connect]);
        check("GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n", &[Upgrade]);
        check("GET / HTTP/1.0\n\n", &[Other]);
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n";
        check(&format!("{chunked}5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n{GET}"), &[Other, Other]);
    }

    #[test]
    fn a_text_that_is_no_whole_request_says_where() {
        let check = |text: &str, reason: &str, line: usize, column: usize| {
            let fault = verify(text.as_bytes()).unwrap_err();
            assert_eq!((fault.reason, fault.line, fault.column), (reason, line, column), "{text:?}");
            let mut quick = Vec::new();
            kinds(text.as_bytes(), &mut quick);
            assert!(!quick.is_empty(), "what is sent counts as a request: {text:?}");
        };
        check("", "invalid HTTP method", 1, 1);
        check("hello world", "incomplete request", 1, 12);
        check("hello\r\n\r\n", "invalid HTTP method", 1, 6);
        check("GET  / HTTP/1.1\r\n\r\n", "invalid URL", 1, 5);
        check("GET / HTTP/2\r\n\r\n", "invalid HTTP version", 1, 7);
        check("GET / HTTP/1.1\r\nHost: a\r\n", "incomplete request", 3, 1);
        check("GET / HTTP/1.1\r\nHo st: a\r\n\r\n", "invalid character in header", 2, 3);
        check("GET / HTTP/1.1\r\nA: b\u{1}\r\n\r\n", "invalid character in header", 2, 5);
        check("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc", "incomplete request", 4, 4);
        check(&format!("{GET}x"), "incomplete request", 4, 2);
        let endless = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx";
        check(endless, "incomplete request", 5, 2);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn no_text_is_too_odd(text in prop::collection::vec(prop::sample::select(b"GETHAD /:1.Post\r\n\r\nContent-Length: 3\0\xff".to_vec()), 0..200)) {
            let mut quick = Vec::new();
            kinds(&text, &mut quick);
            prop_assert!(!quick.is_empty());
            if let Ok(strict) = verify(&text) {
                prop_assert_eq!(strict, quick);
            }
        }

        #[test]
        fn a_batch_is_the_sum_of_its_requests(bodies in prop::collection::vec(("GET|POST|HEAD", "[a-zA-Z0-9\r\n :]{0,40}"), 1..6)) {
            let request = |(method, body): &(String, String)| {
                format!("{method} /x HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            };
            let expected: Vec<RequestKind> =
                bodies.iter().map(|(method, _)| if method == "HEAD" { Head } else { Other }).collect();
            check(&bodies.iter().map(request).collect::<String>(), &expected);
        }
    }
}
