//! `k6/http`'s native part: arguments to bytes, redirects and cookies, samples, the response object.

use crate::answer::{self, Heard, canonical};
use crate::host::{Ask, Hop, Reply, VuHost, bytes_of};
use crate::test::Loudness;
use crate::url::Url;
use js::rquickjs::function::Opt;
use js::rquickjs::{Array, ArrayBuffer, Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host as _};
use k6_metrics::{MetricId, SystemTag, TagSetId};
use plan::{CertificateCheck, ConnectionPolicy, Scheme, Target, TlsSettings};
use proto::content;
use std::rc::Rc;

/// How long a request may take where nothing is said.
const TIMEOUT_MS: f64 = 60_000.0;
/// Longest that may be asked for.
const TIMEOUT_MS_MAX: f64 = 86_400_000.0;
/// Greatest body after decoding.
const DECODED_BYTES_MAX: usize = 256 << 20;
/// Cookies of a user at most.
const COOKIES_MAX: usize = 256;

/// Which statuses are no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected(Vec<(u16, u16)>);

impl Default for Expected {
    fn default() -> Self {
        Self(vec![(200, 399)])
    }
}

impl Expected {
    fn has(&self, status: u16) -> bool {
        self.0.iter().any(|(min, max)| (*min..=*max).contains(&status))
    }
}

/// A user's cookies, as RFC 6265 stores them.
#[derive(Debug, Default)]
pub(crate) struct Jar(Vec<Cookie>);

#[derive(Debug, Clone)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    is_host_only: bool,
    path: String,
    is_secure: bool,
    is_http_only: bool,
    max_age: i64,
}

impl Jar {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes a `Set-Cookie` in (RFC 6265, section 5.3); what is out of date removes.
    fn store(&mut self, line: &str, url: &Url) {
        let Some(cookie) = parse_cookie(line, url) else { return };
        self.0.retain(|own| {
            (&own.name, &own.domain, &own.path) != (&cookie.name, &cookie.domain, &cookie.path)
        });
        if cookie.max_age >= 0 && self.0.len() < COOKIES_MAX {
            self.0.push(cookie);
        }
    }

    /// Names and values that go to a URL (section 5.4).
    fn for_url(&self, url: &Url) -> Vec<(String, String)> {
        let path = url.path();
        let matches = |cookie: &&Cookie| {
            let is_there = if cookie.is_host_only {
                url.host == cookie.domain
            } else {
                is_within(&url.host, &cookie.domain)
            };
            let on_path = path == cookie.path
                || path
                    .strip_prefix(cookie.path.as_str())
                    .is_some_and(|rest| cookie.path.ends_with('/') || rest.starts_with('/'));
            is_there && on_path && (!cookie.is_secure || url.scheme == Scheme::Https)
        };
        self.0.iter().filter(matches).map(|cookie| (cookie.name.clone(), cookie.value.clone())).collect()
    }
}

/// Whether a host is the domain or below it.
fn is_within(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

fn parse_cookie(line: &str, url: &Url) -> Option<Cookie> {
    let mut parts = line.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut cookie = Cookie {
        name: name.trim().to_owned(),
        value: value.trim().trim_matches('"').to_owned(),
        domain: url.host.clone(),
        is_host_only: true,
        path: if folder.is_empty() { "/".to_owned() } else { folder.to_owned() },
        is_secure: false,
        is_http_only: false,
        max_age: 0,
    };
    for part in parts {
        let (key, value) =
            part.split_once('=').map_or((part.trim(), ""), |(key, value)| (key.trim(), value.trim()));
        match key.to_ascii_lowercase().as_str() {
            "domain" if !value.is_empty() => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                if !is_within(&url.host, &domain) {
                    return None;
                }
                (cookie.domain, cookie.is_host_only) = (domain, false);
            }
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "secure" => cookie.is_secure = true,
            "httponly" => cookie.is_http_only = true,
            // 0 and below: at once.
            "max-age" => {
                cookie.max_age = value.parse::<i64>().map_or(0, |age| if age <= 0 { -1 } else { age })
            }
            "expires" if value.contains("1970") => cookie.max_age = -1,
            _ => {}
        }
    }
    (!cookie.name.is_empty()).then_some(cookie)
}

