//! Every configuration that Tulip shipped gives the plan that its release would have run.

use crate::shown;
use expect_test::{ExpectFile, expect_file};
use std::path::Path;

fn check(name: &str, expected: ExpectFile) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(tulip::is_config(&text), "{name}");
    let loaded = tulip::parse(&text, name, None);
    expected.assert_eq(&shown(&loaded));
    let run = loaded.run.unwrap();
    for index in 0..run.plan.scenarios.len() {
        assert!(scenario::Program::compile(&run.plan, index).is_ok(), "{name} {index}");
    }
}

#[test]
fn the_corpus() {
    check("A-2024-08-seed-default.json", expect_file!["gold/A-2024-08-seed-default.txt"]);
    check("B-2.0.0-mbench.json", expect_file!["gold/B-2.0.0-mbench.txt"]);
    check("C-2.0.5-benchmark_config.jsonc", expect_file!["gold/C-2.0.5-benchmark_config.txt"]);
    check("D-2.1.5-benchmark_config.jsonc", expect_file!["gold/D-2.1.5-benchmark_config.txt"]);
    check("E-2.1.17-benchmark_config.jsonc", expect_file!["gold/E-2.1.17-benchmark_config.txt"]);
    check("F-2.2.5-benchmark_config.jsonc", expect_file!["gold/F-2.2.5-benchmark_config.txt"]);
    check("G-2.3.4-benchmark_config.jsonc", expect_file!["gold/G-2.3.4-benchmark_config.txt"]);
    check("G-kwrk-default.json", expect_file!["gold/G-kwrk-default.txt"]);
}

#[test]
fn a_corpus_file_cut_anywhere_or_with_a_byte_changed_ends_in_findings_or_a_plan() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/G-2.3.4-benchmark_config.jsonc");
    let text = std::fs::read_to_string(path).unwrap();
    let mut random = units::Random::new(7);
    for _ in 0..300 {
        let at = random.below(text.len() as u64) as usize;
        let mut bytes = text.clone().into_bytes();
        match random.below(3) {
            0 => bytes.truncate(at),
            1 => bytes[at] = random.below(128) as u8,
            _ => _ = bytes.remove(at),
        }
        let changed = String::from_utf8_lossy(&bytes).into_owned();
        let loaded = tulip::parse(&changed, "c.json", None);
        assert!(loaded.run.is_some() || !loaded.diagnostics.is_empty(), "{changed}");
    }
}
