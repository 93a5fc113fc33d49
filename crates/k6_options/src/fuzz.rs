//! What the fuzz target `k6_options` does with its bytes; the crate's own tests run it over seeds and mutations of them.

use crate::{
    Colour, Command, CommandLine, ConfigFile, Consolidated, Executor, GoDuration, Layers, Options,
    ProgressBlock, ProgressHead, ProgressRow, ScenarioNow, ScenarioState, StartText,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// So many due times and steps are looked at.
const LOOK_COUNT: usize = 2_000;

/// Reads any bytes as options in JSON, as a configuration file, as variables and as a command line. Panics if a reader does, if options do not
/// read back from what is shown of them, or if what runs can't be shown.
pub fn options(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = ConfigFile::parse(text);
    let words: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
    let flags = command_lines(&words);
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let variables: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let variables = Options::from_variables(&variables).unwrap_or_default();
    let script = match serde_json::from_str::<Value>(text).map(|value| Options::from_script(&value)) {
        Ok(Ok(script)) => script.options,
        _ => Options::default(),
    };
    reads_back(&script);
    let layers = Layers { config_file: Options::default(), script, variables, flags };
    if let Ok(test) = layers.consolidate() {
        shows(&test);
    }
}

fn command_lines(words: &[String]) -> Options {
    let mut flags = Options::default();
    for command in [Command::Run, Command::Archive, Command::Inspect] {
        if let Ok(read) = CommandLine::read(command, words) {
            flags = read.options;
        }
    }
    flags
}

fn reads_back(options: &Options) {
    let shown = options.inspect();
    let value: Value =
        serde_json::from_str(&shown.to_go_pretty()).unwrap_or_else(|fault| panic!("{fault}: {shown:?}"));
    match Options::from_script(&value) {
        Ok(again) => assert_eq!(again.options.inspect().to_go_compact(), shown.to_go_compact()),
        Err(fault) => panic!("{fault}: {}", shown.to_go_compact()),
    }
}

fn shows(test: &Consolidated) {
    let json = test.as_seen_by_scripts().to_go_compact();
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
    let requirements = test.requirements();
    assert!(requirements.steps().is_sorted_by_key(|step| step.at_ns));
    let start = StartText { script: "", outputs: &[], web_dashboard: None }.text(test, Colour::Ansi);
    assert!(start.ends_with('\n'));
    let mut rows = Vec::new();
    for (name, scenario) in test.scenarios() {
        let own = scenario.requirements(&test.share);
        assert!(own.vus_max() <= requirements.vus_max() && own.end() <= requirements.end());
        let state = ScenarioState::Running;
        let elapsed = GoDuration::from_ns(scenario.regular_end().ns() / 3);
        let now =
            ScenarioNow { state, elapsed, active_vus: 3, busy_vus: 1, iterations: 5, rate_per_sec: 0.1 };
        let progress = scenario.progress(&test.share, &now);
        assert!((0.0..=1.0).contains(&progress.done_ratio), "{progress:?}");
        rows.push(ProgressRow { name, state: Some(state), progress });
        let due: Vec<u64> = match &scenario.executor {
            Executor::ConstantArrivalRate(executor) => {
                executor.due_times(&test.share).into_iter().flatten().take(LOOK_COUNT).collect()
            }
            Executor::RampingArrivalRate(executor) => {
                executor.due_times(&test.share).into_iter().flatten().take(LOOK_COUNT).collect()
            }
            Executor::RampingVus(executor) => {
                executor.steps(&test.share).take(LOOK_COUNT).map(|step| step.at_ns).collect()
            }
            _ => Vec::new(),
        };
        assert!(due.is_sorted(), "{name}: {due:?}");
    }
    for columns in [None, Some(0), Some(80)] {
        let lines =
            ProgressBlock { head: ProgressHead::Setup, rows: rows.clone() }.lines(columns, Colour::Ansi);
        assert_eq!(lines.len(), rows.len() + 2);
    }
}

#[cfg(test)]
mod tests {
    use units::Random;

    /// What options are made of, and what readers stumble over.
    const PIECES: [&str; 28] = [
        "0",
        "-1",
        "1e308",
        "2.5",
        "9223372036854775807",
        "\"5\"",
        "\"1s\"",
        "\"1d\"",
        "null",
        "true",
        "\"",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "é",
        "\"*\"",
        "\"::/0\"",
        "ramping-vus",
        "constant-arrival-rate",
        "externally-controlled",
        "1/3",
        "-",
        "=",
        " ",
        "h",
    ];

    #[test]
    fn seeds_and_what_is_made_of_them_end_in_an_answer() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/k6_options");
        let mut random = Random::new(7);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let seed = std::fs::read(entry.unwrap().path()).unwrap();
            super::options(&seed);
            for _ in 0..300 {
                let mut bytes = seed.clone();
                for _ in 0..=random.bits() % 3 {
                    let at = (random.bits() % bytes.len() as u64) as usize;
                    let piece = PIECES[(random.bits() % PIECES.len() as u64) as usize];
                    let end = (at + (random.bits() % 6) as usize).min(bytes.len());
                    bytes.splice(at..end, piece.bytes());
                }
                super::options(&bytes);
                count += 1;
            }
        }
        assert!(count >= 1_500, "{count}");
    }
}