/// Fills in the module.
pub(crate) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let request = move |ctx: Ctx<'js>,
                        method: String,
                        url: Value<'js>,
                        body: Opt<Value<'js>>,
                        params: Opt<Value<'js>>| {
        request(&ctx, &own, &method, &url, body.0.as_ref(), params.0.as_ref())
    };
    module.set("request", Function::new(ctx.clone(), request)?)?;
    let text =
        |value: Value<'js>| String::from_utf8_lossy(&bytes_of(&value).unwrap_or_default()).into_owned();
    module.set("text", Function::new(ctx.clone(), text)?)?;
    let expected = |ctx: Ctx<'js>, ranges: Array<'js>| -> Result<Object<'js>> {
        let made = Object::new(ctx.clone())?;
        made.set("__expected", ranges)?;
        Ok(made)
    };
    module.set("expectedStatuses", Function::new(ctx.clone(), expected)?)?;
    let own = calls.clone();
    let set = move |ctx: Ctx<'js>, callback: Value<'js>| -> Result<()> {
        let expected = expected_of(&ctx, &callback)?;
        *own.host().vu.expected.borrow_mut() = expected.map(Rc::new);
        Ok(())
    };
    module.set("setResponseCallback", Function::new(ctx.clone(), set)?)
}

/// What `expectedStatuses` made; `None`: null.
fn expected_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Expected>> {
    if value.is_null() || value.is_undefined() {
        return Ok(None);
    }
    let wrong =
        || Exception::throw_type(ctx, "unsupported responseCallback: use http.expectedStatuses(…) or null");
    let ranges: Array<'js> = value.as_object().ok_or_else(wrong)?.get("__expected").map_err(|_| wrong())?;
    let mut expected = Vec::new();
    for range in ranges.iter::<Value<'js>>() {
        let range = range?;
        match range.as_object() {
            Some(range) => expected.push((range.get("min")?, range.get("max")?)),
            None => {
                let status = range.as_number().ok_or_else(wrong)? as u16;
                expected.push((status, status));
            }
        }
    }
    Ok(Some(Expected(expected)))
}

/// A request as the script asks for it.
struct Asked {
    method: String,
    url: Url,
    name: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    timeout_ns: u64,
    redirects_max: i64,
    tags: TagSetId,
    cookies: Vec<(String, String, bool)>,
    body_kind: BodyKind,
    expected: Option<Rc<Expected>>,
    throws: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyKind {
    Text,
    Binary,
    None,
}

fn request<'js>(
    ctx: &Ctx<'js>,
    calls: &Calls<VuHost>,
    method: &str,
    url: &Value<'js>,
    body: Option<&Value<'js>>,
    params: Option<&Value<'js>>,
) -> Result<Object<'js>> {
    let host = calls.host();
    if host.vu.is_in_init.get() {
        return Err(Exception::throw_message(
            ctx,
            "Making http requests in the init context is not supported",
        ));
    }
    let params = params.and_then(Value::as_object);
    let throws = match params.map(|params| params.get::<_, Option<bool>>("throw")) {
        Some(Ok(Some(throws))) => throws,
        _ => host.test.consolidated.options.throw == Some(true),
    };
    let asked = match read(ctx, host, method, url, body, params, throws)? {
        Ok(asked) => asked,
        Err((code, message)) => return failed(ctx, host, method, &shown(url), code, &message, throws),
    };
    perform(ctx, calls, asked)
}

fn shown(url: &Value<'_>) -> String {
    url.get::<Coerced<String>>().map(|text| text.0).unwrap_or_default()
}

