//! Tulip's result files: written, held against a strict reading of their description, and read back.

use crate::table::record;
use record::{RunRecord, VerdictState};
use tulip::{Form, output_json, read_output, table};

/// Tulip's own table, without what a result file can't hold: response times, legend and verdict.
pub(crate) fn own_table(record: &RunRecord) -> String {
    let table = table(record).unwrap();
    let end = table.find("\nResponse time").or(table.find("\nRT    ")).unwrap();
    table[..end].to_owned()
}

pub(crate) fn read(text: &str) -> RunRecord {
    read_output(text).unwrap().unwrap()
}

#[test]
fn what_is_written_reads_back_as_the_same_table() {
    let record = record();
    for form in [Form::Seed, Form::Newest] {
        let text = output_json(&record, form).unwrap();
        let back = read(&text);
        // The last releases' stamps have whole seconds.
        let expected =
            own_table(&record).replace(".045\n", if form == Form::Seed { ".045\n" } else { ".000\n" });
        assert_eq!(own_table(&back), expected, "{form:?}");
        assert_eq!(output_json(&back, form).unwrap().len(), text.len());
    }
}

#[test]
fn results_of_real_releases_are_read() {
    for text in [include_str!("../corpus/output-2.1.8.json"), include_str!("../corpus/output-2.1.12.json")] {
        let record = read(text);
        assert_eq!(record.verdict.state, VerdictState::Suspect);
    }
}

/// Holds a text against the description of a form: one step after another along the text, keys in their order, types, no key more.
struct Strict<'t> {
    value: &'t serde_json::Value,
    path: String,
}

/// What a key's value must be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Whole,
    Double,
    Stamp(usize),
    Object,
    Histogram,
}

use Kind::{Double, Histogram, Object, Stamp, Text, Whole};

/// `yyyy-MM-dd_HH:mm:ss.SSS`, and without the fraction.
const WITH_MS: usize = 23;
const WITHOUT_MS: usize = 19;

const SEED_TIMES: [(&str, Kind); 10] = [
    ("num_actions", Whole),
    ("num_failed", Whole),
    ("avg_tps", Double),
    ("avg_rt", Double),
    ("sdev_rt", Double),
    ("min_rt", Double),
    ("max_rt", Double),
    ("max_rt_ts", Stamp(WITH_MS)),
    ("percentiles_rt", Object),
    ("histogram_rt", Histogram),
];

const SEED_ROW: [(&str, Kind); 22] = [
    ("attributes", Object),
    ("scenario_name", Text),
    ("scenario_id", Whole),
    ("num_users", Whole),
    ("num_threads", Whole),
    ("queue_length", Whole),
    ("test_name", Text),
    ("test_id", Whole),
    ("row_id", Whole),
    ("test_begin", Stamp(WITH_MS)),
    ("test_end", Stamp(WITH_MS)),
    ("java", Object),
    ("duration", Double),
    ("jvm_memory_used", Whole),
    ("jvm_memory_free", Whole),
    ("jvm_memory_total", Whole),
    ("jvm_memory_maximum", Whole),
    ("system_cpu_utilization", Double),
    ("avg_wthread_qsize", Double),
    ("max_wthread_qsize", Whole),
    ("avg_wt", Double),
    ("max_wt", Double),
];

const NEWEST_ROW: [(&str, Kind); 25] = [
    ("context_name", Text),
    ("context_id", Whole),
    ("bm_name", Text),
    ("bm_id", Whole),
    ("row_id", Whole),
    ("num_users", Whole),
    ("num_tasks", Whole),
    ("num_threads", Whole),
    ("queue_length", Whole),
    ("workflow_name", Text),
    ("test_begin", Stamp(WITHOUT_MS)),
    ("test_end", Stamp(WITHOUT_MS)),
    ("duration", Double),
    ("jvm_memory_used", Whole),
    ("jvm_memory_free", Whole),
    ("jvm_memory_total", Whole),
    ("jvm_memory_maximum", Whole),
    ("process_cpu_utilization", Double),
    ("process_cpu_cores", Double),
    ("process_cpu_time_ns", Whole),
    ("process_cgc_time_ns", Whole),
    ("avg_wthread_qsize", Double),
    ("max_wthread_qsize", Whole),
    ("avg_wt", Double),
    ("max_wt", Double),
];

