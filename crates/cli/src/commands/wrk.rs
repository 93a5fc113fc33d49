//! `weir wrk` and `weir wrk2`: a command line of theirs → plan → run → their page, with their exit codes.

use crate::args::{FailOn, KeepArgs, OutputArgs, label};
use crate::exit::{self, Ended, Exit, Failure};
use crate::keeping::Keeping;
use crate::outputs::Outputs;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use ::wrk::lua::{Script, ScriptError, Summary};
use ::wrk::{Connections, Facts, Figures, Mode, Options, SampleBook, Statistics};
use plan::{Diagnostic, Plan, Scheme};
use planfile::{Files as _, Folder};
use record::{PhaseRecord, Reason, ReasonCode, RunObserver, RunRecord, VerdictState};
use runner::{DriverChoice, RunControl, RunError, RunOptions};
use scenario::ScenarioFactory;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Greatest script or certificate read: both are held in memory.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// So long before its start a phase is announced.
const LEAD_NS: u64 = units::NS_PER_MS;

/// The mode and the words, when the program is called by the name `wrk` or `wrk2` or its first word is one of them.
pub(crate) fn words_of(all: &[OsString]) -> Option<(Mode, &[OsString])> {
    let (program, rest) = all.split_first()?;
    let name = Path::new(program).file_name()?.to_str()?;
    if let Some(mode) = Mode::of_name(name) {
        return Some((mode, rest));
    }
    let (first, rest) = rest.split_first()?;
    Some((Mode::of_name(first.to_str()?)?, rest))
}

/// Reads the words, runs what they ask for, prints the page.
pub(crate) fn run(mode: Mode, words: &[OsString], talk: &Talk) -> Result<Exit, Failure> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let reading = ::wrk::read(&words, mode, mode.as_str());
    if reading.wants_version {
        let line = ::wrk::version_line(mode, env!("CARGO_PKG_VERSION"));
        exit::of_stdout(io::stdout().write_all(line.as_bytes()))?;
    }
    match reading.outcome {
        Ok(options) => perform(&options, talk),
        Err(refusal) => {
            if !refusal.message.is_empty() {
                talk.say(&refusal.message);
            }
            exit::of_stdout(io::stdout().write_all(::wrk::usage(mode).as_bytes()))?;
            Ok(Exit::Refused)
        }
    }
}

fn perform(options: &Options, talk: &Talk) -> Result<Exit, Failure> {
    let source = options.script.as_ref().map(|path| read(path)).transpose()?;
    let script = source.as_ref().map(|source| Script::start(options, source)).transpose();
    let script = script.map_err(|error| of_script(&error))?;
    let depth = script.as_ref().map_or(1, |script| u32::try_from(script.depth()).unwrap_or(u32::MAX));
    let plan = plan_of(options, depth)?;
    // Before anything is sent: a result that can't be written is known now.
    let fail_on = fail_on(options);
    let outputs = Outputs::open(&output_args(options, fail_on))?;
    let connections = match &script {
        Some(script) => Connections::scripted(options, script),
        None => Connections::fixed(options, ::wrk::request_text(options)),
    };
    let book = connections.sample_book();
    let facts = Facts { pipeline_depth: depth, ..Facts::of(options) };
    let facts = match &source {
        Some(source) => facts.with_script(source, &options.script_args),
        None => facts,
    };
    let mut page = Page {
        facts,
        book: Arc::clone(&book),
        to: if outputs.take_stdout() { To::Stderr } else { To::Stdout },
        begun: Instant::now(),
        is_begun: false,
        notes: notes(options),
        talk: *talk,
        written: Ok(()),
    };
    let keep = keep_args(options)?;
    let control = RunControl::new();
    let mut keeping = Keeping::begin(&keep, Path::new(""), &control, talk)?;
    let watch = Watch::start(&control)?;
    let run = Run { options, plan, connections: Arc::new(connections), script: script.as_ref(), keep: &keep };
    let mut record = execute(run, control, &mut page, &mut keeping)?;
    let ended = watch.ended();
    page.facts.requests_per_sec = Statistics::of_counts(&book.samples());
    page.facts.put_into(&mut record.plan);
    keeping.finish(&record);
    let stored = outputs.write(&record);
    if script.as_ref().is_some_and(|script| script.failure().is_some()) {
        // What a script broke off is no result, and no program shall read it as one.
        page.to = To::Stderr;
    }
    page.print(&::wrk::result(&page.facts.clone(), &record));
    exit::of_stdout(std::mem::replace(&mut page.written, Ok(())))?;
    let finished = script.map_or(Ok(()), |script| finish(script, &page.facts, &record, &watch));
    if !options.output.quiet {
        say_after(&record, talk);
    }
    stored?;
    finished?;
    Ok(match (exit::of_record(&record, fail_on, Ended::ByItself), ended) {
        // Ended by hand is ended well: the results so far are what was wanted.
        (Exit::Aborted, Ended::BySignal) => Exit::Done,
        (exit, _) => exit,
    })
}

