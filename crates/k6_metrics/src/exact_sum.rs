//! A sum of floats that is the same in whatever order and grouping its parts are added.
//!
//! Each value is rounded once to a multiple of 2⁻⁶⁰ and added to an integer of 128 bits, so that sums of parts merge without loss. A value of at
//! least 2⁻⁸ in magnitude is a whole multiple and enters exactly; a smaller one is off by at most 2⁻⁶¹ (4e-19). Values of 2⁵⁸ and more, and sums beyond the
//! integer, go to a float beside it, where the order may show in the last digits.

/// Binary digits after the point.
const FRACTION_BITS: u32 = 60;
/// Values from here on are kept as floats; those below fit 118 bits when scaled, so that a thousand of the greatest can be added.
const WIDE_FROM: f64 = (1_u64 << 58) as f64;
/// Scaled values below this fit 64 bits, where the conversion is one instruction.
const NARROW_BELOW: f64 = (1_u64 << 62) as f64;
/// 2⁶⁰; scaling by a power of two is exact.
const SCALE: f64 = (1_u64 << FRACTION_BITS) as f64;

/// A sum of floats whose order does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ExactSum {
    fixed: i128,
    wide: f64,
}

impl ExactSum {
    /// Adds a value; NaN must not come.
    #[inline]
    pub(crate) fn add(&mut self, value: f64) {
        if value.abs() < WIDE_FROM {
            self.add_fixed(scaled(value));
        } else {
            self.wide += value;
        }
    }

    /// Adds all of another's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.add_fixed(other.fixed);
        self.wide += other.wide;
    }

    #[inline]
    fn add_fixed(&mut self, fixed: i128) {
        match self.fixed.checked_add(fixed) {
            Some(sum) => self.fixed = sum,
            None => {
                self.wide += to_float(self.fixed) + to_float(fixed);
                self.fixed = 0;
            }
        }
    }

    /// The sum, rounded once.
    pub(crate) fn value(&self) -> f64 {
        to_float(self.fixed) + self.wide
    }
}

/// The nearest multiple of 2⁻⁶⁰, in those units.
#[inline]
fn scaled(value: f64) -> i128 {
    let scaled = value * SCALE;
    // What does not fit has its last binary digit above the point: nothing is rounded then.
    if scaled.abs() < NARROW_BELOW { i128::from(scaled.round_ties_even() as i64) } else { scaled as i128 }
}

fn to_float(fixed: i128) -> f64 {
    fixed as f64 / SCALE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(values: &[f64]) -> ExactSum {
        let mut sum = ExactSum::default();
        for value in values {
            sum.add(*value);
        }
        sum
    }

    #[test]
    fn sums_are_exact_where_floats_are_not() {
        assert_eq!(sum(&[1e15, 0.5, 0.25, -1e15]).value(), 0.75);
        assert_eq!(sum(&[0.1; 10]).value(), 1.0);
        assert_eq!(sum(&[]).value(), 0.0);
        assert!((sum(&[1e-6; 1000]).value() - 0.001).abs() < 1e-15);
        assert_eq!(sum(&[f64::INFINITY, 1.0]).value(), f64::INFINITY);
        assert_eq!(sum(&[1e300, 1.0]).value(), 1e300);
        // Beyond the integer.
        let large = 2.0_f64.powi(57);
        let many = sum(&[large; 4096]).value();
        assert!((many / (large * 4096.0) - 1.0).abs() < 1e-15, "{many}");
    }

    proptest! {
        #[test]
        fn order_and_grouping_do_not_matter(
            mut values in prop::collection::vec(prop_oneof![-1e12..1e12, 1e-6..1e-3, Just(0.0)], 0..60),
            at in 0_usize..60,
        ) {
            let whole = sum(&values);
            let (a, b) = values.split_at(at.min(values.len()));
            let mut parts = sum(b);
            parts.merge(&sum(a));
            prop_assert_eq!(parts, whole);
            values.reverse();
            prop_assert_eq!(sum(&values), whole);
            let naive: f64 = values.iter().sum();
            let magnitude: f64 = values.iter().map(|value| value.abs()).sum();
            prop_assert!((whole.value() - naive).abs() <= 1e-14 * magnitude + 1e-15);
        }
    }
}
