//! What a script finds: globals, native parts of modules, and the state of its user.

use crate::native;
pub(crate) use crate::native::bytes_of;
use crate::request;
use crate::test::{Loudness, Test};
use crate::url::{KnownUrl, Url};
use js::rquickjs::function::Opt;
use js::rquickjs::{Coerced, Ctx, Exception, Function, Result, Value};
use js::{Calls, Host, Level};
use k6_metrics::output::SampleFeed;
use k6_metrics::{Books, CheckId, MetricId, TagSetId, Tags};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A worker's books are added to the test's so often.
const FLUSH_PERIOD_NS: u64 = units::NS_PER_SEC;
/// URLs that a worker remembers: more than most tests have, and little memory where each request has another.
const URLS_MAX: usize = 512;

/// What a script waits for.
#[derive(Debug)]
pub(crate) enum Ask {
    /// The ends of requests.
    Fetch(Box<request::Fetch>),
    /// A time.
    Sleep { ns: u64 },
}

/// What it is told.
#[derive(Debug)]
pub(crate) enum Reply {
    /// In the order in which they were asked for.
    Fetched(Vec<request::Finished>),
    Slept,
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
    /// That with the test's: what `__ENV` holds.
    pub(crate) whole_env: OnceLock<Arc<[(String, String)]>>,
    /// When it starts, after the first scenario could.
    pub(crate) start_ns: u64,
    /// From its start to its regular end.
    pub(crate) regular_ns: u64,
    /// When iterations are cut off, since its start; 0: there is no such time.
    pub(crate) longest_ns: u64,
    /// Whether iterations are due at a rate, whatever its users do.
    pub(crate) is_open: bool,
    /// Iterations of all users, where they have a number.
    pub(crate) iterations_total: Option<u64>,
    /// Iterations of each user, where they have a number.
    pub(crate) iterations_each: Option<u64>,
    /// When its first iteration began: on the wall clock, ms, and on the run's.
    pub(crate) begun: OnceLock<(u64, u64)>,
    /// Iterations begun.
    pub(crate) iterations: AtomicU64,
    /// Iterations that came to their end, and those that were cut off.
    pub(crate) over: AtomicU64,
    /// Users inside an iteration.
    pub(crate) busy: AtomicU64,
    /// Users made.
    pub(crate) made: AtomicU64,
    /// When all of it was over, since the scenarios' begin; 0: it is not.
    pub(crate) ended_ns: AtomicU64,
    /// Shortest iteration: what is left is waited out. ns.
    pub(crate) iteration_min_ns: u64,
}

impl ScenarioFacts {
    /// Whether the scenario's regular end has come, and nothing ended it before.
    pub(crate) fn is_time_over(&self, test: &Test) -> bool {
        test.scenarios_elapsed_ns() >= self.start_ns.saturating_add(self.regular_ns)
    }
}

/// What the users of one scenario on one worker share.
#[derive(Debug)]
pub(crate) struct Worker {
    test: std::sync::Weak<Test>,
    pub(crate) books: RefCell<Books>,
    pub(crate) tags: RefCell<Tags>,
    /// Indices of targets by their names.
    pub(crate) targets: RefCell<HashMap<Rc<str>, u16>>,
    /// URLs by their texts, those that were asked for lately.
    urls: RefCell<HashMap<String, Rc<KnownUrl>>>,
    /// To the files of samples, where there are any.
    pub(crate) feed: RefCell<Option<SampleFeed>>,
    /// How far the test's clock is ahead of the run's.
    pub(crate) ahead_ns: Cell<Option<u64>>,
    flushed_ns: Cell<u64>,
    started: Cell<Option<TagSetId>>,
    /// The worker loop's time of the turn in which a user last began, and when the first of that turn did.
    turn: Cell<(u64, Instant)>,
}

impl Worker {
    pub(crate) fn new(test: &Arc<Test>) -> Self {
        Self {
            test: Arc::downgrade(test),
            books: RefCell::new(Books::new(&test.registry, test.detail)),
            tags: RefCell::new(Tags::new(&test.registry)),
            targets: RefCell::default(),
            urls: RefCell::default(),
            feed: RefCell::new(test.feed()),
            ahead_ns: Cell::new(None),
            flushed_ns: Cell::new(0),
            started: Cell::new(None),
            turn: Cell::new((0, Instant::now())),
        }
    }

