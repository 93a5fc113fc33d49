//! The response object: what a script sees of a request that is over.

use super::arguments::{Asked, BodyKind, Fault};
use super::flight::Finished;
use super::jar::SetCookie;
use super::samples::Times;
use crate::answer::{self, Heard};
use crate::host::VuHost;
use crate::test::Loudness;
use js::Calls;
use js::rquickjs::{Array, ArrayBuffer, Ctx, Exception, Object, Result, Value};
use proto::content;

/// Greatest body after decoding.
const DECODED_BYTES_MAX: usize = 256 << 20;

/// The object of a request that is over, or what is thrown in its place.
///
/// # Errors
/// What the request threw, or the engine raised.
pub(crate) fn of<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, finished: Finished) -> Result<Object<'js>> {
    let Finished { asked, cookies, outcome, times } = finished;
    match outcome {
        Ok(heard) => answered(ctx, calls, &asked, &cookies, heard, times),
        Err(fault) => {
            let object = failed(
                ctx,
                calls.host(),
                &asked.method,
                &asked.url.to_string(),
                &fault,
                times,
                asked.throws,
            )?;
            object.set("request", request(ctx, &asked, &cookies)?)?;
            Ok(object)
        }
    }
}

fn answered<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    asked: &Asked,
    cookies: &[(String, String)],
    heard: Heard,
    times: Times,
) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let status = heard.status;
    object.set("remote_ip", heard.remote.map(|remote| remote.ip().to_string()).unwrap_or_default())?;
    object.set("remote_port", heard.remote.map_or(0, |remote| remote.port()))?;
    object.set("url", asked.url.to_string())?;
    object.set("status", status)?;
    object.set("status_text", format!("{status} {}", answer::reason(status)).trim_end())?;
    object.set("proto", "HTTP/1.1")?;
    let headers = Object::new(ctx.clone())?;
    for (name, value) in &heard.headers {
        match headers.get::<_, Option<String>>(name.as_str())? {
            Some(before) => headers.set(name.as_str(), format!("{before}, {value}"))?,
            None => headers.set(name.as_str(), value.as_str())?,
        }
    }
    object.set("headers", headers)?;
    object.set("cookies", set_cookies(ctx, &heard)?)?;
    let (body, wrong) = body_of(ctx, calls, asked, heard)?;
    object.set("body", body)?;
    object.set("timings", timings(ctx, times)?)?;
    object.set("tls_version", "")?;
    object.set("tls_cipher_suite", "")?;
    object.set("ocsp", ocsp(ctx)?)?;
    let (error, code) =
        wrong.map_or((String::new(), if status >= 400 { 1000 + status } else { 0 }), |said| (said, 1701));
    object.set("error", error)?;
    object.set("error_code", code)?;
    object.set("request", request(ctx, asked, cookies)?)?;
    Ok(object)
}

fn set_cookies<'js>(ctx: &Ctx<'js>, heard: &Heard) -> Result<Object<'js>> {
    let cookies = Object::new(ctx.clone())?;
    for cookie in heard.all("set-cookie").filter_map(SetCookie::parse) {
        let shown = Object::new(ctx.clone())?;
        shown.set("name", cookie.name.as_str())?;
        shown.set("value", cookie.value)?;
        shown.set("domain", cookie.domain)?;
        shown.set("path", cookie.path)?;
        shown.set("http_only", cookie.is_http_only)?;
        shown.set("secure", cookie.is_secure)?;
        shown.set("max_age", cookie.max_age as f64)?;
        shown.set("expires", cookie.expires_unix_ms.unwrap_or(0) as f64)?;
        let list: Array<'js> = match cookies.get::<_, Option<Array<'js>>>(cookie.name.as_str())? {
            Some(list) => list,
            None => Array::new(ctx.clone())?,
        };
        list.set(list.len(), shown)?;
        cookies.set(cookie.name.as_str(), list)?;
    }
    Ok(cookies)
}

fn timings<'js>(ctx: &Ctx<'js>, times: Times) -> Result<Object<'js>> {
    let ms = |ns: u64| ns as f64 / 1e6;
    let object = Object::new(ctx.clone())?;
    object.set("duration", ms(times.duration_ns()))?;
    object.set("blocked", ms(times.blocked_ns))?;
    object.set("looking_up", 0.0)?;
    object.set("connecting", ms(times.connecting_ns))?;
    object.set("tls_handshaking", ms(times.tls_ns))?;
    object.set("sending", 0.0)?;
    object.set("waiting", ms(times.waiting_ns))?;
    object.set("receiving", ms(times.receiving_ns))?;
    Ok(object)
}

