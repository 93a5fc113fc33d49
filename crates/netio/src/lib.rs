//! Sockets and timers behind one small trait, so that the worker loop is the same over epoll, io_uring and simulated time.
//!
//! The caller numbers its connections itself, densely from 0, and hears what became of each operation as a
//! [`Completion`]. Nothing here knows of HTTP, users or plans. Times are ns since the driver's origin.
//!
//! Start with [`Driver`]; then [`epoll`], which works on every Linux, [`uring`], which [`uring::probe`] may refuse, and [`sim`],
//! where nothing takes time but waiting. How exact waits are made of sleeping and spinning stands in `pace.rs`.

mod clock;
pub mod epoll;
mod fd_limit;
mod outcomes;
mod pace;
pub mod sim;
mod socket;
mod unsent;
pub mod uring;
mod wake;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

pub use fd_limit::{FdLimit, raise_fd_limit};
pub use pace::prepare_thread;
pub use wake::EventWaker;

/// Where to connect to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// A TCP address of either family.
    Inet(SocketAddr),
    /// A TCP address, connected to from one of this machine's own, of the same family.
    Bound {
        /// Where to.
        to: SocketAddr,
        /// From where; the system chooses the port.
        from: IpAddr,
    },
    /// A Unix stream socket.
    Unix(PathBuf),
}

/// How a driver carries out sends, which decides how often the caller must read the clock to stamp `sent_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sends {
    /// Each [`Driver::send`] is a system call of its own: stamp before each.
    Separate,
    /// Sends leave together in [`Driver::submit`]: one stamp before it serves all.
    Batched,
}

/// How a connection is put down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    /// FIN after what was sent.
    Graceful,
    /// RST (linger zero): for a peer that is given up, leaves no TIME_WAIT.
    Reset,
}

/// What became of an operation. Lends received bytes until the next call on the driver.
#[derive(Debug)]
pub enum Completion<'a> {
    /// The connection stands; sends are allowed.
    Connected {
        /// The caller's number of the connection.
        conn: u32,
    },
    /// Bytes arrived (never empty).
    Received {
        /// The caller's number of the connection.
        conn: u32,
        /// The bytes, at most one read's worth.
        bytes: &'a [u8],
    },
    /// The system has taken all that was sent so far, after it had not taken all of a [`Driver::send`] at once. Simulated time
    /// takes all at once.
    Drained {
        /// The caller's number of the connection.
        conn: u32,
    },
    /// The peer ended its side in order (FIN). The caller closes.
    Ended {
        /// The caller's number of the connection.
        conn: u32,
    },
    /// Connecting, sending or receiving failed. The connection is already closed.
    Failed {
        /// The caller's number of the connection.
        conn: u32,
        /// What was being done.
        during: During,
        /// The system's error.
        error: io::Error,
    },
    /// Another thread called [`Waker::wake`].
    Woken,
}

/// The operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum During {
    /// Opening the connection.
    Connect,
    /// Sending.
    Send,
    /// Receiving.
    Receive,
}

/// A source of time and of socket events for one worker. Not shared between threads.
///
/// Contract: `connect`, `send` and `close` never block and never report synchronously; their outcome comes from [`Driver::next`].
/// After `close(conn)` no completion for that number comes before it is connected again, even when events were under way.
pub trait Driver {
    /// Whether sends are separate system calls or leave in a batch.
    fn sends(&self) -> Sends;
    /// Reads the clock: ns since the driver's origin.
    fn now_ns(&mut self) -> u64;
    /// Begins to connect. `conn` must be closed or new.
    fn connect(&mut self, conn: u32, address: &Address);
    /// Sends all of `bytes`, in order after earlier ones; what the system does not take at once is kept and sent when it can be.
    fn send(&mut self, conn: u32, bytes: &[u8]);
    /// Closes and forgets the connection. Harmless on one that is closed.
    fn close(&mut self, conn: u32, how: Close);
    /// Hands batched sends to the system. No-op where sends are separate.
    fn submit(&mut self);
    /// Waits until something completed or `deadline_ns` passed (`u64::MAX`: no deadline; a past one: only look), and says what time it is then.
    /// Sleeps through most of the time and spins through the last stretch, so that it returns within a few µs of the deadline.
    fn wait(&mut self, deadline_ns: u64) -> u64;
    /// The next completion of the last wait, or none when all were taken.
    fn next(&mut self) -> Option<Completion<'_>>;
    /// Ns spent spinning before deadlines, in total: it is CPU time but not work.
    fn spin_ns(&self) -> u64;
}

/// Wakes a driver that waits, from another thread.
pub trait Waker: Send + Sync {
    /// Makes the driver's current or next wait return with [`Completion::Woken`].
    fn wake(&self);
}
