//! A test: the script with its options as they hold, and what all users share while it runs.

use crate::archive::{Archive, HTTPS, Metadata};
use crate::host::ScenarioFacts;
use crate::remote::Remote;
use crate::sources::{self, Files};
use crate::vu::{Role, Vu};
use js::{Script, ScriptError};
use k6_metrics::{Books, Detail, Registry, TagSetId, ThresholdSpec, Thresholds};
use k6_options::{Consolidated, ExitCode, Fault, Layers, Options};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What a test is made of.
#[derive(Debug, Default)]
pub struct Source {
    /// Path of the script; `-` with `text`.
    pub script: String,
    /// The script's text, where it did not come from a file.
    pub text: Option<String>,
    /// What holds the script and all its files, in place of the disk; `script` is not looked at then.
    pub archive: Option<Arc<Archive>>,
    /// Where modules by https come from.
    pub remote: Remote,
    /// Layers beside the script's own.
    pub layers: Layers,
    /// For `__ENV`.
    pub env: BTreeMap<String, String>,
    /// Whether thresholds are left out.
    pub no_thresholds: bool,
    /// Whether samples are kept by scenario and group too.
    pub detail: Detail,
    /// In which form `handleSummary` and the exported file have the summary.
    pub data_form: crate::DataForm,
    /// What `k6/secrets` gives, and the log does not show.
    pub secrets: Arc<crate::Secrets>,
}

/// How loud something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loudness {
    /// Only with `-v`.
    Debug,
    /// Of the script or the test.
    Info,
    /// Goes on.
    Warning,
    /// Something failed.
    Error,
}

/// Something said while a test runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How loud.
    pub loudness: Loudness,
    /// What.
    pub message: String,
    /// Where from, such as `console`.
    pub source: Option<&'static str>,
    /// What helps.
    pub hint: Option<String>,
    /// What else belongs to it, by key.
    pub fields: Vec<(&'static str, String)>,
}

/// Hears what is said; called from workers too.
pub type Listener = Box<dyn Fn(&Remark) + Send + Sync>;

/// A test that can be run.
pub struct Test {
    pub(crate) script: Arc<Script>,
    /// Globals that the script names.
    pub(crate) named: crate::native::globals::Named,
    pub(crate) folder: std::path::PathBuf,
    /// All there is of files, where the script came in one.
    pub(crate) archive: Option<Arc<Archive>>,
    /// Options of all layers, before scenarios are made of shortcuts.
    pub(crate) merged: Options,
    /// Options as they hold.
    pub consolidated: Consolidated,
    pub(crate) options_json: String,
    pub(crate) env: BTreeMap<String, String>,
    /// All that is named in the test.
    pub registry: Registry,
    pub(crate) detail: Detail,
    /// Tags of all samples.
    pub(crate) run_tags: TagSetId,
    /// The names of exported functions.
    pub exports: Vec<String>,
    pub(crate) listener: Listener,
    pub(crate) secrets: Arc<crate::Secrets>,
    pub(crate) network: crate::network::Network,
    /// The script's text, where the summary's data has the form that holds it.
    pub(crate) machine_script: Option<String>,
    pub(crate) state: State,
}

/// What changes while it runs.
pub(crate) struct State {
    pub(crate) books: Mutex<Books>,
    pub(crate) thresholds: Mutex<Thresholds>,
    pub(crate) shared_arrays: Mutex<HashMap<String, Arc<Vec<String>>>>,
    /// Files that the script opened.
    pub(crate) opened: crate::native::files::Opened,
    /// What `setup` returned, as JSON; `None` inside: nothing.
    pub(crate) setup_data: OnceLock<Option<String>>,
    pub(crate) complete_count: AtomicU64,
    pub(crate) interrupted_count: AtomicU64,
    pub(crate) vus_active: AtomicU64,
    pub(crate) vus_made: AtomicU64,
    /// Why the script aborted the test.
    pub(crate) aborted: Mutex<Option<String>>,
    pub(crate) is_failed: AtomicBool,
    /// Whether the script ends the test: no iteration begins any more.
    pub(crate) is_aborted: AtomicBool,
    /// Why `setup` or `teardown` failed.
    pub(crate) fixture_error: Mutex<Option<TestError>>,
    /// All scenarios, in the plan's order.
    pub(crate) scenarios: OnceLock<Vec<Arc<ScenarioFacts>>>,
    pub(crate) started: OnceLock<std::time::Instant>,
    pub(crate) scenarios_started: OnceLock<std::time::Instant>,
    /// What ends the run.
    pub(crate) stop: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// Of the files of samples, where there are any.
    pub(crate) writer: Mutex<Option<k6_metrics::output::SampleWriter>>,
}

