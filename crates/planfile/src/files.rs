//! The files that a plan names: bodies, feeds, certificates. Behind a trait, so that tests and fuzzing need no disk.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where files that a plan names are read.
pub trait Files {
    /// The file's path as it is opened, for messages and the plan.
    fn resolve(&self, path: &str) -> PathBuf;

    /// Its content, at most `bytes_max` long. `Err` says why not, for people: "no such file or directory".
    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, String>;
}

/// The real files, as seen from one folder.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// Paths are relative to `folder`; an empty one is the current folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// The folder in which the file lies.
    pub fn of(file: &Path) -> Self {
        Self::new(file.parent().unwrap_or(Path::new("")))
    }
}

impl Files for Folder {
    fn resolve(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, String> {
        read_limited(&self.resolve(path), bytes_max)
    }
}

/// Reads a file of at most `bytes_max`. The length is not asked for beforehand: a device or pipe would not know it.
pub(crate) fn read_limited(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    let in_words = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    };
    let file = std::fs::File::open(path).map_err(in_words)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(in_words)?;
    within(bytes, bytes_max)
}

fn within(bytes: Vec<u8>, bytes_max: u64) -> Result<Vec<u8>, String> {
    if bytes.len() as u64 > bytes_max {
        return Err(format!("it is longer than {}", units::size(bytes_max)));
    }
    Ok(bytes)
}

/// Files that exist in memory alone.
#[derive(Debug, Clone, Default)]
pub struct InMemory(pub BTreeMap<String, Vec<u8>>);

impl Files for InMemory {
    fn resolve(&self, path: &str) -> PathBuf {
        PathBuf::from(path)
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>, String> {
        match self.0.get(path) {
            Some(bytes) => within(bytes.clone(), bytes_max),
            None => Err("no such file or directory".to_owned()),
        }
    }
}
