//! CSV as RFC 4180 has it, row by row, with the line on which each begins. Blank lines are left out.

/// A row, or what is wrong where one should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// From 1.
    pub(crate) line: usize,
    /// The values, quotes resolved.
    pub(crate) values: Result<Vec<String>, CsvFault>,
}

/// What can be wrong within a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CsvFault {
    /// A quoted value goes on to the end of the file.
    OpenQuote,
    /// Something other than a separator or the line's end follows a closing quote.
    TextAfterQuote,
}

impl std::fmt::Display for CsvFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::OpenQuote => "the row has a quote that is never closed",
            Self::TextAfterQuote => "the row has text behind a closing quote",
        })
    }
}

/// Reads rows from a text.
#[derive(Debug)]
pub(crate) struct Rows<'t> {
    rest: &'t str,
    line: usize,
    separator: char,
}

impl<'t> Rows<'t> {
    /// `separator` is ASCII, and neither a quote nor a line's end.
    pub(crate) fn new(text: &'t str, separator: u8) -> Self {
        Self {
            rest: text.strip_prefix('\u{feff}').unwrap_or(text),
            line: 1,
            separator: char::from(separator),
        }
    }

    /// Takes the rest of the line, so that reading goes on with the next.
    fn skip_line(&mut self) {
        let (_, after) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = after;
        self.line += 1;
    }

    /// Takes a line's end if one is here.
    fn take_line_end(&mut self) -> bool {
        let after = self.rest.strip_prefix("\r\n").or_else(|| self.rest.strip_prefix('\n'));
        if let Some(after) = after {
            self.rest = after;
            self.line += 1;
        }
        after.is_some()
    }

    fn value(&mut self) -> Result<String, CsvFault> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
            let (value, rest) = self.rest.split_at(end);
            self.rest = rest;
            let at_line_end = !rest.starts_with(self.separator);
            return Ok(if at_line_end { value.strip_suffix('\r').unwrap_or(value) } else { value }.to_owned());
        };
        let mut value = String::new();
        let mut rest = quoted;
        loop {
            let Some((piece, after)) = rest.split_once('"') else {
                self.rest = "";
                return Err(CsvFault::OpenQuote);
            };
            value.push_str(piece);
            match after.strip_prefix('"') {
                Some(after) => {
                    value.push('"');
                    rest = after;
                }
                None => {
                    self.rest = after;
                    break;
                }
            }
        }
        self.line += value.matches('\n').count();
        let ends_here = self.rest.is_empty()
            || self.rest.starts_with([self.separator, '\n'])
            || self.rest.starts_with("\r\n");
        if ends_here { Ok(value) } else { Err(CsvFault::TextAfterQuote) }
    }

    fn row(&mut self) -> Result<Vec<String>, CsvFault> {
        let mut values = Vec::new();
        loop {
            match self.value() {
                Ok(value) => values.push(value),
                Err(fault) => {
                    self.skip_line();
                    return Err(fault);
                }
            }
            if let Some(after) = self.rest.strip_prefix(self.separator) {
                self.rest = after;
                continue;
            }
            self.take_line_end();
            return Ok(values);
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        while self.take_line_end() {}
        if self.rest.is_empty() || self.rest == "\r" {
            return None;
        }
        let line = self.line;
        Some(Row { line, values: self.row() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_as_rfc_4180_has_them() {
        let check = |text: &str, separator: u8, expected: &[(usize, &[&str])]| {
            let rows: Vec<Row> = Rows::new(text, separator).collect();
            let expected: Vec<Row> = expected
                .iter()
                .map(|(line, values)| Row {
                    line: *line,
                    values: Ok(values.iter().map(|v| (*v).to_owned()).collect()),
                })
                .collect();
            assert_eq!(rows, expected, "{text:?}");
        };
        check("a,b\r\n1,2\r\n", b',', &[(1, &["a", "b"]), (2, &["1", "2"])]);
        check("a,b\n\n1,2", b',', &[(1, &["a", "b"]), (3, &["1", "2"])]);
        check("\u{feff}a\n\"x,\"\"y\"\"\nz\"\nb\n", b',', &[(1, &["a"]), (2, &["x,\"y\"\nz"]), (4, &["b"])]);
        check("a;;b;\n", b';', &[(1, &["a", "", "b", ""])]);
        check("", b',', &[]);
        check("\r\n\r", b',', &[]);
        check("a b, c\n", b',', &[(1, &["a b", " c"])]);
    }

    #[test]
    fn a_broken_row_does_not_hide_the_next() {
        let rows: Vec<Row> = Rows::new("\"a\"b,c\nd\n\"e\nf", b',').collect();
        let d = Row { line: 2, values: Ok(vec!["d".to_owned()]) };
        let open = Row { line: 3, values: Err(CsvFault::OpenQuote) };
        assert_eq!(rows, [Row { line: 1, values: Err(CsvFault::TextAfterQuote) }, d, open]);
    }
}
