//! The fields of an object by name, with all synonyms of a name, and what is wrong with their values.

use crate::config::{At, Params};
use crate::faults::{Faults, quoted};
use crate::json::{Entry, Node, Value};
use plan::nearest;

/// Whether a key that no release knew stops the run. Releases from 2.0.0 on refused it; before, it was ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    Refused,
    Ignored,
}

/// An object's fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'n> {
    /// Where the object stands.
    pub(crate) at: usize,
    entries: &'n [Entry],
}

impl<'n> Fields<'n> {
    /// The fields of a value that must be an object; none and a finding otherwise.
    pub(crate) fn of(node: &'n Node, what: &str, faults: &mut Faults<'_>) -> Self {
        match &node.value {
            Value::Map(entries) => Self { at: node.at, entries },
            _ => {
                let message = format!("{what} must be an object, found {}", node.describe());
                faults.error(node.at, message, "write `{…}`");
                Self { at: node.at, entries: &[] }
            }
        }
    }

    /// One field alone.
    pub(crate) fn of_one(entry: &'n Entry) -> Self {
        Self { at: entry.at, entries: std::slice::from_ref(entry) }
    }

    /// Whether any of the names is given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.entries.iter().any(|entry| names.contains(&entry.key.as_str()))
    }

    /// All of them, in order.
    pub(crate) fn entries(&self) -> &'n [Entry] {
        self.entries
    }

    /// The field by the first of its names that is given; `null` counts as not given. Two of them at once are a finding.
    pub(crate) fn get(&self, names: &[&str], faults: &mut Faults<'_>) -> Option<&'n Entry> {
        let mut given = names.iter().filter_map(|name| self.entries.iter().find(|entry| entry.key == *name));
        let first = given.next()?;
        for other in given {
            let message =
                format!("{} says the same as {}, which counts", quoted(&other.key), quoted(&first.key));
            faults.warning(other.at, message, "keep one of them");
        }
        (!is_word(&first.node, "null")).then_some(first)
    }

    /// Names every key that is not among the known ones.
    pub(crate) fn refuse_others(
        &self,
        known: &[&str],
        what: &str,
        unknown: Unknown,
        faults: &mut Faults<'_>,
    ) {
        for entry in self.entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!("{what} has no key {}", quoted(&entry.key));
            let hint = match nearest(&entry.key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "remove it".to_owned(),
            };
            match unknown {
                Unknown::Refused => faults.error(entry.at, message, hint),
                Unknown::Ignored => faults.warning(entry.at, message, hint),
            }
        }
    }

    /// A text; a number or truth value stands for its spelling.
    pub(crate) fn text(&self, name: &str, faults: &mut Faults<'_>) -> At<String> {
        let Some(entry) = self.get(&[name], faults) else { return At { at: self.at, value: String::new() } };
        At { at: entry.node.at, value: text_of(&entry.node, name, faults) }
    }

    /// A truth value.
    pub(crate) fn flag(&self, name: &str, default: bool, faults: &mut Faults<'_>) -> bool {
        let Some(entry) = self.get(&[name], faults) else { return default };
        match scalar(&entry.node) {
            Some(word) if word.eq_ignore_ascii_case("true") => true,
            Some(word) if word.eq_ignore_ascii_case("false") => false,
            _ => {
                let message =
                    format!("{} must be true or false, found {}", quoted(name), entry.node.describe());
                faults.error(entry.node.at, message, "write true or false");
                // So that what it switches is looked at, too.
                true
            }
        }
    }

    /// A whole number within 0..=max.
    pub(crate) fn count(&self, names: &[&str], max: u32, faults: &mut Faults<'_>) -> Option<u32> {
        let entry = self.get(names, faults)?;
        let number = whole(&entry.node).and_then(|n| u32::try_from(n).ok()).filter(|n| *n <= max);
        if number.is_none() {
            let message = format!(
                "{} must be a whole number from 0 to {max}, found {}",
                quoted(&entry.key),
                entry.node.describe()
            );
            faults.error(entry.node.at, message, "write for example 1");
        }
        number
    }

    /// A whole number that may be negative.
    pub(crate) fn signed(&self, name: &str, faults: &mut Faults<'_>) -> Option<i32> {
        let entry = self.get(&[name], faults)?;
        let number = whole(&entry.node).and_then(|n| i32::try_from(n).ok());
        if number.is_none() {
            let message =
                format!("{} must be a whole number, found {}", quoted(&entry.key), entry.node.describe());
            faults.error(entry.node.at, message, "write for example 0");
        }
        number
    }

    /// A number.
    pub(crate) fn number(&self, names: &[&str], faults: &mut Faults<'_>) -> Option<At<f64>> {
        let entry = self.get(names, faults)?;
        let value = number_of(&entry.node, &entry.key, faults)?;
        Some(At { at: entry.node.at, value })
    }

    /// A map of scalars.
    pub(crate) fn params(&self, name: &str, faults: &mut Faults<'_>) -> Params {
        let Some(entry) = self.get(&[name], faults) else { return Vec::new() };
        let fields = Fields::of(&entry.node, &quoted(name), faults);
        let param = |entry: &Entry, faults: &mut Faults<'_>| {
            let value = match &entry.node.value {
                // Several URLs are one text with commas in Tulip; a list says the same.
                Value::List(items) if entry.key == "url" => {
                    let texts: Vec<String> =
                        items.iter().map(|item| text_of(item, &entry.key, faults)).collect();
                    texts.join(",")
                }
                _ => text_of(&entry.node, &entry.key, faults),
            };
            (entry.key.clone(), At { at: entry.node.at, value })
        };
        fields.entries.iter().map(|entry| param(entry, faults)).collect()
    }
}

/// A finite number.
pub(crate) fn number_of(node: &Node, name: &str, faults: &mut Faults<'_>) -> Option<f64> {
    let number = scalar(node).and_then(|text| text.parse::<f64>().ok()).filter(|number| number.is_finite());
    if number.is_none() {
        let message = format!("{} must be a number, found {}", quoted(name), node.describe());
        faults.error(node.at, message, "write for example 100.0");
    }
    number
}

fn text_of(node: &Node, name: &str, faults: &mut Faults<'_>) -> String {
    match scalar(node) {
        Some(text) => text.to_owned(),
        None => {
            let message = format!("{} must be a text, found {}", quoted(name), node.describe());
            faults.error(node.at, message, "write a text in quotes");
            String::new()
        }
    }
}

fn scalar(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Word(text) | Value::Text(text) => Some(text),
        Value::List(_) | Value::Map(_) => None,
    }
}

/// Whether a value is that word, in letters of either case, as Gson took it.
fn is_word(node: &Node, wanted: &str) -> bool {
    matches!(&node.value, Value::Word(word) if word.eq_ignore_ascii_case(wanted))
}

/// A whole number, also as Gson took it: `3.0`, `3e1`.
fn whole(node: &Node) -> Option<i64> {
    let text = scalar(node)?.trim();
    let from_decimal = || {
        let number = text.parse::<f64>().ok()?;
        // Beyond this doubles leave whole numbers out.
        (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
    };
    text.parse().ok().or_else(from_decimal)
}
