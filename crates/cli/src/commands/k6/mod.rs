//! `weir k6 run` and `weir k6 inspect`: a script with k6's command line, run by Weir, with k6's summary, files and exit codes.

mod archive;
mod convert;
mod end;
mod log;
mod outputs;
mod progress;
mod room;
mod source;
mod vendor;

use self::end::{Ending, finish};
use self::log::Log;
use self::outputs::Asked;
use self::progress::{Ticker, View};
use crate::args::KeepArgs;
use crate::exit::Failure;
use crate::keeping::Keeping;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use ::k6::{DataForm, Loudness, Remark, Role, Source, Stage, Test, TestError, Watch};
use k6_metrics::Detail;
use k6_metrics::output::OutputSpec;
use k6_options::{Command, CommandLine, ConfigFile, ExitCode, Layers, Options, StartText, SummaryMode};
use record::RunObserver;
use runner::{RunControl, RunOptions};
use scenario::ScenarioFactory;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Flags of Weir's own, which k6 does not have.
const HELP: &str = "
Of Weir's own:
      --threads N       worker threads (default 1)
      --jslib DIR       modules by https come from there: DIR/HOST/PATH
      --allow-remote    fetch modules that are imported by https while the script loads
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
    if first == "k6" {
        return Some(rest);
    }
    // `weir run script.js` too, with k6's flags.
    let ends = |word: &OsString, ends: &[&str]| {
        let end = Path::new(word).extension().and_then(|end| end.to_str());
        end.is_some_and(|end| ends.contains(&end))
    };
    let has_script = rest.iter().any(|word| ends(word, &["js", "mjs", "cjs", "ts", "tar"]));
    let has_plan = rest.iter().any(|word| ends(word, &["yaml", "yml"]));
    (first == "run" && has_script && !has_plan).then(|| all.get(1..)).flatten()
}

/// Reads the words and does what they ask for; the process ends with k6's code.
pub(crate) fn run(words: &[OsString], talk: &Talk) -> std::process::ExitCode {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let code = match words.split_first() {
        Some((first, rest)) if first == "run" => run_test(rest, talk).or_else(said_in_the_log),
        Some((first, rest)) if first == "inspect" => inspect(rest),
        Some((first, rest)) if first == "archive" => archive::archive(rest),
        Some((first, rest)) if first == "convert" => convert::convert(rest, talk),
        Some((first, rest)) if first == "vendor" => vendor::vendor(rest, talk),
        Some((first, _)) if first == "version" || first == "--version" => {
            say_out(&format!("weir k6 v{} (k6 v2.2 scripts)\n", env!("CARGO_PKG_VERSION")))
        }
        Some((first, rest)) if first == "new" => new_script(rest),
        Some((first, _)) if NOT_THERE.iter().any(|(name, _)| name == first) => {
            let why = NOT_THERE.iter().find(|(name, _)| name == first).map_or("", |(_, why)| why);
            Err(error_of(ExitCode::Other, format!("`{first}` is not there: {why}")))
        }
        None => say_out(&usage()),
        Some((first, _)) if ["-h", "--help", "help"].contains(&first.as_str()) => say_out(&usage()),
        Some((first, _)) => {
            talk.say(&format!("error: there is no command `{first}` of k6's here\nhint: weir k6 run script.js, weir k6 inspect script.js"));
            Ok(ExitCode::Other)
        }
    };
    let code = code.unwrap_or_else(|error| {
        let hint = error.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        talk.say(&format!("error: {error}{hint}"));
        error.code
    });
    std::process::ExitCode::from(code.number())
}

/// Words of a run that can't be read are said as all else of it is.
fn said_in_the_log(error: TestError) -> Result<ExitCode, TestError> {
    let Ok(log) = Log::new(&k6_options::Settings::default(), None) else { return Err(error) };
    log.say_error(&error);
    Ok(error.code)
}

/// Commands of k6's that are not done, and what to do instead.
const NOT_THERE: &[(&str, &str)] = &[
    ("cloud", "tests run on this machine"),
    ("login", "tests run on this machine"),
    ("pause", "a test that runs can only be stopped: Ctrl-C"),
    ("resume", "a test that runs can only be stopped: Ctrl-C"),
    ("scale", "use ramping-vus, whose stages say how many users there are"),
    ("status", "progress is on stdout; `weir serve` shows runs as they go"),
    ("stats", "progress is on stdout; `weir serve` shows runs as they go"),
];

