//! What the fuzz target `k6_metrics` does with its bytes; the crate's own tests run it over seeds and mutations of them.

use crate::text::{LegacyText, ModernText};
use crate::{
    Books, Detail, Json, JunitNames, MetricKey, Moment, Registry, Summary, SystemTags, Thresholds, junit,
    read_thresholds,
};

/// Reads any bytes as a metric's key, as the option `thresholds`, and as what a script handed back as its summary. Panics if a reader does, if a message
/// would break out of its line, or if what was read can't be shown.
pub fn texts(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(key) = MetricKey::parse(text) {
        assert!(!key.name.is_empty() && key.suffix.is_empty() == key.tags.is_empty());
    }
    let Ok(json) = Json::parse(text) else { return };
    let registry = Registry::new(SystemTags::default());
    let said = match read_thresholds(&json) {
        Err(errors) => errors,
        Ok(specs) => match Thresholds::new(&registry, &specs) {
            Err(errors) => errors,
            Ok(mut thresholds) => {
                let books = Books::new(&registry, Detail::Compact);
                assert_eq!(
                    thresholds.evaluate(&books, 1, Moment::Periodic).crossed.len(),
                    0,
                    "nothing was sampled"
                );
                thresholds.evaluate(&books, 1, Moment::Final);
                Vec::new()
            }
        },
    };
    for error in said {
        assert!(!error.to_string().contains(['\n', '\u{1b}']), "{error}");
    }
    let summary = Summary::from_json(&json);
    let again = summary.to_json();
    assert_eq!(Summary::from_json(&again).to_json(), again);
    for printed in [LegacyText::default().render(&summary), ModernText::default().render(&summary)] {
        assert!(!printed.chars().any(|c| c.is_control() && c != '\n'), "{printed:?}");
    }
    assert!(junit(&summary, &JunitNames::default()).ends_with("</testsuites>"));
}

#[cfg(test)]
mod tests {
    use units::Random;

    /// What these texts are made of, and what readers stumble over.
    const PIECES: [&str; 20] = [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "null",
        "-0.0",
        "1e308",
        "9007199254740993",
        "\\u0000",
        "p(95)<1",
        "===",
        "\"abortOnFail\":true",
        "\"delayAbortEval\":\"1s\"",
        "{\"a\":",
        "http_reqs{a:b}",
        "\u{1b}",
    ];

    #[test]
    fn seeds_and_their_mutations_do_no_harm() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/k6_metrics");
        let mut random = Random::new(11);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let seed = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            super::texts(seed.as_bytes());
            for _ in 0..200 {
                let mut text: Vec<char> = seed.chars().collect();
                for _ in 0..=random.below(4) {
                    let at = random.below(text.len() as u64 + 1) as usize;
                    let end = (at + random.below(6) as usize).min(text.len());
                    let piece = PIECES[random.below(PIECES.len() as u64) as usize];
                    text.splice(at..end, piece.chars());
                }
                super::texts(text.into_iter().collect::<String>().as_bytes());
                count += 1;
            }
        }
        assert!(count >= 600, "there are seeds");
    }
}
