//! The controller: one independent copy for each sender, doubling until a tick fails, then halving the gap to the lowest rate that failed.
//!
//! Source of the rules: CloudI's `cloudi_service_request_rate` 2.0.7 (described in its own words in `docs/search.md`). Rates are whole
//! requests per second; rounding is half away from zero.

use serde::{Deserialize, Serialize};

/// The arguments that concern the controller.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// A fixed rate of each sender; `None`: it is searched (`dynamic`).
    pub request_rate: Option<u64>,
    /// Length of a tick, ms, at least 1000; also each request's timeout.
    pub tick_length_ms: u64,
    /// Ticks at one rate until it is called stable, above 0.
    pub tick_stable_count: u32,
    /// Processes, at least 2: the first gathers, the others send.
    pub count_process: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { request_rate: None, tick_length_ms: 5000, tick_stable_count: 24, count_process: 2 }
    }
}

/// How weighty a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Each attempt.
    Debug,
    /// Results and ends of stability.
    Info,
    /// A rate that was stable failed.
    Warn,
    /// Answers that are not what they should be.
    Error,
}

/// A line that CloudI would log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// How weighty.
    pub level: LogLevel,
    /// The text, in CloudI's form.
    pub text: String,
}

/// What a sender completed while it was stable, requests per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stable {
    /// Ticks.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
}

/// First rate tried.
const RATE_INITIAL: u64 = 1000;
/// Share of the completed rate by which the rate asked for may be higher.
const TOLERANCE: f64 = 0.05;

/// One sender.
#[derive(Debug, Clone, PartialEq)]
pub struct Sender {
    /// From 1.
    index: u32,
    settings: Settings,
    rate: u64,
    max: Option<u64>,
    stable_count: u32,
    stable_rate: Option<u64>,
    stable: Option<Stable>,
}

fn rounded(value: f64) -> i64 {
    value.round() as i64
}

/// The larger of a rounded value and 1.
fn at_least_one(value: f64) -> u64 {
    rounded(value).max(1) as u64
}

impl Sender {
    /// A sender before its first tick.
    pub fn new(index: u32, settings: Settings) -> Self {
        let rate = settings.request_rate.unwrap_or(RATE_INITIAL);
        Self { index, settings, rate, max: None, stable_count: 0, stable_rate: None, stable: None }
    }

    /// The rate of the next tick.
    pub fn rate_per_sec(&self) -> u64 {
        self.rate
    }

    /// How many requests the next tick has.
    pub fn request_count(&self) -> u64 {
        at_least_one(self.rate as f64 * self.settings.tick_length_ms as f64 / 1000.0)
    }

    /// The lowest rate that failed, or what took its place.
    pub fn max_per_sec(&self) -> Option<u64> {
        self.max
    }

    /// Ticks in a row at this rate.
    pub fn stable_count(&self) -> u32 {
        self.stable_count
    }

    /// What it completed since it is stable.
    pub fn stable(&self) -> Option<Stable> {
        self.stable
    }

    /// A tick is over: so many requests per second were answered in it. `elapsed_secs` is its length, for the log.
    pub fn on_tick(&mut self, completed_per_sec: f64, elapsed_secs: f64) -> Vec<Log> {
        let mut log = Vec::new();
        if self.settings.request_rate.is_none() {
            self.control(completed_per_sec, &mut log);
        }
        let is_stable =
            self.settings.request_rate.is_some() || self.stable_count >= self.settings.tick_stable_count;
        match (is_stable, self.stable) {
            (true, None) => {
                let at = completed_per_sec;
                self.stable = Some(Stable { count: 1, mean: at, min: at, max: at });
            }
            (true, Some(stable)) => {
                let count = stable.count + 1;
                self.stable = Some(Stable {
                    count,
                    mean: stable.mean + (completed_per_sec - stable.mean) / count as f64,
                    min: stable.min.min(completed_per_sec),
                    max: stable.max.max(completed_per_sec),
                });
            }
            (false, Some(stable)) => {
                self.stable = None;
                log.push(self.say(
                    LogLevel::Info,
                    &format!(
                        "unstable at {:.1} [{:.1} .. {:.1}] requests/second\n(to NAME,\n stable during {},\n sent {} requests/second)",
                        stable.mean,
                        stable.min,
                        stable.max,
                        duration_text(elapsed_secs),
                        self.rate
                    ),
                ));
            }
            (false, None) => {}
        }
        if self.settings.request_rate.is_none() && self.stable_count == 0 {
            log.push(self.say(LogLevel::Debug, &format!("attempt {} requests/second", self.rate)));
        }
        log
    }

