//! `cargo xtask bench`: Weir against its bars, each number taken from outside of it where that can be done.
//!
//! The server (`weir target`) is pinned to one core and each client in turn to the other. Requests are counted by the server, CPU
//! time and memory by the kernel, arrivals by the server's clock. Clients take turns, several rounds, and medians are compared, because
//! on a shared machine speed drifts by more than the differences sought.

mod child;
mod cpu;
mod k6;
mod machine;
mod memory;
mod pacing;
mod report;
mod truth;
mod tulip;
mod wrk;

use crate::ci::target_folder;
use crate::source::{cargo, root};
use anyhow::{Context as _, Result, bail};
pub(crate) use child::{MEASURE, measure};
use machine::{Machine, Watch};
use report::{Report, Section};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Where the result is written, from the root.
const RESULT: &str = "bench/results/latest.md";

/// A benchmark by its name on the command line.
type Bench = (&'static str, fn(&Setup) -> Result<Section>);

const BENCHES: [Bench; 7] = [
    ("cpu", cpu::run),
    ("wrk", wrk::run),
    ("tulip", tulip::run),
    ("pacing", pacing::run),
    ("truth", truth::run),
    ("memory", memory::run),
    ("k6", k6::run),
];

/// What all benchmarks share.
pub(crate) struct Setup {
    root: PathBuf,
    target: PathBuf,
    weir: PathBuf,
    /// How often each measurement is repeated.
    round_count: usize,
    /// Length of one turn of the CPU benchmark.
    turn_secs: u64,
    client_core: usize,
    server_core: usize,
    names: Vec<String>,
    is_strict: bool,
    /// A Weir that is there already, in place of one that is built.
    built: Option<PathBuf>,
    /// `release`, or `quick` while a change is being made.
    profile: &'static str,
}

pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let mut setup = parse(arguments)?;
    setup.target = target_folder()?;
    setup.weir = match &setup.built {
        Some(path) => path.clone(),
        None => setup.target.join(setup.profile).join("weir"),
    };
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get());
    if cores < 2 {
        bail!("there is one core only; client and server need one each");
    }
    if setup.built.is_none() {
        build(&setup)?;
    }
    fs::create_dir_all(setup.scratch()).context("can't make the folder for intermediate files")?;
    let mut report = Report { machine: Machine::read(&setup.root), sections: Vec::new() };
    print!("{}", report.machine.text());
    for (name, bench) in BENCHES {
        if !setup.names.is_empty() && !setup.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        println!("\n{name}: running");
        let watch = Watch::start();
        let mut section = bench(&setup).with_context(|| format!("benchmark {name}"))?;
        section.notes.extend(watch.notes());
        print!("{}", section.text());
        report.sections.push(section);
    }
    let result = setup.root.join(RESULT);
    fs::create_dir_all(result.parent().context("the result has a folder")?)?;
    fs::write(&result, report.markdown())?;
    println!("\nwritten to {RESULT}");
    let is_short = report.sections.iter().any(Section::is_short);
    Ok(if setup.is_strict && is_short { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn parse(arguments: &[String]) -> Result<Setup> {
    let mut setup = Setup {
        root: root(),
        target: PathBuf::new(),
        weir: PathBuf::new(),
        round_count: 5,
        turn_secs: 5,
        client_core: 1,
        server_core: 0,
        names: Vec::new(),
        is_strict: false,
        built: None,
        profile: "release",
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--pairs" => setup.round_count = value()?.parse().context("--pairs: a number from 1")?,
            "--seconds" => setup.turn_secs = value()?.parse().context("--seconds: a number from 1")?,
            "--cores" => {
                let (client, server) = value()?.split_once(',').context("--cores: write for example 1,0")?;
                (setup.client_core, setup.server_core) = (client.parse()?, server.parse()?);
            }
            "--weir" => setup.built = Some(value()?.into()),
            "--strict" => setup.is_strict = true,
            "--quick" => setup.profile = "quick",
            name if BENCHES.iter().any(|(known, _)| *known == name) => setup.names.push(name.to_owned()),
            unknown => {
                bail!(
                    "`{unknown}` is no benchmark and no option; there are cpu, wrk, tulip, pacing, truth, memory and k6"
                )
            }
        }
    }
    if setup.round_count == 0 || setup.turn_secs == 0 {
        bail!("--pairs and --seconds are at least 1");
    }
    Ok(setup)
}

fn build(setup: &Setup) -> Result<()> {
    let mut command = cargo();
    let status = command
        .args(["build", "--locked", "--profile", setup.profile, "-p", "cli"])
        .current_dir(&setup.root)
        .status()?;
    if status.success() { Ok(()) } else { bail!("the release build failed") }
}

impl Setup {
    /// For intermediate files.
    fn scratch(&self) -> PathBuf {
        self.target.join("bench")
    }

    /// Rounds of what takes long and varies little.
    fn few_rounds(&self) -> usize {
        self.round_count.min(3)
    }
}

/// Median of some numbers; 0 of none.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.get(middle) {
        None => 0.0,
        Some(upper) if sorted.len() % 2 == 1 => *upper,
        Some(upper) => (upper + sorted.get(middle - 1).unwrap_or(upper)) / 2.0,
    }
}

/// `median (least–greatest)` in some form.
fn spread(values: &[f64], form: impl Fn(f64) -> String) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match values.len() {
        0 => "nothing".to_owned(),
        1 => form(least),
        _ => format!("{} ({}–{})", form(median(values)), form(least), form(greatest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_spreads() {
        assert_eq!((median(&[]), median(&[3.0, 1.0, 2.0]), median(&[1.0, 2.0])), (0.0, 2.0, 1.5));
        assert_eq!(spread(&[3.0, 1.0, 2.0], |v| v.to_string()), "2 (1–3)");
        assert_eq!(spread(&[3.0], |v| v.to_string()), "3");
    }

    #[test]
    fn options_are_read() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let setup = parse(&words("cpu --pairs 2 memory --cores 3,2 --strict")).unwrap();
        assert_eq!(
            (setup.names.len(), setup.round_count, setup.client_core, setup.server_core),
            (2, 2, 3, 2)
        );
        assert!(setup.is_strict);
        for wrong in ["speed", "--pairs", "--pairs 0", "--cores 1"] {
            assert!(parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
