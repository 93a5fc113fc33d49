//! Tulip's result files: written, held against a strict reading of their description, and read back.

use crate::table::record;
use record::{RunRecord, VerdictState};
use tulip::{Form, output_json, read_output, table};

/// Tulip's own table, without what a result file can't hold: response times, legend and verdict.
fn own_table(record: &RunRecord) -> String {
    let table = table(record).unwrap();
    let end = table.find("\nResponse time").or(table.find("\nRT    ")).unwrap();
    table[..end].to_owned()
}

fn read(text: &str) -> RunRecord {
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
        println!("{}", table(&record).unwrap());
    }
}