/// Arguments to a request; the inner error is code and message of a request that can't be made.
fn read<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    method: &str,
    url: &Value<'js>,
    body: Option<&Value<'js>>,
    params: Option<&Object<'js>>,
    throws: bool,
) -> Result<std::result::Result<Asked, (u16, String)>> {
    let options = &host.test.consolidated.options;
    let named: Option<String> = url.as_object().and_then(|url| url.get("__url").ok());
    let (text, mut name) = match (&named, url.as_object()) {
        (Some(text), Some(url)) => (text.clone(), url.get::<_, String>("name").ok()),
        _ => (shown(url), None),
    };
    let parsed = match Url::parse(&text) {
        Ok(parsed) => parsed,
        Err(said) => return Ok(Err((1020, format!("invalid URL: {said}")))),
    };
    let mut asked = Asked {
        method: method.to_ascii_uppercase(),
        name: String::new(),
        headers: Vec::new(),
        body: None,
        timeout_ns: (TIMEOUT_MS * 1e6) as u64,
        redirects_max: options.max_redirects.unwrap_or(k6_options::Options::MAX_REDIRECTS),
        tags: host.vu.tags.get(),
        cookies: Vec::new(),
        body_kind: if options.discard_response_bodies == Some(true) {
            BodyKind::None
        } else {
            BodyKind::Text
        },
        expected: host.vu.expected.borrow().clone(),
        throws,
        url: parsed,
    };
    let content_type = match body.filter(|body| !body.is_null() && !body.is_undefined()) {
        None => None,
        Some(body) => match bytes_of(body) {
            Some(bytes) => {
                asked.body = Some(bytes);
                None
            }
            None => match body.as_object() {
                Some(fields) => {
                    asked.body = Some(form(fields)?.into_bytes());
                    Some("application/x-www-form-urlencoded")
                }
                None => return Ok(Err((1000, "unknown request body type".to_owned()))),
            },
        },
    };
    if let Some(params) = params {
        if let Err(fault) = take_params(ctx, host, params, &mut asked, &mut name)? {
            return Ok(Err(fault));
        }
    }
    if let Some(content_type) = content_type
        && !asked.headers.iter().any(|(name, _)| name == "Content-Type")
    {
        asked.headers.push(("Content-Type".to_owned(), content_type.to_owned()));
    }
    asked.name = name.unwrap_or_else(|| asked.url.to_string());
    Ok(Ok(asked))
}

fn take_params<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    params: &Object<'js>,
    asked: &mut Asked,
    name: &mut Option<String>,
) -> Result<std::result::Result<(), (u16, String)>> {
    if let Some(headers) = params.get::<_, Value<'js>>("headers")?.as_object() {
        for pair in headers.props::<String, Coerced<String>>() {
            let (key, value) = pair?;
            asked.headers.push((canonical(&key), value.0));
        }
    }
    let tags: Value<'js> = params.get("tags")?;
    if let Some(given) = tags.as_object() {
        if let Ok(Some(given)) = given.get::<_, Option<Coerced<String>>>("name") {
            *name = Some(given.0);
        }
        asked.tags = host.tags_with(ctx, asked.tags, Some(&tags))?;
    }
    let timeout: Value<'js> = params.get("timeout")?;
    let timeout_ms = match (timeout.as_number(), timeout.as_string()) {
        (Some(ms), _) => Some(ms),
        (_, Some(text)) => {
            let text = text.to_string()?;
            match k6_options::GoDuration::parse_extended(&text) {
                Ok(timeout) => Some(timeout.as_secs_f64() * 1e3),
                Err(said) => return Ok(Err((1000, format!("invalid timeout: {said}")))),
            }
        }
        _ => None,
    };
    if let Some(ms) = timeout_ms {
        asked.timeout_ns = (ms.clamp(0.001, TIMEOUT_MS_MAX) * 1e6) as u64;
    }
    if let Some(redirects) = params.get::<_, Value<'js>>("redirects")?.as_number() {
        asked.redirects_max = redirects as i64;
    }
    if let Some(cookies) = params.get::<_, Value<'js>>("cookies")?.as_object() {
        for pair in cookies.props::<String, Value<'js>>() {
            let (key, value) = pair?;
            let (text, replaces) = match value.as_object() {
                Some(full) => (
                    full.get::<_, Coerced<String>>("value")?.0,
                    full.get::<_, Option<bool>>("replace")?.unwrap_or(false),
                ),
                None => (value.get::<Coerced<String>>()?.0, false),
            };
            asked.cookies.push((key, text, replaces));
        }
    }
    if let Some(kind) = params.get::<_, Value<'js>>("responseType")?.as_string() {
        asked.body_kind = match kind.to_string()?.as_str() {
            "text" => BodyKind::Text,
            "binary" => BodyKind::Binary,
            "none" => BodyKind::None,
            other => {
                return Ok(Err((1000, format!("unknown responseType '{other}': use text, binary or none"))));
            }
        };
    }
    if params.contains_key("responseCallback")? {
        asked.expected = expected_of(ctx, &params.get("responseCallback")?)?.map(Rc::new);
    }
    Ok(Ok(()))
}

