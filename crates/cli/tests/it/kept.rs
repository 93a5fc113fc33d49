//! Runs kept, listed, shown, exported, imported and removed, as users do it; and runs that are killed.

use crate::command::{Folder, Transcript, command, weir};
use crate::server::{signal, target};
use record::RunRecord;
use rustix::process::Signal;
use serde_json::Value;

/// A folder with a store of its own.
struct Place {
    folder: Folder,
    store: String,
}

impl Place {
    fn new(name: &str) -> Self {
        let folder = Folder::new(name);
        let store = folder.file("kept/runs.db");
        Self { folder, store }
    }

    /// A command with this store.
    fn weir(&self, args: &[&str]) -> Transcript {
        let output = command(args).env("WEIR_STORE", &self.store).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Transcript { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    fn done(&self, args: &[&str]) -> Transcript {
        let run = self.weir(args);
        assert_eq!(run.code, Some(0), "{args:?}: {}{}", run.stdout, run.stderr);
        run
    }

    fn list(&self, args: &[&str]) -> Vec<Value> {
        serde_json::from_str(&self.done(&[&["runs", "--json"], args].concat()).stdout).unwrap()
    }
}

#[test]
fn a_run_is_kept_and_found_again() {
    let place = Place::new("kept");
    let json = place.folder.file("run.json");
    let (_running, address) = target();
    let url = format!("{address}/hello");
    let run = place.done(&[
        "http",
        &url,
        "-n",
        "200",
        "--label",
        "branch=main",
        "--label",
        "try=1",
        "--json",
        &json,
        "-q",
    ]);
    place.done(&["http", &url, "-n", "10", "-q", "--name", "small one"]);
    place.done(&["http", &url, "-n", "10", "-q", "--no-store"]);
    let names: Vec<Value> = place.list(&[]).into_iter().map(|run| run["name"].clone()).collect();
    assert_eq!(names, ["small one".to_owned(), format!("http://{url}")]);
    let record: RunRecord = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    assert_eq!((record.labels["branch"].as_str(), record.origin.as_str()), ("main", "http"));
    for selector in ["last~1", "branch=main", &record.run_id, &record.run_id[..10], &record.name] {
        assert_eq!(place.done(&["show", selector]).stdout, run.stdout, "{selector}");
    }
    assert_eq!(place.done(&["export", "branch=main"]).stdout, std::fs::read_to_string(&json).unwrap());
    assert_eq!(
        place.done(&["report", "last~1", "--format", "json"]).stdout,
        std::fs::read_to_string(&json).unwrap()
    );
    assert_eq!(place.list(&["--filter", "branch=main"]).len(), 1);
    assert_eq!(
        (place.list(&["--filter", "small"]).len(), place.list(&["--filter", "origin=run"]).len()),
        (1, 0)
    );
    assert_eq!(place.list(&["--limit", "1"])[0]["name"], "small one");
    let table = place.done(&["runs"]).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("id ") && lines[1].ends_with("small one"), "{table}");
    assert!(lines[2].ends_with(&format!("http://{url}  branch=main  try=1")), "{table}");
}

#[test]
fn a_plan_has_its_store_beside_it() {
    let folder = Folder::new("beside");
    let (_running, address) = target();
    let plan = folder.write(
        "plan.yaml",
        &format!("target: http://{address}\nrequest: GET /hello\nphases: [{{users: 1, count: 5}}]\n"),
    );
    let run = command(&["run", &plan, "-q"]).env_remove("WEIR_STORE").output().unwrap();
    assert_eq!(run.status.code(), Some(0));
    let store = folder.file(".weir/runs.db");
    let listed = weir(&["runs", "--json", "--store", &store]);
    assert_eq!(serde_json::from_str::<Vec<Value>>(&listed.stdout).unwrap()[0]["origin"], "run");
    assert_eq!(std::fs::read_to_string(folder.file(".weir/.gitignore")).unwrap(), "*\n");
}

#[test]
fn an_export_is_read_by_its_readers() {
    let place = Place::new("export");
    let (_running, address) = target();
    let plan = place.folder.write("plan.yaml", &format!(
        "target: http://{address}\ninterval: 50ms\nscenarios:\n  shop:\n    actions:\n      - {{name: 'a, \"b\"', steps: [{{get: /hello}}]}}\n      - {{name: look, steps: [{{get: /hello}}]}}\nphases: [{{users: 2, duration: 200ms}}]\n"));
    place.done(&["run", &plan, "-q"]);
    let csv = place.done(&["export", "last", "--format", "csv"]).stdout;
    let (head, rows) = csv.split_once('\n').unwrap();
    let columns = head.split(',').count();
    assert!(rows.contains(",\"a, \"\"b\"\"\",") && rows.contains(",look,"), "{csv}");
    let plain = rows.replace("\"a, \"\"b\"\"\"", "a");
    assert!(plain.lines().all(|line| line.split(',').count() == columns), "{csv}");
    let record: RunRecord = serde_json::from_str(&place.done(&["export", "last"]).stdout).unwrap();
    let phase = &record.phases[0];
    let rows_expected: usize = phase.intervals.iter().map(|interval| 1 + interval.actions.len()).sum();
    assert_eq!(plain.lines().count(), rows_expected);
    assert!(rows_expected > phase.intervals.len() * 2, "each interval has its actions apart");
    for (index, action) in phase.actions.iter().enumerate() {
        let parts = phase.intervals.iter().flat_map(|interval| &interval.actions);
        let sum: u64 = parts.filter(|part| part.name == action.name).map(|part| part.counts.completed).sum();
        assert_eq!(sum, action.counts.completed, "action {index}");
    }
    let actions = place.done(&["export", "last", "--format", "csv", "--of", "actions"]).stdout;
    assert_eq!(actions.lines().count(), 1 + 1 + 2);
    // Nothing was due of an action: an arrival chooses it when it begins.
    let (head, row) = (actions.lines().next().unwrap(), actions.lines().last().unwrap());
    let cell = |name: &str| row.split(',').nth(head.split(',').position(|column| column == name).unwrap());
    let started = phase.actions[1].counts.started.to_string();
    assert_eq!((cell("due"), cell("started"), cell("dropped")), (Some(""), Some(started.as_str()), Some("")));
    let log = place.folder.file("run.hlog");
    place.done(&["export", "last", "-o", &log]);
    let text = std::fs::read(&log).unwrap();
    let entries = hdrhistogram::serialization::interval_log::IntervalLogIterator::new(&text);
    let mut count = 0;
    for entry in entries {
        use base64::Engine as _;
        use hdrhistogram::serialization::interval_log::LogEntry;
        let LogEntry::Interval(interval) = entry.unwrap() else { continue };
        if interval.tag().is_some_and(|tag| tag.as_str().ends_with(":look:service")) {
            let bytes =
                base64::engine::general_purpose::STANDARD.decode(interval.encoded_histogram()).unwrap();
            let histogram: hdrhistogram::Histogram<u64> =
                hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            count += histogram.len();
        }
    }
    assert_eq!(count, phase.actions[1].service_ns.count);
}

#[test]
fn runs_are_imported_once_and_removed_after_asking() {
    let place = Place::new("import");
    let json = place.folder.file("run.json");
    let (_running, address) = target();
    place.done(&["http", &address, "-n", "10", "-q", "--no-store", "--json", &json]);
    let id = serde_json::from_slice::<RunRecord>(&std::fs::read(&json).unwrap()).unwrap().run_id;
    assert!(place.done(&["import", &json]).stderr.starts_with(&format!("kept {id}")));
    assert!(place.done(&["import", &json]).stderr.starts_with(&format!("already there: {id}")));
    let other = place.weir(&["import", &json, "--name", "another"]);
    assert_eq!(other.code, Some(2));
    assert!(other.stderr.contains("another run with the id"), "{}", other.stderr);
    let wrk = place.folder.write("wrk.txt", "Running 1s test @ http://a/\n  1 threads and 1 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency     1.00ms    0.10ms   2.00ms   90.00%\n    Req/Sec     1.00k     8.07    2.00k    86.54%\n  1000 requests in 1.00s, 1.50KB read\nRequests/sec: 1000.00\nTransfer/sec:    1.50KB\n");
    place.done(&["import", &wrk, "--name", "baseline", "--label", "tool=wrk"]);
    assert!(place.done(&["show", "tool=wrk"]).stdout.contains("! suspect"));
    let nobody = place.weir(&["prune", "--keep", "1"]);
    assert_eq!(nobody.code, Some(2));
    assert!(nobody.stderr.contains("--dry-run"), "{}", nobody.stderr);
    assert!(place.done(&["prune", "--older-than", "30d", "--dry-run"]).stderr.contains("nothing to remove"));
    assert!(place.done(&["prune", "--keep", "1", "--dry-run"]).stderr.contains("would remove 1 run"));
    assert_eq!(place.list(&[]).len(), 2);
    place.done(&["prune", "--keep", "0", "--label", "tool=wrk", "--yes"]);
    assert_eq!(place.list(&[])[0]["id"], id.as_str());
    let wrong = place.weir(&["rm", &id, "gone"]);
    assert_eq!((wrong.code, place.list(&[]).len()), (Some(2), 1));
    assert_eq!(place.done(&["rm", &id]).stderr.lines().count(), 1);
    assert_eq!(place.list(&[]).len(), 0);
    let empty = place.weir(&["show"]);
    assert!(empty.code == Some(2) && empty.stderr.contains("the store is empty"), "{}", empty.stderr);
}

#[test]
fn a_store_that_fails_is_said_once_and_changes_nothing_else() {
    let folder = Folder::new("failing");
    let (_running, address) = target();
    let json = folder.file("run.json");
    let garbage =
        folder.write("runs.db", "this is no database but some text that is long enough to be looked at");
    for (store, expected) in
        [("/proc/weir/runs.db", "can't use the store"), (garbage.as_str(), "is damaged or no store")]
    {
        let run = weir(&["http", &address, "-n", "10", "-q", "--json", &json, "--store", store]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.contains("10 completed"));
        assert_eq!(run.stderr.matches("warning: this run is not kept: ").count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains(expected) && run.stderr.contains("hint: "), "{}", run.stderr);
        assert!(std::fs::remove_file(&json).is_ok());
    }
    let gone = weir(&["runs", "--store", &folder.file("gone.db")]);
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("there is no store of runs at"), "{}", gone.stderr);
}

