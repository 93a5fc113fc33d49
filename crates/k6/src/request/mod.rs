//! `k6/http`'s native part: arguments to bytes, redirects and cookies, samples, the response object.
//!
//! A request is read from what the script gave ([`arguments`]) into a [`Flight`], which says hop by hop what to send and where, until it
//! is [`Finished`] and becomes an object ([`response`]). What sends it is the user's traffic (`vu/traffic.rs`).

mod arguments;
mod body;
mod digest;
mod flight;
mod jar;
mod ntlm;
mod response;
mod samples;
mod wire;

pub(crate) use arguments::Expected;
pub(crate) use flight::{After, Ends, Finished, Flight, Ready};
pub(crate) use wire::percent_decoded;

use crate::answer::Heard;
use crate::host::{Ask, Reply, VuHost};
use crate::url::Url;
use crate::vu::AtOnce;
use arguments::{Asked, Given, SharedJar};
use jar::SetCookie;
use js::rquickjs::function::Opt;
use js::rquickjs::{Array, Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host as _, LazyKind};
use stats::ErrorClass;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A user's state of this module.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) jar: RefCell<SharedJar>,
    pub(crate) expected: RefCell<Option<Rc<Expected>>>,
    /// Requests that the script does not wait for, not yet begun.
    pub(crate) launched: RefCell<Vec<Flight>>,
    /// The jar that a handle was last asked for.
    shown_jar: RefCell<Option<SharedJar>>,
    /// Bytes sent and received since they were last asked for.
    pub(crate) bytes: Cell<(u64, u64)>,
    unique: Cell<u64>,
    /// What responses are, once a script has imported them.
    responses: OnceCell<LazyKind>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            jar: RefCell::default(),
            expected: RefCell::new(Some(Rc::new(Expected::default()))),
            launched: RefCell::default(),
            shown_jar: RefCell::default(),
            bytes: Cell::default(),
            unique: Cell::default(),
            responses: OnceCell::new(),
        }
    }
}

impl State {
    /// An iteration begins.
    pub(crate) fn begin(&self, keeps_cookies: bool) {
        if !keeps_cookies {
            *self.jar.borrow_mut() = SharedJar::default();
        }
        self.launched.borrow_mut().clear();
        self.bytes.set((0, 0));
    }
}

/// Requests that the script waits for.
#[derive(Debug)]
pub(crate) struct Fetch {
    pub(crate) asked: Vec<Asked>,
    pub(crate) at_once: AtOnce,
}

impl VuHost {
    /// A number that no other of the test's is like.
    fn unique(&self) -> u64 {
        let count = self.vu.http.unique.get() + 1;
        self.vu.http.unique.set(count);
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        time ^ self.vu.id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ count.rotate_left(40)
    }

    fn unix_ms(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
    }

    fn precise_now_ns(&self) -> u64 {
        self.now_ns()
    }

    /// When a request may begin, by the option `rps`.
    fn rate_slot_ns(&self, now_ns: u64) -> u64 {
        match self.test.consolidated.options.rps.map(u64::try_from) {
            Some(Ok(per_sec @ 1..)) => now_ns.saturating_add(self.test.network.wait_ns(per_sec)),
            _ => now_ns,
        }
    }

    fn count_bytes(&self, sent: u64, heard: &std::result::Result<Heard, ErrorClass>) {
        let received = match heard {
            Ok(heard) => heard.timing.received_bytes,
            // Where there was no connection, nothing was sent.
            Err(
                ErrorClass::Resolve
                | ErrorClass::ConnectRefused
                | ErrorClass::ConnectTimeout
                | ErrorClass::ConnectNoAddress
                | ErrorClass::ConnectFailed
                | ErrorClass::Tls,
            ) => return,
            Err(_) => 0,
        };
        let (sent_before, received_before) = self.vu.http.bytes.get();
        self.vu.http.bytes.set((sent_before + sent, received_before + received));
    }

    /// The jar behind a handle.
    fn jar_of(&self, handle: &Function<'_>) -> Result<SharedJar> {
        handle.call::<_, ()>(())?;
        Ok(self.vu.http.shown_jar.take().unwrap_or_default())
    }
}

