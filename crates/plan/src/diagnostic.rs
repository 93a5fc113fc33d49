//! What is wrong with an input, as data: what, where, and how to mend it. Front ends return all of them at once.

use std::fmt;

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the run goes on.
    Warning,
    /// The plan can't run.
    Error,
}

/// A place in an input file; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file as the user named it.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong: lower case, no final full stop.
    pub message: String,
    /// Where, when the input has places.
    pub location: Option<Location>,
    /// How to mend it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), location: None, hint: None }
    }

    /// A warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// The same with a place.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// The same with the mend.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)?;
        if let Some(Location { file, line, column }) = &self.location {
            write!(f, "\n  --> {file}:{line}:{column}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

/// The known name nearest to a misspelt one, when it is near enough to be meant: at most a third of its letters are missing, too many,
/// wrong, or swapped with their neighbour, and at least one is right.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong: Vec<char> = wrong.chars().take(64).flat_map(char::to_lowercase).collect();
    let limit = (wrong.len() / 3).max(1).min(wrong.len().saturating_sub(1));
    known
        .into_iter()
        .map(|name| (distance(&wrong, &name.to_lowercase().chars().collect::<Vec<char>>()), name))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Letters to insert, delete, replace or swap with their neighbour to make one word the other ("optimal string alignment", after Damerau,
/// CACM 7(3), 1964: swapped neighbours are the most common slip of the fingers).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut above_row = vec![0; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (row[j] + usize::from(x != y)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(above_row[j - 1] + 1);
            }
            next[j + 1] = best;
        }
        above_row = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_when_near() {
        let known = ["users", "rate", "duration"];
        assert_eq!(nearest("user", known), Some("users"));
        assert_eq!(nearest("durration", known), Some("duration"));
        assert_eq!(nearest("rtae", known), Some("rate"), "swapped neighbours count once");
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", ["y"]), None, "no letter is right");
        assert_eq!(nearest("", ["y"]), None);
    }
}
