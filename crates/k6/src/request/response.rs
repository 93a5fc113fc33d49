//! The response: what a script sees of a request that is over.
//!
//! It has some sixty values in all, of which scripts read one or two, so each is made when it is first read ([`js::LazyKind`]).

use super::arguments::{Asked, BodyKind, Fault};
use super::flight::Finished;
use super::jar::SetCookie;
use super::samples::Times;
use crate::answer::{self, Heard};
use crate::host::{VuHost, bytes_of};
use crate::test::Loudness;
use js::rquickjs::{Array, ArrayBuffer, Ctx, Error, Exception, Object, Result, Value};
use js::{Calls, LazyKind, Others, Parts};
use proto::content;
use std::borrow::Cow;
use std::cell::RefCell;

/// Greatest body after decoding.
const DECODED_BYTES_MAX: usize = 256 << 20;
/// Bodies up to this are the script's own memory only when it reads them.
const LATE_BODY_BYTES_MAX: usize = 16 << 10;

/// The names, in k6's order; `Response::make` knows them by their places.
const NAMES: [&str; 16] = [
    "remote_ip",
    "remote_port",
    "url",
    "status",
    "status_text",
    "proto",
    "headers",
    "cookies",
    "body",
    "timings",
    "tls_version",
    "tls_cipher_suite",
    "ocsp",
    "error",
    "error_code",
    "request",
];
const BODY: usize = 8;
/// Behind the names: the body read as JSON.
const JSON: usize = NAMES.len();

/// The kind of a user's responses, which inherit from `prototype`.
pub(super) fn kind<'js>(ctx: &Ctx<'js>, prototype: &Object<'js>) -> Result<LazyKind> {
    LazyKind::new(ctx, &NAMES, 1, prototype)
}

/// What is behind a response.
struct Response {
    request: Request,
    answer: Option<Heard>,
    body: Body,
    times: Times,
    error: String,
    error_code: u16,
}

enum Request {
    /// With the cookies that its last hop sent.
    Sent(Box<Asked>, Vec<(String, String)>),
    /// One that could not be read: method and URL.
    Unread(String, String),
}

enum Body {
    Null,
    Text(RefCell<Vec<u8>>),
    Binary(RefCell<Vec<u8>>),
}

/// The response to a request that is over, or what is thrown in its place.
///
/// # Errors
/// What the request threw, or the engine raised.
pub(crate) fn of<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, finished: Finished) -> Result<Object<'js>> {
    let Finished { asked, cookies, outcome, times } = finished;
    let response = match outcome {
        Ok(mut heard) => {
            let (body, wrong) = body_of(&asked, &mut heard);
            if matches!(body, Body::Binary(_)) {
                calls.add(ctx, js::Part::TypedArrays);
            }
            let error_code = match (&wrong, heard.status) {
                (Some(_), _) => 1701,
                (None, status @ 400..) => 1000 + status,
                (None, _) => 0,
            };
            let error = wrong.unwrap_or_default();
            let request = Request::Sent(Box::new(asked), cookies);
            Response { request, answer: Some(heard), body, times, error, error_code }
        }
        Err(fault) => {
            let url = asked.url.to_string();
            told(ctx, calls.host(), &asked.method, &url, &fault, asked.throws)?;
            failure(Request::Sent(Box::new(asked), cookies), fault, times)
        }
    };
    response.shown(ctx, calls.host())
}

/// The response to a request that could not be read, or an exception.
///
/// # Errors
/// The exception, if failures are thrown.
pub(super) fn of_unread<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    method: String,
    url: String,
    fault: Fault,
    throws: bool,
) -> Result<Object<'js>> {
    told(ctx, host, &method, &url, &fault, throws)?;
    failure(Request::Unread(method, url), fault, Times::default()).shown(ctx, host)
}

fn failure(request: Request, (error_code, error): Fault, times: Times) -> Response {
    Response { request, answer: None, body: Body::Null, times, error, error_code }
}

/// A failure is thrown or logged.
fn told(
    ctx: &Ctx<'_>,
    host: &VuHost,
    method: &str,
    url: &str,
    (_, message): &Fault,
    throws: bool,
) -> Result<()> {
    let rest = method.chars().skip(1).map(|letter| letter.to_ascii_lowercase());
    let capital: String = method.chars().take(1).chain(rest).collect();
    let said = format!("{capital} \"{url}\": {message}");
    if throws {
        return Err(Exception::throw_message(ctx, &said));
    }
    host.test.say(Loudness::Warning, "Request Failed", None, Some(format!("error={said}")));
    Ok(())
}

/// A response's body as JSON, which is read once.
///
/// # Errors
/// It is null, or no JSON.
pub(super) fn json<'js>(ctx: &Ctx<'js>, host: &VuHost, response: &Object<'js>) -> Result<Value<'js>> {
    let kind = host.vu.http.responses.get().ok_or(Error::Unknown)?;
    match kind.part(ctx, response, JSON)? {
        Some(json) => Ok(json),
        // An object that a script gave a response's functions.
        None => parsed(ctx, &response.get("body")?),
    }
}

