//! One TLS connection as a filter: ciphertext in, plaintext out, and the reverse.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use rustls::{ClientConnection, HandshakeKind, ProtocolVersion};

use super::{ServerName, TlsClient, TlsError, TlsVersion};

/// What received ciphertext led to, besides plaintext.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TlsProgress {
    /// The handshake was completed by these bytes: requests may go out now.
    pub handshake_completed: bool,
    /// The peer has said that nothing follows (close_notify, RFC 8446 §6.1). True from then on.
    pub peer_closed: bool,
}

/// How the peer's ending of the TCP connection is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsEnd {
    /// After close_notify: all that was sent has come. Only then is an end a body's end (RFC 9112 §9.8).
    Clean,
    /// Without close_notify: what came may be cut short. Many servers end idle connections so, which does no harm.
    Truncated,
    /// In the middle of the handshake.
    InHandshake,
}

/// One TLS connection, client side. Bytes in, bytes out; no I/O.
///
/// Order: [`TlsSession::poll_transmit`] at once, for the ClientHello, and after each [`TlsSession::handle`] and
/// [`TlsSession::send`]. Memory: one record each way, and what was given to `send` and not yet taken.
#[derive(Debug)]
pub struct TlsSession {
    connection: ClientConnection,
}

impl TlsSession {
    /// A session for a new connection; resumes an earlier one with this server if the client has one.
    pub fn new(client: &TlsClient, server_name: &ServerName) -> Result<TlsSession, TlsError> {
        let name = client.server_name.as_ref().unwrap_or(server_name).0.clone();
        let mut connection = ClientConnection::new(Arc::clone(&client.config), name)?;
        // The caller's request is in memory already, and what does not fit would have to be given again.
        connection.set_buffer_limit(None);
        Ok(TlsSession { connection })
    }

    /// Takes all of the received ciphertext and appends the plaintext to `plaintext`, never more bytes than were received.
    ///
    /// Bytes behind close_notify are dropped. After an error, send what [`TlsSession::poll_transmit`] gives (the alert) and close.
    pub fn handle(&mut self, ciphertext: &[u8], plaintext: &mut Vec<u8>) -> Result<TlsProgress, TlsError> {
        let was_handshaking = self.connection.is_handshaking();
        let mut rest = ciphertext;
        let mut peer_closed = false;
        while !rest.is_empty() {
            // Given no bytes, or behind close_notify, this returns 0, which means an end: not asked with none.
            if self.connection.read_tls(&mut rest).map_err(overlong)? == 0 {
                peer_closed = true;
                break;
            }
            let state = self.connection.process_new_packets();
            // What came soundly before a fault counts.
            self.take_plaintext(plaintext);
            peer_closed = state?.peer_has_closed();
        }
        Ok(TlsProgress {
            handshake_completed: was_handshaking && !self.connection.is_handshaking(),
            peer_closed,
        })
    }

    fn take_plaintext(&mut self, plaintext: &mut Vec<u8>) {
        let mut reader = self.connection.reader();
        // An error is «nothing yet», an empty chunk the clean end: both told by `process_new_packets`.
        while let Ok(chunk) = reader.fill_buf()
            && !chunk.is_empty()
        {
            let length = chunk.len();
            plaintext.extend_from_slice(chunk);
            reader.consume(length);
        }
    }

    /// Encrypts all of `plaintext` for [`TlsSession::poll_transmit`]. During the handshake it is kept until that is done; better wait,
    /// so that the time of sending is the request's and not the handshake's.
    pub fn send(&mut self, plaintext: &[u8]) -> Result<(), TlsError> {
        self.connection.writer().write_all(plaintext).map_err(overlong)
    }

    /// Appends the ciphertext that is due to `transmit`; whether there was any.
    pub fn poll_transmit(&mut self, transmit: &mut Vec<u8>) -> bool {
        let before = transmit.len();
        while self.connection.wants_write() {
            // Writing to a Vec cannot fail; were it to write nothing, asking again would not help.
            match self.connection.write_tls(transmit) {
                Ok(count) if count > 0 => {}
                Ok(_) | Err(_) => break,
            }
        }
        transmit.len() > before
    }

    /// Whether the handshake is still under way.
    pub fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// Whether an earlier session was resumed (an abbreviated handshake). False until the handshake is done.
    pub fn resumed(&self) -> bool {
        !self.is_handshaking() && self.connection.handshake_kind() == Some(HandshakeKind::Resumed)
    }

    /// The version agreed on; none before the server's first answer.
    pub fn version(&self) -> Option<TlsVersion> {
        match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_2 => Some(TlsVersion::V1_2),
            ProtocolVersion::TLSv1_3 => Some(TlsVersion::V1_3),
            _ => None,
        }
    }

    /// The number of the cipher suite agreed on, in IANA's registry; none before the server's first answer.
    pub fn cipher_suite(&self) -> Option<u16> {
        self.connection.negotiated_cipher_suite().map(|suite| u16::from(suite.suite()))
    }

    /// The application protocol that the server chose, if it chose one.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.connection.alpn_protocol()
    }

    /// Tells the peer that nothing follows; [`TlsSession::poll_transmit`] gives the bytes. Before closing in order.
    pub fn close_notify(&mut self) {
        self.connection.send_close_notify();
    }

    /// The peer ended the TCP connection: whether that was in order.
    pub fn end(&mut self) -> TlsEnd {
        if self.connection.is_handshaking() {
            return TlsEnd::InHandshake;
        }
        // The reader's word for «nothing more, by close_notify» is an empty read; for an end without it, or none so far, an error.
        match self.connection.reader().fill_buf() {
            Ok([]) => TlsEnd::Clean,
            Ok(_) | Err(_) => TlsEnd::Truncated,
        }
    }
}

/// The buffers of `rustls` are full only when a message is longer than the protocol allows.
fn overlong(error: io::Error) -> TlsError {
    TlsError::Protocol { cause: error.to_string() }
}
