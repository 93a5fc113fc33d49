//! RSA (RFC 8017): keys and the two operations on numbers. What is computed with a private key is computed in constant time, by `crypto-bigint`'s
//! Montgomery arithmetic of fixed width: how long it takes tells the size of a key and nothing else, which is what RUSTSEC-2023-0071 is about.

pub(super) mod padding;
mod primes;

use crate::der;
use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul as _, NonZero, Odd, Resize as _};

pub(super) use primes::generate;

/// Bits of a modulus: below nothing can be signed, above one operation takes seconds.
pub(super) const BITS_MIN: u32 = 512;
/// Greatest modulus, for the same reason.
pub(super) const BITS_MAX: u32 = 8192;
/// Greatest public exponent, as elsewhere (Go): beyond it checking a signature takes as long as making one.
const EXPONENT_MAX: u64 = (1 << 31) - 1;

/// A public key.
#[derive(Debug, Clone)]
pub(super) struct Public {
    modulus: BoxedMontyParams,
    exponent: u64,
    /// Bits of the modulus.
    pub(super) bits: u32,
}

/// A private key of two primes.
pub(super) struct Private {
    pub(super) public: Public,
    /// The secret exponent.
    exponent: BoxedUint,
    /// The primes, each with the secret exponent as it counts there.
    first: (BoxedMontyParams, BoxedUint),
    second: (BoxedMontyParams, BoxedUint),
    /// The second's inverse, modulo the first.
    inverse: BoxedMontyForm,
}

fn number(bytes: &[u8]) -> Option<BoxedUint> {
    let bytes = der::trimmed(bytes);
    (bytes.len() <= BITS_MAX as usize / 8).then(|| BoxedUint::from_be_slice_vartime(bytes))
}

fn odd(number: BoxedUint) -> Option<Odd<BoxedUint>> {
    Option::from(Odd::new(number))
}

/// `number` modulo what `params` are for, of their width.
fn reduced(number: &BoxedUint, params: &BoxedMontyParams) -> BoxedMontyForm {
    let rest = number.rem(params.modulus().as_nz_ref());
    BoxedMontyForm::new(rest.resize(params.bits_precision()), params)
}

/// A prime less one.
fn before(params: &BoxedMontyParams) -> Option<NonZero<BoxedUint>> {
    let prime = params.modulus().as_ref();
    Option::from(NonZero::new(prime.wrapping_sub(BoxedUint::one_with_precision(prime.bits_precision()))))
}

impl Public {
    /// Of modulus and exponent, the highest bytes first. `None`: too small, too large, or even.
    pub(super) fn new(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        let modulus = number(modulus)?;
        let bits = modulus.bits_vartime();
        let exponent = der::trimmed(exponent);
        let exponent = exponent
            .iter()
            .try_fold(0_u64, |sum, byte| sum.checked_mul(256)?.checked_add(u64::from(*byte)))?;
        let is_fit = (BITS_MIN..=BITS_MAX).contains(&bits)
            && (3..=EXPONENT_MAX).contains(&exponent)
            && exponent % 2 == 1;
        let modulus = BoxedMontyParams::new_vartime(odd(modulus).filter(|_| is_fit)?);
        Some(Self { modulus, exponent, bits })
    }

    /// Of its DER form, RFC 8017 A.1.1.
    pub(super) fn of_der(bytes: &[u8]) -> Option<Self> {
        let mut parts = der::Reader::new(bytes).within(der::SEQUENCE)?;
        Self::new(parts.integer()?, parts.integer()?)
    }

    pub(super) fn der(&self) -> Vec<u8> {
        let [modulus, exponent] = self.parts().map(|part| der::integer(&part));
        der::element(der::SEQUENCE, &[&modulus, &exponent])
    }

    /// Modulus and exponent.
    pub(super) fn parts(&self) -> [Vec<u8>; 2] {
        let modulus = self.modulus.modulus().as_ref().to_be_bytes();
        [der::trimmed(&modulus).to_vec(), der::trimmed(&self.exponent.to_be_bytes()).to_vec()]
    }

    /// Bytes of the modulus.
    pub(super) fn size_bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// To the power of the public exponent. `None`: it is not below the modulus, or not of its size.
    pub(super) fn raise(&self, text: &[u8]) -> Option<Vec<u8>> {
        let base = self.base(text)?;
        let exponent = BoxedUint::from(self.exponent);
        Some(self.text(&base.pow_bounded_exp(&exponent, exponent.bits_vartime()).retrieve()))
    }

