//! `weir k6 run` and `weir k6 inspect`: a script with k6's command line, run by Weir, with k6's summary, files and exit codes.

use crate::args::KeepArgs;
use crate::exit::Failure;
use crate::keeping::Keeping;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use ::k6::{Loudness, Remark, Role, Source, Test, TestError, Watch};
use k6_metrics::{Detail, SummaryState};
use k6_options::{Command, CommandLine, ConfigFile, ExitCode, Layers, Options, SummaryMode};
use record::{RunObserver, RunRecord};
use runner::{RunControl, RunOptions};
use scenario::ScenarioFactory;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Greatest script read from stdin.
const STDIN_BYTES_MAX: u64 = 32 << 20;
/// Flags of Weir's own, which k6 does not have.
const HELP: &str = "
Of Weir's own:
      --threads N       worker threads (default 1)
      --queue           iterations that find no idle VU wait for one (k6 drops them); the wait is in their response time
      --store PATH      keep the run there
      --no-store        keep it nowhere
      --json FILE       the run's whole record
";

/// The words behind `k6`, when the first word is that or the program is called so.
pub(crate) fn words_of(all: &[OsString]) -> Option<&[OsString]> {
    let (program, rest) = all.split_first()?;
    if Path::new(program).file_stem()?.to_str()? == "k6" {
        return Some(rest);
    }
    let (first, rest) = rest.split_first()?;
    (first == "k6").then_some(rest)
}

/// Reads the words and does what they ask for; the process ends with k6's code.
pub(crate) fn run(words: &[OsString], talk: &Talk) -> std::process::ExitCode {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let code = match words.split_first() {
        Some((first, rest)) if first == "run" => run_test(rest, talk),
        Some((first, rest)) if first == "inspect" => inspect(rest, talk),
        Some((first, _)) if first == "version" || first == "--version" => {
            say_out(&format!("weir k6 v{} (k6 v2.2 scripts)\n", env!("CARGO_PKG_VERSION")))
        }
        None => say_out(&usage()),
        Some((first, _)) if ["-h", "--help", "help"].contains(&first.as_str()) => say_out(&usage()),
        Some((first, _)) => {
            talk.say(&format!("error: there is no command `{first}` of k6's here\nhint: weir k6 run script.js, weir k6 inspect script.js"));
            Ok(ExitCode::Other)
        }
    };
    let code = code.unwrap_or_else(|error| {
        talk.say(&format!("error: {error}"));
        error.code
    });
    std::process::ExitCode::from(code.number())
}

fn usage() -> String {
    format!(
        "Run k6 scripts.\n\nUsage:\n  weir k6 run [flags] script.js\n  weir k6 inspect [flags] script.js\n\nExamples:\n  weir k6 run script.js\n  weir k6 run -u 50 -d 30s script.js\n  weir k6 run -e HOST=example.org --summary-export summary.json script.js\n\n{}{HELP}",
        k6_options::usage(Command::Run)
    )
}

fn say_out(text: &str) -> Result<ExitCode, TestError> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error_of(ExitCode::Other, format!("can't write to stdout: {error}")))
        }
        _ => Ok(ExitCode::Success),
    }
}

fn error_of(code: ExitCode, message: impl Into<String>) -> TestError {
    TestError { code, message: message.into() }
}

/// What the words say: k6's own, and Weir's flags taken out of them.
struct Words {
    line: CommandLine,
    own: Own,
}

#[derive(Debug, Default)]
struct Own {
    threads: Option<usize>,
    keeps_late: bool,
    json: Option<String>,
    keep: KeepArgs,
}

