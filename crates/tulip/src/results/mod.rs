//! Tulip's results: the tables, pages and files that its users know, made from a record, and its files read back into one.
//!
//! ```text
//! RunRecord → Groups, iterations and figures (figures) → cells of either column set (cells) → text, page
//!                                                      ↘ rows of either result file (json)
//! result file → rows (read) → RunRecord
//! ```

pub(crate) mod cells;
mod config;
pub(crate) mod figures;
pub(crate) mod json;
pub(crate) mod legend;
mod page;
mod read;

pub(crate) use config::facts_of;
pub use json::{Form, output_json};
pub use page::{html, is_report};
pub use read::{OUTPUT_BYTES_MAX, is_output, read_output};
