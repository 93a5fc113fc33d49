//! Reading an archive, which may come from anybody: nothing is unpacked to disk, what is in it has bounds, and only what archives are made of is taken.

use super::{Archive, HTTPS, Metadata, MetadataError};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::Arc;
use tar::{Entry, EntryType};

/// Bytes of all files of an archive at most: with the 32 MiB that one module or opened file may have, dozens of them.
const ALL_BYTES_MAX: u64 = 512 << 20;
/// Entries at most: as many files as a script can import, and their folders.
const ENTRIES_MAX: usize = 50_000;
/// Length of a name at most, bytes: what Linux takes for a path.
const NAME_BYTES_MAX: usize = 4_096;
/// Blocks in tar files have this size, bytes (POSIX.1-2024, pax).
const BLOCK_BYTES: usize = 512;

/// Why a file can't be run as an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// It is no tar file, or ends amid an entry.
    NoTar(String),
    /// It holds more than is read.
    TooLarge(&'static str),
    /// An entry has a name that leads out of the archive, or is none.
    BadName(String),
    /// An entry is neither file nor folder nor the one link.
    BadKind(String),
    /// A part that every archive has is not there.
    Lacks(&'static str),
    /// Its description can't be read.
    Metadata(MetadataError),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTar(why) => write!(f, "it is no whole tar file: {why}"),
            Self::TooLarge(what) => write!(f, "it has {what}"),
            Self::BadName(name) => write!(f, "the entry {name:?} has a name that leads out of it"),
            Self::BadKind(name) => {
                write!(f, "the entry {name:?} is neither a file nor a folder nor the link to `data`")
            }
            Self::Lacks(what) => write!(f, "there is no {what} in it"),
            Self::Metadata(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {}

impl Archive {
    /// Whether bytes begin as a tar file does: a first block with its own sum (POSIX.1-2024, pax, ustar header block).
    pub fn is_archive(bytes: &[u8]) -> bool {
        let Some(block) = bytes.get(..BLOCK_BYTES) else { return false };
        let Some(written) = block.get(148..156) else { return false };
        let digits: String = written.iter().map(|byte| char::from(*byte)).collect();
        let digits = digits.trim_matches(|c| c == '\0' || c == ' ');
        let Ok(written) = u64::from_str_radix(digits, 8) else { return false };
        // The sum counts its own place as blanks.
        let is_own = |index: usize| (148..156).contains(&index);
        let bytes = block.iter().enumerate();
        let sum: u64 =
            bytes.map(|(index, byte)| if is_own(index) { u64::from(b' ') } else { u64::from(*byte) }).sum();
        sum == written
    }

    /// Reads a tar file of any version of k6's, or Weir's.
    ///
    /// # Errors
    /// What is wrong with it; nothing of it is on disk then, nor otherwise.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let broken = |error: std::io::Error| ReadError::NoTar(error.to_string());
        let mut files: BTreeMap<String, Arc<[u8]>> = BTreeMap::new();
        let (mut metadata, mut data) = (None, None);
        let mut left_bytes = ALL_BYTES_MAX;
        let mut tar = tar::Archive::new(bytes);
        for (index, entry) in tar.entries().map_err(broken)?.enumerate() {
            let mut entry = entry.map_err(broken)?;
            if index >= ENTRIES_MAX {
                return Err(ReadError::TooLarge("more entries than are read (50000)"));
            }
            let written = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let name = sound(&written)?;
            match entry.header().entry_type() {
                EntryType::Directory | EntryType::XGlobalHeader => continue,
                EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {}
                EntryType::Link if is_to_data(&entry) => continue,
                _ => return Err(ReadError::BadKind(written)),
            }
            let content = content(&mut entry, &mut left_bytes)?;
            match name.as_str() {
                "metadata.json" => metadata = Some(Metadata::read(&content).map_err(ReadError::Metadata)?),
                "data" => data = Some(content),
                // What stands elsewhere is none of a script's files.
                _ => files.extend(module_name(&name).map(|name| (name, content))),
            }
        }
        let metadata: Metadata = metadata.ok_or(ReadError::Lacks("metadata.json"))?;
        let data = data.ok_or(ReadError::Lacks("data (the script)"))?;
        files.insert(super::key(&metadata.script), data);
        Ok(Self { metadata, files })
    }
}

/// The link in the main script's place.
fn is_to_data(entry: &Entry<'_, &[u8]>) -> bool {
    entry.link_name_bytes().is_some_and(|target| target.as_ref() == b"data")
}

fn content(entry: &mut Entry<'_, &[u8]>, left_bytes: &mut u64) -> Result<Arc<[u8]>, ReadError> {
    let mut content = Vec::new();
    let read = entry.take(*left_bytes + 1).read_to_end(&mut content);
    let length = read.map_err(|error| ReadError::NoTar(error.to_string()))? as u64;
    *left_bytes = left_bytes.checked_sub(length).ok_or(ReadError::TooLarge("more than 512 MiB of files"))?;
    Ok(content.into())
}

/// A name with `/` between its parts that leads nowhere else.
fn sound(written: &str) -> Result<String, ReadError> {
    // Archives made on Windows once had `\`.
    let name = written.replace('\\', "/");
    let parts = name.split('/');
    if name.len() > NAME_BYTES_MAX || name.contains('\0') || parts.into_iter().any(|part| part == "..") {
        return Err(ReadError::BadName(written.chars().take(100).collect()));
    }
    let parts = name.split('/').filter(|part| !part.is_empty() && *part != ".");
    Ok(parts.collect::<Vec<_>>().join("/"))
}

/// The name of a module, of its place in an archive. Up to v0.24 all stood in `files` and `scripts`, local ones behind `_`.
fn module_name(name: &str) -> Option<String> {
    let (layer, rest) = name.split_once('/')?;
    match layer {
        "file" => Some(format!("/{rest}")),
        "https" => Some(super::key(&format!("{HTTPS}{rest}"))),
        "files" | "scripts" => Some(match rest.strip_prefix('_') {
            Some(path) => format!("/{}", path.trim_start_matches('/')),
            None => super::key(&format!("{HTTPS}{rest}")),
        }),
        _ => None,
    }
}
