//! `weir k6`: its words are read by the crate that speaks them, in pflag's manner.

use clap::Args;
use std::ffi::OsString;

/// Run a k6 script as k6 does: `weir k6 run script.js`, `weir k6 inspect script.js`
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct K6Args {
    /// As k6 takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND, FLAGS AND SCRIPT")]
    pub(crate) words: Vec<OsString>,
}
