//! How the command ends: the one place where outcomes become exit codes.

use crate::args::FailOn;
use crate::talk::Talk;
use plan::{Diagnostic, Severity};
use record::{RunRecord, VerdictState};
use report::OutputError;
use runner::RunError;
use std::io;
use std::process::ExitCode;

/// The exit codes; other programs rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// All was done, and every objective was met.
    Done = 0,
    /// An objective was missed.
    ObjectiveMissed = 1,
    /// The plan, a flag or a file named by one is wrong; nothing was sent.
    BadPlan = 2,
    /// The target could not be reached at all.
    Unreachable = 3,
    /// The run was ended before its plan did.
    Aborted = 4,
    /// Weir itself failed, or a result could not be written.
    Internal = 5,
    /// The run is not valid, and the caller asked to fail on that.
    NotValid = 6,
    /// A run in the manner of wrk could not begin: it ends with 1 there, and so it does here.
    Refused = 7,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Refused => Exit::ObjectiveMissed as u8,
            exit => exit as u8,
        })
    }
}

/// Why the command could not do what it was asked: all of it at once, and the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// Each with what, where and how to mend it.
    pub(crate) messages: Vec<String>,
}

impl Failure {
    /// Something about the plan, the flags or the files that they name.
    pub(crate) fn usage(diagnostic: &Diagnostic) -> Self {
        Self { exit: Exit::BadPlan, messages: vec![diagnostic.to_string()] }
    }

    /// Something that only a bug or a broken system can bring about.
    pub(crate) fn internal(message: &str) -> Self {
        Self { exit: Exit::Internal, messages: vec![Diagnostic::error(message).to_string()] }
    }

    /// A result that can't be written. Before the run that is for the user to mend, after it it is a loss.
    pub(crate) fn output(error: &OutputError, exit: Exit) -> Self {
        let diagnostic = Diagnostic::error(error.to_string()).hint(error.hint());
        Self { exit, messages: vec![diagnostic.to_string()] }
    }

    /// Says it all on stderr.
    pub(crate) fn say(&self, talk: &Talk) -> Exit {
        talk.say_all(&self.messages);
        self.exit
    }
}

/// Everything wrong with a plan, errors before warnings.
impl From<Vec<Diagnostic>> for Failure {
    fn from(mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity != Severity::Error);
        Self { exit: Exit::BadPlan, messages: diagnostics.iter().map(Diagnostic::to_string).collect() }
    }
}

/// A run that left no record.
impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let exit = match &error {
            RunError::BadPlan(_) | RunError::Resources { .. } => Exit::BadPlan,
            RunError::Unreachable { .. } => Exit::Unreachable,
            RunError::Stuck => Exit::Aborted,
            RunError::Internal(_) => Exit::Internal,
        };
        Self { exit, messages: vec![error.to_string()] }
    }
}

/// Writing to stdout. A reader that has seen enough (`| head`) is no failure.
pub(crate) fn of_stdout(result: io::Result<()>) -> Result<Exit, Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = Diagnostic::error(format!("can't write to stdout: {error}"));
            Err(Failure { exit: Exit::Internal, messages: vec![message.to_string()] })
        }
        _ => Ok(Exit::Done),
    }
}

/// Whether the user ended the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By itself: at its plan's end, or because of an objective that aborts.
    ByItself,
    /// By a signal.
    BySignal,
}

/// The code of a run that has a record. What casts doubt on the measurement goes before what was measured.
pub(crate) fn of_record(record: &RunRecord, fail_on: Option<FailOn>, ended: Ended) -> Exit {
    let worst_allowed = match fail_on {
        None => VerdictState::Invalid,
        Some(FailOn::Invalid) => VerdictState::Suspect,
        Some(FailOn::Suspect) => VerdictState::Valid,
    };
    let is_missed = record.slos.iter().any(|slo| !slo.ok);
    match record.verdict.state {
        _ if ended == Ended::BySignal => Exit::Aborted,
        state if state > worst_allowed => Exit::NotValid,
        _ if is_missed => Exit::ObjectiveMissed,
        _ if record.aborted.is_some() => Exit::Aborted,
        _ => Exit::Done,
    }
}

/// The code of what clap has to say: help and version are answers, the rest is usage.
pub(crate) fn of_usage(error: &clap::Error) -> Exit {
    // When neither stdout nor stderr can be written, the code is all that is left to say.
    let _ = error.print();
    if error.use_stderr() { Exit::BadPlan } else { Exit::Done }
}

/// Makes a panic say what it is: a bug of this program, which its users can report.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |at| format!("\n  --> {at}"));
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        let version = env!("CARGO_PKG_VERSION");
        eprintln!(
            "error: weir {version} failed: {what}{place}\nhint: this is a bug in weir; please report it with this text, the command and the plan"
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Client, Environment, SloRecord, Verdict};

    fn record(state: VerdictState, is_met: bool, aborted: Option<&str>) -> RunRecord {
        RunRecord {
            schema_version: record::SCHEMA_VERSION,
            run_id: String::new(),
            name: String::new(),
            origin: String::new(),
            labels: Default::default(),
            started_unix_ns: 0,
            duration_ns: 0,
            aborted: aborted.map(str::to_owned),
            plan: serde_json::Value::Null,
            environment: Environment::default(),
            verdict: Verdict { state, reasons: Vec::new() },
            slos: vec![SloRecord {
                expression: String::new(),
                ok: is_met,
                observed: None,
                observed_text: String::new(),
                phase: String::new(),
            }],
            phases: Vec::new(),
            client: Client::default(),
        }
    }

    #[test]
    fn every_outcome_has_its_code() {
        use VerdictState::{Invalid, Suspect, Valid};
        let check = |state, is_met, aborted, fail_on, ended, expected| {
            assert_eq!(of_record(&record(state, is_met, aborted), fail_on, ended), expected);
        };
        let itself = Ended::ByItself;
        check(Valid, true, None, None, itself, Exit::Done);
        check(Valid, false, None, None, itself, Exit::ObjectiveMissed);
        check(Valid, true, None, Some(FailOn::Suspect), itself, Exit::Done);
        check(Suspect, true, None, Some(FailOn::Suspect), itself, Exit::NotValid);
        check(Suspect, true, None, Some(FailOn::Invalid), itself, Exit::Done);
        check(Invalid, true, None, None, itself, Exit::Done);
        check(Invalid, true, None, Some(FailOn::Suspect), itself, Exit::NotValid);
        check(Invalid, false, None, Some(FailOn::Invalid), itself, Exit::NotValid);
        check(Suspect, false, Some("an objective can't be kept"), None, itself, Exit::ObjectiveMissed);
        check(Suspect, true, Some("the target went away"), None, itself, Exit::Aborted);
        check(Invalid, false, Some("interrupted"), Some(FailOn::Invalid), Ended::BySignal, Exit::Aborted);
        assert_eq!((Exit::Done as u8, Exit::ObjectiveMissed as u8, Exit::BadPlan as u8), (0, 1, 2));
        assert_eq!((Exit::Unreachable as u8, Exit::Aborted as u8), (3, 4));
        assert_eq!((Exit::Internal as u8, Exit::NotValid as u8), (5, 6));
    }
}