/// Fields as a form, keys sorted.
fn form(fields: &Object<'_>) -> Result<String> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let text = |value: &Value<'_>| -> Result<String> {
        if value.is_null() || value.is_undefined() || (value.is_object() && !value.is_array()) {
            return Ok(String::new());
        }
        Ok(value.get::<Coerced<String>>()?.0)
    };
    for pair in fields.props::<String, Value<'_>>() {
        let (key, value) = pair?;
        match value.as_array() {
            Some(list) => {
                for one in list.iter::<Value<'_>>() {
                    pairs.push((key.clone(), text(&one?)?));
                }
            }
            None => pairs.push((key, text(&value)?)),
        }
    }
    pairs.sort_by(|(a, _), (b, _)| a.cmp(b));
    let pairs = pairs.iter().map(|(key, value)| format!("{}={}", form_encoded(key), form_encoded(value)));
    Ok(pairs.collect::<Vec<_>>().join("&"))
}

fn form_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte))
            }
            b' ' => encoded.push('+'),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Sends the request and what its redirects lead to.
fn perform<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, mut asked: Asked) -> Result<Object<'js>> {
    let host = calls.host();
    let mut hops_left = asked.redirects_max;
    loop {
        let hop = match hop_of(host, &asked) {
            Ok(hop) => hop,
            Err(said) => {
                let url = asked.url.to_string();
                return failed(ctx, host, &asked.method, &url, 1000, &said, asked.throws);
            }
        };
        let sent_bytes = hop.bytes.len() as u64;
        let Reply::Heard(heard) = calls.suspend(ctx, Ask::Send(Box::new(hop)))? else {
            return Err(Exception::throw_internal(ctx, "a request was answered by a pause"));
        };
        let (sent, received) = host.vu.bytes.get();
        let received = received + heard.as_ref().as_ref().map_or(0, |heard| heard.timing.received_bytes);
        host.vu.bytes.set((sent + sent_bytes, received));
        let heard = match *heard {
            Ok(heard) => heard,
            Err(class) => {
                let (code, said) = answer::failure(class);
                sample(host, &asked, None, Some((code, said)));
                let url = asked.url.to_string();
                return failed(ctx, host, &asked.method, &url, code, said, asked.throws);
            }
        };
        sample(host, &asked, Some(&heard), None);
        for line in heard.all("set-cookie") {
            host.vu.jar.borrow_mut().store(line, &asked.url);
        }
        let location =
            heard.all("location").next().filter(|_| matches!(heard.status, 301 | 302 | 303 | 307 | 308));
        if let Some(next) = location.and_then(|location| asked.url.join(location).ok())
            && hops_left > 0
        {
            hops_left -= 1;
            redirect(&mut asked, &heard, next);
            continue;
        }
        return response(ctx, calls, &asked, heard);
    }
}

