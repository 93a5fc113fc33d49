//! The records that an HTML report carries, for its own script and for reading back.
//!
//! They stand in `<script type="application/json" id="weir-runs">` as a JSON array, every `<` in it written as `\u003c`, so that the first
//! `</script` is the element's end whatever a run is called.

use super::{ReadError, none};

/// What the element's first tag must say of itself.
const MARK: &[u8] = b"id=\"weir-runs\"";

/// The JSON array within a page.
pub(super) fn runs_of<'a>(page: &'a [u8], name: &str) -> Result<&'a [u8], ReadError> {
    let lacking = || none(name, "a page without runs of weir");
    let mark = position(page, MARK).ok_or_else(lacking)?;
    let behind = page.get(mark..).unwrap_or_default();
    let start = position(behind, b">").ok_or_else(lacking)? + 1;
    let content = behind.get(start..).unwrap_or_default();
    let end = position(content, b"</script").ok_or_else(|| none(name, "a page that is cut short"))?;
    Ok(content.get(..end).unwrap_or_default().trim_ascii())
}

/// Where `needle` begins first.
fn position(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}
