//! All that is known of Tulip ("The Ultimate Load Injection Program"): its configurations of every release in, its table out.
//!
//! ```text
//! text → tree with places (json) → configuration, all names of a concept in one (read) → Plan and Facts (lower)
//! ```
//!
//! Each step goes on past faults, so that one reading finds them all. What the Plan can't say but Tulip's reports show (contexts, ids, tokens)
//! is in [`Facts`], which go into the record beside the plan.

mod actions;
mod classes;
mod config;
mod date;
mod facts;
mod faults;
mod fields;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod json;
mod kwrk;
mod layout;
mod lower;
mod migrate;
mod read;
mod results;
mod table;
mod url;
mod workflow;

pub use config::Dialect;
pub use facts::{
    ActionFacts, BenchmarkConfig, BenchmarkFacts, Chances, ConfigFacts, ContextConfig, Facts, ImportedAction,
    ImportedRow, RECORD_KEY,
};
pub use kwrk::Kwrk;
pub use migrate::{Migrated, to_native, to_newest};
pub use results::{Form, OUTPUT_BYTES_MAX, html, is_output, is_report, output_json, read_output};
pub use table::table;

use faults::Faults;
use plan::{Diagnostic, Plan};

/// Longest text; the configurations that people write have a few kilobytes.
pub const TEXT_BYTES_MAX: usize = 16 << 20;

/// What came of a configuration's text.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// What to run, when nothing is wrong; warnings don't hinder it.
    pub run: Option<Run>,
    /// All findings, by place.
    pub diagnostics: Vec<Diagnostic>,
}

/// A configuration ready to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What is run.
    pub plan: Plan,
    /// What Tulip's reports show of it besides.
    pub facts: Facts,
    /// Worker threads that it asks for; `None`: none in particular.
    pub thread_count: Option<usize>,
    /// The family of releases that it was written for.
    pub dialect: Dialect,
}

/// Whether a text is a configuration of Tulip. A text that is no JSON at all is judged by its words.
pub fn is_config(text: &str) -> bool {
    if text.len() > TEXT_BYTES_MAX
        || !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '/', '#'])
    {
        return false;
    }
    let mut faults = Faults::new("", text);
    match json::parse(text, &mut faults) {
        Some(node) => read::is_config(&node),
        None => {
            let has = |word: &str| text.contains(word);
            has("\"user_class\"") || (has("\"benchmarks\"") && has("\"contexts\""))
        }
    }
}

/// Reads a configuration. `file_name` stands in findings; `actions` is a plan whose actions, by their names, are what ids do, before any
/// built-in class is asked.
pub fn parse(text: &str, file_name: &str, actions: Option<&Plan>) -> Loaded {
    let mut faults = Faults::new(file_name, text);
    if text.len() > TEXT_BYTES_MAX {
        faults.error(0, "the configuration is longer than 16 MiB", "shorten it");
        return Loaded { run: None, diagnostics: faults.finish() };
    }
    let Some(tree) = json::parse(text, &mut faults) else {
        return Loaded { run: None, diagnostics: faults.finish() };
    };
    let config = read::config(&tree, &mut faults);
    let stem = std::path::Path::new(file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let lowered = lower::lower(&config, stem.as_deref().unwrap_or("tulip"), actions, &mut faults);
    if !faults.has_errors() {
        // All of these are found above, with their places; this is the net below.
        lowered.plan.faults().into_iter().for_each(|fault| faults.push(0, fault));
    }
    let run = (!faults.has_errors()).then_some(Run {
        plan: lowered.plan,
        facts: lowered.facts,
        thread_count: lowered.thread_count,
        dialect: config.dialect,
    });
    Loaded { run, diagnostics: faults.finish() }
}
