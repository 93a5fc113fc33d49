//! `cargo xtask ci`: everything that must pass, step by step, cheapest first. The first failure stops and says what to do.
//!
//! The tests come last, so that their own result lines close the output.

use crate::source::root;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// One thing that must pass.
struct Step {
    name: &'static str,
    /// What to do when it does not.
    mend: &'static str,
    work: fn(&Places) -> Result<()>,
}

/// Where things are.
pub(crate) struct Places {
    pub(crate) root: PathBuf,
    /// Cargo's, wherever it was configured to be.
    pub(crate) target: PathBuf,
}

const STEPS: [Step; 13] = [
    Step { name: "fmt", mend: "run `cargo fmt --all`", work: fmt },
    Step { name: "tidy", mend: "each finding has its hint", work: tidy },
    Step {
        name: "clippy",
        mend: "mend what clippy says; switch a lint off only with a reason",
        work: clippy,
    },
    Step { name: "doc", mend: "mend the doc comments named above", work: doc },
    Step { name: "release", mend: "mend the build", work: release },
    Step { name: "examples", mend: "mend the plan, or the reader that refuses it", work: examples },
    Step { name: "demo", mend: "run `cargo run --release -- demo` and look", work: demo },
    Step {
        name: "tulip",
        mend: "run crates/tulip/tests/corpus/A-2024-08-seed-default.json and look",
        work: crate::tulip::check,
    },
    Step {
        name: "k6-oracle",
        mend: "`cargo xtask k6-oracle SCRIPT`; a difference that is on purpose goes to xtask/src/k6_oracle/accepted.rs and docs/k6.md",
        work: crate::k6_oracle::check,
    },
    Step { name: "fuzz", mend: "the fuzz targets no longer compile: see fuzz/Cargo.toml", work: fuzz },
    Step { name: "bench", mend: "a yardstick no longer compiles: see bench/", work: bench },
    Step {
        name: "web",
        mend: "run `npm ci && npm run build` in web/, and commit crates/report/assets/report.html",
        work: crate::web::check,
    },
    Step { name: "test", mend: "run the named test alone: cargo test -p CRATE TEST", work: test },
];

pub(crate) fn run(names: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == *name)) {
        let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step `{unknown}`; the steps are {}", known.join(", "));
    }
    let places = Places { root: root(), target: target_folder()? };
    let mut times: Vec<(&str, Duration)> = Vec::new();
    for step in STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)) {
        say(&format!("== {}", step.name));
        let started = Instant::now();
        let outcome = (step.work)(&places);
        times.push((step.name, started.elapsed()));
        if let Err(error) = outcome {
            eprintln!(
                "\nerror: step `{}` failed: {error:#}\nhint: {}\nhint: then `cargo xtask ci {0}`",
                step.name, step.mend
            );
            return Ok(ExitCode::FAILURE);
        }
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    let times: Vec<String> =
        times.iter().map(|(name, time)| format!("{name} {:.1}s", time.as_secs_f64())).collect();
    say(&format!("== all passed in {:.0}s: {}", total.as_secs_f64(), times.join(", ")));
    Ok(ExitCode::SUCCESS)
}

/// Through to the reader before any child writes: both share stdout.
fn say(line: &str) {
    println!("{line}");
    // Nobody is left to tell when stdout is gone.
    let _ = std::io::stdout().flush();
}

fn fmt(places: &Places) -> Result<()> {
    cargo(places, &["fmt", "--all", "--check"])
}

fn tidy(_: &Places) -> Result<()> {
    match crate::tidy(&[])? {
        ExitCode::SUCCESS => Ok(()),
        _ => bail!("see the findings above"),
    }
}

