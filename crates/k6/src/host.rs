//! What a script finds: globals, native parts of modules, and the state of its user.

use crate::answer::Heard;
use crate::request;
use crate::test::{Loudness, Test};
use js::rquickjs::function::{Func, Opt};
use js::rquickjs::{Array, ArrayBuffer, Coerced, Ctx, Exception, Function, Object, Result, Value};
use js::{Calls, Host, Level};
use k6_metrics::{Books, CheckId, Contains, MetricId, MetricKind, TagSetId, Tags};
use plan::Target;
use stats::ErrorClass;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A worker's books are added to the test's so often.
const FLUSH_PERIOD_NS: u64 = units::NS_PER_SEC;

/// What a script waits for.
#[derive(Debug)]
pub(crate) enum Ask {
    /// An answer.
    Send(Box<Hop>),
    /// A time.
    Sleep { ns: u64 },
}

/// What it is told.
#[derive(Debug)]
pub(crate) enum Reply {
    Heard(Box<std::result::Result<Heard, ErrorClass>>),
    Slept,
}

/// One request on the wire.
#[derive(Debug)]
pub(crate) struct Hop {
    pub(crate) target: Target,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_head: bool,
    pub(crate) wants_body: bool,
    pub(crate) timeout_ns: u64,
}

/// A scenario as its users need it.
#[derive(Debug, Default)]
pub(crate) struct ScenarioFacts {
    pub(crate) name: String,
    pub(crate) executor: String,
    pub(crate) exec: String,
    /// The group that everything is in.
    pub(crate) group: String,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) env: BTreeMap<String, String>,
    /// From its start to its regular end.
    pub(crate) regular_ns: u64,
    /// Iterations of each user, where they have a number.
    pub(crate) iterations_each: Option<u64>,
    /// When its first iteration began: on the wall clock, ms, and on the run's.
    pub(crate) begun: OnceLock<(u64, u64)>,
    /// Iterations begun.
    pub(crate) iterations: AtomicU64,
}

/// What the users of one scenario on one worker share.
#[derive(Debug)]
pub(crate) struct Worker {
    test: std::sync::Weak<Test>,
    pub(crate) books: RefCell<Books>,
    pub(crate) tags: RefCell<Tags>,
    /// Indices of targets by their names.
    pub(crate) targets: RefCell<HashMap<String, u16>>,
    flushed_ns: Cell<u64>,
    started: Cell<Option<TagSetId>>,
}

impl Worker {
    pub(crate) fn new(test: &Arc<Test>) -> Self {
        Self {
            test: Arc::downgrade(test),
            books: RefCell::new(Books::new(&test.registry, test.detail)),
            tags: RefCell::new(Tags::new(&test.registry)),
            targets: RefCell::default(),
            flushed_ns: Cell::new(0),
            started: Cell::new(None),
        }
    }

    /// Tags that samples of a scenario have before anything else.
    pub(crate) fn started_tags(&self, test: &Test, facts: &ScenarioFacts) -> TagSetId {
        if let Some(started) = self.started.get() {
            return started;
        }
        let mut tags = self.tags.borrow_mut();
        let mut set = test.run_tags;
        for (key, value) in &facts.tags {
            set = tags.with(set, key, value);
        }
        let system = test.registry.system_tags();
        if system.has(k6_metrics::SystemTag::Group) {
            set = tags.with(set, "group", &facts.group);
        }
        if system.has(k6_metrics::SystemTag::Scenario) && !facts.name.is_empty() {
            set = tags.with(set, "scenario", &facts.name);
        }
        self.started.set(Some(set));
        set
    }

    /// Adds what was measured to the test's books, once a second.
    pub(crate) fn flush_now_and_then(&self, now_ns: u64) {
        if now_ns.saturating_sub(self.flushed_ns.get()) >= FLUSH_PERIOD_NS {
            self.flushed_ns.set(now_ns);
            self.flush();
        }
    }

