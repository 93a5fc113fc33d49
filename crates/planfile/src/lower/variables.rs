//! Variables: their numbers, and texts in which they stand.

use super::Context;
use crate::read::At;
use crate::text::{Place, quoted};
use plan::{Diagnostic, Template, TemplateError, VariableIndex};
use std::collections::{BTreeSet, HashMap};

/// What stands for itself in `${…}`, besides variables.
const BUILTINS: [&str; 4] = ["user_index", "iteration", "uuid", "random(LOW,HIGH)"];

/// Numbers variables in the order of their first mention.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    names: Vec<String>,
    index_of: HashMap<String, VariableIndex>,
}

impl Variables {
    /// The variable's number. `None`: there are more than 65536.
    pub(crate) fn number(&mut self, name: &str) -> Option<VariableIndex> {
        if let Some(index) = self.index_of.get(name) {
            return Some(*index);
        }
        let index = VariableIndex(u16::try_from(self.names.len()).ok()?);
        self.names.push(name.to_owned());
        self.index_of.insert(name.to_owned(), index);
        Some(index)
    }

    pub(crate) fn into_names(self) -> Vec<String> {
        self.names
    }
}

/// The variables that the texts of one scenario may hold.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// From `vars`, `set` and `capture`.
    pub(crate) names: BTreeSet<String>,
    /// Feeds whose columns were used or that were asked for, by index.
    pub(crate) feeds: BTreeSet<usize>,
}

impl Context<'_, '_> {
    /// A variable that the plan gives a value. Feeds' columns have names with a point, which no other variable has.
    pub(crate) fn variable(&mut self, name: &At<String>) -> VariableIndex {
        if !is_variable_name(&name.value) {
            let hint = "use letters, digits, `_` and `-`, beginning with a letter or `_`";
            self.error(name.at, format!("{} can't be a variable's name", quoted(&name.value)), hint);
        } else if BUILTINS.contains(&name.value.as_str()) {
            self.error(
                name.at,
                format!("{} is a value that Weir makes itself", quoted(&name.value)),
                "choose another name",
            );
        }
        self.numbered(&name.value, name.at)
    }

    pub(crate) fn numbered(&mut self, name: &str, at: Place) -> VariableIndex {
        self.variables.number(name).unwrap_or_else(|| {
            self.error(at, "the plan has more than 65536 variables", "use fewer, or fewer columns in feeds");
            VariableIndex(0)
        })
    }

    /// A text with variables. Faulty pieces are reported, each at its place.
    pub(crate) fn template(&mut self, text: &At<String>, scope: &mut Scope) -> Template {
        self.template_of(&text.value, text.at, scope)
    }

    pub(crate) fn template_of(&mut self, text: &str, at: Place, scope: &mut Scope) -> Template {
        let mut unknown: BTreeSet<String> = BTreeSet::new();
        let parsed = Template::parse(text, |name| {
            let index = self.look_up(name, at, scope);
            if index.is_none() {
                unknown.insert(name.to_owned());
            }
            Some(index.unwrap_or(VariableIndex(0)))
        });
        for name in unknown {
            let fault = self.unknown_variable(&name, scope);
            self.faults.push_within(at, &format!("${{{name}"), fault);
        }
        parsed.unwrap_or_else(|error| {
            let fault = match error {
                TemplateError::Unclosed => {
                    Diagnostic::error(format!("a `${{` in {} has no `}}`", quoted(text)))
                }
                TemplateError::UnknownVariable(name) => self.unknown_variable(&name, scope),
            };
            let last = text.rfind("${").and_then(|start| text.get(start..)).unwrap_or("${");
            self.faults.push_within(at, last, fault.hint("close it, or write `$${` for a literal `${`"));
            Template::default()
        })
    }

    /// A text in which variables have no meaning.
    pub(crate) fn literal(&mut self, text: &At<String>, what: &str, mend: &str) -> String {
        if text.value.contains("${") {
            let fault = Diagnostic::error(format!("{what} can't hold variables"));
            self.faults.push_within(text.at, "${", fault.hint(mend));
        }
        text.value.clone()
    }

    fn look_up(&mut self, name: &str, at: Place, scope: &mut Scope) -> Option<VariableIndex> {
        if scope.names.contains(name) {
            return Some(self.numbered(name, at));
        }
        let (feed_name, column) = name.split_once('.')?;
        let feed_index = self.feeds.iter().position(|feed| feed.name == feed_name)?;
        // What columns a faulty feed would have is unknown: its fault is the one to mend.
        let known = self
            .feeds
            .get(feed_index)?
            .columns
            .as_ref()
            .is_none_or(|columns| columns.iter().any(|c| c == column));
        known.then(|| {
            scope.feeds.insert(feed_index);
            self.numbered(name, at)
        })
    }

    fn unknown_variable(&self, name: &str, scope: &Scope) -> Diagnostic {
        let shown = quoted(&format!("${{{name}}}"));
        if name.starts_with("random") {
            let fault = Diagnostic::error(format!("{shown} is no range of whole numbers"));
            return fault.hint("write `${random(1,100)}`: two whole numbers, the smaller first");
        }
        let fault = Diagnostic::error(format!("unknown variable {shown}"));
        if self.faults.is_full() {
            return fault;
        }
        let columns = self.feeds.iter().flat_map(|feed| {
            let columns = feed.columns.iter().flatten();
            columns.map(|column| format!("{}.{column}", feed.name))
        });
        let named: BTreeSet<String> = scope.names.iter().cloned().chain(columns).collect();
        let mut known: Vec<String> =
            named.into_iter().filter(|name| !BUILTINS.contains(&name.as_str())).collect();
        known.extend(BUILTINS.map(str::to_owned));
        match plan::nearest(name, known.iter().map(String::as_str)) {
            Some(meant) => fault.hint(format!("did you mean `${{{meant}}}`?")),
            None => fault.hint(format!("variables here: {}", shortened(&known))),
        }
    }
}

/// A list for a message, not longer than a reader bears.
fn shortened(names: &[String]) -> String {
    const NAMES_MAX: usize = 20;
    let list = names.iter().take(NAMES_MAX).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES_MAX) {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// Letters, digits, `_` and `-`, beginning with a letter or `_`.
pub(crate) fn is_variable_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && name.len() <= super::NAME_CHARS_MAX
}
