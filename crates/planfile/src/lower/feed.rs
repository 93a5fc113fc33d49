//! Feeds: tables from CSV, JSON, or the plan itself.

use super::{Context, entries};
use crate::csv;
use crate::model::{EndText, Feed as FeedText, FeedOrderText, Rows};
use crate::read::{At, Map};
use crate::text::{Place, quoted};
use plan::{AtEnd, Diagnostic, Feed, FeedOrder, Location};
use std::collections::BTreeSet;

/// Longest file of a feed. Its rows are held in memory, for the whole run.
const FEED_BYTES_MAX: u64 = 1 << 30;
/// Widest table.
const COLUMNS_MAX: usize = 1_000;
/// More faulty rows than this are counted, not shown.
const ROW_FAULTS_MAX: usize = 10;

/// A feed as variables see it.
#[derive(Debug)]
pub(crate) struct FeedName {
    pub(crate) name: String,
    /// `None`: not known, because the feed is faulty.
    pub(crate) columns: Option<Vec<String>>,
}

/// What was read of a table.
struct Contents {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Context<'_, '_> {
    pub(crate) fn feeds(&mut self, feeds: Option<&Map<FeedText>>) -> Vec<Feed> {
        entries(feeds).map(|(name, feed)| self.feed(name, feed)).collect()
    }

    fn feed(&mut self, name: &At<String>, text: &FeedText) -> Feed {
        let order = match text.order.as_ref().map(|order| order.value) {
            None | Some(FeedOrderText::Sequential) => FeedOrder::Sequential,
            Some(FeedOrderText::Random) => FeedOrder::Random,
            Some(FeedOrderText::Unique) => FeedOrder::Unique,
        };
        let contents = self.contents(name, text).filter(|contents| self.columns_are_sane(contents, text.at));
        let known = contents.as_ref().map(|contents| contents.columns.clone());
        self.feeds.push(FeedName { name: name.value.clone(), columns: known });
        let Contents { columns, rows } =
            contents.unwrap_or(Contents { columns: Vec::new(), rows: Vec::new() });
        if !super::variables::is_variable_name(&name.value) {
            let hint = "use letters, digits, `_` and `-`, beginning with a letter or `_`";
            self.error(name.at, format!("{} can't be a feed's name", quoted(&name.value)), hint);
        }
        let columns = columns
            .iter()
            .map(|column| self.numbered(&format!("{}.{column}", name.value), text.at))
            .collect();
        Feed { name: name.value.clone(), columns, rows, order, at_end: self.at_end(text, order) }
    }

    fn at_end(&mut self, text: &FeedText, order: FeedOrder) -> AtEnd {
        let Some(at_end) = &text.at_end else {
            return if order == FeedOrder::Unique { AtEnd::Stop } else { AtEnd::Restart };
        };
        match (at_end.value, order) {
            (EndText::Restart, FeedOrder::Unique) => {
                let hint = "use `stop` or `fail`, or the order `sequential`";
                self.error(at_end.at, "a feed whose rows are unique can't restart", hint);
                AtEnd::Stop
            }
            (EndText::Stop | EndText::Fail, FeedOrder::Random) => {
                let hint = "remove it, or use the order `unique`";
                self.warning(at_end.at, "a feed in random order has no end, so `at_end` has no effect", hint);
                AtEnd::Restart
            }
            (EndText::Restart, _) => AtEnd::Restart,
            (EndText::Stop, _) => AtEnd::Stop,
            (EndText::Fail, _) => AtEnd::Fail,
        }
    }

