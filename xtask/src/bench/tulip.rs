//! Tulip's configurations: no-op actions as fast as possible and at a fixed rate, memory, and HTTP actions against `weir http`.

use super::child::{Target, number, phase, run_anywhere, run_measured, run_weir};
use super::report::Section;
use super::{Setup, median, spread};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::fs;

const MB: f64 = 1e6;
/// The rate of the fixed benchmark, actions/s.
const FIXED_PER_SEC: f64 = 1e6;
/// The seed's whole configuration takes 19 minutes; so it takes 23 s.
const SEED_TIME_SCALE: &str = "0.02";

const METHOD: &str = "A configuration of 16 users on 2 threads whose action does nothing, as fast as possible and at 1,000,000/s, on all cores; actions \
    are the record's own count, memory is the kernel's (`ru_maxrss`). HTTP: kwrk's class, 16 users and one thread, against `weir http` with 16 \
    connections on the same target, client and server pinned to a core each, in turn; a ratio of 1 is no cost at all.";

pub(super) fn run(setup: &Setup) -> Result<Section> {
    let mut section = Section::new("Tulip's configurations", METHOD);
    no_op(setup, &mut section)?;
    http(setup, &mut section)?;
    seed(setup, &mut section)?;
    Ok(section)
}

/// A configuration with one benchmark.
fn config(user_class: &str, params: &Value, benchmark: &Value, threads: u32) -> Value {
    serde_json::json!({
        "actions": {"user_class": user_class, "user_params": params, "user_actions": {}},
        "contexts": {"c": {"enabled": true, "num_users": 16, "num_tasks": 22, "num_threads": threads}},
        "benchmarks": {"onStart": {"enabled": false}, "b": benchmark, "onStop": {"enabled": false}},
    })
}

/// Runs a configuration and gives its record, and the peak of its memory in MB.
fn run_config(setup: &Setup, name: &str, config: &str, pinned: bool, more: &[&str]) -> Result<(Value, f64)> {
    let (file, record) = (setup.scratch().join(name), setup.scratch().join("record.json"));
    fs::write(&file, config)?;
    let (file, name) = (file.to_string_lossy().into_owned(), record.to_string_lossy().into_owned());
    let arguments = [&["run", &file, "--quiet", "--json", &name], more].concat();
    let ended = match pinned {
        true => run_measured(setup, &setup.weir, &arguments)?,
        false => run_anywhere(setup, &setup.weir, &arguments)?,
    };
    Ok((serde_json::from_slice(&fs::read(&record)?)?, ended.rss_max_bytes as f64 / MB))
}

fn no_op(setup: &Setup, section: &mut Section) -> Result<()> {
    let (mut rates, mut errors, mut peaks) = (vec![], vec![], vec![]);
    for _ in 0..setup.few_rounds() {
        for per_sec in [0.0, FIXED_PER_SEC] {
            let benchmark = serde_json::json!({
                "aps_rate": per_sec, "benchmark_duration": setup.turn_secs, "scenario_actions": [{"id": 9}],
            });
            let config = config("TestHttpUser", &serde_json::json!({}), &benchmark, 2);
            let (record, peak) = run_config(setup, "no-op.json", &config.to_string(), false, &[])?;
            let achieved = number(phase(&record)?, &["achieved_per_sec"])?;
            if per_sec == 0.0 {
                rates.push(achieved / MB);
            } else {
                errors.push((achieved / per_sec - 1.0).abs() * 100.0);
                peaks.push(peak);
            }
        }
    }
    section.at_least("no-op, as fast as possible, million actions/s", 10.0, &rates, |value| {
        format!("{value:.1}")
    });
    section
        .at_most("no-op at 1,000,000/s: error of the rate", 0.01, &errors, |value| format!("{value:.4} %"));
    section.at_most("no-op at 1,000,000/s: memory", 20.0, &peaks, |value| format!("{value:.1} MB"));
    Ok(())
}

fn http(setup: &Setup, section: &mut Section) -> Result<()> {
    let target = Target::start(setup, &[])?;
    let url = target.url("/hello");
    let benchmark =
        serde_json::json!({"benchmark_duration": setup.turn_secs, "scenario_actions": [{"id": 1}]});
    let config = config("KwrkHttpUser", &serde_json::json!({"url": url}), &benchmark, 1);
    let (mut tulip, mut plain, mut ratios) = (vec![], vec![], vec![]);
    for _ in 0..setup.round_count {
        let (record, _) = run_config(setup, "http.json", &config.to_string(), true, &[])?;
        let by_config = number(phase(&record)?, &["achieved_per_sec"])?;
        let (_, record) = run_weir(setup, &[&url, "-c", "16", "-d", &format!("{}s", setup.turn_secs)])?;
        let by_flags = number(phase(&record)?, &["achieved_per_sec"])?;
        tulip.push(by_config);
        plain.push(by_flags);
        ratios.push(by_config / by_flags.max(1.0));
    }
    let rate = |value: f64| format!("{value:.0}");
    section.table(
        &["HTTP actions", "actions/s"],
        vec![
            vec!["a configuration".to_owned(), spread(&tulip, rate)],
            vec!["weir http".to_owned(), spread(&plain, rate)],
        ],
    );
    section.at_least("HTTP actions against weir http", 0.85, &ratios, |value| format!("{value:.3}"));
    section.note(format!("Medians: {:.0} and {:.0} actions/s.", median(&tulip), median(&plain)));
    Ok(())
}

/// The whole first configuration, all its benchmarks and repeats, shortened.
fn seed(setup: &Setup, section: &mut Section) -> Result<()> {
    let target = Target::start(setup, &[])?;
    let file = setup.root.join("crates/tulip/tests/corpus/A-2024-08-seed-default.json");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let text = text.replace("https://jsonplaceholder.typicode.com", &format!("http://{}", target.address));
    let (_, peak) = run_config(setup, "seed.json", &text, false, &["--time-scale", SEED_TIME_SCALE])?;
    section
        .at_most("the seed's whole configuration: memory", 20.0, &[peak], |value| format!("{value:.1} MB"));
    Ok(())
}