    fn control(&mut self, completed: f64, log: &mut Vec<Log>) {
        let offset = (rounded(completed * TOLERANCE) - 1).max(1) as u64;
        let is_achieved = self.rate <= (rounded(completed).max(0) as u64).saturating_add(offset);
        match (is_achieved, self.max) {
            (true, None) => self.rate = self.rate.saturating_mul(2),
            (true, Some(max)) if max.saturating_sub(self.rate) <= offset => {
                self.stable_count += 1;
                self.stable_rate = Some(self.rate);
            }
            (true, Some(max)) => self.rate += at_least_one((max.saturating_sub(self.rate)) as f64 / 2.0),
            (false, _) => {
                let rate = self.rate;
                let step = at_least_one((rate as f64 - completed) / 2.0);
                self.rate = rate.saturating_sub(step).max(1);
                self.max = Some(rate);
                if self.stable_count >= self.settings.tick_stable_count
                    && let Some(stable_rate) = self.stable_rate
                {
                    self.max = Some(stable_rate.saturating_sub(1));
                    let ticks = f64::from(self.stable_count) + 1.0;
                    let time = duration_text(ticks * self.settings.tick_length_ms as f64 / 1000.0);
                    log.push(
                        self.say(
                            LogLevel::Warn,
                            &format!("failed {stable_rate} requests/second after {time}"),
                        ),
                    );
                }
                self.stable_count = 0;
                self.stable_rate = None;
            }
        }
    }

    fn say(&self, level: LogLevel, text: &str) -> Log {
        Log { level, text: format!("{:>3}: {text}", self.index) }
    }
}

/// All senders, and what the first process gathers of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    senders: Vec<Sender>,
}

impl Group {
    /// `count_process` − 1 senders before their first tick.
    pub fn new(settings: Settings) -> Self {
        let count = settings.count_process.saturating_sub(1).max(1);
        Self { senders: (1..=count).map(|index| Sender::new(index, settings)).collect() }
    }

    /// The senders in their order.
    pub fn senders(&self) -> &[Sender] {
        &self.senders
    }

    /// Tells each sender what it completed per second, in their order.
    pub fn on_tick(&mut self, completed_per_sec: &[f64], elapsed_secs: f64) -> Vec<Log> {
        let senders = self.senders.iter_mut().zip(completed_per_sec);
        senders.flat_map(|(sender, completed)| sender.on_tick(*completed, elapsed_secs)).collect()
    }

    /// The sums of all senders' means, minima and maxima, once all are stable. (The minima need not be of the same tick, so that this is
    /// no range that the sum ever had.)
    pub fn stable(&self) -> Option<Stable> {
        let mut sum = Stable { count: u64::MAX, mean: 0.0, min: 0.0, max: 0.0 };
        for sender in &self.senders {
            let stable = sender.stable?;
            sum.count = sum.count.min(stable.count);
            sum.mean += stable.mean;
            sum.min += stable.min;
            sum.max += stable.max;
        }
        Some(sum)
    }
}

/// A time as CloudI writes it: `1.5 hours`, `2.0 minutes`, `5.0 seconds`.
pub fn duration_text(secs: f64) -> String {
    match secs {
        s if s > 3600.0 => format!("{:.1} hours", s / 3600.0),
        s if s > 60.0 => format!("{:.1} minutes", s / 60.0),
        s => format!("{s:.1} seconds"),
    }
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