#[test]
fn a_store_that_can_grow_no_further_loses_the_run_and_nothing_else() {
    let place = Place::new("grown");
    let (_running, address) = target();
    place.done(&["http", &address, "-n", "10", "-q", "--name", "before"]);
    let plan = place.folder.write("plan.yaml", &format!("target: http://{address}\ninterval: 20ms\nrequest: GET /hello\nphases: [{{rate: 500/s, duration: 600ms}}]\n"));
    // Files of this process end at 40 KiB, as they would on a full disk; stdout is a pipe.
    let script = "trap '' XFSZ; ulimit -f 80; exec \"$0\" \"$@\"";
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", script, env!("CARGO_BIN_EXE_weir"), "run", &plan, "-q", "--json", "-"]);
    let output = limited.env("WEIR_STORE", &place.store).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr.matches("warning: this run is not kept: ").count(), 1, "{stderr}");
    let record: RunRecord = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record.phases[0].counts.completed, 300);
    // What was kept before is there and whole, and of this one what still found room.
    let runs = place.list(&["--filter", "state=ended"]);
    assert_eq!((runs.len(), &runs[0]["name"]), (1, &Value::from("before")));
    let cut = place.list(&["--filter", "state=aborted"]);
    assert!(cut.iter().all(|run| run["completed"].as_u64() < Some(300)), "{cut:?}");
    place.done(&["http", &address, "-n", "10", "-q", "--name", "after"]);
    assert_eq!(place.list(&["--filter", "state=ended"]).len(), 2);
}

