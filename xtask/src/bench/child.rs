//! Programs under measurement: pinned to a core, and their CPU time and memory as the kernel counted them.

use super::Setup;
use crate::source::cargo;
use anyhow::{Context as _, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Output, Stdio};

/// The task by which this program runs another one under measurement.
///
/// A process of its own for each: the kernel's peak of memory over children is one number for all of them, and the memory of whoever
/// starts a child counts in it. This one is small and has one child only.
pub(crate) const MEASURE: &str = "__measure";

/// `xtask __measure FILE PROGRAM…`: runs the program and writes what it used to the file.
pub(crate) fn measure(arguments: &[String]) -> Result<ExitCode> {
    let (file, program) = arguments.split_first().context("no file")?;
    let (program, arguments) = program.split_first().context("no program")?;
    let status =
        Command::new(program).args(arguments).status().with_context(|| format!("can't run {program}"))?;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let used = json!({
        "user_us": used.user_time().num_microseconds(),
        "system_us": used.system_time().num_microseconds(),
        "rss_max_bytes": used.max_rss() * 1024,
        "exit_code": status.code(),
    });
    fs::write(file, used.to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// A program that has ended.
pub(super) struct Ended {
    pub(super) user_us: f64,
    pub(super) system_us: f64,
    pub(super) rss_max_bytes: u64,
    pub(super) stdout: String,
}

/// Runs a program on the client's core to its end. One that fails is an error with what it said.
pub(super) fn run_measured(setup: &Setup, program: &Path, arguments: &[&str]) -> Result<Ended> {
    let core = setup.client_core.to_string();
    run_after(setup, &["taskset", "-c", &core], program, arguments)
}

/// The same on whichever cores there are, for a program of several threads.
pub(super) fn run_anywhere(setup: &Setup, program: &Path, arguments: &[&str]) -> Result<Ended> {
    run_after(setup, &[], program, arguments)
}

fn run_after(setup: &Setup, before: &[&str], program: &Path, arguments: &[&str]) -> Result<Ended> {
    let file = setup.scratch().join("usage.json");
    let output = Command::new(std::env::current_exe()?)
        .arg(MEASURE)
        .arg(&file)
        .args(before)
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()?;
    let said = |output: &Output| {
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    };
    if !output.status.success() {
        bail!("{} can't be measured: {}", program.display(), said(&output));
    }
    let used: Value = serde_json::from_slice(&fs::read(&file)?)?;
    if used["exit_code"] != 0 {
        bail!(
            "{} {} ended with {}: {}",
            program.display(),
            arguments.join(" "),
            used["exit_code"],
            said(&output)
        );
    }
    let number = |name: &str| used[name].as_f64().with_context(|| format!("no {name}"));
    Ok(Ended {
        user_us: number("user_us")?,
        system_us: number("system_us")?,
        rss_max_bytes: number("rss_max_bytes")? as u64,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
    })
}

/// Runs `weir http` on the client's core, and gives its record too.
pub(super) fn run_weir(setup: &Setup, arguments: &[&str]) -> Result<(Ended, Value)> {
    let file = setup.scratch().join("record.json");
    let mut all = vec!["http"];
    all.extend(arguments);
    let name = file.to_string_lossy();
    all.extend(["--threads", "1", "--quiet", "--json", &name]);
    let ended = run_measured(setup, &setup.weir, &all)?;
    let record: Value = serde_json::from_slice(&fs::read(&file)?)?;
    Ok((ended, record))
}

/// The measured phase of a record of `weir http`.
pub(super) fn phase(record: &Value) -> Result<&Value> {
    record["phases"].as_array().and_then(|phases| phases.last()).context("the record has no phase")
}

/// A number in a record, by its keys.
pub(super) fn number(value: &Value, keys: &[&str]) -> Result<f64> {
    let found = keys.iter().fold(value, |value, key| &value[*key]);
    found.as_f64().with_context(|| format!("the record has no number `{}`", keys.join(".")))
}

/// The number after some words.
pub(super) fn after(text: &str, words: &str) -> Result<f64> {
    let rest = text.split_once(words).map(|(_, rest)| rest).unwrap_or_default();
    let number = rest.split_ascii_whitespace().next();
    number
        .and_then(|number| number.parse().ok())
        .with_context(|| format!("no number after `{words}` in: {text}"))
}

/// Builds a yardstick: a package of `bench/` that is a workspace of its own.
pub(super) fn build_apart(setup: &Setup, name: &str) -> Result<PathBuf> {
    let target = setup.target.join("apart");
    let manifest = format!("bench/{name}/Cargo.toml");
    let mut command = cargo();
    command.args(["build", "--release", "--quiet", "--manifest-path", &manifest, "--target-dir"]);
    let status = command.arg(&target).current_dir(&setup.root).status()?;
    if !status.success() {
        bail!("bench/{name} does not build");
    }
    Ok(target.join("release").join(name))
}

/// `weir target` on the server's core; ends when dropped.
pub(super) struct Target {
    child: Child,
    /// Kept, so that the server has somewhere to write.
    _stdout: BufReader<ChildStdout>,
    /// Host and port.
    pub(super) address: String,
}

impl Target {
    pub(super) fn start(setup: &Setup, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new("taskset")
            .args(["-c", &setup.server_core.to_string()])
            .arg(&setup.weir)
            .args(["target", "--listen", "127.0.0.1:0", "--threads", "1"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("can't run `taskset`; on Debian it comes with `apt-get install util-linux`")?;
        let mut stdout = BufReader::new(child.stdout.take().context("stdout is piped")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let address = line.split_once("://").and_then(|(_, rest)| rest.split('/').next()).map(str::to_owned);
        let address =
            address.with_context(|| format!("`weir target` did not say where it serves: {line}"))?;
        Ok(Self { child, _stdout: stdout, address })
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks one of the target's control endpoints.
    pub(super) fn ask(&self, path: &str) -> Result<Value> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.address)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8(answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("no answer's head")?;
        if !head.starts_with("HTTP/1.1 200") {
            bail!("{path}: {head}");
        }
        serde_json::from_str(body).with_context(|| format!("{path} is no JSON"))
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // Errors would mean that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
