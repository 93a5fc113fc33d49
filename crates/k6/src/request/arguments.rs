//! What a script asks for: method, URL, body and parameters, read once and then sent hop by hop.

use super::body;
use super::jar::Jar;
use crate::answer::canonical;
use crate::host::VuHost;
use crate::url::KnownUrl;
use js::rquickjs::{Array, Coerced, Ctx, Exception, Function, Object, Result, Value};
use k6_metrics::TagSetId;
use std::cell::RefCell;
use std::rc::Rc;

/// How long a request may take where nothing is said.
const TIMEOUT_MS: f64 = 60_000.0;
/// Longest that may be asked for.
const TIMEOUT_MS_MAX: f64 = 86_400_000.0;

/// A request that can't be made: code and message.
pub(crate) type Fault = (u16, String);

/// A jar that several requests share.
pub(crate) type SharedJar = Rc<RefCell<Jar>>;

/// Which statuses are no failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected(Vec<(u16, u16)>);

impl Default for Expected {
    fn default() -> Self {
        Self(vec![(200, 399)])
    }
}

impl Expected {
    pub(crate) fn has(&self, status: u16) -> bool {
        self.0.iter().any(|(min, max)| (*min..=*max).contains(&status))
    }

    /// What `expectedStatuses` made; `None`: null.
    pub(crate) fn read<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<Option<Self>> {
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        let wrong = || {
            Exception::throw_type(ctx, "unsupported responseCallback: use http.expectedStatuses(…) or null")
        };
        let ranges: Array<'js> =
            value.as_object().ok_or_else(wrong)?.get("__expected").map_err(|_| wrong())?;
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
        Ok(Some(Self(expected)))
    }
}

/// How a user shows who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// By the URL's name and password, if it has them.
    Basic,
    /// RFC 7616, after a 401 that asks for it.
    Digest,
    /// After a 401 that asks for it, over one connection.
    Ntlm,
}

/// What becomes of an answer's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Text,
    Binary,
    None,
}

/// A cookie of one request.
#[derive(Debug, Clone)]
pub(crate) struct OwnCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// In place of the jar's of that name.
    pub(crate) replaces: bool,
}

/// A request as the script asks for it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) url: Rc<KnownUrl>,
    /// The tag `name`, if the script gave one.
    pub(crate) name: Option<String>,
    /// By their canonical names, without `Host` and `Content-Length`.
    pub(crate) headers: Vec<(String, String)>,
    /// In place of the URL's.
    pub(crate) host: Option<String>,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) timeout_ns: u64,
    pub(crate) redirects_max: i64,
    /// Whether somebody gave that limit.
    pub(crate) limits_redirects: bool,
    pub(crate) tags: TagSetId,
    pub(crate) cookies: Vec<OwnCookie>,
    pub(crate) jar: SharedJar,
    pub(crate) body_kind: BodyKind,
    pub(crate) expected: Option<Rc<Expected>>,
    pub(crate) auth: Auth,
    pub(crate) throws: bool,
}

impl Asked {
    /// A header by its canonical name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    fn set_header(&mut self, name: &str, value: String) {
        match self.headers.iter_mut().find(|(own, _)| own == name) {
            Some((_, old)) => *old = value,
            None => self.headers.push((name.to_owned(), value)),
        }
    }
}

/// What a script's function was given.
pub(crate) struct Given<'a, 'js> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a Value<'js>,
    pub(crate) body: Option<&'a Value<'js>>,
    pub(crate) params: Option<&'a Value<'js>>,
}

