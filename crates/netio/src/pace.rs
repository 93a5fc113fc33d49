//! How to wait for a deadline without being late: sleep short of it, then spin.
//!
//! A sleeping thread wakes late by what the timer, the CPU's idle state and the scheduler take: a few µs on bare metal,
//! 50–100 µs in a virtual machine. So a wait sleeps until a margin before its deadline and looks for events in a busy loop
//! from there on. The margin follows the oversleep that this thread has seen, towards its 99.5th percentile.

use rustix::thread::set_current_timer_slack;
use std::io;
use std::num::NonZeroU64;

/// Smallest margin: no thread wakes up on time to less than this.
const MARGIN_MIN_NS: u64 = 10_000;
/// Largest margin: bounds the CPU time that a deadline may cost. In a VM the oversleep had p50 60 µs, p90 80 µs, p99 180 µs;
/// with deadlines 200 µs apart there, a margin fixed at 60 µs left p90 of the lateness at 30–50 µs, one of 100 µs at 0.2 µs.
const MARGIN_MAX_NS: u64 = 250_000;
/// Margin before anything was observed.
const MARGIN_START_NS: u64 = 80_000;
/// Steps of the stochastic quantile estimate: it rests where `UP · P(over) = DOWN · P(under)`, that is at 1 − 25/5000 = p99.5.
/// Constant steps make it deaf to how far an outlier lies out, which for a descheduled thread says nothing.
const MARGIN_UP_NS: u64 = 4_975;
const MARGIN_DOWN_NS: u64 = 25;
/// Step down for a wait that was spun through whole. Without it a margin as long as the gap between deadlines would never
/// see a sleep again and stay for good. Small: every sleep tried too late costs one deadline, so here about 1 in 1000.
const MARGIN_FADE_NS: u64 = 5;
/// A sleep shorter than this is not worth its two context switches.
const SLEEP_MIN_NS: u64 = 5_000;
/// Sleeps of at least this much are first taken in whole ms, short of the end: the plainer system call is cheaper
/// (0.16 against 0.31 µs), and the kernel may round long timeouts up by 0.1 % (`select_estimate_accuracy` in fs/select.c).
const COARSE_MIN_NS: u64 = 8_000_000;
/// Longest single sleep, so that ms fit the system call; the wait loop sleeps again.
const COARSE_MAX_MS: u64 = 3_600_000;
/// A deadline at least this far from the last reading of the clock is first slept for half the way without a new reading.
const FAR_NS: u64 = 100_000_000;
const MILLI_NS: u64 = 1_000_000;
/// Longest that one look for events takes of a CPU: measured about 1 µs, with room for an interrupt.
const LOOK_NS_MAX: u64 = 20_000;

/// What to do next while waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sleep for whole ms, at least one, ending well before the deadline.
    Coarse {
        /// How long.
        sleep_ms: u32,
    },
    /// Sleep until the margin begins.
    Fine {
        /// How long.
        sleep_ns: u64,
    },
    /// Look for events without sleeping until the deadline.
    Spin,
}

/// Decides between sleeping and spinning, and counts the spinning.
#[derive(Debug)]
pub(crate) struct Pacer {
    margin_ns: u64,
    spin_ns: u64,
}

impl Pacer {
    pub(crate) fn new() -> Self {
        Self { margin_ns: MARGIN_START_NS, spin_ns: 0 }
    }

    /// What to do when the deadline is `remaining_ns` away.
    #[inline]
    pub(crate) fn step(&self, remaining_ns: u64) -> Step {
        let sleep_ns = remaining_ns.saturating_sub(self.margin_ns);
        if sleep_ns < SLEEP_MIN_NS {
            Step::Spin
        } else if sleep_ns < COARSE_MIN_NS {
            Step::Fine { sleep_ns }
        } else {
            let sleep_ms = ((sleep_ns - sleep_ns / 256) / MILLI_NS).min(COARSE_MAX_MS);
            Step::Coarse { sleep_ms: sleep_ms as u32 }
        }
    }

    /// Learns by how much a fine sleep overshot.
    pub(crate) fn overslept(&mut self, over_ns: u64) {
        self.margin_ns = if over_ns > self.margin_ns {
            (self.margin_ns + MARGIN_UP_NS).min(MARGIN_MAX_NS)
        } else {
            (self.margin_ns - MARGIN_DOWN_NS).max(MARGIN_MIN_NS)
        };
    }

    /// Counts the spinning after a sleep.
    pub(crate) fn spun(&mut self, spent_ns: u64) {
        self.spin_ns += spent_ns;
    }

    /// Counts the spinning of a wait that did not sleep, because its deadline was only `remaining_ns` away.
    pub(crate) fn spun_whole(&mut self, remaining_ns: u64, spent_ns: u64) {
        self.spin_ns += spent_ns;
        if remaining_ns >= MARGIN_MIN_NS + SLEEP_MIN_NS {
            self.margin_ns = (self.margin_ns - MARGIN_FADE_NS).max(MARGIN_MIN_NS);
        }
    }