fn clippy(places: &Places) -> Result<()> {
    cargo(places, &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn doc(places: &Places) -> Result<()> {
    let mut command = command(places, &["doc", "--locked", "--workspace", "--no-deps"]);
    finish(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn release(places: &Places) -> Result<()> {
    cargo(places, &["build", "--locked", "--release", "-p", "cli"])
}

fn examples(places: &Places) -> Result<()> {
    let mut plans: Vec<PathBuf> = fs::read_dir(places.root.join("examples"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "json"))
        .filter_map(|path| path.strip_prefix(&places.root).ok().map(PathBuf::from))
        .collect();
    plans.sort();
    if plans.is_empty() {
        bail!("there is no plan in examples/");
    }
    plans.extend(readme_plans(places)?);
    finish(Command::new(places.weir()).arg("check").args(plans).current_dir(&places.root))
}

/// The plans that the README shows, each in a file of its own.
fn readme_plans(places: &Places) -> Result<Vec<PathBuf>> {
    let text = fs::read_to_string(places.root.join("README.md")).context("can't read README.md")?;
    let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut paths = Vec::new();
    for (index, block) in blocks.enumerate() {
        let path = places.target.join(format!("ci-readme-{index}.yaml"));
        fs::write(&path, block)?;
        paths.push(path);
    }
    Ok(paths)
}

/// The demo in a twentieth of its time: every part works together, and what was counted adds up.
fn demo(places: &Places) -> Result<()> {
    let out = places.target.join("ci-demo");
    let mut command = Command::new(places.weir());
    let status = command.args(["demo", "--quiet", "--time-scale", "0.05", "--out"]).arg(&out).status()?;
    // 1: an objective was missed. On a busy machine that is no fault of the build.
    if !matches!(status.code(), Some(0 | 1)) {
        bail!("`weir demo` ended with {status}");
    }
    let record = out.join("demo.json");
    let record = fs::read(&record).with_context(|| format!("can't read {}", record.display()))?;
    let record: serde_json::Value = serde_json::from_slice(&record)?;
    let phases = record["phases"].as_array().context("the record has no phases")?;
    for phase in phases {
        let count = |name: &str| phase["counts"][name].as_u64().with_context(|| format!("no count `{name}`"));
        let ended = count("completed")? + count("failed")? + count("unfinished")?;
        let due = count("started")? + count("dropped")? + count("unstarted")?;
        if count("completed")? == 0
            || count("failed")? > 0
            || ended != count("started")?
            || due != count("due")?
        {
            bail!("the counts of phase {} don't add up: {}", phase["name"], phase["counts"]);
        }
    }
    if phases.is_empty() { bail!("the record has no phases") } else { Ok(()) }
}

fn fuzz(places: &Places) -> Result<()> {
    // The fuzzer's C++ runtime is for linking, which a check does not do: with a place named it is not built.
    let runtime = places.target.join("no-libfuzzer.a");
    finish(check_apart(places, "fuzz")?.env("CUSTOM_LIBFUZZER_PATH", runtime))
}

fn bench(places: &Places) -> Result<()> {
    finish(&mut check_apart(places, "bench/floor")?)?;
    finish(&mut check_apart(places, "bench/hour")?)
}

fn test(places: &Places) -> Result<()> {
    cargo(places, &["test", "--locked", "--workspace"])
}

impl Places {
    pub(crate) fn weir(&self) -> PathBuf {
        self.target.join("release/weir")
    }
}

/// `cargo check` of a package that is a workspace of its own. Its lock file follows the crates that it uses, so it is not held to it;
/// where it has none, it begins with the versions that ship.
fn check_apart(places: &Places, folder: &str) -> Result<Command> {
    let manifest = format!("{folder}/Cargo.toml");
    let lock = places.root.join(folder).join("Cargo.lock");
    if !lock.exists() {
        fs::copy(places.root.join("Cargo.lock"), &lock).context("can't copy Cargo.lock")?;
    }
    let mut command = command(places, &["check", "--manifest-path", &manifest, "--target-dir"]);
    command.arg(places.target.join("apart"));
    Ok(command)
}

pub(crate) fn cargo(places: &Places, arguments: &[&str]) -> Result<()> {
    finish(&mut command(places, arguments))
}

fn command(places: &Places, arguments: &[&str]) -> Command {
    let mut command = crate::source::cargo();
    command.args(arguments).current_dir(&places.root);
    command
}

pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words: Vec<_> =
        std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    let shown = format!("`{}`", words.join(" "));
    let status = command.status().with_context(|| format!("can't run {shown}"))?;
    if status.success() { Ok(()) } else { bail!("{shown} ended with {status}") }
}

/// Where cargo builds.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = crate::source::cargo()
        .args(arguments)
        .current_dir(root())
        .output()
        .context("can't run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    metadata["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .context("cargo metadata names no target directory")
}
