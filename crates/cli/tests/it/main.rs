//! The built binary as its users meet it: what it prints, where, and how it ends.

mod ab;
mod command;
mod compare;
mod help;
mod k6;
mod k6_http;
mod k6_modules;
mod k6_sources;
mod k6_transport;
mod kept;
mod plans;
mod reports;
mod runs;
mod search;
mod search_results;
mod server;
mod serving;
mod tulip;
mod tulip_commands;
mod usage;
mod wrk;
mod wrk_scripts;
