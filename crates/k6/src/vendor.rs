//! Fetching all that a script imports by https, once: the text goes into a folder, its sum into a lock.

use crate::remote::{Lock, LockError, Network, Remote};
use crate::sources::Files;
use crate::test::TestError;
use js::Script;
use k6_options::ExitCode;
use std::path::Path;

/// What came of it.
#[derive(Debug)]
pub struct Vendored {
    /// The lock as it is now on disk.
    pub lock: Lock,
    /// Modules of the script that were fetched, with what became of the lock's entry.
    pub modules: Vec<(String, Change)>,
}

/// What became of a module's entry in the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// There was none.
    New,
    /// It had the same text.
    Same,
    /// It had another text.
    Other,
}

/// Fetches what the script at `path` imports by https, and what that imports. `folder`: where the texts go. With `all` also those modules that Weir
/// has built in, so that an archive holds them.
///
/// # Errors
/// Modules that can't be fetched or parsed, files that can't be written.
pub fn vendor(
    path: &Path,
    folder: Option<&Path>,
    all: bool,
    network: Network,
) -> Result<Vendored, TestError> {
    let of_lock = |error: LockError| TestError::new(ExitCode::Other, error.to_string());
    let scripts = path.parent().unwrap_or_else(|| Path::new(""));
    let before = Lock::of(scripts).map_err(of_lock)?;
    let remote = Remote { network: Some(network), fetches_built_in: all, ..Remote::default() };
    let mut files = Files::new(None, remote);
    let path = crate::sources::normal(path).to_string_lossy().into_owned();
    Script::load(&path, &mut files).map_err(|errors| TestError::scripts(&errors))?;
    let fetched = files.fetched();
    let mut lock = match (&before, folder) {
        (Some(before), None) => before.clone(),
        _ => Lock::new(scripts, folder),
    };
    let mut kept = fetched.clone();
    // What other scripts have locked goes along to another folder.
    let others = before.iter().flat_map(|before| before.modules().keys().map(move |url| (before, url)));
    for (before, url) in others.filter(|(_, url)| lock.modules().is_empty() && !fetched.contains_key(*url)) {
        kept.extend(before.load(url).transpose().map_err(of_lock)?.map(|bytes| (url.clone(), bytes)));
    }
    lock.keep(&kept).map_err(of_lock)?;
    let change = |url: &String| {
        let sum_in = |lock: &Lock| lock.modules().get(url).map(|locked| locked.sha256.clone());
        match before.as_ref().and_then(sum_in) {
            None => Change::New,
            Some(sum) if sum_in(&lock) == Some(sum.clone()) => Change::Same,
            Some(_) => Change::Other,
        }
    };
    let modules = fetched.keys().map(|url| (url.clone(), change(url))).collect();
    Ok(Vendored { lock, modules })
}
