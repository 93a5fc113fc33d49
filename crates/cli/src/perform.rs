//! A run as the command sees it: outputs opened, signals watched, plan executed, results written, exit code found.

use crate::args::{OutputArgs, RunnerArgs};
use crate::commands::tulip_console::Console;
use crate::exit::{self, Ended, Exit, Failure};
use crate::keeping::Keeping;
use crate::outputs::Outputs;
use crate::signals::SignalWatch;
use crate::talk::Talk;
use plan::Plan;
use record::{RunObserver, RunRecord};
use report::{Format as _, LiveLine, Text, Watcher};
use runner::{RunControl, RunOptions};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

/// A plan and how to run it.
pub(crate) struct Job<'a> {
    pub(crate) plan: Plan,
    pub(crate) runner: &'a RunnerArgs,
    pub(crate) output: &'a OutputArgs,
    /// Where the plan was a configuration of Tulip.
    pub(crate) tulip: Option<Tulip<'a>>,
    /// The command, as the record names it.
    pub(crate) origin: &'a str,
    /// Whether it is kept, and where unless flags or environment say.
    pub(crate) keep: Keep<'a>,
}

/// Whether a run is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Keep<'a> {
    /// In a store of this folder, unless flags or environment name another.
    In(&'a Path),
    /// It is not.
    No,
}

/// What a configuration of Tulip says besides its plan.
#[derive(Clone, Copy)]
pub(crate) struct Tulip<'a> {
    pub(crate) facts: &'a tulip::Facts,
    /// Worker threads where no flag says.
    pub(crate) thread_count: Option<usize>,
}

/// Runs it and says what came of it.
pub(crate) fn perform(job: Job<'_>, talk: &Talk) -> Result<Exit, Failure> {
    perform_then(job, talk, |_| Ok(()))
}

/// Runs it, says what came of it, and does something more with the record, whether or not all results could be written.
pub(crate) fn perform_then(
    job: Job<'_>,
    talk: &Talk,
    then: impl FnOnce(&RunRecord) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    // Before anything is sent: a result that can't be written is known now.
    let outputs = Outputs::open(job.output)?;
    let (fail_on, tulip) = (job.output.fail_on, job.tulip);
    let control = RunControl::new();
    let mut keeping = match job.keep {
        Keep::In(folder) => Keeping::begin(&job.runner.keep, folder, &control, talk)?,
        Keep::No => Keeping::none(talk),
    };
    let (mut record, ended) = execute(job, control, &mut keeping, talk)?;
    if let Some(tulip) = tulip {
        tulip.facts.put_into(&mut record.plan);
    }
    let is_stdout_taken = outputs.take_stdout();
    let written = outputs.write(&record);
    let said = say(&record, is_stdout_taken, talk);
    keeping.finish(&record);
    said?;
    // The text above is all that is left of the run when a file could not be written, so that comes first.
    let done = then(&record);
    written?;
    done?;
    Ok(exit::of_record(&record, fail_on, ended))
}

/// Runs the plan under the live line, with signals watched.
fn execute(
    job: Job<'_>,
    control: RunControl,
    keeping: &mut Keeping,
    talk: &Talk,
) -> Result<(RunRecord, Ended), Failure> {
    let stop = control.clone();
    let told = *talk;
    let watch = SignalWatch::start(move |number| {
        let text = match number {
            1 => "\nstopping: requests under way may finish; Ctrl-C again stops now",
            _ => "\nstopping now",
        };
        told.say(text);
        stop.stop();
    })?;
    let options = RunOptions {
        worker_count: job.runner.threads.map(usize::from).or(job.tulip.and_then(|tulip| tulip.thread_count)),
        driver: job.runner.driver.into(),
        name: job.runner.name.clone(),
        control,
        origin: job.origin.to_owned(),
        labels: job.runner.keep.labels.iter().cloned().collect(),
    };
    let watcher = if io::stderr().is_terminal() { Watcher::Terminal } else { Watcher::Log };
    let is_watched = !job.output.quiet;
    let mut console = job
        .tulip
        .filter(|_| is_watched)
        .map(|tulip| Console::new(tulip.facts, &job.plan, watcher, talk.stderr_color));
    let mut line =
        (is_watched && job.tulip.is_none()).then(|| LiveLine::on_stderr(watcher, talk.stderr_color));
    let mut observers: Vec<&mut dyn RunObserver> = Vec::new();
    observers.extend(line.as_mut().map(|line| line as &mut dyn RunObserver));
    observers.extend(console.as_mut().map(|console| console as &mut dyn RunObserver));
    observers.extend(keeping.observer());
    let record = runner::execute(job.plan, options, &mut observers)?;
    let ended = if watch.count() > 0 { Ended::BySignal } else { Ended::ByItself };
    Ok((record, ended))
}

/// The result for people: on stdout, or on stderr where another program reads stdout.
fn say(record: &RunRecord, is_stdout_taken: bool, talk: &Talk) -> Result<Exit, Failure> {
    let color = if is_stdout_taken { talk.stderr_color } else { talk.stdout_color };
    if let Some(table) = tulip::table(record) {
        return exit::of_stdout(if is_stdout_taken {
            io::stderr().lock().write_all(table.as_bytes())
        } else {
            io::stdout().lock().write_all(table.as_bytes())
        });
    }
    let text = Text { color, width: talk.width };
    if is_stdout_taken {
        exit::of_stdout(write_whole(record, text, io::stderr().lock()))
    } else {
        exit::of_stdout(write_whole(record, text, io::stdout().lock()))
    }
}

/// Flushes, since a buffer that is dropped tells nobody that the disk is full.
fn write_whole(record: &RunRecord, text: Text, to: impl io::Write) -> io::Result<()> {
    let mut buffered = io::BufWriter::new(to);
    text.write(record, &mut buffered)?;
    buffered.flush()
}
