//! Columns that line up: the first to the left, numbers to the right, two blanks between.

use super::style::{Color, Role};

/// Rows of cells; the first row is the head.
pub(super) struct Table {
    rows: Vec<Vec<(String, Option<Role>)>>,
    /// Least width of a number's column, so that tables above each other line up.
    column_width_min: usize,
    /// Width of the first column at least, and at most.
    first_width: (usize, usize),
}

/// How wide a text is on a terminal, near enough: colours have no width; names in scripts of double width come out of line.
pub(crate) fn width(text: &str) -> usize {
    let mut in_escape = false;
    let is_seen = |c: &char| {
        let seen = !in_escape && *c != '\x1b';
        in_escape = (in_escape || *c == '\x1b') && *c != 'm';
        seen
    };
    text.chars().filter(is_seen).count()
}

/// The text cut to a width, with a sign that it was.
pub(crate) fn cut(text: &str, width_max: usize) -> String {
    if width(text) <= width_max {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(width_max.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

impl Table {
    pub(super) fn new(head: &[&str], first_width: (usize, usize), column_width_min: usize) -> Self {
        let head = head.iter().map(|cell| ((*cell).to_owned(), Some(Role::Aside))).collect();
        Self { rows: vec![head], column_width_min, first_width }
    }

    pub(super) fn row(&mut self, cells: Vec<(String, Option<Role>)>) {
        self.rows.push(cells);
    }

    /// The lines, each indented by two.
    pub(super) fn lines(&self, color: Color) -> Vec<String> {
        let column_count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let (first_min, first_max) = self.first_width;
        let widths: Vec<usize> = (0..column_count)
            .map(|column| {
                let widest =
                    self.rows.iter().filter_map(|row| row.get(column)).map(|(cell, _)| width(cell)).max();
                let widest = widest.unwrap_or(0);
                if column == 0 {
                    widest.clamp(first_min, first_max)
                } else {
                    widest.max(self.column_width_min)
                }
            })
            .collect();
        self.rows.iter().map(|row| line(row, &widths, color)).collect()
    }
}

fn line(row: &[(String, Option<Role>)], widths: &[usize], color: Color) -> String {
    let mut line = String::from(" ");
    for (column, ((cell, role), column_width)) in row.iter().zip(widths).enumerate() {
        let cell = cut(cell, *column_width);
        let gap = " ".repeat(column_width.saturating_sub(width(&cell)));
        let cell = role.map_or(cell.clone(), |role| color.paint(role, &cell));
        line.push_str(if column == 0 { " " } else { "  " });
        if column == 0 {
            line.push_str(&cell);
            line.push_str(&gap);
        } else {
            line.push_str(&gap);
            line.push_str(&cell);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Words of `text` in lines of at most `width_max`, the first after `first`, the others after as many blanks.
pub(crate) fn wrapped(first: &str, text: &str, width_max: usize) -> Vec<String> {
    let indent = width(first);
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_fresh = true;
    for word in text.split_whitespace() {
        if !is_fresh && width(&line) + 1 + width(word) > width_max {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            is_fresh = true;
        }
        if !is_fresh {
            line.push(' ');
        }
        line.push_str(word);
        is_fresh = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_under_the_first() {
        assert_eq!(wrapped("a: ", "one two three", 9), ["a: one", "   two", "   three"]);
        assert_eq!(wrapped("a: ", "incomprehensibilities x", 9), ["a: incomprehensibilities", "   x"]);
        assert_eq!(wrapped("", "", 9), [""]);
        assert_eq!(wrapped("a: ", "\x1b[31mone two\x1b[0m x", 9), ["a: \x1b[31mone", "   two\x1b[0m x"]);
    }

    #[test]
    fn numbers_stand_to_the_right() {
        let mut table = Table::new(&["", "p50"], (4, 6), 4);
        table.row(vec![("a name that is long".to_owned(), None), ("1 ms".to_owned(), None)]);
        assert_eq!(table.lines(Color::Never), ["           p50", "  a nam…  1 ms"]);
    }
}
