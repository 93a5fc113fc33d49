//! Native part of `k6/crypto/x509`: what a certificate says of itself (RFC 5280 section 4.1), as a JSON text that `modules/x509.js` makes values of. Nothing
//! is checked: neither signatures nor dates nor chains.

use super::bytes_of;
use super::crypto::{Hasher, hex};
use crate::der::{BYTES, INTEGER, OID, Reader, SEQUENCE, SET, trimmed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use js::rquickjs::{Ctx, Exception, Function, Object, Result, Value};
use serde_json::json;
use std::net::IpAddr;

/// Identifiers of what signs, with the names of Go's `crypto/x509`.
const SIGNATURES: [(&str, &str); 13] = [
    ("1.2.840.113549.1.1.2", "MD2-RSA"),
    ("1.2.840.113549.1.1.4", "MD5-RSA"),
    ("1.2.840.113549.1.1.5", "SHA1-RSA"),
    ("1.2.840.113549.1.1.11", "SHA256-RSA"),
    ("1.2.840.113549.1.1.12", "SHA384-RSA"),
    ("1.2.840.113549.1.1.13", "SHA512-RSA"),
    ("1.2.840.10040.4.3", "DSA-SHA1"),
    ("2.16.840.1.101.3.4.3.2", "DSA-SHA256"),
    ("1.2.840.10045.4.1", "ECDSA-SHA1"),
    ("1.2.840.10045.4.3.2", "ECDSA-SHA256"),
    ("1.2.840.10045.4.3.3", "ECDSA-SHA384"),
    ("1.2.840.10045.4.3.4", "ECDSA-SHA512"),
    ("1.3.101.112", "Ed25519"),
];
/// RSASSA-PSS, whose parameters say the digest.
const PSS: &str = "1.2.840.113549.1.1.10";
/// Digests that it may have, with as many bytes of salt.
const PSS_DIGESTS: [(&str, &str, u8); 3] = [
    ("2.16.840.1.101.3.4.2.1", "SHA256-RSAPSS", 32),
    ("2.16.840.1.101.3.4.2.2", "SHA384-RSAPSS", 48),
    ("2.16.840.1.101.3.4.2.3", "SHA512-RSAPSS", 64),
];
/// Other names of a subject, RFC 5280 section 4.2.1.6.
const ALT_NAMES: &str = "2.5.29.17";

/// `read(pem, whole)`: JSON of all of a certificate, or without `whole` without its public key, which may be of a kind that is not known.
pub(super) fn module<'js>(ctx: &Ctx<'js>, module: &Object<'js>) -> Result<()> {
    let read = |ctx: Ctx<'js>, pem: Value<'js>, is_whole: bool| -> Result<String> {
        let given = match pem.is_undefined() || pem.is_null() {
            true => Some(Vec::new()),
            false => bytes_of(&pem),
        };
        let said = |message: &str| Exception::throw_message(&ctx, message);
        let given =
            given.ok_or_else(|| Exception::throw_type(&ctx, "a certificate is a text in PEM form"))?;
        let der = of_pem(&String::from_utf8_lossy(&given));
        let der = der.ok_or_else(|| said("failed to decode certificate PEM file"))?;
        let malformed = "failed to parse certificate: x509: malformed certificate";
        let mut found = certificate(&der).ok_or_else(|| said(malformed))?;
        let key = found.get_mut("spki").map(serde_json::Value::take);
        if is_whole {
            let key =
                key.and_then(|key| STANDARD.decode(key.as_str()?).ok()).and_then(|spki| public_key(&spki));
            found["publicKey"] = key.ok_or_else(|| said("unsupported public key algorithm"))?;
        }
        Ok(found.to_string())
    };
    module.set("read", Function::new(ctx.clone(), read)?)
}

/// The bytes of the first block, whatever it calls itself; `None`: there is none.
fn of_pem(text: &str) -> Option<Vec<u8>> {
    let begin = text.find("-----BEGIN ")?;
    let (_, inner) = text.get(begin..)?.split_once('\n')?;
    let (inner, _) = inner.split_once("-----END ")?;
    // Headers end with an empty line.
    let inner = if inner.contains(':') { inner.split_once("\n\n")?.1 } else { inner };
    let digits: String = inner.chars().filter(|letter| !letter.is_whitespace()).collect();
    STANDARD.decode(digits).ok()
}

/// An identifier in its usual form.
fn dotted(oid: &[u8]) -> Option<String> {
    let mut numbers = Vec::new();
    let mut number = 0_u64;
    for byte in oid {
        number = number.checked_mul(128)?.checked_add(u64::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            numbers.push(std::mem::take(&mut number));
        }
    }
    // X.690 section 8.19.4: the first two are one.
    let first = numbers.first().copied()?;
    let (high, low) = (first.min(80) / 40, first - first.min(80) / 40 * 40);
    let rest: String = numbers.iter().skip(1).map(|number| format!(".{number}")).collect();
    Some(format!("{high}.{low}{rest}"))
}

