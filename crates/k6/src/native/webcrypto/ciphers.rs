//! AES in the modes of WebCrypto: CBC with padding and CTR (NIST SP 800-38A), GCM (SP 800-38D), key wrapping (RFC 3394). The block cipher and GHASH
//! are RustCrypto's.

use aes::cipher::{BlockCipherDecrypt as _, BlockCipherEncrypt as _, KeyInit as _};
use aes::{Aes128, Aes192, Aes256, Block};
use ghash::universal_hash::UniversalHash as _;

/// Bytes of a block.
const BLOCK_BYTES: usize = 16;

/// AES with a key.
pub(super) enum Aes {
    Bits128(Box<Aes128>),
    Bits192(Box<Aes192>),
    Bits256(Box<Aes256>),
}

impl Aes {
    /// `None`: the key has neither 16, 24 nor 32 bytes.
    pub(super) fn new(key: &[u8]) -> Option<Self> {
        Some(match key.len() {
            16 => Self::Bits128(Box::new(Aes128::new_from_slice(key).ok()?)),
            24 => Self::Bits192(Box::new(Aes192::new_from_slice(key).ok()?)),
            32 => Self::Bits256(Box::new(Aes256::new_from_slice(key).ok()?)),
            _ => return None,
        })
    }

    fn encrypt(&self, block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
        let mut block = Block::from(block);
        match self {
            Self::Bits128(aes) => aes.encrypt_block(&mut block),
            Self::Bits192(aes) => aes.encrypt_block(&mut block),
            Self::Bits256(aes) => aes.encrypt_block(&mut block),
        }
        block.into()
    }

    fn decrypt(&self, block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
        let mut block = Block::from(block);
        match self {
            Self::Bits128(aes) => aes.decrypt_block(&mut block),
            Self::Bits192(aes) => aes.decrypt_block(&mut block),
            Self::Bits256(aes) => aes.decrypt_block(&mut block),
        }
        block.into()
    }

    /// CBC with PKCS #7 padding.
    pub(super) fn cbc_encrypt(&self, iv: &[u8; BLOCK_BYTES], data: &[u8]) -> Vec<u8> {
        let pad = BLOCK_BYTES - data.len() % BLOCK_BYTES;
        let mut bytes = data.to_vec();
        bytes.resize(data.len() + pad, pad as u8);
        let mut before = *iv;
        for block in bytes.as_chunks_mut::<BLOCK_BYTES>().0 {
            *block = self.encrypt(xor(block, &before));
            before = *block;
        }
        bytes
    }

    /// `None`: not whole blocks, or no padding at the end.
    pub(super) fn cbc_decrypt(&self, iv: &[u8; BLOCK_BYTES], data: &[u8]) -> Option<Vec<u8>> {
        let (blocks, rest) = data.as_chunks::<BLOCK_BYTES>();
        if !rest.is_empty() {
            return None;
        }
        let mut bytes = Vec::with_capacity(data.len());
        let mut before = iv;
        for block in blocks {
            bytes.extend_from_slice(&xor(&self.decrypt(*block), before));
            before = block;
        }
        let pad = usize::from(*bytes.last()?);
        let end = bytes.len().checked_sub(pad)?;
        let is_padding =
            (1..=BLOCK_BYTES).contains(&pad) && bytes.get(end..)?.iter().all(|b| usize::from(*b) == pad);
        bytes.truncate(end);
        is_padding.then_some(bytes)
    }

    /// CTR, whose last `counter_bits` (1 to 128) count and wrap.
    pub(super) fn ctr(&self, counter: &[u8; BLOCK_BYTES], counter_bits: u32, data: &[u8]) -> Vec<u8> {
        let begin = u128::from_be_bytes(*counter);
        let mask = u128::MAX >> 128_u32.saturating_sub(counter_bits).min(127);
        let mut bytes = data.to_vec();
        for (index, part) in bytes.chunks_mut(BLOCK_BYTES).enumerate() {
            let counted = begin & !mask | begin.wrapping_add(index as u128) & mask;
            let stream = self.encrypt(counted.to_be_bytes());
            part.iter_mut().zip(stream).for_each(|(byte, more)| *byte ^= more);
        }
        bytes
    }