    fn flush(&self) {
        let Some(test) = self.test.upgrade() else { return };
        let mut books = self.books.borrow_mut();
        test.with_books(|all| all.merge(&books));
        books.clear();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.flush();
    }
}

/// A user's state beside its engine.
pub(crate) struct VuState {
    pub(crate) id: u64,
    /// The run's time when it was last told, and when that was.
    now: Cell<(u64, Instant)>,
    pub(crate) is_in_init: Cell<bool>,
    pub(crate) tags: Cell<TagSetId>,
    pub(crate) group: RefCell<String>,
    pub(crate) iteration: Cell<u64>,
    pub(crate) iteration_in_scenario: Cell<u64>,
    /// Whether what it waits for is `sleep`, and not a timer.
    pub(crate) sleeps: Cell<bool>,
    /// Bytes sent and received since the iteration began.
    pub(crate) bytes: Cell<(u64, u64)>,
    pub(crate) jar: RefCell<request::Jar>,
    pub(crate) expected: RefCell<Option<Rc<request::Expected>>>,
    /// Checks by the tags around them and their names.
    checks: RefCell<HashMap<TagSetId, HashMap<String, (CheckId, TagSetId)>>>,
    metrics: RefCell<Vec<(MetricId, String)>>,
}

impl VuState {
    pub(crate) fn set_now(&self, now_ns: u64) {
        self.now.set((now_ns, Instant::now()));
    }

    /// An iteration begins.
    pub(crate) fn begin(&self, now_ns: u64, iteration: u64, tags: TagSetId) {
        self.set_now(now_ns);
        self.iteration.set(iteration);
        // Tags that the script set stay until its user goes to another scenario.
        if iteration == 0 || self.tags.get() == TagSetId::EMPTY {
            self.tags.set(tags);
        }
        self.jar.borrow_mut().clear();
        self.bytes.set((0, 0));
    }
}

/// All that functions of a script reach.
pub(crate) struct VuHost {
    pub(crate) test: Arc<Test>,
    pub(crate) worker: Rc<Worker>,
    pub(crate) facts: Arc<ScenarioFacts>,
    pub(crate) vu: VuState,
}

impl VuHost {
    pub(crate) fn new(test: &Arc<Test>, worker: &Rc<Worker>, facts: &Arc<ScenarioFacts>, id: u64) -> Self {
        let vu = VuState {
            id,
            now: Cell::new((0, Instant::now())),
            is_in_init: Cell::new(true),
            tags: Cell::new(TagSetId::EMPTY),
            group: RefCell::new(facts.group.clone()),
            iteration: Cell::new(0),
            iteration_in_scenario: Cell::new(0),
            sleeps: Cell::new(false),
            bytes: Cell::new((0, 0)),
            jar: RefCell::default(),
            expected: RefCell::new(Some(Rc::new(request::Expected::default()))),
            checks: RefCell::default(),
            metrics: RefCell::default(),
        };
        Self { test: Arc::clone(test), worker: Rc::clone(worker), facts: Arc::clone(facts), vu }
    }

    fn not_in_init(&self, ctx: &Ctx<'_>, what: &str) -> Result<()> {
        if self.vu.is_in_init.get() {
            let message = format!("{what} is not supported in the init context");
            return Err(Exception::throw_message(ctx, &message));
        }
        Ok(())
    }

    fn only_in_init(&self, ctx: &Ctx<'_>, what: &str) -> Result<()> {
        if self.vu.is_in_init.get() {
            return Ok(());
        }
        Err(Exception::throw_message(ctx, &format!("{what} can't be used outside the init context")))
    }

    /// The user's tags with those of a call.
    pub(crate) fn tags_with<'js>(
        &self,
        ctx: &Ctx<'js>,
        base: TagSetId,
        more: Option<&Value<'js>>,
    ) -> Result<TagSetId> {
        let Some(more) = more.and_then(Value::as_object) else { return Ok(base) };
        let mut set = base;
        for pair in more.props::<String, Value<'js>>() {
            let (key, value) = pair?;
            if value.is_object() || value.is_undefined() || value.is_null() {
                let message =
                    format!("invalid metric tags: the value of '{key}' is no string, number or boolean");
                return Err(Exception::throw_type(ctx, &message));
            }
            set = self.worker.tags.borrow_mut().with(set, &key, &value.get::<Coerced<String>>()?.0);
        }
        Ok(set)
    }
}