/// Go's rules: 301, 302 and 303 become GET (HEAD stays), 307 and 308 repeat.
fn redirect(asked: &mut Asked, heard: &Heard, next: Url) {
    if matches!(heard.status, 301..=303) && asked.method != "HEAD" {
        "GET".clone_into(&mut asked.method);
        asked.body = None;
        asked.headers.retain(|(name, _)| name != "Content-Type");
    }
    if next.host != asked.url.host {
        asked
            .headers
            .retain(|(name, _)| !["Authorization", "Cookie", "Www-Authenticate"].contains(&name.as_str()));
        asked.cookies.clear();
    }
    asked.headers.retain(|(name, _)| name != "Host");
    asked.name = next.to_string();
    asked.url = next;
}

/// The bytes of one request and where they go.
fn hop_of(host: &VuHost, asked: &Asked) -> std::result::Result<Hop, String> {
    let options = &host.test.consolidated.options;
    let mut bytes = Vec::with_capacity(256 + asked.body.as_ref().map_or(0, Vec::len));
    let authority = asked.headers.iter().find(|(name, _)| name == "Host").map(|(_, value)| value.clone());
    let authority = authority.unwrap_or_else(|| asked.url.authority());
    let said = |error: proto::http1::request::RequestError| error.to_string();
    let mut head =
        proto::http1::request::RequestHead::begin(&mut bytes, &asked.method, &asked.url.target, &authority)
            .map_err(said)?;
    let has = |wanted: &str| asked.headers.iter().any(|(name, _)| name == wanted);
    if !has("User-Agent") {
        let agent = options.user_agent.as_deref().unwrap_or("Grafana k6/2.2.0 (Weir)");
        if !agent.is_empty() {
            head.header("User-Agent", agent.as_bytes()).map_err(said)?;
        }
    }
    for (name, value) in &asked.headers {
        if !proto::http1::request::is_own_header(name) {
            head.header(name, value.as_bytes()).map_err(said)?;
        }
    }
    if let Some(userinfo) = asked.url.userinfo.as_ref().filter(|_| !has("Authorization")) {
        use base64::Engine as _;
        let plain = percent_decoded(userinfo);
        let value = format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(plain));
        head.header("Authorization", value.as_bytes()).map_err(said)?;
    }
    let mut cookies = host.vu.jar.borrow().for_url(&asked.url);
    cookies.retain(|(name, _)| !asked.cookies.iter().any(|(own, _, replaces)| own == name && *replaces));
    let own = asked.cookies.iter().map(|(name, value, _)| (name.clone(), value.clone()));
    let pairs: Vec<String> =
        cookies.into_iter().chain(own).map(|(name, value)| format!("{name}={value}")).collect();
    if !pairs.is_empty() && !has("Cookie") {
        head.header("Cookie", pairs.join("; ").as_bytes()).map_err(said)?;
    }
    let foresees_body = matches!(asked.method.as_str(), "POST" | "PUT" | "PATCH");
    let body_bytes = asked.body.as_ref().map(|body| body.len() as u64).or(foresees_body.then_some(0));
    head.finish(body_bytes);
    if let Some(body) = &asked.body {
        bytes.extend_from_slice(body);
    }
    Ok(Hop {
        target: target(host, &asked.url),
        bytes,
        is_head: asked.method == "HEAD",
        wants_body: asked.body_kind != BodyKind::None,
        timeout_ns: asked.timeout_ns,
    })
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *byte == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    decoded
}