    /// `None` after saying what is wrong.
    fn contents(&mut self, name: &At<String>, text: &FeedText) -> Option<Contents> {
        let given: Option<Vec<String>> = text
            .columns
            .as_ref()
            .map(|columns| columns.0.iter().map(|column| column.value.trim().to_owned()).collect());
        let (contents, at) = match (&text.file, &text.rows) {
            (Some(file), _) => {
                let bytes = self.file(file, FEED_BYTES_MAX)?;
                let is_json = file.value.to_ascii_lowercase().ends_with(".json");
                let separator = text.separator.as_ref().map_or(b',', |separator| separator.value.0);
                match is_json {
                    true => (self.json_rows(file, &bytes, given)?, file.at),
                    false => (self.csv_rows(file, bytes, given, separator)?, file.at),
                }
            }
            (None, Some(rows)) => (self.inline_rows(&rows.0, given, text.at)?, text.at),
            (None, None) => return None,
        };
        if contents.rows.is_empty() {
            self.error(at, format!("the feed {} has no rows", quoted(&name.value)), "give it at least one");
            return None;
        }
        Some(contents)
    }

    fn columns_are_sane(&mut self, contents: &Contents, at: Place) -> bool {
        let mut seen = BTreeSet::new();
        let mut sane = true;
        for column in &contents.columns {
            let is_name =
                !column.is_empty() && !column.contains(['{', '}']) && !column.chars().any(char::is_control);
            if !is_name {
                self.error(
                    at,
                    format!("{} can't be a column's name", quoted(column)),
                    "name each column, without `{` and `}`",
                );
                sane = false;
            } else if !seen.insert(column) {
                self.error(
                    at,
                    format!("two columns are named {}", quoted(column)),
                    "name each column differently",
                );
                sane = false;
            }
        }
        if contents.columns.len() > COLUMNS_MAX {
            self.error(
                at,
                format!("a feed has at most {COLUMNS_MAX} columns"),
                "keep the columns that the plan uses",
            );
            sane = false;
        }
        sane
    }

