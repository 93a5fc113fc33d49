//! A rate kept as a fraction, so that the n-th arrival falls on an exact nanosecond however long the run.

use crate::quantity::{QuantityError, duration_unit_ns, split_decimal};
use serde::{Deserialize, Serialize};
use std::fmt;

/// So many events per so many ns. The period is never zero; a count of zero means silence (an idle stage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "(u64, u64)", into = "(u64, u64)")]
pub struct Rate {
    count: u64,
    period_ns: u64,
}

impl Rate {
    /// The highest rate that makes sense on a nanosecond clock: one event each ns.
    const PER_SEC_MAX: u128 = 1_000_000_000;

    /// `count` events every `period_ns`. `None` for a period of zero or more than one event per ns.
    pub fn new(count: u64, period_ns: u64) -> Option<Self> {
        let sane = period_ns > 0 && count <= period_ns;
        sane.then_some(Self { count, period_ns })
    }

    /// `count` events each second, at most 10⁹.
    pub fn per_sec(count: u64) -> Option<Self> {
        Self::new(count, crate::NS_PER_SEC)
    }

    /// The nearest rate to a floating `per_sec`, to a millionth of an event per second.
    pub fn from_f64(per_sec: f64) -> Option<Self> {
        if !(0.0..=Self::PER_SEC_MAX as f64).contains(&per_sec) {
            return None;
        }
        Self::new((per_sec * 1e6).round() as u64, 1_000_000 * crate::NS_PER_SEC)
    }

    /// Events per period.
    pub fn count(self) -> u64 {
        self.count
    }

    /// The period in ns, never 0.
    pub fn period_ns(self) -> u64 {
        self.period_ns
    }

    /// Events per second.
    pub fn as_f64(self) -> f64 {
        self.count as f64 * 1e9 / self.period_ns as f64
    }

    /// Whether nothing happens at all.
    pub fn is_zero(self) -> bool {
        self.count == 0
    }

    /// Reads `200/s`, `0.5/s`, `90/min`, `1000/m`, `3/h`.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let Some((number, rest)) = split_decimal(text) else {
            return Err(QuantityError::NotANumber { text: text.to_owned(), example: "200/s" });
        };
        let Some(unit) = rest.strip_prefix('/') else {
            if rest.is_empty() {
                return Err(QuantityError::MissingUnit {
                    text: text.to_owned(),
                    example: format!("{text}/s"),
                });
            }
            return Err(QuantityError::UnknownUnit { unit: rest.to_owned(), known: "/s, /min, /h" });
        };
        let unit_ns = duration_unit_ns(unit.trim())
            .ok_or_else(|| QuantityError::UnknownUnit { unit: rest.to_owned(), known: "/s, /min, /h" })?;
        let out_of_range =
            || QuantityError::OutOfRange { text: text.to_owned(), range: "0/s to 1000000000/s" };
        let count = u64::try_from(number.digits).map_err(|_| out_of_range())?;
        let period = 10u128.pow(number.scale).checked_mul(u128::from(unit_ns)).ok_or_else(out_of_range)?;
        let period_ns = u64::try_from(period).map_err(|_| out_of_range())?;
        Self::new(count, period_ns).ok_or_else(out_of_range)
    }
}

impl TryFrom<(u64, u64)> for Rate {
    type Error = &'static str;
    fn try_from((count, period_ns): (u64, u64)) -> Result<Self, Self::Error> {
        Self::new(count, period_ns).ok_or("a rate needs a period above 0 and at most one event per ns")
    }
}

impl From<Rate> for (u64, u64) {
    fn from(rate: Rate) -> Self {
        (rate.count, rate.period_ns)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/s", crate::per_sec(self.as_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_fractions() {
        let rate = |text: &str| Rate::parse(text).map(|r| (r.count(), r.period_ns()));
        assert_eq!(rate("200/s"), Ok((200, 1_000_000_000)));
        assert_eq!(rate("0.5/s"), Ok((5, 10_000_000_000)));
        assert_eq!(rate("90/min"), Ok((90, 60_000_000_000)));
        assert_eq!(rate("1_000/s"), Ok((1000, 1_000_000_000)));
        assert_eq!(
            Rate::parse("200").unwrap_err().to_string(),
            "`200` has no unit; write for example `200/s`"
        );
        assert!(
            Rate::parse("99999999999/s").is_err()
                && Rate::parse("x/s").is_err()
                && Rate::parse("5/q").is_err()
        );
        assert_eq!(Rate::parse("1250.5/s").map(Rate::as_f64), Ok(1250.5));
    }
}