    /// GCM: what is encrypted, and its whole tag of 16 bytes. `data` is the plain text of one direction and the encrypted text of the other.
    fn gcm(&self, iv: &[u8], data: &[u8], more: &[u8], is_encrypted: bool) -> (Vec<u8>, [u8; BLOCK_BYTES]) {
        let subkey = self.encrypt([0; BLOCK_BYTES]);
        let hash = |parts: [&[u8]; 2]| -> [u8; BLOCK_BYTES] {
            let mut hash = ghash::GHash::new(&subkey.into());
            parts.iter().for_each(|part| hash.update_padded(part));
            let [first, second] = parts.map(|part| (part.len() as u128) * 8);
            hash.update(&[(first << 64 | second).to_be_bytes().into()]);
            hash.finalize().into()
        };
        // Section 7.1, step 2.
        let first = match <[u8; 12]>::try_from(iv) {
            Ok(iv) => {
                u128::from_be_bytes(std::array::from_fn(|at| iv.get(at).copied().unwrap_or_default())) | 1
            }
            Err(_) => u128::from_be_bytes(hash([&[], iv])),
        };
        let next = first & !0xffff_ffff | u128::from((first as u32).wrapping_add(1));
        let turned = self.ctr(&next.to_be_bytes(), 32, data);
        let tag = hash([more, if is_encrypted { data } else { &turned }]);
        (turned, xor(&tag, &self.encrypt(first.to_be_bytes())))
    }

    /// GCM with a tag of `tag_bytes` behind what is encrypted.
    pub(super) fn gcm_encrypt(&self, iv: &[u8], data: &[u8], more: &[u8], tag_bytes: usize) -> Vec<u8> {
        let (mut bytes, tag) = self.gcm(iv, data, more, false);
        bytes.extend(tag.into_iter().take(tag_bytes));
        bytes
    }

    /// `None`: it was changed, or is shorter than its tag.
    pub(super) fn gcm_decrypt(
        &self,
        iv: &[u8],
        data: &[u8],
        more: &[u8],
        tag_bytes: usize,
    ) -> Option<Vec<u8>> {
        let (data, given) = data.split_at_checked(data.len().checked_sub(tag_bytes)?)?;
        let (bytes, tag) = self.gcm(iv, data, more, true);
        is_same(given, tag.get(..tag_bytes)?).then_some(bytes)
    }

    /// Key wrapping; the key has whole eighths of a block, two at least, or it is `None`.
    pub(super) fn wrap(&self, key: &[u8]) -> Option<Vec<u8>> {
        let (halves, rest) = key.as_chunks::<8>();
        if halves.len() < 2 || !rest.is_empty() {
            return None;
        }
        let mut halves = halves.to_vec();
        let mut first = WRAP_BEGIN;
        let mut count = 0_u64;
        for _ in 0..6 {
            for half in &mut halves {
                count += 1;
                let [high, low] = split(self.encrypt(join(first, *half)));
                first = (u64::from_be_bytes(high) ^ count).to_be_bytes();
                *half = low;
            }
        }
        Some([&first[..], halves.as_flattened()].concat())
    }

    /// `None`: no wrapped key, or not with this key.
    pub(super) fn unwrap(&self, wrapped: &[u8]) -> Option<Vec<u8>> {
        let (all, rest) = wrapped.as_chunks::<8>();
        let ([first, halves @ ..], []) = (all, rest) else { return None };
        let (mut first, mut halves) = (*first, halves.to_vec());
        let mut count = 6 * halves.len() as u64;
        for _ in 0..6 {
            for half in halves.iter_mut().rev() {
                let before = (u64::from_be_bytes(first) ^ count).to_be_bytes();
                [first, *half] = split(self.decrypt(join(before, *half)));
                count -= 1;
            }
        }
        (halves.len() >= 2 && is_same(&first, &WRAP_BEGIN)).then(|| halves.as_flattened().to_vec())
    }
}

/// RFC 3394 section 2.2.3.1.
const WRAP_BEGIN: [u8; 8] = [0xa6; 8];

fn join(high: [u8; 8], low: [u8; 8]) -> [u8; BLOCK_BYTES] {
    (u128::from(u64::from_be_bytes(high)) << 64 | u128::from(u64::from_be_bytes(low))).to_be_bytes()
}

