//! A test's end: the summary, files, the last progress, what Weir says of the run, the exit code.

use super::log::Log;
use super::progress::View;
use super::{Words, error_of};
use crate::talk::Talk;
use ::k6::{Stage, Test, TestError, TextForm};
use k6_metrics::SummaryState;
use k6_options::{ExitCode, SummaryMode};
use record::{RunRecord, VerdictState};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;

/// How a test came to its end.
pub(super) struct Ending {
    pub(super) failed: Option<TestError>,
    pub(super) was_signalled: bool,
    pub(super) has_crossed: bool,
}

pub(super) fn finish(
    test: &Arc<Test>,
    words: &Words,
    record: Option<&RunRecord>,
    log: &Log,
    talk: &Talk,
    ending: Ending,
) -> Result<ExitCode, TestError> {
    let settings = &words.line.settings;
    let view = View::new(settings);
    let has_color = settings.no_color != Some(true);
    let state = SummaryState {
        is_stdout_tty: io::stdout().is_terminal() && has_color,
        is_stderr_tty: io::stderr().is_terminal() && has_color,
        test_run_duration_ms: 0.0,
    };
    let is_silent = settings.summary_mode == Some(SummaryMode::Disabled);
    let form = match settings.summary_mode {
        Some(SummaryMode::Disabled) => TextForm::None,
        Some(SummaryMode::Legacy) => TextForm::Legacy,
        Some(SummaryMode::Compact | SummaryMode::Full) | None => TextForm::Modern,
    };
    let outcome = test.summary(test.elapsed_ns(), state, form);
    for (place, bytes) in &outcome.written.parts {
        let written = match place.as_str() {
            "stdout" => io::stdout().write_all(bytes),
            "stderr" => io::stderr().write_all(bytes),
            path => std::fs::write(path, bytes),
        };
        if let Err(error) = written {
            log.say_error(&error_of(
                ExitCode::Other,
                format!("failed to save summary to '{place}': {error}"),
            ));
        }
    }
    if let Some(path) = settings.summary_export.as_ref().filter(|_| !is_silent)
        && let Some(export) = &outcome.written.export
        && let Err(error) = std::fs::write(path, export)
    {
        log.say_error(&error_of(ExitCode::Other, format!("failed to save summary to '{path}': {error}")));
    }
    if let (Some(path), Some(record)) = (&words.own.json, record) {
        let json = serde_json::to_vec(record).unwrap_or_default();
        std::fs::write(path, json)
            .map_err(|error| error_of(ExitCode::Other, format!("--json {path}: {error}")))?;
    }
    if !view.is_quiet {
        // Nobody to tell when stdout can't be written.
        let stage = if record.is_some() { Stage::Scenarios } else { Stage::Setup };
        let _ = io::stdout().write_all(view.lines(test, stage).as_bytes());
        record.iter().for_each(|record| talk.say(&weir_says(record)));
    }
    Ok(code(test, log, ending, outcome.crossed))
}

/// What k6 does not tell: whether the numbers hold, and response times where iterations were due at a rate.
fn weir_says(record: &RunRecord) -> String {
    let verdict = &record.verdict;
    let word = match verdict.state {
        VerdictState::Valid => "valid",
        VerdictState::Suspect => "suspect",
        VerdictState::Invalid => "not valid",
    };
    let mut text = format!("\nWeir: the run is {word}\n");
    // Scenarios often share a fault: what helps is said once.
    let mut by_hint: Vec<(&str, Vec<&str>)> = Vec::new();
    for reason in verdict.reasons.iter().filter(|reason| reason.state > VerdictState::Valid) {
        match by_hint.iter_mut().find(|(hint, _)| *hint == reason.hint) {
            Some((_, messages)) => messages.push(&reason.message),
            None => by_hint.push((&reason.hint, vec![&reason.message])),
        }
    }
    for (hint, messages) in by_hint {
        messages.iter().for_each(|message| text.push_str(&format!("warning: {message}\n")));
        text.push_str(&format!("hint: {}\n", in_k6s_words(hint)));
    }
    text
}

/// A hint of Weir's with the names that things have for who writes k6 scripts.
fn in_k6s_words(hint: &str) -> String {
    let words = [
        ("`users_max`", "`maxVUs`"),
        ("(-t)", "(--threads)"),
        ("let arrivals queue", "let iterations wait (--queue)"),
    ];
    words.iter().fold(hint.to_owned(), |text, (ours, theirs)| text.replace(ours, theirs))
}

/// The process's code; what ended the test badly is logged.
fn code(test: &Test, log: &Log, ending: Ending, crossed: Option<String>) -> ExitCode {
    let aborted = test.aborted().map(|said| error_of(ExitCode::ScriptAborted, said));
    let signalled = || error_of(ExitCode::Aborted, "test run was aborted because k6 received a signal");
    let failed = ending.failed.or(aborted).or_else(|| ending.was_signalled.then(signalled));
    if let Some(error) = failed {
        log.say_error(&error);
        return error.code;
    }
    let crossed = crossed.map(|said| error_of(ExitCode::ThresholdsFailed, said));
    if let Some(error) = crossed {
        // One that ended the test was said then.
        if !ending.has_crossed {
            log.say_error(&error);
        }
        return ExitCode::ThresholdsFailed;
    }
    if ending.has_crossed {
        return ExitCode::ThresholdsFailed;
    }
    if test.is_failed() {
        log.say_error(&error_of(ExitCode::MarkedAsFailed, "test run was marked as failed"));
        return ExitCode::MarkedAsFailed;
    }
    ExitCode::Success
}
