//! What is to happen at a time: a heap of deadlines. A stale entry is told by the generation that it carries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a timer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// A user's pause is over.
    Rest(u32),
    /// A user's request may have taken too long. One entry per user at most, moved on lazily: a request that is answered costs nothing here.
    RequestLimit(u32),
    /// The server did not say `100 Continue`; the body is sent all the same.
    Continue(u32),
    /// A connection may be tried again.
    Reconnect(u32),
    /// A connection may have taken too long to stand.
    ConnectLimit(u32),
}

/// An entry: when, what, and the generation of the user or connection that it was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) at_ns: u64,
    pub(crate) timer: Timer,
    pub(crate) generation: u32,
}

/// Pending timers.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<Entry>>,
}

impl Timers {
    pub(crate) fn set(&mut self, at_ns: u64, timer: Timer, generation: u32) {
        self.heap.push(Reverse(Entry { at_ns, timer, generation }));
    }

    /// When the next one is due; `u64::MAX` when there is none.
    pub(crate) fn next_ns(&self) -> u64 {
        self.heap.peek().map_or(u64::MAX, |entry| entry.0.at_ns)
    }

    /// The next one that is due at `now_ns`.
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<Entry> {
        if self.next_ns() > now_ns {
            return None;
        }
        self.heap.pop().map(|entry| entry.0)
    }
}
