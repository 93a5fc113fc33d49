//! Writing an archive: entries in k6's order, and the same bytes for the same test, since no entry has a time.

use super::{Archive, HTTPS, anonymous};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;
use tar::{Builder, EntryType, Header};

const FILE_MODE: u32 = 0o644;
const FOLDER_MODE: u32 = 0o755;

impl Archive {
    /// Writes it as a tar file. Names of homes' owners are not in it.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut tar = Builder::new(out);
        let script = anonymous(&self.metadata.script);
        let mut metadata = self.metadata.clone();
        metadata.script = script.clone();
        metadata.folder = anonymous(&metadata.folder);
        file(&mut tar, "metadata.json", metadata.text().as_bytes())?;
        let data = self.file(&self.metadata.script).map(|bytes| bytes.to_vec()).unwrap_or_default();
        file(&mut tar, "data", &data)?;
        for layer in ["file", "https"] {
            let files: BTreeMap<String, &Arc<[u8]>> =
                self.files.iter().filter_map(|(name, bytes)| Some((place(name, layer)?, bytes))).collect();
            for folder in folders(files.keys()) {
                let mut header = header(EntryType::Directory, FOLDER_MODE, 0);
                tar.append_data(&mut header, folder, io::empty())?;
            }
            for (name, bytes) in files {
                if place(&script, layer).as_ref() == Some(&name) {
                    tar.append_link(&mut header(EntryType::Link, 0, 0), name, "data")?;
                } else {
                    file(&mut tar, &name, bytes)?;
                }
            }
        }
        tar.into_inner()?.flush()
    }
}

fn header(kind: EntryType, mode: u32, size_bytes: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size_bytes);
    header
}

fn file(tar: &mut Builder<impl Write>, name: &str, bytes: &[u8]) -> io::Result<()> {
    tar.append_data(&mut header(EntryType::Regular, FILE_MODE, bytes.len() as u64), name, bytes)
}

/// Where a module stands in a layer, if it belongs there.
fn place(name: &str, layer: &str) -> Option<String> {
    match (layer, name.strip_prefix(HTTPS)) {
        ("https", Some(rest)) => Some(format!("https/{rest}")),
        ("file", None) if name.starts_with('/') => Some(format!("file{}", anonymous(name))),
        _ => None,
    }
}

/// All folders above the names.
fn folders<'a>(names: impl Iterator<Item = &'a String>) -> BTreeSet<&'a str> {
    let above = |name: &'a String| name.match_indices('/').filter_map(|(at, _)| name.get(..at));
    names.flat_map(above).collect()
}