/// A script to begin with.
const TEMPLATE: &str = "import http from 'k6/http';
import { check, sleep } from 'k6';

export const options = {
  vus: 10,
  duration: '30s',
  thresholds: {
    http_req_failed: ['rate<0.01'],
    http_req_duration: ['p(95)<500'],
  },
};

export default function () {
  const response = http.get(__ENV.URL || 'http://127.0.0.1:8080/hello');
  check(response, { 'status is 200': (r) => r.status === 200 });
  sleep(1);
}
";

/// `new [FILE]`: writes a script to begin with.
fn new_script(words: &[String]) -> Result<ExitCode, TestError> {
    let is_forced = words.iter().any(|word| word == "-f" || word == "--force");
    let path = words.iter().find(|word| !word.starts_with('-')).map_or("script.js", String::as_str);
    let mut options = std::fs::File::options();
    let options = if is_forced { options.create(true).truncate(true) } else { options.create_new(true) };
    let written = options.write(true).open(path).and_then(|mut file| file.write_all(TEMPLATE.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => error_of(
            ExitCode::Other,
            format!("{path} already exists, please use the `--force` flag if you want overwrite it"),
        ),
        _ => error_of(ExitCode::Other, format!("can't write {path}: {error}")),
    })?;
    say_out(&format!("New script created: {path}\nrun it: weir k6 run {path}\n"))
}

fn usage() -> String {
    format!(
        "Run k6 scripts.\n\nUsage:\n  weir k6 run [flags] script.js\n  weir k6 inspect [flags] script.js\n  weir k6 archive [flags] script.js\n  weir k6 vendor [flags] script.js\n  weir k6 convert [flags] recording.har\n  weir k6 new [file]\n  weir k6 version\n  weir run script.js\n\nExamples:\n  weir k6 run script.js\n  weir k6 run -u 50 -d 30s script.js\n  weir k6 run -e HOST=example.org --summary-export summary.json script.js\n\n{}{HELP}",
        k6_options::usage(Command::Run)
    )
}

