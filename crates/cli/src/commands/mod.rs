//! One file for each subcommand.

pub(crate) mod ab;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod http;
pub(crate) mod import;
pub(crate) mod k6;
pub(crate) mod man;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod target;
pub(crate) mod tulip;
pub(crate) mod tulip_console;
pub(crate) mod tulip_init;
pub(crate) mod tulip_kwrk;
pub(crate) mod tulip_migrate;
pub(crate) mod wrk;