impl<'js> Given<'_, 'js> {
    fn params(&self) -> Option<&Object<'js>> {
        self.params.and_then(Value::as_object)
    }

    /// Whether a failure is thrown.
    pub(crate) fn throws(&self, host: &VuHost) -> bool {
        match self.params().map(|params| params.get::<_, Option<bool>>("throw")) {
            Some(Ok(Some(throws))) => throws,
            _ => host.test.consolidated.options.throw == Some(true),
        }
    }

    /// The URL as it was given.
    pub(crate) fn shown_url(&self) -> String {
        let named: Option<String> = self.url.as_object().and_then(|url| url.get("__url").ok());
        named.unwrap_or_else(|| self.url.get::<Coerced<String>>().map(|text| text.0).unwrap_or_default())
    }

    /// Reads all; the inner error is that of a request that can't be made.
    pub(crate) fn read(&self, ctx: &Ctx<'js>, host: &VuHost) -> Result<std::result::Result<Asked, Fault>> {
        let options = &host.test.consolidated.options;
        let url = match host.worker.url(&self.shown_url()) {
            Ok(url) => url,
            Err(said) => return Ok(Err((1020, format!("invalid URL: {said}")))),
        };
        let is_discarded = options.discard_response_bodies == Some(true);
        let mut asked = Asked {
            method: self.method.to_ascii_uppercase(),
            name: self.url.as_object().and_then(|url| url.get("name").ok()),
            headers: Vec::new(),
            host: None,
            body: None,
            timeout_ns: (TIMEOUT_MS * 1e6) as u64,
            redirects_max: options.max_redirects.unwrap_or(k6_options::Options::MAX_REDIRECTS),
            limits_redirects: options.max_redirects.is_some(),
            tags: host.vu.tags.get(),
            cookies: Vec::new(),
            jar: Rc::clone(&host.vu.http.jar.borrow()),
            body_kind: if is_discarded { BodyKind::None } else { BodyKind::Text },
            expected: host.vu.http.expected.borrow().clone(),
            auth: Auth::Basic,
            throws: self.throws(host),
            url,
        };
        let body = match body::read(self.body, || host.unique())? {
            Ok(body) => body,
            Err(said) => return Ok(Err((1000, said))),
        };
        for key in &body.nested {
            host.test.warn(&format!(
                "the field '{key}' of a request's body is an object, and forms hold no objects: it is sent empty; send JSON.stringify(…) of it"
            ));
        }
        asked.body = body.bytes;
        if let Some(params) = self.params()
            && let Err(fault) = take_params(ctx, host, params, &mut asked)?
        {
            return Ok(Err(fault));
        }
        if let Some(content_type) = body.content_type
            && asked.header("Content-Type").is_none()
        {
            asked.set_header("Content-Type", content_type);
        }
        if asked.header("User-Agent").is_none() {
            let agent = options.user_agent.as_deref().unwrap_or("Grafana k6/2.2.0 (Weir)");
            asked.set_header("User-Agent", agent.to_owned());
        }
        Ok(Ok(asked))
    }
}

fn take_params<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    params: &Object<'js>,
    asked: &mut Asked,
) -> Result<std::result::Result<(), Fault>> {
    if let Some(headers) = params.get::<_, Value<'js>>("headers")?.as_object() {
        take_headers(host, headers, asked)?;
    }
    let tags: Value<'js> = params.get("tags")?;
    if let Some(given) = tags.as_object() {
        for pair in given.props::<String, Value<'js>>() {
            let (key, value) = pair?;
            if value.is_object() || value.is_undefined() || value.is_null() {
                let said = format!(
                    "invalid HTTP request metric tags: the value of '{key}' is no string, number or boolean"
                );
                return Ok(Err((1000, said)));
            }
        }
        if let Some(given) = given.get::<_, Option<Coerced<String>>>("name")? {
            asked.name = Some(given.0);
        }
        asked.tags = host.tags_with(ctx, asked.tags, Some(&tags))?;
    }
    match timeout_ms(&params.get("timeout")?)? {
        Ok(None) => {}
        Ok(Some(ms)) => asked.timeout_ns = (ms.clamp(0.001, TIMEOUT_MS_MAX) * 1e6) as u64,
        Err(said) => return Ok(Err((1000, said))),
    }
    if let Some(redirects) = params.get::<_, Value<'js>>("redirects")?.as_number() {
        asked.redirects_max = redirects as i64;
        asked.limits_redirects = true;
    }
    if let Some(cookies) = params.get::<_, Value<'js>>("cookies")?.as_object() {
        for pair in cookies.props::<String, Value<'js>>() {
            let (name, value) = pair?;
            let (value, replaces) = match value.as_object() {
                Some(full) => (
                    full.get::<_, Coerced<String>>("value")?.0,
                    full.get::<_, Option<bool>>("replace")?.unwrap_or(false),
                ),
                None => (value.get::<Coerced<String>>()?.0, false),
            };
            asked.cookies.push(OwnCookie { name, value, replaces });
        }
    }
    if let Some(jar) = params.get::<_, Value<'js>>("jar")?.as_object()
        && let Ok(handle) = jar.get::<_, Function<'js>>("__jar")
    {
        asked.jar = host.jar_of(&handle)?;
    }
    if params.contains_key("responseCallback")? {
        asked.expected = Expected::read(ctx, &params.get("responseCallback")?)?.map(Rc::new);
    }
    take_words(host, params, asked)
}

