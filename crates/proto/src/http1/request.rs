//! Rendering of a request's head: method, target, Host, headers, Content-Length, into a buffer that is reused.
//!
//! The one idea: nothing that could end a line early gets through (RFC 9110 §5.5), so a variable's value in a header can fail its
//! request but never smuggle a second one, which would be load that no count knows of.
//!
//! ```
//! use proto::http1::request::RequestHead;
//!
//! let mut out = Vec::new();
//! let mut head = RequestHead::begin(&mut out, "POST", "/load?x=1", "localhost:7070")?;
//! head.header("accept", b"*/*")?;
//! head.finish(Some(5));
//! out.extend_from_slice(b"hello");
//! assert_eq!(out, b"POST /load?x=1 HTTP/1.1\r\nhost: localhost:7070\r\naccept: */*\r\ncontent-length: 5\r\n\r\nhello");
//! # Ok::<(), proto::http1::request::RequestError>(())
//! ```

use std::fmt;

/// Header names that [`RequestHead`] writes itself: two of one of them would let two readers see two different requests.
const OWN_HEADERS: [&str; 3] = ["host", "content-length", "transfer-encoding"];

/// A part of a request that cannot be sent as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestError {
    /// The method is empty or not a token (RFC 9110 §9.1).
    Method {
        /// As given, with invalid bytes replaced.
        method: String,
    },
    /// The target is empty, or has a space, a control or a byte beyond ASCII (RFC 9112 §3.2). Percent-encode it.
    Target {
        /// Index of the byte, from 0; the length if the target is empty.
        at_index: usize,
    },
    /// The host has a space, a control or a byte beyond ASCII (RFC 9112 §3.2).
    Host {
        /// Index of the byte, from 0.
        at_index: usize,
    },
    /// The header's name is empty or not a token (RFC 9110 §5.1).
    HeaderName {
        /// As given.
        name: String,
    },
    /// The header's value holds CR, LF, NUL or another control (RFC 9110 §5.5).
    HeaderValue {
        /// Of the header.
        name: String,
        /// Index of the byte in the value, from 0.
        at_index: usize,
    },
    /// The header is written by [`RequestHead`] itself: give the host to `begin` and the body's length to `finish`.
    OwnHeader {
        /// As given.
        name: String,
    },
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Method { method } => write!(f, "`{}` is not a method", method.escape_debug()),
            RequestError::Target { at_index } => write!(
                f,
                "the request target has a space, control or non-ASCII character at index {at_index}, or is empty; percent-encode it"
            ),
            RequestError::Host { at_index } => {
                write!(f, "the host has a space, control or non-ASCII character at index {at_index}")
            }
            RequestError::HeaderName { name } => write!(f, "`{}` is not a header name", name.escape_debug()),
            RequestError::HeaderValue { name, at_index } => {
                write!(f, "the value of header `{name}` has a control character at index {at_index}")
            }
            RequestError::OwnHeader { name } => {
                write!(f, "header `{name}` is written by Weir itself, from the URL or from the body")
            }
        }
    }
}

impl std::error::Error for RequestError {}

/// Writer of one request head at the end of a buffer. Allocates only when the buffer must grow.
///
/// Until [`RequestHead::finish`] nothing is there: an error, or dropping the writer, leaves the buffer as it was.
#[derive(Debug)]
pub struct RequestHead<'a> {
    out: &'a mut Vec<u8>,
    /// Length to go back to.
    kept_bytes: usize,
}

impl<'a> RequestHead<'a> {
    /// Writes request line and Host. `target`: as in the request line, percent-encoded (`/path?query`, `*`, `host:port` for CONNECT).
    /// `host`: host and port of the URL; may be empty (RFC 9112 §3.2).
    pub fn begin(
        out: &'a mut Vec<u8>,
        method: &str,
        target: &str,
        host: &str,
    ) -> Result<RequestHead<'a>, RequestError> {
        if !is_all_token(method) {
            return Err(RequestError::Method { method: method.to_owned() });
        }
        if let Some(at_index) = invisible_index(target).or_else(|| target.is_empty().then_some(0)) {
            return Err(RequestError::Target { at_index });
        }
        if let Some(at_index) = invisible_index(host) {
            return Err(RequestError::Host { at_index });
        }
        let kept_bytes = out.len();
        for part in [method, " ", target, " HTTP/1.1\r\nhost: ", host, "\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
        Ok(RequestHead { out, kept_bytes })
    }

    /// Appends one header line. White space around the value is the receiver's to drop (RFC 9110 §5.5).
    pub fn header(&mut self, name: &str, value: &[u8]) -> Result<&mut Self, RequestError> {
        if !is_all_token(name) {
            return Err(RequestError::HeaderName { name: name.to_owned() });
        }
        if is_own_header(name) {
            return Err(RequestError::OwnHeader { name: name.to_owned() });
        }
        if let Some(at_index) = value.iter().position(|&byte| !is_value_byte(byte)) {
            return Err(RequestError::HeaderValue { name: name.to_owned(), at_index });
        }
        for part in [name.as_bytes(), b": ", value, b"\r\n"] {
            self.out.extend_from_slice(part);
        }
        Ok(self)
    }

    /// Ends the head. `body_bytes`: length of the body that follows; `Some(0)` for a POST, PUT or PATCH without one, `None` for methods
    /// that foresee none (RFC 9110 §8.6).
    pub fn finish(mut self, body_bytes: Option<u64>) {
        if let Some(body_bytes) = body_bytes {
            self.out.extend_from_slice(b"content-length: ");
            append_decimal(self.out, body_bytes);
            self.out.extend_from_slice(b"\r\n");
        }
        self.out.extend_from_slice(b"\r\n");
        self.kept_bytes = self.out.len();
    }
}

impl Drop for RequestHead<'_> {
    fn drop(&mut self) {
        self.out.truncate(self.kept_bytes);
    }
}

/// Whether the writer gives this header itself (in any case), so that [`RequestHead::header`] refuses it.
pub fn is_own_header(name: &str) -> bool {
    // By length first: most names are told apart by it.
    OWN_HEADERS.iter().any(|own| own.len() == name.len() && own.eq_ignore_ascii_case(name))
}

/// tchar of RFC 9110 §5.6.2: what methods and header names are made of.
pub(super) const fn is_token(byte: u8) -> bool {
    TOKEN[byte as usize]
}

const TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    let marks = b"!#$%&'*+-.^_`|~";
    let mut index = 0;
    while index < marks.len() {
        table[marks[index] as usize] = true;
        index += 1;
    }
    table
};

fn is_all_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token)
}

/// field-vchar, SP or HTAB of RFC 9110 §5.5, with obs-text.
pub(super) const fn is_value_byte(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Index of the first byte that is not a visible ASCII character.
fn invisible_index(text: &str) -> Option<usize> {
    text.bytes().position(|byte| !byte.is_ascii_graphic())
}

/// Appends a number's digits, without the formatting machinery.
fn append_decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20]; // u64::MAX has 20
    let mut rest = number;
    let mut from = digits.len();
    for (index, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        from = index;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(from..).unwrap_or_default());
}