#[test]
fn a_killed_run_has_all_intervals_that_were_written() {
    let place = Place::new("killed");
    let (_running, address) = target();
    let plan = place.folder.write("plan.yaml", &format!("target: http://{address}\ninterval: 20ms\nrequest: GET /hello\nphases: [{{rate: 500/s, duration: 1h}}]\n"));
    for round in 0..4usize {
        let mut child = command(&["run", &plan, "-q"]).env("WEIR_STORE", &place.store).spawn().unwrap();
        // Other moments each time: as soon as the row is there, or after some intervals.
        let seen = loop {
            let listed = place.weir(&["runs", "--json", "--filter", "state=running"]);
            let runs: Vec<Value> = serde_json::from_str(&listed.stdout).unwrap_or_default();
            if let Some(run) = runs.first()
                && run["completed"].as_u64().unwrap() >= 20 * round as u64
            {
                break run.clone();
            }
            assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        };
        signal(&child, Signal::KILL);
        child.wait().unwrap();
        let killed = place.list(&["--filter", "state=aborted"]);
        assert_eq!(killed.len(), round + 1);
        assert_eq!(killed[0]["id"], seen["id"]);
        assert!(killed[0]["completed"].as_u64() >= seen["completed"].as_u64(), "{seen} {}", killed[0]);
        let record: RunRecord = serde_json::from_str(&place.done(&["export", "last"]).stdout).unwrap();
        assert_eq!(record.verdict.state, record::VerdictState::Invalid);
        let sum: u64 =
            record.phases.iter().flat_map(|phase| &phase.intervals).map(|i| i.counts.completed).sum();
        assert_eq!(Some(sum), killed[0]["completed"].as_u64());
        assert!(place.done(&["show", "last"]).stdout.contains("✗ invalid"));
    }
}

#[test]
fn two_programs_write_one_store() {
    let place = Place::new("both");
    let (_running, address) = target();
    let start = || {
        let args = ["http", &address, "-d", "200ms", "-r", "200/s", "-q"];
        command(&args).env("WEIR_STORE", &place.store).spawn().unwrap()
    };
    let children = [start(), start(), start()];
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
    let runs = place.list(&[]);
    assert_eq!(runs.len(), 3);
    assert!(runs.iter().all(|run| run["state"] == "ended" && run["completed"] == 40), "{runs:?}");
}