fn ocsp<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    for key in ["produced_at", "this_update", "next_update", "revoked_at"] {
        object.set(key, 0)?;
    }
    object.set("revocation_reason", "")?;
    object.set("status", "")?;
    Ok(object)
}

/// The request as its last hop was sent.
fn request<'js>(ctx: &Ctx<'js>, asked: &Asked, cookies: &[(String, String)]) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    object.set("method", asked.method.as_str())?;
    object.set("url", asked.url.to_string())?;
    let headers = Object::new(ctx.clone())?;
    for (name, value) in &asked.headers {
        headers.set(name.as_str(), vec![value.as_str()])?;
    }
    if !cookies.is_empty() && asked.header("Cookie").is_none() {
        let pairs: Vec<String> = cookies.iter().map(|(name, value)| super::jar::pair(name, value)).collect();
        headers.set("Cookie", vec![pairs.join("; ")])?;
    }
    object.set("headers", headers)?;
    match &asked.body {
        Some(body) => object.set("body", String::from_utf8_lossy(body).into_owned())?,
        None => object.set("body", "")?,
    }
    let shown = Object::new(ctx.clone())?;
    for (name, value) in cookies {
        let cookie = Object::new(ctx.clone())?;
        cookie.set("name", name.as_str())?;
        cookie.set("value", value.as_str())?;
        cookie.set("replace", asked.cookies.iter().any(|own| own.name == *name && own.replaces))?;
        let list: Array<'js> = match shown.get::<_, Option<Array<'js>>>(name.as_str())? {
            Some(list) => list,
            None => Array::new(ctx.clone())?,
        };
        list.set(list.len(), cookie)?;
        shown.set(name.as_str(), list)?;
    }
    object.set("cookies", shown)?;
    Ok(object)
}

/// The body as the script sees it, and what is wrong with its coding.
fn body_of<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    asked: &Asked,
    heard: Heard,
) -> Result<(Value<'js>, Option<String>)> {
    let null = Value::new_null(ctx.clone());
    if matches!(heard.status, 100..=199 | 204 | 304) {
        return Ok((null, None));
    }
    if asked.body_kind == BodyKind::None {
        return Ok((null, None));
    }
    let encodings: Vec<&str> = heard.all("content-encoding").collect();
    let encodings = encodings.join(",");
    let decoded = match content::decode(encodings.as_bytes(), &heard.body, DECODED_BYTES_MAX) {
        Ok(decoded) => decoded,
        Err(content::ContentError::UnknownCoding { .. }) => std::borrow::Cow::Borrowed(heard.body.as_slice()),
        Err(error) => return Ok((null, Some(format!("error decompressing response body ({error})")))),
    };
    let body = match asked.body_kind {
        BodyKind::Binary => {
            calls.add(ctx, js::Part::TypedArrays);
            ArrayBuffer::new(ctx.clone(), decoded.into_owned())?.into_value()
        }
        _ => js::rquickjs::String::from_str(ctx.clone(), &String::from_utf8_lossy(&decoded))?.into_value(),
    };
    Ok((body, None))
}

/// A response without an answer, or an exception.
///
/// # Errors
/// The exception, if failures are thrown.
pub(crate) fn failed<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    method: &str,
    url: &str,
    (code, message): &Fault,
    times: Times,
    throws: bool,
) -> Result<Object<'js>> {
    let rest = method.chars().skip(1).map(|letter| letter.to_ascii_lowercase());
    let capital: String = method.chars().take(1).chain(rest).collect();
    let said = format!("{capital} \"{url}\": {message}");
    if throws {
        return Err(Exception::throw_message(ctx, &said));
    }
    host.test.say(Loudness::Warning, "Request Failed", None, Some(format!("error={said:?}")));
    let object = Object::new(ctx.clone())?;
    object.set("remote_ip", "")?;
    object.set("remote_port", 0)?;
    object.set("url", url)?;
    object.set("status", 0)?;
    object.set("status_text", "")?;
    object.set("proto", "")?;
    object.set("headers", Object::new(ctx.clone())?)?;
    object.set("cookies", Object::new(ctx.clone())?)?;
    object.set("body", Value::new_null(ctx.clone()))?;
    object.set("timings", timings(ctx, times)?)?;
    object.set("tls_version", "")?;
    object.set("tls_cipher_suite", "")?;
    object.set("ocsp", ocsp(ctx)?)?;
    object.set("error", message.as_str())?;
    object.set("error_code", *code)?;
    let request = Object::new(ctx.clone())?;
    request.set("method", method)?;
    request.set("url", url)?;
    request.set("headers", Object::new(ctx.clone())?)?;
    request.set("body", "")?;
    request.set("cookies", Object::new(ctx.clone())?)?;
    object.set("request", request)?;
    Ok(object)
}
