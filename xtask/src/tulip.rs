//! `cargo xtask ci tulip`: the configuration in the README of Tulip's first releases, whole, in a twentieth of its time, against `weir target`.
//! Every row that the README shows must be there.

use crate::ci::Places;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

/// Benchmarks, their iterations, and the labels of their actions.
const ROWS: [(&str, usize, &[&str]); 8] = [
    ("Init", 1, &["[0.start]", "[8.login]"]),
    ("Max TPS-a", 3, &["[9.noop]"]),
    ("Max TPS-b", 3, &["[9.noop]"]),
    ("Fixed TPS-a", 4, &["[1.DELAY-6ms]", "[2.DELAY-14ms]"]),
    ("Fixed TPS-b", 4, &["[10.DELAY-10ms]"]),
    ("HTTP-a", 3, &HTTP),
    ("HTTP-b", 3, &HTTP),
    ("Shutdown", 1, &["[99.stop]"]),
];
const HTTP: [&str; 5] =
    ["[3.HTTP-posts]", "[4.HTTP-comments]", "[5.HTTP-albums]", "[6.HTTP-photos]", "[7.HTTP-todos]"];

pub(crate) fn check(places: &Places) -> Result<()> {
    let mut target = Command::new(places.weir())
        .args(["target", "--listen", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let outcome = target.stdout.take().context("stdout is piped").and_then(|stdout| {
        let mut stdout = BufReader::new(stdout);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let address = line.split_once("://").and_then(|(_, rest)| rest.split('/').next());
        run(places, address.with_context(|| format!("`weir target` did not say where it serves: {line}"))?)
    });
    target.kill()?;
    target.wait()?;
    outcome
}

fn run(places: &Places, address: &str) -> Result<()> {
    let corpus = places.root.join("crates/tulip/tests/corpus/A-2024-08-seed-default.json");
    let text = fs::read_to_string(&corpus).with_context(|| corpus.display().to_string())?;
    let config = places.target.join("ci-tulip.json");
    fs::write(&config, text.replace("https://jsonplaceholder.typicode.com", &format!("http://{address}")))?;
    let ended = Command::new(places.weir())
        .args(["run", "--quiet", "--no-tulip-files", "--time-scale", "0.05"])
        .arg("--store")
        .arg(places.target.join("ci-tulip.db"))
        .arg(&config)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(ended.status.success(), "`weir run` ended with {}", ended.status);
    let printed = String::from_utf8(ended.stdout)?;
    ensure!(rows(&printed) == expected(), "rows are missing or new:\n{printed}");
    Ok(())
}

/// Per benchmark: its name, then what stands in the column of run ids, row by row.
fn rows(printed: &str) -> Vec<Vec<String>> {
    let table = printed.split("\nResponse time").next().unwrap_or_default();
    let groups = table.split("\n\n").filter(|group| group.starts_with("SID"));
    let mut rows = Vec::new();
    for group in groups {
        let mut lines = group.lines();
        let (Some(head), Some(title)) = (lines.next(), lines.next()) else { continue };
        let column = |name: &str| head.find(name).unwrap_or(0);
        // The heads stand in the middle of their columns: ids begin where the first one, a label, does.
        let ids_from = group.lines().find_map(|line| line.find('[')).unwrap_or(column("RID"));
        let mut group_rows = vec![title.trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned()];
        group_rows.extend(lines.map(|line| {
            let cell = line.get(ids_from..).unwrap_or_default();
            // The total has none.
            cell.split(' ').next().unwrap_or_default().to_owned()
        }));
        rows.push(group_rows);
    }
    rows
}

fn expected() -> Vec<Vec<String>> {
    let group = |(name, iterations, labels): &(&str, usize, &[&str])| {
        let iterations = (0..*iterations).map(|index| index.to_string());
        let labels = labels.iter().map(|label| (*label).to_owned());
        [(*name).to_owned()].into_iter().chain(iterations).chain(labels).chain([String::new()]).collect()
    };
    ROWS.iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_readme_are_the_expected_ones_but_for_a_name() {
        let readme = include_str!("../../crates/tulip/tests/it/gold/table-fast.txt");
        let mut wanted = expected();
        // Its configuration had no name for the last action.
        wanted[7][2] = "[99]".to_owned();
        assert_eq!(rows(&format!("{readme}\n")), wanted);
    }
}