fn read(command: Command, words: &[String]) -> Result<Words, TestError> {
    let mut own = Own::default();
    let mut others = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, given) = word
            .split_once('=')
            .map_or((word.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
        let mut value = || {
            let value = given.clone().or_else(|| words.next().cloned());
            value.ok_or_else(|| error_of(ExitCode::Other, format!("flag needs an argument: {name}")))
        };
        match name {
            "--threads" => {
                let text = value()?;
                let count = text.parse().ok().filter(|count| (1..=1024).contains(count));
                own.threads =
                    Some(count.ok_or_else(|| {
                        error_of(ExitCode::Other, format!("--threads {text}: use 1 to 1024"))
                    })?);
            }
            "--queue" => own.keeps_late = true,
            "--no-store" => own.keep.no_store = true,
            "--store" => own.keep.store = Some(value()?.into()),
            "--json" => own.json = Some(value()?),
            _ => others.push(word.clone()),
        }
    }
    Ok(Words { line: CommandLine::read(command, &others)?, own })
}

/// The system's variables as texts.
fn variables() -> BTreeMap<String, String> {
    let text =
        |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
    std::env::vars_os().filter_map(text).collect()
}

/// The test that the words name, loaded.
fn load(words: &mut Words, talk: &Talk) -> Result<Arc<Test>, TestError> {
    let system = variables();
    let mut warnings = std::mem::take(&mut words.line.warnings);
    let settings = std::mem::take(&mut words.line.settings).with_variables(&system, &mut warnings)?;
    let config_file = match &settings.config {
        None => ConfigFile::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                error_of(
                    ExitCode::InvalidConfig,
                    format!("can't read the configuration file {path}: {error}"),
                )
            })?;
            ConfigFile::parse(&text)?
        }
    };
    let mut env = BTreeMap::new();
    if settings.include_system_env_vars != Some(false) {
        env.extend(system.clone());
    }
    env.extend(settings.env.clone());
    let source = Source {
        text: if words.line.script == "-" { Some(stdin()?) } else { None },
        script: if words.line.script == "-" { "-.ts".to_owned() } else { words.line.script.clone() },
        layers: Layers {
            config_file: config_file.options,
            script: Options::default(),
            variables: Options::from_variables(&system)?,
            flags: words.line.options.clone(),
        },
        env,
        no_thresholds: settings.no_thresholds == Some(true),
        detail: if settings.summary_mode == Some(SummaryMode::Full) { Detail::Full } else { Detail::Compact },
    };
    let log = Log { begun: Instant::now(), talk: *talk, is_verbose: settings.verbose == Some(true) };
    for warning in &warnings {
        log.say(&Remark { loudness: Loudness::Warning, message: warning.clone(), source: None, hint: None });
    }
    words.line.settings = settings;
    Test::load(source, Box::new(move |remark| log.say(remark)))
}

fn stdin() -> Result<String, TestError> {
    let mut text = String::new();
    let read = io::stdin().lock().take(STDIN_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| {
        error_of(ExitCode::ScriptException, format!("can't read the script from stdin: {error}"))
    })?;
    Ok(text)
}

/// What is said while a test runs, in the form of k6's log.
struct Log {
    begun: Instant,
    talk: Talk,
    is_verbose: bool,
}

impl Log {
    fn say(&self, remark: &Remark) {
        let level = match remark.loudness {
            Loudness::Debug if !self.is_verbose => return,
            Loudness::Debug => "DEBU",
            Loudness::Info => "INFO",
            Loudness::Warning => "WARN",
            Loudness::Error => "ERRO",
        };
        let extra = [remark.hint.clone(), remark.source.map(|source| format!("source={source}"))];
        let extra: Vec<String> = extra.into_iter().flatten().collect();
        let seconds = self.begun.elapsed().as_secs();
        let line = format!("{level}[{seconds:04}] {} {}", remark.message, extra.join(" "));
        self.talk.say(line.trim_end());
    }
}

fn inspect(words: &[String], talk: &Talk) -> Result<ExitCode, TestError> {
    let mut words = read(Command::Inspect, words)?;
    if words.line.wants_help {
        return say_out(&k6_options::usage(Command::Inspect));
    }
    let test = load(&mut words, talk)?;
    let json = match words.line.settings.execution_requirements {
        Some(true) => test.consolidated.inspect(),
        _ => test.consolidated.options.inspect(),
    };
    say_out(&(json.indented() + "\n"))
}

