//! Protocol sessions without I/O and without a clock: bytes go in, events and bytes come out.
//!
//! The one idea: a session is a plain value that its owner drives, so the same code runs over epoll, io_uring, a simulated network and a
//! fuzzer, and a test can hand it an answer split at any byte. Nothing here opens a socket, reads a clock, starts a thread or logs.
//!
//! - [`http1`]: the reading side of an HTTP/1.1 connection, and rendering of request heads
//! - [`tls`]: TLS between the socket's bytes and the session's
//! - [`content`]: decoding of `Content-Encoding`, for the few bodies that a check looks into
//!
//! What a peer sends is never trusted: it ends in an event or in an error, with memory bounded by named limits, and never in a panic.

pub mod content;
pub mod http1;
pub mod tls;

#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
