//! A load model turned into fire times: when each arrival of an open phase is due, ns since the phase's start.
//!
//! One idea serves all: the arrival with position x (in arrivals) is due at Λ⁻¹(x), where Λ(t) is how many arrivals the rate calls
//! for until t. Evenly spaced arrivals have x = 0, 1, 2 …; a Poisson process has partial sums of exponential gaps with mean 1 (time
//! rescaling: Çınlar, *Introduction to Stochastic Processes*, 1975, ch. 4.7); jittered ones have n + u. A [`Slice`] takes every
//! k-th arrival of the same sequence, so that the slices of all workers make up exactly the whole.

mod curve;
mod users;

use curve::RateCurve;
use plan::{Arrivals, Stage};
use units::{Random, Rate};
pub use users::{UserStep, user_steps};

/// A share of the arrivals: those whose number leaves `index` modulo `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// From 0, below `count`.
    pub index: u64,
    /// At least 1.
    pub count: u64,
}

impl Slice {
    /// All of them.
    pub const WHOLE: Self = Self { index: 0, count: 1 };

    /// This slice's share of `total` things dealt out in turn.
    pub fn share(self, total: u64) -> u64 {
        total / self.count + u64::from(self.index < total % self.count)
    }
}

/// What an open phase calls for.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// As in the plan; the last rate goes on until `end_ns`.
    pub stages: Vec<Stage>,
    /// How due times are spread.
    pub arrivals: Arrivals,
    /// No arrival is due at or after this, ns since the phase's start.
    pub end_ns: u64,
    /// At most so many arrivals over all slices.
    pub count_max: u64,
    /// Governs chance.
    pub seed: u64,
}

/// The fire times of one slice, ascending. Never blocks, never allocates; a step costs a few ns (a logarithm more for Poisson).
#[derive(Debug, Clone)]
pub struct FireTimes {
    curve: RateCurve,
    spread: Spread,
    slice: Slice,
    end_ns: u64,
    count_max: u64,
    /// Number of the next arrival among those of all slices.
    number: u64,
    next_ns: Option<u64>,
    /// When the first arrival beyond the count would be due.
    count_end_ns: Option<u64>,
}

#[derive(Debug, Clone)]
enum Spread {
    /// Exact stepping at one constant rate: whole ns and a remainder in count-ths of a ns.
    Even { step_ns: u64, step_rest: u64, rest: u64, count: u64 },
    /// x = n.
    EvenCurve,
    /// x = n + 1.
    AfterGap,
    /// x = n + u.
    Jitter { seed: u64 },
    /// x = sum of exponential gaps, kept as a whole and a fraction so that long runs lose no precision.
    Poisson { random: Random, whole: u64, fraction: f64 },
}

impl FireTimes {
    /// The fire times of a slice of a profile.
    pub fn new(profile: &Profile, slice: Slice) -> Self {
        let constant = RateCurve::constant_rate(&profile.stages);
        let spread = match profile.arrivals {
            Arrivals::Constant => match constant {
                Some(rate) => Spread::even(rate, slice),
                None => Spread::EvenCurve,
            },
            Arrivals::ConstantAfterGap => Spread::AfterGap,
            Arrivals::UniformJitter => Spread::Jitter { seed: profile.seed },
            Arrivals::Poisson => {
                let mut random = Random::new(profile.seed);
                let fraction = random.exponential();
                Spread::Poisson { random, whole: 0, fraction }
            }
        };
        let mut times = Self {
            curve: RateCurve::new(&profile.stages),
            spread,
            slice,
            end_ns: profile.end_ns,
            count_max: profile.count_max,
            number: slice.index,
            next_ns: None,
            count_end_ns: None,
        };
        times.spread.skip(slice.index);
        times.next_ns = times.first_ns();
        times
    }

    /// When the next arrival is due, ns since the phase's start; `None` when there are no more.
    #[inline]
    pub fn peek_ns(&self) -> Option<u64> {
        self.next_ns
    }

