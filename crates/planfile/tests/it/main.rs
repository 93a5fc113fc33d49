//! Plans as people write them: the examples, broken ones with every finding, and what is generated from the tables.

mod broken;
mod examples;
mod generated;
mod json_schema;
mod syntax;

use std::path::{Path, PathBuf};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The plans in a folder, by name.
fn plans_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml" || extension == "json"));
    paths.sort();
    assert!(!paths.is_empty(), "{}", folder.display());
    paths
}

/// The file's name without its folder.
fn file_name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}
