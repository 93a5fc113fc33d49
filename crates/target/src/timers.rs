//! The times at which connections are to be looked at again: a heap, earliest first, equal times in the order they were set.
//!
//! A timer is never taken out before its time. A connection remembers the one wake-up that it waits for, and a timer that
//! does not match is ignored; `prune` keeps such left-overs from piling up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A connection's place and the number of its tenancy, so that a late timer never hits the place's next tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Token {
    pub(crate) index: u32,
    pub(crate) tenancy: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(u64, u64, Token)>>,
    set_count: u64,
    prune_at: usize,
}

/// Left-overs are not looked for below this many timers.
const PRUNE_MIN: usize = 1024;

impl Timers {
    pub(crate) fn set(&mut self, due_ns: u64, token: Token) {
        self.set_count += 1;
        self.heap.push(Reverse((due_ns, self.set_count, token)));
    }

    /// When the earliest timer is due.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((due_ns, _, _))| *due_ns)
    }

    /// Takes the earliest timer out if it is due.
    pub(crate) fn take_due(&mut self, now_ns: u64) -> Option<(u64, Token)> {
        if self.next_due_ns()? > now_ns {
            return None;
        }
        self.heap.pop().map(|Reverse((due_ns, _, token))| (due_ns, token))
    }

    /// Forgets timers that nobody waits for, when there are twice as many as last time. Amortised cost: constant for each `set`.
    pub(crate) fn prune(&mut self, mut awaited: impl FnMut(u64, Token) -> bool) {
        if self.heap.len() < self.prune_at.max(PRUNE_MIN) {
            return;
        }
        self.heap.retain(|Reverse((due_ns, _, token))| awaited(*due_ns, *token));
        self.prune_at = self.heap.len().saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(index: u32) -> Token {
        Token { index, tenancy: 0 }
    }

    #[test]
    fn due_timers_come_out_in_order_and_never_early() {
        let mut timers = Timers::default();
        for (due_ns, index) in [(30, 0), (10, 1), (20, 2), (10, 3)] {
            timers.set(due_ns, token(index));
        }
        assert_eq!(timers.take_due(9), None);
        assert_eq!(timers.take_due(25), Some((10, token(1))));
        assert_eq!(timers.take_due(25), Some((10, token(3))));
        assert_eq!(timers.take_due(25), Some((20, token(2))));
        assert_eq!(timers.take_due(25), None);
        assert_eq!(timers.next_due_ns(), Some(30));
    }

    #[test]
    fn left_overs_do_not_pile_up() {
        let mut timers = Timers::default();
        for round in 0..100_000u64 {
            timers.set(u64::MAX - round, token(0));
            timers.prune(|due_ns, _| due_ns == u64::MAX - round);
        }
        assert!(timers.heap.len() <= PRUNE_MIN, "{}", timers.heap.len());
    }
}
