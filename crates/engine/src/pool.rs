//! Which connections a target has here, and who waits for one.

use crate::worker::TargetSetup;
use netio::Address;
use plan::ConnectionPolicy;
use std::collections::VecDeque;
use std::net::SocketAddr;

/// First and longest pause before a connection is tried again after a failure; it doubles in between.
pub(crate) const BACKOFF_NS: (u64, u64) = (10_000_000, 1_000_000_000);

/// One target's connections on one worker.
pub(crate) struct Pool {
    pub(crate) setup: TargetSetup,
    /// Stand and do nothing; the last used is the first to be used again.
    pub(crate) idle: Vec<u32>,
    /// Numbers whose connection is closed, to be opened again.
    pub(crate) closed: Vec<u32>,
    /// Users that wait for one of a shared pool, in order.
    pub(crate) waiting: VecDeque<u32>,
    /// How many numbers a shared pool has given out.
    pub(crate) count: u32,
    /// The address that the next new connection tries first.
    next_address: usize,
}

impl Pool {
    pub(crate) fn new(setup: TargetSetup) -> Self {
        Self {
            setup,
            idle: Vec::new(),
            closed: Vec::new(),
            waiting: VecDeque::new(),
            count: 0,
            next_address: 0,
        }
    }

    /// The most connections of a shared pool; `None` where there is no bound but the users.
    pub(crate) fn shared_max(&self) -> Option<u32> {
        match self.setup.connections {
            ConnectionPolicy::Shared(count) => Some(count),
            ConnectionPolicy::PerUser | ConnectionPolicy::PerAction | ConnectionPolicy::PerRequest => None,
        }
    }

    /// An address as scenarios are told it.
    #[inline]
    pub(crate) fn inet_address(&self, address: usize) -> Option<SocketAddr> {
        match self.setup.addresses.get(address)? {
            Address::Inet(address) | Address::Bound { to: address, .. } => Some(*address),
            Address::Unix(_) => None,
        }
    }

    /// All addresses in turn.
    pub(crate) fn next_address(&mut self) -> usize {
        let address = self.next_address;
        self.next_address = (self.next_address + 1) % self.setup.addresses.len().max(1);
        address
    }

    /// Takes a connection out of the idle ones, because it has gone.
    pub(crate) fn forget_idle(&mut self, conn: u32) {
        if let Some(place) = self.idle.iter().rposition(|idle| *idle == conn) {
            self.idle.swap_remove(place);
        }
    }
}

/// The pause before the next try after so many failures in a row.
pub(crate) fn backoff_ns(failure_count: u32) -> u64 {
    let (first_ns, longest_ns) = BACKOFF_NS;
    first_ns.saturating_mul(1 << failure_count.saturating_sub(1).min(16)).min(longest_ns)
}
