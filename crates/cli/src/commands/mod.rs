//! One file for each subcommand.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod http;
pub(crate) mod man;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod target;
pub(crate) mod tulip;
pub(crate) mod wrk;