/// What is run, and how.
struct Run<'a> {
    options: &'a Options,
    plan: Plan,
    connections: Arc<dyn ScenarioFactory>,
    script: Option<&'a Script>,
    keep: &'a KeepArgs,
}

/// What signals do: they end the load, and once all results are out what is left of a script, which has no other end if it loops.
struct Watch {
    signals: SignalWatch,
    rest: Arc<Mutex<Option<Sender<Rest>>>>,
}

/// How the rest of a script came to its end.
enum Rest {
    Called(Result<(), ScriptError>),
    CutOff,
}

impl Watch {
    fn start(control: &RunControl) -> Result<Self, Failure> {
        let rest: Arc<Mutex<Option<Sender<Rest>>>> = Arc::default();
        let (stop, is_rest) = (control.clone(), Arc::clone(&rest));
        let signals = SignalWatch::start(move |_| match is_rest.lock().as_deref() {
            // Nobody waits any more once it has ended by itself.
            Ok(Some(tell)) => drop(tell.send(Rest::CutOff)),
            _ => stop.stop(),
        })?;
        Ok(Self { signals, rest })
    }

    fn ended(&self) -> Ended {
        if self.signals.count() > 0 { Ended::BySignal } else { Ended::ByItself }
    }

    /// Runs `rest` on a thread of its own, and waits for its end or for a signal.
    fn wait_for(&self, rest: impl FnOnce() -> Result<(), ScriptError> + Send + 'static) -> io::Result<Rest> {
        let (tell, told) = channel();
        if let Ok(mut rest) = self.rest.lock() {
            *rest = Some(tell.clone());
        }
        std::thread::Builder::new()
            .name("done".to_owned())
            .spawn(move || drop(tell.send(Rest::Called(rest()))))?;
        // The watch holds a sender, so that the channel can't end before.
        Ok(told.recv().unwrap_or(Rest::CutOff))
    }
}

/// Runs the plan with the page's first lines printed on the way.
fn execute(
    run: Run<'_>,
    control: RunControl,
    page: &mut Page,
    keeping: &mut Keeping,
) -> Result<RunRecord, Failure> {
    let options = run.options;
    if let Some(script) = run.script {
        let stop = control.clone();
        script.on_failure(move || stop.stop());
    }
    let run_options = RunOptions {
        worker_count: usize::try_from(options.threads).ok(),
        driver: match options.output.driver.as_deref() {
            Some("epoll") => DriverChoice::Epoll,
            Some("io_uring") => DriverChoice::IoUring,
            _ => DriverChoice::Auto,
        },
        name: options.name.clone(),
        control,
        origin: options.mode.as_str().to_owned(),
        labels: run.keep.labels.iter().cloned().collect(),
    };
    let mut observers: Vec<&mut dyn RunObserver> = vec![page];
    observers.extend(keeping.observer());
    runner::execute_with(run.plan, vec![run.connections], run_options, &mut observers)
        .map_err(|error| refusal(options, error))
}

