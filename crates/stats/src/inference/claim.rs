//! The two gates: a difference counts only when it is statistically clear *and* beyond a margin that matters.
//!
//! The line of differences is parted in three by −margin and +margin. A claim names the part in which the whole interval lies; where the interval
//! reaches into two parts nothing is claimed. So a claim is wrong no more often than the interval misses the truth. (The gates are those of
//! criterion.rs; the middle part is the two one-sided tests of D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987.)

use super::Spread;

/// What may be said of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Below −margin.
    Below,
    /// Between −margin and +margin.
    Within,
    /// Above +margin.
    Above,
}

/// A difference, how wrong it may be, and the margin within which a difference does not matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Gates {
    /// The estimate.
    pub difference: f64,
    /// Its error.
    pub spread: Spread,
    /// Greater than 0, on the scale of the difference.
    pub margin: f64,
}

impl Gates {
    /// The claim that the estimate suggests, were it exact.
    pub fn suggested(&self) -> Claim {
        match self.difference {
            d if d > self.margin => Claim::Above,
            d if d < -self.margin => Claim::Below,
            _ => Claim::Within,
        }
    }

    /// p-value against "beyond the margin": 1 where the estimate itself lies within it.
    pub fn p_beyond_margin(&self) -> f64 {
        self.spread.p_beyond(self.difference.abs() - self.margin)
    }

    /// p-value against "within the margin": 1 where the estimate itself lies beyond it.
    pub fn p_within_margin(&self) -> f64 {
        self.spread.p_beyond(self.margin - self.difference.abs())
    }

    /// What may be claimed where a claim may be wrong with probability `alpha`; `None`: nothing.
    pub fn claim(&self, alpha: f64) -> Option<Claim> {
        let suggested = self.suggested();
        let p = if suggested == Claim::Within { self.p_within_margin() } else { self.p_beyond_margin() };
        (p <= alpha).then_some(suggested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_where_the_whole_interval_lies() {
        let gates = |difference| Gates { difference, spread: Spread::Normal { se: 0.5 }, margin: 2.0 };
        let half = Spread::Normal { se: 0.5 }.half_width(0.05);
        let check = |difference: f64, expected: Option<Claim>| {
            assert_eq!(gates(difference).claim(0.05), expected, "{difference}");
        };
        check(0.0, Some(Claim::Within));
        check(2.0 - half - 0.01, Some(Claim::Within));
        check(2.0 - half + 0.01, None);
        check(2.0, None);
        check(2.0 + half - 0.01, None);
        check(2.0 + half + 0.01, Some(Claim::Above));
        check(-2.0 - half - 0.01, Some(Claim::Below));
        // Clear of nothing, but too little to matter: the second gate.
        check(half + 0.01, Some(Claim::Within));
    }
}
