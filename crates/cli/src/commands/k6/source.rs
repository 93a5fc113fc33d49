//! What the word behind the flags names: a script on disk, on stdin or behind a URL, or an archive; and where what it imports by https comes from.

use super::{Own, error_of};
use ::k6::{Archive, Lock, Network, Remote, TestError};
use k6_options::{ExitCode, Settings, TestType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Greatest script read from stdin.
const STDIN_BYTES_MAX: u64 = 32 << 20;
/// Greatest archive: what is read of its files, and as much again for their heads.
const ARCHIVE_BYTES_MAX: u64 = 1 << 30;
/// What tells an archive from a script.
const HEAD_BYTES: u64 = 512;
/// Names a PEM file of certificates that are trusted in place of the public ones, for OpenSSL and Go alike.
const ROOTS_VARIABLE: &str = "SSL_CERT_FILE";

/// What was named.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Absolute path or URL.
    pub(super) script: String,
    /// Of a script that came from stdin.
    pub(super) text: Option<String>,
    pub(super) archive: Option<Arc<Archive>>,
    pub(super) remote: Remote,
}

/// Looks at what `named` names.
pub(super) fn find(named: &str, settings: &Settings, own: &Own) -> Result<Found, TestError> {
    let unreadable = |error: io::Error| {
        let why = units::system_words(&error);
        error_of(ExitCode::Other, format!("the script {named} can't be read: {why}"))
    };
    let remote = remote(named, own)?;
    if named.starts_with("https://") {
        return Ok(Found { script: named.to_owned(), remote, ..Found::default() });
    }
    let path = std::path::absolute(named).map_err(unreadable)?;
    let script = path.to_string_lossy().into_owned();
    let mut bytes = Vec::new();
    if named == "-" {
        io::stdin().lock().take(STDIN_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > STDIN_BYTES_MAX {
            let said = format!("more than {} MiB on stdin", STDIN_BYTES_MAX >> 20);
            return Err(error_of(ExitCode::Other, said));
        }
        if !is_archive(&bytes, settings) {
            let text = String::from_utf8(bytes)
                .map_err(|_| error_of(ExitCode::ScriptException, "the script on stdin is not UTF-8"))?;
            return Ok(Found { script, text: Some(text), remote, ..Found::default() });
        }
    } else {
        // A script that is not there is told of as any other module, with its place.
        let Ok(mut file) = std::fs::File::open(&path) else {
            return Ok(Found { script, remote, ..Found::default() });
        };
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        if !is_archive(&bytes, settings) {
            return Ok(Found { script, remote, ..Found::default() });
        }
        file.take(ARCHIVE_BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
    }
    let archive = Archive::read(&bytes);
    let archive =
        archive.map_err(|error| error_of(ExitCode::Other, format!("the archive {named}: {error}")))?;
    Ok(Found { script, archive: Some(Arc::new(archive)), remote, ..Found::default() })
}

fn is_archive(begin: &[u8], settings: &Settings) -> bool {
    match settings.test_type {
        Some(TestType::Archive) => true,
        Some(TestType::Js) => false,
        None => Archive::is_archive(begin),
    }
}

/// Where modules by https come from: what is locked beside the script, the folder of `--jslib`, and the network with `--allow-remote`.
fn remote(named: &str, own: &Own) -> Result<Remote, TestError> {
    let folder = match named {
        "-" => Some(Path::new("")),
        _ if named.starts_with("https://") => None,
        _ => Path::new(named).parent(),
    };
    let lock = folder.map(Lock::of).transpose();
    let lock = lock.map_err(|error| error_of(ExitCode::ScriptException, error.to_string()))?.flatten();
    if let Some(folder) = own.jslib.as_ref().filter(|folder| !folder.is_dir()) {
        let said = format!("--jslib {}: there is no such folder", folder.display());
        return Err(error_of(ExitCode::Other, said));
    }
    let network = if own.allows_remote { Some(network()?) } else { None };
    Ok(Remote { lock: lock.map(Arc::new), mirror: own.jslib.clone(), network, fetches_built_in: false })
}

/// The way to the network, with the certificates that the environment names.
pub(super) fn network() -> Result<Network, TestError> {
    let roots = std::env::var_os(ROOTS_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let pem = roots.map(|path| {
        std::fs::read(&path).map_err(|error| {
            let why = units::system_words(&error);
            error_of(ExitCode::Other, format!("{ROOTS_VARIABLE} {}: {why}", path.display()))
        })
    });
    Network::new(pem.transpose()?).map_err(|error| error_of(ExitCode::Other, error.to_string()))
}
