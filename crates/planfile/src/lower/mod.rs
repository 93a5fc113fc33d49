//! From what was written to what it means: the text's models to a [`Plan`].
//!
//! Every part is lowered even when others are faulty, so that all faults are found at once. A part that can't be made is replaced by
//! a harmless one; a plan with errors is never handed out.

mod answer;
mod body;
mod feed;
mod order;
mod phase;
mod request;
mod scenario;
mod slo;
mod target;
mod url;
mod variables;

use crate::files::Files;
use crate::model::PlanText;
use crate::read::{At, Map, PositiveDuration, Table};
use crate::text::{Faults, Place, quoted};
use plan::{Diagnostic, Plan};
use scenario::ScenarioSource;
use variables::Variables;

/// What lowering needs at every place.
pub(crate) struct Context<'c, 's> {
    pub(crate) faults: &'c mut Faults<'s>,
    files: &'c dyn Files,
    variables: Variables,
    target_names: Vec<String>,
    /// Whether each target gives a `content-type`.
    targets_with_content_type: Vec<bool>,
    feeds: Vec<feed::FeedName>,
}

/// Longest name of anything, in characters: names stand in tables and file names.
const NAME_CHARS_MAX: usize = 200;

/// Makes the plan. It is whole only when `faults` has no errors.
pub(crate) fn lower(text: &PlanText, file_stem: &str, files: &dyn Files, faults: &mut Faults<'_>) -> Plan {
    let variables = Variables::default();
    let (target_names, targets_with_content_type, feeds) = (Vec::new(), Vec::new(), Vec::new());
    let mut context = Context { faults, files, variables, target_names, targets_with_content_type, feeds };
    let name = match &text.name {
        Some(name) => context.name(name),
        None => file_stem.to_owned(),
    };
    let targets = context.targets(text);
    let feeds = context.feeds(text.feeds.as_ref());
    let sources = ScenarioSource::of_plan(text, &mut context);
    let scenarios = context.scenarios(&sources, text.vars.as_ref());
    let phases = context.phases(text, &sources);
    context.say_if_no_target(text, &targets, &scenarios);
    let slos = context.slos(text.slos.as_ref(), &phases, &scenarios);
    let interval_ns = context.interval_ns(text);
    context.say_what_is_unused(text, &scenarios, &phases);
    let seed = text.seed.as_ref().map_or(Plan::SEED, |seed| seed.value);
    Plan {
        name,
        seed,
        targets,
        feeds,
        variables: context.variables.into_names(),
        scenarios,
        phases,
        slos,
        interval_ns,
    }
}

impl Context<'_, '_> {
    fn error(&mut self, at: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.faults.push(at, Diagnostic::error(message).hint(hint));
    }

    fn warning(&mut self, at: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.faults.push(at, Diagnostic::warning(message).hint(hint));
    }

    /// A name that people will read in tables.
    fn name(&mut self, name: &At<String>) -> String {
        let text = name.value.trim();
        let is_sane =
            !text.is_empty() && text.chars().count() <= NAME_CHARS_MAX && !text.chars().any(char::is_control);
        if !is_sane {
            let hint = format!("use 1 to {NAME_CHARS_MAX} characters on one line");
            self.error(name.at, format!("{} can't be a name", quoted(&name.value)), hint);
        }
        text.to_owned()
    }

    /// Says that a name is unknown, and offers the nearest known one. `what` is such as "target".
    fn unknown_name<'n>(
        &mut self,
        what: &str,
        name: &At<String>,
        known: impl IntoIterator<Item = &'n str> + Clone,
    ) {
        let hint = match plan::nearest(&name.value, known.clone()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => {
                let names: Vec<&str> = known.into_iter().collect();
                match names.as_slice() {
                    [] => format!("the plan has no {what}s"),
                    names => format!("the plan's {what}s: {}", names.join(", ")),
                }
            }
        };
        self.error(name.at, format!("there is no {what} {}", quoted(&name.value)), hint);
    }

    /// A file that the plan names. `None` after saying why it can't be read.
    fn file(&mut self, path: &At<String>, bytes_max: u64) -> Option<Vec<u8>> {
        match self.files.read(&path.value, bytes_max) {
            Ok(bytes) => Some(bytes),
            Err(reason) => {
                let resolved = self.files.resolve(&path.value).display().to_string();
                let hint =
                    format!("looked for {}; paths are seen from the plan's folder", quoted_path(&resolved));
                self.error(path.at, format!("can't read {}: {reason}", quoted(&path.value)), hint);
                None
            }
        }
    }

    fn interval_ns(&mut self, text: &PlanText) -> u64 {
        let Some(interval) = &text.interval else { return Plan::INTERVAL_NS };
        if !(units::NS_PER_MS..=units::NS_PER_SEC * 3600).contains(&interval.value.0) {
            self.error(interval.at, "an interval of the record is 1 ms to 1 h long", "`1s` suits most runs");
        }
        interval.value.0
    }

    fn say_if_no_target(&mut self, text: &PlanText, targets: &[plan::Target], scenarios: &[plan::Scenario]) {
        let is_given =
            text.has("target") || text.targets.as_ref().is_some_and(|targets| !targets.0.is_empty());
        let is_faulty = text.has("targets") && text.targets.is_none();
        let mut steps =
            scenarios.iter().flat_map(|scenario| &scenario.actions).flat_map(|action| &action.steps);
        if targets.is_empty()
            && !is_given
            && !is_faulty
            && steps.any(|step| matches!(step, plan::Step::Request(_)))
        {
            self.error(text.at, "the plan has requests but no target", "add `target: http://127.0.0.1:7070`");
        }
    }

    /// What stands in the plan without effect was mostly meant to have one.
    fn say_what_is_unused(&mut self, text: &PlanText, scenarios: &[plan::Scenario], phases: &[plan::Phase]) {
        if self.faults.has_errors() {
            return;
        }
        for (index, (name, _)) in entries(text.scenarios.as_ref()).enumerate() {
            if !phases.iter().any(|phase| phase.scenario == index) {
                let message = format!("no phase runs the scenario {}", quoted(&name.value));
                self.warning(name.at, message, "name it in a phase with `scenario:`, or remove it");
            }
        }
        for (index, (name, _)) in entries(text.feeds.as_ref()).enumerate() {
            if !scenarios.iter().any(|scenario| scenario.feeds.contains(&index)) {
                let message = format!("nothing uses the feed {}", quoted(&name.value));
                self.warning(
                    name.at,
                    message,
                    format!("use a column, as `${{{}.COLUMN}}`, or remove it", name.value),
                );
            }
        }
    }
}

/// A whole path in backticks; unlike [`quoted`] without shortening.
fn quoted_path(path: &str) -> String {
    let shown: String = path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("`{shown}`")
}

/// The entries of a mapping that may be absent.
fn entries<T>(map: Option<&Map<T>>) -> impl Iterator<Item = (&At<String>, &T)> {
    map.into_iter().flat_map(Map::iter)
}

/// The ns of a duration that may be absent.
fn ns_or(duration: Option<&At<PositiveDuration>>, default_ns: u64) -> u64 {
    duration.map_or(default_ns, |duration| duration.value.0)
}