impl std::fmt::Debug for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Test").field("script", &self.script).finish_non_exhaustive()
    }
}

/// Why a test can't run, with k6's exit code.
#[derive(Debug, Clone, PartialEq)]
pub struct TestError {
    /// k6's exit code.
    pub code: ExitCode,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: Option<String>,
}

impl std::fmt::Display for TestError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TestError {}

impl From<Fault> for TestError {
    fn from(fault: Fault) -> Self {
        Self { code: fault.exit_code, message: fault.message, hint: fault.hint }
    }
}

impl TestError {
    pub(crate) fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub(crate) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn script(error: &ScriptError) -> Self {
        if error.kind == js::ErrorKind::Rejected {
            return Self::new(ExitCode::Other, format!("Uncaught (in promise) {}", stack_text(error)));
        }
        Self::new(ExitCode::ScriptException, stack_text(error)).hinting("script exception")
    }

    /// All that keeps a script from being loaded.
    pub(crate) fn scripts(errors: &[ScriptError]) -> Self {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Self::new(ExitCode::ScriptException, texts.join("\n"))
    }
}

impl Test {
    /// Loads the script and runs its init code once, for its options and exports.
    ///
    /// # Errors
    /// Modules that can't be had, a script that throws, options and thresholds that can't be: all with k6's exit code.
    pub fn load(source: Source, listener: Listener) -> Result<Arc<Self>, TestError> {
        let path = match &source.archive {
            Some(archive) => archive.metadata.script.clone(),
            None if source.script.starts_with(HTTPS) => source.script.clone(),
            None => sources::normal(Path::new(&source.script)).to_string_lossy().into_owned(),
        };
        let mut files = Files::new(source.archive.clone(), source.remote);
        if let Some(text) = source.text {
            files = files.with(&path, text);
        }
        let script = Script::load(&path, &mut files).map_err(|errors| TestError::scripts(&errors))?;
        let archived_env = source.archive.as_ref().and_then(|archive| archive.metadata.env.clone());
        let mut env = archived_env.unwrap_or_default();
        env.extend(source.env);
        let machine_script = match source.data_form {
            crate::DataForm::Common => None,
            crate::DataForm::Machine => Some(files.main_text(&path)),
        };
        let named = crate::native::globals::Named::by(&script);
        let folder = Path::new(&path).parent().map(Path::to_owned).unwrap_or_default();
        let make = |consolidated: Consolidated, registry: Registry, listener: Listener, env| {
            Arc::new(Self {
                script: Arc::clone(&script),
                named,
                folder: folder.clone(),
                archive: source.archive.clone(),
                merged: Options::default(),
                options_json: consolidated.as_seen_by_scripts().to_go_compact(),
                run_tags: run_tags(&registry, &consolidated.options),
                consolidated,
                env,
                detail: source.detail,
                machine_script: machine_script.clone(),
                state: State::new(&registry, source.detail),
                registry,
                exports: Vec::new(),
                listener,
                secrets: Arc::clone(&source.secrets),
                network: crate::network::Network::default(),
            })
        };
        // First for the options, with metrics that nobody keeps; then, since options say which tags there are, for the metrics.
        let registry = Registry::new(k6_metrics::SystemTags::default());
        let silent: Listener = Box::new(|_| {});
        let first = make(Layers::default().consolidate()?, registry, silent, env.clone());
        let seen = Vu::look(&first).map_err(|error| first.ended_by(&error))?;
        let mut read = Options::from_script(&seen.options)?;
        if let Some(archive) = &source.archive {
            // All layers of when it was made are one there, and the script's own is among them.
            read.options = archive.metadata.options.clone();
        }
        let layers = Layers { script: read.options, ..source.layers };
        let consolidated = layers.consolidate()?;
        let undone = crate::network::not_honoured(&consolidated.options);
        let said = [read.warnings, consolidated.warnings.clone(), undone].concat();
        if let Some(name) = seen.misfits.first() {
            return Err(TestError::new(ExitCode::Other, format!("exported '{name}' must be a function")));
        }
        if seen.functions.is_empty() {
            return Err(TestError::new(ExitCode::Other, "no exported functions in script"));
        }
        consolidated.check_exports(&seen.functions)?;
        let registry = Registry::new(consolidated.options.system_tags.unwrap_or_default());
        // Parts by tags must be asked for before there are books, and thresholds ask for those of the script's own metrics too.
        for metric in first.registry.metrics() {
            let made = registry.metric(&metric.name, metric.kind, metric.contains);
            made.map_err(|error| TestError::new(ExitCode::ScriptException, error.to_string()))?;
        }
        let held = match source.no_thresholds {
            true => Thresholds::default(),
            false => thresholds(&registry, &consolidated.options)?,
        };
        let test = make(consolidated, registry, listener, env);
        said.iter().for_each(|warning| test.warn(warning));
        Vu::look(&test).map_err(|error| test.ended_by(&error))?;
        let mut test = Arc::into_inner(test)
            .ok_or_else(|| TestError::new(ExitCode::Internal, "a first user is left"))?;
        test.exports = seen.functions;
        test.merged = layers.merged().0;
        test.state.thresholds = Mutex::new(held);
        Ok(Arc::new(test))
    }

