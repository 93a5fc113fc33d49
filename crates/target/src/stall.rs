//! Standing still on purpose, in a way whose effect on a client is known exactly.
//!
//! While a stall lasts no byte of an answer leaves the server (answers of the control endpoints excepted). Requests that arrive
//! are read and counted at once and answered, in the order of their arrival, when the stall ends. Bytes that the
//! kernel already took are beyond recall, and TLS handshakes go on.
//!
//! What a client must see, with S = `for_ns`, P = `every_ns` and a server that otherwise answers at once: a request that arrives
//! x after the start of a stall, x < S, is answered after S − x; all others at once. For open arrivals (times that do not depend on the
//! answers) x is uniform on [0, P), so P(response > t) = (S − t)/P for 0 ≤ t < S: the quantile q of the response time is
//! S − (1 − q)·P where that is positive and 0 elsewhere. 200 ms of every second: p90 = 100 ms, p99 = 190 ms.
//! To that comes the work of sending what queued up, 5 to 10 µs for each answer ahead of one's own.
//! A closed loop of C users sees only C waits for each stall: that is coordinated omission.

use std::fmt;
use std::str::FromStr;

/// When the whole server stands still. Times count from the moment the stall was set.
///
/// Inside a stall requests are read and counted, and answered in the order of their arrival when it ends; no byte of an answer leaves before. With
/// S = `for_ns` and P = `every_ns` open arrivals see P(response > t) = (S − t)/P for 0 ≤ t < S, plus the server's usual time
/// and, at the end of a stall, the 5 to 10 µs that each answer queued before takes to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stall {
    /// The first `for_ns` of every `every_ns`. 0 < `for_ns` < `every_ns`.
    Every {
        /// How long each stall lasts.
        for_ns: u64,
        /// The time from the start of one stall to the start of the next.
        every_ns: u64,
    },
    /// One freeze.
    Once {
        /// When it starts.
        at_ns: u64,
        /// How long it lasts.
        for_ns: u64,
    },
}

/// Longest stall, period or start: a server that is silent for longer is better stopped.
const STALL_NS_MAX: u64 = 3600 * units::NS_PER_SEC;

/// Why a stall was refused, and what to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StallError(String);

impl fmt::Display for StallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StallError {}

impl Stall {
    /// Stands still for the first `for_ns` of every `every_ns`. Refused unless 0 < `for_ns` < `every_ns` ≤ 1 h.
    pub fn every(for_ns: u64, every_ns: u64) -> Result<Self, StallError> {
        if for_ns == 0 || for_ns >= every_ns || every_ns > STALL_NS_MAX {
            let said = "a stall must be longer than 0 and shorter than its period, and the period at most 1h: for example `200ms/1s`";
            return Err(StallError(said.to_owned()));
        }
        Ok(Self::Every { for_ns, every_ns })
    }

    /// Stands still once, `for_ns` long, beginning `at_ns` after it was set. Refused unless 0 < `for_ns` ≤ 1 h and `at_ns` ≤ 1 h.
    pub fn once(at_ns: u64, for_ns: u64) -> Result<Self, StallError> {
        if for_ns == 0 || for_ns > STALL_NS_MAX || at_ns > STALL_NS_MAX {
            let said = "a single freeze must be longer than 0 and its start and length at most 1h: for example `2s@4s`";
            return Err(StallError(said.to_owned()));
        }
        Ok(Self::Once { at_ns, for_ns })
    }

    /// The end of the stall that `since_ns` lies in, both counted from when the stall was set; `None` outside of stalls.
    pub fn end_ns(self, since_ns: u64) -> Option<u64> {
        match self {
            Self::Every { for_ns, every_ns } => {
                let phase_ns = since_ns.checked_rem(every_ns)?;
                (phase_ns < for_ns).then(|| since_ns - phase_ns + for_ns)
            }
            Self::Once { at_ns, for_ns } => {
                let end_ns = at_ns.saturating_add(for_ns);
                (at_ns..end_ns).contains(&since_ns).then_some(end_ns)
            }
        }
    }
}

/// `200ms/1s` is 200 ms of every second; `2s@4s` is one freeze of 2 s that begins after 4 s.
impl FromStr for Stall {
    type Err = StallError;

    fn from_str(text: &str) -> Result<Self, StallError> {
        let read = |part: &str| units::parse_duration_ns(part).map_err(|e| StallError(e.to_string()));
        if let Some((length, period)) = text.split_once('/') {
            return Self::every(read(length)?, read(period)?);
        }
        if let Some((length, start)) = text.split_once('@') {
            return Self::once(read(start)?, read(length)?);
        }
        Err(StallError(format!(
            "`{text}` is no stall; write `200ms/1s` (of every second) or `2s@4s` (once, after 4 s)"
        )))
    }
}

/// As `FromStr` reads it.
impl fmt::Display for Stall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Every { for_ns, every_ns } => write!(f, "{}/{}", exactly(for_ns), exactly(every_ns)),
            Self::Once { at_ns, for_ns } => write!(f, "{}@{}", exactly(for_ns), exactly(at_ns)),
        }
    }
}

/// A time in the largest unit that needs no fraction, so that it reads back the same.
fn exactly(ns: u64) -> String {
    let units = [(units::NS_PER_SEC, "s"), (units::NS_PER_MS, "ms"), (units::NS_PER_US, "us")];
    let unit = units.into_iter().find(|(unit_ns, _)| ns.is_multiple_of(*unit_ns));
    unit.map_or_else(|| format!("{ns}ns"), |(unit_ns, name)| format!("{}{name}", ns / unit_ns))
}

/// A stall and the moment from which it counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StallClock {
    pub(crate) stall: Stall,
    pub(crate) set_ns: u64,
}

impl StallClock {
    /// The end, on the server's clock, of the stall that `now_ns` lies in.
    pub(crate) fn end_ns(&self, now_ns: u64) -> Option<u64> {
        let since_ns = now_ns.saturating_sub(self.set_ns);
        Some(self.set_ns.saturating_add(self.stall.end_ns(since_ns)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_start_of_every_period_stands_still() {
        let stall: Stall = "200ms/1s".parse().unwrap();
        assert_eq!(stall, Stall::Every { for_ns: 200 * MS, every_ns: 1000 * MS });
        for (since_ms, end_ms) in [
            (0, Some(200)),
            (199, Some(200)),
            (200, None),
            (999, None),
            (1000, Some(1200)),
            (5150, Some(5200)),
        ] {
            assert_eq!(stall.end_ns(since_ms * MS), end_ms.map(|ms| ms * MS), "{since_ms} ms");
        }
        for text in ["200ms/1s", "1500us/2001us", "7ns/1s", "2s@0s"] {
            assert_eq!(text.parse::<Stall>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_freeze_happens_once() {
        let stall: Stall = "2s@4s".parse().unwrap();
        for (since_ms, end_ms) in
            [(0, None), (3999, None), (4000, Some(6000)), (5999, Some(6000)), (6000, None), (10_000, None)]
        {
            assert_eq!(stall.end_ns(since_ms * MS), end_ms.map(|ms| ms * MS), "{since_ms} ms");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for text in ["", "1s", "1s/1s", "0ms/1s", "2s/1s", "1s/2h", "0s@1s", "2@4", "2h@1s"] {
            assert!(text.parse::<Stall>().is_err(), "{text}");
        }
    }
}