/// A text in one of the forms that names have.
fn text(tag: u8, content: &[u8]) -> String {
    match tag {
        // BMPString.
        0x1e => {
            let units: Vec<u16> =
                content.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
            String::from_utf16_lossy(&units)
        }
        // TeletexString, which everybody takes for Latin-1.
        0x14 => content.iter().map(|byte| char::from(*byte)).collect(),
        _ => String::from_utf8_lossy(content).into_owned(),
    }
}

/// Parts of a name, by identifier, in order.
fn name(mut sequence: Reader<'_>) -> Option<Vec<(String, String)>> {
    let mut parts = Vec::new();
    while !sequence.is_empty() {
        let mut set = sequence.within(SET)?;
        while !set.is_empty() {
            let mut pair = set.within(SEQUENCE)?;
            let kind = dotted(pair.content(OID)?)?;
            let (tag, content, _) = pair.element()?;
            parts.push((kind, text(tag, content)));
        }
    }
    Some(parts)
}

/// A name as k6 shows it: the first of each part, and the last common name.
fn shown(parts: &[(String, String)], is_subject: bool) -> serde_json::Value {
    let all = |kind: &'static str| {
        parts.iter().filter(move |(known, _)| known == kind).map(|(_, value)| value.as_str())
    };
    let first = |kind: &'static str| all(kind).next().unwrap_or_default();
    let names: Vec<_> = parts.iter().map(|(kind, value)| json!({ "type": kind, "value": value })).collect();
    let common = all("2.5.4.3").next_back().unwrap_or_default();
    let (country, state, place) = (first("2.5.4.6"), first("2.5.4.8"), first("2.5.4.7"));
    if !is_subject {
        return json!({
            "commonName": common, "country": country, "stateOrProvinceName": state, "localityName": place,
            "organizationName": first("2.5.4.10"), "names": names,
        });
    }
    json!({
        "commonName": common, "country": country, "postalCode": first("2.5.4.17"), "stateOrProvinceName": state,
        "localityName": place, "streetAddress": first("2.5.4.9"), "organizationName": first("2.5.4.10"),
        "organizationalUnitName": all("2.5.4.11").collect::<Vec<_>>(), "names": names,
    })
}

/// `2026-11-21T12:04:54Z` of UTCTime and GeneralizedTime, RFC 5280 section 4.1.2.5.
fn time(reader: &mut Reader<'_>) -> Option<String> {
    let (tag, content, _) = reader.element()?;
    let digits = std::str::from_utf8(content).ok()?.strip_suffix('Z')?;
    let digits = match tag {
        0x17 => format!("{}{digits}", if digits.get(..2)? < "50" { "20" } else { "19" }),
        0x18 => digits.to_owned(),
        _ => return None,
    };
    if digits.len() != 14 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |begin: usize, end: usize| digits.get(begin..end).unwrap_or_default();
    let date = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
    Some(format!("{date}T{}:{}:{}Z", part(8, 10), part(10, 12), part(12, 14)))
}

/// The name of what signed, of an AlgorithmIdentifier.
fn signature(mut algorithm: Reader<'_>) -> Option<&'static str> {
    let kind = dotted(algorithm.content(OID)?)?;
    if kind == PSS {
        let of_parameters = |mut algorithm: Reader<'_>| {
            let mut parameters = algorithm.within(SEQUENCE)?;
            let digest = dotted(parameters.within(0xa0)?.within(SEQUENCE)?.content(OID)?)?;
            let mut mask = parameters.within(0xa1)?.within(SEQUENCE)?;
            mask.content(OID)?;
            let of_mask = dotted(mask.within(SEQUENCE)?.content(OID)?)?;
            let salt = parameters.within(0xa2)?.integer()?.to_vec();
            let known = PSS_DIGESTS.into_iter().find(|(known, ..)| *known == digest)?;
            (of_mask == digest && salt == [known.2]).then_some(known.1)
        };
        return Some(of_parameters(algorithm).unwrap_or("UnknownSignatureAlgorithm"));
    }
    let known = SIGNATURES.into_iter().find(|(known, _)| *known == kind);
    Some(known.map_or("UnknownSignatureAlgorithm", |(_, name)| name))
}

/// Names of the extension, in Go's order: hosts, mail addresses, IP addresses, URIs.
fn alt_names(extensions: &mut Reader<'_>) -> Option<Vec<String>> {
    let mut all = extensions.within(SEQUENCE)?;
    while !all.is_empty() {
        let mut extension = all.within(SEQUENCE)?;
        if dotted(extension.content(OID)?)? != ALT_NAMES {
            continue;
        }
        extension.content(0x01);
        let mut names = Reader::new(extension.content(BYTES)?).within(SEQUENCE)?;
        let mut found: [Vec<String>; 4] = Default::default();
        while !names.is_empty() {
            let (tag, content, _) = names.element()?;
            let (place, text) = match tag {
                0x82 => (0, text(tag, content)),
                0x81 => (1, text(tag, content)),
                0x87 => (2, address(content)?),
                0x86 => (3, text(tag, content)),
                _ => continue,
            };
            found.get_mut(place)?.push(text);
        }
        return Some(found.concat());
    }
    Some(Vec::new())
}

