//! Keys as others read them: SubjectPublicKeyInfo (RFC 5280 section 4.1, RFC 5480) and PrivateKeyInfo (RFC 5208, RFC 5915) around RSA's and the curves' own
//! forms.

use super::curves::{CURVES, Curve};
use super::rsa::{Private, Public};
use crate::der::{self, BYTES, NULL, OID, Reader, SEQUENCE, element};

/// rsaEncryption, RFC 8017 appendix A.1.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// id-ecPublicKey, RFC 5480 section 2.1.1.
const ON_CURVE: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];

/// What a key is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rsa,
    On(Curve),
}

impl Kind {
    /// `RSA` or a curve's name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "RSA" => Some(Self::Rsa),
            name => Curve::named(name).map(Self::On),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rsa => "RSA",
            Self::On(curve) => {
                CURVES.iter().find(|(known, ..)| *known == curve).map_or("", |(_, name, _)| name)
            }
        }
    }

    /// AlgorithmIdentifier.
    fn der(self) -> Vec<u8> {
        let (name, of) = match self {
            Self::Rsa => (RSA, element(NULL, &[])),
            Self::On(curve) => {
                let oid = CURVES.iter().find(|(known, ..)| *known == curve).map_or(&[][..], |(.., oid)| oid);
                (ON_CURVE, element(OID, &[oid]))
            }
        };
        element(SEQUENCE, &[&element(OID, &[name]), &of])
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut parts = reader.within(SEQUENCE)?;
        match parts.content(OID)? {
            RSA => Some(Self::Rsa),
            ON_CURVE => {
                let of = parts.content(OID)?;
                CURVES.into_iter().find(|(.., oid)| *oid == of).map(|(curve, ..)| Self::On(curve))
            }
            _ => None,
        }
    }
}

/// SubjectPublicKeyInfo of a public key.
pub(super) fn spki(kind: Kind, key: &[u8]) -> Vec<u8> {
    element(SEQUENCE, &[&kind.der(), &der::bits(key)])
}

/// A public key in the form that it is kept in. `None`: it is none, or of another kind than those there are.
pub(super) fn of_spki(bytes: &[u8]) -> Option<(Kind, Vec<u8>)> {
    let mut reader = Reader::new(bytes);
    let mut parts = reader.within(SEQUENCE).filter(|_| reader.is_empty())?;
    let kind = Kind::read(&mut parts)?;
    let key = parts.bits()?;
    let key = match kind {
        Kind::Rsa => Public::of_der(key)?.der(),
        Kind::On(curve) => curve.point(key)?,
    };
    Some((kind, key))
}

/// PrivateKeyInfo of a private key; `None`: it is none.
pub(super) fn pkcs8(kind: Kind, key: &[u8]) -> Option<Vec<u8>> {
    let inner = match kind {
        Kind::Rsa => key.to_vec(),
        Kind::On(curve) => {
            // RFC 5915 section 3, with the public key and without the curve, which stands outside.
            let public = element(0xa1, &[&der::bits(&curve.public(key)?)]);
            element(SEQUENCE, &[&der::integer(&[1]), &element(BYTES, &[key]), &public])
        }
    };
    Some(element(SEQUENCE, &[&der::integer(&[0]), &kind.der(), &element(BYTES, &[&inner])]))
}

/// A private key in the form that it is kept in. `None`: as above.
pub(super) fn of_pkcs8(bytes: &[u8]) -> Option<(Kind, Vec<u8>)> {
    let mut reader = Reader::new(bytes);
    let mut parts = reader.within(SEQUENCE).filter(|_| reader.is_empty())?;
    parts.integer()?;
    let kind = Kind::read(&mut parts)?;
    let inner = parts.content(BYTES)?;
    let key = match kind {
        Kind::Rsa => Private::of_der(inner)?.der(),
        Kind::On(curve) => {
            let mut parts = Reader::new(inner).within(SEQUENCE)?;
            parts.integer().filter(|version| *version == [1])?;
            // Some writers leave out the zeros before it.
            let given = der::trimmed(parts.content(BYTES)?);
            let mut scalar = vec![0; curve.size_bytes().checked_sub(given.len())?];
            scalar.extend_from_slice(given);
            curve.public(&scalar)?;
            scalar
        }
    };
    Some((kind, key))
}