impl Host for VuHost {
    type Ask = Ask;
    type Reply = Reply;

    fn now_ns(&self) -> u64 {
        let (now_ns, at) = self.vu.now.get();
        now_ns.saturating_add(at.elapsed().as_nanos() as u64)
    }

    fn globals<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>) -> Result<()> {
        let globals = ctx.globals();
        let env = Object::new(ctx.clone())?;
        for (name, value) in self.test.env.iter().chain(&self.facts.env) {
            env.set(name.as_str(), value.as_str())?;
        }
        globals.set("__ENV", env)?;
        globals.set("__VU", self.vu.id as f64)?;
        globals.set("global", globals.clone())?;
        let calls = calls.clone();
        let open = move |ctx: Ctx<'js>, path: String, mode: Opt<String>| {
            open(&ctx, &calls, &path, mode.0.as_deref())
        };
        globals.set("open", Function::new(ctx.clone(), open)?)
    }

    fn module<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>, url: &str) -> Result<Value<'js>> {
        let module = Object::new(ctx.clone())?;
        match url {
            "weir:core" => core(ctx, calls, &module)?,
            "weir:http" => request::module(ctx, calls, &module)?,
            "weir:metrics" => metrics(ctx, calls, &module)?,
            "weir:execution" => execution(ctx, calls, &module)?,
            "weir:data" => data(ctx, calls, &module)?,
            "weir:encoding" => crate::host::encoding(ctx, calls, &module)?,
            "weir:summary" => crate::summary::module(ctx, &module)?,
            _ => return Err(Exception::throw_reference(ctx, &format!("there is no module {url}"))),
        }
        Ok(module.into_value())
    }

    fn console<'js>(&self, _ctx: &Ctx<'js>, level: Level, arguments: &[Value<'js>]) {
        let texts: Vec<String> = arguments.iter().map(|value| shown(value, 0)).collect();
        let loudness = match level {
            Level::Debug => Loudness::Debug,
            Level::Log | Level::Info => Loudness::Info,
            Level::Warn => Loudness::Warning,
            Level::Error => Loudness::Error,
        };
        self.test.say(loudness, texts.join(" "), Some("console"), None);
    }
}

/// A value as `console` shows it; `depth` 0 is an argument itself.
fn shown(value: &Value<'_>, depth: usize) -> String {
    const DEPTH_MAX: usize = 16;
    let coerced = || value.get::<Coerced<String>>().map(|text| text.0).unwrap_or_default();
    if value.is_null() || value.is_undefined() {
        return if depth == 0 { coerced() } else { "null".to_owned() };
    }
    if let Some(text) = value.as_string() {
        let text = text.to_string().unwrap_or_default();
        return if depth == 0 { text } else { format!("{text:?}") };
    }
    if value.is_function() {
        return "[object Function]".to_owned();
    }
    if depth >= DEPTH_MAX {
        return "[Circular]".to_owned();
    }
    if let Some(list) = value.as_array() {
        let items: Vec<String> =
            list.iter::<Value<'_>>().flatten().map(|item| shown(&item, depth + 1)).collect();
        return if items.is_empty() { "[]".to_owned() } else { format!("[ {} ]", items.join(", ")) };
    }
    match value.as_object() {
        Some(object) if !object.is_error() => {
            let pairs = object.props::<String, Value<'_>>().flatten();
            let pairs: Vec<String> =
                pairs.map(|(key, value)| format!("{key}: {}", shown(&value, depth + 1))).collect();
            if pairs.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pairs.join(", ")) }
        }
        _ => coerced(),
    }
}