fn address(content: &[u8]) -> Option<String> {
    let address = match content.len() {
        4 => IpAddr::from(<[u8; 4]>::try_from(content).ok()?),
        16 => IpAddr::from(<[u8; 16]>::try_from(content).ok()?).to_canonical(),
        _ => return None,
    };
    Some(address.to_string())
}

/// All of a certificate but its public key, which stands as `spki`. `None`: it is none.
fn certificate(der: &[u8]) -> Option<serde_json::Value> {
    let mut outer = Reader::new(der).within(SEQUENCE)?;
    let mut parts = outer.within(SEQUENCE)?;
    let signature = signature(outer.within(SEQUENCE)?)?;
    // The version, unless it is the first.
    parts.content(0xa0);
    parts.content(INTEGER)?;
    parts.content(SEQUENCE)?;
    let issuer = name(parts.within(SEQUENCE)?)?;
    let mut dates = parts.within(SEQUENCE)?;
    let (not_before, not_after) = (time(&mut dates)?, time(&mut dates)?);
    let subject = name(parts.within(SEQUENCE)?)?;
    let (_, _, spki) = parts.element().filter(|(tag, ..)| *tag == SEQUENCE)?;
    parts.content(0x81);
    parts.content(0x82);
    let alt_names = match parts.within(0xa3) {
        Some(mut extensions) => alt_names(&mut extensions)?,
        None => Vec::new(),
    };
    let mut sha1 = Hasher::new("sha1")?;
    sha1.update(der);
    Some(json!({
        "subject": shown(&subject, true),
        "issuer": shown(&issuer, false),
        "notBefore": not_before,
        "notAfter": not_after,
        "altNames": alt_names,
        "signatureAlgorithm": signature,
        "fingerPrint": sha1.digest(),
        "spki": STANDARD.encode(spki),
    }))
}

/// Numbers of a public key as digits; `None`: it is of a kind that is not known.
fn public_key(spki: &[u8]) -> Option<serde_json::Value> {
    let mut parts = Reader::new(spki).within(SEQUENCE)?;
    let mut algorithm = parts.within(SEQUENCE)?;
    let kind = dotted(algorithm.content(OID)?)?;
    let digits = |bytes: &[u8]| hex(trimmed(bytes));
    let key = parts.clone().bits();
    match kind.as_str() {
        "1.2.840.113549.1.1.1" => {
            let mut numbers = Reader::new(key?).within(SEQUENCE)?;
            Some(
                json!({ "algorithm": "RSA", "n": digits(numbers.integer()?), "e": digits(numbers.integer()?) }),
            )
        }
        "1.2.840.10045.2.1" => {
            let curve = match dotted(algorithm.content(OID)?)?.as_str() {
                "1.3.132.0.33" => "P-224",
                "1.2.840.10045.3.1.7" => "P-256",
                "1.3.132.0.34" => "P-384",
                "1.3.132.0.35" => "P-521",
                _ => return None,
            };
            let (form, point) = key?.split_first()?;
            let (x, y) = point.split_at_checked(point.len() / 2).filter(|_| *form == 4)?;
            Some(json!({ "algorithm": "ECDSA", "curve": curve, "x": digits(x), "y": digits(y) }))
        }
        "1.2.840.10040.4.1" => {
            let mut numbers = algorithm.within(SEQUENCE)?;
            let [p, q, g] = [numbers.integer()?, numbers.integer()?, numbers.integer()?].map(digits);
            let y = digits(Reader::new(key?).integer()?);
            Some(json!({ "algorithm": "DSA", "p": p, "q": q, "g": g, "y": y }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_written_with_dots() {
        assert_eq!(dotted(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]).unwrap(), "1.2.840.113549");
        assert_eq!(dotted(&[0x55, 0x04, 0x03]).unwrap(), "2.5.4.3");
        assert_eq!(dotted(&[0x88, 0x37]).unwrap(), "2.999");
        assert_eq!(dotted(&[]), None);
    }

    #[test]
    fn dates_of_both_forms_are_read() {
        let check = |tag: u8, text: &str, expected: Option<&str>| {
            let der = crate::der::element(tag, &[text.as_bytes()]);
            assert_eq!(time(&mut Reader::new(&der)).as_deref(), expected, "{text}");
        };
        check(0x17, "261121120454Z", Some("2026-11-21T12:04:54Z"));
        check(0x17, "500101000000Z", Some("1950-01-01T00:00:00Z"));
        check(0x18, "21261028120454Z", Some("2126-10-28T12:04:54Z"));
        check(0x18, "2126102812045Z", None);
        check(0x17, "2611211204540", None);
        check(0x17, "ü61121120454Z", None);
    }

    #[test]
    fn what_is_no_certificate_is_none() {
        assert_eq!(certificate(&[]), None);
        assert_eq!(certificate(&[0, 0, 0]), None);
        assert_eq!(of_pem("nope"), None);
        assert_eq!(of_pem("-----BEGIN X-----\nAAAA\n-----END X-----\n"), Some(vec![0; 3]));
        assert_eq!(of_pem("-----BEGIN X-----\nAAAA\n"), None);
    }
}
