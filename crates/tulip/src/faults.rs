//! What is wrong with a configuration, gathered as it turns up and handed out in the order of places.

use plan::{Diagnostic, Location, Severity};

/// More findings than this help nobody.
const FINDINGS_MAX: usize = 100;

/// Findings about one text.
#[derive(Debug)]
pub(crate) struct Faults<'s> {
    file: &'s str,
    text: &'s str,
    /// With the byte offset of their place.
    found: Vec<(usize, Diagnostic)>,
}

impl<'s> Faults<'s> {
    pub(crate) fn new(file: &'s str, text: &'s str) -> Self {
        Self { file, text, found: Vec::new() }
    }

    /// Something that hinders the run.
    pub(crate) fn error(&mut self, at: usize, message: impl Into<String>, hint: impl Into<String>) {
        self.push(at, Diagnostic::error(message).hint(hint));
    }

    /// Something worth knowing.
    pub(crate) fn warning(&mut self, at: usize, message: impl Into<String>, hint: impl Into<String>) {
        self.push(at, Diagnostic::warning(message).hint(hint));
    }

    /// A finding at a byte of the text. An error is never lost behind warnings; what holds in several contexts is said once.
    pub(crate) fn push(&mut self, at: usize, finding: Diagnostic) {
        let is_said = |(place, found): &(usize, Diagnostic)| {
            (*place, found.severity) == (at, finding.severity)
                && (&found.message, &found.hint) == (&finding.message, &finding.hint)
        };
        if self.found.iter().any(is_said) {
            return;
        }
        if self.found.len() >= FINDINGS_MAX {
            let is_warning = |(_, found): &(usize, Diagnostic)| found.severity == Severity::Warning;
            match self.found.iter().rposition(is_warning) {
                Some(index) if finding.severity == Severity::Error => _ = self.found.remove(index),
                _ => return,
            }
        }
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        self.found.push((at, finding.at(Location { file: self.file.to_owned(), line, column })));
    }

    /// Whether anything found so far hinders the run.
    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }

    /// Findings about the same text, kept apart.
    pub(crate) fn apart(&self) -> Self {
        Self::new(self.file, self.text)
    }

    /// All findings with their places.
    pub(crate) fn into_found(self) -> Vec<(usize, Diagnostic)> {
        self.found
    }

    /// All findings, by place.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|(at, _)| *at);
        self.found.into_iter().map(|(_, finding)| finding).collect()
    }
}

/// A piece of the text for a message: in backticks, short, and without characters that a terminal would obey.
pub(crate) fn quoted(text: &str) -> String {
    const CHARS_MAX: usize = 60;
    let shown = units::legible(&text.chars().take(CHARS_MAX).collect::<String>());
    let cut = if text.chars().nth(CHARS_MAX).is_some() { "…" } else { "" };
    format!("`{shown}{cut}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_not_lost_behind_warnings() {
        let mut faults = Faults::new("c.json", "");
        (0..2 * FINDINGS_MAX).for_each(|at| faults.warning(at, "odd", "nothing need be done"));
        assert!(!faults.has_errors());
        (0..2 * FINDINGS_MAX).for_each(|at| faults.error(at, "wrong", "mend it"));
        assert!(faults.has_errors());
        let found = faults.finish();
        assert_eq!(found.len(), FINDINGS_MAX);
        assert!(found.iter().all(|finding| finding.severity == Severity::Error));
    }
}