/// Parameters that are one of several words.
fn take_words<'js>(
    host: &VuHost,
    params: &Object<'js>,
    asked: &mut Asked,
) -> Result<std::result::Result<(), Fault>> {
    let word = |key: &str| -> Result<Option<String>> {
        let value: Value<'js> = params.get(key)?;
        value.as_string().map(|text| text.to_string()).transpose()
    };
    if let Some(kind) = word("responseType")? {
        asked.body_kind = match kind.as_str() {
            "text" => BodyKind::Text,
            "binary" => BodyKind::Binary,
            "none" => BodyKind::None,
            other => {
                return Ok(Err((1000, format!("unknown responseType '{other}': use text, binary or none"))));
            }
        };
    }
    match word("auth")?.as_deref() {
        None | Some("" | "basic") => {}
        Some("digest") => asked.auth = Auth::Digest,
        Some("ntlm") => asked.auth = Auth::Ntlm,
        Some(other) => host.test.warn(&format!(
            "auth '{other}' is not there, and the request is sent as with basic: use basic, digest or ntlm"
        )),
    }
    if let Some(list) = word("compression")?.filter(|list| !list.trim().is_empty())
        && let Some(plain) = asked.body.take()
    {
        let (bytes, encoding) = match body::compress(plain, &list) {
            Ok(compressed) => compressed,
            Err(said) => return Ok(Err((1000, said))),
        };
        asked.body = Some(bytes);
        match asked.header("Content-Encoding") {
            None => asked.set_header("Content-Encoding", encoding),
            Some(own) if own != encoding => host.test.warn(&format!(
                "the header Content-Encoding: {own} does not name the compression asked for ({encoding}); it is sent as given"
            )),
            Some(_) => {}
        }
    }
    Ok(Ok(()))
}

fn take_headers<'js>(host: &VuHost, headers: &Object<'js>, asked: &mut Asked) -> Result<()> {
    for pair in headers.props::<String, Coerced<String>>() {
        let (name, Coerced(value)) = pair?;
        match canonical(&name).as_str() {
            "Host" => asked.host = Some(value),
            "Content-Length" => {
                let length = asked.body.as_ref().map_or(0, Vec::len);
                if value.trim() != length.to_string() {
                    host.test.warn(&format!(
                        "the header Content-Length: {value} does not fit the body of {length} bytes; the body's length is sent"
                    ));
                }
            }
            // The body is sent whole.
            "Transfer-Encoding" => {}
            name => asked.set_header(name, value),
        }
    }
    Ok(())
}

/// Milliseconds, or a text with a unit; `None`: nothing was given.
fn timeout_ms(value: &Value<'_>) -> Result<std::result::Result<Option<f64>, String>> {
    if let Some(ms) = value.as_number() {
        return Ok(Ok(Some(ms)));
    }
    let Some(text) = value.as_string() else { return Ok(Ok(None)) };
    let parsed = k6_options::GoDuration::parse_extended(&text.to_string()?);
    Ok(parsed
        .map(|timeout| Some(timeout.as_secs_f64() * 1e3))
        .map_err(|said| format!("invalid timeout: {said}")))
}
