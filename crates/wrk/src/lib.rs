//! The command lines, Lua scripts and printed pages of wrk and wrk2.
//!
//! ```text
//! words (args, getopt, quantities) → Options → Plan (lower) → run → RunRecord + Facts → page
//! ```
//!
//! Layout, flags and scripts are theirs; numbers are Weir's. A page is made from the record alone.

mod args;
mod facts;
mod getopt;
mod options;
mod page;
mod quantities;
mod statistics;
mod units;

pub use args::{Reading, Refusal, read};
pub use facts::{Facts, KEY};
pub use options::{Mode, Options, Output, Url};
pub use page::{ErrorCounts, Figures, calibration, head, page, result};
pub use statistics::Statistics;
