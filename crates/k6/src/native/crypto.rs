//! Native part of `k6/crypto` and of the global `crypto`: digests, HMAC (RFC 2104), random bytes.

use super::{buffer, bytes_of};
use crate::host::VuHost;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};
use digest::DynDigest;
use js::Calls;
use js::rquickjs::function::Opt;
use js::rquickjs::{Ctx, Exception, Function, IntoJs as _, Object, Result, Value};
use std::cell::RefCell;

/// Random bytes of one call at most: as in browsers, with room for keys of any kind.
const RANDOM_BYTES_MAX: f64 = 16_777_216.0;

/// A digest under way, keyed or not.
#[derive(Clone)]
pub(super) struct Hasher {
    inner: Box<dyn DynDigest>,
    /// The outer digest of HMAC, which has its pad already.
    outer: Option<Box<dyn DynDigest>>,
}

impl Hasher {
    /// `None`: there is no such algorithm.
    pub(super) fn new(algorithm: &str) -> Option<Self> {
        let inner: Box<dyn DynDigest> = match algorithm {
            "md4" => Box::new(md4::Md4::default()),
            "md5" => Box::new(md5::Md5::default()),
            "sha1" => Box::new(sha1::Sha1::default()),
            "sha256" => Box::new(sha2::Sha256::default()),
            "sha384" => Box::new(sha2::Sha384::default()),
            "sha512" => Box::new(sha2::Sha512::default()),
            "sha512_224" => Box::new(sha2::Sha512_224::default()),
            "sha512_256" => Box::new(sha2::Sha512_256::default()),
            "ripemd160" => Box::new(ripemd::Ripemd160::default()),
            _ => return None,
        };
        Some(Self { inner, outer: None })
    }

    /// HMAC, RFC 2104 section 2.
    pub(super) fn keyed(algorithm: &str, key: &[u8]) -> Option<Self> {
        let mut inner = Self::new(algorithm)?.inner;
        let mut outer = inner.box_clone();
        let is_wide = matches!(algorithm, "sha384" | "sha512" | "sha512_224" | "sha512_256");
        let block_bytes = if is_wide { 128 } else { 64 };
        let mut block = if key.len() > block_bytes {
            let mut long = Self::new(algorithm)?;
            long.update(key);
            long.digest()
        } else {
            key.to_vec()
        };
        block.resize(block_bytes, 0);
        let padded = |pad: u8| block.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
        inner.update(&padded(0x36));
        outer.update(&padded(0x5c));
        Some(Self { inner, outer: Some(outer) })
    }

    pub(super) fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// The digest so far; more may be added afterwards.
    pub(super) fn digest(&self) -> Vec<u8> {
        let inner = self.inner.box_clone().finalize().into_vec();
        let Some(outer) = &self.outer else { return inner };
        let mut outer = outer.box_clone();
        outer.update(&inner);
        outer.finalize().into_vec()
    }
}

/// Bytes beyond guessing.
pub(super) fn random(count: usize) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = vec![0; count];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random bytes: {error}"))?;
    Ok(bytes)
}

/// Lower-case digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn encoded<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, bytes: Vec<u8>, encoding: &str) -> Result<Value<'js>> {
    let text = match encoding {
        "hex" => hex(&bytes),
        "base64" => STANDARD.encode(bytes),
        "base64url" => URL_SAFE.encode(bytes),
        "base64rawurl" => URL_SAFE_NO_PAD.encode(bytes),
        "binary" => return buffer(ctx, calls, bytes),
        other => return Err(Exception::throw_message(ctx, &format!("invalid output encoding: {other}"))),
    };
    text.into_js(ctx)
}

fn data<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Vec<u8>> {
    bytes_of(value).ok_or_else(|| Exception::throw_message(ctx, &super::no_bytes(value)))
}

fn hasher<'js>(ctx: &Ctx<'js>, algorithm: &str, key: Option<&Value<'js>>) -> Result<Hasher> {
    let hasher = match key {
        Some(key) => Hasher::keyed(algorithm, &data(ctx, key)?),
        None => Hasher::new(algorithm),
    };
    hasher.ok_or_else(|| Exception::throw_message(ctx, &format!("invalid algorithm: {algorithm}")))
}