/// Where a URL's requests go. Each user has connections of its own.
fn target(host: &VuHost, url: &Url) -> Target {
    let options = &host.test.consolidated.options;
    let mut target = Target::new(url.scheme, url.host.clone(), url.port);
    target.name = url.origin();
    target.connections = match options.no_connection_reuse {
        Some(true) => ConnectionPolicy::PerRequest,
        _ => ConnectionPolicy::PerUser,
    };
    target.connect_timeout_ns = 30 * units::NS_PER_SEC;
    if let Some((address, port)) = options.hosts.as_ref().and_then(|hosts| hosts.resolve(&url.host, url.port))
    {
        target.addresses = vec![address];
        target.port = port;
    }
    target.tls = TlsSettings {
        check: match options.insecure_skip_tls_verify {
            Some(true) => CertificateCheck::Insecure,
            _ => CertificateCheck::Verify,
        },
        ..TlsSettings::default()
    };
    target
}

/// Adds the samples of one request.
fn sample(host: &VuHost, asked: &Asked, heard: Option<&Heard>, failure: Option<(u16, &str)>) {
    let now_ns = host.now_ns();
    let system = host.test.registry.system_tags();
    let status = heard.map_or(0, |heard| heard.status);
    let mut pairs: [(&str, &str); 8] = [("", ""); 8];
    let mut count = 0;
    let status_text = status.to_string();
    let error_code = failure.map_or(if status >= 400 { 1000 + status } else { 0 }, |(code, _)| code);
    let code_text = error_code.to_string();
    let is_expected = asked.expected.as_ref().map(|expected| expected.has(status));
    let given = [
        (SystemTag::Name, Some(asked.name.as_str())),
        (SystemTag::Url, Some(asked.name.as_str())),
        (SystemTag::Method, Some(asked.method.as_str())),
        (SystemTag::Status, Some(status_text.as_str())),
        (SystemTag::Proto, heard.map(|_| "HTTP/1.1")),
        (SystemTag::Error, failure.map(|(_, said)| said)),
        (SystemTag::ErrorCode, (error_code > 0).then_some(code_text.as_str())),
        (SystemTag::ExpectedResponse, is_expected.map(|is| if is { "true" } else { "false" })),
    ];
    for (tag, value) in given {
        if let Some(value) = value.filter(|_| system.has(tag))
            && let Some(place) = pairs.get_mut(count)
        {
            *place = (tag.key(), value);
            count += 1;
        }
    }
    let set = host.worker.tags.borrow_mut().with_all(asked.tags, pairs.get(..count).unwrap_or_default());
    let ms = |ns: u64| ns as f64 / 1e6;
    let times = heard.map(Times::of).unwrap_or_default();
    let mut books = host.worker.books.borrow_mut();
    for (metric, value) in [
        (MetricId::HTTP_REQS, 1.0),
        (MetricId::HTTP_REQ_DURATION, ms(times.duration_ns())),
        (MetricId::HTTP_REQ_BLOCKED, ms(times.blocked_ns)),
        (MetricId::HTTP_REQ_CONNECTING, ms(times.connecting_ns)),
        (MetricId::HTTP_REQ_TLS_HANDSHAKING, ms(times.tls_ns)),
        (MetricId::HTTP_REQ_SENDING, 0.0),
        (MetricId::HTTP_REQ_WAITING, ms(times.waiting_ns)),
        (MetricId::HTTP_REQ_RECEIVING, ms(times.receiving_ns)),
    ] {
        books.add(metric, set, value, now_ns);
    }
    if let Some(is_expected) = is_expected {
        books.add(MetricId::HTTP_REQ_FAILED, set, f64::from(u8::from(!is_expected)), now_ns);
    }
}

/// k6's stretches of a request, ns.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    blocked_ns: u64,
    connecting_ns: u64,
    tls_ns: u64,
    waiting_ns: u64,
    receiving_ns: u64,
}

impl Times {
    fn of(heard: &Heard) -> Self {
        let timing = &heard.timing;
        Self {
            blocked_ns: timing.sent_ns.saturating_sub(timing.asked_ns),
            connecting_ns: timing.connect_ns,
            tls_ns: timing.tls_ns,
            waiting_ns: timing.first_byte_ns.saturating_sub(timing.sent_ns),
            receiving_ns: heard.done_ns.saturating_sub(timing.first_byte_ns),
        }
    }

