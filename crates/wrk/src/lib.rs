//! The command lines, Lua scripts and printed pages of wrk and wrk2.

mod args;
mod getopt;
mod options;
mod quantities;

pub use args::{Reading, Refusal, read};
pub use options::{Mode, Options, Output, Url};