    fn csv_rows(
        &mut self,
        file: &At<String>,
        bytes: Vec<u8>,
        given: Option<Vec<String>>,
        separator: u8,
    ) -> Option<Contents> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
                let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
                self.row_fault(file, line, "the file is not UTF-8".to_owned(), "save it as UTF-8");
                return None;
            }
        };
        let mut rows = csv::Rows::new(&text, separator);
        let columns = match given {
            Some(columns) => columns,
            None => match rows.next().map(|row| (row.line, row.values)) {
                Some((_, Ok(header))) => header.iter().map(|column| column.trim().to_owned()).collect(),
                Some((line, Err(_))) => {
                    let message = "the names of the columns can't be read".to_owned();
                    self.row_fault(file, line, message, "close its quotes");
                    return None;
                }
                None => Vec::new(),
            },
        };
        let mut contents = Contents { columns, rows: Vec::new() };
        let mut fault_count = 0;
        for row in rows {
            let message = match row.values {
                Ok(values) if values.len() == contents.columns.len() => {
                    contents.rows.push(values);
                    continue;
                }
                Ok(values) => {
                    let message = wrong_width(values.len(), contents.columns.len());
                    (message, "put a value that holds a separator into quotes")
                }
                Err(fault) => (fault.to_string(), "write a quote within quotes twice"),
            };
            fault_count += 1;
            if fault_count <= ROW_FAULTS_MAX {
                self.row_fault(file, row.line, message.0, message.1);
            }
        }
        if fault_count > ROW_FAULTS_MAX {
            let more = fault_count - ROW_FAULTS_MAX;
            self.error(
                file.at,
                format!("{more} more rows of {} are faulty", quoted(&file.value)),
                "mend those shown first",
            );
        }
        (fault_count == 0).then_some(contents)
    }

    /// A finding in the feed's own file.
    fn row_fault(&mut self, file: &At<String>, line: usize, message: String, hint: &str) {
        let resolved = self.files.resolve(&file.value).display().to_string();
        self.faults.push_located(Diagnostic::error(message).hint(hint).at(Location {
            file: resolved,
            line,
            column: 1,
        }));
    }

    fn json_rows(&mut self, file: &At<String>, bytes: &[u8], given: Option<Vec<String>>) -> Option<Contents> {
        let objects: Vec<serde_json::Map<String, serde_json::Value>> = match serde_json::from_slice(bytes) {
            Ok(objects) => objects,
            Err(error) => {
                let message = error.to_string();
                let what = message.rsplit_once(" at line").map_or(message.as_str(), |(what, _)| what);
                let message = format!("not an array of objects: {what}");
                self.row_fault(
                    file,
                    error.line().max(1),
                    message,
                    "write `[{\"email\": \"a@b.example\"}, …]`",
                );
                return None;
            }
        };
        let columns = given.unwrap_or_else(|| {
            let mut names = BTreeSet::new();
            for name in objects.iter().flat_map(serde_json::Map::keys) {
                if !names.contains(name) {
                    names.insert(name.clone());
                }
            }
            names.into_iter().collect()
        });
        let mut rows = Vec::with_capacity(objects.len());
        let mut fault_count = 0;
        for (index, object) in objects.iter().enumerate() {
            let mut row = Vec::with_capacity(columns.len());
            for column in &columns {
                match object.get(column) {
                    Some(serde_json::Value::String(text)) => row.push(text.clone()),
                    Some(value) => row.push(value.to_string()),
                    None => {
                        fault_count += 1;
                        if fault_count <= ROW_FAULTS_MAX {
                            let message = format!(
                                "object {} of {} has no {}",
                                index + 1,
                                quoted(&file.value),
                                quoted(column)
                            );
                            self.error(
                                file.at,
                                message,
                                "give every object the same keys, or name `columns` that all have",
                            );
                        }
                    }
                }
            }
            rows.push(row);
        }
        (fault_count == 0).then_some(Contents { columns, rows })
    }

    fn inline_rows(&mut self, rows: &[Rows], given: Option<Vec<String>>, at: Place) -> Option<Contents> {
        let columns = match (given, rows.first()) {
            (Some(columns), _) => columns,
            (None, Some(Rows::Named(first))) => {
                first.iter().map(|(name, _)| name.value.trim().to_owned()).collect()
            }
            (None, Some(Rows::Listed(..))) => {
                self.error(
                    at,
                    "rows that are lists need the names of their columns",
                    "add `columns: [name, …]`",
                );
                return None;
            }
            (None, None) => Vec::new(),
        };
        let mut contents = Contents { columns, rows: Vec::new() };
        let mut is_whole = true;
        for row in rows {
            let values = match row {
                Rows::Listed(node, values) if values.0.len() != contents.columns.len() => {
                    let message = wrong_width(values.0.len(), contents.columns.len());
                    self.error(node.at, message, "give each row a value for each column");
                    None
                }
                Rows::Listed(_, values) => Some(values.0.iter().map(|value| value.value.clone()).collect()),
                Rows::Named(values) => self.named_row(values, &contents.columns, at),
            };
            is_whole &= values.is_some();
            contents.rows.extend(values);
        }
        is_whole.then_some(contents)
    }

    fn named_row(&mut self, row: &Map<At<String>>, columns: &[String], at: Place) -> Option<Vec<String>> {
        let mut is_whole = true;
        for (name, _) in
            row.iter().filter(|(name, _)| !columns.iter().any(|column| column == name.value.trim()))
        {
            let hint = format!("columns, by the first row: {}", columns.join(", "));
            self.error(name.at, format!("the feed has no column {}", quoted(&name.value)), hint);
            is_whole = false;
        }
        let row_at = row.0.first().map_or(at, |(name, _)| name.at);
        let mut values = Vec::with_capacity(columns.len());
        for column in columns {
            match row.iter().find(|(name, _)| name.value.trim() == column) {
                Some((_, value)) => values.push(value.value.clone()),
                None => {
                    self.error(
                        row_at,
                        format!("the row has no {}", quoted(column)),
                        "give each row a value for each column",
                    );
                    is_whole = false;
                }
            }
        }
        is_whole.then_some(values)
    }
}

/// `the row has 1 value and the feed 2 columns`.
fn wrong_width(value_count: usize, column_count: usize) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!("the row has {} and the feed {}", counted(value_count, "value"), counted(column_count, "column"))
}
