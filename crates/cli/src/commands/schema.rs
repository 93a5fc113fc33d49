//! `weir schema`: the JSON Schema of plans.

use crate::exit::{self, Exit, Failure};
use std::io::Write as _;

pub(crate) fn run() -> Result<Exit, Failure> {
    // The alternate form is the indented one.
    exit::of_stdout(writeln!(std::io::stdout(), "{:#}", planfile::schema()))
}
