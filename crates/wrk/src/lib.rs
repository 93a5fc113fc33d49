//! The command lines, Lua scripts and printed pages of wrk and wrk2.

mod options;

pub use options::{Mode, Options, Output, Url};
