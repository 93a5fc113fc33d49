//! One connection of the io_uring driver, and the token by which a completion finds it.

use crate::unsent::Unsent;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::SocketAddrAny;

#[derive(Debug, Default)]
pub(super) struct Connection {
    pub(super) fd: Option<OwnedFd>,
    /// Told apart from earlier uses of the number; part of the token.
    pub(super) generation: u32,
    pub(super) state: State,
    /// Whether a receive is under way.
    pub(super) is_receiving: bool,
    /// Whether `rest` is under way: it may not be touched then.
    pub(super) is_sending: bool,
    /// What the system did not take at once.
    pub(super) rest: Unsent,
    /// What was sent after `rest` got under way.
    pub(super) after_rest: Vec<u8>,
    /// The last send that was tried at once: in which round, and where its bytes lie.
    pub(super) tried: Tried,
    /// Where to connect, at a stable place until the connect is with the kernel; then kept for its memory.
    pub(super) address: Option<Box<SocketAddrAny>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    #[default]
    Closed,
    Connecting,
    Open,
    /// The peer ended its side; ours still stands.
    Ended,
    /// A send failed; to be told once what the peer sent before is read.
    SendFailed(Errno),
}

/// A place in the bytes of a round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tried {
    pub(super) round: u64,
    pub(super) start: u32,
    pub(super) byte_count: u32,
}

impl Connection {
    /// Whether a send may be tried at once, without overtaking earlier bytes.
    #[inline]
    pub(super) fn is_clear(&self) -> bool {
        !self.is_sending && self.rest.is_empty() && self.after_rest.is_empty()
    }

    /// Keeps bytes until those before them have left.
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        if self.is_sending {
            self.after_rest.extend_from_slice(bytes);
        } else {
            self.rest.keep(bytes);
        }
    }

    /// A send of the rest took this many bytes.
    pub(super) fn rest_sent(&mut self, sent_count: usize) {
        self.is_sending = false;
        self.rest.sent(sent_count);
        if !self.after_rest.is_empty() {
            self.rest.keep(&std::mem::take(&mut self.after_rest));
        }
    }
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Operation {
    Connect = 1,
    /// A send that completes at once: silently when it took all, else with what it took.
    TrySend = 2,
    /// A send that waits for room.
    SendRest = 3,
    Receive = 4,
    WatchWaker = 5,
    Cancel = 6,
}

/// What a completion carries to tell which operation it is of. `conn` is below 2^24.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) operation: Operation,
    pub(super) conn: u32,
    pub(super) generation: u32,
}

impl Token {
    #[inline]
    pub(super) fn encode(self) -> u64 {
        u64::from(self.operation as u8) << 56 | u64::from(self.conn) << 32 | u64::from(self.generation)
    }

    #[inline]
    pub(super) fn decode(token: u64) -> Option<Self> {
        let operation = match token >> 56 {
            1 => Operation::Connect,
            2 => Operation::TrySend,
            3 => Operation::SendRest,
            4 => Operation::Receive,
            5 => Operation::WatchWaker,
            6 => Operation::Cancel,
            _ => return None,
        };
        Some(Self { operation, conn: (token >> 32) as u32 & 0xff_ffff, generation: token as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_whole() {
        let operations = [
            Operation::Connect,
            Operation::TrySend,
            Operation::SendRest,
            Operation::Receive,
            Operation::WatchWaker,
            Operation::Cancel,
        ];
        for operation in operations {
            for (conn, generation) in [(0, 0), (1, u32::MAX), (0xff_ffff, 7), ((1 << 22) - 1, 1 << 31)] {
                let token = Token { operation, conn, generation };
                assert_eq!(Token::decode(token.encode()), Some(token));
            }
        }
        assert_eq!(Token::decode(0), None);
    }
}
