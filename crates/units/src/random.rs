//! The one source of chance: seeded, splittable, the same on every machine.

/// xoshiro256++ by Blackman and Vigna (2019, public domain), seeded by SplitMix64 as its authors advise.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A stream for `seed`. The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        let mut mix = seed;
        Self { state: std::array::from_fn(|_| split_mix(&mut mix)) }
    }

    /// An independent stream for part `index` of what `seed` governs, such as one user or one phase.
    pub fn stream(seed: u64, index: u64) -> Self {
        let mut mix = seed ^ index.wrapping_mul(0xD605_BBB5_8C8A_BBF5);
        Self::new(split_mix(&mut mix))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let t = b << 17;
        let (c, d) = (c ^ a, d ^ b);
        let (b, a) = (b ^ c, a ^ d);
        self.state = [a, b, c ^ t, d.rotate_left(45)];
        result
    }

    /// Uniform in [0, 1), 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in 0..bound; 0 for a bound of 0. Lemire's multiplication (2019) without rejection: bias below 2⁻³² for bounds below 2³².
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential with mean 1: −ln(u), u in (0, 1]. Source: Knuth, TAOCP vol. 2, §3.4.1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Puts a slice into random order (Fisher and Yates; Knuth, TAOCP vol. 2, §3.4.2, algorithm P).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let pick = self.below(last as u64 + 1) as usize;
            items.swap(last, pick);
        }
    }
}

/// One step of SplitMix64 (Steele, Lea and Flood, 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_reference_implementation() {
        // xoshiro256++ 1.0 from state {1, 2, 3, 4}: the first outputs of the authors' C code.
        let mut random = Random { state: [1, 2, 3, 4] };
        let got: Vec<u64> = (0..4).map(|_| random.bits()).collect();
        assert_eq!(got, [41943041, 58720359, 3588806011781223, 3591011842654386]);
    }

    #[test]
    fn moments_are_right() {
        let mut random = Random::new(7);
        let n = 200_000;
        let mean = (0..n).map(|_| random.unit()).sum::<f64>() / f64::from(n);
        let mean_exponential = (0..n).map(|_| random.exponential()).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.003, "{mean}");
        assert!((mean_exponential - 1.0).abs() < 0.01, "{mean_exponential}");
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_ne!(Random::stream(1, 0).bits(), Random::stream(1, 1).bits());
    }
}