    /// The test in one file, with all modules and files that were read for it; and the names of modules that it lacks, since what stands in their
    /// place here is of no use elsewhere.
    pub fn archived(&self) -> (Archive, Vec<String>) {
        let mut options = self.merged.clone();
        options.system_tags.get_or_insert_default();
        options.summary_trend_stats.get_or_insert_default();
        let script = self.script.urls().next().unwrap_or_default().to_owned();
        let folder = match script.starts_with(HTTPS) {
            true => script.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            false => self.folder.to_string_lossy().into_owned(),
        };
        let env = Some(self.env.clone());
        let mut archive = Archive::new(Metadata { script, folder, options, env, is_extended: true });
        let mut lacking = Vec::new();
        for url in self.script.urls().filter(|url| sources::is_from_outside(url)) {
            let text = self.script.text(url).unwrap_or_default();
            match sources::is_portable(text) {
                true => archive.put(url, text.as_bytes().into()),
                false => lacking.push(url.to_owned()),
            }
        }
        if let Ok(opened) = self.state.opened.lock() {
            opened.iter().for_each(|(path, bytes)| archive.put(&path.to_string_lossy(), Arc::clone(bytes)));
        }
        (archive, lacking)
    }

    /// The bytes of a file that the script opens.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        let Some(archive) = &self.archive else { return sources::read_bytes(path) };
        let found = archive.file(&path.to_string_lossy()).map(|bytes| bytes.to_vec());
        found.ok_or_else(|| format!("{} is not in the archive", path.display()))
    }

    /// What `stop` is to be called for an abort of the script's.
    pub fn on_abort(&self, stop: impl Fn() + Send + Sync + 'static) {
        // A test runs once.
        let _ = self.state.stop.set(Box::new(stop));
    }

    /// Whether the script exports `setup`, and it is to be run.
    pub fn has_setup(&self) -> bool {
        self.exports.iter().any(|name| name == "setup") && self.consolidated.options.no_setup != Some(true)
    }

    /// Whether the script exports `teardown`, and it is to be run.
    pub fn has_teardown(&self) -> bool {
        self.exports.iter().any(|name| name == "teardown")
            && self.consolidated.options.no_teardown != Some(true)
    }

    /// A scenario for `setup` or `teardown`: one user that calls it once.
    pub fn fixture(self: &Arc<Self>, role: Role) -> crate::vu::Factory {
        crate::vu::Factory::fixture(self, role)
    }

    /// Scenarios of the plan's phases, in its order.
    pub fn factories(self: &Arc<Self>) -> Vec<crate::vu::Factory> {
        let mut first_id = 1;
        let mut all = Vec::new();
        let scenarios = self.consolidated.scenarios();
        let factory = |(name, scenario): (&str, &k6_options::Scenario)| {
            let vus_max = scenario.requirements(&self.consolidated.share).vus_max();
            let factory = crate::vu::Factory::of_scenario(self, name, scenario, first_id, vus_max);
            first_id += vus_max;
            all.push(factory.facts());
            factory
        };
        let factories = scenarios.into_iter().map(factory).collect();
        // A test runs once.
        let _ = self.state.scenarios.set(all);
        factories
    }

    /// Why the script ended in its init code.
    fn ended_by(&self, error: &ScriptError) -> TestError {
        match self.aborted() {
            Some(said) => TestError::new(ExitCode::ScriptAborted, format!("{said}{}", place_text(error))),
            None => TestError::script(error),
        }
    }

    /// Why `setup` or `teardown` failed, if one of them did.
    pub fn fixture_error(&self) -> Option<TestError> {
        self.state.fixture_error.lock().ok().and_then(|error| error.clone())
    }

    pub(crate) fn fixture_failed(&self, error: TestError) {
        if let Ok(mut failed) = self.state.fixture_error.lock() {
            failed.get_or_insert(error);
        }
    }

    /// The script's abort gets the place where it was asked for.
    pub(crate) fn aborted_at(&self, error: &ScriptError) {
        if let Ok(mut aborted) = self.state.aborted.lock()
            && let Some(said) = aborted.as_mut()
            && !said.contains(" at ")
        {
            said.push_str(&place_text(error));
        }
    }

    /// Says something.
    pub(crate) fn say(
        &self,
        loudness: Loudness,
        message: impl Into<String>,
        source: Option<&'static str>,
        hint: Option<String>,
    ) {
        (self.listener)(&Remark { loudness, message: message.into(), source, hint, fields: Vec::new() });
    }

    /// Says something that belongs to a scenario.
    pub(crate) fn say_of(
        &self,
        facts: &ScenarioFacts,
        loudness: Loudness,
        message: String,
        source: Option<&'static str>,
    ) {
        let fields = vec![("executor", facts.executor.clone()), ("scenario", facts.name.clone())];
        let hint = (source == Some("stacktrace")).then(|| "script exception".to_owned());
        (self.listener)(&Remark { loudness, message, source, hint, fields });
    }

    pub(crate) fn warn(&self, message: &str) {
        self.say(Loudness::Warning, message, None, None);
    }

    /// Ends the test, as the script asks for.
    pub(crate) fn abort(&self, message: String) {
        if let Ok(mut aborted) = self.state.aborted.lock() {
            aborted.get_or_insert(message);
        }
        self.state.is_aborted.store(true, Ordering::Relaxed);
        if let Some(stop) = self.state.stop.get() {
            stop();
        }
    }

    /// Why the script aborted the test, if it did.
    pub fn aborted(&self) -> Option<String> {
        self.state.aborted.lock().ok().and_then(|aborted| aborted.clone())
    }

    /// Whether the script called `exec.test.fail`.
    pub fn is_failed(&self) -> bool {
        self.state.is_failed.load(Ordering::Relaxed)
    }

    /// Iterations that were completed and that were interrupted.
    pub fn iteration_counts(&self) -> (u64, u64) {
        (
            self.state.complete_count.load(Ordering::Relaxed),
            self.state.interrupted_count.load(Ordering::Relaxed),
        )
    }

    /// Users that were made.
    pub fn vu_counts(&self) -> (u64, u64) {
        (self.state.vus_active.load(Ordering::Relaxed), self.state.vus_made.load(Ordering::Relaxed))
    }

    /// Works with the books of the whole test.
    pub(crate) fn with_books<T>(&self, work: impl FnOnce(&mut Books) -> T) -> T {
        let mut books = self.state.books.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        work(&mut books)
    }
}