/// Words of a command that k6's reader does not know; inside `Err`: help was asked for and shown.
fn parsed<T: clap::Parser>(words: &[String]) -> Result<Result<T, ExitCode>, TestError> {
    match T::try_parse_from(words) {
        Ok(args) => Ok(Ok(args)),
        Err(error) if !error.use_stderr() => say_out(&error.render().to_string()).map(Err),
        Err(error) => {
            let text = error.render().to_string();
            Err(error_of(
                ExitCode::Other,
                text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned(),
            ))
        }
    }
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
    TestError { code, message: message.into(), hint: None }
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
    jslib: Option<PathBuf>,
    allows_remote: bool,
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
            "--jslib" => own.jslib = Some(value()?.into()),
            "--allow-remote" => own.allows_remote = true,
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
fn load(command: Command, words: &mut Words, log: &Arc<Log>) -> Result<Arc<Test>, TestError> {
    let system = variables();
    let settings = words.line.settings.clone();
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
    let found = source::find(&words.line.script, &settings, &words.own)?;
    let mut env = BTreeMap::new();
    if settings.include_system_env_vars.unwrap_or(command == Command::Run) {
        env.extend(system.clone());
    }
    env.extend(settings.env.clone());
    let source = Source {
        script: found.script,
        text: found.text,
        archive: found.archive,
        remote: found.remote,
        layers: Layers {
            config_file: config_file.options,
            script: Options::default(),
            variables: Options::from_variables(&system)?,
            flags: words.line.options.clone(),
        },
        env,
        no_thresholds: settings.no_thresholds == Some(true),
        secrets: log.secrets(),
        detail: if settings.summary_mode == Some(SummaryMode::Full) { Detail::Full } else { Detail::Compact },
        data_form: match settings.new_machine_readable_summary {
            Some(true) => DataForm::Machine,
            _ => DataForm::Common,
        },
    };
    let log = Arc::clone(log);
    Test::load(source, Box::new(move |remark| log.say(remark)))
}

/// Reads what variables say beside flags, and opens the log.
fn prepare(words: &mut Words) -> Result<Log, TestError> {
    let system = variables();
    let mut warnings = std::mem::take(&mut words.line.warnings);
    let settings = std::mem::take(&mut words.line.settings).with_variables(&system, &mut warnings)?;
    let console =
        words.line.options.console_output.clone().or_else(|| system.get("K6_CONSOLE_OUTPUT").cloned());
    let log = Log::new(&settings, console.as_deref().filter(|path| !path.is_empty()))?;
    for message in warnings {
        log.say(&Remark {
            loudness: Loudness::Warning,
            message,
            source: None,
            hint: None,
            fields: Vec::new(),
        });
    }
    words.line.settings = settings;
    Ok(log)
}

fn inspect(words: &[String]) -> Result<ExitCode, TestError> {
    let mut words = read(Command::Inspect, words)?;
    if words.line.wants_help {
        return say_out(&k6_options::usage(Command::Inspect));
    }
    let log = Arc::new(prepare(&mut words)?);
    let test = load(Command::Inspect, &mut words, &log)?;
    let json = match words.line.settings.execution_requirements {
        Some(true) => test.consolidated.inspect(),
        _ => test.consolidated.options.inspect(),
    };
    say_out(&(json.to_go_pretty() + "\n"))
}

fn run_test(words: &[String], talk: &Talk) -> Result<ExitCode, TestError> {
    let mut words = read(Command::Run, words)?;
    if words.line.wants_help {
        return say_out(&usage());
    }
    let log = Arc::new(prepare(&mut words)?);
    let ran = load(Command::Run, &mut words, &log).and_then(|test| perform(&test, &mut words, &log, talk));
    Ok(ran.unwrap_or_else(|error| {
        log.say_error(&error);
        error.code
    }))
}

/// Runs a test that is loaded, from `setup` to its summary.
fn perform(test: &Arc<Test>, words: &mut Words, log: &Arc<Log>, talk: &Talk) -> Result<ExitCode, TestError> {
    room::check(test)?;
    warn_of_undone(&words.line.settings, test.consolidated.options.paused == Some(true), log);
    let view = View::new(&words.line.settings);
    let asked = Asked::read(&words.line.settings, &variables(), log)?;
    let (page, dashboard) = asked.page(&mut words.own.keep, log)?;
    let (words, outputs) = (&*words, asked.specs);
    let script = &words.line.script;
    if !view.is_quiet {
        let name = format!("\n  Weir {}, running a k6 script\n\n", env!("CARGO_PKG_VERSION"));
        let outputs: Vec<String> = outputs.iter().map(OutputSpec::description).collect();
        let start = StartText { script, outputs: &outputs, web_dashboard: dashboard.as_deref() };
        say_out(&(name + &start.text(&test.consolidated, view.colour)))?;
    }
    let plan = ::k6::lower(test, script, plan::Plan::SEED, words.own.keeps_late).map_err(|faults| {
        let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
        error_of(ExitCode::InvalidConfig, texts.join("\n"))
    })?;
    let control = RunControl::new();
    // k6 cuts off what is under way when it is told to stop; after a second signal there is neither teardown nor summary.
    let give_up = {
        let control = control.clone();
        move || {
            control.stop();
            control.stop();
        }
    };
    test.on_abort(give_up.clone());
    let on_signal = give_up.clone();
    let last = RunControl::new();
    let last_control = last.clone();
    let signals = SignalWatch::listen(move |count| {
        on_signal();
        if count > 1 {
            last.stop();
            last.stop();
        }
    });
    let signals =
        signals.map_err(|error| error_of(ExitCode::Other, format!("signals can't be watched: {error}")))?;
    test.start_clock();
    let opened = test.open_outputs(&outputs);
    opened.map_err(|error| error_of(ExitCode::Other, format!("--out: {error}")))?;
    let ticker = Ticker::start(test, &view);
    let mut failed = None;
    if test.has_setup() {
        ticker.at(Stage::Setup);
        let limit = test.consolidated.options.setup_timeout.unwrap_or(Options::SETUP_TIMEOUT);
        failed = fixture(test, "setup", Role::Setup, limit, &control)?;
    }
    let mut record = None;
    let mut has_crossed = false;
    if failed.is_none() && signals.count() == 0 {
        ticker.at(Stage::Scenarios);
        let mut keeping =
            Keeping::begin(&words.own.keep, Path::new(""), &control, talk).map_err(of_failure)?;
        let mut watch = Watch::new(test, give_up);
        let factories =
            test.factories().into_iter().map(|factory| Arc::new(factory) as Arc<dyn ScenarioFactory>);
        let options = RunOptions {
            worker_count: words.own.threads,
            origin: "k6".to_owned(),
            control: control.clone(),
            labels: words.own.keep.labels.iter().cloned().collect(),
            ..RunOptions::default()
        };
        let mut observers: Vec<&mut dyn RunObserver> = vec![&mut watch];
        observers.extend(keeping.observer());
        let ran = runner::execute_with(plan, factories.collect(), options, &mut observers);
        let ran = ran.map_err(|error| error_of(ExitCode::Other, error.to_string()))?;
        keeping.finish(&ran);
        watch.close();
        has_crossed = watch.has_stopped();
        record = Some(ran);
    }
    if test.has_teardown() && failed.is_none() && signals.count() < 2 {
        ticker.at(Stage::Teardown);
        let limit = test.consolidated.options.teardown_timeout.unwrap_or(Options::SETUP_TIMEOUT);
        failed = fixture(test, "teardown", Role::Teardown, limit, &last_control)?;
    }
    ticker.stop();
    outputs::close(test, log);
    page.write(record.as_ref())?;
    if signals.count() > 1 {
        return Err(error_of(ExitCode::Aborted, "test run was aborted by a second signal"));
    }
    let ending = Ending { failed, was_signalled: signals.count() > 0, has_crossed };
    finish(test, words, record.as_ref(), log, talk, ending)
}

/// Flags that are read and not done.
fn warn_of_undone(settings: &k6_options::Settings, is_paused: bool, log: &Log) {
    let undone = [
        (is_paused, "paused: the test begins at once"),
        (settings.linger == Some(true), "--linger: the process ends with the test"),
        (settings.address.is_some(), "--address: there is no control interface"),
        (
            settings.traces_output.as_deref().is_some_and(|to| to != "none"),
            "--traces-output: there are no traces",
        ),
    ];
    for (_, message) in undone.iter().filter(|(is_asked, _)| *is_asked) {
        say_warning(log, (*message).to_owned());
    }
}

fn say_warning(log: &Log, message: String) {
    log.say(&Remark { loudness: Loudness::Warning, message, source: None, hint: None, fields: Vec::new() });
}

/// Runs `setup` or `teardown`; why it failed, where it did.
fn fixture(
    test: &Arc<Test>,
    name: &str,
    role: Role,
    limit: k6_options::GoDuration,
    control: &RunControl,
) -> Result<Option<TestError>, TestError> {
    let options = RunOptions { control: control.clone(), ..RunOptions::default() };
    let factory = Arc::new(test.fixture(role)) as Arc<dyn ScenarioFactory>;
    let ran = runner::execute_with(test.fixture_plan(name, limit), vec![factory], options, &mut []);
    let ran = ran.map_err(|error| error_of(ExitCode::Other, error.to_string()))?;
    let counts = ran.phases.first().map(|phase| phase.counts).unwrap_or_default();
    if let Some(aborted) = test.aborted().filter(|_| role == Role::Setup) {
        return Ok(Some(error_of(ExitCode::ScriptAborted, aborted)));
    }
    if let Some(error) = test.fixture_error() {
        return Ok(Some(error));
    }
    if counts.failed > 0 || counts.due == 0 {
        return Ok(Some(error_of(ExitCode::ScriptException, format!("{name}() did not run"))));
    }
    if counts.unfinished > 0 && ran.aborted.is_none() {
        let code = if role == Role::Setup { ExitCode::SetupTimeout } else { ExitCode::TeardownTimeout };
        return Ok(Some(TestError {
            code,
            message: format!("{name}() execution timed out after {} seconds", limit.as_secs_f64()),
            hint: Some(format!("You can increase the time limit via the {name}Timeout option")),
        }));
    }
    let aborted = || error_of(ExitCode::Aborted, "test run was aborted because of a signal");
    Ok((counts.unfinished > 0).then(aborted))
}

fn of_failure(failure: Failure) -> TestError {
    error_of(ExitCode::Other, failure.messages.join("\n"))
}
