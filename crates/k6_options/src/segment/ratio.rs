//! Exact shares of a whole: `1/3`, `10%`, `0.25`.

use std::fmt;

/// Denominators beyond this stand for no partition of a test that anybody runs; below it all products fit into 128 bits.
const DENOMINATOR_MAX: u64 = 1_000_000_000;
/// Longest text of a share; more digits do not fit below the greatest denominator.
const TEXT_LENGTH_MAX: usize = 64;

/// A fraction in lowest terms, at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// The whole.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };

    /// In lowest terms; `None` for a denominator of 0, and where one of the two is above 10⁹ even so.
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = greatest_common_divisor(numerator, denominator);
        let ratio = Self { numerator: numerator / divisor, denominator: denominator / divisor };
        let fits = ratio.numerator <= DENOMINATOR_MAX && ratio.denominator <= DENOMINATOR_MAX;
        fits.then_some(ratio)
    }

    /// Above the line.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Below the line, never 0.
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// The nearest number.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// `self − other`; `None` where that is below 0 or needs too large a denominator.
    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        // Both parts are at most 10⁹, so the products fit into 64 bits.
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_sub(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// Reads `1/3`, `10%` or `0.25`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > TEXT_LENGTH_MAX {
            return None;
        }
        if let Some(percent) = text.strip_suffix('%') {
            let ratio = Self::decimal(percent)?;
            return Self::new(ratio.0, ratio.1.checked_mul(100)?);
        }
        if let Some((numerator, denominator)) = text.split_once('/') {
            let number = |text: &str| digits(text)?.parse().ok();
            return Self::new(number(numerator)?, number(denominator)?);
        }
        let (numerator, denominator) = Self::decimal(text)?;
        Self::new(numerator, denominator)
    }

    fn decimal(text: &str) -> Option<(u64, u64)> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let all = format!("{whole}{fraction}");
        let scale = 10u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        if text == "." {
            return None;
        }
        let numerator = if all.is_empty() { 0 } else { digits(&all)?.parse().ok()? };
        (!text.is_empty()).then_some((numerator, scale))
    }
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let left = u128::from(self.numerator) * u128::from(other.denominator);
        let right = u128::from(other.numerator) * u128::from(self.denominator);
        left.cmp(&right)
    }
}

impl fmt::Display for Ratio {
    /// `1/3`, and whole numbers without a line: `0`, `1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            _ => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

/// Euclid's algorithm; at least 1 where one of the two is not 0.
pub(crate) fn greatest_common_divisor(mut left: u64, mut right: u64) -> u64 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_exactly() {
        let ok = |text: &str, expected: &str| {
            assert_eq!(
                Ratio::parse(text).map(|ratio| ratio.to_string()),
                Some(expected.to_owned()),
                "{text}"
            );
        };
        ok("1/3", "1/3");
        ok("2/6", "1/3");
        ok("10%", "1/10");
        ok("12.5%", "1/8");
        ok("0.25", "1/4");
        ok(".5", "1/2");
        ok("1", "1");
        ok("0", "0");
        ok("100%", "1");
        ok("1.50", "3/2");
        for text in ["", ".", "%", "x", "1/0", "-1/2", "1/2/3", "1e3", "0.0000000001", "99999999999999999999"]
        {
            assert_eq!(Ratio::parse(text), None, "{text}");
        }
    }

    #[test]
    fn differences_and_order_are_exact() {
        let (third, half) = (Ratio::parse("1/3").unwrap(), Ratio::parse("1/2").unwrap());
        assert_eq!(half.minus(third), Ratio::new(1, 6));
        assert_eq!(third.minus(half), None);
        assert!(third < half && Ratio::ZERO < third && half < Ratio::ONE);
    }
}
