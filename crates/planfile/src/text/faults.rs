//! The findings of one plan, gathered as they turn up and handed out in the order of their places.

use super::{Place, Source};
use plan::{Diagnostic, Location, Severity};

/// More findings than this help nobody; the rest are counted.
const FINDINGS_MAX: usize = 100;

/// Gathers findings about one text.
#[derive(Debug)]
pub(crate) struct Faults<'s> {
    source: &'s Source,
    found: Vec<Diagnostic>,
    left_out_count: usize,
    error_count: usize,
}

impl<'s> Faults<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, found: Vec::new(), left_out_count: 0, error_count: 0 }
    }

    /// A finding at a place of the plan's own text.
    pub(crate) fn push(&mut self, at: Place, finding: Diagnostic) {
        let file = self.source.file_name.clone();
        self.push_located(finding.at(Location { file, line: at.line, column: at.column }));
    }

    /// A finding at a part of the value at `at`.
    pub(crate) fn push_within(&mut self, at: Place, needle: &str, finding: Diagnostic) {
        // A finding that will not be shown needs no search for its place.
        let at = if self.is_full() { at } else { self.source.find(at, needle) };
        self.push(at, finding);
    }

    /// Whether further findings are only counted, and their mends not worth working out.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= FINDINGS_MAX
    }

    /// A finding that has its place already, in another file, or has none.
    pub(crate) fn push_located(&mut self, finding: Diagnostic) {
        // An alias is read wherever it is used, and says the same each time.
        if self.found.contains(&finding) {
            return;
        }
        self.error_count += usize::from(finding.severity == Severity::Error);
        if self.is_full() {
            self.left_out_count += 1;
        } else {
            self.found.push(finding);
        }
    }

    /// Whether anything found so far hinders the run.
    pub(crate) fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    /// All findings: those in the plan's text by place, then those in other files.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let own = &self.source.file_name;
        self.found.sort_by_cached_key(|finding| {
            let at = finding.location.as_ref();
            (at.is_none_or(|at| at.file != *own), at.cloned())
        });
        if self.left_out_count > 0 {
            let message = format!("{} more findings are left out", self.left_out_count);
            let is_error = self.error_count > 0;
            self.found.push(if is_error { Diagnostic::error(message) } else { Diagnostic::warning(message) });
        }
        self.found
    }
}

/// A piece of the plan for a message: in backticks, short, and without characters that a terminal would obey.
pub(crate) fn quoted(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let mut out = String::from("`");
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == CHARS_MAX => {
                out.push('…');
                break;
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out.push('`');
    out
}

/// Characters that change how others are shown (Unicode bidirectional controls) or hide (zero width).
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
