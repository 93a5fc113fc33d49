//! What the server received and answered, counted so exactly that a client's own counts can be held against it.
//!
//! A request is counted when it has been read completely and before the first byte of its answer is written; its status
//! and the answer's bytes likewise are counted before they are sent. So whoever holds an answer finds it in the counts. Each thread writes
//! its own counters and nobody else's (a load and a store, no locked instruction); a reader adds them up. A
//! reset remembers the sums as the new zero, because only the writer may touch a counter.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::endpoint::{ENDPOINT_COUNT, ENDPOINTS, Endpoint};
use crate::head::Method;

/// A counter with one writer. The release makes a count visible no later than the answer sent after it.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, by: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(by), Ordering::Release);
    }

    pub(crate) fn take_back(&self, by: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_sub(by), Ordering::Release);
    }

    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// Status codes 0 to 999.
const STATUS_COUNT: usize = 1000;

/// Counters of one thread.
#[derive(Debug)]
pub(crate) struct Counts {
    endpoints: [Counter; ENDPOINT_COUNT],
    methods: [Counter; Method::NAMES.len()],
    statuses: Box<[Counter]>,
    pub(crate) accepted: Counter,
    pub(crate) closed: Counter,
    pub(crate) protocol_errors: Counter,
    pub(crate) cut_short: Counter,
    pub(crate) abandoned: Counter,
    pub(crate) tls_handshakes: Counter,
    pub(crate) tls_resumed: Counter,
    pub(crate) tls_failed: Counter,
    pub(crate) timers_fired: Counter,
    pub(crate) timers_late_ns: Counter,
    pub(crate) timers_late_count: Counter,
    /// Bytes of load and of controls.
    bytes_in: [Counter; 2],
    bytes_out: [Counter; 2],
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            endpoints: std::array::from_fn(|_| Counter::default()),
            methods: Default::default(),
            statuses: (0..STATUS_COUNT).map(|_| Counter::default()).collect(),
            accepted: Counter::default(),
            closed: Counter::default(),
            protocol_errors: Counter::default(),
            cut_short: Counter::default(),
            abandoned: Counter::default(),
            tls_handshakes: Counter::default(),
            tls_resumed: Counter::default(),
            tls_failed: Counter::default(),
            timers_fired: Counter::default(),
            timers_late_ns: Counter::default(),
            timers_late_count: Counter::default(),
            bytes_in: Default::default(),
            bytes_out: Default::default(),
        }
    }
}

/// From here on a timer counts as late: twice what an idle virtual machine takes to wake up.
const TIMER_LATE_NS: u64 = 100 * units::NS_PER_US;

/// Whether traffic is load or steers the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Class {
    #[default]
    Load,
    Control,
}

impl Class {
    pub(crate) fn of(endpoint: Endpoint) -> Self {
        if endpoint.is_control() { Self::Control } else { Self::Load }
    }
}

impl Counts {
    /// Counts a request that has been read.
    pub(crate) fn request(&self, endpoint: Endpoint, method: Method, bytes_in: u64) {
        if let Some(counter) = self.endpoints.get(endpoint as usize) {
            counter.add(1);
        }
        let class = Class::of(endpoint);
        self.received(class, bytes_in);
        if class == Class::Load
            && let Some(counter) = self.methods.get(method as usize)
        {
            counter.add(1);
        }
    }

    /// Counts a status of an answer to load. 0 stands for an answer without one.
    pub(crate) fn status(&self, status: u16) {
        if status == 0 {
            return;
        }
        if let Some(counter) = self.statuses.get(usize::from(status)) {
            counter.add(1);
        }
    }

    /// Counts a timer that went off so much after its time.
    pub(crate) fn timer(&self, late_ns: u64) {
        self.timers_fired.add(1);
        self.timers_late_ns.add(late_ns);
        self.timers_late_count.add(u64::from(late_ns > TIMER_LATE_NS));
    }

    pub(crate) fn received(&self, class: Class, bytes: u64) {
        let [load, control] = &self.bytes_in;
        if class == Class::Load { load.add(bytes) } else { control.add(bytes) }
    }

