//! TLS 1.2 and 1.3 between the socket's bytes and a protocol session's, by `rustls`.
//!
//! The one idea: a [`TlsSession`] is a filter. Ciphertext from the socket goes in, plaintext comes out at the other side, and the same in
//! reverse; it never sees the socket. What is shared by many connections, roots, identity and the store of resumable sessions, is a
//! [`TlsClient`], made once from [`TlsSettings`] and cheap to clone.
//!
//! ```
//! use proto::tls::{ServerName, TlsClient, TlsSession, TlsSettings};
//!
//! let client = TlsClient::new(&TlsSettings::default())?;
//! let mut session = TlsSession::new(&client, &ServerName::new("example.org")?)?;
//! let mut to_socket = Vec::new();
//! assert!(session.poll_transmit(&mut to_socket)); // the ClientHello
//! assert!(session.is_handshaking());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No clock is read here. `rustls` itself asks the system's wall clock, only in handshakes: for the validity of certificates and the age of
//! session tickets.

mod client;
mod error;
mod insecure;
mod pem;
mod session;

pub use client::{
    Certificates, ClientIdentity, Roots, ServerName, TlsClient, TlsSettings, TlsVersion, cipher_suites,
};
pub use error::{TlsError, TlsSettingsError};
pub use pem::PemPart;
pub use session::{TlsEnd, TlsProgress, TlsSession};
