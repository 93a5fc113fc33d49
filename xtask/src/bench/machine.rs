//! What the numbers were measured on, and how quiet it was.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Above this load average something else was running.
const QUIET_LOAD: f64 = 0.3;

/// The machine and what was measured.
pub(super) struct Machine {
    facts: Vec<(&'static str, String)>,
}

impl Machine {
    pub(super) fn read(root: &Path) -> Self {
        let first_line = |path: &str, key: &str| {
            let text = fs::read_to_string(path).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_default();
            line.split_once(':').map_or(line, |(_, value)| value).trim().to_owned()
        };
        let said = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(root).output();
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            text.unwrap_or_default().lines().next().unwrap_or_default().trim().to_owned()
        };
        let cores = std::thread::available_parallelism().map_or(1, |count| count.get());
        let dirty = if said("git", &["status", "--porcelain"]).is_empty() { "" } else { ", with changes" };
        Self {
            facts: vec![
                ("date", said("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
                ("commit", format!("{}{dirty}", said("git", &["rev-parse", "--short", "HEAD"]))),
                ("cpu", format!("{} × {cores}", first_line("/proc/cpuinfo", "model name"))),
                ("memory", first_line("/proc/meminfo", "MemTotal")),
                ("kernel", first_line("/proc/sys/kernel/osrelease", "")),
                ("compiler", said("rustc", &["--version"])),
                ("wrk", said("wrk", &["-v"]).split(" [").next().unwrap_or_default().to_owned()),
            ],
        }
    }

    pub(super) fn text(&self) -> String {
        self.facts.iter().map(|(name, value)| format!("{name:<9} {value}\n")).collect()
    }

    pub(super) fn markdown(&self) -> String {
        self.facts.iter().map(|(name, value)| format!("- {name}: {value}\n")).collect()
    }
}

/// The load averages over 1, 5 and 15 minutes.
pub(super) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// What a high load before a benchmark means.
pub(super) fn warning(load_before: &str) -> Option<String> {
    let last_minute: f64 = load_before.split(' ').next()?.parse().ok()?;
    (last_minute > QUIET_LOAD).then(|| {
        "The machine was not quiet before this benchmark: repeat it before you rely on a miss or a narrow pass.".to_owned()
    })
}
