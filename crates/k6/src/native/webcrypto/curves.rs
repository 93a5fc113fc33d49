//! The curves of NIST, P-256, P-384 and P-521: keys, ECDSA (FIPS 186-5) and ECDH (SP 800-56A). The arithmetic is RustCrypto's, in constant time.
//! Private keys are the scalar, public ones the point without compression; signatures are r and s behind one another.

use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};

/// One of the curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    P256,
    P384,
    P521,
}

/// Runs the same code with the crate of a curve.
macro_rules! with_curve {
    ($curve:expr, $of:ident => $work:expr) => {
        match $curve {
            Curve::P256 => {
                use p256 as $of;
                $work
            }
            Curve::P384 => {
                use p384 as $of;
                $work
            }
            Curve::P521 => {
                use p521 as $of;
                $work
            }
        }
    };
}

/// Curves with WebCrypto's names and the identifiers of RFC 5480 section 2.1.1.1.
pub(super) const CURVES: [(Curve, &str, &[u8]); 3] = [
    (Curve::P256, "P-256", &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]),
    (Curve::P384, "P-384", &[0x2b, 0x81, 0x04, 0x00, 0x22]),
    (Curve::P521, "P-521", &[0x2b, 0x81, 0x04, 0x00, 0x23]),
];

impl Curve {
    /// `None`: there is no such curve.
    pub(super) fn named(name: &str) -> Option<Self> {
        CURVES.into_iter().find(|(_, known, _)| *known == name).map(|(curve, ..)| curve)
    }

    /// Bytes of a coordinate and of a scalar.
    pub(super) fn size_bytes(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// A private key of random bytes, of which it asks for more until they are one.
    pub(super) fn generate(
        self,
        mut random: impl FnMut(usize) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, String> {
        loop {
            let mut bytes = random(self.size_bytes())?;
            if let (Self::P521, Some(first)) = (self, bytes.first_mut()) {
                // 521 bits are 65 bytes and one bit.
                *first &= 1;
            }
            if self.public(&bytes).is_some() {
                return Ok(bytes);
            }
        }
    }

    /// The public key of a private one; `None`: it is none of this curve.
    pub(super) fn public(self, scalar: &[u8]) -> Option<Vec<u8>> {
        if scalar.len() != self.size_bytes() {
            return None;
        }
        with_curve!(self, of => {
            let key = of::SecretKey::from_slice(scalar).ok()?.public_key();
            point_of(self, of::Sec1Point::from(key).as_bytes())
        })
    }

    /// A public key without compression; `None`: it is no point of this curve.
    pub(super) fn point(self, bytes: &[u8]) -> Option<Vec<u8>> {
        with_curve!(self, of => {
            let key = of::PublicKey::from_sec1_bytes(bytes).ok()?;
            point_of(self, of::Sec1Point::from(key).as_bytes())
        })
    }

    /// ECDSA of a digest, of whatever length. The number that must never be used twice is made of key and digest (RFC 6979).
    pub(super) fn sign(self, scalar: &[u8], digest: &[u8]) -> Option<Vec<u8>> {
        with_curve!(self, of => {
            let key = of::ecdsa::SigningKey::from_slice(scalar).ok()?;
            let signature: of::ecdsa::Signature = key.sign_prehash(digest).ok()?;
            Some(signature.to_bytes().to_vec())
        })
    }

    pub(super) fn is_signature(self, point: &[u8], digest: &[u8], signature: &[u8]) -> bool {
        let check = || -> Option<bool> {
            with_curve!(self, of => {
                let key = of::ecdsa::VerifyingKey::from_sec1_bytes(point).ok()?;
                let signature = of::ecdsa::Signature::from_slice(signature).ok()?;
                Some(key.verify_prehash(digest, &signature).is_ok())
            })
        };
        check().unwrap_or_default()
    }

    /// What two keys have in common: the first coordinate of their point.
    pub(super) fn common(self, scalar: &[u8], point: &[u8]) -> Option<Vec<u8>> {
        with_curve!(self, of => {
            let scalar = of::SecretKey::from_slice(scalar).ok()?;
            let point = of::PublicKey::from_sec1_bytes(point).ok()?;
            Some(scalar.diffie_hellman(&point).raw_secret_bytes().to_vec())
        })
    }
}

/// A point as it is kept, if it is not compressed.
fn point_of(curve: Curve, bytes: &[u8]) -> Option<Vec<u8>> {
    let is_whole = bytes.len() == 1 + 2 * curve.size_bytes() && bytes.first() == Some(&4);
    is_whole.then(|| bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::tests::bytes;
    use super::*;
    use crate::native::crypto::Hasher;

    /// RFC 6979, A.2.5 to A.2.7: "sample" with SHA-1 and SHA-512 for P-256 and P-521, so digests shorter and longer than the key.
    #[test]
    fn signatures_are_those_of_the_standard() {
        let digest = |algorithm: &str| {
            let mut hasher = Hasher::new(algorithm).unwrap();
            hasher.update(b"sample");
            hasher.digest()
        };
        let check = |curve: Curve, scalar: &str, algorithm: &str, expected_r: &str| {
            let scalar = bytes(scalar);
            let public = curve.public(&scalar).unwrap();
            let signature = curve.sign(&scalar, &digest(algorithm)).unwrap();
            assert!(curve.is_signature(&public, &digest(algorithm), &signature), "{algorithm}");
            assert!(!curve.is_signature(&public, &digest("md5"), &signature), "{algorithm}");
            assert!(!curve.is_signature(&public, &digest(algorithm), &signature[1..]));
            assert_eq!(signature[..curve.size_bytes()], bytes(expected_r), "{curve:?} {algorithm}");
        };
        let scalar = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
        check(
            Curve::P256,
            scalar,
            "sha256",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
        );
        let scalar = "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5";
        check(
            Curve::P384,
            scalar,
            "sha384",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46",
        );
        let scalar = "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc\
                      1466f6d8fbec67db89ec0c08b0e996b83538";
        check(
            Curve::P521,
            scalar,
            "sha512",
            "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b53\
             4931d7d4e8455cc91f9b15bf05ec36e377fa",
        );
        for (curve, ..) in CURVES {
            let scalar = curve.generate(crate::native::crypto::random).unwrap();
            let public = curve.public(&scalar).unwrap();
            for algorithm in ["sha1", "sha256", "sha384", "sha512"] {
                let signature = curve.sign(&scalar, &digest(algorithm)).unwrap();
                assert!(curve.is_signature(&public, &digest(algorithm), &signature), "{curve:?} {algorithm}");
            }
        }
    }

    /// RFC 5903 section 8.1; and what is no key is none.
    #[test]
    fn a_common_secret_is_that_of_the_standard() {
        let one = bytes("c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433");
        let other = bytes("c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53");
        let expected = bytes("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de");
        let curve = Curve::P256;
        let (first, second) = (curve.public(&one).unwrap(), curve.public(&other).unwrap());
        assert_eq!(curve.common(&one, &second), Some(expected.clone()));
        assert_eq!(curve.common(&other, &first), Some(expected));
        for (curve, ..) in CURVES {
            assert_eq!(curve.public(&vec![0; curve.size_bytes()]), None);
            assert_eq!(curve.public(&vec![0xff; curve.size_bytes()]), None);
            let mut point = vec![4];
            point.resize(1 + 2 * curve.size_bytes(), 1);
            assert_eq!(curve.point(&point), None, "not on the curve");
            assert_eq!(curve.point(&[0]), None, "the point at infinity");
        }
    }
}