/// Of a row; an action's standard deviation has another name.
fn newest_times(deviation: &'static str) -> [(&'static str, Kind); 11] {
    [
        ("num_actions", Whole),
        ("num_failed", Whole),
        ("avg_aps", Double),
        ("aps_target_rate", Double),
        ("avg_rt", Double),
        (deviation, Double),
        ("min_rt", Double),
        ("max_rt", Double),
        ("max_rt_ts", Stamp(WITHOUT_MS)),
        ("percentiles_rt", Object),
        ("hdr_histogram_rt", Histogram),
    ]
}

impl Strict<'_> {
    fn keys(&self, kinds: &[(&str, Kind)], text: &str) {
        let map = self.value.as_object().unwrap();
        let expected: std::collections::BTreeSet<&str> = kinds.iter().map(|(key, _)| *key).collect();
        let found: std::collections::BTreeSet<&str> = map.keys().map(String::as_str).collect();
        assert_eq!(found, expected, "{}", self.path);
        // The value's own map is sorted; the order is seen in the text alone.
        let mut rest = text;
        for (key, kind) in kinds {
            let quoted = format!("\"{key}\":");
            let at = rest.find(&quoted).unwrap_or_else(|| panic!("{} {key} is out of order", self.path));
            rest = &rest[at + quoted.len()..];
            let value = &map[*key];
            let is_right = match kind {
                Text => value.is_string(),
                Whole => value.is_u64(),
                Double => value.is_f64(),
                Stamp(length) => {
                    value.as_str().is_some_and(|stamp| stamp.len() == *length && stamp.contains('_'))
                }
                Object => value.is_object(),
                Histogram => {
                    let text = value.as_str().unwrap();
                    assert!(text.starts_with("HISTFAAAA"), "{text}");
                    let count = stats::Histogram::from_base64(text).unwrap().count();
                    count == map["num_actions"].as_u64().unwrap()
                }
            };
            assert!(is_right, "{} {key} is {value}", self.path);
        }
    }
}

fn check_percentiles(value: &serde_json::Value, expected: [&str; 5]) {
    let found: Vec<&String> = value["percentiles_rt"].as_object().unwrap().keys().collect();
    assert_eq!(found, expected);
    assert!(value["percentiles_rt"].as_object().unwrap().values().all(serde_json::Value::is_f64));
}

fn check_rows(text: &str, row_kinds: &[(&str, Kind)], action_kinds: &[(&str, Kind)], percentiles: [&str; 5]) {
    let whole: serde_json::Value = serde_json::from_str(text).unwrap();
    let rows = whole["results"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("\"user_actions\":{\"")).collect();
    let lines: Vec<&str> = lines.into_iter().filter(|line| line.contains("\"row_id\":")).collect();
    assert_eq!(lines.len(), rows.len(), "a row a line");
    for (index, (row, line)) in rows.iter().zip(lines).enumerate() {
        let line_of_row = &line[line.find("{\"attributes\"").or(line.find("{\"context_name\"")).unwrap()..];
        Strict { value: row, path: format!("row {index}") }.keys(row_kinds, line_of_row);
        check_percentiles(row, percentiles);
        for (id, action) in row["user_actions"].as_object().unwrap() {
            let at = line.find(&format!("\"{id}\":{{\"name\"")).unwrap();
            Strict { value: action, path: format!("action {id} of row {index}") }
                .keys(action_kinds, &line[at..]);
            check_percentiles(action, percentiles);
        }
    }
    let ids: Vec<Vec<&String>> =
        rows.iter().map(|row| row["user_actions"].as_object().unwrap().keys().collect()).collect();
    assert_eq!(ids, [vec!["12", "3"], vec!["12"]], "only actions that occurred");
}