/// Fills in the module.
pub(crate) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let request = move |ctx: Ctx<'js>,
                        method: String,
                        url: Value<'js>,
                        body: Opt<Value<'js>>,
                        params: Opt<Value<'js>>| {
        let given = Given { method: &method, url: &url, body: body.0.as_ref(), params: params.0.as_ref() };
        request(&ctx, &own, &given)
    };
    module.set("request", Function::new(ctx.clone(), request)?)?;
    let own = calls.clone();
    let launch =
        move |ctx: Ctx<'js>, method: String, url: Value<'js>, body: Value<'js>, params: Value<'js>| {
            let given = Given { method: &method, url: &url, body: Some(&body), params: Some(&params) };
            launch(&ctx, &own, &given)
        };
    module.set("launch", Function::new(ctx.clone(), launch)?)?;
    let own = calls.clone();
    let batch = move |ctx: Ctx<'js>, entries: Array<'js>| batch(&ctx, &own, &entries);
    module.set("batch", Function::new(ctx.clone(), batch)?)?;
    let own = calls.clone();
    let responses = move |ctx: Ctx<'js>, prototype: Object<'js>| -> Result<()> {
        // Asked for once, by the module.
        let _ = own.host().vu.http.responses.set(response::kind(&ctx, &prototype)?);
        Ok(())
    };
    module.set("responses", Function::new(ctx.clone(), responses)?)?;
    let own = calls.clone();
    let json = move |ctx: Ctx<'js>, response: Object<'js>| response::json(&ctx, own.host(), &response);
    module.set("json", Function::new(ctx.clone(), json)?)?;
    let own = calls.clone();
    module.set("warn", Function::new(ctx.clone(), move |said: String| own.host().test.warn(&said))?)?;
    let expected = |ctx: Ctx<'js>, ranges: Array<'js>| -> Result<Object<'js>> {
        let made = Object::new(ctx.clone())?;
        made.set("__expected", ranges)?;
        Ok(made)
    };
    module.set("expectedStatuses", Function::new(ctx.clone(), expected)?)?;
    let own = calls.clone();
    let set = move |ctx: Ctx<'js>, callback: Value<'js>| -> Result<()> {
        let expected = Expected::read(&ctx, &callback)?;
        *own.host().vu.http.expected.borrow_mut() = expected.map(Rc::new);
        Ok(())
    };
    module.set("setResponseCallback", Function::new(ctx.clone(), set)?)?;
    jars(ctx, calls, module)
}

/// Functions of jars. A jar's handle is a function that shows it to whoever asked.
fn jars<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let make = move |ctx: Ctx<'js>, is_current: bool| -> Result<Function<'js>> {
        let jar = match is_current {
            true => {
                own.host().not_in_init(&ctx, "cookieJar()")?;
                Rc::clone(&own.host().vu.http.jar.borrow())
            }
            false => SharedJar::default(),
        };
        let own = own.clone();
        Function::new(ctx.clone(), move || {
            *own.host().vu.http.shown_jar.borrow_mut() = Some(Rc::clone(&jar));
        })
    };
    module.set("jar", Function::new(ctx.clone(), make)?)?;
    let own = calls.clone();
    let list = move |ctx: Ctx<'js>, handle: Function<'js>, url: String| -> Result<Object<'js>> {
        let host = own.host();
        let found = host.jar_of(&handle)?.borrow().for_url(&url_of(&ctx, &url)?, host.unix_ms());
        let object = Object::new(ctx.clone())?;
        for (name, value) in found {
            let mut values: Vec<String> = object.get::<_, Option<_>>(name.as_str())?.unwrap_or_default();
            values.push(value);
            object.set(name, values)?;
        }
        Ok(object)
    };
    module.set("jarList", Function::new(ctx.clone(), list)?)?;
    let own = calls.clone();
    let forget = move |ctx: Ctx<'js>, handle: Function<'js>, url: String, name: Opt<String>| -> Result<()> {
        let url = url_of(&ctx, &url)?;
        own.host().jar_of(&handle)?.borrow_mut().forget(&url, name.0.as_deref());
        Ok(())
    };
    module.set("jarForget", Function::new(ctx.clone(), forget)?)?;
    let own = calls.clone();
    let set = move |ctx: Ctx<'js>,
                    handle: Function<'js>,
                    url: String,
                    name: String,
                    value: String,
                    options: Value<'js>|
          -> Result<bool> {
        let host = own.host();
        let url = url_of(&ctx, &url)?;
        let cookie = own_cookie(&ctx, name, value, options.as_object())?;
        host.jar_of(&handle)?.borrow_mut().store(cookie, &url, host.unix_ms());
        Ok(true)
    };
    module.set("jarPut", Function::new(ctx.clone(), set)?)?;
    // What a file is called where nothing is said: the time.
    let file_name = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.unwrap_or_default().as_nanos().to_string()
    };
    module.set("fileName", Function::new(ctx.clone(), file_name)?)
}

fn url_of(ctx: &Ctx<'_>, text: &str) -> Result<Url> {
    Url::parse(text).map_err(|said| Exception::throw_message(ctx, &format!("invalid URL: {said}")))
}

fn own_cookie<'js>(
    ctx: &Ctx<'js>,
    name: String,
    value: String,
    options: Option<&Object<'js>>,
) -> Result<SetCookie> {
    let mut cookie = SetCookie { name, value, ..SetCookie::default() };
    let Some(options) = options else { return Ok(cookie) };
    let text = |key: &str| -> Result<Option<String>> {
        let value: Value<'js> = options.get(key)?;
        let is_given = !value.is_null() && !value.is_undefined();
        is_given.then(|| value.get::<Coerced<String>>().map(|text| text.0)).transpose()
    };
    let is = |key: &str| -> Result<bool> { Ok(options.get::<_, Coerced<bool>>(key)?.0) };
    cookie.domain = text("domain")?.unwrap_or_default();
    cookie.path = text("path")?.unwrap_or_default();
    (cookie.is_secure, cookie.is_http_only) = (is("secure")?, is("http_only")?);
    cookie.max_age = options.get::<_, Option<Coerced<f64>>>("max_age")?.map_or(0, |age| age.0 as i64);
    if let Some(expires) = text("expires")?.filter(|text| !text.is_empty()) {
        let wrong = || {
            let said = format!(
                "unable to parse \"{expires}\" as a date: write it as `Mon, 02 Jan 2006 15:04:05 GMT`"
            );
            Exception::throw_message(ctx, &said)
        };
        cookie.expires_unix_ms = Some(jar::unix_ms_of_date(&expires).ok_or_else(wrong)?);
    }
    Ok(cookie)
}

