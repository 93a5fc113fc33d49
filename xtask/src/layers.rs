//! The layers: the table in `ARCHITECTURE.md` held against what cargo knows and against the code.
//!
//! A crate uses crates of lower levels only. Levels 0–2 are pure: time and seed are arguments, so nothing there reads a clock, a
//! file, a socket, the environment or starts a thread, `netio`'s real drivers excepted. Below level 3 no foreign tool has a name.

use crate::source::{Finding, SourceFile, Tree, cargo, has_word, root};
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeMap;

const TABLE: &str = "ARCHITECTURE.md";
/// Below this level code is pure and knows no foreign tool.
const PURE_BELOW: u32 = 3;
/// Whose purpose is what the other pure crates must not do.
const DRIVERS: &str = "netio";

/// Other load generators: their words belong into the crates that know them.
const FOREIGN: [&str; 4] = ["k6", "wrk", "hyperfoil", "tulip"];

/// What pure code does not touch, and what it takes in its place.
const IMPURE: [(&str, &str); 12] = [
    ("std::time::Instant", "take `now_ns: u64` as an argument"),
    ("Instant::now", "take `now_ns: u64` as an argument"),
    ("SystemTime", "take the wall clock's reading as an argument"),
    ("std::fs", "take the bytes as an argument; front ends read files"),
    ("File::open", "take the bytes as an argument; front ends read files"),
    ("std::env", "take the value as an argument; `cli` reads the environment"),
    ("env::var", "take the value as an argument; `cli` reads the environment"),
    ("std::thread", "start threads in `runner`"),
    ("thread::spawn", "start threads in `runner`"),
    ("TcpStream", "use sockets in `netio`"),
    ("TcpListener", "use sockets in `netio`"),
    ("ToSocketAddrs", "resolve names in `runner`"),
];

/// Level by crate.
type Levels = BTreeMap<String, u32>;

/// Everything that breaks the layers.
pub(crate) fn findings(tree: &Tree) -> Result<Vec<Finding>> {
    let text =
        tree.file(TABLE).map(|file| file.text.as_str()).with_context(|| format!("there is no {TABLE}"))?;
    let levels = table(text);
    if levels.is_empty() {
        bail!("{TABLE} has no rows `| level | `crate` | purpose |`");
    }
    let mut findings = against_cargo(&levels, &uses()?);
    for file in tree.rust() {
        let Some(level) = file.crate_name().and_then(|name| levels.get(name)) else { continue };
        if *level < PURE_BELOW {
            foreign_words(file, &mut findings);
            if file.crate_name() != Some(DRIVERS) {
                impure_code(file, &mut findings);
            }
        }
    }
    Ok(findings)
}

/// The rows `| level | `crate` | purpose |`.
fn table(text: &str) -> Levels {
    let row = |line: &str| -> Option<(String, u32)> {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let level = cells.next()?.parse().ok()?;
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name.to_owned(), level))
    };
    text.lines().filter_map(row).collect()
}

/// Each crate of the workspace with those that it depends on, for tests and builds too.
fn uses() -> Result<BTreeMap<String, Vec<String>>> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .context("can't run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let name_of = |value: &serde_json::Value| value["name"].as_str().map(str::to_owned);
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let used_by = |package: &serde_json::Value| {
        let used = package["dependencies"].as_array().into_iter().flatten();
        used.filter(|used| used["path"].is_string()).filter_map(name_of).collect()
    };
    Ok(packages.iter().filter_map(|package| Some((name_of(package)?, used_by(package)))).collect())
}

fn against_cargo(levels: &Levels, uses: &BTreeMap<String, Vec<String>>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut say = |path: String, fault: String, mend: &str| {
        findings.push(Finding { path, line: 0, fault, mend: mend.to_owned() });
    };
    for (name, used) in uses {
        let manifest = format!("crates/{name}/Cargo.toml");
        let Some(level) = levels.get(name) else {
            say(
                manifest,
                format!("`{name}` is not in the table of {TABLE}"),
                "give it a row with its level and purpose",
            );
            continue;
        };
        for used in used {
            // One without a level is reported by itself.
            if let Some(below) = levels.get(used).filter(|below| *below >= level) {
                say(
                    manifest.clone(),
                    format!("`{name}` (level {level}) uses `{used}` (level {below})"),
                    "a crate uses lower levels only: move what both need down, or pass it in",
                );
            }
        }
    }
    for name in levels.keys().filter(|name| !uses.contains_key(*name)) {
        say(TABLE.to_owned(), format!("the table names `{name}`, which is no crate"), "remove the row");
    }
    findings
}

fn foreign_words(file: &SourceFile, findings: &mut Vec<Finding>) {
    for (number, line) in (1..).zip(file.text.lines()) {
        let lower = line.to_ascii_lowercase();
        let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
        for word in words.filter(|word| FOREIGN.iter().any(|foreign| word.starts_with(foreign))) {
            findings.push(file.finding(
                number,
                format!("`{word}` is known below level {PURE_BELOW}"),
                "say it in the field's words, or move it to the crate of that tool",
            ));
        }
    }
}

fn impure_code(file: &SourceFile, findings: &mut Vec<Finding>) {
    for line in file.lines().into_iter().filter(|line| !line.is_comment && !line.is_test) {
        for (what, instead) in IMPURE.iter().filter(|(what, _)| has_word(line.text, what)) {
            findings.push(file.finding(line.number, format!("`{what}` below level {PURE_BELOW}"), *instead));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::check_none;

    #[test]
    fn the_tree_keeps_its_layers() {
        check_none(&findings(&Tree::read().unwrap()).unwrap());
    }

    #[test]
    fn rows_are_read_and_other_tables_are_not() {
        let text = "| level | crate | purpose |\n|---|---|---|\n| 0 | `units` | x |\n| 7 | `cli` | a, `b` |\n| ours | `k` | v |\n";
        assert_eq!(table(text), Levels::from([("units".to_owned(), 0), ("cli".to_owned(), 7)]));
    }

    #[test]
    fn upward_and_sideward_uses_unknown_and_missing_crates_are_found() {
        let levels = table("| 0 | `a` | |\n| 1 | `b` | |\n| 1 | `c` | |\n| 2 | `gone` | |");
        let uses = |list: &[(&str, &[&str])]| {
            list.iter()
                .map(|(name, used)| ((*name).to_owned(), used.iter().map(|u| (*u).to_owned()).collect()))
                .collect()
        };
        let found = against_cargo(
            &levels,
            &uses(&[("a", &["b"]), ("b", &["a", "c"]), ("c", &["a"]), ("new", &["a"])]),
        );
        let faults: Vec<&str> = found.iter().map(|finding| finding.fault.as_str()).collect();
        assert_eq!(
            faults,
            [
                "`a` (level 0) uses `b` (level 1)",
                "`b` (level 1) uses `c` (level 1)",
                "`new` is not in the table of ARCHITECTURE.md",
                "the table names `gone`, which is no crate",
            ]
        );
    }

    #[test]
    fn clocks_in_code_are_found_and_in_tests_are_not() {
        let text = "// Instant::now in words\nfn a() { std::time::Instant::now(); }\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        let file = SourceFile { path: "crates/a/src/lib.rs".to_owned(), text: text.to_owned() };
        let mut found = Vec::new();
        impure_code(&file, &mut found);
        assert!(found.len() == 2 && found.iter().all(|finding| finding.line == 2), "{found:?}");
        let file = SourceFile {
            path: "crates/a/src/lib.rs".to_owned(),
            text: "fn from_k6() {} // work, Wrk2".to_owned(),
        };
        let mut found = Vec::new();
        foreign_words(&file, &mut found);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
