//! The response: what a script sees of a request that is over.

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

/// The parts of the response to a request that is over, by position, or what is thrown in its place. `modules/http.js` makes the object of
/// them: there the names of properties are known beforehand, and an object's form is found once.
///
/// # Errors
/// What the request threw, or the engine raised.
pub(crate) fn of<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, finished: Finished) -> Result<Array<'js>> {
    let Finished { asked, cookies, outcome, times } = finished;
    match outcome {
        Ok(heard) => answered(ctx, calls, &asked, &cookies, heard, times),
        Err(fault) => {
            let url = asked.url.to_string();
            let parts = failed(ctx, calls.host(), &asked.method, &url, &fault, times, asked.throws)?;
            request(ctx, &parts, &asked, &cookies)?;
            Ok(parts)
        }
    }
}

/// Places of a response's parts, as `modules/http.js` reads them.
mod part {
    pub(super) const REMOTE_IP: usize = 0;
    pub(super) const REMOTE_PORT: usize = 1;
    pub(super) const URL: usize = 2;
    pub(super) const STATUS: usize = 3;
    pub(super) const STATUS_TEXT: usize = 4;
    pub(super) const PROTO: usize = 5;
    /// Names and values in turn.
    pub(super) const HEADERS: usize = 6;
    /// An object, if there are any.
    pub(super) const COOKIES: usize = 7;
    pub(super) const BODY: usize = 8;
    /// Duration, blocked, connecting, TLS, waiting, receiving: ms.
    pub(super) const TIMES: usize = 9;
    pub(super) const ERROR: usize = 15;
    pub(super) const ERROR_CODE: usize = 16;
    pub(super) const REQUEST_METHOD: usize = 17;
    pub(super) const REQUEST_URL: usize = 18;
    /// Names and values in turn.
    pub(super) const REQUEST_HEADERS: usize = 19;
    pub(super) const REQUEST_BODY: usize = 20;
    /// An object, if there are any.
    pub(super) const REQUEST_COOKIES: usize = 21;
    /// Sending: ms.
    pub(super) const SENDING: usize = 22;
    /// Only of an answer over TLS.
    pub(super) const TLS_VERSION: usize = 23;
    pub(super) const TLS_CIPHER_SUITE: usize = 24;
}

fn answered<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    asked: &Asked,
    cookies: &[(String, String)],
    heard: Heard,
    times: Times,
) -> Result<Array<'js>> {
    let parts = Array::new(ctx.clone())?;
    let status = heard.status;
    parts.set(part::REMOTE_IP, heard.remote.map(|remote| remote.ip().to_string()).unwrap_or_default())?;
    parts.set(part::REMOTE_PORT, heard.remote.map_or(0, |remote| remote.port()))?;
    parts.set(part::URL, asked.url.to_string())?;
    parts.set(part::STATUS, status)?;
    parts.set(part::STATUS_TEXT, format!("{status} {}", answer::reason(status)).trim_end())?;
    parts.set(part::PROTO, "HTTP/1.1")?;
    parts.set(part::HEADERS, headers(ctx, &heard.headers)?)?;
    if heard.all("set-cookie").next().is_some() {
        parts.set(part::COOKIES, set_cookies(ctx, &heard)?)?;
    } else {
        parts.set(part::COOKIES, Value::new_undefined(ctx.clone()))?;
    }
    let tls = heard.tls;
    let (body, wrong) = body_of(ctx, calls, asked, heard)?;
    parts.set(part::BODY, body)?;
    put_times(&parts, times)?;
    let (error, code) =
        wrong.map_or((String::new(), if status >= 400 { 1000 + status } else { 0 }), |said| (said, 1701));
    parts.set(part::ERROR, error)?;
    parts.set(part::ERROR_CODE, code)?;
    request(ctx, &parts, asked, cookies)?;
    parts.set(part::SENDING, times.sending_ns as f64 / 1e6)?;
    if let Some(tls) = tls {
        parts.set(part::TLS_VERSION, tls.version)?;
        parts.set(part::TLS_CIPHER_SUITE, tls.cipher_suite)?;
    }
    Ok(parts)
}