/// `hash`, `hmac`, `hasher`, `randomBytes`, `hexEncode`.
pub(super) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let hash = move |ctx: Ctx<'js>, algorithm: String, input: Value<'js>, encoding: Opt<String>| {
        let mut hasher = hasher(&ctx, &algorithm, None)?;
        let bytes = bytes_of(&input).ok_or_else(|| {
            Exception::throw_message(&ctx, &format!("{algorithm} failed: {}", super::no_bytes(&input)))
        });
        hasher.update(&bytes?);
        encoded(&ctx, &own, hasher.digest(), encoding.0.as_deref().unwrap_or_default())
    };
    module.set("hash", Function::new(ctx.clone(), hash)?)?;
    let own = calls.clone();
    let hmac =
        move |ctx: Ctx<'js>, algorithm: String, key: Value<'js>, input: Value<'js>, encoding: Opt<String>| {
            let mut hasher = hasher(&ctx, &algorithm, Some(&key))?;
            hasher.update(&data(&ctx, &input)?);
            encoded(&ctx, &own, hasher.digest(), encoding.0.as_deref().unwrap_or_default())
        };
    module.set("hmac", Function::new(ctx.clone(), hmac)?)?;
    let own = calls.clone();
    // A function that keeps a digest: with data it takes it in, with `null` and an encoding it gives the digest.
    let make = move |ctx: Ctx<'js>, algorithm: String, key: Opt<Value<'js>>| -> Result<Function<'js>> {
        let state = RefCell::new(hasher(&ctx, &algorithm, key.0.as_ref())?);
        let own = own.clone();
        let turn = move |ctx: Ctx<'js>, input: Value<'js>, encoding: Opt<String>| -> Result<Value<'js>> {
            if input.is_null() {
                let digest = state.borrow().digest();
                return encoded(&ctx, &own, digest, encoding.0.as_deref().unwrap_or_default());
            }
            let input = data(&ctx, &input)?;
            state.borrow_mut().update(&input);
            Ok(Value::new_undefined(ctx))
        };
        Function::new(ctx, turn)
    };
    module.set("hasher", Function::new(ctx.clone(), make)?)?;
    module.set("randomBytes", random_bytes(ctx, calls)?)?;
    let encode = |ctx: Ctx<'js>, input: Value<'js>| data(&ctx, &input).map(|bytes| hex(&bytes));
    module.set("hexEncode", Function::new(ctx.clone(), encode)?)
}

/// A function from a count to an `ArrayBuffer`.
pub(super) fn random_bytes<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>) -> Result<Function<'js>> {
    let own = calls.clone();
    let bytes = move |ctx: Ctx<'js>, count: f64| -> Result<Value<'js>> {
        if !(0.0..=RANDOM_BYTES_MAX).contains(&count) {
            return Err(Exception::throw_message(&ctx, "invalid size"));
        }
        let bytes = random(count as usize).map_err(|said| Exception::throw_message(&ctx, &said))?;
        buffer(&ctx, &own, bytes)
    };
    Function::new(ctx.clone(), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of "abc" and HMACs are those of RFC 1320, 1321, 2202, 4231, FIPS 180-4 and the RIPEMD-160 paper.
    #[test]
    fn digests_are_those_of_their_standards() {
        let check = |algorithm: &str, expected: &str| {
            let mut hasher = Hasher::new(algorithm).unwrap();
            hasher.update(b"a");
            assert_ne!(hex(&hasher.digest()), expected);
            hasher.update(b"bc");
            assert_eq!(hex(&hasher.digest()), expected, "{algorithm}");
        };
        check("md4", "a448017aaf21d8525fc10ae87aa6729d");
        check("md5", "900150983cd24fb0d6963f7d28e17f72");
        check("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d");
        check("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check("ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
        check("sha512_224", "4634270f707b6a54daae7530460842e20e37ed265ceee9a43e8924aa");
        check("sha512_256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
        assert!(Hasher::new("sha3").is_none());
    }

    #[test]
    fn keyed_digests_are_those_of_their_standards() {
        let check = |algorithm: &str, key: &[u8], text: &str, expected: &str| {
            let mut hasher = Hasher::keyed(algorithm, key).unwrap();
            hasher.update(text.as_bytes());
            assert_eq!(hex(&hasher.digest()), expected, "{algorithm}");
        };
        let text = "what do ya want for nothing?";
        check("md5", b"Jefe", text, "750c783e6ab0b503eaa86e310a5db738");
        check("sha1", b"Jefe", text, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        check("sha256", b"Jefe", text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        let long = [0xaa; 131];
        let text = "Test Using Larger Than Block-Size Key - Hash Key First";
        check("sha256", &long, text, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
        check(
            "sha384",
            &long,
            text,
            "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
        );
    }
}
