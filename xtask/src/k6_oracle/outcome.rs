//! One run of a script by one of the two programs, and all of it that can be compared.

use super::mask::Printed;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a run left.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) code: Option<i32>,
    pub(super) printed: Printed,
    /// What the script said with `console`, sorted: users speak in any order.
    pub(super) console: Vec<String>,
    /// Levels and fields of other lines of the log, sorted: their words are each program's own.
    pub(super) log: Vec<String>,
    /// Both streams as they are.
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// `--summary-export`; null where there is none.
    pub(super) export: Value,
    /// Declarations of metrics in `--out json`, by name.
    pub(super) declared: BTreeMap<String, Value>,
    /// Samples in `--out json` by metric and tags: how many, and their sum.
    pub(super) samples: BTreeMap<(String, String), (u64, f64)>,
}

/// What a script's first lines say under a key.
pub(super) fn said<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let start = format!("// {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(start.as_str())).collect()
}

/// A folder of a run's own. Its path is as long for both programs.
fn folder() -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("weir-k6-oracle-{}-{count:06}", std::process::id()))
}

/// Runs a script with `program`, its first words.
pub(super) fn perform(program: &[&OsStr], script: &Path, text: &str, url: &str) -> Result<Outcome> {
    let folder = folder();
    std::fs::create_dir_all(&folder)?;
    for (name, content) in said(text, "writes").iter().filter_map(|file| file.split_once(' ')) {
        std::fs::write(folder.join(name), content)?;
    }
    let place = folder.to_string_lossy().into_owned();
    let (export, samples) = (folder.join("oracle-export.json"), folder.join("oracle-samples.json"));
    let (first, rest) = program.split_first().context("no program")?;
    let mut command = Command::new(first);
    command.args(rest).env("WEIR_STORE", "none").env("TZ", "UTC");
    command
        .env("K6_NO_USAGE_REPORT", "true")
        .env("K6_AUTO_EXTENSION_RESOLUTION", "false")
        .stdin(Stdio::null());
    let args = said(text, "args").join(" ").replace("$FOLDER", &place);
    command.args(args.split_whitespace());
    command.args(["-e", &format!("URL={url}"), "-e", &format!("FOLDER={place}"), "--summary-export"]);
    command.arg(&export).args(["--out", &format!("json={}", samples.display())]).arg(script);
    for pair in said(text, "env").iter().flat_map(|pairs| pairs.split_whitespace()) {
        if let Some((key, value)) = pair.split_once('=') {
            command.env(key, value);
        }
    }
    let output = command.output().with_context(|| format!("can't run {}", first.to_string_lossy()))?;
    let mut outcome = Outcome { code: output.status.code(), ..Outcome::default() };
    let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&place, "FOLDER");
    let (stdout, stderr) = (text_of(&output.stdout), text_of(&output.stderr));
    outcome.printed = Printed::of(&stdout);
    outcome.hear(stdout.lines().chain(stderr.lines()));
    (outcome.stdout, outcome.stderr) = (stdout, stderr);
    if let Ok(bytes) = std::fs::read(&export) {
        outcome.export = serde_json::from_slice(&bytes).context("--summary-export")?;
    }
    let samples = std::fs::read_to_string(&samples).unwrap_or_default();
    for line in samples.lines() {
        outcome.sample(serde_json::from_str(line).with_context(|| format!("--out json: `{line}`"))?)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(outcome)
}

/// What a line of the log says beside its message.
fn fields(message: &str) -> String {
    let mut rest = message.strip_prefix('"').map_or("", end_of_quoted);
    let mut found = String::new();
    while let Some((key, value)) = rest.trim_start().split_once('=') {
        // A field's text is the program's own, where it has more than a word.
        let (word, after) = match value.strip_prefix('"') {
            Some(quoted) => ("…", end_of_quoted(quoted)),
            None => value.split_once(' ').unwrap_or((value, "")),
        };
        // What helps is said by one program here and by the other there.
        if key != "hint" {
            found.push_str(&format!(" {key}={word}"));
        }
        rest = after;
    }
    found
}

/// What follows a text in quotation marks, the first of them left out.
fn end_of_quoted(text: &str) -> &str {
    let mut is_escaped = false;
    let end = text.char_indices().find(|(_, c)| {
        let is_end = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    end.and_then(|(at, _)| text.get(at + 1..)).unwrap_or_default()
}

impl Outcome {
    /// Reads lines of the log among others.
    fn hear<'a>(&mut self, lines: impl Iterator<Item = &'a str>) {
        for line in lines.filter(|line| line.starts_with("time=\"")) {
            let level = line.split("level=").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or("?");
            let message = line.split_once(" msg=").map_or("", |(_, rest)| rest);
            match message.strip_suffix(" source=console") {
                Some(message) => self.console.push(format!("{level} {message}")),
                None => self.log.push(format!("{level}{}", fields(message))),
            }
        }
        self.console.sort();
        self.log.sort();
    }

    fn sample(&mut self, line: Value) -> Result<()> {
        let name = line["metric"].as_str().context("a line of --out json without a metric")?.to_owned();
        if line["type"] == "Metric" {
            self.declared.insert(name, line["data"].clone());
            return Ok(());
        }
        let sample = self.samples.entry((name, line["data"]["tags"].to_string())).or_default();
        sample.0 += 1;
        sample.1 += line["data"]["value"].as_f64().context("a sample without a value")?;
        Ok(())
    }
}