    fn base(&self, text: &[u8]) -> Option<BoxedMontyForm> {
        let base = number(text)
            .filter(|base| text.len() == self.size_bytes() && base < self.modulus.modulus().as_ref())?;
        Some(reduced(&base, &self.modulus))
    }

    /// As many bytes as the modulus has.
    fn text(&self, number: &BoxedUint) -> Vec<u8> {
        let bytes = number.to_be_bytes();
        bytes.get(bytes.len().saturating_sub(self.size_bytes())..).unwrap_or_default().to_vec()
    }
}

impl Private {
    /// Of modulus, public and secret exponent and the two primes. `None`: they don't belong together.
    pub(super) fn new(modulus: &[u8], public: &[u8], secret: &[u8], primes: [&[u8]; 2]) -> Option<Self> {
        let public = Public::new(modulus, public)?;
        let exponent = number(secret).filter(|exponent| exponent < public.modulus.modulus().as_ref())?;
        let [first, second] = primes.map(number);
        let (first, second) = (odd(first?)?, odd(second?)?);
        if first.as_ref().concatenating_mul(second.as_ref()) != *public.modulus.modulus().as_ref() {
            return None;
        }
        let [first, second] = [first, second].map(BoxedMontyParams::new);
        let inverse = reduced(second.modulus().as_ref(), &first).invert();
        let inverse: Option<BoxedMontyForm> = Option::from(inverse);
        let [at_first, at_second] = [exponent.rem(&before(&first)?), exponent.rem(&before(&second)?)];
        let key = Self {
            public,
            exponent,
            first: (first, at_first),
            second: (second, at_second),
            inverse: inverse?,
        };
        // The exponents belong together if what one does the other takes back, which `raise` looks after.
        let mut two = vec![0; key.public.size_bytes()];
        *two.last_mut()? = 2;
        key.raise(&two).map(|_| key)
    }

    /// Of its DER form, RFC 8017 A.1.2.
    pub(super) fn of_der(bytes: &[u8]) -> Option<Self> {
        let mut parts = der::Reader::new(bytes).within(der::SEQUENCE)?;
        if parts.integer()? != [0] {
            // Of more than two primes.
            return None;
        }
        let (modulus, public, secret) = (parts.integer()?, parts.integer()?, parts.integer()?);
        Self::new(modulus, public, secret, [parts.integer()?, parts.integer()?])
    }

    pub(super) fn der(&self) -> Vec<u8> {
        let parts = self.parts().map(|part| der::integer(&part));
        let mut all = vec![der::integer(&[0])];
        all.extend(parts);
        let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        der::element(der::SEQUENCE, &all)
    }

    /// n, e, d, p, q, dp, dq, qi, as RFC 7518 section 6.3 calls them.
    pub(super) fn parts(&self) -> [Vec<u8>; 8] {
        let [modulus, public] = self.public.parts();
        let [first, second] =
            [&self.first, &self.second].map(|(params, _)| params.modulus().as_ref().clone());
        let (at_first, at_second) = (self.first.1.clone(), self.second.1.clone());
        let numbers = [self.exponent.clone(), first, second, at_first, at_second, self.inverse.retrieve()];
        let [secret, first, second, at_first, at_second, inverse] =
            numbers.map(|number| der::trimmed(&number.to_be_bytes()).to_vec());
        [modulus, public, secret, first, second, at_first, at_second, inverse]
    }

    /// To the power of the secret exponent, by way of the primes (RFC 8017 section 5.1.2). What comes of it is held against the public exponent: a
    /// result that is wrong in one prime would tell both.
    pub(super) fn raise(&self, text: &[u8]) -> Option<Vec<u8>> {
        let base = self.public.base(text)?.retrieve();
        let at = |(params, exponent): &(BoxedMontyParams, BoxedUint)| reduced(&base, params).pow(exponent);
        let (at_first, at_second) = (at(&self.first), at(&self.second).retrieve());
        let difference = at_first.sub(&reduced(&at_second, &self.first.0));
        let more = difference.mul(&self.inverse).retrieve();
        let product = more.concatenating_mul(self.second.0.modulus().as_ref());
        let sum = product.wrapping_add(at_second.resize(product.bits_precision()));
        let bytes = sum.to_be_bytes();
        let size_bytes = self.public.size_bytes();
        let mut raised = vec![0; size_bytes.saturating_sub(bytes.len())];
        raised.extend_from_slice(bytes.get(bytes.len().saturating_sub(size_bytes)..)?);
        (self.public.raise(&raised)? == text).then_some(raised)
    }
}
