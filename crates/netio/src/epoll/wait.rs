//! How the epoll driver waits: by the cheapest call while the deadline is far, by ns near it, spinning at the end.

use super::{EVENT_COUNT_MAX, EpollDriver};
use crate::pace::{Pacer, Sleeper, wait_for_events};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;

/// While a Unix connect waits for room at the listener, it is tried again this often.
const UNIX_RETRY_NS: u64 = 1_000_000;
const MILLI_NS: u64 = 1_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// How this kernel can sleep for ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sleep {
    /// By `epoll_pwait2`: Linux 5.11 or newer.
    Pwait2,
    /// By `ppoll` on the epoll descriptor, and a look afterwards.
    Ppoll,
}

impl Sleep {
    /// Tries `epoll_pwait2` once: old kernels lack it, and some seccomp profiles refuse what they don't know.
    pub(super) fn probe(epoll: &OwnedFd) -> Self {
        let mut events = Vec::with_capacity(1);
        match pwait2(epoll, &mut events, 0) {
            Ok(_) => Self::Pwait2,
            Err(_) => Self::Ppoll,
        }
    }
}

impl EpollDriver {
    pub(super) fn wait_for_any(&mut self, deadline_ns: u64) -> u64 {
        // What the caller left of the last wait, level-triggered epoll tells again.
        self.event_index = 0;
        self.events.clear();
        loop {
            if !self.unix_retries.is_empty() {
                self.retry_unix_connects();
            }
            if self.outcomes.release() || deadline_ns <= self.last_now_ns {
                self.look();
                return self.read_clock();
            }
            let until_ns = if self.unix_retries.is_empty() {
                deadline_ns
            } else {
                deadline_ns.min(self.last_now_ns.saturating_add(UNIX_RETRY_NS))
            };
            let woke_ns = wait_for_events(self, until_ns);
            if !self.events.is_empty() || woke_ns >= deadline_ns {
                return woke_ns;
            }
        }
    }

    /// `epoll_pwait`, whose time-outs are whole ms (rustix rounds up, but only whole ms come here).
    fn take_events(&mut self, timeout: Timespec) {
        self.events.clear();
        check(epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)));
    }
}

impl Sleeper for EpollDriver {
    fn pacer(&mut self) -> &mut Pacer {
        &mut self.pacer
    }

    #[inline]
    fn read_clock(&mut self) -> u64 {
        self.last_now_ns = self.clock.now_ns();
        self.last_now_ns
    }

    fn last_now_ns(&self) -> u64 {
        self.last_now_ns
    }

    fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    fn look(&mut self) {
        self.take_events(Timespec { tv_sec: 0, tv_nsec: 0 });
    }

    fn sleep_coarsely(&mut self, sleep_ms: u32) {
        self.take_events(timespec(u64::from(sleep_ms) * MILLI_NS));
    }

    fn sleep_finely(&mut self, sleep_ns: u64) {
        match self.sleep {
            Sleep::Pwait2 => check(pwait2(&self.epoll, &mut self.events, sleep_ns)),
            Sleep::Ppoll => {
                let mut fds = [PollFd::new(&self.epoll, PollFlags::IN)];
                check(poll(&mut fds, Some(&timespec(sleep_ns))));
                self.look();
            }
        }
    }
}

/// Waiting fails on wrong arguments only, which would be a fault of this file; a signal is nothing that came.
fn check(waited: Result<usize, Errno>) {
    match waited {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => panic!("waiting for events: {error}"),
    }
}

fn timespec(ns: u64) -> Timespec {
    Timespec { tv_sec: (ns / SECOND_NS).cast_signed(), tv_nsec: (ns % SECOND_NS).cast_signed() }
}

/// `epoll_pwait2(2)`, which rustix offers only to programs that give up kernels before 5.11.
fn pwait2(epoll: &OwnedFd, events: &mut Vec<epoll::Event>, timeout_ns: u64) -> Result<usize, Errno> {
    let timeout = timespec(timeout_ns);
    events.clear();
    let capacity = events.capacity().min(EVENT_COUNT_MAX);
    // SAFETY: the kernel writes at most `capacity` events into the spare room of `events`, which holds that many; rustix
    // declares Event with the kernel's layout. The time-out outlives the call; no signal mask is given.
    let count = unsafe {
        libc::syscall(
            libc::SYS_epoll_pwait2,
            epoll.as_raw_fd(),
            events.as_mut_ptr(),
            capacity,
            &raw const timeout,
            std::ptr::null::<libc::sigset_t>(),
            0_usize,
        )
    };
    let Ok(count) = usize::try_from(count) else {
        let error = std::io::Error::last_os_error();
        return Err(Errno::from_io_error(&error).unwrap_or(Errno::INVAL));
    };
    // SAFETY: the kernel filled the first `count` events, and count is at most the capacity.
    unsafe { events.set_len(count.min(capacity)) };
    Ok(count)
}