/// What is said once, when the target was reached: what was odd, and what the figures will not show.
fn notes(options: &Options) -> Vec<String> {
    if options.output.quiet {
        return Vec::new();
    }
    let mut notes: Vec<String> =
        options.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    let tls = match (options.url.scheme, options.insecure) {
        (Scheme::Http, _) => None,
        (Scheme::Https, true) => Some("note: the server's certificate is not verified"),
        (Scheme::Https, false) => Some("note: the server's certificate is verified; -k turns that off"),
    };
    notes.extend(tls.map(str::to_owned));
    if options.rate.is_none() {
        let closed = "note: without a rate nothing is sent while the server stalls, so stalls hardly show; -R RATE shows them";
        notes.push(closed.to_owned());
    }
    notes
}

/// What is said once after the run: doubts about the numbers, and what they leave open.
fn say_after(record: &RunRecord, talk: &Talk) {
    let open: u64 = record.phases.iter().map(::wrk::open_count).sum();
    if open > 0 {
        let open =
            if open == 1 { "1 request".to_owned() } else { format!("{} requests", units::count(open)) };
        talk.say(&format!(
            "note: {open} had no answer at the end; their times so far are in the record as lower bounds"
        ));
    }
    let is_doubt =
        |reason: &&Reason| reason.state > VerdictState::Valid && reason.code != ReasonCode::Aborted;
    for reason in record.verdict.reasons.iter().filter(is_doubt) {
        talk.say(&format!("warning: {}\nhint: {}", reason.message, reason.hint));
    }
}

/// A script's text.
fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let source = Folder::new("").read(&path.to_string_lossy(), FILE_BYTES_MAX);
    source
        .map_err(|why| Failure { exit: Exit::BadPlan, messages: vec![format!("{}: {why}", path.display())] })
}

/// Calls `done`, or says which callback failed while the load was on.
fn finish(script: Script, facts: &Facts, record: &RunRecord, watch: &Watch) -> Result<(), Failure> {
    if let Some(error) = script.failure() {
        return Err(of_script(&error));
    }
    let figures = Figures::of(record, facts);
    let summary = Summary {
        duration_us: figures.duration_ns / units::NS_PER_US,
        requests: figures.requests,
        bytes: figures.bytes,
        connect_errors: figures.errors.connect,
        read_errors: figures.errors.read,
        write_errors: figures.errors.write,
        status_errors: figures.errors.status,
        timeout_errors: figures.errors.timed_out,
    };
    let requests = facts.requests_per_sec.clone();
    match watch.wait_for(move || script.done(&summary, figures.latency, requests)) {
        Ok(Rest::Called(called)) => called.map_err(|error| of_script(&error)),
        Ok(Rest::CutOff) => {
            let message = "the script's `done` was cut off; the run's results are whole".to_owned();
            Err(Failure { exit: Exit::Aborted, messages: vec![message] })
        }
        Err(error) => Err(Failure::internal(&format!("`done` got no thread: {error}"))),
    }
}

/// A fault of a script is one of the input; what the tools themselves end with 1 for does so here.
fn of_script(error: &ScriptError) -> Failure {
    let exit = match error {
        ScriptError::Raised { .. } => Exit::BadPlan,
        ScriptError::BadRequest { .. } | ScriptError::Unresolved { .. } | ScriptError::Unreachable { .. } => {
            Exit::Refused
        }
    };
    Failure { exit, messages: vec![error.to_string()] }
}

/// The plan, with the certificates to trust.
fn plan_of(options: &Options, depth: u32) -> Result<Plan, Failure> {
    let read = |path: &std::path::PathBuf| {
        let name = path.to_string_lossy();
        Folder::new("").read(&name, FILE_BYTES_MAX).map_err(|why| {
            let message = format!("--cacert: can't read `{name}`: {why}");
            Failure::usage(&Diagnostic::error(message).hint("name a file that is there and may be read"))
        })
    };
    let ca_pem = options.output.cacert.as_ref().map(read).transpose()?;
    Ok(::wrk::lower(options, depth, ca_pem)?)
}

