//! `weir compare`: real runs against each other.

use crate::command::{Folder, weir};
use crate::server::target;
use serde_json::Value;

/// Runs of a path of 2 ms or so, kept as files.
fn runs(folder: &Folder, address: &str, names: &[&str], path: &str) -> Vec<String> {
    let run = |name: &&str| {
        let file = folder.file(&format!("{name}.json"));
        let url = format!("{address}{path}");
        let args = ["http", &url, "-c", "4", "-r", "200/s", "-n", "60", "-q", "--no-store", "--json", &file];
        assert_eq!(weir(&args).code, Some(0));
        file
    };
    names.iter().map(run).collect()
}

/// A record as if its time had been another: JSON in, JSON out.
fn with_times(file: &str, to: &str, factor: f64) {
    let mut record: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    record["run_id"] = Value::from(to.rsplit('/').next().unwrap());
    record["verdict"]["state"] = Value::from("valid");
    for of in ["response_ns", "service_ns"] {
        for figure in ["mean", "p50", "p75", "p90"] {
            record["phases"][0][of][figure] = Value::from((2e6 * factor) as u64);
        }
    }
    std::fs::write(to, serde_json::to_vec(&record).unwrap()).unwrap();
}

#[test]
fn several_runs_a_side_are_decided_and_fail_where_asked() {
    let folder = Folder::new("compare-several");
    let (_running, address) = target();
    let made = runs(&folder, &address, &["one"], "/delay?ms=2");
    let side = |name: &str, factors: [f64; 3]| -> Vec<String> {
        let file = |(factor, index): (f64, usize)| {
            let file = folder.file(&format!("{name}{index}.json"));
            with_times(&made[0], &file, factor);
            file
        };
        factors.into_iter().zip(0..).map(file).collect()
    };
    let (a, b) = (side("a", [1.0, 1.001, 0.999]), side("b", [1.1, 1.101, 1.102]));
    let words = |extra: &[&str]| -> Vec<String> {
        let flags = ["compare", "--metric", "p50"].iter().chain(extra).map(|word| (*word).to_owned());
        flags.chain(["--a".to_owned()]).chain(a.clone()).chain(["--b".to_owned()]).chain(b.clone()).collect()
    };
    let text = weir(&words(&[]));
    assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
    assert!(
        text.stdout.contains("✗ slower     2 of 2: response p50 +10.1%, service p50 +10.1%"),
        "{}",
        text.stdout
    );
    assert!(text.stdout.contains("the run: 3 against 3"), "{}", text.stdout);
    assert!(text.stdout.lines().all(|line| line.chars().count() <= 80), "{}", text.stdout);
    assert_eq!(weir(&words(&["--fail-on", "slower"])).code, Some(1));
    assert_eq!(weir(&words(&["--fail-on", "slower", "--margin", "20%"])).code, Some(0));
    let json: Value = serde_json::from_str(&weir(&words(&["--format", "json"])).stdout).unwrap();
    assert_eq!(json["candidates"][0]["rows"][0]["verdict"], "slower");
    assert_eq!(json["candidates"][0]["rows"][0]["metric"], "response.p50");
    let markdown = weir(&words(&["--format", "markdown"])).stdout;
    assert!(
        markdown.contains("| ✗ | measure | response p50 | 2.00 ms | 2.20 ms | +202 µs | +10.1% |"),
        "{markdown}"
    );
}

#[test]
fn single_runs_are_shown_and_not_decided() {
    let folder = Folder::new("compare-single");
    let (_running, address) = target();
    let made = runs(&folder, &address, &["a", "b"], "/hello");
    let compared = weir(&["compare", "--force", &made[0], &made[1]]);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    assert!(compared.stdout.contains("one run a side can't decide"), "{}", compared.stdout);
    let gate = weir(&["compare", "--force", &made[0], &made[1], "--fail-on", "slower"]);
    assert_eq!(gate.code, Some(2));
    assert!(gate.stderr.contains("so this could never fail"), "{}", gate.stderr);
}

#[test]
fn what_cant_be_compared_is_refused() {
    let folder = Folder::new("compare-refused");
    let (_running, address) = target();
    let a = runs(&folder, &address, &["a"], "/hello").remove(0);
    let b = runs(&folder, &address, &["b"], "/echo").remove(0);
    let check = |args: &[&str], expected: &str| {
        let refused = weir(&[&["compare"], args].concat());
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    };
    check(&[&a, &b], "the plans ask for different work: ");
    check(&[&a, &a], "is named more than once");
    check(&[&a], "there is nothing to compare");
    check(&[&a, &b, "--metric", "p98"], "`p98` is no metric");
    check(&[&a, &b, "--margin", "2"], "--margin");
    check(&[&a, &folder.file("gone.json")], "gone.json");
}

#[test]
fn a_label_is_all_runs_that_have_it() {
    let folder = Folder::new("compare-labels");
    let (_running, address) = target();
    let (url, store) = (format!("{address}/delay?ms=2"), folder.file("runs.db"));
    for label in ["build=main", "build=feature", "build=main", "build=feature"] {
        let args =
            ["http", &url, "-c", "4", "-r", "200/s", "-n", "40", "-q", "--store", &store, "--label", label];
        assert_eq!(weir(&args).code, Some(0));
    }
    let compared = weir(&["compare", "build=main", "build=feature", "--force", "--store", &store]);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    assert!(compared.stdout.contains("the run: 2 against 2"), "{}", compared.stdout);
    let none = weir(&["compare", "build=main", "build=none", "--store", &store]);
    assert!(none.stderr.contains("no ended run is labelled `build=none`"), "{}", none.stderr);
}
