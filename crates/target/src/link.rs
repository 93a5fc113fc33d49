//! A connection's socket, with or without TLS on it: bytes come and go, and what the kernel does not take waits here.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, Shutdown, recv, send, shutdown, sockopt};
use rustls::ServerConfig;

use crate::counts::Counts;
use crate::request::TlsFacts;
use crate::tls::Cipher;

/// Bytes read at once: a whole TLS record with room to spare, or many pipelined requests.
pub(crate) const READ_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Link {
    socket: OwnedFd,
    cipher: Option<Box<Cipher>>,
    /// For the kernel, ciphertext if there is TLS; the first `sent_bytes` of it are gone.
    unsent: Vec<u8>,
    sent_bytes: usize,
}

/// Buffers of a thread, shared by all its links.
#[derive(Debug)]
pub(crate) struct Buffers {
    wire: Box<[u8]>,
    plain: Vec<u8>,
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self { wire: vec![0; READ_BYTES].into_boxed_slice(), plain: Vec::new() }
    }
}

/// What one read brought.
#[derive(Debug, Default)]
pub(crate) struct Received<'b> {
    pub(crate) bytes: &'b [u8],
    /// The client sends no more.
    pub(crate) closed: bool,
    /// The connection is broken.
    pub(crate) failed: bool,
    pub(crate) established: Option<TlsFacts>,
}

/// What came of sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sent {
    All,
    /// The kernel's buffer is full.
    Blocked,
    Failed,
}

impl Link {
    /// Takes an accepted, non-blocking socket. TCP_NODELAY came with it from the listener.
    pub(crate) fn new(socket: OwnedFd, tls: Option<&Arc<ServerConfig>>) -> Result<Self, rustls::Error> {
        let cipher = tls.map(Cipher::new).transpose()?.map(Box::new);
        Ok(Self { socket, cipher, unsent: Vec::new(), sent_bytes: 0 })
    }

    pub(crate) fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Bytes that the kernel did not take.
    pub(crate) fn unsent_bytes(&self) -> usize {
        self.unsent.len() - self.sent_bytes
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.cipher.is_some()
    }

    /// Whether a TLS handshake is still under way.
    pub(crate) fn is_handshaking(&self) -> bool {
        self.cipher.as_ref().is_some_and(|cipher| !cipher.is_established())
    }

    /// One read. A short one means that there is no more for now: level-triggered events make a second call needless.
    pub(crate) fn receive<'b>(&mut self, buffers: &'b mut Buffers, counts: &Counts) -> Received<'b> {
        let count = loop {
            match recv(&self.socket, &mut *buffers.wire, RecvFlags::empty()) {
                Ok((count, _)) => break count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Received::default(),
                Err(_) => return Received { failed: true, ..Received::default() },
            }
        };
        let bytes = buffers.wire.get(..count).unwrap_or_default();
        let Some(cipher) = &mut self.cipher else {
            return Received { bytes, closed: count == 0, ..Received::default() };
        };
        buffers.plain.clear();
        let fed = cipher.feed(bytes, &mut buffers.plain);
        cipher.take_output(&mut self.unsent);
        match fed {
            Ok(fed) => {
                let failed = self.flush() == Sent::Failed;
                Received {
                    bytes: &buffers.plain,
                    closed: count == 0 || fed.closed,
                    failed,
                    established: fed.established,
                }
            }
            Err(_) => {
                counts.tls_failed.add(1);
                self.flush();
                Received { failed: true, ..Received::default() }
            }
        }
    }

    /// Sends `out` and empties it; what the kernel does not take is kept. Not to be called while something is unsent.
    pub(crate) fn send(&mut self, out: &mut Vec<u8>) -> Sent {
        if let Some(cipher) = &mut self.cipher {
            cipher.encrypt(out);
            out.clear();
            cipher.take_output(&mut self.unsent);
            return self.flush();
        }
        let sent = match send_once(&self.socket, out) {
            Ok(sent_bytes) if sent_bytes == out.len() => Sent::All,
            Ok(sent_bytes) => {
                self.unsent.extend_from_slice(out.get(sent_bytes..).unwrap_or_default());
                Sent::Blocked
            }
            Err(()) => Sent::Failed,
        };
        out.clear();
        sent
    }

    /// Sends what is left from before.
    pub(crate) fn flush(&mut self) -> Sent {
        while let Some(rest) = self.unsent.get(self.sent_bytes..).filter(|rest| !rest.is_empty()) {
            match send_once(&self.socket, rest) {
                Ok(0) => return Sent::Blocked,
                Ok(sent_bytes) => self.sent_bytes += sent_bytes,
                Err(()) => return Sent::Failed,
            }
        }
        self.sent_bytes = 0;
        // The memory goes too: ten thousand connections that each blocked once must not keep it.
        self.unsent = Vec::new();
        Sent::All
    }

    /// Says that nothing more will come, and leaves the reading side open.
    pub(crate) fn finish(&mut self) {
        if let Some(cipher) = &mut self.cipher {
            cipher.say_goodbye();
            cipher.take_output(&mut self.unsent);
            self.flush();
        }
        // It fails when the client is gone already: then there is nobody to tell.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// Makes the coming close a reset: what the kernel has not sent yet is thrown away and the client gets RST.
    pub(crate) fn prepare_reset(&self) {
        let _ = sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// How much the kernel took; 0 when its buffer is full.
fn send_once(socket: &OwnedFd, bytes: &[u8]) -> Result<usize, ()> {
    loop {
        match send(socket, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(0),
            Err(_) => return Err(()),
        }
    }
}