fn open<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, path: &str, mode: Option<&str>) -> Result<Value<'js>> {
    let host = calls.host();
    host.only_in_init(ctx, "open()")?;
    if path.is_empty() {
        return Err(Exception::throw_message(ctx, "open() can't be used with an empty filename"));
    }
    let path = path.strip_prefix("file://").unwrap_or(path);
    let place = crate::sources::normal(&host.test.folder.join(path));
    let bytes = crate::sources::read_bytes(&place).map_err(|said| Exception::throw_message(ctx, &said))?;
    if mode == Some("b") {
        calls.add(ctx, js::Part::TypedArrays);
        return Ok(ArrayBuffer::new(ctx.clone(), bytes)?.into_value());
    }
    Ok(js::rquickjs::String::from_str(ctx.clone(), &String::from_utf8_lossy(&bytes))?.into_value())
}

/// `check`, `fail`, `group`, `randomSeed`, `sleep`.
fn core<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let check = move |ctx: Ctx<'js>, value: Value<'js>, sets: Value<'js>, tags: Opt<Value<'js>>| {
        check(&ctx, own.host(), &value, &sets, tags.0.as_ref())
    };
    module.set("check", Function::new(ctx.clone(), check)?)?;
    let fail = |ctx: Ctx<'js>, message: Opt<Coerced<String>>| -> Result<()> {
        Err(Exception::throw_message(&ctx, &message.0.map(|text| text.0).unwrap_or_default()))
    };
    module.set("fail", Function::new(ctx.clone(), fail)?)?;
    let own = calls.clone();
    let group =
        move |ctx: Ctx<'js>, name: String, work: Opt<Value<'js>>| group(&ctx, own.host(), &name, work.0);
    module.set("group", Function::new(ctx.clone(), group)?)?;
    let own = calls.clone();
    let sleep = move |ctx: Ctx<'js>, seconds: Opt<Coerced<f64>>| -> Result<()> {
        let host = own.host();
        host.not_in_init(&ctx, "sleep()")?;
        let seconds = seconds.0.map_or(f64::NAN, |seconds| seconds.0);
        if seconds.is_nan() {
            return Err(Exception::throw_message(&ctx, "sleep() was called without a number of seconds"));
        }
        let ns = (seconds.clamp(0.0, 1e9) * 1e9) as u64;
        host.vu.sleeps.set(true);
        own.suspend(&ctx, Ask::Sleep { ns }).map(drop)
    };
    module.set("sleep", Function::new(ctx.clone(), sleep)?)?;
    let seed = calls.clone();
    module.set(
        "randomSeed",
        Function::new(ctx.clone(), move |seed_value: Coerced<f64>| seed.seed_random(seed_value.0.to_bits()))?,
    )
}

fn check<'js>(
    ctx: &Ctx<'js>,
    host: &VuHost,
    value: &Value<'js>,
    sets: &Value<'js>,
    tags: Option<&Value<'js>>,
) -> Result<bool> {
    host.not_in_init(ctx, "Using check() ")?;
    let now_ns = host.now_ns();
    let base = host.tags_with(ctx, host.vu.tags.get(), tags)?;
    let Some(sets) = sets.as_object() else { return Ok(true) };
    let mut all = true;
    for pair in sets.props::<String, Value<'js>>() {
        let (name, test) = pair?;
        if name.contains("::") {
            return Err(Exception::throw_message(ctx, "group and check names may not contain '::'"));
        }
        let (check, set) = host.check_of(base, &name);
        let outcome = match test.as_function() {
            Some(function) => function.call::<_, Value<'js>>((value.clone(),)),
            None => Ok(test.clone()),
        };
        if outcome.as_ref().is_ok_and(Value::is_promise) {
            let message = format!("check '{name}' is an async function, which check() can't await");
            return Err(Exception::throw_message(ctx, &message));
        }
        let passed = match &outcome {
            Ok(value) => value.get::<Coerced<bool>>()?.0,
            Err(_) => false,
        };
        host.worker.books.borrow_mut().check(check, set, passed, now_ns);
        outcome?;
        all &= passed;
    }
    Ok(all)
}

