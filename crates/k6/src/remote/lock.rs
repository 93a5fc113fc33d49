//! The lock: which text stands behind a URL. A JSON file beside scripts, and a folder with the texts.

use super::Address;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The lock's file name, in the folder of the scripts that it is for.
pub const LOCK_NAME: &str = "k6-modules.lock";
/// The folder that holds the texts where nothing else is said, beside the lock.
const FOLDER_NAME: &str = "k6-modules";
/// Length of the file at most, bytes: a hundred thousand modules.
const LOCK_BYTES_MAX: u64 = 16 << 20;
/// Of the file's form.
const VERSION: u64 = 1;
/// Digits of a query's sum in a file's name.
const QUERY_DIGITS: usize = 12;

/// A module as the lock has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// Its file in the folder.
    pub file: String,
    /// SHA-256 of its bytes, 64 hexadecimal digits.
    pub sha256: String,
}

/// What was fetched, and where it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lock {
    /// Where the lock's file is.
    place: PathBuf,
    /// Where the texts are, beside the lock's file or absolute.
    folder: PathBuf,
    modules: BTreeMap<String, Locked>,
}

/// What is wrong with a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockError {
    /// The file can't be read.
    Unreadable {
        /// The lock's file.
        place: PathBuf,
        /// Why.
        why: String,
    },
    /// A module's file is not as it was locked.
    Changed {
        /// The module.
        url: String,
        /// Its file.
        file: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

impl std::fmt::Display for LockError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreadable { place, why } => write!(f, "{}: {why}", place.display()),
            Self::Changed { url, file, why } => write!(
                f,
                "{url} is locked, and {} {why}; put the file back, or fetch it anew with `weir k6 vendor SCRIPT`",
                file.display()
            ),
        }
    }
}

impl std::error::Error for LockError {}

