//! Native plans: YAML or JSON in, a [`plan::Plan`] and everything that is wrong with the text out.
//!
//! ```text
//! text → tree of values with places (text) → typed models (model, by the tables of read) → Plan (lower)
//! ```
//!
//! Each step goes on past faults, so that one reading finds them all, each with its place and its mend. The tables of `model` are the
//! one declaration of what a plan may say: the JSON Schema ([`schema()`]) and the reference ([`reference()`]) are made from them too.

mod csv;
mod files;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod lower;
mod model;
mod read;
mod reference;
mod render;
mod schema;
mod text;

pub use files::{Files, Folder, InMemory};
pub use reference::reference;
pub use render::render;
pub use schema::schema;
pub use text::Source;

use crate::model::PlanText;
use crate::read::Model;
use crate::text::Faults;
use plan::{Diagnostic, Plan};
use std::path::Path;

/// Longest file that is opened as a plan; longer texts are refused while reading, with a better message.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// What came of a plan's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The plan, when nothing is wrong with it; warnings don't hinder it.
    pub plan: Option<Plan>,
    /// All findings, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The text itself, to show findings in it with [`render()`].
    pub source: Source,
}

/// Reads a plan's file and the files that it names, relative to its own folder. Whatever is wrong is in [`Loaded::diagnostics`].
pub fn load(path: &Path) -> Loaded {
    let file_name = path.display().to_string();
    let fault = |message: String, hint: &str| {
        let source = Source { file_name: file_name.clone(), text: String::new() };
        Loaded { plan: None, diagnostics: vec![Diagnostic::error(message).hint(hint)], source }
    };
    let bytes = match files::read_limited(path, FILE_BYTES_MAX) {
        Ok(bytes) => bytes,
        Err(reason) => {
            return fault(format!("can't read the plan `{file_name}`: {reason}"), "check the path");
        }
    };
    parse_bytes(&bytes, &file_name, &Folder::of(path))
}

/// Like [`parse`], for text whose encoding is not yet known to be right.
pub fn parse_bytes(bytes: &[u8], file_name: &str, files: &dyn Files) -> Loaded {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, file_name, files),
        Err(error) => {
            let (good, _) = bytes.split_at(error.valid_up_to());
            let source =
                Source { file_name: file_name.to_owned(), text: String::from_utf8_lossy(good).into_owned() };
            let line = source.text.matches('\n').count() + 1;
            let column = source.text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            let location = plan::Location { file: file_name.to_owned(), line, column };
            let fault = Diagnostic::error("the plan is not UTF-8").hint("save it as UTF-8").at(location);
            Loaded { plan: None, diagnostics: vec![fault], source }
        }
    }
}

/// Reads a plan's text. `file_name` stands in findings, and names the plan where the text does not; `files` are those that the plan names.
pub fn parse(text: &str, file_name: &str, files: &dyn Files) -> Loaded {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { file_name: file_name.to_owned(), text: text.to_owned() };
    let mut faults = Faults::new(&source);
    let plan = plan_of(&source, files, &mut faults);
    let plan = plan.filter(|_| !faults.has_errors());
    let diagnostics = faults.finish();
    Loaded { plan, diagnostics, source }
}

fn plan_of(source: &Source, files: &dyn Files, faults: &mut Faults<'_>) -> Option<Plan> {
    let tree = text::parse(source, faults)?;
    let text = PlanText::read(&tree, faults)?;
    let stem = Path::new(&source.file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let plan = lower::lower(&text, stem.as_deref().unwrap_or("plan"), files, faults);
    if !faults.has_errors() {
        // All of these are found above, with their places; this is the net below.
        plan.faults().into_iter().for_each(|fault| faults.push_located(fault));
    }
    Some(plan)
}
