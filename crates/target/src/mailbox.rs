//! How a thread is woken from its epoll set and given new connections.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Mutex;

use rustix::event::{EventfdFlags, eventfd};

use crate::shared::locked;

/// New connections for one thread, and the event that wakes it.
#[derive(Debug)]
pub(crate) struct Mailbox {
    event: OwnedFd,
    sockets: Mutex<Vec<OwnedFd>>,
}

impl Mailbox {
    pub(crate) fn new() -> rustix::io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { event, sockets: Mutex::default() })
    }

    /// Wakes the thread. The only failure possible, a full counter, means that it is being woken already.
    pub(crate) fn wake(&self) {
        let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
    }

    /// Hands a connection over.
    pub(crate) fn post(&self, socket: OwnedFd) {
        locked(&self.sockets).push(socket);
        self.wake();
    }

    /// Forgets that the thread was woken and takes what was posted.
    pub(crate) fn collect(&self) -> Vec<OwnedFd> {
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.event, &mut count);
        std::mem::take(&mut *locked(&self.sockets))
    }
}

impl AsFd for Mailbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