    /// The time, where the worker loop's is that of its turn: users that begin in one turn do so one after the other.
    pub(crate) fn precise_ns(&self, turn_ns: u64) -> u64 {
        let (known_ns, at) = self.turn.get();
        if known_ns == turn_ns {
            return turn_ns.saturating_add(at.elapsed().as_nanos() as u64);
        }
        self.turn.set((turn_ns, Instant::now()));
        turn_ns
    }

    /// The test, while there is one.
    pub(crate) fn test(&self) -> Option<Arc<Test>> {
        self.test.upgrade()
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

    /// Reads an absolute URL.
    pub(crate) fn url(&self, text: &str) -> std::result::Result<Rc<KnownUrl>, String> {
        if let Some(known) = self.urls.borrow().get(text) {
            return Ok(Rc::clone(known));
        }
        let url = Rc::new(KnownUrl::from(Url::parse(text)?));
        let mut urls = self.urls.borrow_mut();
        if urls.len() >= URLS_MAX {
            urls.clear();
        }
        urls.insert(text.to_owned(), Rc::clone(&url));
        Ok(url)
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
        if let Some(feed) = self.feed.borrow_mut().as_mut() {
            feed.flush();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.flush();
    }
}

impl ScenarioFacts {
    /// What `__ENV` holds, for all users.
    fn shared_env(&self, test: &Test) -> &Arc<[(String, String)]> {
        self.whole_env.get_or_init(|| {
            let mut env = test.env.clone();
            env.extend(self.env.clone());
            env.into_iter().collect()
        })
    }
}

/// Checks with their tags.
type ChecksByName = HashMap<String, (CheckId, TagSetId)>;

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
    pub(crate) http: request::State,
    /// Checks by the tags around them and their names.
    pub(crate) checks: RefCell<HashMap<TagSetId, ChecksByName>>,
    pub(crate) metrics: RefCell<Vec<(MetricId, String)>>,
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
            http: request::State::default(),
            checks: RefCell::default(),
            metrics: RefCell::default(),
        };
        Self { test: Arc::clone(test), worker: Rc::clone(worker), facts: Arc::clone(facts), vu }
    }

    pub(crate) fn not_in_init(&self, ctx: &Ctx<'_>, what: &str) -> Result<()> {
        if self.vu.is_in_init.get() {
            let message = format!("{what} is not supported in the init context");
            return Err(Exception::throw_message(ctx, &message));
        }
        Ok(())
    }

    pub(crate) fn only_in_init(&self, ctx: &Ctx<'_>, what: &str) -> Result<()> {
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
        globals.set("__ENV", calls.texts(ctx, self.facts.shared_env(&self.test))?)?;
        globals.set("__VU", self.vu.id as f64)?;
        globals.set("global", globals.clone())?;
        native::globals::install(ctx, calls, self.test.named)?;
        let calls = calls.clone();
        let open = move |ctx: Ctx<'js>, path: Opt<Coerced<String>>, mode: Opt<String>| {
            let path = path.0.map_or_else(String::new, |path| path.0);
            native::files::open(&ctx, &calls, &path, mode.0.as_deref())
        };
        globals.set("open", Function::new(ctx.clone(), open)?)
    }

    fn module<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>, url: &str) -> Result<Value<'js>> {
        native::make(ctx, calls, url)
    }

    fn console<'js>(&self, _ctx: &Ctx<'js>, level: Level, arguments: &[Value<'js>]) {
        let texts: Vec<String> = arguments.iter().map(native::console::shown).collect();
        let loudness = match level {
            Level::Debug => Loudness::Debug,
            Level::Log | Level::Info => Loudness::Info,
            Level::Warn => Loudness::Warning,
            Level::Error => Loudness::Error,
        };
        self.test.say(loudness, texts.join(" "), Some("console"), None);
    }
}

impl VuHost {
    /// When the scenario's first iteration began: wall clock in ms, and the run's time.
    pub(crate) fn begun(&self) -> (u64, u64) {
        let wall = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let since_ns = self.test.scenarios_elapsed_ns().saturating_sub(self.facts.start_ns);
        *self.facts.begun.get_or_init(|| {
            (wall().saturating_sub(since_ns / units::NS_PER_MS), self.now_ns().saturating_sub(since_ns))
        })
    }
}
