//! `cargo xtask`: everything that builds, checks and measures Weir, in Rust, so that it needs no other tool.
//!
//! The checks of `layers`, `tidy` and `documents` are plain functions over the text of the tree. They run as tests of this crate,
//! so `cargo test --workspace` holds them, and as `cargo xtask tidy`, which takes a second.

mod bench;
mod ci;
mod documents;
mod k6_oracle;
mod layers;
mod source;
mod tidy;
mod tulip;
mod web;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask ci [STEP…]       everything that must pass before a push, or some steps of it
cargo xtask tidy             layers, style and documents alone
cargo xtask k6-oracle [NAME…]   the corpus of k6 scripts by Weir and by k6 itself, where Go can build it
cargo xtask bench [NAME…]    measure against wrk, k6, a bare epoll loop: cpu, wrk, tulip, pacing, truth, memory, k6
    --pairs N                how often the clients take turns (default 5)
    --seconds N              length of one turn (default 5)
    --cores CLIENT,SERVER    the cores to pin to (default 1,0)
    --weir PATH              measure this program, and build none
    --strict                 exit with 1 when a bar is missed";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let (task, rest) =
        arguments.split_first().map_or(("help", &[][..]), |(task, rest)| (task.as_str(), rest));
    match task {
        "ci" => ci::run(rest),
        "tidy" => tidy(rest),
        "k6-oracle" => k6_oracle::run(rest),
        "bench" => bench::run(rest),
        bench::MEASURE => bench::measure(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        unknown => bail!("there is no task `{unknown}`\n{USAGE}"),
    }
}

fn tidy(arguments: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = arguments.first() {
        bail!("`tidy` takes no arguments, but `{unknown}` was given");
    }
    let tree = source::Tree::read()?;
    let mut findings = tidy::findings(&tree);
    findings.extend(layers::findings(&tree)?);
    findings.extend(documents::findings(&tree));
    findings.iter().for_each(|finding| eprintln!("{finding}"));
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
