//! `cargo xtask k6-oracle`: the corpus of k6 scripts, run by Weir and by k6 itself, and what differs.
//!
//! The pinned k6 is built by Go from the module proxy into a cache outside of the repository; nothing of it is kept here. Where Go or the proxy can't be
//! had, the task says so and passes. `WEIR_K6=PATH` names a k6 that is there already. Compared are exit codes, names of metrics, the layout of the
//! summary with its numbers masked, and whether the numbers that a script's first lines demand hold of k6 too.

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

/// The k6 that is compared with: the last with all that later ones removed.
const K6: &str = "go.k6.io/k6@v1.8.1";
/// Metrics that come only when a run is seen at its full seconds.
const BY_CHANCE: [&str; 2] = ["vus", "vus_max"];

pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    let Some(k6) = k6()? else { return Ok(ExitCode::SUCCESS) };
    let weir = PathBuf::from("target/debug/weir");
    let built = Command::new("cargo").args(["build", "-q", "-p", "cli"]).status()?;
    anyhow::ensure!(built.success(), "weir does not build");
    let (mut target, url) = target(&weir)?;
    let compared = compare_all(&k6, &weir, &url, arguments);
    target.kill()?;
    target.wait()?;
    let (script_count, findings) = compared?;
    findings.iter().for_each(|finding| println!("{finding}"));
    println!("{script_count} scripts compared with {K6}: {} differ", findings.len());
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The pinned k6, built if it is not there; `None`, said, where it can't be had.
fn k6() -> Result<Option<PathBuf>> {
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
        println!("skipped: there is no Go to build k6 with");
        return Ok(None);
    };
    println!("building {K6}, which takes some minutes");
    let built = Command::new(go).args(["install", K6]).env("GOBIN", &folder).status()?;
    if !built.success() {
        println!("skipped: {K6} can't be had from the module proxy");
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

fn compare_all(k6: &Path, weir: &Path, url: &str, names: &[String]) -> Result<(usize, Vec<String>)> {
    let mut scripts: Vec<PathBuf> = std::fs::read_dir("crates/cli/tests/k6")?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    scripts.retain(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        path.extension().is_some_and(|end| end == "js")
            && (names.is_empty() || names.contains(&name.into_owned()))
    });
    scripts.sort();
    let mut findings = Vec::new();
    for script in &scripts {
        let text = std::fs::read_to_string(script)?;
        if said(&text, "k6").iter().any(|line| line.starts_with("none")) {
            continue;
        }
        let theirs =
            perform(&[k6.as_os_str(), "run".as_ref(), "--no-usage-report".as_ref()], script, &text, url)?;
        let ours = perform(&[weir.as_os_str(), "k6".as_ref(), "run".as_ref()], script, &text, url)?;
        let name = script.file_stem().unwrap_or_default().to_string_lossy();
        findings.extend(differences(&ours, &theirs).into_iter().map(|what| format!("{name}: {what}")));
    }
    Ok((scripts.len(), findings))
}

/// What a script's first lines say under a key.
fn said<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let start = format!("// {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(start.as_str())).collect()
}

/// What a run left.
struct Left {
    code: Option<i32>,
    layout: Vec<String>,
    metrics: Value,
}

fn perform(program: &[&std::ffi::OsStr], script: &Path, text: &str, url: &str) -> Result<Left> {
    let folder = std::env::temp_dir().join(format!("weir-k6-oracle-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for (name, content) in said(text, "writes").iter().filter_map(|file| file.split_once(' ')) {
        std::fs::write(folder.join(name), content)?;
    }
    let place = folder.to_string_lossy().into_owned();
    let export = folder.join("export.json");
    let (first, rest) = program.split_first().context("no program")?;
    let mut command = Command::new(first);
    command.args(rest).env("WEIR_STORE", "none").stdin(Stdio::null());
    let args = said(text, "args").join(" ").replace("$FOLDER", &place);
    command.args(args.split_whitespace());
    command.args(["-e", &format!("URL={url}"), "-e", &format!("FOLDER={place}"), "--summary-export"]);
    command.arg(&export).arg(script);
    for pair in said(text, "env").iter().flat_map(|pairs| pairs.split_whitespace()) {
        if let Some((key, value)) = pair.split_once('=') {
            command.env(key, value);
        }
    }
    let output = command.output()?;
    let metrics = std::fs::read(&export).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    std::fs::remove_dir_all(&folder)?;
    Ok(Left {
        code: output.status.code(),
        layout: layout(&String::from_utf8_lossy(&output.stdout)),
        metrics: metrics.map(|export| export["metrics"].clone()).unwrap_or_default(),
    })
}

/// The summary's lines with numbers masked: from its first title to the last progress.
fn layout(stdout: &str) -> Vec<String> {
    let lines = stdout.lines().skip_while(|line| !line.contains('█'));
    let summary = lines.take_while(|line| !line.starts_with("running ("));
    let is_by_chance =
        |line: &&str| BY_CHANCE.iter().any(|name| line.trim_start().starts_with(&format!("{name}.")));
    summary.filter(|line| !is_by_chance(line)).map(masked).collect()
}

/// Numbers as `N`, dots and blanks of columns as one.
fn masked(line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let word = |word: &str| -> Option<String> {
        if ["B", "kB", "MB", "B/s", "kB/s", "MB/s"].contains(&word) {
            return None;
        }
        let (key, value) = word.split_once('=').map_or(("", word), |(key, value)| (key, value));
        let is_number = value.starts_with(|c: char| c.is_ascii_digit());
        let shown = match (key.is_empty(), is_number) {
            (true, true) => "N".to_owned(),
            (false, true) => format!("{key}=N"),
            _ => word.to_owned(),
        };
        Some(match shown.find("...") {
            Some(at) => shown.get(..at).unwrap_or_default().to_owned(),
            None => shown,
        })
    };
    let words: Vec<String> = line.split_whitespace().filter_map(word).collect();
    format!("{}{}", " ".repeat(indent), words.join(" "))
}

fn differences(ours: &Left, theirs: &Left) -> Vec<String> {
    let mut found = Vec::new();
    if ours.code != theirs.code {
        found.push(format!("exit code {:?}, k6's is {:?}", ours.code, theirs.code));
    }
    let names = |left: &Left| -> BTreeSet<String> {
        let names = left.metrics.as_object().into_iter().flatten().map(|(name, _)| name.clone());
        names.filter(|name| !BY_CHANCE.contains(&name.as_str())).collect()
    };
    let (own, other) = (names(ours), names(theirs));
    found.extend(own.difference(&other).map(|name| format!("only Weir has {name}")));
    found.extend(other.difference(&own).map(|name| format!("only k6 has {name}")));
    if ours.layout != theirs.layout {
        let pairs = ours.layout.iter().zip(&theirs.layout);
        let first = pairs.into_iter().find(|(own, other)| own != other);
        found.push(match first {
            Some((own, other)) => format!("the summary has `{own}` where k6's has `{other}`"),
            None => format!("the summary has {} lines, k6's {}", ours.layout.len(), theirs.layout.len()),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn numbers_are_masked_and_columns_closed_up() {
        let check = |line: &str, expected: &str| assert_eq!(masked(line), expected);
        check("    a_gauge..............: 3      min=1          max=5", "    a_gauge N min=N max=N");
        check("    data_sent............: 1.2 kB 30 B/s", "    data_sent N N");
        check("    checks_failed......: 25.00% 1 out of 4", "    checks_failed N N out of N");
    }
}
