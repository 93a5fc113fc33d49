//! Waking a driver from another thread, by an eventfd that the driver watches like a socket.

use crate::Waker;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::sync::Arc;

/// Wakes the driver it came with, from any thread. Clones wake the same driver. It may outlive the driver.
#[derive(Debug, Clone)]
pub struct EventWaker {
    fd: Arc<OwnedFd>,
}

impl EventWaker {
    pub(crate) fn new() -> io::Result<Self> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { fd: Arc::new(fd) })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Takes the wake-ups that came so far; true if there were any.
    pub(crate) fn take(&self) -> bool {
        let mut count = [0; 8];
        rustix::io::read(&*self.fd, &mut count).is_ok()
    }
}

impl Waker for EventWaker {
    fn wake(&self) {
        // Fails only when 2^64 − 2 wake-ups were not taken yet, and then the driver is awake anyway.
        let _ = rustix::io::write(&*self.fd, &1_u64.to_ne_bytes());
    }
}