fn split(block: [u8; BLOCK_BYTES]) -> [[u8; 8]; 2] {
    let both = u128::from_be_bytes(block);
    [((both >> 64) as u64).to_be_bytes(), (both as u64).to_be_bytes()]
}

fn xor(one: &[u8; BLOCK_BYTES], other: &[u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
    (u128::from_ne_bytes(*one) ^ u128::from_ne_bytes(*other)).to_ne_bytes()
}

/// Whether two texts are the same, in a time that does not tell where they differ.
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::super::tests::bytes;
    use super::*;

    /// NIST SP 800-38A, F.2.1 and F.5.1: the first two blocks of each.
    #[test]
    fn cbc_and_ctr_are_those_of_the_standard() {
        let aes = Aes::new(&bytes("2b7e151628aed2a6abf7158809cf4f3c")).unwrap();
        let plain = bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
        let iv = std::array::from_fn(|at| at as u8);
        let encrypted = aes.cbc_encrypt(&iv, &plain);
        let expected = bytes("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
        assert_eq!(encrypted[..32], expected);
        assert_eq!(aes.cbc_decrypt(&iv, &encrypted), Some(plain.clone()));
        assert_eq!(aes.cbc_decrypt(&iv, &expected), None, "no padding");
        assert_eq!(aes.cbc_decrypt(&iv, &encrypted[..33]), None);
        assert_eq!(aes.cbc_decrypt(&iv, &[]), None);
        let counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").try_into().unwrap();
        let expected = bytes("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff");
        assert_eq!(aes.ctr(&counter, 128, &plain), expected);
        assert_eq!(aes.ctr(&counter, 16, &plain), expected);
        assert_ne!(aes.ctr(&counter, 8, &plain), expected, "the last byte wraps alone");
    }

    /// The GCM specification's (McGrew and Viega) test cases 4, 5 and 6: with more data, and with short and long IVs.
    #[test]
    fn gcm_is_that_of_the_specification() {
        let aes = Aes::new(&bytes("feffe9928665731c6d6a8f9467308308")).unwrap();
        let plain = bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
             b16aedf5aa0de657ba637b39",
        );
        let more = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
        let check = |iv: &str, expected_begin: &str, expected_tag: &str| {
            let encrypted = aes.gcm_encrypt(&bytes(iv), &plain, &more, 16);
            assert_eq!(encrypted[..8], bytes(expected_begin));
            assert_eq!(encrypted[60..], bytes(expected_tag));
            assert_eq!(aes.gcm_decrypt(&bytes(iv), &encrypted, &more, 16), Some(plain.clone()));
            let mut changed = encrypted.clone();
            changed[3] ^= 1;
            assert_eq!(aes.gcm_decrypt(&bytes(iv), &changed, &more, 16), None);
            assert_eq!(aes.gcm_decrypt(&bytes(iv), &encrypted, &[], 16), None);
            let short = aes.gcm_encrypt(&bytes(iv), &plain, &more, 4);
            assert_eq!(short.len(), 64);
            assert_eq!(aes.gcm_decrypt(&bytes(iv), &short, &more, 4), Some(plain.clone()));
        };
        check("cafebabefacedbaddecaf888", "42831ec221777424", "5bc94fbc3221a5db94fae95ae7121a47");
        check("cafebabefacedbad", "61353b4c2806934a", "3612d2e79e3b0785561be14aaca2fccb");
        let long = "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b5254\
                    16aedbf5a0de6a57a637b39b";
        check(long, "8ce24998625615b6", "619cc5aefffe0bfa462af43c1699d050");
    }

    /// RFC 3394 section 4.1 and 4.6.
    #[test]
    fn wrapped_keys_are_those_of_the_standard() {
        let check = |wrapping: &str, key: &str, expected: &str| {
            let aes = Aes::new(&bytes(wrapping)).unwrap();
            let wrapped = aes.wrap(&bytes(key)).unwrap();
            assert_eq!(wrapped, bytes(expected));
            assert_eq!(aes.unwrap(&wrapped), Some(bytes(key)));
            assert_eq!(aes.unwrap(&wrapped[..16]), None);
            assert_eq!(aes.unwrap(&[0; 24]), None);
        };
        check(
            "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff",
            "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5",
        );
        check(
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f",
            "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21",
        );
        assert!(Aes::new(&[0; 17]).is_none());
    }
}
