//! What a plan's text says, and what is wrong with it: each finding shown in the text where it stands.

use crate::exit::{Exit, Failure};
use crate::talk::Talk;
use plan::{Diagnostic, Plan, Severity};
use planfile::{Loaded, Source};
use std::path::Path;

/// The plan of a file; its warnings are said, its errors are the failure.
pub(crate) fn load(path: &Path, talk: &Talk) -> Result<Plan, Failure> {
    let Loaded { plan, diagnostics, source } = planfile::load(path);
    accepted(plan, &diagnostics, &source, talk)
}

/// What was read of a text, its warnings said; where it can't be used, all that was found is the failure.
pub(crate) fn accepted<T>(
    read: Option<T>,
    found: &[Diagnostic],
    source: &Source,
    talk: &Talk,
) -> Result<T, Failure> {
    let read = read.ok_or_else(|| Failure { exit: Exit::BadPlan, messages: shown(found, source) })?;
    talk.say_all(&shown(found.iter().filter(|found| found.severity == Severity::Warning), source));
    Ok(read)
}

/// Findings with the lines that they are in.
pub(crate) fn shown<'a>(found: impl IntoIterator<Item = &'a Diagnostic>, source: &Source) -> Vec<String> {
    found.into_iter().map(|found| planfile::render(found, source)).collect()
}
