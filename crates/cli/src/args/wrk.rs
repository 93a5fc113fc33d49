//! `weir wrk` and `weir wrk2`: their words are read by the crate that speaks them, in getopt's manner.

use ::wrk::{Mode, usage};
use clap::Args;
use std::ffi::OsString;

/// Put load on a URL as wrk does: its flags, its scripts, its page
#[derive(Debug, Args)]
#[command(disable_help_flag = true, after_help = usage(Mode::Wrk))]
pub(crate) struct WrkArgs {
    /// As wrk takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS AND URL")]
    pub(crate) words: Vec<OsString>,
}

/// Put load on a URL as wrk2 does, at a rate
#[derive(Debug, Args)]
#[command(disable_help_flag = true, after_help = usage(Mode::Wrk2))]
pub(crate) struct Wrk2Args {
    /// As wrk2 takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS AND URL")]
    pub(crate) words: Vec<OsString>,
}