impl VuHost {
    fn check_of(&self, base: TagSetId, name: &str) -> (CheckId, TagSetId) {
        if let Some(known) = self.vu.checks.borrow().get(&base).and_then(|checks| checks.get(name)) {
            return *known;
        }
        let registry = &self.test.registry;
        let group = registry.group(&self.vu.group.borrow());
        let check = registry.check(group, name);
        let set = match registry.system_tags().has(k6_metrics::SystemTag::Check) {
            true => self.worker.tags.borrow_mut().with(base, "check", name),
            false => base,
        };
        self.vu.checks.borrow_mut().entry(base).or_default().insert(name.to_owned(), (check, set));
        (check, set)
    }
}

fn group<'js>(ctx: &Ctx<'js>, host: &VuHost, name: &str, work: Option<Value<'js>>) -> Result<Value<'js>> {
    host.not_in_init(ctx, "Using group() ")?;
    let Some(work) = work.as_ref().and_then(Value::as_function) else {
        return Err(Exception::throw_message(ctx, "group() requires a callback as a second argument"));
    };
    if name.contains("::") {
        return Err(Exception::throw_message(ctx, "group and check names may not contain '::'"));
    }
    let vu = &host.vu;
    let (outer, outer_tags) = (vu.group.borrow().clone(), vu.tags.get());
    let inner = format!("{outer}::{name}");
    if host.test.registry.system_tags().has(k6_metrics::SystemTag::Group) {
        vu.tags.set(host.worker.tags.borrow_mut().with(outer_tags, "group", &inner));
    }
    *vu.group.borrow_mut() = inner;
    host.test.registry.group(&vu.group.borrow());
    let begun_ns = host.now_ns();
    let outcome = work.call::<_, Value<'js>>(());
    let now_ns = host.now_ns();
    let ms = now_ns.saturating_sub(begun_ns) as f64 / 1e6;
    host.worker.books.borrow_mut().add(MetricId::GROUP_DURATION, vu.tags.get(), ms, now_ns);
    // Tags that were set within stay, but for the group's.
    if host.test.registry.system_tags().has(k6_metrics::SystemTag::Group) {
        vu.tags.set(host.worker.tags.borrow_mut().with(vu.tags.get(), "group", &outer));
    }
    *vu.group.borrow_mut() = outer;
    outcome
}

fn metrics<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let make = move |ctx: Ctx<'js>, kind: String, name: Coerced<String>, is_time: bool| -> Result<f64> {
        let host = own.host();
        host.only_in_init(&ctx, "metrics")?;
        let kind = MetricKind::from_word(&kind).unwrap_or(MetricKind::Counter);
        let contains = if is_time { Contains::Time } else { Contains::Default };
        let made = host.test.registry.metric(&name.0, kind, contains);
        let (id, _) = made.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?;
        let mut metrics = host.vu.metrics.borrow_mut();
        metrics.push((id, name.0));
        Ok((metrics.len() - 1) as f64)
    };
    module.set("make", Function::new(ctx.clone(), make)?)?;
    let own = calls.clone();
    let add = move |ctx: Ctx<'js>, id: f64, value: Opt<Value<'js>>, tags: Opt<Value<'js>>| -> Result<bool> {
        let host = own.host();
        host.not_in_init(&ctx, "Adding to a metric")?;
        let Some((metric, name)) = host.vu.metrics.borrow().get(id as usize).cloned() else {
            return Ok(false);
        };
        let value = value.0.unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        let number =
            if value.is_null() || value.is_undefined() { f64::NAN } else { value.get::<Coerced<f64>>()?.0 };
        let number = if number == 0.0 && value.get::<Coerced<bool>>()?.0 { 1.0 } else { number };
        if number.is_nan() {
            let said = format!(
                "'{}' is an invalid value for metric '{name}', a number or a boolean value is expected",
                shown(&value, 0)
            );
            if host.test.consolidated.options.throw == Some(true) {
                return Err(Exception::throw_type(&ctx, &said));
            }
            host.test.warn(&said);
            return Ok(false);
        }
        let set = host.tags_with(&ctx, host.vu.tags.get(), tags.0.as_ref())?;
        host.worker.books.borrow_mut().add(metric, set, number, host.now_ns());
        Ok(true)
    };
    module.set("add", Function::new(ctx.clone(), add)?)
}

