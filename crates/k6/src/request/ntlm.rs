//! NTLM over HTTP, version 2 of its answers: MS-NLMP and MS-NTHT. Three messages over one connection: what the client can do, the server's
//! challenge, and what only one who knows the password can answer. No signing and no sealing, which HTTP has no place for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use digest::Digest;

const SIGNATURE: &[u8; 8] = b"NTLMSSP\0";
/// Unicode, the target's name and description, NTLM, session security, 128 and 56 bits: MS-NLMP §2.2.2.5.
const FLAGS: u32 = 0x1 | 0x4 | 0x200 | 0x8_0000 | 0x80_0000 | 0x2000_0000 | 0x8000_0000;
/// Longest challenge that is read: the descriptions of real servers take some hundred bytes.
const CHALLENGE_BYTES_MAX: usize = 16 << 10;
/// 100 ns from 1601 to 1970.
const EPOCH_TICKS: u64 = 116_444_736_000_000_000;
/// The pair of a server's description that holds its time: MS-NLMP §2.2.2.1.
const TIME_PAIR: u16 = 7;

/// How far the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// Nothing was said of it.
    #[default]
    Silent,
    /// What the client can do was said.
    Offered,
    /// The challenge was answered.
    Answered,
}

/// What a user brings, beside the password.
pub(super) struct Own<'a> {
    /// `user:password` or `DOMAIN\user:password`.
    pub(super) userinfo: &'a [u8],
    /// By chance.
    pub(super) nonce: u64,
    pub(super) unix_ms: i64,
}

/// The next `Authorization`, by what a 401 asks for, and how far that is; `None`: nothing that helps.
pub(super) fn next(challenge: &str, stage: Stage, own: &Own<'_>) -> Option<(String, Stage)> {
    let (scheme, message) = challenge.trim().split_once(' ').unwrap_or((challenge.trim(), ""));
    let scheme = ["NTLM", "Negotiate"].into_iter().find(|known| known.eq_ignore_ascii_case(scheme))?;
    match stage {
        Stage::Silent => Some((format!("{scheme} {}", STANDARD.encode(offer())), Stage::Offered)),
        Stage::Offered if message.len() <= CHALLENGE_BYTES_MAX => {
            let answer = answer(&STANDARD.decode(message.trim()).ok()?, own)?;
            Some((format!("{scheme} {}", STANDARD.encode(answer)), Stage::Answered))
        }
        Stage::Offered | Stage::Answered => None,
    }
}

/// NEGOTIATE_MESSAGE, MS-NLMP §2.2.1.1: without domain and workstation.
fn offer() -> Vec<u8> {
    let mut message = SIGNATURE.to_vec();
    message.extend(1u32.to_le_bytes());
    message.extend(FLAGS.to_le_bytes());
    message.extend([0; 24]);
    message
}

/// AUTHENTICATE_MESSAGE, MS-NLMP §2.2.1.3, to a CHALLENGE_MESSAGE; `None`: that is none.
fn answer(challenge: &[u8], own: &Own<'_>) -> Option<Vec<u8>> {
    if challenge.get(..8)? != SIGNATURE || challenge.get(8..12)? != 2u32.to_le_bytes() {
        return None;
    }
    let nonce: [u8; 8] = challenge.get(24..32)?.try_into().ok()?;
    let server_name = field(challenge, 12)?;
    let described: &[u8] = if challenge.len() < 48 { &[] } else { field(challenge, 40)? };
    let userinfo = String::from_utf8_lossy(own.userinfo);
    let (user, password) = userinfo.split_once(':').unwrap_or((&userinfo, ""));
    let (domain, user) = match user.split_once('\\') {
        Some((domain, user)) => (wide(domain), user),
        // A name with its domain in it has no other.
        None if user.contains('@') => (Vec::new(), user),
        None => (server_name.to_vec(), user),
    };
    let key = key(user, &domain, password);
    let own_nonce = own.nonce.to_le_bytes();
    let time = time_of(described);
    let now = EPOCH_TICKS.saturating_add(u64::try_from(own.unix_ms).unwrap_or(0).saturating_mul(10_000));
    let proof = proof(&key, nonce, own_nonce, time.unwrap_or(now.to_le_bytes()), described);
    // Where the server says its time, the old answer is left out: §3.1.5.1.2.
    let old = if time.is_some() { vec![0; 24] } else { old_proof(&key, nonce, own_nonce) };
    let parts = [old, proof, domain, wide(user), Vec::new(), Vec::new()];
    let mut message = SIGNATURE.to_vec();
    message.extend(3u32.to_le_bytes());
    let mut at = 64u32;
    for part in &parts {
        let length = u16::try_from(part.len()).ok()?;
        message.extend(length.to_le_bytes());
        message.extend(length.to_le_bytes());
        message.extend(at.to_le_bytes());
        at += u32::from(length);
    }
    message.extend(FLAGS.to_le_bytes());
    message.extend(parts.concat());
    Some(message)
}

/// What the length and place at `at` name.
fn field(message: &[u8], at: usize) -> Option<&[u8]> {
    let length = u16::from_le_bytes(message.get(at..at + 2)?.try_into().ok()?);
    let place = u32::from_le_bytes(message.get(at + 4..at + 8)?.try_into().ok()?) as usize;
    message.get(place..place.checked_add(usize::from(length))?)
}