impl State {
    fn new(registry: &Registry, detail: Detail) -> Self {
        Self {
            books: Mutex::new(Books::new(registry, detail)),
            thresholds: Mutex::default(),
            shared_arrays: Mutex::default(),
            opened: Mutex::default(),
            setup_data: OnceLock::new(),
            complete_count: AtomicU64::new(0),
            interrupted_count: AtomicU64::new(0),
            vus_active: AtomicU64::new(0),
            vus_made: AtomicU64::new(0),
            aborted: Mutex::new(None),
            is_failed: AtomicBool::new(false),
            is_aborted: AtomicBool::new(false),
            fixture_error: Mutex::default(),
            scenarios: OnceLock::new(),
            started: OnceLock::new(),
            scenarios_started: OnceLock::new(),
            stop: OnceLock::new(),
            writer: Mutex::default(),
        }
    }
}

/// Frames that are the script's, as k6 writes them.
fn frames(error: &ScriptError) -> impl Iterator<Item = String> {
    let is_own = |file: &str| !sources::is_built_in(file) && !file.starts_with("weir:");
    error.stack.iter().filter(move |frame| is_own(&frame.file)).map(|frame| {
        let js::Frame { function, file, line, column } = frame;
        let scheme = if file.starts_with('/') { "file://" } else { "" };
        match (function.as_str(), file.is_empty(), column) {
            ("native" | "<anonymous>" | "", true, _) => "native".to_owned(),
            (_, true, _) => format!("{function} (native)"),
            (_, false, 0) => format!("{function} ({scheme}{file}:{line})"),
            (_, false, _) => format!("{function} ({scheme}{file}:{line}:{column})"),
        }
    })
}