fn not_in_init(ctx: &Ctx<'_>, host: &VuHost) -> Result<()> {
    match host.vu.is_in_init.get() {
        true => {
            Err(Exception::throw_message(ctx, "Making http requests in the init context is not supported"))
        }
        false => Ok(()),
    }
}

/// Sends one request and waits for its end.
fn request<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, given: &Given<'_, 'js>) -> Result<Object<'js>> {
    let host = calls.host();
    not_in_init(ctx, host)?;
    let asked = match given.read(ctx, host)? {
        Ok(asked) => asked,
        Err(fault) => return unread(ctx, host, given, fault),
    };
    let alone = AtOnce { in_all: 1, per_host: 1 };
    let mut finished = fetch(ctx, calls, vec![asked], alone)?;
    match finished.pop() {
        Some(finished) => response::of(ctx, calls, finished),
        None => Err(Exception::throw_internal(ctx, "a request without an end")),
    }
}

fn unread<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    given: &Given<'_, 'js>,
    fault: arguments::Fault,
) -> Result<Object<'js>> {
    let method = given.method.to_ascii_uppercase();
    // Without the credentials in it.
    let shown = given.shown_url();
    let url = Url::parse(&shown).map_or(shown, |url| url.to_string());
    response::of_unread(ctx, host, method, url, fault, given.throws(host))
}

fn fetch(ctx: &Ctx<'_>, calls: &Calls<VuHost>, asked: Vec<Asked>, at_once: AtOnce) -> Result<Vec<Finished>> {
    match calls.suspend(ctx, Ask::Fetch(Box::new(Fetch { asked, at_once })))? {
        Reply::Fetched(finished) => Ok(finished),
        _ => Err(Exception::throw_internal(ctx, "requests were answered by something else")),
    }
}

/// Sends several requests and waits for the end of all; each entry is `[method, url, body, params]`.
fn batch<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, entries: &Array<'js>) -> Result<Array<'js>> {
    let host = calls.host();
    not_in_init(ctx, host)?;
    let options = &host.test.consolidated.options;
    let objects = Array::new(ctx.clone())?;
    let mut asked = Vec::with_capacity(entries.len());
    for entry in entries.iter::<Array<'js>>() {
        let entry = entry?;
        let (url, body, params): (Value<'js>, Value<'js>, Value<'js>) =
            (entry.get(1)?, entry.get(2)?, entry.get(3)?);
        let method: String = entry.get(0)?;
        let given = Given { method: &method, url: &url, body: Some(&body), params: Some(&params) };
        match given.read(ctx, host)? {
            Ok(one) => asked.push(one),
            Err(fault) => {
                if options.throw != Some(true) {
                    host.test.warn(&format!(
                        "A batch request failed, and nothing of the batch was sent: {}",
                        fault.1
                    ));
                }
                for place in 0..entries.len() {
                    objects.set(place, unread(ctx, host, &given, fault.clone())?)?;
                }
                return Ok(objects);
            }
        }
    }
    let limit = |given: Option<i64>, usual: i64| match given.unwrap_or(usual) {
        // 0 and below: no limit.
        ..=0 => usize::MAX,
        limit => limit as usize,
    };
    let at_once = AtOnce {
        in_all: limit(options.batch, k6_options::Options::BATCH),
        per_host: limit(options.batch_per_host, k6_options::Options::BATCH_PER_HOST),
    };
    if asked.is_empty() {
        return Ok(objects);
    }
    for (index, finished) in fetch(ctx, calls, asked, at_once)?.into_iter().enumerate() {
        objects.set(index, response::of(ctx, calls, finished)?)?;
    }
    Ok(objects)
}

/// Begins a request; its end settles the promise.
fn launch<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, given: &Given<'_, 'js>) -> Result<Value<'js>> {
    let host = calls.host();
    not_in_init(ctx, host)?;
    let asked = match given.read(ctx, host)? {
        Ok(asked) => asked,
        Err(fault) => return Ok(unread(ctx, host, given, fault)?.into_value()),
    };
    let own = calls.clone();
    let (operation, promise) = calls.operation(ctx, move |ctx, reply| match reply {
        Reply::Fetched(mut finished) => match finished.pop() {
            Some(finished) => Ok(response::of(ctx, &own, finished)?.into_value()),
            None => Err(Exception::throw_internal(ctx, "a request without an end")),
        },
        _ => Err(Exception::throw_internal(ctx, "a request was answered by something else")),
    })?;
    host.vu.http.launched.borrow_mut().push(Flight::new(asked, Ends::Promise(operation)));
    Ok(promise.into_value())
}
