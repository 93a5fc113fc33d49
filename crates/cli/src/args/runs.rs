//! The commands around kept runs, and the flags that say where runs are kept.

use clap::Args;
use std::path::PathBuf;

/// Where kept runs are.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StoreArgs {
    /// The store of runs [default: $WEIR_STORE, or .weir/runs.db here]
    #[arg(long, value_name = "FILE", help_heading = "Store")]
    pub(crate) store: Option<PathBuf>,
}

/// Whether and where a run is kept, and what is written on it.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct KeepArgs {
    /// Write on the run, to find it by; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE", help_heading = "Store", value_parser = label)]
    pub(crate) labels: Vec<(String, String)>,
    /// Keep the run in this store [default: $WEIR_STORE, or .weir/runs.db beside the plan]
    #[arg(long, value_name = "FILE", help_heading = "Store")]
    pub(crate) store: Option<PathBuf>,
    /// Don't keep the run
    #[arg(long, conflicts_with = "store", help_heading = "Store")]
    pub(crate) no_store: bool,
}

/// Longest key or value of a label: it is to be read in a table.
const LABEL_CHARS_MAX: usize = 200;

/// `KEY=VALUE`; a key has no blanks, so that labels can stand beside each other.
pub(crate) fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as branch=main")?;
    if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err("the key, before the =, must be a word: write KEY=VALUE, such as branch=main".to_owned());
    }
    if value.contains(char::is_control) {
        return Err("the value has control characters".to_owned());
    }
    if text.chars().count() > LABEL_CHARS_MAX {
        return Err(format!("it is longer than {LABEL_CHARS_MAX} characters"));
    }
    Ok((key.to_owned(), value.to_owned()))
}
