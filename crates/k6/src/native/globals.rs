//! Globals that few scripts name: each group is one JavaScript function, compiled when a script first asks for one of its names, and there at all only for
//! scripts whose text has such a name.

use super::{buffer, bytes_of, crypto, webcrypto};
use crate::host::VuHost;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use js::rquickjs::object::Accessor;
use js::rquickjs::{Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Script};

/// Names, the words in a script that ask for them (the names themselves, where there are none), and the function that makes all of them.
const GROUPS: [Group; 8] = [
    (&["crypto"], &[], include_str!("../modules/globals/crypto.js")),
    (&["CryptoKey"], &[], "() => ({ CryptoKey: crypto.subtle.CryptoKey })"),
    (
        &["TextEncoder", "TextDecoder", "btoa", "atob", "structuredClone"],
        &[],
        include_str!("../modules/globals/text.js"),
    ),
    (&["URL", "URLSearchParams"], &[], include_str!("../modules/globals/url.js")),
    // A word of many comments.
    (&["performance"], &["performance.", "{ performance"], include_str!("../modules/globals/performance.js")),
    (
        &["queueMicrotask"],
        &[],
        "() => ({ queueMicrotask: (work) => { Promise.resolve().then(() => work()); } })",
    ),
    (&["AbortController", "AbortSignal"], &[], include_str!("../modules/globals/abort.js")),
    (&["Headers"], &["new Headers", "instanceof Headers"], include_str!("../modules/globals/headers.js")),
];
type Group = (&'static [&'static str], &'static [&'static str], &'static str);

/// Makes `crypto.subtle`.
const SUBTLE: &str = include_str!("../modules/globals/subtle.js");

/// Whether each group's names occur in a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Named {
    groups: [bool; GROUPS.len()],
    /// Whether CommonJS's names are: they are there in its modules alone.
    common_js: bool,
}

impl Named {
    /// A text that makes code of texts may name any.
    pub(crate) fn by(script: &Script) -> Self {
        // Modules that are built in don't count: what they need, their importers name.
        let is_theirs = |url: &&str| !url.starts_with("weir:") && *url != "k6" && !url.starts_with("k6/");
        let texts: Vec<&str> = script.urls().filter(is_theirs).filter_map(|url| script.text(url)).collect();
        let has = |word: &str| texts.iter().any(|text| text.contains(word));
        let has_any = has("eval") || has("Function(");
        Self {
            groups: GROUPS.map(|(names, words, _)| {
                let words = if words.is_empty() { names } else { words };
                has_any || words.iter().any(|word| has(word))
            }),
            common_js: has("module.exports") || has("exports."),
        }
    }
}

/// Puts the names into the global object, without what they stand for.
pub(crate) fn install<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, named: Named) -> Result<()> {
    let groups = GROUPS.into_iter().zip(named.groups).filter(|(_, is_named)| *is_named);
    for ((names, _, source), _) in groups {
        for name in names {
            let own = calls.clone();
            let get = move |ctx: Ctx<'js>| -> Result<Value<'js>> {
                put(&ctx, &own, names, source)?;
                ctx.globals().get(*name)
            };
            let set = move |ctx: Ctx<'js>, value: Value<'js>| replace(&ctx, name, value);
            ctx.globals().prop(*name, Accessor::new(get, set).configurable())?;
        }
    }
    if named.common_js {
        for name in ["module", "exports"] {
            let get = move |ctx: Ctx<'js>| -> Result<Value<'js>> {
                let said = format!(
                    "you are trying to access `{name}`, which is of CommonJS, in an ES module: write `export` in place of it"
                );
                Err(Exception::throw_reference(&ctx, &said))
            };
            let set = move |ctx: Ctx<'js>, value: Value<'js>| replace(&ctx, name, value);
            ctx.globals().prop(name, Accessor::new(get, set).configurable())?;
        }
    }
    Ok(())
}

/// A function of its source, whose places are not the script's.
fn made_by<'js>(ctx: &Ctx<'js>, source: &str) -> Result<Function<'js>> {
    let mut options = js::rquickjs::context::EvalOptions::default();
    options.filename = Some("weir:globals".to_owned());
    ctx.eval_with_options(source, options)
}

/// Makes a group's values and puts them in the places of their accessors.
fn put<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    names: &[&'static str],
    source: &'static str,
) -> Result<()> {
    calls.add(ctx, js::Part::TypedArrays);
    calls.add(ctx, js::Part::Dates);
    calls.add(ctx, js::Part::Collections);
    let make = made_by(ctx, source)?;
    let made: Object<'js> = make.call((native(ctx, calls)?,))?;
    for name in names {
        replace(ctx, name, made.get(*name)?)?;
    }
    Ok(())
}

