//! A driver under test, what it has told so far, and a limit on the time it may take.

use netio::epoll::EpollDriver;
use netio::uring::{self, UringDriver};
use netio::{Completion, Driver, During, EventWaker};
use std::io::ErrorKind;
use std::time::{Duration, Instant};

/// Longest a case may take: far above what any needs, so that a loaded machine fails nothing.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest single wait, so that the limit above is looked at.
const LOOK_NS: u64 = 20_000_000;

/// A completion that owns what it tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Connected(u32),
    Received(u32, Vec<u8>),
    Drained(u32),
    Ended(u32),
    Failed(u32, During, ErrorKind),
    Woken,
}

/// A driver and all it has told.
pub(crate) struct Rig<D> {
    pub(crate) driver: D,
    pub(crate) waker: EventWaker,
    pub(crate) seen: Vec<Seen>,
    began: Instant,
}

pub(crate) fn epoll() -> Rig<EpollDriver> {
    let (driver, waker) = EpollDriver::new(Instant::now()).unwrap();
    Rig::new(driver, waker)
}

/// None where this machine refuses io_uring, and then it says why.
pub(crate) fn uring() -> Option<Rig<UringDriver>> {
    if let Err(reason) = uring::probe() {
        eprintln!("not tested: {reason}");
        return None;
    }
    let (driver, waker) = UringDriver::new(Instant::now()).unwrap();
    Some(Rig::new(driver, waker))
}

impl<D: Driver> Rig<D> {
    pub(crate) fn new(driver: D, waker: EventWaker) -> Self {
        Self { driver, waker, seen: Vec::new(), began: Instant::now() }
    }

    /// Takes all completions of the last wait.
    pub(crate) fn drain(&mut self) {
        while let Some(completion) = self.driver.next() {
            self.seen.push(match completion {
                Completion::Connected { conn } => Seen::Connected(conn),
                Completion::Received { conn, bytes } => {
                    assert!(!bytes.is_empty());
                    Seen::Received(conn, bytes.to_vec())
                }
                Completion::Drained { conn } => Seen::Drained(conn),
                Completion::Ended { conn } => Seen::Ended(conn),
                Completion::Failed { conn, during, error } => Seen::Failed(conn, during, error.kind()),
                Completion::Woken => Seen::Woken,
            });
        }
    }

    /// One round: hands over what is to be sent, waits shortly, takes what came.
    pub(crate) fn turn(&mut self) {
        assert!(self.began.elapsed() < PATIENCE, "nothing more came; so far: {:?}", self.brief());
        self.driver.submit();
        let deadline_ns = self.driver.now_ns() + LOOK_NS;
        self.driver.wait(deadline_ns);
        self.drain();
    }

    /// Takes what comes until `enough`.
    pub(crate) fn until(&mut self, enough: impl Fn(&Self) -> bool) {
        while !enough(self) {
            self.turn();
        }
    }

    /// Takes what comes until this was seen.
    pub(crate) fn until_seen(&mut self, wanted: &Seen) {
        self.until(|rig| rig.seen.contains(wanted));
    }

    /// Looks some times for completions that must not come.
    pub(crate) fn expect_quiet(&mut self) {
        let before = self.seen.len();
        for _ in 0..3 {
            self.driver.submit();
            let deadline_ns = self.driver.now_ns() + 2_000_000;
            self.driver.wait(deadline_ns);
            self.drain();
        }
        assert_eq!(self.seen.get(before..), Some([].as_slice()));
    }

    /// All bytes that arrived on a connection.
    pub(crate) fn received(&self, conn: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for seen in &self.seen {
            if let Seen::Received(of, part) = seen
                && *of == conn
            {
                bytes.extend_from_slice(part);
            }
        }
        bytes
    }

    /// How many bytes arrived on a connection.
    pub(crate) fn received_count(&self, conn: u32) -> usize {
        let part = |seen: &Seen| match seen {
            Seen::Received(of, bytes) if *of == conn => bytes.len(),
            _ => 0,
        };
        self.seen.iter().map(part).sum()
    }

    /// The failure of a connection, if it was told.
    pub(crate) fn failure(&self, conn: u32) -> Option<(During, ErrorKind)> {
        self.seen.iter().find_map(|seen| match seen {
            Seen::Failed(of, during, kind) if *of == conn => Some((*during, *kind)),
            _ => None,
        })
    }

    fn brief(&self) -> Vec<String> {
        let one = |seen: &Seen| match seen {
            Seen::Received(conn, bytes) => format!("Received({conn}, {} bytes)", bytes.len()),
            other => format!("{other:?}"),
        };
        self.seen.iter().map(one).collect()
    }
}
