//! What the fuzz target `plan` does with its bytes; the crate's own tests run it over seeds and mutations of them.

use crate::{InMemory, parse_bytes, render};
use plan::Severity;

/// Reads any bytes as a plan. Panics if the reader does, or if it hands out neither a plan nor a reason.
pub fn plan(data: &[u8]) {
    let files =
        InMemory([("users.csv".to_owned(), data.to_vec()), ("rows.json".to_owned(), data.to_vec())].into());
    for name in ["plan.yaml", "plan.json"] {
        let loaded = parse_bytes(data, name, &files);
        let has_errors = loaded.diagnostics.iter().any(|finding| finding.severity == Severity::Error);
        assert_eq!(loaded.plan.is_none(), has_errors, "a plan or a reason: {:?}", loaded.diagnostics);
        for finding in &loaded.diagnostics {
            // Without a place: what `Plan::faults` finds and the checks before it should have found.
            let is_count = finding.message.ends_with("more findings are left out");
            assert!(finding.location.is_some() || is_count, "without a place: {finding}");
            let shown = render(finding, &loaded.source);
            assert!(!shown.contains('\u{1b}'), "a terminal would obey {shown:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{InMemory, parse_bytes};
    use std::path::Path;
    use units::Random;

    /// What plans are made of, and what parsers stumble over.
    const PIECES: [&str; 40] = [
        "\n",
        " ",
        "\t",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "'",
        "\\",
        "|",
        ">",
        "#",
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        "---\n",
        "%",
        "@",
        "~",
        "${",
        "${users.name}",
        "$${",
        "\u{0}",
        "\u{85}",
        "\u{feff}",
        "\u{202e}",
        "😀",
        "\\ud83d\\ude00",
        "\r\n",
        "0",
        "-1",
        "1e9",
        "18446744073709551616",
        "5s",
        "200/s",
    ];

    fn seeds() -> Vec<Vec<u8>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["../../examples", "../../fuzz/seeds/plan", "tests/broken", "tests/broken/files"];
        let mut paths: Vec<_> = folders
            .iter()
            .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("part of the repository"))
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
    }

    fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
        let mut below = |bound: usize| random.below(bound as u64) as usize;
        let from = below(bytes.len() + 1);
        let to = (from + below(40)).min(bytes.len());
        match below(7) {
            0 => _ = bytes.drain(from..to),
            1 => bytes.iter_mut().skip(from).take(1).for_each(|byte| *byte ^= 1 << below(8)),
            2 => _ = bytes.splice(from..from, PIECES[below(PIECES.len())].bytes()),
            3 => _ = bytes.splice(from..to, PIECES[below(PIECES.len())].bytes()),
            4 => {
                let again = bytes[from..to].to_vec();
                _ = bytes.splice(from..from, again);
            }
            5 => {
                let start = below(other.len() + 1);
                let piece = &other[start..(start + below(80)).min(other.len())];
                _ = bytes.splice(from..to, piece.iter().copied());
            }
            _ => bytes.truncate(from),
        }
    }

    /// A plan without findings fails no later: its scenarios compile too.
    fn what_loads_can_run(bytes: &[u8]) {
        let Some(plan) = parse_bytes(bytes, "plan.yaml", &InMemory::default()).plan else { return };
        for index in 0..plan.scenarios.len() {
            let compiled = scenario::Program::compile(&plan, index);
            assert!(compiled.is_ok(), "{:?}", compiled.err());
        }
    }

    #[test]
    fn seeds_and_their_mutations_give_a_plan_or_a_reason() {
        const MUTATION_COUNT: usize = 1_500;
        let seeds = seeds();
        for seed in &seeds {
            super::plan(seed);
        }
        let mut random = Random::new(20);
        for round in 0..MUTATION_COUNT {
            let mut bytes = seeds[round % seeds.len()].clone();
            let other = &seeds[random.below(seeds.len() as u64) as usize];
            for _ in 0..=random.below(4) {
                mutate(&mut bytes, other, &mut random);
            }
            let shown = bytes.clone();
            let outcome = std::panic::catch_unwind(|| {
                super::plan(&bytes);
                what_loads_can_run(&bytes);
            });
            assert!(outcome.is_ok(), "round {round}: {}", String::from_utf8_lossy(&shown));
        }
    }
}