    /// Goes on to the next arrival of the slice.
    #[inline]
    pub fn advance(&mut self) {
        let Some(now_ns) = self.next_ns else { return };
        self.number = self.number.saturating_add(self.slice.count);
        let next_ns = match &mut self.spread {
            Spread::Even { step_ns, step_rest, rest, count } => {
                *rest += *step_rest;
                let carry = u64::from(*rest >= *count);
                *rest -= carry * *count;
                now_ns.checked_add(*step_ns + carry)
            }
            other => {
                other.skip(self.slice.count);
                self.curve.when(self.number, other.offset(self.number))
            }
        };
        self.next_ns = self.within(next_ns);
    }

    /// When the arrival after the last one of the count would be due, once all of the count were taken; `None` before.
    pub fn count_end_ns(&self) -> Option<u64> {
        self.count_end_ns
    }

    /// The rate asked for at a time since the phase's start, per second over all slices.
    pub fn rate_per_sec_at(&self, elapsed_ns: u64) -> f64 {
        self.curve.rate_per_sec_at(elapsed_ns)
    }

    /// From `at_ns` on the rate is this one, whatever the profile says; what is due before stays due. Slices that are changed alike still make
    /// up the whole.
    pub fn change_rate(&mut self, at_ns: u64, rate: Rate) {
        self.curve.change(at_ns, rate);
        if let Spread::Even { .. } = self.spread {
            self.spread = Spread::EvenCurve;
        }
        if self.number < self.count_max && self.next_ns.is_none_or(|ns| ns >= at_ns) {
            let next_ns = self.curve.when(self.number, self.spread.offset(self.number));
            self.next_ns = self.within(next_ns);
        }
    }

    fn first_ns(&mut self) -> Option<u64> {
        let first_ns = match &mut self.spread {
            Spread::Even { rest, count, .. } => {
                let rate = self.curve.first_rate()?;
                let product = u128::from(self.slice.index) * u128::from(rate.period_ns());
                *rest = (product % u128::from(*count)) as u64;
                u64::try_from(product / u128::from(*count)).ok()
            }
            other => self.curve.when(self.number, other.offset(self.number)),
        };
        self.within(first_ns)
    }

    fn within(&mut self, due_ns: Option<u64>) -> Option<u64> {
        if self.number >= self.count_max {
            // A rate that fades to nothing never gets beyond the count: the load then ends with its last arrival.
            self.count_end_ns = Some(due_ns.or(self.next_ns.map(|ns| ns + 1)).unwrap_or(0).min(self.end_ns));
            return None;
        }
        due_ns.filter(|ns| *ns < self.end_ns)
    }
}

impl Spread {
    /// A rate of zero has no arrivals: the curve says so.
    fn even(rate: Rate, slice: Slice) -> Self {
        if rate.is_zero() {
            return Self::EvenCurve;
        }
        let step = u128::from(rate.period_ns()) * u128::from(slice.count);
        let count = u128::from(rate.count());
        let step_ns = u64::try_from(step / count).unwrap_or(u64::MAX / 2);
        Self::Even { step_ns, step_rest: (step % count) as u64, rest: 0, count: rate.count() }
    }

    /// Passes over so many arrivals.
    fn skip(&mut self, arrival_count: u64) {
        if let Self::Poisson { random, whole, fraction } = self {
            for _ in 0..arrival_count {
                *fraction += random.exponential();
                let carry = fraction.floor();
                *fraction -= carry;
                *whole += carry as u64;
            }
        }
    }

    /// What the position of arrival `number` has beyond the number itself.
    fn offset(&self, number: u64) -> f64 {
        match self {
            Self::Even { .. } | Self::EvenCurve => 0.0,
            Self::AfterGap => 1.0,
            Self::Jitter { seed } => Random::stream(*seed, number).unit(),
            Self::Poisson { whole, fraction, .. } => (*whole as i128 - i128::from(number)) as f64 + fraction,
        }
    }
}

#[cfg(test)]
mod tests;
