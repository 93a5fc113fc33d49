//! The functions that `subtle.js` calls. Each returns bytes, or null where the operation is not possible: which error that is, is decided there.
//!
//! What takes long (making RSA keys, deriving keys of passwords) is done by a thread of its own, one for all users, since a worker that computes keeps all
//! its users waiting: the script gets a function that it asks now and then.

use super::ciphers::Aes;
use super::curves::Curve;
use super::derive;
use super::forms::{self, Kind};
use super::rsa::{self, Private, Public, padding};
use crate::host::VuHost;
use crate::native::crypto::random;
use crate::native::{buffer, bytes_of};
use js::Calls;
use js::rquickjs::{Array, Ctx, Exception, Function, IntoJs as _, Object, Result, Value};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};

/// A key derived of a password has so many bytes at most: no use needs more than a hundred.
const DERIVED_BYTES_MAX: usize = 1 << 20;

fn given(value: &Value<'_>) -> Vec<u8> {
    bytes_of(value).unwrap_or_default()
}

/// Puts a function of a few values into an object, whose bytes go to the script as an `ArrayBuffer` or null.
macro_rules! bytes_function {
    ($module:expr, $ctx:expr, $calls:expr, $name:literal, |$($argument:ident: $kind:ty),*| $work:expr) => {{
        let own = $calls.clone();
        let call = move |ctx: Ctx<'js>, $($argument: $kind),*| -> Result<Value<'js>> {
            let work = || $work;
            let made: Option<Vec<u8>> = work();
            made.map_or_else(|| Ok(Value::new_null(ctx.clone())), |made| buffer(&ctx, &own, made))
        };
        $module.set($name, Function::new($ctx.clone(), call)?)?;
    }};
}

/// Adds all of them to what globals stand on.
pub(in super::super) fn add<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    ciphers(ctx, calls, module)?;
    curves(ctx, calls, module)?;
    rsa_functions(ctx, calls, module)?;
    key_forms(ctx, calls, module)?;
    slow(ctx, calls, module)?;
    bytes_function!(
        module,
        ctx,
        calls,
        "hkdf",
        |algorithm: String, key: Value<'js>, salt: Value<'js>, info: Value<'js>, count: f64| {
            derive::of_key(&algorithm, &given(&key), &given(&salt), &given(&info), count as usize)
        }
    );
    let same = |one: Value<'js>, other: Value<'js>| super::ciphers::is_same(&given(&one), &given(&other));
    module.set("isSame", Function::new(ctx.clone(), same)?)
}

fn ciphers<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    bytes_function!(
        module,
        ctx,
        calls,
        "cbc",
        |is_encrypted: bool, key: Value<'js>, iv: Value<'js>, data: Value<'js>| {
            let (aes, iv) = (Aes::new(&given(&key))?, <[u8; 16]>::try_from(given(&iv)).ok()?);
            match is_encrypted {
                true => aes.cbc_decrypt(&iv, &given(&data)),
                false => Some(aes.cbc_encrypt(&iv, &given(&data))),
            }
        }
    );
    bytes_function!(
        module,
        ctx,
        calls,
        "ctr",
        |key: Value<'js>, counter: Value<'js>, bits: u32, data: Value<'js>| {
            let counter = <[u8; 16]>::try_from(given(&counter)).ok()?;
            Some(Aes::new(&given(&key))?.ctr(&counter, bits, &given(&data)))
        }
    );
    let own = calls.clone();
    let gcm = move |ctx: Ctx<'js>,
                    key: Value<'js>,
                    iv: Value<'js>,
                    data: Value<'js>,
                    more: Value<'js>,
                    tag: i32|
          -> Result<Value<'js>> {
        let (iv, data, more) = (given(&iv), given(&data), given(&more));
        let tag_bytes = tag.unsigned_abs() as usize;
        let made = Aes::new(&given(&key)).and_then(|aes| match tag < 0 {
            true => aes.gcm_decrypt(&iv, &data, &more, tag_bytes),
            false => Some(aes.gcm_encrypt(&iv, &data, &more, tag_bytes)),
        });
        made.map_or_else(|| Ok(Value::new_null(ctx.clone())), |made| buffer(&ctx, &own, made))
    };
    module.set("gcm", Function::new(ctx.clone(), gcm)?)?;
    bytes_function!(module, ctx, calls, "wrap", |key: Value<'js>, data: Value<'js>| Aes::new(&given(&key))?
        .wrap(&given(&data)));
    bytes_function!(module, ctx, calls, "unwrap", |key: Value<'js>, data: Value<'js>| Aes::new(&given(
        &key
    ))?
    .unwrap(&given(&data)));
    Ok(())
}

