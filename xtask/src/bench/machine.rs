//! What the numbers were measured on, and how quiet it was.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Share of a core that others may use while a machine still counts as quiet.
const QUIET_RATIO: f64 = 0.05;

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

/// Watches what else the machine does while a benchmark runs.
pub(super) struct Watch {
    load: String,
    started: Instant,
    machine: Ticks,
    own_secs: f64,
}

impl Watch {
    pub(super) fn start() -> Self {
        Self { load: load(), started: Instant::now(), machine: Ticks::read(), own_secs: own_secs() }
    }

    /// What it saw. To be asked when all programs of the benchmark have ended: only then the system counts them as its.
    pub(super) fn notes(&self) -> Vec<String> {
        let now = Ticks::read();
        let secs = self.started.elapsed().as_secs_f64();
        let own_secs = own_secs() - self.own_secs;
        let others = ((now.used_secs - self.machine.used_secs - own_secs) / secs).max(0.0);
        let stolen = (now.stolen_secs - self.machine.stolen_secs) / secs;
        let mut notes = vec![format!(
            "Meanwhile other programs used {:.1} % of a core and the hypervisor took {:.1} %; load averages before {}, after {}.",
            others * 100.0,
            stolen * 100.0,
            self.load,
            load()
        )];
        if others > QUIET_RATIO || stolen > QUIET_RATIO {
            notes.push("The machine was not quiet: repeat this before you rely on it.".to_owned());
        }
        notes
    }
}

/// CPU time of the machine.
struct Ticks {
    /// By programs: interrupts are left out, as they are in what the system counts for a process.
    used_secs: f64,
    stolen_secs: f64,
}

impl Ticks {
    /// First line of proc_stat(5): user nice system idle iowait irq softirq steal …, in ticks of 10 ms.
    fn read() -> Self {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let fields: Vec<f64> =
            line.split_ascii_whitespace().skip(1).map(|field| field.parse().unwrap_or(0.0)).collect();
        let secs = |index: usize| fields.get(index).copied().unwrap_or(0.0) / 100.0;
        Self { used_secs: secs(0) + secs(1) + secs(2), stolen_secs: secs(7) }
    }
}

/// CPU time of this program and of all that it started and that have ended.
fn own_secs() -> f64 {
    let of = |who| {
        getrusage(who).map_or(0.0, |used| {
            (used.user_time().num_microseconds() + used.system_time().num_microseconds()) as f64 / 1e6
        })
    };
    of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN)
}

/// The load averages over 1, 5 and 15 minutes.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_ascii_whitespace().take(3).collect::<Vec<_>>().join(" ")
}
