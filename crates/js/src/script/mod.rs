//! A script: a main module with all that it imports, linked and compiled once, shared by all users.

mod commonjs;
mod compile;
mod graph;
mod text;
mod types;

use crate::raw::{Bytecode, Part};
use crate::{ScriptError, Sources};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Under this name a module that is not one of the engine's exports the object that `import * as it` gives.
pub(crate) const NAMESPACE: &str = "*namespace*";

/// Length of a called name that is told, bytes.
const CALLED_BYTES_MAX: usize = 100;

/// What a module is made of.
pub(crate) enum Form {
    /// An ES module.
    Module(Bytecode),
    /// A script whose value is the function around a CommonJS module.
    CommonJs(Bytecode),
    /// JSON's text, which is known to be sound.
    Json(String),
    /// Made by the front end.
    Native,
}

/// A module.
pub(crate) struct Unit {
    pub(crate) url: String,
    pub(crate) form: Form,
    /// What the specifiers in it mean: indexes of units, or why there is none.
    pub(crate) links: HashMap<String, Result<usize, String>>,
    /// The exports that importers name, for units that are no ES modules.
    pub(crate) wanted: Vec<String>,
    /// All that a native module offers, where it says so.
    pub(crate) offered: Option<&'static [&'static str]>,
    /// What `import.meta.resolve` gives for the names that the text has in its calls.
    pub(crate) resolved: HashMap<String, Result<String, String>>,
    pub(crate) has_import_meta: bool,
    /// The text as it was loaded, for places of errors.
    pub(crate) text: String,
    /// Columns that stand before the text's first line in what was compiled.
    pub(crate) first_line_shift: u32,
}

/// The words that a part of the language goes by. A text that makes code of texts may name any.
const WORDS: [(Part, &[&str]); 4] = [
    (
        Part::TypedArrays,
        &[
            "ArrayBuffer",
            "SharedArrayBuffer",
            "DataView",
            "Atomics",
            "Int8Array",
            "Uint8Array",
            "Uint8ClampedArray",
            "Int16Array",
            "Uint16Array",
            "Int32Array",
            "Uint32Array",
            "Float16Array",
            "Float32Array",
            "Float64Array",
            "BigInt64Array",
            "BigUint64Array",
        ],
    ),
    (Part::WeakReferences, &["WeakRef", "FinalizationRegistry"]),
    (Part::Dates, &["Date"]),
    (Part::Collections, &["Map", "Set", "WeakMap", "WeakSet", "groupBy"]),
];
const CODE_OF_TEXTS: [&str; 2] = ["eval", "Function("];
/// The object of all globals: who has it can ask for a name that is put together.
const ALL_GLOBALS: [&str; 2] = ["globalThis", "global"];

/// Whether a word stands in a text by itself: `flatMap` names no `Map`, and `Settings` no `Set`.
fn has(text: &str, word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(is_letter) && !behind.is_some_and(is_letter)
    })
}

fn makes_code(text: &str) -> bool {
    CODE_OF_TEXTS.iter().any(|word| text.contains(word))
}

/// The parts that a text names: a user gets no others.
fn named(text: &str) -> impl Iterator<Item = Part> {
    let names = move |words: &[&str]| makes_code(text) || words.iter().any(|word| has(text, word));
    WORDS.into_iter().filter(move |(_, words)| names(words)).map(|(part, _)| part)
}

/// What this crate makes global.
const GLOBALS: [&str; 7] =
    ["console", "Math", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "require"];

/// A main module with all that it imports: compiled, and not running.
pub struct Script {
    units: Vec<Unit>,
    by_url: HashMap<String, usize>,
    /// By unit, the parts of the language that its text names.
    named: Vec<Vec<Part>>,
    /// Those of this crate's globals that its texts may name.
    globals: BTreeSet<&'static str>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let urls: Vec<&str> = self.urls().collect();
        f.debug_struct("Script").field("urls", &urls).finish_non_exhaustive()
    }
}

impl Script {
    /// Loads the main module that is called `specifier`, and all that it imports or requires by a literal name.
    ///
    /// # Errors
    /// All faults that were found: modules that are not there, texts that can't be parsed.
    pub fn load(specifier: &str, sources: &mut dyn Sources) -> Result<Arc<Self>, Vec<ScriptError>> {
        graph::load(specifier, sources).map(Arc::new)
    }

