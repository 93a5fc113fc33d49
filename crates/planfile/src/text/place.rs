//! Places in a plan's text, and the text itself.

/// Where a value stands; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The line on which the value ends, at least `line`.
    pub(crate) line_last: usize,
}

impl Place {
    /// The start of a file.
    pub(crate) const START: Self = Self { line: 1, column: 1, line_last: 1 };
}

impl Default for Place {
    fn default() -> Self {
        Self::START
    }
}

/// A plan's text with the name of its file, kept to show findings in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The file as the user named it.
    pub file_name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// A line without its end, counted from 1.
    pub(crate) fn line(&self, line: usize) -> Option<&str> {
        self.text.lines().nth(line.checked_sub(1)?)
    }

    /// Where `needle` stands in the value at `at`; the value's own place when its text is escaped or folded there.
    pub(crate) fn find(&self, at: Place, needle: &str) -> Place {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        for (number, line) in lines.skip(at.line - 1).take(at.line_last + 1 - at.line) {
            let skipped = if number == at.line { at.column - 1 } else { 0 };
            let start = line.char_indices().nth(skipped).map_or(line.len(), |(start, _)| start);
            let (before, rest) = line.split_at(start);
            if let Some((until, _)) = rest.split_once(needle) {
                let column = before.chars().count() + until.chars().count() + 1;
                return Place { line: number, column, line_last: number };
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_needle_is_found_only_within_its_value() {
        let source =
            Source { file_name: "x".into(), text: "a: ${v}\nb: 'ü ${v}'\nc: |\n  x\n  ${v}\n".into() };
        let find = |line, column, line_last| {
            let place = source.find(Place { line, column, line_last }, "${v}");
            (place.line, place.column)
        };
        assert_eq!(find(1, 1, 1), (1, 4));
        assert_eq!(find(2, 4, 2), (2, 7));
        assert_eq!(find(4, 3, 5), (5, 3));
        assert_eq!(find(4, 3, 4), (4, 3), "not there: the value's own place");
        assert_eq!(find(9, 9, 9), (9, 9), "past the end");
    }
}