impl Response {
    fn shown<'js>(self, ctx: &Ctx<'js>, host: &VuHost) -> Result<Object<'js>> {
        let kind = host.vu.http.responses.get().ok_or(Error::Unknown)?;
        let is_large = match &self.body {
            Body::Null => false,
            Body::Text(bytes) | Body::Binary(bytes) => bytes.borrow().len() > LATE_BODY_BYTES_MAX,
        };
        let response = kind.object(ctx, Box::new(self))?;
        if is_large {
            // What is large counts against the user's memory from the start.
            kind.part(ctx, &response, BODY)?;
        }
        Ok(response)
    }

    fn url(&self) -> String {
        match &self.request {
            Request::Sent(asked, _) => asked.url.to_string(),
            Request::Unread(_, url) => url.clone(),
        }
    }

    /// The body as the script sees it; its bytes are given away.
    fn body<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match &self.body {
            Body::Null => Ok(Value::new_null(ctx.clone())),
            Body::Text(bytes) => text(ctx, &String::from_utf8_lossy(&bytes.take())),
            Body::Binary(bytes) => Ok(ArrayBuffer::new(ctx.clone(), bytes.take())?.into_value()),
        }
    }

    fn timings<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let timings = Object::new(ctx.clone())?;
        let times = &self.times;
        for (name, ns) in [
            ("duration", times.duration_ns()),
            ("blocked", times.blocked_ns),
            ("looking_up", 0),
            ("connecting", times.connecting_ns),
            ("tls_handshaking", times.tls_ns),
            ("sending", times.sending_ns),
            ("waiting", times.waiting_ns),
            ("receiving", times.receiving_ns),
        ] {
            timings.set(name, ns as f64 / 1e6)?;
        }
        Ok(timings.into_value())
    }
}

impl Parts for Response {
    fn make<'js>(&self, ctx: &Ctx<'js>, index: usize, others: &Others<'_>) -> Result<Value<'js>> {
        let answer = self.answer.as_ref();
        let number = |number: u16| Ok(Value::new_int(ctx.clone(), i32::from(number)));
        let (remote, tls) = answer.map_or((None, None), |answer| (answer.remote, answer.tls));
        let status = answer.map_or(0, |answer| answer.status);
        match NAMES.get(index).copied().unwrap_or_default() {
            "remote_ip" => text(ctx, &remote.map(|remote| remote.ip().to_string()).unwrap_or_default()),
            "remote_port" => number(remote.map_or(0, |remote| remote.port())),
            "url" => text(ctx, &self.url()),
            "status" => number(status),
            "status_text" if status > 0 => {
                text(ctx, format!("{status} {}", answer::reason(status)).trim_end())
            }
            "proto" if status > 0 => text(ctx, "HTTP/1.1"),
            "headers" => headers(ctx, answer),
            "cookies" => set_cookies(ctx, answer),
            "body" => self.body(ctx),
            "timings" => self.timings(ctx),
            "tls_version" => text(ctx, tls.map_or("", |tls| tls.version)),
            "tls_cipher_suite" => text(ctx, tls.map_or("", |tls| tls.cipher_suite)),
            // As with k6 where a server says nothing of it.
            "ocsp" => ocsp(ctx, if tls.is_some() { "unknown" } else { "" }),
            "error" => text(ctx, &self.error),
            "error_code" => number(self.error_code),
            "request" => self.request.shown(ctx),
            "" if index == JSON => parsed(ctx, &others.part(ctx, BODY)?),
            _ => text(ctx, ""),
        }
    }
}

fn text<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Value<'js>> {
    Ok(js::rquickjs::String::from_str(ctx.clone(), text)?.into_value())
}

/// What no answer has here but for its status.
fn ocsp<'js>(ctx: &Ctx<'js>, status: &str) -> Result<Value<'js>> {
    let ocsp = Object::new(ctx.clone())?;
    for name in ["produced_at", "this_update", "next_update", "revoked_at"] {
        ocsp.set(name, 0)?;
    }
    ocsp.set("revocation_reason", "")?;
    ocsp.set("status", status)?;
    Ok(ocsp.into_value())
}

/// A body as JSON.
fn parsed<'js>(ctx: &Ctx<'js>, body: &Value<'js>) -> Result<Value<'js>> {
    if body.is_null() {
        return Err(Exception::throw_type(ctx, "the body is null so we can't transform it to JSON"));
    }
    let bytes = bytes_of(body).unwrap_or_default();
    let fault = |bytes: &[u8]| {
        let error = serde_json::from_slice::<serde_json::Value>(bytes).err()?;
        let (line, character) = (error.line(), error.column());
        let said = error.to_string();
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        Some(format!(
            "cannot parse json due to an error at line {line}, character {character} , error: {said}"
        ))
    };
    match ctx.json_parse(bytes.as_slice()) {
        Err(Error::Exception) => {
            let caught = ctx.catch();
            Err(match fault(&bytes) {
                Some(said) => Exception::throw_syntax(ctx, &said),
                None => ctx.throw(caught),
            })
        }
        parsed => parsed,
    }
}

