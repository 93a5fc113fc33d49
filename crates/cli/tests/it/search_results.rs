//! What `weir search` leaves: records to go on with, pages, CloudI's block; and what it says of servers that fail.

use crate::command::{Folder, Transcript, command, weir};
use search::cloudi::CloudiRecord;
use search::{SearchRecord, TrialRecord};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use target::{Options, Running, Server};

/// A target that does `servers` × 250 requests per second, and the URL where.
fn target(servers: u32) -> (Running, String) {
    let options = Options { http_req_concurrency: NonZeroU32::new(servers), ..Options::default() };
    let running = Server::bind(options).unwrap().start().unwrap();
    let url = format!("{}/tests/http_req/a.xml?value=1&service_us=4000", running.base_url());
    (running, url)
}

fn search(args: &[&str]) -> Transcript {
    weir(&[&["search", "--no-store"], args].concat())
}

fn read(path: &Path) -> SearchRecord {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

const QUICK: [&str; 12] = [
    "--warmup",
    "0s",
    "--settle",
    "10ms",
    "--trial",
    "500ms",
    "--budget",
    "6s",
    "--precision",
    "20%",
    "--confirm",
    "0s",
];

/// The search that is kept in a folder, once it has made so many trials.
fn kept(folder: &Folder, trial_count: usize) -> (PathBuf, SearchRecord) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let is_search = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_str().is_some_and(|name| name.starts_with("search-")))
                && path.extension().is_some_and(|extension| extension == "json")
        };
        if let Some(path) = paths.into_iter().find(is_search) {
            let record = read(&path);
            if record.trials.len() >= trial_count {
                return (path, record);
            }
        }
        std::thread::yield_now();
    }
    panic!("no search with {trial_count} trials is kept");
}

