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
mod lower;
pub mod lua;
mod options;
mod page;
mod quantities;
mod sampler;
mod scenario;
mod statistics;
mod units;
mod usage;

pub use args::{Reading, Refusal, read};
pub use facts::{Facts, KEY};
pub use lower::{WARM_UP, lower, request_text};
pub use options::{Mode, Options, Output, Url};
pub use page::{ErrorCounts, Figures, calibration, head, open_count, page, result};
pub use sampler::SampleBook;
pub use scenario::Connections;
pub use statistics::Statistics;
pub use usage::{usage, version_line};
