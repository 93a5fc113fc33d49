//! HTTP/1.1 as a client sees it: [`Session`] turns received bytes into events, [`request`] renders heads to send.
//!
//! The worker loop hands each received slice to [`Session::handle`] until it is used up:
//!
//! ```
//! use proto::http1::{Event, Limits, RequestKind, Session, Want};
//!
//! let mut session = Session::new(Limits::default());
//! session.expect(RequestKind::Other, Want::NOTHING); // a GET went out
//!
//! let mut received: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
//! while !received.is_empty() {
//!     let (consumed, event) = session.handle(received).expect("a sound answer");
//!     received = received.get(consumed..).unwrap_or_default();
//!     match event {
//!         Some(Event::Complete(answer)) => assert_eq!((answer.status, answer.body_bytes), (200, 5)),
//!         Some(Event::Informational { .. }) => {} // 100: send the body now
//!         None => {}                              // more bytes are needed
//!     }
//! }
//! ```
//!
//! How strict it is, where RFC 9112 leaves a choice:
//! - a bare LF ends a line of a head or trailer (§2.2 allows it), never a chunk's size line or data;
//! - blank lines before the status line are skipped (old servers send one after a body);
//! - folded header lines are accepted (§5.2 bids a client to), and the fold counts as white space;
//! - white space before a header's colon, control bytes, and versions other than 1.0 and 1.1 are errors;
//! - lengths are digits only; equal repeats are one length (§6.3), differing ones an error.

mod chunked;
mod error;
mod framing;
mod head;
mod remembered;
pub mod request;
mod response;
mod session;

pub use error::ProtocolError;
pub use framing::RequestKind;
pub use response::{Body, Headers, Response};
pub use session::{Complete, Ended, Event, Limits, Session, Want};

/// Headers in one response at most. Real answers have 5 to 40; browsers and proxies refuse between 100 and 256.
pub const HEADER_COUNT_MAX: usize = 128;

/// Bytes of one response head at most, unless [`Limits`] says otherwise. Node.js refuses above 16 KiB, curl above 300 KiB.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Bytes kept of a body that is wanted, unless [`Limits`] says otherwise; what is beyond is counted and dropped.
pub const BODY_KEPT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of one chunk's size line, extensions included (RFC 9112 §7.1.1 bids recipients to limit them). 16 are needed.
pub const CHUNK_LINE_BYTES_MAX: u32 = 4 * 1024;

/// Bytes of one trailer section (RFC 9112 §7.1.2). Trailers seen in practice are checksums and timings, well below 1 KiB.
pub const TRAILER_BYTES_MAX: u32 = 16 * 1024;

/// Interim (1xx) answers before one final answer. In practice there are one or two; endless ones would hold a request for ever.
pub const INFORMATIONAL_COUNT_MAX: u8 = 64;
