//! Record → each output. `UPDATE_EXPECT=1 cargo test -p report` rewrites the golden files.

use crate::sample;
use expect_test::{ExpectFile, expect_file};
use record::{RunRecord, VerdictState};
use report::{Color, Format, Json, Junit, Layout, Markdown, Text};

fn check(record: &RunRecord, format: &dyn Format, expect: ExpectFile) {
    expect.assert_eq(&format.to_text(record));
}

const PLAIN: Text = Text { color: Color::Never, width: 80 };

#[test]
fn text() {
    check(&sample::quick(), &PLAIN, expect_file!["gold/quick.txt"]);
    check(&sample::checkout(), &PLAIN, expect_file!["gold/checkout.txt"]);
    let wide = Text { color: Color::Always, width: 120 };
    check(&sample::checkout(), &wide, expect_file!["gold/checkout.colored.txt"]);
}

#[test]
fn text_fits_eighty_columns_and_a_quick_run_twenty_five_lines() {
    for record in [sample::quick(), sample::checkout()] {
        for line in PLAIN.to_text(&record).lines() {
            assert!(line.chars().count() <= 80, "{line}");
            assert_eq!(line, line.trim_end());
        }
    }
    assert!(PLAIN.to_text(&sample::quick()).lines().count() <= 25);
}

#[test]
fn colour_only_repeats_what_words_say() {
    let record = sample::checkout();
    let mut colored = Text { color: Color::Always, width: 80 }.to_text(&record);
    for code in ["0", "1", "2", "31", "32", "33"] {
        colored = colored.replace(&format!("\x1b[{code}m"), "");
    }
    assert_eq!(colored, PLAIN.to_text(&record));
}

#[test]
fn markdown() {
    check(&sample::quick(), &Markdown, expect_file!["gold/quick.md"]);
    check(&sample::checkout(), &Markdown, expect_file!["gold/checkout.md"]);
}

#[test]
fn junit() {
    check(&sample::quick(), &Junit::default(), expect_file!["gold/quick.xml"]);
    let strict = Junit { fail_on: VerdictState::Suspect };
    check(&sample::checkout(), &strict, expect_file!["gold/checkout.xml"]);
}

#[test]
fn json() {
    let record = sample::checkout();
    let text = Json { layout: Layout::Pretty }.to_text(&record);
    // The compressed form of a histogram hangs on the version of the compressor.
    let is_histogram = |line: &&str| line.trim_start().starts_with("\"histogram\"");
    let lines = text.lines().map(|line| if is_histogram(&line) { "(histogram)" } else { line });
    let mut shown: String = lines.collect::<Vec<_>>().join("\n");
    shown.push('\n');
    expect_file!["gold/checkout.json"].assert_eq(&shown);
    let compact = Json { layout: Layout::Compact }.to_text(&record);
    assert_eq!(compact.lines().count(), 1);
    for text in [text, compact] {
        assert_eq!(serde_json::from_str::<RunRecord>(&text).unwrap(), record);
    }
}

#[test]
fn a_record_read_back_prints_the_same() {
    let record = sample::checkout();
    let read: RunRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    for format in [&PLAIN as &dyn Format, &Markdown, &Junit::default()] {
        assert_eq!(format.to_text(&read), format.to_text(&record));
    }
}

#[test]
fn names_from_outside_do_no_harm() {
    let mut record = sample::quick();
    record.name = "\x1b[2Jname | <b> & \"x\" \u{0} \n".to_owned();
    record.phases[0].name = "\x07 | phase".to_owned();
    let text = PLAIN.to_text(&record);
    assert!(!text.contains(['\x1b', '\x07', '\0']), "{text}");
    let xml = Junit::default().to_text(&record);
    assert!(xml.contains("&lt;b&gt; &amp; &quot;x&quot;") && !xml.contains(['\x1b', '\0']), "{xml}");
    let markdown = Markdown.to_text(&record);
    assert!(markdown.contains(r"name \| &lt;b&gt; &amp;") && !markdown.contains('\x1b'), "{markdown}");
}

#[test]
fn a_record_without_anything_prints() {
    let mut record = sample::quick();
    (record.phases, record.slos) = (Vec::new(), Vec::new());
    record.client = record::Client::default();
    record.plan = serde_json::Value::Null;
    for format in [&PLAIN as &dyn Format, &Markdown, &Junit::default()] {
        assert!(format.to_text(&record).contains("127.0.0.1"));
    }
}

#[test]
fn what_was_not_measured_is_not_printed_as_nothing() {
    // As another tool's result comes in, and a run without an end.
    let mut record = sample::quick();
    record.client = record::Client::default();
    record.environment = record::Environment::default();
    let phase = &mut record.phases[0];
    (phase.bytes_sent, phase.traffic, phase.busy_ratio_max) = (0, record::TrafficRecord::default(), 0.0);
    let check = |printed: &str| {
        for made_up in ["busiest worker", "0 B", "× 0", "(0 CPUs)", "weir ,"] {
            assert!(!printed.contains(made_up), "{made_up}: {printed}");
        }
    };
    check(&PLAIN.to_text(&record));
    check(&Markdown.to_text(&record));
    assert!(PLAIN.to_text(&record).contains("/s received\n"));
}

#[test]
fn a_run_of_very_many_phases_stays_readable() {
    let mut record = sample::checkout();
    let phase = record.phases[1].clone();
    record.phases =
        (0..5_000).map(|repeat_index| record::PhaseRecord { repeat_index, ..phase.clone() }).collect();
    record.slos = vec![record.slos[0].clone(); 5_000];
    let text = PLAIN.to_text(&record);
    assert!(text.lines().count() < 1_000);
    assert_eq!(text.matches("… and 4900 more").count(), 2);
}
