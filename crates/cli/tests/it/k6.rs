//! `weir k6 run` by the corpus in `tests/k6`: one script for each behaviour, whose first lines say how it is run and what must come of it.
//!
//! ```text
//! // args: -u 2          flags, split at blanks; $FOLDER is a folder of the script's own
//! // env: K6_VUS=2       variables
//! // writes: NAME TEXT   a file that is there before
//! // exit: 0             the exit code
//! // stdout: TEXT        a part of stdout; no-stdout: none of it; stderr and no-stderr alike
//! // file: NAME TEXT     what a file holds afterwards
//! // part: NAME TEXT     a part of what it holds
//! // holds: M.F == N     a number of --summary-export: metric, field, what it is compared with
//! // absent: M           a metric that is not there
//! // free: counts        counts depend on the clock: `cargo xtask k6-oracle` does not compare them
//! // k6: none: WHY       k6 itself is not run with it
//! ```

use crate::command::{Folder, Transcript, command, weir};
use crate::server::{signal, target};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Scripts at a time: they mostly wait.
const SCRIPTS_AT_ONCE: usize = 16;

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/k6");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scripts: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "js" || end == "ts")).collect();
    scripts.sort();
    scripts
}

/// What a script's first lines say under a key.
fn said<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let start = format!("// {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(start.as_str())).collect()
}

/// What is wrong with a script's run: nothing, when all is as its first lines have it.
fn faults(path: &Path, url: &str) -> Vec<String> {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let folder = Folder::new(&format!("k6-{name}"));
    for file in said(&text, "writes") {
        let (name, content) = file.split_once(' ').unwrap();
        folder.write(name, content);
    }
    let place = folder.path().to_str().unwrap();
    let export = folder.file("export.json");
    let mut words: Vec<String> = vec!["k6".to_owned(), "run".to_owned()];
    let args = said(&text, "args").join(" ").replace("$FOLDER", place);
    words.extend(args.split_whitespace().map(str::to_owned));
    for pair in [format!("URL={url}"), format!("FOLDER={place}")] {
        words.extend(["-e".to_owned(), pair]);
    }
    words.extend(["--summary-export".to_owned(), export.clone(), path.to_str().unwrap().to_owned()]);
    let mut command = command(&words);
    for pair in said(&text, "env").iter().flat_map(|pairs| pairs.split_whitespace()) {
        let (key, value) = pair.split_once('=').unwrap();
        command.env(key, value.replace("$FOLDER", place));
    }
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let mut faults = Vec::new();
    let code = output.status.code().map(|code| code.to_string()).unwrap_or_default();
    if said(&text, "exit") != [code.as_str()] {
        faults.push(format!("exit code {code}"));
    }
    for (key, stream) in [("stdout", &stdout), ("stderr", &stderr)] {
        let lacks = said(&text, key).into_iter().filter(|part| !stream.contains(part));
        faults.extend(lacks.map(|part| format!("{key} lacks `{part}`")));
        let has = said(&text, &format!("no-{key}"));
        faults.extend(
            has.iter().filter(|part| stream.contains(**part)).map(|part| format!("{key} has `{part}`")),
        );
    }
    for file in said(&text, "file") {
        let (name, content) = file.split_once(' ').unwrap();
        let found = std::fs::read_to_string(folder.file(name)).unwrap_or_default();
        if found != content {
            faults.push(format!("{name} holds `{found}`"));
        }
    }
    for part in said(&text, "part") {
        let (name, content) = part.split_once(' ').unwrap();
        let found = std::fs::read_to_string(folder.file(name)).unwrap_or_default();
        if !found.contains(content) {
            faults.push(format!("{name} lacks `{content}` in `{found}`"));
        }
    }
    let metrics = std::fs::read(&export).ok().and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let metrics = metrics.map(|export| export["metrics"].clone()).unwrap_or_default();
    faults.extend(said(&text, "holds").into_iter().filter_map(|condition| unheld(&metrics, condition)));
    let absent = said(&text, "absent").into_iter().filter(|metric| metrics.get(metric).is_some());
    faults.extend(absent.map(|metric| format!("there is {metric}")));
    if faults.is_empty() {
        return Vec::new();
    }
    vec![format!("{name}: {}\n--- stdout\n{stdout}--- stderr\n{stderr}", faults.join("; "))]
}

/// `metric.field == 3` where it does not hold. Names of metrics and fields may have dots.
fn unheld(metrics: &Value, condition: &str) -> Option<String> {
    let mut words = condition.rsplitn(3, ' ');
    let (number, sign, path) = (words.next()?, words.next()?, words.next()?);
    let number: f64 = number.parse().unwrap();
    let metrics = metrics.as_object()?;
    let names = metrics.keys().filter(|name| path.starts_with(&format!("{name}.")));
    let Some(name) = names.max_by_key(|name| name.len()) else {
        return Some(format!("no metric for {condition}"));
    };
    let field = &path[name.len() + 1..];
    let value = match field.strip_prefix("thresholds.") {
        Some(expression) => &metrics[name]["thresholds"][expression],
        None => &metrics[name][field],
    };
    let value = value.as_bool().map(f64::from).or(value.as_f64()).unwrap_or(f64::NAN);
    let holds = match sign {
        "==" => (value - number).abs() < 1e-9,
        ">=" => value >= number,
        "<=" => value <= number,
        ">" => value > number,
        "<" => value < number,
        _ => panic!("{condition}: the sign {sign}"),
    };
    (!holds).then(|| format!("{condition}: it is {value}"))
}