fn run_test(words: &[String], talk: &Talk) -> Result<ExitCode, TestError> {
    let mut words = read(Command::Run, words)?;
    if words.line.wants_help {
        return say_out(&usage());
    }
    let test = load(&mut words, talk)?;
    let script = words.line.script.clone();
    let is_quiet = words.line.settings.quiet == Some(true);
    if !is_quiet {
        describe(&test, &script)?;
    }
    let plan = ::k6::lower(&test, &script, plan::Plan::SEED, words.own.keeps_late).map_err(|faults| {
        let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
        error_of(ExitCode::InvalidConfig, texts.join("\n"))
    })?;
    let control = RunControl::new();
    let stop = control.clone();
    test.on_abort(move || stop.stop());
    let stop = control.clone();
    let signals = SignalWatch::start(move |_| stop.stop())
        .map_err(|error| error_of(ExitCode::Other, format!("signals can't be watched: {error}")))?;
    let begun = Instant::now();
    let mut failed = None;
    if test.has_setup() {
        let limit = test.consolidated.options.setup_timeout.unwrap_or(Options::SETUP_TIMEOUT);
        failed = fixture(&test, "setup", Role::Setup, limit, &control)?;
    }
    let mut keeping = Keeping::begin(&words.own.keep, Path::new(""), &control, talk).map_err(of_failure)?;
    let mut watch = Watch::new(&test, {
        let stop = control.clone();
        move || stop.stop()
    });
    let mut record = None;
    if failed.is_none() && signals.count() == 0 {
        let factories =
            test.factories().into_iter().map(|factory| Arc::new(factory) as Arc<dyn ScenarioFactory>);
        let options = RunOptions {
            worker_count: words.own.threads,
            origin: "k6".to_owned(),
            control,
            labels: words.own.keep.labels.iter().cloned().collect(),
            ..RunOptions::default()
        };
        let mut observers: Vec<&mut dyn RunObserver> = vec![&mut watch];
        observers.extend(keeping.observer());
        let ran = runner::execute_with(plan, factories.collect(), options, &mut observers);
        let ran = ran.map_err(|error| error_of(ExitCode::Other, error.to_string()))?;
        keeping.finish(&ran);
        record = Some(ran);
    }
    if test.has_teardown() && (failed.is_none() || test.aborted().is_some()) && signals.count() < 2 {
        let limit = test.consolidated.options.teardown_timeout.unwrap_or(Options::SETUP_TIMEOUT);
        let ended = fixture(&test, "teardown", Role::Teardown, limit, &RunControl::new())?;
        failed = failed.or(ended);
    }
    finish(
        &test,
        &words,
        record.as_ref(),
        begun,
        talk,
        Ending { failed, was_signalled: signals.count() > 0, has_crossed: watch.has_stopped() },
    )
}

/// How a test came to its end.
struct Ending {
    failed: Option<ExitCode>,
    was_signalled: bool,
    has_crossed: bool,
}

/// Runs `setup` or `teardown`; the code of one that failed.
fn fixture(
    test: &Arc<Test>,
    name: &str,
    role: Role,
    limit: k6_options::GoDuration,
    control: &RunControl,
) -> Result<Option<ExitCode>, TestError> {
    let options = RunOptions { control: control.clone(), ..RunOptions::default() };
    let factory = Arc::new(test.fixture(role)) as Arc<dyn ScenarioFactory>;
    let ran = runner::execute_with(test.fixture_plan(name, limit), vec![factory], options, &mut []);
    let ran = ran.map_err(|error| error_of(ExitCode::Other, error.to_string()))?;
    let counts = ran.phases.first().map(|phase| phase.counts).unwrap_or_default();
    if counts.failed > 0 || counts.due == 0 {
        return Ok(Some(ExitCode::ScriptException));
    }
    if counts.unfinished > 0 {
        let code = if role == Role::Setup { ExitCode::SetupTimeout } else { ExitCode::TeardownTimeout };
        return Ok(Some(if ran.aborted.is_some() { ExitCode::Aborted } else { code }));
    }
    Ok(None)
}