#[test]
fn the_first_releases_form_is_as_described() {
    let text = output_json(&record(), Form::Seed).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    assert_eq!((lines[0], lines[1]), ("{  ", "\"config\": {"));
    assert_eq!(lines[lines.len() - 3..], ["]", "}", ""]);
    let head = lines
        .iter()
        .position(|line| line.starts_with(", \"timestamp\": \"2024-08-30_09:03:26.045\", \"results\":[{"))
        .unwrap();
    assert!(lines[head + 1].starts_with(",{\"attributes\":{\"type\":\"data\"},"), "{}", lines[head + 1]);
    let row: Vec<_> = SEED_ROW.into_iter().chain(SEED_TIMES).chain([("user_actions", Object)]).collect();
    let action: Vec<_> = [("name", Text)].into_iter().chain(SEED_TIMES).collect();
    check_rows(&text, &row, &action, ["50.0", "90.0", "95.0", "99.0", "99.9"]);
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = &whole["results"][0];
    // Times in ms, histograms in µs: 10 ms and 500 ms.
    assert_eq!((row["min_rt"].as_f64(), row["max_rt"].as_f64()), (Some(10.0), Some(500.0)));
    let histogram = stats::Histogram::from_base64(row["histogram_rt"].as_str().unwrap()).unwrap();
    assert!(histogram.quantile_ns(0.5).unwrap().abs_diff(10_000) <= 10);
    assert_eq!((row["avg_tps"].as_f64(), row["duration"].as_f64()), (Some(40.0), Some(2.0)));
}

#[test]
fn the_last_releases_form_is_as_described() {
    let text = output_json(&record(), Form::Newest).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    let start = "{\"version\":\"2.3.4\",\"timestamp\":\"2024-08-30_09:03:26\",\"java\":{\"jvm.system.properties\":{\"java.vendor\":";
    assert!(lines[0].starts_with(start) && lines[0].ends_with("}, \"results\": ["), "{}", lines[0]);
    assert!(lines[1].starts_with(" {\"context_name\":") && lines[2].starts_with(",{\"context_name\":"));
    assert_eq!(lines[3..], ["]", "}", ""]);
    let row: Vec<_> =
        NEWEST_ROW.into_iter().chain(newest_times("sd_rt")).chain([("user_actions", Object)]).collect();
    let action: Vec<_> = [("name", Text)].into_iter().chain(newest_times("sdev_rt")).collect();
    check_rows(&text, &row, &action, ["50.0", "75.0", "90.0", "95.0", "99.0"]);
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let row = &whole["results"][1];
    assert_eq!((row["min_rt"].as_f64(), row["max_rt"].as_f64()), (Some(1e7), Some(5e8)));
    assert_eq!((row["aps_target_rate"].as_f64(), row["row_id"].as_u64()), (Some(50.0), Some(1)));
    assert_eq!(row["user_actions"]["12"]["aps_target_rate"].as_f64(), Some(0.0));
}

#[test]
fn the_configuration_is_repeated_in_the_names_of_its_releases() {
    for name in [
        "A-2024-08-seed-default.json",
        "B-2.0.0-mbench.json",
        "D-2.1.5-benchmark_config.jsonc",
        "G-2.3.4-benchmark_config.jsonc",
        "G-kwrk-default.json",
    ] {
        let path = format!("{}/tests/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
        let run = tulip::parse(&std::fs::read_to_string(path).unwrap(), name, None).run.unwrap();
        let mut record = record();
        run.facts.put_into(&mut record.plan);
        let form = Form::of(&record).unwrap();
        assert_eq!(form == Form::Seed, name.starts_with(['A', 'B']));
        let output = output_json(&record, form).unwrap();
        let config = match form {
            Form::Seed => {
                output.split_once("\"config\": ").unwrap().1.split_once("\n, \"timestamp\"").unwrap().0
            }
            Form::Newest => {
                output.split_once("\"config\":").unwrap().1.split_once(", \"results\": [").unwrap().0
            }
        };
        // What is repeated, run again, is the same.
        let loaded = tulip::parse(config, "again.json", None);
        let Some(again) = loaded.run else { panic!("{name}: {:?}", loaded.diagnostics) };
        let of_run = |run: &tulip::Run| {
            let mut facts = run.facts.clone();
            // Tokens of the releases between have other names here, and the last ones begin and end by themselves.
            facts.dialect.clear();
            facts.config = None;
            facts.benchmarks.retain(|b| b.benchmark != "onStart" && b.benchmark != "onStop");
            facts.benchmarks.iter_mut().for_each(|b| b.benchmark_index = 0);
            facts
        };
        assert_eq!(of_run(&again), of_run(&run), "{name}");
    }
}
