//! Making RSA keys: random primes, tried by small divisors and by Miller and Rabin's test (FIPS 186-5, appendix A.1.3 and B.3).

use super::{BITS_MAX, BITS_MIN, Private, odd};
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul as _, Limb, NonZero, Odd};

/// Rounds of the test. FIPS 186-5 table B.1 asks for 5 with primes of 1024 bits; small keys, which only tests have, get more than they need too.
const ROUNDS: usize = 16;
/// Small divisors go up to here: they sort out five of six candidates.
const DIVISOR_MAX: u32 = 2000;
/// Candidates for one prime. A prime of 4096 bits takes 1400 on average; so many in vain means there is no randomness.
const CANDIDATES_MAX: usize = 1_000_000;

/// A new key, in its DER form. Takes tenths of a second for 2048 bits and many seconds beyond 4096.
///
/// # Errors
/// The size or the exponent is none, or the system has no random bytes.
pub(in super::super) fn generate(
    bits: u32,
    exponent: u64,
    mut random: impl FnMut(usize) -> Result<Vec<u8>, String>,
) -> Result<Vec<u8>, String> {
    if !(BITS_MIN..=BITS_MAX).contains(&bits) || !bits.is_multiple_of(16) {
        return Err(format!("a modulus has {BITS_MIN} to {BITS_MAX} bits, in steps of 16"));
    }
    if !(3..=super::EXPONENT_MAX).contains(&exponent) || exponent.is_multiple_of(2) {
        return Err("a public exponent is odd, from 3 to 2^31 - 1".to_owned());
    }
    let divisors = small_primes();
    loop {
        let first = prime(bits / 2, exponent, &divisors, &mut random)?;
        let second = prime(bits / 2, exponent, &divisors, &mut random)?;
        let secret = secret_of(&first, &second, exponent);
        let modulus = first.as_ref().concatenating_mul(second.as_ref());
        let [modulus, first, second] =
            [&modulus, first.as_ref(), second.as_ref()].map(BoxedUint::to_be_bytes);
        let key = secret.and_then(|secret| {
            Private::new(&modulus, &exponent.to_be_bytes(), &secret.to_be_bytes(), [&first, &second])
        });
        // One in billions of billions has twice the same prime.
        if let Some(key) = key {
            return Ok(key.der());
        }
    }
}

/// The secret exponent d with d·e = 1 + k·φ. Since φ is even there is no inverse modulo φ to be had in constant time at once; but k is small:
/// k = −φ⁻¹ modulo e.
fn secret_of(first: &Odd<BoxedUint>, second: &Odd<BoxedUint>, exponent: u64) -> Option<BoxedUint> {
    let less = |prime: &Odd<BoxedUint>| {
        prime.as_ref().wrapping_sub(BoxedUint::one_with_precision(prime.bits_precision()))
    };
    let phi = less(first).concatenating_mul(&less(second));
    let by: NonZero<Limb> = Option::from(NonZero::new(Limb::from(exponent)))?;
    let rest = phi.rem_limb(by).0;
    let count = exponent - inverse(rest, exponent)?;
    let sum = phi.concatenating_mul(&BoxedUint::from(count));
    let sum = sum.wrapping_add(BoxedUint::one_with_precision(sum.bits_precision()));
    let (secret, left) = sum.div_rem_limb(by);
    (left == Limb::ZERO).then_some(secret)
}

/// The inverse of a number, modulo another, by Euclid; `None`: they have a divisor in common.
fn inverse(number: u64, modulus: u64) -> Option<u64> {
    let (mut rest, mut next) = (i128::from(modulus), i128::from(number % modulus));
    let (mut of_rest, mut of_next) = (0_i128, 1_i128);
    while next != 0 {
        let times = rest / next;
        (rest, next) = (next, rest - times * next);
        (of_rest, of_next) = (of_next, of_rest - times * of_next);
    }
    (rest == 1).then(|| of_rest.rem_euclid(i128::from(modulus)) as u64)
}

