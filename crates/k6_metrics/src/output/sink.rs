//! Where an output goes: a file, a file that is compressed on the way, stdout.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Why an output can't be written: what, where, and the system's answer.
#[derive(Debug)]
pub struct OutputError {
    /// As the user named it; `stdout` for that.
    pub path: PathBuf,
    /// What was tried: `open` or `write`.
    pub action: &'static str,
    /// The system's answer.
    pub source: io::Error,
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.path.display();
        write!(f, "can't {} `{place}`: {}", self.action, units::system_words(&self.source))
    }
}

impl std::error::Error for OutputError {}

/// Where bytes go.
#[derive(Debug)]
pub(crate) enum Sink {
    Plain(File),
    /// In a box: it is much greater than the others.
    Gzip(Box<GzEncoder<File>>),
    Stdout,
}

impl Sink {
    /// Opens it, empty; a name that ends in `.gz` is compressed. Without a path it is stdout.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, OutputError> {
        let Some(path) = path else { return Ok(Self::Stdout) };
        let file = File::create(path).map_err(|source| OutputError {
            path: path.to_owned(),
            action: "open",
            source,
        })?;
        Ok(if path.extension().is_some_and(|extension| extension == "gz") {
            // The fastest: the machine has a load to drive.
            Self::Gzip(Box::new(GzEncoder::new(file, Compression::fast())))
        } else {
            Self::Plain(file)
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Stdout => io::stdout().lock().write_all(bytes),
        }
    }

    /// Makes what was written readable.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Stdout => io::stdout().lock().flush(),
        }
    }

    /// Ends it: the last bytes of a compressed file are written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.try_finish(),
            Self::Plain(_) | Self::Stdout => self.flush(),
        }
    }
}