#[test]
fn a_killed_search_goes_on_from_what_is_kept_beside_the_store() {
    let folder = Folder::new("search-killed");
    let (_running, url) = target(2);
    let store = folder.file("runs.db");
    let flags = [&["search", url.as_str(), "--store", &store, "--start", "400/s", "-q"], &QUICK[..]].concat();
    let mut child = command(&flags).spawn().unwrap();
    let (path, _) = kept(&folder, 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, before) = kept(&folder, 2);
    assert_eq!(before.answer, None);
    let resumed = weir(&[&flags[..], &["--resume", path.to_str().unwrap()]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let after = read(&path);
    assert_eq!(after.trials[..before.trials.len()], before.trials[..]);
    assert!(after.answer.is_some() && after.trials.len() > before.trials.len());
    // Each trial is a run in the store, found by the search that it belongs to.
    let found =
        weir(&["runs", "--store", &store, "--filter", &format!("search={}", after.search_id), "--json"]);
    let found: serde_json::Value =
        serde_json::from_str(&found.stdout).unwrap_or_else(|_| panic!("{}{}", found.stdout, found.stderr));
    assert!(found.as_array().unwrap().len() >= after.trials.len(), "{found}");
    // And the whole is shown again, as text and as a page.
    let shown = weir(&["show", path.to_str().unwrap()]);
    assert_eq!((shown.code, shown.stdout), (Some(0), resumed.stdout));
    let page = weir(&["report", path.to_str().unwrap(), "--format", "html"]);
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    assert!(page.stdout.contains(r#"id="weir-runs">[{"kind":"search","#));
}

#[test]
fn a_store_that_cant_be_had_ends_no_search() {
    let folder = Folder::new("search-no-store");
    let (_running, url) = target(2);
    let store = format!("{}/runs.db", folder.write("no-folder", ""));
    let flags = [&["search", url.as_str(), "--store", &store, "--start", "400/s", "-q"], &QUICK[..]].concat();
    let found = weir(&flags);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(found.stdout.contains(" sustains "), "{}", found.stdout);
}

#[test]
fn a_page_carries_the_curve_with_its_knee_objectives_and_choice() {
    let folder = Folder::new("search-page");
    let (_running, url) = target(2);
    let (html, json) = (folder.file("curve.html"), folder.file("curve.json"));
    let named = ["--name", "</script><script>alert(1)</script>", "--html", &html, "--json", &json];
    let flags =
        [&[url.as_str(), "--curve", "4", "--max", "800/s", "--slo", "p95(response) < 30ms"], &named[..]]
            .concat();
    let found = search(&[&flags[..], &["--trial", "500ms", "--warmup", "0s", "--settle", "10ms"]].concat());
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let record = read(Path::new(&json));
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(!page.contains("<script>alert"), "a name became markup");
    let (_, data) = page.split_once(r#"id="weir-runs">"#).unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let curve = record.curve.as_ref().unwrap();
    assert_eq!(data[0]["chosen_per_sec"].as_f64(), curve.chosen_per_sec);
    assert_eq!(data[0]["knee_per_sec"].as_f64(), curve.knee_per_sec);
    assert_eq!(data[0]["objectives"][0]["bound_ns"], 30_000_000);
    let points = data[0]["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    let p95 = |made: &TrialRecord| made.run.phases[0].response_ns.p95;
    assert_eq!(points[1]["objectives_ns"][0].as_u64(), p95(&record.trials[1]));
    assert_eq!(points[3]["outcome"], "not_sustained");
    // Interrupted after two rates, it goes on with the third.
    let cut = SearchRecord { trials: record.trials[..2].to_vec(), curve: None, ..record };
    let cut_file = folder.write("cut.json", &serde_json::to_string(&cut).unwrap());
    let resumed = search(
        &[&flags[..], &["--trial", "500ms", "--warmup", "0s", "--settle", "10ms", "--resume", &cut_file]]
            .concat(),
    );
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let whole = read(Path::new(&json));
    assert_eq!((whole.trials[..2] == cut.trials[..], whole.trials.len()), (true, 4));
}

#[test]
fn cloudis_page_is_printed_and_its_search_goes_on() {
    let folder = Folder::new("search-cloudi");
    let (_running, url) = target(8);
    let json = folder.file("cloudi.json");
    let flags = [
        url.as_str(),
        "--cloudi",
        "--request-rate",
        "60",
        "--count-process",
        "3",
        "--tick-length",
        "1s",
        "--json",
        &json,
    ];
    let found = search(&[&flags[..], &["--stable-ticks", "0"]].concat());
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let first = found.stdout.lines().next().unwrap();
    let rate: f64 = first.split(' ').nth(2).unwrap().parse().unwrap();
    // Two senders; what is under way as the tick ends is no success.
    assert!(first.starts_with("stable at ") && (100.0..=120.0).contains(&rate), "{first}");
    assert!(found.stdout.contains("\n  request latency (distribution "), "{}", found.stdout);
    assert!(found.stdout.contains("\n    100% (maximum) "), "{}", found.stdout);
    let read = || -> CloudiRecord { serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap() };
    let one = read();
    assert_eq!((one.ticks.len(), one.ticks[0].asked_per_sec.as_slice()), (1, &[60, 60][..]));
    // Another tick; latencies are of both.
    let resumed = search(&[&flags[..], &["--stable-ticks", "1", "--resume", &json]].concat());
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let two = read();
    assert_eq!((two.ticks.len(), two.stable.map(|stable| stable.count)), (2, Some(2)));
    assert_eq!(two.ticks[0], one.ticks[0]);
    assert!(
        two.response_ns.count > one.response_ns.count + 90,
        "{} {}",
        two.response_ns.count,
        one.response_ns.count
    );
}

#[test]
fn a_service_that_fails_everywhere_is_told_within_the_budget_and_with_the_reason() {
    let (running, _) = target(1);
    let url = format!("{}/status/500", running.base_url());
    let objectives = ["--slo", "p99(response) < 50ms", "--slo", "error_ratio < 1%"];
    let flags = [&[url.as_str()], &objectives[..], &QUICK[..10], &["--confirm", "0s"]].concat();
    let found = search(&flags);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains(" sustained none of the rates tried\n"), "{}", found.stdout);
    assert!(found.stdout.contains("error_ratio < 1.00% missed: 100%"), "{}", found.stdout);
    assert!(found.stdout.contains("don't fit in the budget"), "{}", found.stdout);
}

#[test]
fn too_few_connections_make_the_client_the_limit() {
    let (_running, url) = target(64);
    // One connection and 4 ms: 250 per second, where the service does 16,000.
    let longer = ["--budget", "9s"];
    let quick = [&QUICK[..6], &longer, &QUICK[8..]].concat();
    let found = search(&[&[url.as_str(), "-c", "1", "--start", "150/s"], &quick[..]].concat());
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(found.stdout.contains(" sustains at least "), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("connections were busy while the service took"), "{}", found.stdout);
}

#[test]
fn a_baseline_must_answer_the_same_question() {
    let folder = Folder::new("search-baseline");
    let (_running, url) = target(2);
    let json = folder.file("a.json");
    let flags = [&[url.as_str(), "--start", "400/s", "-q"], &QUICK[..]].concat();
    let made = search(&[&flags[..], &["--json", &json]].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let other = search(&[&flags[..], &["--baseline", &json, "--slo", "p90(response) < 1s"]].concat());
    assert_eq!(
        (other.code, other.stderr.as_str()),
        (Some(2), "error: --baseline: that search had other objectives: none\nhint: give the same --slo\n")
    );
    let mut cut = read(Path::new(&json));
    cut.answer = None;
    let cut = folder.write("cut.json", &serde_json::to_string(&cut).unwrap());
    let no_answer = search(&[&flags[..], &["--baseline", &cut]].concat());
    assert_eq!(no_answer.code, Some(2));
    assert!(
        no_answer.stderr.starts_with("error: --baseline: that search has no answer"),
        "{}",
        no_answer.stderr
    );
    let same = search(&[&flags[..], &["--json", &json, "--markdown", &json]].concat());
    assert_eq!(same.code, Some(2));
    assert!(same.stderr.starts_with("error: two results go to "), "{}", same.stderr);
}
