//! Tests of the sessions as their callers see them: bytes in, events out.

mod content;
mod framing;
mod hostile;
mod request;
mod splits;
mod tls;
mod transcript;
