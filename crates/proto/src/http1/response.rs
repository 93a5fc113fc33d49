//! What is left to look at after a response is complete: its status, and the headers and body that were wanted.

use std::borrow::Cow;

/// The last complete response. Lent until the next bytes are handled.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    /// In [101, 999] without the interim 1xx.
    pub status: u16,
    /// 0 or 1: HTTP/1.0 or HTTP/1.1.
    pub minor_version: u8,
    /// The headers, if they were wanted.
    pub headers: Option<Headers<'a>>,
    /// The body, if it was wanted.
    pub body: Body<'a>,
}

/// A response's body as the caller wanted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// It was not wanted, and was counted only.
    Dropped,
    /// All of it, still content-encoded (see [`crate::content`]).
    Whole(&'a [u8]),
    /// Its first bytes: it was longer than the limit. The answer counts and its timing is true, but a check that needs the body
    /// cannot be decided and must not pass. Raise the limit, or drop the check.
    Truncated(&'a [u8]),
}

impl<'a> Body<'a> {
    /// All of the body; none when it was dropped or truncated.
    pub fn whole(self) -> Option<&'a [u8]> {
        match self {
            Body::Whole(bytes) => Some(bytes),
            Body::Dropped | Body::Truncated(_) => None,
        }
    }
}

/// The header lines of a response, read off its head each time: no table is kept.
#[derive(Debug, Clone, Copy)]
pub struct Headers<'a> {
    /// A whole head that the parser accepted, from its status line (or blank lines before it) to its empty line.
    head: &'a [u8],
}

impl<'a> Headers<'a> {
    /// The lines of a head that was kept: bytes that [`Headers::as_bytes`] gave.
    pub fn of_head(head: &'a [u8]) -> Headers<'a> {
        Headers { head }
    }

    /// The whole head as received, from its status line (or blank lines before it) to its empty line.
    pub fn as_bytes(self) -> &'a [u8] {
        self.head
    }

    /// Name and value of each line in order, as sent but for white space around the value. A folded value still holds its CRLF.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        // Blank lines may stand before the status line; the first line with text is it.
        let text = self.head.trim_ascii_start();
        let mut rest = next_line(text).map_or(&[][..], |(_, after)| after);
        std::iter::from_fn(move || {
            let (line, after) = next_line(rest)?;
            rest = after;
            let colon = memchr::memchr(b':', line)?;
            let name = std::str::from_utf8(line.get(..colon)?).ok()?;
            Some((name, line.get(colon + 1..)?.trim_ascii()))
        })
    }

    /// The values of all headers of this name, in any case, in order.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The value of the first header of this name, in any case.
    pub fn get(self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// The values of all headers of this name as one list (RFC 9110 §5.3), such as [`crate::content::decode`] takes. Copied only if there
    /// are several. Not for `Set-Cookie`, whose values may hold commas.
    pub fn joined(self, name: &str) -> Option<Cow<'a, [u8]>> {
        self.all(name).map(Cow::Borrowed).reduce(|list, value| [&list[..], b", ", &value[..]].concat().into())
    }
}

/// The line at the front with its folds (lines that begin with white space), and what follows.
fn next_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = 0;
    loop {
        end += memchr::memchr(b'\n', bytes.get(end..)?)? + 1;
        if !matches!(bytes.get(end), Some(b' ' | b'\t')) {
            return bytes.split_at_checked(end);
        }
    }
}