fn curves<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    bytes_function!(module, ctx, calls, "ecGenerate", |curve: String| Curve::named(&curve)?
        .generate(random)
        .ok());
    bytes_function!(module, ctx, calls, "ecPublic", |curve: String, scalar: Value<'js>| Curve::named(
        &curve
    )?
    .public(&given(&scalar)));
    bytes_function!(module, ctx, calls, "ecPoint", |curve: String, point: Value<'js>| Curve::named(&curve)?
        .point(&given(&point)));
    bytes_function!(module, ctx, calls, "ecSign", |curve: String, scalar: Value<'js>, digest: Value<'js>| {
        Curve::named(&curve)?.sign(&given(&scalar), &given(&digest))
    });
    let verify = |curve: String, point: Value<'js>, digest: Value<'js>, signature: Value<'js>| {
        let curve = Curve::named(&curve);
        curve.is_some_and(|curve| curve.is_signature(&given(&point), &given(&digest), &given(&signature)))
    };
    module.set("ecVerify", Function::new(ctx.clone(), verify)?)?;
    bytes_function!(
        module,
        ctx,
        calls,
        "ecCommon",
        |curve: String, scalar: Value<'js>, point: Value<'js>| {
            Curve::named(&curve)?.common(&given(&scalar), &given(&point))
        }
    );
    Ok(())
}

fn rsa_functions<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    // Without a salt's length it is PKCS #1 v1.5.
    bytes_function!(
        module,
        ctx,
        calls,
        "rsaSign",
        |algorithm: String, key: Value<'js>, digest: Value<'js>, salt_bytes: Option<u32>| {
            let key = Private::of_der(&given(&key))?;
            match salt_bytes {
                None => padding::pkcs1_sign(&key, &algorithm, &given(&digest)),
                Some(salt_bytes) => {
                    let salt = random(
                        usize::try_from(salt_bytes).ok().filter(|count| *count <= key.public.size_bytes())?,
                    );
                    padding::pss_sign(&key, &algorithm, &given(&digest), &salt.ok()?)
                }
            }
        }
    );
    let verify = |algorithm: String,
                  key: Value<'js>,
                  digest: Value<'js>,
                  signature: Value<'js>,
                  salt_bytes: Option<u32>| {
        let (digest, signature) = (given(&digest), given(&signature));
        Public::of_der(&given(&key)).is_some_and(|key| match salt_bytes {
            None => padding::is_pkcs1(&key, &algorithm, &digest, &signature),
            Some(salt_bytes) => padding::is_pss(&key, &algorithm, &digest, &signature, salt_bytes as usize),
        })
    };
    module.set("rsaVerify", Function::new(ctx.clone(), verify)?)?;
    bytes_function!(
        module,
        ctx,
        calls,
        "rsaEncrypt",
        |algorithm: String, key: Value<'js>, label: Value<'js>, data: Value<'js>| {
            let key = Public::of_der(&given(&key))?;
            padding::oaep_encrypt(&key, &algorithm, &given(&label), &given(&data), |count| random(count).ok())
        }
    );
    bytes_function!(
        module,
        ctx,
        calls,
        "rsaDecrypt",
        |algorithm: String, key: Value<'js>, label: Value<'js>, data: Value<'js>| {
            let key = Private::of_der(&given(&key))?;
            padding::oaep_decrypt(&key, &algorithm, &given(&label), &given(&data))
        }
    );
    bytes_function!(module, ctx, calls, "rsaPublic", |key: Value<'js>| Some(
        Private::of_der(&given(&key))?.public.der()
    ));
    bytes_function!(module, ctx, calls, "rsaOf", |parts: Vec<Value<'js>>| {
        let parts: Vec<Vec<u8>> = parts.iter().map(given).collect();
        match parts.as_slice() {
            [modulus, exponent] => Some(Public::new(modulus, exponent)?.der()),
            [modulus, public, secret, first, second] => {
                Some(Private::new(modulus, public, secret, [first, second])?.der())
            }
            _ => None,
        }
    });
    let own = calls.clone();
    let parts = move |ctx: Ctx<'js>, key: Value<'js>, is_private: bool| -> Result<Array<'js>> {
        let key = given(&key);
        let parts = match is_private {
            true => Private::of_der(&key).map(|key| key.parts().to_vec()),
            false => Public::of_der(&key).map(|key| key.parts().to_vec()),
        };
        let array = Array::new(ctx.clone())?;
        for (at, part) in parts.unwrap_or_default().into_iter().enumerate() {
            array.set(at, buffer(&ctx, &own, part)?)?;
        }
        Ok(array)
    };
    module.set("rsaParts", Function::new(ctx.clone(), parts)?)
}