    pub(crate) fn spin_ns(&self) -> u64 {
        self.spin_ns
    }
}

/// A driver that can sleep and look for events; [`wait_for_events`] makes an exact wait of it.
pub(crate) trait Sleeper {
    fn pacer(&mut self) -> &mut Pacer;
    /// Reads the clock.
    fn read_clock(&mut self) -> u64;
    /// The last reading of the clock: a lower bound of the time now, for free.
    fn last_now_ns(&self) -> u64;
    /// Whether a look or sleep since the wait began brought events.
    fn has_events(&self) -> bool;
    /// Takes the events that are there.
    fn look(&mut self);
    /// Sleeps until there are events, at most some ms, and takes them.
    fn sleep_coarsely(&mut self, sleep_ms: u32);
    /// Sleeps until there are events, at most some ns, and takes them.
    fn sleep_finely(&mut self, sleep_ns: u64);
}

/// Returns when there are events or `until_ns` passed, and says what time it is then.
pub(crate) fn wait_for_events(driver: &mut impl Sleeper, until_ns: u64) -> u64 {
    let guess_ns = until_ns.saturating_sub(driver.last_now_ns());
    if guess_ns >= FAR_NS {
        // Saves a reading of the clock where it can't matter: the reading at hand may be old, the sleep is half.
        driver.sleep_coarsely((guess_ns / 2 / MILLI_NS).min(COARSE_MAX_MS) as u32);
    }
    let mut now_ns = driver.read_clock();
    let mut has_slept = false;
    while !driver.has_events() && now_ns < until_ns {
        let remaining_ns = until_ns - now_ns;
        match driver.pacer().step(remaining_ns) {
            Step::Coarse { sleep_ms } => {
                driver.sleep_coarsely(sleep_ms);
                now_ns = driver.read_clock();
            }
            Step::Fine { sleep_ns } => {
                driver.sleep_finely(sleep_ns);
                let end_ns = now_ns + sleep_ns;
                now_ns = driver.read_clock();
                if !driver.has_events() && now_ns >= end_ns {
                    driver.pacer().overslept(now_ns - end_ns);
                }
                has_slept = true;
            }
            Step::Spin => {
                let mut spent_ns = 0;
                while !driver.has_events() && now_ns < until_ns {
                    driver.look();
                    let looked_ns = driver.read_clock();
                    // A longer step was not spent spinning: the thread was kept off its CPU.
                    spent_ns += (looked_ns - now_ns).min(LOOK_NS_MAX);
                    now_ns = looked_ns;
                }
                match has_slept {
                    true => driver.pacer().spun(spent_ns),
                    false => driver.pacer().spun_whole(remaining_ns, spent_ns),
                }
            }
        }
    }
    now_ns
}

/// Prepares the calling thread for exact waits: sets its timer slack to 1 ns (the default of 50 µs lets the kernel wake it
/// that much late). Call once, on the thread that will own a driver.
///
/// # Errors
/// The system's, where it refuses the setting. The waits are still right then, only their margin for spinning grows.
pub fn prepare_thread() -> io::Result<()> {
    Ok(set_current_timer_slack(NonZeroU64::new(1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_short_of_every_deadline() {
        let pacer = Pacer::new();
        for remaining_ns in
            [1, 50_000, 90_000, 1_000_000, 9_000_000, 1_000_000_000, 86_400_000_000_000, u64::MAX]
        {
            let slept_ns = match pacer.step(remaining_ns) {
                Step::Spin => 0,
                Step::Fine { sleep_ns } => sleep_ns,
                Step::Coarse { sleep_ms } => {
                    assert!(sleep_ms > 0);
                    u64::from(sleep_ms) * 1_000_000
                }
            };
            assert!(
                slept_ns + MARGIN_START_NS <= remaining_ns.max(MARGIN_START_NS),
                "{remaining_ns} {slept_ns}"
            );
        }
    }

    #[test]
    fn margin_settles_near_the_highest_oversleeps() {
        let mut pacer = Pacer::new();
        // Oversleeps 1..=100 µs in a fixed scattered order: 37 generates the integers modulo 101.
        let mut over_us = 1;
        for _ in 0..100_000 {
            over_us = over_us * 37 % 101;
            pacer.overslept(over_us * 1_000);
        }
        assert!((95_000..=105_000).contains(&pacer.margin_ns), "{}", pacer.margin_ns);
    }

    #[test]
    fn margin_is_bounded_and_comes_down_again() {
        let mut pacer = Pacer::new();
        for _ in 0..1_000 {
            pacer.overslept(50_000_000);
        }
        assert_eq!(pacer.margin_ns, MARGIN_MAX_NS);
        // Deadlines closer together than the margin: all is spun, and yet the margin fades.
        pacer.spun_whole(170_000, 170_000);
        assert!(pacer.margin_ns < MARGIN_MAX_NS);
        pacer.spun(30_000);
        for _ in 0..10_000 {
            pacer.overslept(0);
        }
        assert_eq!(pacer.margin_ns, MARGIN_MIN_NS);
        assert_eq!(pacer.spin_ns(), 200_000);
    }
}
