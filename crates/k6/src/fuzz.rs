//! What the fuzz targets `k6_archive` and `k6_har` do with their bytes; the crate's own tests run them over seeds and mutations of them.

use crate::archive::Archive;
use crate::har::{Convert, StatusChecks, convert};
use js::{Loaded, Script, Sources};

/// Reads any bytes as an archive. Panics if the reader does, or if what was read is another after it was written.
pub fn archive(data: &[u8]) {
    let _ = Archive::is_archive(data);
    let Ok(archive) = Archive::read(data) else { return };
    let mut written = Vec::new();
    if archive.write(&mut written).is_err() {
        // A name that a tar file can't hold.
        return;
    }
    assert!(Archive::is_archive(&written));
    let again = Archive::read(&written).unwrap_or_else(|error| panic!("{error}"));
    let mut once_more = Vec::new();
    again.write(&mut once_more).unwrap_or_else(|error| panic!("{error}"));
    assert!(written == once_more, "what was read of it is written in another way");
}

/// Makes scripts of any bytes. Panics if the reader does, or if what is made is no script that imports what it should and nothing else.
pub fn har(data: &[u8]) {
    let hows = [
        Convert::default(),
        Convert {
            checks: StatusChecks::CheckAndReturn,
            correlates: true,
            sleep_s: (0, 0),
            ..Convert::default()
        },
        Convert {
            checks: StatusChecks::Check,
            batch_threshold_ms: None,
            sleep_s: (3, 3),
            ..Convert::default()
        },
    ];
    for how in hows {
        let Ok(made) = convert(data, "*/\n'\u{2028}", &how) else { continue };
        let mut alone = Alone { script: made.script.clone() };
        if let Err(errors) = Script::load("script.js", &mut alone) {
            panic!("{errors:?}\n{}", made.script);
        }
    }
}

/// A script and modules that hold nothing; an import of any other is a fault.
struct Alone {
    script: String,
}

impl Sources for Alone {
    fn resolve(&mut self, specifier: &str, _referrer: &str) -> Result<String, String> {
        let is_known = ["script.js", "k6", "k6/encoding", "k6/http"].contains(&specifier);
        if is_known { Ok(specifier.to_owned()) } else { Err(format!("{specifier} is imported")) }
    }

    fn load(&mut self, url: &str) -> Result<Loaded, String> {
        Ok(if url == "script.js" { Loaded::JavaScript(self.script.clone()) } else { Loaded::Native })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    /// What recordings are made of, and what readers and writers stumble over.
    const PIECES: [&str; 24] = [
        "\"",
        "\\\"",
        "\\u2028",
        "\\u0000",
        "*/",
        "${x}",
        "`",
        "'); require('./x.js'); ('",
        "require(\\\"./x\\\")",
        "://",
        "::",
        "-1",
        "1e308",
        "null",
        "{}",
        "[]",
        "é",
        "%41",
        "2026-11-21T09:00:00.123+01:00",
        "__proto__",
        "base64",
        ",",
        ":",
        "",
    ];

    fn over_seeds(name: &str, pieces: &[&[u8]], check: fn(&[u8])) {
        let folder = format!("{}/../../fuzz/seeds/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut random = Random::new(11);
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let seed = std::fs::read(entry.unwrap().path()).unwrap();
            check(&seed);
            for _ in 0..100 {
                let mut bytes = seed.clone();
                for _ in 0..=random.bits() % 3 {
                    let at = (random.bits() % bytes.len() as u64) as usize;
                    let piece = pieces[(random.bits() % pieces.len() as u64) as usize];
                    let end = (at + (random.bits() % 6) as usize).min(bytes.len());
                    bytes.splice(at..end, piece.iter().copied());
                }
                check(&bytes);
                count += 1;
            }
        }
        assert!(count >= 200, "{count}");
    }

    #[test]
    fn recordings_end_in_scripts_or_errors() {
        over_seeds("k6_har", &PIECES.map(str::as_bytes), har);
    }

    #[test]
    fn archives_end_in_archives_or_errors() {
        let pieces: [&[u8]; 8] = [b"\0", b"7777777", b"../", b"/", b"data", b"\xff", b"file/a", b"file/../a"];
        over_seeds("k6_archive", &pieces, archive);
    }
}