/// What is to run, before it does.
fn describe(test: &Test, script: &str) -> Result<(), TestError> {
    let share = &test.consolidated.share;
    let requirements = test.consolidated.requirements();
    let scenarios = test.consolidated.scenarios();
    let plural = if scenarios.len() == 1 { "scenario" } else { "scenarios" };
    let mut text = format!(
        "\n  Weir {}, running a k6 script\n\n     execution: local\n        script: {script}\n        output: -\n\n     scenarios: (100.00%) {} {plural}, {} max VUs, {} max duration (incl. graceful stop):\n",
        env!("CARGO_PKG_VERSION"),
        scenarios.len(),
        requirements.vus_max(),
        requirements.end().round(k6_options::GoDuration::from_ms(100.0).unwrap_or_default()),
    );
    for (name, scenario) in scenarios {
        text.push_str(&format!("              * {name}: {}\n", scenario.description(share)));
    }
    text.push('\n');
    say_out(&text).map(drop)
}

fn finish(
    test: &Arc<Test>,
    words: &Words,
    record: Option<&RunRecord>,
    begun: Instant,
    talk: &Talk,
    ending: Ending,
) -> Result<ExitCode, TestError> {
    let settings = &words.line.settings;
    let no_color = settings.no_color == Some(true);
    let state = SummaryState {
        is_stdout_tty: io::stdout().is_terminal() && !no_color,
        is_stderr_tty: io::stderr().is_terminal() && !no_color,
        test_run_duration_ms: 0.0,
    };
    let is_silent = settings.summary_mode == Some(SummaryMode::Disabled);
    let is_legacy = settings.summary_mode == Some(SummaryMode::Legacy);
    let outcome = test.summary(begun.elapsed().as_nanos() as u64, state, is_legacy, is_silent);
    for (place, bytes) in &outcome.written.parts {
        let written = match place.as_str() {
            "stdout" => io::stdout().write_all(bytes),
            "stderr" => io::stderr().write_all(bytes),
            path => std::fs::write(path, bytes),
        };
        if let Err(error) = written {
            talk.say(&format!("error: handleSummary: can't write {place}: {error}"));
        }
    }
    if let Some(path) = &settings.summary_export
        && let Err(error) = std::fs::write(path, &outcome.written.export)
    {
        talk.say(&format!("error: --summary-export {path}: {error}"));
    }
    if let (Some(path), Some(record)) = (&words.own.json, record) {
        let json = serde_json::to_vec(record).unwrap_or_default();
        std::fs::write(path, json)
            .map_err(|error| error_of(ExitCode::Other, format!("--json {path}: {error}")))?;
    }
    let (complete, interrupted) = test.iteration_counts();
    if settings.quiet != Some(true) {
        let line = format!("\n{} complete and {} interrupted iterations\n", complete, interrupted);
        talk.say(&line);
    }
    if let Some(record) = record {
        for reason in
            record.verdict.reasons.iter().filter(|reason| reason.state > record::VerdictState::Valid)
        {
            talk.say(&format!("warning: {}\nhint: {}", reason.message, reason.hint));
        }
    }
    if let Some(aborted) = test.aborted() {
        talk.say(&format!("error: {aborted}"));
        return Ok(ending.failed.unwrap_or(ExitCode::ScriptAborted));
    }
    if let Some(code) = ending.failed {
        return Ok(code);
    }
    if let Some(crossed) = &outcome.crossed {
        talk.say(&format!("error: {crossed}"));
    }
    Ok(match () {
        () if ending.was_signalled => ExitCode::Aborted,
        () if test.is_failed() => ExitCode::MarkedAsFailed,
        () if outcome.crossed.is_some() || ending.has_crossed => ExitCode::ThresholdsFailed,
        () => ExitCode::Success,
    })
}

fn of_failure(failure: Failure) -> TestError {
    error_of(ExitCode::Other, failure.messages.join("\n"))
}
