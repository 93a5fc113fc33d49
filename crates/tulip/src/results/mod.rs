//! Tulip's results: the tables, pages and files that its users know, made from a record, and its files read back into one.
//!
//! ```text
//! RunRecord → Groups, iterations and figures (figures) → cells of either column set (cells) → text, page
//!                                                      ↘ rows of either result file (json)
//! result file → rows (read) → RunRecord
//! ```

mod config;

pub(crate) use config::config_facts;
