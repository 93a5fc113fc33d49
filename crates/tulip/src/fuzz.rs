//! What the fuzz target `tulip_output` does with its bytes; the crate's own tests run it over seeds and mutations of them.

use crate::{Form, html, output_json, read_output, table};

/// Reads any bytes as a result file of Tulip. Panics if the reader does, or if what it hands out can't be shown in every form or does not come
/// back from the file that is written of it.
pub fn output(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some(read) = read_output(text) else { return };
    let record = match read {
        Ok(record) => record,
        Err(fault) => return assert!(fault.hint.is_some(), "no way to mend: {fault}"),
    };
    assert!(table(&record).is_some() && !record.phases.is_empty());
    for form in [Form::Seed, Form::Newest] {
        assert!(html(&record, form).is_some());
        let again = output_json(&record, form).unwrap_or_default();
        let back = read_output(&again).map(|read| read.map(|back| back.phases.len()));
        assert_eq!(back, Some(Ok(record.phases.len())), "{form:?}");
    }
}

#[cfg(test)]
mod tests {
    use units::Random;

    /// What result files are made of, and what readers stumble over.
    const PIECES: [&str; 20] = [
        "0",
        "-1",
        "1e308",
        "-0.0",
        "1e-300",
        "9007199254740993",
        "null",
        "NaN",
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\n",
        "é",
        "2024-08-30_09:03:26",
        "HISTFAAAA",
    ];

    #[test]
    fn seeds_and_what_is_made_of_them_end_in_an_answer() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/tulip_output");
        let mut random = Random::new(3);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let seed = std::fs::read(entry.unwrap().path()).unwrap();
            super::output(&seed);
            for _ in 0..150 {
                let mut bytes = seed.clone();
                for _ in 0..=random.bits() % 3 {
                    let at = (random.bits() % bytes.len() as u64) as usize;
                    let piece = PIECES[(random.bits() % PIECES.len() as u64) as usize];
                    let end = (at + (random.bits() % 6) as usize).min(bytes.len());
                    bytes.splice(at..end, piece.bytes());
                }
                super::output(&bytes);
                count += 1;
            }
        }
        assert!(count >= 300, "{count}");
    }
}