#[test]
fn the_corpus_does_what_its_first_lines_say() {
    let (_running, address) = target();
    let url = format!("http://{address}");
    let all = corpus();
    assert!(all.len() > 70, "{}", all.len());
    let left = Mutex::new(all.into_iter());
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..SCRIPTS_AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(path) = left.lock().unwrap().next() else { return };
                    let faults = faults(&path, &url);
                    found.lock().unwrap().extend(faults);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// A script that says when it runs, would run for long, and takes so long to tear down.
fn interrupted(name: &str, teardown_seconds: &str, signals: &[&str]) -> Transcript {
    let folder = Folder::new(name);
    let script = folder.write(
        "script.js",
        &format!(
            "import {{ sleep }} from 'k6';
            export const options = {{ vus: 1, duration: '30s' }};
            export default function () {{ console.log('iteration'); sleep(20); }}
            export function teardown() {{ console.log('teardown'); sleep({teardown_seconds}); }}"
        ),
    );
    let mut child = command(&["k6", "run", "--log-format", "raw", &script]).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    for awaited in signals {
        while !told.ends_with(&format!("{awaited}\n")) {
            assert!(stderr.read_line(&mut told).unwrap() > 0, "{told}");
        }
        signal(&child, Signal::INT);
    }
    stderr.read_to_string(&mut told).unwrap();
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    Transcript { code: child.wait().unwrap().code(), stdout, stderr: told }
}

#[test]
fn the_first_signal_ends_the_test_with_teardown_and_summary() {
    let run = interrupted("k6-int-1", "0", &["iteration"]);
    assert_eq!(run.code, Some(105), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("teardown\n"), "{}", run.stderr);
    assert!(run.stderr.contains("aborted because"), "{}", run.stderr);
    assert!(run.stdout.contains("TOTAL RESULTS"), "{}", run.stdout);
    assert!(run.stdout.contains("0 complete and 1 interrupted iterations"), "{}", run.stdout);
}

#[test]
fn the_second_signal_ends_the_process() {
    let run = interrupted("k6-int-2", "20", &["iteration", "teardown"]);
    assert_eq!(run.code, Some(105), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains("TOTAL RESULTS"), "{}", run.stdout);
}

#[test]
fn a_run_is_kept_with_its_origin() {
    let folder = Folder::new("k6-store");
    let script =
        folder.write("kept.js", "export const options = { iterations: 3 }; export default () => {};");
    let store = folder.file("runs.weir");
    let run = weir(&["k6", "run", "-q", "--store", &store, &script]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let list = weir(&["runs", "--store", &store]);
    assert!(list.stdout.contains("kept.js"), "{}{}", list.stdout, list.stderr);
}

#[test]
fn logs_go_where_flags_say_in_the_form_they_say() {
    let folder = Folder::new("k6-logs");
    let script = folder.write(
        "log.js",
        "export default () => { console.log('a\"b'); console.debug('quiet'); console.warn('w'); };",
    );
    let log = folder.file("log.txt");
    let run = weir(&[
        "k6",
        "run",
        "-v",
        "-q",
        "--log-output",
        &format!("file={log}"),
        "--log-format",
        "json",
        &script,
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let lines: Vec<Value> = std::fs::read_to_string(&log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = lines.iter().map(|line| (line["level"].as_str(), line["msg"].as_str())).collect();
    let expected =
        [(Some("info"), Some("a\"b")), (Some("debug"), Some("quiet")), (Some("warning"), Some("w"))];
    assert_eq!(told, expected);
    let console = folder.file("console.txt");
    let run = weir(&["k6", "run", "-q", "--log-format", "raw", "--console-output", &console, &script]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    assert_eq!(std::fs::read_to_string(&console).unwrap(), "a\"b\nw\n");
}

#[test]
fn a_new_script_runs_and_run_knows_scripts_by_their_names() {
    let (_running, address) = target();
    let folder = Folder::new("k6-new");
    let script = folder.file("mine.js");
    let made = weir(&["k6", "new", &script]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let again = weir(&["k6", "new", &script]);
    assert_eq!(again.code, Some(255));
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
    let url = format!("URL=http://{address}/hello");
    let run = weir(&["run", "-q", "-i", "1", "-u", "1", "-e", &url, &script]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("checks_succeeded...: 100.00% 1 out of 1"), "{}", run.stdout);
}

#[test]
fn commands_that_are_not_there_say_what_is() {
    let run = weir(&["k6", "cloud", "script.js"]);
    assert_eq!(run.code, Some(255));
    assert!(run.stderr.starts_with("error: `cloud` is not there: "), "{}", run.stderr);
    let version = weir(&["k6", "version"]);
    assert_eq!(version.code, Some(0));
    assert!(version.stdout.starts_with("weir k6 v"), "{}", version.stdout);
}