impl Lock {
    /// The lock of a folder of scripts; `None` if it has none.
    ///
    /// # Errors
    /// A file that is no lock.
    pub fn of(scripts: &Path) -> Result<Option<Self>, LockError> {
        let place = scripts.join(LOCK_NAME);
        match std::fs::metadata(&place) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            _ => {}
        }
        let bad = |why: String| LockError::Unreadable { place: place.clone(), why };
        let bytes = crate::sources::read_at_most(&place, LOCK_BYTES_MAX).map_err(bad)?;
        Self::parse(&place, &bytes).map(Some).map_err(|why| LockError::Unreadable { place, why })
    }

    /// A lock that holds nothing yet, with its texts in `folder`, or else in `k6-modules`.
    pub fn new(scripts: &Path, folder: Option<&Path>) -> Self {
        let folder = folder.unwrap_or_else(|| Path::new(FOLDER_NAME));
        // What lies below the scripts is named by its way from there, so that all can move together.
        let below = std::path::absolute(folder).ok().zip(std::path::absolute(scripts).ok());
        let below = below.and_then(|(folder, scripts)| Some(folder.strip_prefix(scripts).ok()?.to_owned()));
        let is_default = folder == Path::new(FOLDER_NAME);
        let folder = match below.filter(|_| !is_default) {
            Some(below) => below,
            None if is_default => folder.to_owned(),
            None => std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
        };
        Self { place: scripts.join(LOCK_NAME), folder, modules: BTreeMap::new() }
    }

    fn parse(place: &Path, bytes: &[u8]) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| format!("it is no JSON: {error}"))?;
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(other) => return Err(format!("its version is {other}, and this is for {VERSION}")),
            None => return Err("it has no `version`".to_owned()),
        }
        let folder = value.get("folder").and_then(Value::as_str).ok_or("it has no `folder`")?;
        let written = value.get("modules").and_then(Value::as_object).ok_or("it has no `modules`")?;
        let mut modules = BTreeMap::new();
        for (url, entry) in written {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            let (Some(file), Some(sha256)) = (text("file"), text("sha256")) else {
                return Err(format!("{url}: it has no `file` or no `sha256`"));
            };
            if !Path::new(&file).components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(format!("{url}: the file {file:?} leads out of the folder"));
            }
            modules.insert(url.clone(), Locked { file, sha256 });
        }
        Ok(Self { place: place.to_owned(), folder: PathBuf::from(folder), modules })
    }

    /// Where the lock's file is.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The folder with the texts.
    pub fn folder(&self) -> PathBuf {
        self.place.parent().unwrap_or_else(|| Path::new("")).join(&self.folder)
    }

    /// What is locked, by URL.
    pub fn modules(&self) -> &BTreeMap<String, Locked> {
        &self.modules
    }

    /// The bytes that are locked for a URL; `None` if it is not locked.
    pub(crate) fn load(&self, url: &str) -> Option<Result<Vec<u8>, LockError>> {
        let locked = self.modules.get(url)?;
        let file = self.folder().join(&locked.file);
        let changed = |why: String| LockError::Changed { url: url.to_owned(), file: file.clone(), why };
        Some(match crate::sources::read_bytes(&file) {
            Err(error) => Err(changed(format!("is not to be had: {error}"))),
            Ok(bytes) if sum(&bytes) != locked.sha256 => Err(changed("has another content".to_owned())),
            Ok(bytes) => Ok(bytes),
        })
    }

    /// Puts what was fetched into the folder, and then into the lock. What other scripts have locked stays.
    ///
    /// # Errors
    /// What can't be written.
    pub fn keep(&mut self, fetched: &BTreeMap<String, Vec<u8>>) -> Result<(), LockError> {
        for (url, bytes) in fetched {
            let Some(address) = Address::parse(url) else { continue };
            let file = file_name(&address);
            let path = self.folder().join(&file);
            let unwritable = |error: std::io::Error| LockError::Unreadable {
                place: path.clone(),
                why: format!("it can't be written: {}", units::system_words(&error)),
            };
            path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(unwritable)?;
            std::fs::write(&path, bytes).map_err(unwritable)?;
            self.modules.insert(url.clone(), Locked { file, sha256: sum(bytes) });
        }
        let modules: serde_json::Map<String, Value> = self
            .modules
            .iter()
            .map(|(url, locked)| (url.clone(), json!({ "file": locked.file, "sha256": locked.sha256 })))
            .collect();
        let value = json!({ "version": VERSION, "folder": self.folder, "modules": modules });
        std::fs::write(&self.place, format!("{value:#}\n")).map_err(|error| LockError::Unreadable {
            place: self.place.clone(),
            why: format!("it can't be written: {}", units::system_words(&error)),
        })
    }
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A module's file in the folder: as a mirror of hosts has it, but that a query tells files apart, and that `/x` is none beside `/x/y`.
fn file_name(address: &Address) -> String {
    let name = address.mirrored().to_string_lossy().into_owned();
    let has_end = [".js", ".mjs", ".cjs", ".ts", ".json"].iter().any(|end| name.ends_with(end));
    let name = if has_end && !address.path.ends_with('/') { name } else { name + ".module" };
    match address.query.as_deref().filter(|query| !query.is_empty()) {
        Some(query) => format!("{name}.{}", sum(query.as_bytes()).get(..QUERY_DIGITS).unwrap_or_default()),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_their_urls() {
        let check = |url: &str, expected: &str| {
            assert_eq!(file_name(&Address::parse(url).unwrap()), expected, "{url}");
        };
        check("https://a.example/x/y.js", "a.example/x/y.js");
        check("https://a.example/x", "a.example/x.module");
        check("https://a.example/", "a.example.module");
        check("https://a.example/y.js?v=1", "a.example/y.js.a798de8ee75a");
    }

    #[test]
    fn locks_that_lead_elsewhere_are_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Lock::parse(Path::new("l"), text.as_bytes()).unwrap_err(), expected, "{text}");
        };
        let with = |file: &str| {
            json!({"version": 1, "folder": "f", "modules": {"https://a": {"file": file, "sha256": ""}}})
                .to_string()
        };
        check(&with("../x"), "https://a: the file \"../x\" leads out of the folder");
        check(&with("/x"), "https://a: the file \"/x\" leads out of the folder");
        check("{\"version\": 2}", "its version is 2, and this is for 1");
        check("{}", "it has no `version`");
    }
}
