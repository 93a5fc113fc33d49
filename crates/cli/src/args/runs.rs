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
