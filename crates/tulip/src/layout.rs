//! The seed's table as text: the rules by which a text browser laid its HTML out, kept to the character.
//!
//! A column is as wide as its longest cell in the whole report; columns are parted by one space; heads are centred, cells stand left.

/// A row's cells; missing ones at its end are empty.
pub(crate) type Row = Vec<String>;

/// Groups of rows, each below the heads, with an empty line between them.
pub(crate) fn lay_out(heads: &[&str], groups: &[Vec<Row>]) -> String {
    let mut widths: Vec<usize> = heads.iter().map(|head| head.chars().count()).collect();
    for row in groups.iter().flatten() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let head_line = line(heads.iter().zip(&widths).map(|(head, width)| {
        let before = (width - head.chars().count()) / 2;
        format!("{:<width$}", format!("{}{head}", " ".repeat(before)))
    }));
    let mut blocks = Vec::new();
    for group in groups {
        let mut block = head_line.clone();
        for row in group {
            block.push_str(&line(row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"))));
        }
        blocks.push(block);
    }
    blocks.join("\n")
}

/// Cells parted by one space, without spaces at the end.
fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("{}\n", cells.join(" ").trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::cells::SEED_HEADS;

    const COLUMN_COUNT: usize = SEED_HEADS.len();

    /// Cuts a printed table into its cells by its own columns, lays them out again, and wants the same text.
    fn check(text: &str, widths: [usize; COLUMN_COUNT]) {
        let body = text.split_once("\n\n").map_or(text, |(_, body)| body);
        let mut groups: Vec<Vec<Row>> = Vec::new();
        for line in body.lines() {
            if line.starts_with("SID") {
                groups.push(Vec::new());
                continue;
            }
            let mut from = 0;
            let cells: Row = widths
                .iter()
                .map(|width| {
                    let cell: String = line.chars().skip(from).take(*width).collect();
                    from += width + 1;
                    cell.trim_end().to_owned()
                })
                .collect();
            if let (false, Some(group)) = (line.is_empty(), groups.last_mut()) {
                group.push(cells);
            }
        }
        assert_eq!(groups.len(), 8);
        assert_eq!(lay_out(&SEED_HEADS, &groups), body);
    }

    #[test]
    fn the_printed_tables_of_the_first_release_come_out_to_the_character() {
        let widths = [3, 11, 17, 8, 9, 2, 11, 8, 10, 6, 8, 8, 8, 11, 3, 3, 7, 6, 4, 4];
        check(include_str!("../tests/it/gold/table-fast.txt"), widths);
        let widths = [3, 11, 17, 8, 8, 2, 10, 8, 10, 8, 8, 8, 9, 11, 3, 3, 9, 8, 5, 4];
        check(include_str!("../tests/it/gold/table-slow.txt"), widths);
    }
}
