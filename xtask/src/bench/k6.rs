//! Scripts: Weir against k6, each script by both, on the same core and against the same server.
//!
//! k6 is the one that `cargo xtask k6-oracle` builds. Neither may reach the network: k6 imports Weir's own helper module from a file where Weir has
//! it under jslib's URL.

use super::child::{Ended, Target, number, phase, run_measured};
use super::report::Section;
use super::{Setup, median, memory, spread};
use anyhow::{Context as _, Result};
use serde_json::Value;
use stats::Histogram;
use std::fs;
use std::path::PathBuf;

const USER_COUNT: u32 = 10_000;
/// Idle users are looked at for so long beyond their start.
const IDLE_SECS: &str = "3";
const RATE_PER_SEC: &str = "5000";
const RATE_SECS: &str = "10";
const START_COUNT: usize = 10;
const KB: f64 = 1e3;

const METHOD: &str = "The scripts of `bench/k6`, by Weir and k6 in turn, pinned to one core, the server to the other. CPU time is the kernel's for the \
    whole process, divided by the requests that the server counted. Memory is the kernel's peak (`ru_maxrss`) with 10,000 users that sleep, less that \
    with one, by user. Lateness is Weir's own record of how long after its due time an iteration's request left.";

/// Who runs a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Weir,
    K6,
}

/// Both programs and where their scripts are.
struct Bench<'a> {
    setup: &'a Setup,
    k6: PathBuf,
    target: Target,
}

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("Scripts of k6", METHOD);
    let Some(k6) = crate::k6_oracle::k6()? else {
        section.not_measured(
            "all of it",
            "k6's own figures",
            "k6 can't be built here: it needs Go and its module proxy",
        );
        return Ok(section);
    };
    let bench = Bench { setup, k6, target: Target::start(setup, &[])? };
    bench.write_scripts()?;
    bench.cpu(&mut section)?;
    bench.memory(&mut section)?;
    bench.starts(&mut section)?;
    bench.arrivals(&mut section)?;
    Ok(section)
}