/// The time in a server's description.
fn time_of(mut described: &[u8]) -> Option<[u8; 8]> {
    loop {
        let kind = u16::from_le_bytes(described.get(..2)?.try_into().ok()?);
        let length = usize::from(u16::from_le_bytes(described.get(2..4)?.try_into().ok()?));
        let value = described.get(4..4 + length)?;
        match kind {
            0 => return None,
            TIME_PAIR => return value.try_into().ok(),
            _ => described = described.get(4 + length..)?,
        }
    }
}

/// UTF-16, the lower byte first.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// NTOWFv2, MS-NLMP §3.3.2.
fn key(user: &str, domain: &[u8], password: &str) -> [u8; 16] {
    let secret = md4::Md4::digest(wide(password));
    hmac(&secret, &[&wide(&user.to_uppercase()), domain])
}

/// NTLMv2_RESPONSE, §2.2.2.8.
fn proof(key: &[u8; 16], nonce: [u8; 8], own_nonce: [u8; 8], time: [u8; 8], described: &[u8]) -> Vec<u8> {
    let begin: [u8; 8] = [1, 1, 0, 0, 0, 0, 0, 0];
    let rest = [&begin[..], &time, &own_nonce, &[0; 4], described, &[0; 4]].concat();
    [&hmac(key, &[&nonce, &rest])[..], &rest].concat()
}

/// LMv2_RESPONSE, §2.2.2.4.
fn old_proof(key: &[u8; 16], nonce: [u8; 8], own_nonce: [u8; 8]) -> Vec<u8> {
    [&hmac(key, &[&nonce, &own_nonce])[..], &own_nonce].concat()
}

/// HMAC-MD5, RFC 2104, with a key of at most a block.
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 16] {
    let padded = |mask: u8| -> Vec<u8> {
        key.iter().copied().chain(std::iter::repeat(0)).take(64).map(|byte| byte ^ mask).collect()
    };
    let mut inner = md5::Md5::new_with_prefix(padded(0x36));
    parts.iter().for_each(|part| inner.update(part));
    md5::Md5::new_with_prefix(padded(0x5c)).chain_update(inner.finalize()).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: [u8; 8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
    const OWN_NONCE: u64 = 0xaaaa_aaaa_aaaa_aaaa;

    fn described() -> Vec<u8> {
        let pair = |kind: u16, value: &[u8]| {
            [&kind.to_le_bytes()[..], &(value.len() as u16).to_le_bytes(), value].concat()
        };
        [pair(2, &wide("Domain")), pair(1, &wide("Server")), vec![0; 4]].concat()
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn answers_are_those_of_the_specification() {
        // MS-NLMP §4.2.4.
        let key = key("User", &wide("Domain"), "Password");
        assert_eq!(hex(&key), "0c868a403bfd7a93a3001ef22ef02e3f");
        let proof = proof(&key, NONCE, OWN_NONCE.to_le_bytes(), [0; 8], &described());
        assert_eq!(hex(&proof[..16]), "68cd0ab851e51c96aabc927bebef6a1c");
        let old = old_proof(&key, NONCE, OWN_NONCE.to_le_bytes());
        assert_eq!(hex(&old), "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa");
    }

    #[test]
    fn a_conversation_has_three_messages() {
        let name = wide("Server");
        let mut challenge = [&SIGNATURE[..], &2u32.to_le_bytes()].concat();
        challenge.extend([12, 0, 12, 0, 56, 0, 0, 0]);
        challenge.extend(FLAGS.to_le_bytes());
        challenge.extend(NONCE);
        challenge.extend([0; 8]);
        challenge.extend([36, 0, 36, 0, 68, 0, 0, 0]);
        challenge.extend([0; 8]);
        challenge.extend(&name);
        challenge.extend(described());
        let own = Own { userinfo: br"Domain\User:Password", nonce: OWN_NONCE, unix_ms: 0 };
        let (first, stage) = next("NTLM", Stage::Silent, &own).unwrap();
        assert_eq!((first.starts_with("NTLM TlRMTVNTUAABAAAA"), stage), (true, Stage::Offered));
        let asked = format!("NTLM {}", STANDARD.encode(&challenge));
        let (last, stage) = next(&asked, stage, &own).unwrap();
        assert_eq!(stage, Stage::Answered);
        assert_eq!(next(&asked, stage, &own), None);
        let message = STANDARD.decode(last.strip_prefix("NTLM ").unwrap()).unwrap();
        assert_eq!(field(&message, 28), Some(wide("Domain").as_slice()));
        assert_eq!(field(&message, 36), Some(wide("User").as_slice()));
        assert_eq!(field(&message, 20).unwrap().len(), 16 + 28 + 36 + 4);
        // Whatever is cut off or turned, nothing ends in a panic.
        for length in 0..challenge.len() {
            let _ = answer(&challenge[..length], &own);
            let mut turned = challenge.clone();
            turned[length] ^= 0xff;
            let _ = answer(&turned, &own);
        }
        assert_eq!(next("Basic realm=x", Stage::Silent, &own), None);
    }
}