fn execution<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let number = |name: &str, read: fn(&VuHost) -> f64| -> Result<()> {
        let own = calls.clone();
        let get = move |ctx: Ctx<'js>| -> Result<f64> {
            own.host().not_in_init(&ctx, "getting k6/execution information")?;
            Ok(read(own.host()))
        };
        module.set(name, Function::new(ctx.clone(), get)?)
    };
    let text = |name: &str, read: fn(&VuHost) -> String| -> Result<()> {
        let own = calls.clone();
        let get = move |ctx: Ctx<'js>| -> Result<String> {
            own.host().not_in_init(&ctx, "getting k6/execution information")?;
            Ok(read(own.host()))
        };
        module.set(name, Function::new(ctx.clone(), get)?)
    };
    number("elapsedMs", |host| host.now_ns() as f64 / 1e6)?;
    number("iterationsCompleted", |host| host.test.iteration_counts().0 as f64)?;
    number("iterationsInterrupted", |host| host.test.iteration_counts().1 as f64)?;
    number("vusActive", |host| host.test.vu_counts().0 as f64)?;
    number("vusInitialized", |host| host.test.vu_counts().1 as f64)?;
    number("scenarioStartMs", |host| host.begun().0 as f64)?;
    number("scenarioProgress", |host| {
        let elapsed_ns = host.now_ns().saturating_sub(host.begun().1) as f64;
        (elapsed_ns / host.facts.regular_ns.max(1) as f64).min(1.0)
    })?;
    number("iterationInScenario", |host| host.vu.iteration_in_scenario.get() as f64)?;
    number("iterationOfVu", |host| host.vu.iteration.get() as f64)?;
    number("vuId", |host| host.vu.id as f64)?;
    text("scenarioName", |host| host.facts.name.clone())?;
    text("scenarioExecutor", |host| host.facts.executor.clone())?;
    text("optionsJson", |host| host.test.options_json.clone())?;
    let own = calls.clone();
    let abort = move |ctx: Ctx<'js>, message: String| -> Result<()> {
        let host = own.host();
        let said =
            if message.is_empty() { "test aborted".to_owned() } else { format!("test aborted: {message}") };
        host.test.abort(said.clone());
        Err(Exception::throw_message(&ctx, &said))
    };
    module.set("abort", Function::new(ctx.clone(), abort)?)?;
    let own = calls.clone();
    let fail = move |ctx: Ctx<'js>, message: String| -> Result<()> {
        let host = own.host();
        host.not_in_init(&ctx, "test.fail")?;
        host.test.state.is_failed.store(true, Ordering::Relaxed);
        host.test.say(Loudness::Error, format!("test marked as failed: {message}"), None, None);
        Ok(())
    };
    module.set("failTest", Function::new(ctx.clone(), fail)?)?;
    tag_functions(ctx, calls, module)
}

fn tag_functions<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let own = calls.clone();
    let get = move |key: String| {
        let host = own.host();
        let set = host.worker.tags.borrow().set(host.vu.tags.get());
        set.get(&key).map(str::to_owned)
    };
    module.set("tag", Function::new(ctx.clone(), get)?)?;
    let own = calls.clone();
    let set = move |ctx: Ctx<'js>, key: String, value: Value<'js>| -> Result<()> {
        if value.is_object() || value.is_null() || value.is_undefined() {
            return Err(Exception::throw_type(
                &ctx,
                "only strings, booleans and numbers are accepted as tag values",
            ));
        }
        let host = own.host();
        let value = value.get::<Coerced<String>>()?.0;
        host.vu.tags.set(host.worker.tags.borrow_mut().with(host.vu.tags.get(), &key, &value));
        Ok(())
    };
    module.set("setTag", Function::new(ctx.clone(), set)?)?;
    let own = calls.clone();
    let remove = move |key: String| {
        let host = own.host();
        host.vu.tags.set(host.worker.tags.borrow_mut().without(host.vu.tags.get(), &key));
    };
    module.set("removeTag", Function::new(ctx.clone(), remove)?)?;
    let own = calls.clone();
    let keys = move || -> Vec<String> {
        let host = own.host();
        let set = host.worker.tags.borrow().set(host.vu.tags.get());
        set.iter().map(|(key, _)| key.to_owned()).collect()
    };
    module.set("tagKeys", Function::new(ctx.clone(), keys)?)
}

