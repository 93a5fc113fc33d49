//! What the threads of one server have in common. Everything here is read on the control path only, except `switches`: one load
//! for each request tells whether a stall or the recording of arrivals is on.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::arrivals::ArrivalLogs;
use crate::clock;
use crate::counts::{Counts, Stats};
use crate::endpoint::http_req::ServiceQueue;
use crate::mailbox::Mailbox;
use crate::options::Options;
use crate::stall::{Stall, StallClock};

#[derive(Debug)]
pub(crate) struct Shared {
    switches: AtomicU32,
    stopping: AtomicBool,
    stall: Mutex<Option<StallClock>>,
    stall_generation: AtomicU64,
    zero: Mutex<Stats>,
    jitter_count: AtomicU64,
    connection_count: AtomicU64,
    pub(crate) seed: u64,
    pub(crate) timer_spin_ns: u64,
    pub(crate) counts: Vec<Arc<Counts>>,
    pub(crate) arrivals: ArrivalLogs,
    pub(crate) mailboxes: Vec<Mailbox>,
    pub(crate) service_queue: ServiceQueue,
}

/// Bits of `switches`.
const STALL_ON: u32 = 1;
const ARRIVALS_ON: u32 = 2;

/// The value behind a lock. A thread that died while it held the lock left the value whole: no update here can be half done.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(options: &Options, mailboxes: Vec<Mailbox>) -> Self {
        let thread_count = mailboxes.len();
        Self {
            switches: AtomicU32::new(0),
            stopping: AtomicBool::new(false),
            stall: Mutex::default(),
            stall_generation: AtomicU64::new(0),
            zero: Mutex::default(),
            jitter_count: AtomicU64::new(0),
            connection_count: AtomicU64::new(0),
            seed: options.seed,
            timer_spin_ns: options.timer_spin_ns,
            counts: (0..thread_count).map(|_| Arc::default()).collect(),
            arrivals: ArrivalLogs::new(thread_count, options.arrivals_max),
            mailboxes,
            service_queue: ServiceQueue::new(options.http_req_concurrency),
        }
    }

    fn switch(&self, bit: u32, on: bool) {
        if on {
            self.switches.fetch_or(bit, Ordering::Release);
        } else {
            self.switches.fetch_and(!bit, Ordering::Release);
        }
    }

    /// Puts a stall in force, its clock starting now, or ends it. Every thread looks again at the answers that it holds.
    pub(crate) fn set_stall(&self, stall: Option<Stall>) {
        let mut current = locked(&self.stall);
        *current = stall.map(|stall| StallClock { stall, set_ns: clock::now_ns() });
        self.switch(STALL_ON, stall.is_some());
        self.stall_generation.fetch_add(1, Ordering::Release);
        drop(current);
        self.wake_all();
    }

    /// Changes whenever a stall is set or ended.
    pub(crate) fn stall_generation(&self) -> u64 {
        self.stall_generation.load(Ordering::Acquire)
    }

    pub(crate) fn stall(&self) -> Option<Stall> {
        locked(&self.stall).map(|clock| clock.stall)
    }

    /// The end of the stall that the server is in, if it is in one.
    #[inline]
    pub(crate) fn stalled_until_ns(&self) -> Option<u64> {
        if self.switches.load(Ordering::Acquire) & STALL_ON == 0 {
            return None;
        }
        let stall = *locked(&self.stall);
        stall?.end_ns(clock::now_ns())
    }

    #[inline]
    pub(crate) fn record_arrival(&self, thread_index: usize) {
        if self.switches.load(Ordering::Relaxed) & ARRIVALS_ON != 0 {
            self.arrivals.record(thread_index, clock::now_ns());
        }
    }

    pub(crate) fn start_arrivals(&self) {
        self.arrivals.restart();
        self.switch(ARRIVALS_ON, true);
    }

    pub(crate) fn stop_arrivals(&self) {
        self.switch(ARRIVALS_ON, false);
    }

    pub(crate) fn stats(&self) -> Stats {
        let sums = Stats::gather(self.counts.iter().map(|counts| &**counts));
        sums.since(&locked(&self.zero))
    }

    pub(crate) fn reset_stats(&self) {
        let mut zero = locked(&self.zero);
        *zero = Stats::gather(self.counts.iter().map(|counts| &**counts));
    }

    /// The number of the next jittered delay.
    pub(crate) fn next_jitter_index(&self) -> u64 {
        self.jitter_count.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of the next connection, from 0.
    pub(crate) fn next_connection_index(&self) -> u64 {
        self.connection_count.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        self.wake_all();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    fn wake_all(&self) {
        for mailbox in &self.mailboxes {
            mailbox.wake();
        }
    }
}