    /// The counter of bytes sent.
    pub(crate) fn written(&self, class: Class) -> &Counter {
        let [load, control] = &self.bytes_out;
        if class == Class::Load { load } else { control }
    }
}

/// What was counted since the start or the last reset. Controls (`/stats`, `/stall`, `/arrivals`) appear under `controls` only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// Requests read completely; the sum of `paths`, of `methods` and, but for `/garbage`, of `statuses`.
    pub requests: u64,
    /// Requests by endpoint, as in `/hello` or `/status/{code}`; `(unknown)` for what got a 404. Zeros are left out here and below.
    pub paths: BTreeMap<String, u64>,
    /// Requests by method; those without a name here are `other`.
    pub methods: BTreeMap<String, u64>,
    /// Answers by status. Not here: `/garbage`, which has no status, and the answers to what `protocol_errors` counts.
    pub statuses: BTreeMap<u16, u64>,
    /// Interim answers (100, 103) by status.
    pub interim: BTreeMap<u16, u64>,
    /// Bytes of the requests counted, head and body with its framing; above TLS.
    pub bytes_in: u64,
    /// Bytes of answers handed to the kernel or to TLS; above TLS.
    pub bytes_out: u64,
    /// Connections accepted since the start or the last reset.
    pub connections_accepted: u64,
    /// Connections open now, with the one that asks.
    pub connections_open: u64,
    /// Requests that broke the protocol or a limit; each is answered with a 4xx or 5xx and its connection closed.
    pub protocol_errors: u64,
    /// Connections that ended inside a request.
    pub cut_short: u64,
    /// Connections that ended before all answers to requests counted had been sent.
    pub abandoned: u64,
    /// TLS handshakes completed.
    pub tls_handshakes: u64,
    /// Of these, resumed sessions.
    pub tls_resumed: u64,
    /// TLS handshakes that failed.
    pub tls_failed: u64,
    /// Timers that went off: ends of delays and stalls, pieces of trickles.
    pub timers_fired: u64,
    /// Their lateness added up, in ns. By `timers_fired` it is the mean time that the server adds to the delays it promises.
    pub timers_late_ns: u64,
    /// Those later than 100 µs: this machine or this server was too busy for its delays to be taken as exact.
    pub timers_late_count: u64,
    /// The same for the controls.
    pub controls: ControlStats,
}

/// What was counted of the control endpoints. The request that asks is in it, its answer not yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ControlStats {
    /// Control requests read.
    pub requests: u64,
    /// Control requests by endpoint.
    pub paths: BTreeMap<String, u64>,
    /// Bytes of control requests.
    pub bytes_in: u64,
    /// Bytes of their answers.
    pub bytes_out: u64,
}

