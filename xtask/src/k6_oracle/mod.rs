//! `cargo xtask k6-oracle`: the corpus of k6 scripts, run by Weir and by k6 itself, and what differs.
//!
//! The pinned k6 is built by Go from the module proxy into a cache outside of the repository; nothing of it is kept here. Where Go or the proxy can't be
//! had, the task says so and passes. `WEIR_K6=PATH` names a k6 that is there already, `WEIR_BINARY=PATH` a Weir. Compared are what `outcome` reads of a
//! run and `differences` tells apart. A difference counts when it is there in each of three runs, so that chance is none; one that is on purpose
//! stands in `accepted`, with its reason, and its disappearance is told.

mod accepted;
mod differences;
mod mask;
mod outcome;

use crate::ci::Places;
use anyhow::{Context as _, Result};
use outcome::{Outcome, perform, said};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Mutex;

/// The k6 that is compared with: the newest that the module proxy has under a name of its own, and the last with all that later ones removed.
pub(crate) const K6: &str = "go.k6.io/k6@v1.8.1";
/// Scripts at a time. They mostly wait, but some of them for as long as a machine under load makes wrong.
const SCRIPTS_AT_ONCE: usize = 6;
/// So often a script is run until a difference counts.
const RUN_COUNT: usize = 3;

/// The programs to compare, and the server that they put load on.
struct Sides {
    k6: PathBuf,
    weir: PathBuf,
    url: String,
}

pub(crate) fn run(names: &[String]) -> Result<ExitCode> {
    let Some(k6) = k6()? else { return Ok(ExitCode::SUCCESS) };
    let weir = match std::env::var_os("WEIR_BINARY") {
        Some(path) => path.into(),
        None => {
            let built = crate::source::cargo().args(["build", "-q", "-p", "cli"]).status()?;
            anyhow::ensure!(built.success(), "weir does not build");
            crate::ci::target_folder()?.join("debug/weir")
        }
    };
    let wanted = |name: &str| names.is_empty() || names.iter().any(|asked| asked == name);
    compare(k6, weir, &wanted)
}

/// The comparison as a step of `cargo xtask ci`.
pub(crate) fn check(places: &Places) -> Result<()> {
    let Some(k6) = k6()? else { return Ok(()) };
    match compare(k6, places.weir(), &|name| accepted::OPEN.iter().all(|(open, _)| *open != name))? {
        ExitCode::SUCCESS => Ok(()),
        _ => anyhow::bail!("see the findings above"),
    }
}

fn compare(k6: PathBuf, weir: PathBuf, is_wanted: &dyn Fn(&str) -> bool) -> Result<ExitCode> {
    let (mut target, url) = target(&weir)?;
    let sides = Sides { k6, weir, url };
    let compared = compare_all(&sides, is_wanted);
    target.kill()?;
    target.wait()?;
    let (names, findings) = compared?;
    let accepted::Sorted { accepted_count, open, gone } = accepted::sort(findings, &names);
    open.iter().chain(&gone).for_each(|finding| println!("{finding}"));
    println!(
        "{} scripts compared with {K6}: {accepted_count} accepted differences, {} others, {} gone",
        names.len(),
        open.len(),
        gone.len()
    );
    Ok(if open.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The pinned k6, built if it is not there; `None`, said, where it can't be had.
pub(crate) fn k6() -> Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os("WEIR_K6") {
        return Ok(Some(path.into()));
    }
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
    let folder = cache.join("weir-k6-oracle").join(K6.replace(['/', '@'], "-"));
    let k6 = folder.join("k6");
    if k6.exists() {
        return Ok(Some(k6));
    }
    let go = ["go", "/usr/local/go/bin/go"].into_iter().find(|go| {
        let version = Command::new(go).arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    });
    let Some(go) = go else {
        println!("left out: there is no Go to build k6 with");
        return Ok(None);
    };
    println!("building {K6}, which takes some minutes");
    let built =
        Command::new(go).args(["install", K6]).env("GOBIN", &folder).stderr(Stdio::null()).status()?;
    if !built.success() {
        println!("left out: {K6} can't be had from the module proxy");
        return Ok(None);
    }
    Ok(Some(k6))
}

/// A server for the scripts, and where it is.
fn target(weir: &Path) -> Result<(Child, String)> {
    let mut child =
        Command::new(weir).args(["target", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut line)?;
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
    let address = address.with_context(|| format!("the target says `{line}`"))?;
    Ok((child, format!("http://{address}")))
}

/// The scripts that were compared, and what differs, as `script: what`.
fn compare_all(sides: &Sides, is_wanted: &dyn Fn(&str) -> bool) -> Result<(Vec<String>, Vec<String>)> {
    let mut scripts: Vec<PathBuf> = std::fs::read_dir(crate::source::root().join("crates/cli/tests/k6"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    let name_of = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    scripts.retain(|path| {
        path.extension().is_some_and(|end| end == "js" || end == "ts") && is_wanted(&name_of(path))
    });
    scripts.sort();
    let names = scripts.iter().map(|path| name_of(path)).collect();
    let left = Mutex::new(scripts.into_iter());
    let next = || left.lock().ok()?.next();
    let work = || -> Result<Vec<String>> {
        let mut findings = Vec::new();
        while let Some(script) = next() {
            findings.extend(compare_script(sides, &script)?);
        }
        Ok(findings)
    };
    let mut findings = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..SCRIPTS_AT_ONCE).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            findings.extend(worker.join().map_err(|_| anyhow::anyhow!("a comparison panicked"))??);
        }
        Ok::<(), anyhow::Error>(())
    })?;
    findings.sort();
    Ok((names, findings))
}

/// What differs in each of some runs of a script.
fn compare_script(sides: &Sides, script: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(script)?;
    if said(&text, "k6").iter().any(|line| line.starts_with("none")) {
        return Ok(Vec::new());
    }
    let name = script.file_stem().unwrap_or_default().to_string_lossy();
    let outcome = |program: &[&std::ffi::OsStr]| -> Result<Outcome> {
        perform(program, script, &text, &sides.url).with_context(|| format!("script {name}"))
    };
    let mut common: Option<BTreeSet<String>> = None;
    for _ in 0..RUN_COUNT {
        let theirs = outcome(&[sides.k6.as_os_str(), "run".as_ref(), "--address=".as_ref()])?;
        let ours = outcome(&[sides.weir.as_os_str(), "k6".as_ref(), "run".as_ref()])?;
        let found: BTreeSet<String> = differences::between(&ours, &theirs, &text).into_iter().collect();
        let kept = match common {
            None => found,
            Some(before) => before.intersection(&found).cloned().collect(),
        };
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        common = Some(kept);
    }
    Ok(common.into_iter().flatten().map(|what| format!("{name}: {what}")).collect())
}