    fn duration_ns(self) -> u64 {
        self.waiting_ns + self.receiving_ns
    }
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

fn response<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, asked: &Asked, heard: Heard) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let null = || Value::new_null(ctx.clone());
    object.set("remote_ip", heard.remote.map(|remote| remote.ip().to_string()).unwrap_or_default())?;
    object.set("remote_port", heard.remote.map_or(0, |remote| remote.port()))?;
    object.set("url", asked.url.to_string())?;
    object.set("status", heard.status)?;
    object.set("status_text", format!("{} {}", heard.status, answer::reason(heard.status)).trim_end())?;
    object.set("proto", "HTTP/1.1")?;
    let headers = Object::new(ctx.clone())?;
    for (name, value) in &heard.headers {
        match headers.get::<_, Option<String>>(name.as_str())? {
            Some(before) => headers.set(name.as_str(), format!("{before}, {value}"))?,
            None => headers.set(name.as_str(), value.as_str())?,
        }
    }
    object.set("headers", headers)?;
    let cookies = Object::new(ctx.clone())?;
    for line in heard.all("set-cookie") {
        let Some(cookie) = parse_cookie(line, &asked.url) else { continue };
        let shown = Object::new(ctx.clone())?;
        shown.set("name", cookie.name.as_str())?;
        shown.set("value", cookie.value)?;
        shown.set("domain", if cookie.is_host_only { String::new() } else { cookie.domain })?;
        shown.set("path", cookie.path)?;
        shown.set("http_only", cookie.is_http_only)?;
        shown.set("secure", cookie.is_secure)?;
        shown.set("max_age", cookie.max_age as f64)?;
        shown.set("expires", 0)?;
        let list: Array<'js> = match cookies.get::<_, Option<Array<'js>>>(cookie.name.as_str())? {
            Some(list) => list,
            None => Array::new(ctx.clone())?,
        };
        list.set(list.len(), shown)?;
        cookies.set(cookie.name.as_str(), list)?;
    }
    object.set("cookies", cookies)?;
    let times = Times::of(&heard);
    let (body, decoding) = body_of(ctx, calls, asked, heard)?;
    object.set("body", body)?;
    object.set("timings", timings(ctx, times)?)?;
    object.set("tls_version", "")?;
    object.set("tls_cipher_suite", "")?;
    object.set("ocsp", Object::new(ctx.clone())?)?;
    let status: u16 = object.get("status")?;
    let (error, code) =
        decoding.map_or((String::new(), if status >= 400 { 1000 + status } else { 0 }), |said| (said, 1701));
    object.set("error", error)?;
    object.set("error_code", code)?;
    let request = Object::new(ctx.clone())?;
    request.set("method", asked.method.as_str())?;
    request.set("url", asked.url.to_string())?;
    let sent = Object::new(ctx.clone())?;
    for (name, value) in &asked.headers {
        sent.set(name.as_str(), vec![value.as_str()])?;
    }
    request.set("headers", sent)?;
    match &asked.body {
        Some(body) => request.set("body", String::from_utf8_lossy(body).into_owned())?,
        None => request.set("body", null())?,
    }
    object.set("request", request)?;
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
    if asked.body_kind == BodyKind::None || matches!(heard.status, 100..=199 | 204 | 304) {
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
fn failed<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    method: &str,
    url: &str,
    code: u16,
    message: &str,
    throws: bool,
) -> Result<Object<'js>> {
    let capital: String = method
        .chars()
        .take(1)
        .chain(method.chars().skip(1).map(|letter| letter.to_ascii_lowercase()))
        .collect();
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
    object.set("timings", timings(ctx, Times::default())?)?;
    object.set("error", message)?;
    object.set("error_code", code)?;
    let request = Object::new(ctx.clone())?;
    request.set("method", method)?;
    request.set("url", url)?;
    object.set("request", request)?;
    Ok(object)
}
