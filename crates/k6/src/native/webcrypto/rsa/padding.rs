//! What stands around a text that RSA signs or encrypts: RSASSA-PKCS1-v1_5, RSASSA-PSS and RSAES-OAEP (RFC 8017 sections 7.1, 8.1, 8.2, 9).

use super::super::ciphers::is_same;
use super::{Private, Public};
use crate::native::crypto::Hasher;

/// A digest with the bytes that name it in front of it, RFC 8017 section 9.2 note 1.
fn named_digest(algorithm: &str, digest: &[u8]) -> Option<Vec<u8>> {
    let oid: &[u8] = match algorithm {
        "sha1" => &[0x2b, 0x0e, 0x03, 0x02, 0x1a],
        "sha256" => &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01],
        "sha384" => &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02],
        "sha512" => &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03],
        _ => return None,
    };
    use crate::der::{BYTES, NULL, OID, SEQUENCE, element};
    let name = element(SEQUENCE, &[&element(OID, &[oid]), &element(NULL, &[])]);
    Some(element(SEQUENCE, &[&name, &element(BYTES, &[digest])]))
}

fn digest(algorithm: &str, parts: &[&[u8]]) -> Option<Vec<u8>> {
    let mut hasher = Hasher::new(algorithm)?;
    parts.iter().for_each(|part| hasher.update(part));
    Some(hasher.digest())
}

/// Mixes what is made of a seed into a text: MGF1, appendix B.2.1.
fn mask(algorithm: &str, seed: &[u8], text: &mut [u8]) -> Option<()> {
    let mut left = text;
    for count in 0_u32.. {
        if left.is_empty() {
            break;
        }
        let made = digest(algorithm, &[seed, &count.to_be_bytes()])?;
        let (part, rest) = left.split_at_mut(made.len().min(left.len()));
        part.iter_mut().zip(made).for_each(|(byte, more)| *byte ^= more);
        left = rest;
    }
    Some(())
}

/// A digest as it is signed with PKCS #1 v1.5, section 9.2. `None`: the key is too small.
fn pkcs1(algorithm: &str, digest: &[u8], size_bytes: usize) -> Option<Vec<u8>> {
    let named = named_digest(algorithm, digest)?;
    let fill = size_bytes.checked_sub(named.len() + 3).filter(|fill| *fill >= 8)?;
    Some([&[0, 1], vec![0xff; fill].as_slice(), &[0], &named].concat())
}

pub(in super::super) fn pkcs1_sign(key: &Private, algorithm: &str, digest: &[u8]) -> Option<Vec<u8>> {
    key.raise(&pkcs1(algorithm, digest, key.public.size_bytes())?)
}

pub(in super::super) fn is_pkcs1(key: &Public, algorithm: &str, digest: &[u8], signature: &[u8]) -> bool {
    let raised = key.raise(signature);
    raised.is_some() && raised == pkcs1(algorithm, digest, key.size_bytes())
}

/// Section 8.1.1, with a salt of random bytes. `None`: the key is too small for digest and salt.
pub(in super::super) fn pss_sign(
    key: &Private,
    algorithm: &str,
    signed: &[u8],
    salt: &[u8],
) -> Option<Vec<u8>> {
    // Section 9.1.1, with one bit less than the modulus has.
    let bits = key.public.bits - 1;
    let size_bytes = bits.div_ceil(8) as usize;
    let fill = size_bytes.checked_sub(signed.len() + salt.len() + 2)?;
    let hash = digest(algorithm, &[&[0; 8], signed, salt])?;
    let mut masked = [vec![0; fill].as_slice(), &[1], salt].concat();
    mask(algorithm, &hash, &mut masked)?;
    if let Some(first) = masked.first_mut() {
        *first &= first_mask(bits);
    }
    let mut text = [masked.as_slice(), &hash, &[0xbc]].concat();
    text.splice(..0, vec![0; key.public.size_bytes() - size_bytes]);
    key.raise(&text)
}

/// Which bits of the first byte are of a text of so many bits.
fn first_mask(bits: u32) -> u8 {
    0xff >> (bits.div_ceil(8) * 8 - bits)
}

/// Section 8.1.2.
pub(in super::super) fn is_pss(
    key: &Public,
    algorithm: &str,
    signed: &[u8],
    signature: &[u8],
    salt_bytes: usize,
) -> bool {
    let check = || -> Option<bool> {
        let bits = key.bits - 1;
        let raised = key.raise(signature)?;
        let size_bytes = bits.div_ceil(8) as usize;
        let (before, text) = raised.split_at_checked(raised.len().checked_sub(size_bytes)?)?;
        let (&last, text) = text.split_last()?;
        let (masked, hash) = text.split_at_checked(text.len().checked_sub(signed.len())?)?;
        let (mut masked, first) = (masked.to_vec(), first_mask(bits));
        let is_formed = last == 0xbc && before.iter().all(|byte| *byte == 0) && masked.first()? & !first == 0;
        mask(algorithm, hash, &mut masked)?;
        *masked.first_mut()? &= first;
        let (fill, salt) = masked.split_at_checked(masked.len().checked_sub(salt_bytes)?)?;
        let (&one, fill) = fill.split_last()?;
        let is_filled = one == 1 && fill.iter().all(|byte| *byte == 0);
        Some(is_formed && is_filled && digest(algorithm, &[&[0; 8], signed, salt])? == hash)
    };
    check().unwrap_or_default()
}

/// Section 7.1.1, with a seed of as many random bytes as the digest has. `None`: the text is too long.
pub(in super::super) fn oaep_encrypt(
    key: &Public,
    algorithm: &str,
    label: &[u8],
    text: &[u8],
    random: impl FnOnce(usize) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let label = digest(algorithm, &[label])?;
    let fill = key.size_bytes().checked_sub(text.len() + 2 * label.len() + 2)?;
    let mut masked = [label.as_slice(), &vec![0; fill], &[1], text].concat();
    let mut seed = random(label.len())?;
    mask(algorithm, &seed, &mut masked)?;
    mask(algorithm, &masked, &mut seed)?;
    key.raise(&[&[0], seed.as_slice(), &masked].concat())
}

/// Section 7.1.2. Whatever is wrong, the same is done until the end: which of it was wrong must not be told (Manger).
pub(in super::super) fn oaep_decrypt(
    key: &Private,
    algorithm: &str,
    label: &[u8],
    text: &[u8],
) -> Option<Vec<u8>> {
    let label = digest(algorithm, &[label])?;
    let raised = key.raise(text)?;
    let (first, rest) = raised.split_first()?;
    let (seed, masked) = rest.split_at_checked(label.len())?;
    let (mut seed, mut masked) = (seed.to_vec(), masked.to_vec());
    mask(algorithm, &masked, &mut seed)?;
    mask(algorithm, &seed, &mut masked)?;
    let (given, filled) = masked.split_at_checked(label.len())?;
    // Where the first byte is that is not zero, looking at all of them.
    let (mut begin, mut one) = (0, 0);
    for (at, byte) in filled.iter().enumerate() {
        let is_first = usize::from(one == 0) & usize::from(*byte != 0);
        begin |= is_first * (at + 1);
        one |= is_first as u8 * byte;
    }
    let is_good = is_same(given, &label) & (*first == 0) & (one == 1);
    is_good.then(|| filled.get(begin..).unwrap_or_default().to_vec())
}
