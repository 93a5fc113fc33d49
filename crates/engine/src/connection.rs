//! One connection: from a number to a socket that stands, and back.
//!
//! ```text
//! Closed → (Waiting →) Connecting → (Tunnelling →) (Handshaking →) Ready ⇄ Busy → Closed
//! ```

use crate::user::NONE;
use proto::http1::{Limits, Session};
use proto::tls::TlsSession;

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There is no socket.
    Closed,
    /// There is no socket, and it is too early to try again.
    Waiting,
    /// TCP is under way.
    Connecting,
    /// A proxy is to open a tunnel.
    Tunnelling,
    /// TLS is under way.
    Handshaking,
    /// It stands and does nothing.
    Ready,
    /// It carries a request, or one is about to leave.
    Busy,
}

/// A connection.
pub(crate) struct Connection {
    pub(crate) target: u16,
    pub(crate) state: State,
    /// Who uses it or waits for it.
    pub(crate) user: u32,
    /// Raised whenever it is opened or closed, so that old timers are told apart.
    pub(crate) generation: u32,
    pub(crate) session: Session,
    pub(crate) tls: Option<Box<TlsSession>>,
    /// Index of the address in use, and how many were tried for this opening.
    pub(crate) address: usize,
    pub(crate) tried_count: usize,
    /// When TCP or TLS began.
    pub(crate) since_ns: u64,
    /// How long they took, until the first exchange has told of it.
    pub(crate) connect_ns: u64,
    pub(crate) tls_ns: u64,
    /// Failures to connect in a row.
    pub(crate) failure_count: u32,
    /// Not to be tried before.
    pub(crate) retry_at_ns: u64,
    /// It was asked for by a preparation, which waits for it.
    pub(crate) is_awaited: bool,
}

impl Connection {
    pub(crate) fn new(target: u16) -> Self {
        Self {
            target,
            state: State::Closed,
            user: NONE,
            generation: 0,
            session: Session::new(Limits::default()),
            tls: None,
            address: 0,
            tried_count: 0,
            since_ns: 0,
            connect_ns: 0,
            tls_ns: 0,
            failure_count: 0,
            retry_at_ns: 0,
            is_awaited: false,
        }
    }

    /// Whether there is a socket.
    pub(crate) fn is_open(&self) -> bool {
        !matches!(self.state, State::Closed | State::Waiting)
    }
}