/// What was thrown and where, in k6's form.
pub(crate) fn stack_text(error: &ScriptError) -> String {
    let mut text = match error.name.is_empty() {
        true => error.message.clone(),
        false => format!("{}: {}", error.name, error.message),
    };
    let mut has_frames = false;
    for frame in frames(error) {
        text.push_str(&format!("\n\tat {frame}"));
        has_frames = true;
    }
    if has_frames {
        text.push('\n');
    }
    text
}

fn place_text(error: &ScriptError) -> String {
    frames(error)
        .find(|frame| !frame.ends_with("native") && !frame.ends_with("(native)"))
        .map(|frame| format!(" at {frame}"))
        .unwrap_or_default()
}

/// Tags of all samples.
fn run_tags(registry: &Registry, options: &Options) -> TagSetId {
    let tags: Vec<(&str, &str)> =
        options.tags.iter().flatten().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    registry.tags(&tags)
}

fn thresholds(registry: &Registry, options: &Options) -> Result<Thresholds, TestError> {
    let spec = |threshold: &k6_options::Threshold| ThresholdSpec {
        expression: threshold.expression.clone(),
        abort_on_fail: threshold.abort_on_fail,
        delay_abort_eval_ns: threshold.delay_abort_eval.map(k6_options::GoDuration::as_ns),
    };
    let of_metric = |(key, thresholds): (&String, &Vec<k6_options::Threshold>)| {
        (key.clone(), thresholds.iter().map(spec).collect::<Vec<_>>())
    };
    let specs: Vec<_> = options.thresholds.iter().flatten().map(of_metric).collect();
    Thresholds::new(registry, &specs).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        TestError::new(ExitCode::InvalidConfig, texts.join("\n"))
    })
}