/// Values of a name that comes again are joined.
fn headers<'js>(ctx: &Ctx<'js>, answer: Option<&Heard>) -> Result<Value<'js>> {
    let all: Vec<(String, Cow<'_, str>)> = answer.iter().flat_map(|answer| answer.headers()).collect();
    let shown = Object::new(ctx.clone())?;
    for (index, (name, value)) in all.iter().enumerate() {
        let is_same = |other: &&(String, Cow<'_, str>)| other.0 == *name;
        if all.iter().take(index).any(|other| is_same(&other)) {
            continue;
        }
        if all.iter().skip(index + 1).any(|other| is_same(&other)) {
            let values: Vec<&str> = all.iter().filter(is_same).map(|(_, value)| &**value).collect();
            shown.set(name.as_str(), values.join(", "))?;
        } else {
            shown.set(name.as_str(), &**value)?;
        }
    }
    Ok(shown.into_value())
}

fn set_cookies<'js>(ctx: &Ctx<'js>, answer: Option<&Heard>) -> Result<Value<'js>> {
    let cookies = Object::new(ctx.clone())?;
    for cookie in answer.iter().flat_map(|answer| answer.all("set-cookie")) {
        let Some(cookie) = SetCookie::parse(&cookie) else { continue };
        let shown = Object::new(ctx.clone())?;
        shown.set("name", cookie.name.as_str())?;
        shown.set("value", cookie.value)?;
        shown.set("domain", cookie.domain)?;
        shown.set("path", cookie.path)?;
        shown.set("http_only", cookie.is_http_only)?;
        shown.set("secure", cookie.is_secure)?;
        shown.set("max_age", cookie.max_age as f64)?;
        shown.set("expires", cookie.expires_unix_ms.unwrap_or(0) as f64)?;
        listed(&cookies, &cookie.name, shown)?;
    }
    Ok(cookies.into_value())
}

/// Adds to the list of that name.
fn listed<'js>(lists: &Object<'js>, name: &str, entry: Object<'js>) -> Result<()> {
    let list: Array<'js> = match lists.get::<_, Option<Array<'js>>>(name)? {
        Some(list) => list,
        None => Array::new(lists.ctx().clone())?,
    };
    list.set(list.len(), entry)?;
    lists.set(name, list)
}

impl Request {
    /// The request as its last hop was sent.
    fn shown<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        let shown = Object::new(ctx.clone())?;
        let (headers, sent) = (Object::new(ctx.clone())?, Object::new(ctx.clone())?);
        let one = |value: &str| -> Result<Array<'js>> {
            let values = Array::new(ctx.clone())?;
            values.set(0, value)?;
            Ok(values)
        };
        let mut body = Cow::Borrowed("");
        match self {
            Self::Unread(method, url) => {
                shown.set("method", method.as_str())?;
                shown.set("url", url.as_str())?;
            }
            Self::Sent(asked, cookies) => {
                shown.set("method", asked.method.as_str())?;
                shown.set("url", asked.url.to_string())?;
                for (name, value) in &asked.headers {
                    headers.set(name.as_str(), one(value)?)?;
                }
                if !cookies.is_empty() && asked.header("Cookie").is_none() {
                    let pairs: Vec<String> =
                        cookies.iter().map(|(name, value)| super::jar::pair(name, value)).collect();
                    headers.set("Cookie", one(&pairs.join("; "))?)?;
                }
                for (name, value) in cookies {
                    let cookie = Object::new(ctx.clone())?;
                    cookie.set("name", name.as_str())?;
                    cookie.set("value", value.as_str())?;
                    let replaces = asked.cookies.iter().any(|own| own.name == *name && own.replaces);
                    cookie.set("replace", replaces)?;
                    listed(&sent, name, cookie)?;
                }
                body = asked.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            }
        }
        shown.set("headers", headers)?;
        shown.set("body", body.as_ref())?;
        shown.set("cookies", sent)?;
        Ok(shown.into_value())
    }
}

/// The body, decoded, and what is wrong with its coding.
fn body_of(asked: &Asked, heard: &mut Heard) -> (Body, Option<String>) {
    if matches!(heard.status, 100..=199 | 204 | 304) || asked.body_kind == BodyKind::None {
        return (Body::Null, None);
    }
    let mut bytes = std::mem::take(&mut heard.body);
    let encodings: Vec<Cow<'_, str>> = heard.all("content-encoding").collect();
    if !encodings.is_empty() {
        match content::decode(encodings.join(",").as_bytes(), &bytes, DECODED_BYTES_MAX) {
            Ok(decoded) => bytes = decoded.into_owned(),
            Err(content::ContentError::UnknownCoding { .. }) => {}
            Err(error) => {
                return (Body::Null, Some(format!("error decompressing response body ({error})")));
            }
        }
    }
    match asked.body_kind {
        BodyKind::Binary => (Body::Binary(RefCell::new(bytes)), None),
        _ => (Body::Text(RefCell::new(bytes)), None),
    }
}