fn fail_on(options: &Options) -> Option<FailOn> {
    match options.output.fail_on.as_deref()? {
        "suspect" => Some(FailOn::Suspect),
        _ => Some(FailOn::Invalid),
    }
}

/// Where the run is kept, and what is written on it.
fn keep_args(options: &Options) -> Result<KeepArgs, Failure> {
    let read = |text: &String| {
        let unread = |why: String| Failure::usage(&Diagnostic::error(format!("--label {text}: {why}")));
        label(text).map_err(unread)
    };
    Ok(KeepArgs {
        labels: options.output.labels.iter().map(read).collect::<Result<_, _>>()?,
        store: options.output.store.clone(),
        no_store: options.output.no_store,
        ..KeepArgs::default()
    })
}

fn output_args(options: &Options, fail_on: Option<FailOn>) -> OutputArgs {
    let ::wrk::Output { json, markdown, junit, .. } = options.output.clone();
    OutputArgs { json, markdown, junit, fail_on, quiet: true }
}

/// A run that could not begin, in the words of both tools.
fn refusal(options: &Options, error: RunError) -> Failure {
    let RunError::Unreachable { class, message, .. } = &error else { return error.into() };
    let reason = capitalised(::wrk::lua::system_words(message));
    let place = format!("{}:{}", options.url.host, options.url.service());
    let said = match class.as_str() {
        "resolve" => format!("unable to resolve {place} {reason}"),
        "tls" if message.contains("certificate") => format!(
            "unable to connect to {place} {reason}\nhint: trust its issuer with --cacert, or skip the check with -k"
        ),
        _ => format!("unable to connect to {place} {reason}"),
    };
    Failure { exit: Exit::Refused, messages: vec![said] }
}

/// As the system says it, which Weir's own messages put in lower case.
fn capitalised(reason: &str) -> String {
    let mut letters = reason.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Where the page goes.
#[derive(Clone, Copy)]
enum To {
    Stdout,
    /// Another program reads stdout.
    Stderr,
}

/// Prints the page as the run goes on.
struct Page {
    facts: Facts,
    book: Arc<SampleBook>,
    to: To,
    /// Nearly the run's origin: times of the sample book are since then.
    begun: Instant,
    is_begun: bool,
    notes: Vec<String>,
    talk: Talk,
    written: io::Result<()>,
}

impl Page {
    fn print(&mut self, text: &str) {
        if self.written.is_ok() {
            self.written = match self.to {
                To::Stdout => io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()),
                To::Stderr => io::stderr().write_all(text.as_bytes()),
            };
        }
    }
}

impl RunObserver for Page {
    fn run_started(&mut self, _: &RunRecord) {
        self.begun = Instant::now();
        self.notes.iter().for_each(|note| self.talk.say(note));
    }

    fn phase_started(&mut self, phase: &str, _: (u32, u32)) {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.print(&::wrk::head(&self.facts));
        }
        // Answers of a warm-up are in no sample.
        let from_ns =
            u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX).saturating_add(LEAD_NS);
        let from_ns = if phase == ::wrk::WARM_UP { u64::MAX } else { from_ns };
        self.book.restart(from_ns);
    }

    fn phase_ended(&mut self, phase: &PhaseRecord) {
        if phase.kind == record::PhaseKind::Warmup {
            self.print(&::wrk::calibration(&self.facts, phase));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_words_choose_the_mode() {
        let check = |line: &str, expected: Option<(Mode, usize)>| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            assert_eq!(words_of(&words).map(|(mode, rest)| (mode, rest.len())), expected, "{line}");
        };
        check("/usr/bin/weir wrk -c 1 u", Some((Mode::Wrk, 3)));
        check("weir wrk2", Some((Mode::Wrk2, 0)));
        check("/home/me/bin/wrk -c 1 u", Some((Mode::Wrk, 3)));
        check("wrk2 u", Some((Mode::Wrk2, 1)));
        check("weir http u", None);
        check("weir", None);
    }
}
