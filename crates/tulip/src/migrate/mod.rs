//! A configuration of any release written anew: in the newest release's form, or as a native plan.
//!
//! What comes out runs the same plan as what went in; what the new form can't say is said in a finding and never dropped silently.

mod comments;
mod native;
mod newest;
mod print;

use crate::config::Config;
use crate::faults::Faults;
use crate::json::{Comment, Node};
use crate::{Loaded, Run, json, parse, read};
use plan::{Diagnostic, Plan};

/// A configuration written anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Migrated {
    /// The new text; `None`: something is wrong with the old one, and the findings say what.
    pub text: Option<String>,
    /// All findings, by their place in the old text.
    pub diagnostics: Vec<Diagnostic>,
}

/// A configuration that was read without asking what its actions do.
struct Source {
    tree: Node,
    comments: Vec<Comment>,
    config: Config,
}

/// Writes a configuration in the form of Tulip 2.3, comments included.
pub fn to_newest(text: &str, file_name: &str) -> Migrated {
    let mut faults = Faults::new(file_name, text);
    let Some(source) = source(text, &mut faults) else {
        return Migrated { text: None, diagnostics: faults.finish() };
    };
    let migrated = newest::write(&source, text, &mut faults);
    if faults.has_errors() {
        return Migrated { text: None, diagnostics: faults.finish() };
    }
    // The net below: what could not be carried over unnoticed is noticed here.
    let (before, after) = (parse(text, file_name, None), parse(&migrated, file_name, None));
    if let (Some(before), Some(after)) = (&before.run, &after.run)
        && !runs_the_same(&before.plan, &after.plan)
    {
        let hint = "compare what `weir check` says of both";
        faults.warning(0, "in its new form the configuration does not run quite the same", hint);
    }
    Migrated { text: Some(migrated), diagnostics: faults.finish() }
}

/// Writes a configuration as a native plan. `actions` is a plan whose actions are what ids do, as for [`parse`].
pub fn to_native(text: &str, file_name: &str, actions: Option<&Plan>) -> Migrated {
    let Loaded { run, mut diagnostics } = parse(text, file_name, actions);
    let Some(Run { plan, thread_count, .. }) = run else { return Migrated { text: None, diagnostics } };
    let mut faults = Faults::new(file_name, text);
    let comment_count =
        json::parse_with_comments(text, &mut faults.apart()).map_or(0, |(_, found)| found.len());
    if comment_count > 0 {
        let message = format!("{comment_count} comments stay behind: a native plan is built differently");
        faults.warning(0, message, "take over what still holds");
    }
    let text = native::write(&plan, thread_count, &mut faults);
    let is_whole = !faults.has_errors();
    diagnostics.extend(faults.finish());
    Migrated { text: is_whole.then_some(text), diagnostics }
}

/// Reads a text as far as its own words go: whether its actions are known does not matter here.
fn source(text: &str, faults: &mut Faults<'_>) -> Option<Source> {
    if text.len() > crate::TEXT_BYTES_MAX {
        faults.error(0, "the configuration is longer than 16 MiB", "shorten it");
        return None;
    }
    let (tree, comments) = json::parse_with_comments(text, faults)?;
    let config = read::config(&tree, faults);
    (!faults.has_errors()).then_some(Source { tree, comments, config })
}

/// Whether two plans send the same at the same times, whatever phases and scenarios are called.
fn runs_the_same(one: &Plan, other: &Plan) -> bool {
    let parts = |plan: &Plan| {
        let Plan { mut phases, mut scenarios, targets, .. } = plan.clone();
        phases.iter_mut().for_each(|phase| phase.name.clear());
        scenarios.iter_mut().for_each(|scenario| scenario.name.clear());
        (phases, scenarios, targets)
    };
    parts(one) == parts(other)
}
