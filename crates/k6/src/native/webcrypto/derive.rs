//! Keys of passwords and of other keys: PBKDF2 (RFC 8018 section 5.2) and HKDF (RFC 5869), both `ring`'s, whose code TLS links anyhow.

use ring::{hkdf, pbkdf2};
use std::num::NonZeroU32;

/// PBKDF2 with HMAC. `None`: there is no such digest.
pub(super) fn of_password(
    algorithm: &str,
    password: &[u8],
    salt: &[u8],
    rounds: NonZeroU32,
    count: usize,
) -> Option<Vec<u8>> {
    let algorithm = match algorithm {
        "sha1" => pbkdf2::PBKDF2_HMAC_SHA1,
        "sha256" => pbkdf2::PBKDF2_HMAC_SHA256,
        "sha384" => pbkdf2::PBKDF2_HMAC_SHA384,
        "sha512" => pbkdf2::PBKDF2_HMAC_SHA512,
        _ => return None,
    };
    let mut derived = vec![0; count];
    pbkdf2::derive(algorithm, rounds, salt, password, &mut derived);
    Some(derived)
}

/// How many bytes are wanted.
struct Count(usize);

impl hkdf::KeyType for Count {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF. `None`: there is no such digest, or more is wanted than 255 of them.
pub(super) fn of_key(algorithm: &str, key: &[u8], salt: &[u8], info: &[u8], count: usize) -> Option<Vec<u8>> {
    let algorithm = match algorithm {
        "sha1" => hkdf::HKDF_SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => hkdf::HKDF_SHA256,
        "sha384" => hkdf::HKDF_SHA384,
        "sha512" => hkdf::HKDF_SHA512,
        _ => return None,
    };
    let mut derived = vec![0; count];
    let info = [info];
    let key = hkdf::Salt::new(algorithm, salt).extract(key);
    key.expand(&info, Count(count)).ok()?.fill(&mut derived).ok()?;
    Some(derived)
}

#[cfg(test)]
mod tests {
    use super::super::tests::bytes;
    use super::*;

    /// RFC 6070, RFC 7914 section 11, RFC 5869 appendix A.
    #[test]
    fn derived_keys_are_those_of_the_standards() {
        let rounds = |count| NonZeroU32::new(count).unwrap();
        let derived = of_password("sha1", b"password", b"salt", rounds(4096), 20);
        assert_eq!(derived, Some(bytes("4b007901b765489abead49d926f721d065a429c1")));
        let derived = of_password("sha256", b"passwd", b"salt", rounds(1), 16);
        assert_eq!(derived, Some(bytes("55ac046e56e3089fec1691c22544b605")));
        assert_eq!(of_password("md5", b"", b"", rounds(1), 1), None);
        let (key, salt) =
            (bytes("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), bytes("000102030405060708090a0b0c"));
        let derived = of_key("sha256", &key, &salt, &bytes("f0f1f2f3f4f5f6f7f8f9"), 42).unwrap();
        let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865";
        assert_eq!(derived, bytes(expected));
        assert_eq!(of_key("sha256", &key, &salt, &[], 255 * 32 + 1), None);
    }
}