fn key_forms<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    bytes_function!(module, ctx, calls, "toSpki", |kind: String, key: Value<'js>| Some(forms::spki(
        Kind::named(&kind)?,
        &given(&key)
    )));
    bytes_function!(module, ctx, calls, "toPkcs8", |kind: String, key: Value<'js>| forms::pkcs8(
        Kind::named(&kind)?,
        &given(&key)
    ));
    // `[kind, key]`, or null.
    for (name, read) in [("ofSpki", forms::of_spki as fn(&[u8]) -> _), ("ofPkcs8", forms::of_pkcs8)] {
        let own = calls.clone();
        let read = move |ctx: Ctx<'js>, data: Value<'js>| -> Result<Value<'js>> {
            let found: Option<(Kind, Vec<u8>)> = read(&given(&data));
            let Some((kind, key)) = found else { return Ok(Value::new_null(ctx)) };
            let pair = Array::new(ctx.clone())?;
            pair.set(0, kind.name())?;
            pair.set(1, buffer(&ctx, &own, key)?)?;
            Ok(pair.into_value())
        };
        module.set(name, Function::new(ctx.clone(), read)?)?;
    }
    Ok(())
}

/// What a slow operation made, once it is done.
type Made = Mutex<Option<std::result::Result<Vec<u8>, String>>>;
type Work = Box<dyn FnOnce() -> std::result::Result<Vec<u8>, String> + Send>;
/// One in line, and who waits for it.
type Job = (std::sync::Weak<Made>, Work);

/// Lets the thread for slow operations do one, unless nobody waits for it by then.
fn begin(work: Work) -> std::result::Result<Arc<Made>, String> {
    static LINE: OnceLock<Option<mpsc::Sender<Job>>> = OnceLock::new();
    let line = LINE.get_or_init(|| {
        let (line, jobs) = mpsc::channel::<Job>();
        let work = move || {
            for (made, work) in jobs {
                let Some(made) = made.upgrade() else { continue };
                let done = work();
                *made.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
            }
        };
        std::thread::Builder::new().name("keys".to_owned()).spawn(work).ok().map(|_| line)
    });
    let made = Arc::new(Made::default());
    let sent = line.as_ref().and_then(|line| line.send((Arc::downgrade(&made), work)).ok());
    sent.map(|()| made).ok_or_else(|| "no thread for this could be started".to_owned())
}

/// Rounds of PBKDF2 that are done at once: a millisecond or two.
const ROUNDS_AT_ONCE: u32 = 1000;

/// A function that gives null until the operation is done, then what it made.
fn asked<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, is_short: bool, work: Work) -> Result<Function<'js>> {
    let made = match is_short {
        true => Arc::new(Mutex::new(Some(work()))),
        false => begin(work).map_err(|said| Exception::throw_message(ctx, &said))?,
    };
    let own = calls.clone();
    let ask = move |ctx: Ctx<'js>| -> Result<Value<'js>> {
        match made.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            None => Ok(Value::new_null(ctx)),
            Some(Ok(bytes)) => buffer(&ctx, &own, bytes),
            Some(Err(said)) => said.into_js(&ctx),
        }
    };
    Function::new(ctx.clone(), ask)
}

fn slow<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let generate = move |ctx: Ctx<'js>, bits: u32, exponent: f64| {
        asked(&ctx, &own, false, Box::new(move || rsa::generate(bits, exponent as u64, random)))
    };
    module.set("rsaGenerate", Function::new(ctx.clone(), generate)?)?;
    let own = calls.clone();
    let derive = move |ctx: Ctx<'js>,
                       algorithm: String,
                       password: Value<'js>,
                       salt: Value<'js>,
                       rounds: u32,
                       count: f64| {
        let (password, salt, count) = (given(&password), given(&salt), count as usize);
        let work = move || {
            let rounds = NonZeroU32::new(rounds).ok_or("the number of iterations must be above 0")?;
            let count = Some(count)
                .filter(|count| *count <= DERIVED_BYTES_MAX)
                .ok_or("too many bits are asked for")?;
            let derived = derive::of_password(&algorithm, &password, &salt, rounds, count);
            derived.ok_or_else(|| format!("there is no digest {algorithm}"))
        };
        asked(&ctx, &own, rounds <= ROUNDS_AT_ONCE && count <= 64, Box::new(work))
    };
    module.set("pbkdf2", Function::new(ctx.clone(), derive)?)
}
