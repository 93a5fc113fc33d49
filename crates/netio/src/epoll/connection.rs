//! One connection of the epoll driver: its socket, what epoll watches on it, and the bytes the system did not take yet.

use crate::unsent::Unsent;
use rustix::event::epoll::{self, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::SendFlags;

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) fd: Option<OwnedFd>,
    /// Told apart from earlier uses of the number; part of the epoll token.
    pub(super) generation: u32,
    pub(super) state: State,
    /// What epoll watches; empty: it does not know the socket.
    interest: EventFlags,
    pub(super) unsent: Unsent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Closed,
    Connecting,
    Open,
    /// The peer ended its side; ours still stands.
    Ended,
    /// A send failed; to be told once what the peer sent before is read.
    SendFailed,
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            fd: None,
            generation: 0,
            state: State::Closed,
            interest: EventFlags::empty(),
            unsent: Unsent::default(),
        }
    }
}

impl Connection {
    /// Closes the socket; a failure of this generation may still have to be told.
    pub(super) fn put_down(&mut self) {
        self.fd = None;
        self.state = State::Closed;
        self.interest = EventFlags::empty();
        self.unsent.clear();
    }

    /// Closes the socket and makes events and queued outcomes of it stale.
    pub(super) fn forget(&mut self) {
        self.put_down();
        self.generation = self.generation.wrapping_add(1);
    }

    /// Sets what epoll watches.
    pub(super) fn watch(&mut self, epoll: &OwnedFd, conn: u32, interest: EventFlags) -> Result<(), Errno> {
        let Some(fd) = &self.fd else { return Ok(()) };
        if interest == self.interest {
            return Ok(());
        }
        let data = epoll::EventData::new_u64(u64::from(self.generation) << 32 | u64::from(conn));
        if interest.is_empty() {
            epoll::delete(epoll, fd)?;
        } else if self.interest.is_empty() {
            epoll::add(epoll, fd, data, interest)?;
        } else {
            epoll::modify(epoll, fd, data, interest)?;
        }
        self.interest = interest;
        Ok(())
    }

    /// What became of a connect that epoll announced.
    pub(super) fn connect_outcome(&self) -> Result<(), Errno> {
        let fd = self.fd.as_ref().ok_or(Errno::BADF)?;
        rustix::net::sockopt::socket_error(fd)?
    }

    /// The connection stands: from now on epoll watches for bytes, and the bytes given in advance leave.
    pub(super) fn opened(&mut self, epoll: &OwnedFd, conn: u32) -> Result<(), Errno> {
        self.state = State::Open;
        let room = if self.unsent.is_empty() { EventFlags::empty() } else { EventFlags::OUT };
        self.watch(epoll, conn, EventFlags::IN | room)
    }

    /// Sends what is kept as far as the system takes it; watches for room to send as long as something is left.
    pub(super) fn flush(&mut self, epoll: &OwnedFd, conn: u32) -> Result<(), Errno> {
        let Some(fd) = &self.fd else { return Ok(()) };
        while !self.unsent.is_empty() {
            match rustix::net::send(fd, self.unsent.bytes(), SendFlags::NOSIGNAL) {
                Ok(sent_count) => self.unsent.sent(sent_count),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error),
            }
        }
        let read = if self.state == State::Ended { EventFlags::empty() } else { EventFlags::IN };
        let room = if self.unsent.is_empty() { EventFlags::empty() } else { EventFlags::OUT };
        self.watch(epoll, conn, read | room)
    }
}

/// The connection number and generation in a token.
#[inline]
pub(super) fn of_token(token: u64) -> (u32, u32) {
    (token as u32, (token >> 32) as u32)
}
