//! Result files as other releases, broken runs and enemies write them.

use crate::results::{own_table, read};
use crate::table::record;
use tulip::{Form, is_output, output_json, read_output, table};

fn seed() -> String {
    output_json(&record(), Form::Seed).unwrap()
}

fn newest() -> String {
    output_json(&record(), Form::Newest).unwrap()
}

fn replaced(text: &str, pairs: &[(&str, &str)]) -> String {
    pairs.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

#[test]
fn the_names_and_units_of_each_release_are_known() {
    let expected = own_table(&record());
    let names_2_0_5 = [
        ("\"avg_tps\"", "\"avg_aps\""),
        ("{  \n\"config\"", "{  \n\"version\": \"2.0.5\"\n, \"config\""),
        ("\"test_begin\"", "\"workflow_name\":\"\",\"test_begin\""),
        (
            "\"system_cpu_utilization\":25.0",
            "\"process_cpu_utilization\":25.0,\"process_cpu_cores\":0.25,\"process_cpu_time_ns\":5",
        ),
    ];
    let names_2_1_5 = [
        ("\"2.0.5\"", "\"2.1.5\""),
        ("\"scenario_name\"", "\"context_name\""),
        ("\"scenario_id\"", "\"context_id\""),
        ("\"test_name\"", "\"bm_name\""),
        ("\"test_id\"", "\"bm_id\""),
    ];
    let names_2_1_12 = [
        ("\"2.1.5\"", "\"2.1.12\""),
        ("\"avg_rt\"", "\"aps_target_rate\":50.0,\"avg_rt\""),
        ("\"histogram_rt\"", "\"llq_histogram_rt\":{\"10\":5},\"hdr_histogram_rt\""),
    ];
    let seed = seed();
    let later = replaced(&seed, &names_2_0_5);
    let maps = replaced(&later, &names_2_1_5);
    let targets = replaced(&maps, &names_2_1_12);
    for (release, text) in [("2.0.5", &later), ("2.1.5", &maps), ("2.1.12", &targets)] {
        assert_eq!(own_table(&read(text)), expected, "{release}");
    }
    // 2.0.0 has the time before the configuration; its stamps, as all later ones, have no fraction.
    let stamp = ", \"timestamp\": \"2024-08-30_09:03:26.045\"";
    let early = replaced(
        &seed,
        &[(stamp, ""), ("{  \n\"config\"", "{ \"timestamp\": \"2024-08-30_09:03:26\",\n\"config\"")],
    );
    assert_eq!(own_table(&read(&early)), expected);
    // From 2.1.17 on times are ns, whatever the rest is called.
    let newest = newest();
    let expected = own_table(&read(&newest));
    let early = replaced(
        &newest,
        &[
            ("\"2.3.4\"", "\"2.1.17\""),
            ("\"sd_rt\"", "\"sdev_rt\""),
            ("\"num_tasks\":11,", ""),
            ("\"process_cgc_time_ns\":0,", ""),
        ],
    );
    assert_eq!(own_table(&read(&early)), expected);
    // Without a version the name of the deviation tells.
    assert_eq!(own_table(&read(&replaced(&newest, &[("\"version\":\"2.3.4\",", "")]))), expected);
}

#[test]
fn what_a_file_does_not_tell_stays_empty_and_is_said() {
    let record = read(&newest());
    let phase = &record.phases[0];
    assert_eq!((phase.response_ns.count, phase.wait_ns.count, phase.in_flight_max), (0, 0, 0));
    assert_eq!((phase.counts.completed, phase.counts.failed, phase.offered_per_sec), (80, 1, Some(50.0)));
    assert!(phase.intervals.is_empty() && record.client.workers.is_empty());
    assert_eq!(record.origin, "tulip 2.3.4");
    let reasons: Vec<&str> = record.verdict.reasons.iter().map(|reason| reason.message.as_str()).collect();
    assert!(reasons[0].contains("what waited before that is in none of them"), "{reasons:?}");
    assert!(
        record.environment.notes.iter().any(|note| note.contains("time zone")),
        "{:?}",
        record.environment.notes
    );
    assert_eq!(read(&newest()), record, "the same file is the same run");
    assert!(!table(&record).unwrap().contains("Response time, due"));
}

#[test]
fn a_file_that_was_broken_off_is_read_up_to_there() {
    for (text, rest) in [(seed(), "\n]\n}\n"), (newest(), "]\n}\n")] {
        // Tulip writes the end only when all is over.
        let open = text.strip_suffix(rest).unwrap();
        let record = read(&format!("{}\n", open.trim_end()));
        assert_eq!((record.phases.len(), record.aborted.is_some()), (2, true));
        let record = read(&open[..open.len() - 100]);
        assert_eq!((record.phases.len(), record.aborted.is_some()), (1, true));
        assert!(table(&record).unwrap().contains("Ended early: its file ends in the midst of it"));
    }
}

/// What is said of the second row of the newest form with one thing changed.
fn said(from: &str, to: &str) -> String {
    let text = newest();
    let second = text.find("\n,{").unwrap();
    let (head, row) = text.split_at(second);
    assert!(row.contains(from), "{from}");
    let text = format!("{head}{}", row.replacen(from, to, 1));
    read_output(&text)
        .unwrap()
        .map_or_else(|fault| fault.message, |record| format!("read: {}", record.phases.len()))
}

#[test]
fn numbers_that_cannot_be_are_refused_with_their_place() {
    let check = |from: &str, to: &str, expected: &str| {
        let said = said(from, to);
        assert!(said.ends_with(expected), "{from} → {to}: {said}");
    };
    check("\"num_actions\":41", "\"num_actions\":-1", "`num_actions` in row 2 is -1, which it can't be");
    check(
        "\"num_actions\":41",
        "\"num_actions\":1e300",
        "in row 2 is 1e300, which it can't be".replace("1e300", &format!("{}", 1e300)).as_str(),
    );
    check("\"num_failed\":1", "\"num_failed\":42", "`num_failed` in row 2 is more than `num_actions`");
    check(
        "\"num_actions\":41",
        "\"num_actions\":40",
        "`histogram_rt` in row 2 holds more than `num_actions`",
    );
    check("\"duration\":2.0", "\"duration\":1e99", "which it can't be");
    check("\"num_users\":4", "\"num_users\":-4", "read: 2");
    check("\"min_rt\":10000000.0", "\"min_rt\":900000000.0", "`min_rt` in row 2 is more than `max_rt`");
    check("\"avg_wt\":", "\"avg_wt\":-", "which it can't be");
    check(
        "\"12\":{\"name\"",
        "\"x\":{\"name\"",
        "`user_actions` of action `x` in row 2 has no whole number for an id",
    );
    check("HISTFAAAA", "!!!", "Invalid symbol 33, offset 0.");
    check("HISTFAAAA", "AAAAAAAAA", "it does not begin as one");
    check("\"avg_aps\":20.0", "\"avg_aps\": Infinity", "read: 2");
    check("\"bm_name\":\"buy \"", "\"bm_name\":7", "expected a string at line 3 column 47");
    check("\"row_id\":1", "\"row_id\":1e300", "read: 2");
}

#[test]
fn hostile_texts_end_in_words() {
    let deep = format!("{{\"config\": {}, \"results\": [], \"benchmarks\": 1}}", "[".repeat(100_000));
    let rows = format!("{{\"config\": {{\"benchmarks\": {{}}}}, \"results\": [{}]}}", "[".repeat(100_000));
    let config = "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000);
    let nested = replaced(&newest(), &[("\"config\":{", &format!("\"config\":{{\"deep\":{config},"))]);
    let many: String = (0..200)
        .map(|id| format!("\"{id}\":{{\"num_actions\":0,\"num_failed\":0,\"hdr_histogram_rt\":\"\"}},"))
        .collect();
    let actions = replaced(&newest(), &[("\"user_actions\":{", &format!("\"user_actions\":{{{many}"))]);
    let none = "{\"config\": {\"benchmarks\": {}}, \"results\": []}";
    for (text, expected) in [
        (deep.as_str(), "expected value"),
        (rows.as_str(), "invalid type: sequence"),
        (none, "it holds no rows"),
        ("]\n}\n", "trailing characters"),
        (actions.as_str(), "a row has more than 128 actions"),
    ] {
        let fault = read_output(text).unwrap().unwrap_err();
        assert!(fault.message.contains(expected) || text == "]\n}\n", "{}", fault.message);
    }
    // A configuration that can't be read again takes nothing from the rows.
    let record = read(&nested);
    assert!(record.environment.notes.iter().any(|note| note.contains("configuration could not be read")));
    assert_eq!(record.phases.len(), 2);
    for text in [seed(), newest()] {
        for at in (0..text.len()).step_by(61) {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = b'"';
            if let Ok(broken) = String::from_utf8(bytes) {
                // Whatever comes of it, it is an answer.
                let _ = read_output(&broken).map(|read| read.map(|record| table(&record)));
            }
            let _ = read_output(&text[..at]).map(|read| read.map(|record| table(&record)));
        }
    }
}

#[test]
fn other_texts_are_none_of_them() {
    let json = serde_json::to_string(&record()).unwrap();
    let config = include_str!("../corpus/G-2.3.4-benchmark_config.jsonc");
    for text in [json.as_str(), config, "", "{}", "[]", "{\"results\": []}", "# notes on results and config"]
    {
        assert!(read_output(text).is_none() && !is_output(text), "{text:.60}");
    }
    assert!(is_output(&seed()) && is_output("]\n}\n"));
}