fn replace<'js>(ctx: &Ctx<'js>, name: &str, value: Value<'js>) -> Result<()> {
    let property = js::rquickjs::object::Property::from(value).writable().configurable();
    ctx.globals().prop(name, property)
}

/// What the groups stand on.
fn native<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let bytes = |value: &Value<'js>| bytes_of(value).unwrap_or_default();
    native.set("randomBytes", crypto::random_bytes(ctx, calls)?)?;
    native.set("hex", Function::new(ctx.clone(), move |data: Value<'js>| crypto::hex(&bytes(&data)))?)?;
    let own = calls.clone();
    let digest = move |ctx: Ctx<'js>, id: String, data: Value<'js>| -> Result<Value<'js>> {
        let mut hasher = crypto::Hasher::new(&id).ok_or_else(|| Exception::throw_message(&ctx, &id))?;
        hasher.update(&bytes(&data));
        buffer(&ctx, &own, hasher.digest())
    };
    native.set("digest", Function::new(ctx.clone(), digest)?)?;
    let own = calls.clone();
    let hmac = move |ctx: Ctx<'js>, id: String, key: Value<'js>, data: Value<'js>| -> Result<Value<'js>> {
        let hasher = crypto::Hasher::keyed(&id, &bytes(&key));
        let mut hasher = hasher.ok_or_else(|| Exception::throw_message(&ctx, &id))?;
        hasher.update(&bytes(&data));
        buffer(&ctx, &own, hasher.digest())
    };
    native.set("hmac", Function::new(ctx.clone(), hmac)?)?;
    let encode = move |data: Value<'js>| URL_SAFE_NO_PAD.encode(bytes(&data));
    native.set("encodeBase64", Function::new(ctx.clone(), encode)?)?;
    let encode = move |data: Value<'js>| STANDARD.encode(bytes(&data));
    native.set("encodeBase64Padded", Function::new(ctx.clone(), encode)?)?;
    let own = calls.clone();
    let decode = move |ctx: Ctx<'js>, text: String| -> Result<Value<'js>> {
        let text = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
        let decoded = STANDARD_NO_PAD.decode(text);
        let bytes =
            decoded.map_err(|error| Exception::throw_message(&ctx, &format!("invalid base64: {error}")));
        buffer(&ctx, &own, bytes?)
    };
    native.set("decodeBase64", Function::new(ctx.clone(), decode)?)?;
    let own = calls.clone();
    let utf8 = move |ctx: Ctx<'js>, text: String| buffer(&ctx, &own, text.into_bytes());
    native.set("utf8", Function::new(ctx.clone(), utf8)?)?;
    let decode = move |ctx: Ctx<'js>, data: Value<'js>, encoding: String, is_fatal: bool| -> Result<String> {
        let decoded = decoded(&bytes(&data), &encoding, is_fatal);
        decoded
            .ok_or_else(|| Exception::throw_type(&ctx, &format!("the encoded data was not valid {encoding}")))
    };
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    let own = calls.clone();
    let now_ms = move || js::Host::now_ns(own.host()) as f64 / 1e6;
    native.set("nowMs", Function::new(ctx.clone(), now_ms)?)?;
    native.set("later", calls.timer(ctx)?)?;
    let own = calls.clone();
    let subtle = move |ctx: Ctx<'js>| -> Result<Value<'js>> {
        let make = made_by(&ctx, SUBTLE)?;
        let parts = self::native(&ctx, &own)?;
        webcrypto::add(&ctx, &own, &parts)?;
        make.call((parts,))
    };
    native.set("subtle", Function::new(ctx.clone(), subtle)?)?;
    Ok(native)
}

/// Text of bytes; `None`: they are none, and that matters.
fn decoded(bytes: &[u8], encoding: &str, is_fatal: bool) -> Option<String> {
    if encoding == "utf-8" {
        return match is_fatal {
            true => String::from_utf8(bytes.to_vec()).ok(),
            false => Some(String::from_utf8_lossy(bytes).into_owned()),
        };
    }
    let of: fn([u8; 2]) -> u16 = if encoding == "utf-16be" { u16::from_be_bytes } else { u16::from_le_bytes };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
    if is_fatal {
        return String::from_utf16(&units).ok().filter(|_| rest.is_empty());
    }
    Some(String::from_utf16_lossy(&units) + if rest.is_empty() { "" } else { "\u{fffd}" })
}