/// Names and values in turn; values of a name that comes again are joined.
fn headers<'js>(ctx: &Ctx<'js>, all: &[(String, String)]) -> Result<Array<'js>> {
    let flat = Array::new(ctx.clone())?;
    let mut count = 0;
    for (index, (name, value)) in all.iter().enumerate() {
        let is_same = |other: &&(String, String)| other.0 == *name;
        if all.iter().take(index).any(|other| is_same(&other)) {
            continue;
        }
        flat.set(count, name.as_str())?;
        if all.iter().skip(index + 1).any(|other| is_same(&other)) {
            let values: Vec<&str> = all.iter().filter(is_same).map(|(_, value)| value.as_str()).collect();
            flat.set(count + 1, values.join(", "))?;
        } else {
            flat.set(count + 1, value.as_str())?;
        }
        count += 2;
    }
    Ok(flat)
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

fn put_times(parts: &Array<'_>, times: Times) -> Result<()> {
    let all = [
        times.duration_ns(),
        times.blocked_ns,
        times.connecting_ns,
        times.tls_ns,
        times.waiting_ns,
        times.receiving_ns,
    ];
    all.into_iter().enumerate().try_for_each(|(index, ns)| parts.set(part::TIMES + index, ns as f64 / 1e6))
}

/// The request as its last hop was sent.
fn request<'js>(
    ctx: &Ctx<'js>,
    parts: &Array<'js>,
    asked: &Asked,
    cookies: &[(String, String)],
) -> Result<()> {
    parts.set(part::REQUEST_METHOD, asked.method.as_str())?;
    parts.set(part::REQUEST_URL, asked.url.to_string())?;
    let headers = Array::new(ctx.clone())?;
    for (index, (name, value)) in asked.headers.iter().enumerate() {
        headers.set(2 * index, name.as_str())?;
        headers.set(2 * index + 1, value.as_str())?;
    }
    if !cookies.is_empty() && asked.header("Cookie").is_none() {
        let pairs: Vec<String> = cookies.iter().map(|(name, value)| super::jar::pair(name, value)).collect();
        headers.set(2 * asked.headers.len(), "Cookie")?;
        headers.set(2 * asked.headers.len() + 1, pairs.join("; "))?;
    }
    parts.set(part::REQUEST_HEADERS, headers)?;
    match &asked.body {
        Some(body) => parts.set(part::REQUEST_BODY, String::from_utf8_lossy(body).into_owned())?,
        None => parts.set(part::REQUEST_BODY, "")?,
    }
    if cookies.is_empty() {
        return parts.set(part::REQUEST_COOKIES, Value::new_undefined(ctx.clone()));
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
    parts.set(part::REQUEST_COOKIES, shown)
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
) -> Result<Array<'js>> {
    let rest = method.chars().skip(1).map(|letter| letter.to_ascii_lowercase());
    let capital: String = method.chars().take(1).chain(rest).collect();
    let said = format!("{capital} \"{url}\": {message}");
    if throws {
        return Err(Exception::throw_message(ctx, &said));
    }
    host.test.say(Loudness::Warning, "Request Failed", None, Some(format!("error={said:?}")));
    let parts = Array::new(ctx.clone())?;
    let undefined = || Value::new_undefined(ctx.clone());
    parts.set(part::REMOTE_IP, "")?;
    parts.set(part::REMOTE_PORT, 0)?;
    parts.set(part::URL, url)?;
    parts.set(part::STATUS, 0)?;
    parts.set(part::STATUS_TEXT, "")?;
    parts.set(part::PROTO, "")?;
    parts.set(part::HEADERS, Array::new(ctx.clone())?)?;
    parts.set(part::COOKIES, undefined())?;
    parts.set(part::BODY, Value::new_null(ctx.clone()))?;
    put_times(&parts, times)?;
    parts.set(part::ERROR, message.as_str())?;
    parts.set(part::ERROR_CODE, *code)?;
    parts.set(part::REQUEST_METHOD, method)?;
    parts.set(part::REQUEST_URL, url)?;
    parts.set(part::REQUEST_HEADERS, Array::new(ctx.clone())?)?;
    parts.set(part::REQUEST_BODY, "")?;
    parts.set(part::REQUEST_COOKIES, undefined())?;
    Ok(parts)
}
