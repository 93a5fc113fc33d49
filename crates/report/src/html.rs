//! Runs as one HTML file that opens anywhere without a network: the page that `web/` builds, with the records in it as JSON.
//!
//! The page draws everything itself from the records, which stand in the element
//! `<script type="application/json" id="weir-runs">` as a JSON array, so that the file can be read back. Nothing else of a record becomes markup.

use crate::Format;
use record::RunRecord;
use serde::Serialize;
use std::io::{self, Write};

/// The built page. `cargo xtask ci web` builds it anew and fails when it is another.
const PAGE: &str = include_str!("../assets/report.html");

/// What stands before and after the records in a report.
const OPENING: &str = r#"<script type="application/json" id="weir-runs">"#;
const CLOSING: &str = "</script>";

/// A page that shows a run, or several laid over each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Html;

impl Html {
    /// Writes the page with all runs, in the order in which it letters them. Errors are only those of `out`.
    pub fn write_all(&self, records: &[RunRecord], out: &mut dyn io::Write) -> io::Result<()> {
        write_page(records, out)
    }

    /// Writes the page with a search in place of runs. Errors are only those of `out`.
    pub fn write_search(&self, search: &search::Page, out: &mut dyn io::Write) -> io::Result<()> {
        write_page(std::slice::from_ref(search), out)
    }
}

/// The page with an array of what it shows.
fn write_page(shown: &[impl Serialize], out: &mut dyn io::Write) -> io::Result<()> {
    let (before, after) = parts();
    out.write_all(before.as_bytes())?;
    let mut escaped = NoMarkup { out: io::BufWriter::new(&mut *out) };
    serde_json::to_writer(&mut escaped, shown)?;
    escaped.flush()?;
    drop(escaped);
    out.write_all(after.as_bytes())
}

/// The same page for a server, which hands the runs out itself: it carries `null` in their place, and its policy lets it ask its own
/// origin and nobody else.
pub fn served_page() -> String {
    let (before, after) = parts();
    format!("{before}null{after}").replacen("connect-src 'none'", "connect-src 'self'", 1)
}

impl Format for Html {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        self.write_all(std::slice::from_ref(record), out)
    }
}

/// The page up to its records, and from their end on. The built page has an empty array there.
fn parts() -> (&'static str, &'static str) {
    let (before, rest) = PAGE.split_once(OPENING).unwrap_or((PAGE, ""));
    let after = rest.split_once(CLOSING).map_or("", |(_, after)| after);
    let before = PAGE.get(..before.len() + OPENING.len()).unwrap_or(before);
    let after = PAGE.get(PAGE.len().saturating_sub(after.len() + CLOSING.len())..).unwrap_or(after);
    (before, after)
}

/// Writes `<` as JSON's escape for it. In JSON it stands in strings alone, so the value stays the same, and no text in it can end the
/// element or begin a comment (HTML, §13.1.2.1 restrictions on the contents of raw text elements).
struct NoMarkup<W> {
    out: W,
}

impl<W: io::Write> io::Write for NoMarkup<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for (index, part) in bytes.split(|byte| *byte == b'<').enumerate() {
            if index > 0 {
                self.out.write_all(b"\\u003c")?;
            }
            self.out.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_its_place_for_records_and_is_small() {
        assert_eq!(PAGE.matches(OPENING).count(), 1);
        let (before, after) = parts();
        assert_eq!(format!("{before}[]{after}"), PAGE);
        assert!(PAGE.len() < 400_000, "{} bytes", PAGE.len());
    }

    #[test]
    fn a_served_page_may_ask_its_own_origin_and_carries_nothing() {
        let page = served_page();
        assert!(page.contains("connect-src 'self'") && !page.contains("connect-src 'none'"));
        assert!(page.contains(&format!("{OPENING}null{CLOSING}")));
    }

    #[test]
    fn text_in_a_record_never_becomes_markup() {
        let mut out = Vec::new();
        let hostile = ["</script><script>alert(1)</script>", "<!--", "a<", "<"];
        serde_json::to_writer(NoMarkup { out: &mut out }, &hostile).unwrap();
        assert!(!out.contains(&b'<'));
        assert_eq!(serde_json::from_slice::<Vec<String>>(&out).unwrap(), hostile);
    }
}