impl Bench<'_> {
    /// Each program's copy of a script: they differ in where the helper module comes from.
    fn script(&self, side: Side, name: &str) -> PathBuf {
        let folder = if side == Side::Weir { "k6-weir" } else { "k6-k6" };
        self.setup.scratch().join(folder).join(name)
    }

    fn write_scripts(&self) -> Result<()> {
        let utils = self.setup.root.join("crates/k6/src/modules/utils.js");
        for side in [Side::Weir, Side::K6] {
            let module = match side {
                Side::Weir => "https://jslib.k6.io/k6-utils/1.4.0/index.js".to_owned(),
                Side::K6 => utils.to_string_lossy().into_owned(),
            };
            for entry in fs::read_dir(self.setup.root.join("bench/k6"))? {
                let path = entry?.path();
                let text = fs::read_to_string(&path)?.replace("'k6-utils'", &format!("'{module}'"));
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let copy = self.script(side, &name);
                fs::create_dir_all(copy.parent().context("a script has a folder")?)?;
                fs::write(copy, text)?;
            }
        }
        Ok(())
    }

    /// Runs a script to its end.
    fn run(&self, side: Side, name: &str, environment: &[(&str, &str)], more: &[&str]) -> Result<Ended> {
        let script = self.script(side, name).to_string_lossy().into_owned();
        let (program, first) = match side {
            Side::Weir => (&self.setup.weir, vec!["k6", "run", "--no-store"]),
            Side::K6 => (&self.k6, vec!["run", "--no-usage-report", "--address="]),
        };
        let pairs: Vec<String> = environment.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let mut arguments = first;
        arguments.extend(["-q"].iter().chain(more));
        for pair in &pairs {
            arguments.extend(["-e", pair.as_str()]);
        }
        arguments.push(&script);
        run_measured(self.setup, program, &arguments)
    }

    /// CPU µs by iteration, each of which is one request.
    fn cpu_us(&self, side: Side, name: &str) -> Result<f64> {
        self.target.ask("/stats/reset")?;
        let (secs, url) = (self.setup.turn_secs.to_string(), self.target.url("/hello"));
        let ended = self.run(side, name, &[("SECS", &secs), ("URL", &url)], &[])?;
        let counted = number(&self.target.ask("/stats")?, &["paths", "/hello"])?;
        Ok((ended.user_us + ended.system_us) / counted)
    }

    fn cpu(&self, section: &mut Section) -> Result<()> {
        let mut rows = Vec::new();
        for (name, what, share) in [
            ("get.js", "get and check, 64 users: CPU per iteration against k6's", 1.0 / 5.0),
            ("stages.js", "the same, tagged with its stage: CPU per iteration against k6's", 1.0 / 40.0),
        ] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..self.setup.round_count {
                ours.push(self.cpu_us(Side::Weir, name)?);
                theirs.push(self.cpu_us(Side::K6, name)?);
            }
            let ratios: Vec<f64> = ours.iter().zip(&theirs).map(|(own, other)| own / other).collect();
            section.at_most(what, share, &ratios, |value| format!("1/{:.1}", 1.0 / value));
            let micros = |value: f64| format!("{value:.1}");
            rows.push(vec![name.to_owned(), spread(&ours, micros), spread(&theirs, micros)]);
        }
        section.table(&["script", "weir: CPU µs/iteration", "k6: CPU µs/iteration"], rows);
        Ok(())
    }

    fn peak_bytes(&self, side: Side, name: &str, users: u32) -> Result<f64> {
        let (users, url) = (users.to_string(), self.target.url("/hello"));
        // k6 has its users made before the test begins; Weir as well. Both times are outside of the test's own.
        let ended = self.run(side, name, &[("SECS", IDLE_SECS), ("USERS", &users), ("URL", &url)], &[])?;
        Ok(ended.rss_max_bytes as f64)
    }

    /// Peak bytes by user: of 10,000 less one.
    fn user_bytes(&self, side: Side, name: &str) -> Result<f64> {
        let (one, all) = (self.peak_bytes(side, name, 1)?, self.peak_bytes(side, name, USER_COUNT)?);
        Ok((all - one) / f64::from(USER_COUNT - 1))
    }

    fn memory(&self, section: &mut Section) -> Result<()> {
        for (name, what) in [
            ("idle.js", "10,000 idle users: memory by user against k6's"),
            ("idle_jslib.js", "the same with jslib: memory by user against k6's"),
        ] {
            let (ours, theirs) = (self.user_bytes(Side::Weir, name)?, self.user_bytes(Side::K6, name)?);
            section.at_most(what, 1.0, &[ours / theirs], |value| format!("{value:.2}"));
            section.note(format!("{name}: Weir {:.1} kB by user, k6 {:.1} kB.", ours / KB, theirs / KB));
        }
        Ok(())
    }

    fn starts(&self, section: &mut Section) -> Result<()> {
        let users = USER_COUNT.to_string();
        let secs = |side: Side| -> Result<f64> {
            let begun = std::time::Instant::now();
            self.run(side, "start.js", &[("USERS", &users)], &[])?;
            Ok(begun.elapsed().as_secs_f64())
        };
        let rounds = 0..self.setup.few_rounds();
        let ours = rounds.map(|_| secs(Side::Weir)).collect::<Result<Vec<f64>>>()?;
        let what = "10,000 users made, an iteration each, and gone";
        section.at_most(what, 3.0, &ours, |value| format!("{value:.2} s"));
        section.note(format!("{what}: k6 takes {:.2} s.", secs(Side::K6)?));
        let first_ms = |side: Side| -> Result<f64> {
            let script = self.script(side, "start.js");
            memory::first_request_ms(self.setup, |command, url| {
                match side {
                    Side::Weir => command.arg(&self.setup.weir).args(["k6", "run", "--no-store"]),
                    Side::K6 => command.arg(&self.k6).args(["run", "--no-usage-report", "--address="]),
                };
                command.args(["-q", "-e", "USERS=1", "-e", &format!("URL={url}")]).arg(&script);
            })
        };
        let times = |side: Side| (0..START_COUNT).map(|_| first_ms(side)).collect::<Result<Vec<f64>>>();
        let ours_ms = times(Side::Weir)?;
        let what = "start to the first iteration's request";
        section.at_most(what, 25.0, &ours_ms, |value| format!("{value:.1} ms"));
        section.note(format!("{what}: k6 takes {:.1} ms.", median(&times(Side::K6)?)));
        Ok(())
    }

    fn arrivals(&self, section: &mut Section) -> Result<()> {
        let file = self.setup.scratch().join("k6-record.json");
        let name = file.to_string_lossy().into_owned();
        let url = self.target.url("/hello");
        let environment = [("SECS", RATE_SECS), ("RATE", RATE_PER_SEC), ("URL", url.as_str())];
        let mut late_us = Vec::new();
        for _ in 0..self.setup.few_rounds() {
            self.run(Side::Weir, "arrivals.js", &environment, &["--json", &name])?;
            let record: Value = serde_json::from_slice(&fs::read(&file)?)?;
            let phase = phase(&record)?;
            let text = phase["lateness_ns"]["histogram"]
                .as_str()
                .context("the record has no histogram of lateness")?;
            let lateness_ns = Histogram::from_base64(text)?;
            late_us.push(lateness_ns.quantile_ns(0.99).context("too few iterations")? as f64 / 1e3);
        }
        section.at_most("5000 iterations/s: p99 of their lateness", 100.0, &late_us, |value| {
            format!("{value:.1} µs")
        });
        Ok(())
    }
}