fn small_primes() -> Vec<NonZero<Limb>> {
    let is_prime =
        |number: &u32| (2..*number).take_while(|by| by * by <= *number).all(|by| !number.is_multiple_of(by));
    (3..DIVISOR_MAX)
        .filter(is_prime)
        .filter_map(|prime| Option::from(NonZero::new(Limb::from(prime))))
        .collect()
}

/// A random prime of so many bits, less one of which has no divisor in common with the exponent.
fn prime(
    bits: u32,
    exponent: u64,
    divisors: &[NonZero<Limb>],
    random: &mut impl FnMut(usize) -> Result<Vec<u8>, String>,
) -> Result<Odd<BoxedUint>, String> {
    for _ in 0..CANDIDATES_MAX {
        let mut bytes = random(bits as usize / 8)?;
        // The highest two bits, so that the product of two has all its bits; and odd.
        if let Some(first) = bytes.first_mut() {
            *first |= 0xc0;
        }
        if let Some(last) = bytes.last_mut() {
            *last |= 1;
        }
        let candidate = BoxedUint::from_be_slice_vartime(&bytes);
        if divisors.iter().any(|by| candidate.rem_limb(*by) == Limb::ZERO) {
            continue;
        }
        let by: Option<NonZero<Limb>> = Option::from(NonZero::new(Limb::from(exponent)));
        let rest = by.map_or(0, |by| candidate.rem_limb(by).0);
        let Some(candidate) = odd(candidate) else { continue };
        if inverse((rest + exponent - 1) % exponent, exponent).is_some() && is_prime(&candidate, random)? {
            return Ok(candidate);
        }
    }
    Err("no prime was found: the system's random bytes are not random".to_owned())
}

/// Whether it is a prime, wrong once in 4¹⁶ at most and for random candidates far less.
fn is_prime(
    candidate: &Odd<BoxedUint>,
    random: &mut impl FnMut(usize) -> Result<Vec<u8>, String>,
) -> Result<bool, String> {
    let params = BoxedMontyParams::new_vartime(candidate.clone());
    let precision = candidate.bits_precision();
    let before = candidate.as_ref().wrapping_sub(BoxedUint::one_with_precision(precision));
    let twos = before.trailing_zeros_vartime();
    let rest = before.wrapping_shr_vartime(twos);
    let one = BoxedMontyForm::one(&params);
    let minus_one = one.neg();
    for _ in 0..ROUNDS {
        let base = BoxedUint::from_be_slice_vartime(&random(precision as usize / 8)?);
        let mut power = super::reduced(&base, &params).pow(&rest);
        let is_passed = |power: &BoxedMontyForm| *power == one || *power == minus_one;
        let mut passed = is_passed(&power);
        for _ in 1..twos {
            if passed {
                break;
            }
            power = power.square();
            passed = power == minus_one;
        }
        if !passed {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::native::crypto::random;

    #[test]
    fn keys_that_are_made_belong_together() {
        for (bits, exponent) in [(512, 3), (1024, 65537)] {
            let der = generate(bits, exponent, random).unwrap();
            let key = Private::of_der(&der).unwrap();
            assert_eq!(key.public.bits, bits);
            let text = [&[0][..], &random(bits as usize / 8 - 1).unwrap()].concat();
            let raised = key.raise(&text).unwrap();
            assert_eq!(key.public.raise(&raised), Some(text));
        }
        assert!(generate(500, 3, random).is_err() && generate(1024, 4, random).is_err());
    }

    #[test]
    fn composites_are_no_primes() {
        let check = |number: u64, expected: bool| {
            let candidate = odd(BoxedUint::from(number)).unwrap();
            assert_eq!(is_prime(&candidate, &mut |count| random(count)).unwrap(), expected, "{number}");
        };
        // 2⁶¹ − 1 is a prime; the others pass Fermat's test, and Miller and Rabin's for some bases.
        check((1 << 61) - 1, true);
        check(3_825_123_056_546_413_051, false);
        check(341_550_071_728_321, false);
        check(6_281, false);
    }
}