impl Stats {
    /// Adds up the counters of all threads.
    pub(crate) fn gather<'a>(all: impl Iterator<Item = &'a Counts>) -> Self {
        let mut stats = Self::default();
        for counts in all {
            stats.add(counts);
        }
        stats.requests = stats.paths.values().sum();
        stats.controls.requests = stats.controls.paths.values().sum();
        stats
    }

    fn add(&mut self, counts: &Counts) {
        for (row, counter) in ENDPOINTS.iter().zip(&counts.endpoints) {
            let control = row.endpoint.is_control();
            let paths = if control { &mut self.controls.paths } else { &mut self.paths };
            *paths.entry(row.pattern.to_owned()).or_default() += counter.read();
        }
        for (name, counter) in Method::NAMES.into_iter().zip(&counts.methods) {
            *self.methods.entry(name.to_owned()).or_default() += counter.read();
        }
        for (status, counter) in (0..).zip(counts.statuses.iter()) {
            let statuses = if status < 200 { &mut self.interim } else { &mut self.statuses };
            *statuses.entry(status).or_default() += counter.read();
        }
        let [load_in, control_in] = &counts.bytes_in;
        let [load_out, control_out] = &counts.bytes_out;
        // Read first: a connection that comes and goes between the two readings must not count as less than none.
        let closed = counts.closed.read();
        let accepted = counts.accepted.read();
        for (sum, value) in [
            (&mut self.bytes_in, load_in.read()),
            (&mut self.bytes_out, load_out.read()),
            (&mut self.controls.bytes_in, control_in.read()),
            (&mut self.controls.bytes_out, control_out.read()),
            (&mut self.connections_accepted, accepted),
            (&mut self.connections_open, accepted.saturating_sub(closed)),
            (&mut self.protocol_errors, counts.protocol_errors.read()),
            (&mut self.cut_short, counts.cut_short.read()),
            (&mut self.abandoned, counts.abandoned.read()),
            (&mut self.tls_handshakes, counts.tls_handshakes.read()),
            (&mut self.tls_resumed, counts.tls_resumed.read()),
            (&mut self.tls_failed, counts.tls_failed.read()),
            (&mut self.timers_fired, counts.timers_fired.read()),
            (&mut self.timers_late_ns, counts.timers_late_ns.read()),
            (&mut self.timers_late_count, counts.timers_late_count.read()),
        ] {
            *sum += value;
        }
    }

    /// These counts with `zero` taken as 0, and without entries that are 0. `connections_open` is no count and stays.
    pub(crate) fn since(mut self, zero: &Self) -> Self {
        fn less<K: Ord>(map: &mut BTreeMap<K, u64>, zero: &BTreeMap<K, u64>) {
            map.retain(|key, count| {
                *count = count.saturating_sub(zero.get(key).copied().unwrap_or(0));
                *count > 0
            });
        }
        less(&mut self.paths, &zero.paths);
        less(&mut self.methods, &zero.methods);
        less(&mut self.statuses, &zero.statuses);
        less(&mut self.interim, &zero.interim);
        less(&mut self.controls.paths, &zero.controls.paths);
        for (count, zero) in [
            (&mut self.requests, zero.requests),
            (&mut self.bytes_in, zero.bytes_in),
            (&mut self.bytes_out, zero.bytes_out),
            (&mut self.controls.requests, zero.controls.requests),
            (&mut self.controls.bytes_in, zero.controls.bytes_in),
            (&mut self.controls.bytes_out, zero.controls.bytes_out),
            (&mut self.connections_accepted, zero.connections_accepted),
            (&mut self.protocol_errors, zero.protocol_errors),
            (&mut self.cut_short, zero.cut_short),
            (&mut self.abandoned, zero.abandoned),
            (&mut self.tls_handshakes, zero.tls_handshakes),
            (&mut self.tls_resumed, zero.tls_resumed),
            (&mut self.tls_failed, zero.tls_failed),
            (&mut self.timers_fired, zero.timers_fired),
            (&mut self.timers_late_ns, zero.timers_late_ns),
            (&mut self.timers_late_count, zero.timers_late_count),
        ] {
            *count = count.saturating_sub(zero);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_add_up_and_a_reset_is_the_new_zero() {
        let (one, two) = (Counts::default(), Counts::default());
        one.request(Endpoint::Hello, Method::Get, 10);
        two.request(Endpoint::Hello, Method::Head, 20);
        two.request(Endpoint::Stats, Method::Get, 5);
        two.status(200);
        two.status(103);
        let zero = Stats::gather([&one, &two].into_iter());
        let now = zero.clone().since(&Stats::default());
        assert_eq!((now.requests, now.bytes_in, now.controls.requests, now.controls.bytes_in), (2, 30, 1, 5));
        assert_eq!(now.paths, BTreeMap::from([("/hello".to_owned(), 2)]));
        assert_eq!((now.statuses.get(&200), now.interim.get(&103)), (Some(&1), Some(&1)));
        one.request(Endpoint::Root, Method::Get, 7);
        let later = Stats::gather([&one, &two].into_iter()).since(&zero);
        assert_eq!(later.paths, BTreeMap::from([("/".to_owned(), 1)]));
        assert_eq!((later.requests, later.bytes_in), (1, 7));
    }

    #[test]
    fn the_json_reads_back() {
        let counts = Counts::default();
        counts.request(Endpoint::Hello, Method::Get, 10);
        counts.status(200);
        let stats = Stats::gather([&counts].into_iter()).since(&Stats::default());
        let text = serde_json::to_string(&stats).unwrap();
        assert_eq!(serde_json::from_str::<Stats>(&text).unwrap(), stats);
    }
}
