//! A request as its endpoint sees it.

use serde::Serialize;

use crate::head::Head;

/// One request, read completely (for `/no-read`: its head).
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) head: &'a Head<'a, 'a>,
    /// The body's content where the endpoint keeps it, else nothing.
    pub(crate) body: &'a [u8],
    /// Bytes of the body's content, kept or not.
    pub(crate) body_bytes: u64,
    /// The trailer section as sent.
    pub(crate) trailers: &'a [u8],
}

/// What is known of a connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionFacts {
    /// Its number at this server, from 0.
    pub(crate) index: u64,
    /// Requests on it so far, with the present one.
    pub(crate) request_count: u64,
    pub(crate) tls: Option<TlsFacts>,
}

/// What was agreed in the TLS handshake.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TlsFacts {
    pub(crate) version: String,
    pub(crate) cipher_suite: String,
    pub(crate) server_name: Option<String>,
    pub(crate) resumed: bool,
    pub(crate) client_certificates: usize,
}