impl VuHost {
    /// When the scenario's first iteration began: wall clock in ms, and the run's time.
    pub(crate) fn begun(&self) -> (u64, u64) {
        let wall = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        *self.facts.begun.get_or_init(|| (wall(), self.now_ns()))
    }
}

fn data<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    let arrays = |host: &VuHost, name: &str| {
        host.test.state.shared_arrays.lock().ok().and_then(|arrays| arrays.get(name).cloned())
    };
    let own = calls.clone();
    let length = move |name: String| arrays(own.host(), &name).map(|array| array.len() as f64);
    module.set("length", Function::new(ctx.clone(), length)?)?;
    let own = calls.clone();
    let read = move |name: String, index: f64| {
        arrays(own.host(), &name).and_then(|array| array.get(index as usize).cloned()).unwrap_or_default()
    };
    module.set("read", Function::new(ctx.clone(), read)?)?;
    let own = calls.clone();
    let store = move |ctx: Ctx<'js>, name: String, elements: Array<'js>| -> Result<()> {
        own.host().only_in_init(&ctx, "new SharedArray()")?;
        let elements = elements.iter::<String>().collect::<Result<Vec<_>>>()?;
        if let Ok(mut arrays) = own.host().test.state.shared_arrays.lock() {
            arrays.entry(name).or_insert_with(|| Arc::new(elements));
        }
        Ok(())
    };
    module.set("store", Function::new(ctx.clone(), store)?)
}

/// Bytes of a text or an array of bytes.
pub(crate) fn bytes_of(value: &Value<'_>) -> Option<Vec<u8>> {
    if let Some(text) = value.as_string() {
        return text.to_string().ok().map(String::into_bytes);
    }
    let object = value.as_object()?;
    if let Some(buffer) = ArrayBuffer::from_object(object.clone()) {
        return buffer.as_bytes().map(<[u8]>::to_vec);
    }
    js::rquickjs::TypedArray::<u8>::from_object(object.clone()).ok()?.as_bytes().map(<[u8]>::to_vec)
}

/// `encode`, `decode`, `text` of base 64.
pub(crate) fn encoding<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
    let engine = |variant: &str| match variant {
        "rawstd" => STANDARD_NO_PAD,
        "url" => URL_SAFE,
        "rawurl" => URL_SAFE_NO_PAD,
        _ => STANDARD,
    };
    let encode = move |ctx: Ctx<'js>, input: Value<'js>, variant: String| -> Result<String> {
        let bytes = bytes_of(&input)
            .ok_or_else(|| Exception::throw_type(&ctx, "a string or an ArrayBuffer is expected"))?;
        Ok(engine(&variant).encode(bytes))
    };
    module.set("encode", Function::new(ctx.clone(), encode)?)?;
    let own = calls.clone();
    let decode = move |ctx: Ctx<'js>, input: String, variant: String| -> Result<ArrayBuffer<'js>> {
        own.add(&ctx, js::Part::TypedArrays);
        let bytes = engine(&variant).decode(input.as_bytes());
        ArrayBuffer::new(
            ctx.clone(),
            bytes.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))?,
        )
    };
    module.set("decode", Function::new(ctx.clone(), decode)?)?;
    let text =
        |value: Value<'js>| String::from_utf8_lossy(&bytes_of(&value).unwrap_or_default()).into_owned();
    module.set("text", Func::from(text))
}