    /// The final URLs of all modules, the main module's first.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.units.iter().map(|unit| unit.url.as_str())
    }

    /// The text of a module as it was loaded.
    pub fn text(&self, url: &str) -> Option<&str> {
        self.index_of(url).and_then(|index| self.units.get(index)).map(|unit| unit.text.as_str())
    }

    /// How much bytecode all modules have, bytes.
    pub fn bytecode_bytes(&self) -> usize {
        let sizes = self.units.iter().map(|unit| match &unit.form {
            Form::Module(bytecode) | Form::CommonJs(bytecode) => bytecode.size_bytes(),
            Form::Json(_) | Form::Native => 0,
        });
        sizes.sum()
    }

    pub(crate) fn new(units: Vec<Unit>, by_url: HashMap<String, usize>) -> Self {
        let named = units.iter().map(|unit| named(&unit.text).collect()).collect();
        let mut script = Self { units, by_url, named, globals: BTreeSet::new() };
        script.globals = GLOBALS.into_iter().filter(|name| script.may_name(name)).collect();
        script
    }

    /// The parts of the language that a unit's text names.
    pub(crate) fn named_by(&self, index: usize) -> impl Iterator<Item = Part> {
        self.named.get(index).into_iter().flatten().copied()
    }

    /// The parts that must be there before anything runs: those that ES modules name, which the engine links and runs by itself. Others
    /// are added when the module that names them runs, which for parts of a front end may be never.
    pub(crate) fn named_at_first(&self) -> impl Iterator<Item = Part> {
        let linked = self.units.iter().enumerate().filter(|(_, unit)| matches!(unit.form, Form::Module(_)));
        linked.flat_map(|(index, _)| self.named_by(index))
    }

    /// Whether code of the script can ask for a global: the name stands in a text, or a text that makes code or has the object of all
    /// globals may put it together. A global that it can't ask for need not be there, which saves its memory in each user. Looks through
    /// all texts: to be asked once for all users.
    pub fn may_name(&self, global: &str) -> bool {
        let may = |text: &str| {
            has(text, global) || makes_code(text) || ALL_GLOBALS.iter().any(|object| has(text, object))
        };
        self.units.iter().any(|unit| may(&unit.text))
    }

    /// [`Script::may_name`] of this crate's own globals.
    pub(crate) fn may_name_own(&self, global: &str) -> bool {
        self.globals.contains(global)
    }

    pub(crate) fn index_of(&self, url: &str) -> Option<usize> {
        self.by_url.get(url).copied()
    }

    pub(crate) fn unit(&self, index: usize) -> &Unit {
        self.units.get(index).expect("indexes come from the links of this script")
    }

    pub(crate) fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// What `specifier` means in the module `referrer`.
    pub(crate) fn linked(&self, referrer: &str, specifier: &str) -> Result<usize, String> {
        let unit = self.index_of(referrer).map_or_else(|| self.unit(0), |index| self.unit(index));
        match unit.links.get(specifier) {
            Some(link) => link.clone(),
            None => self.index_of(specifier).ok_or_else(|| {
                format!(
                    "the module {specifier:?} was not loaded with the script; name it by a literal, as in \
                     require(\"./name.js\")"
                )
            }),
        }
    }

    /// What `import.meta.resolve(specifier)` is in the module `referrer`.
    pub(crate) fn resolved(&self, referrer: &str, specifier: &str) -> Result<String, String> {
        let unit = self.index_of(referrer).map(|index| self.unit(index));
        match unit.and_then(|unit| unit.resolved.get(specifier)) {
            Some(resolved) => resolved.clone(),
            None => self.linked(referrer, specifier).map(|index| self.unit(index).url.clone()),
        }
    }

    /// Makes places of compiled texts places of the sources, and adds the line that the first of them stands in.
    pub(crate) fn place(&self, error: &mut ScriptError) {
        let mut is_first = true;
        let is_no_function = error.name == "TypeError" && error.message == "not a function";
        for frame in error.stack.iter_mut().filter(|frame| frame.line > 0) {
            let Some(unit) = self.index_of(&frame.file).map(|index| self.unit(index)) else { continue };
            if frame.line == 1 {
                frame.column = frame.column.saturating_sub(unit.first_line_shift).max(1);
            }
            let line = unit.text.lines().nth(frame.line as usize - 1);
            if std::mem::take(&mut is_first)
                && is_no_function
                && let Some(called) = line.and_then(|line| called_at(line, frame.column))
                && called != error.name
            {
                error.message = format!("{called} is not a function");
            }
            frame.column = in_utf16(line, frame.column);
        }
        let place = error.stack.iter().find(|frame| frame.line > 0).cloned();
        let line = place.and_then(|frame| {
            let index = usize::try_from(frame.line).ok()?.checked_sub(1)?;
            self.text(&frame.file)?.lines().nth(index)
        });
        if let Some(line) = line {
            error.show_line(line);
        }
    }
}

/// The name that is called at a column from 1, with what it is a member of: the engine says only that it is no function.
fn called_at(line: &str, column: u32) -> Option<&str> {
    let at = (column as usize).checked_sub(1)?;
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '#');
    let (before, behind) = (line.get(..at)?, line.get(at..)?);
    let start = before.trim_end_matches(|letter: char| is_name(letter) || matches!(letter, '.' | '?')).len();
    let end = at + behind.len() - behind.trim_start_matches(is_name).len();
    let called = line.get(start..end)?;
    let begins = called.chars().next().is_some_and(|letter| is_name(letter) && !letter.is_numeric());
    (begins && called.len() <= CALLED_BYTES_MAX && called.ends_with(is_name)).then_some(called)
}

/// A column from 1 in UTF-16 units, of one in bytes.
fn in_utf16(line: Option<&str>, column: u32) -> u32 {
    let before = line.and_then(|line| line.get(..(column as usize).saturating_sub(1)));
    before.map_or(column, |before| before.encode_utf16().count() as u32 + 1)
}
