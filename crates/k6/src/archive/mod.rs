//! Archives: a script with all that it imports and opens, its options and variables, in one tar file, as k6 makes and runs them.
//!
//! ```text
//! metadata.json        options, name of the script, variables
//! data                 the script
//! file/…               what came from disk, folders first; the script itself is a link to `data`
//! https/HOST/…         what came from the network
//! ```
//!
//! One idea: inside of Weir a module has one name, a path or an https URL, and an archive is a map from those names to bytes. What stands in a
//! tar file is outside input: [`Archive::read`] takes files, folders and the one link, and refuses the rest.

mod metadata;
mod read;
mod write;

pub use metadata::{Metadata, MetadataError};
pub use read::ReadError;

use std::collections::BTreeMap;
use std::sync::Arc;

/// A test in one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Archive {
    /// What is said of it.
    pub metadata: Metadata,
    /// Files by the names that scripts' modules have: absolute paths and https URLs. The main script is among them.
    pub(crate) files: BTreeMap<String, Arc<[u8]>>,
}

impl Archive {
    /// One without files.
    pub(crate) fn new(metadata: Metadata) -> Self {
        Self { metadata, files: BTreeMap::new() }
    }

    /// Adds a file by its name.
    pub(crate) fn put(&mut self, name: &str, bytes: Arc<[u8]>) {
        self.files.insert(key(name), bytes);
    }

    /// The file of a name; a URL's `%41` is the same as `A`.
    pub(crate) fn file(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.files.get(&key(name))
    }
}

/// The name that a module has in [`Archive::files`].
pub(crate) fn key(name: &str) -> String {
    if !name.starts_with(HTTPS) {
        return name.to_owned();
    }
    String::from_utf8_lossy(&crate::request::percent_decoded(name)).into_owned()
}

/// Begins the names of modules from the network.
pub(crate) const HTTPS: &str = "https://";

/// Folders that hold homes; what comes behind one of them is somebody's name.
const HOMES: [&str; 3] = ["home", "Users", "Documents and Settings"];

/// A path without the name of whoever's home it lies in, as archives have it.
pub(crate) fn anonymous(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    let is_drive = |part: &&str| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    // `/home/x` is split into "", "home", "x"; `/C/Users/x` has a drive before.
    let home = if parts.get(1).is_some_and(is_drive) { 2 } else { 1 };
    let is_home = parts.first() == Some(&"") && parts.get(home).is_some_and(|part| HOMES.contains(part));
    if let Some(name) = parts.get_mut(home + 1).filter(|name| is_home && !name.is_empty()) {
        *name = "nobody";
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_have_no_names() {
        let check = |path: &str, expected: &str| assert_eq!(anonymous(path), expected);
        check("/home/ada/t/a.js", "/home/nobody/t/a.js");
        check("/Users/ada/a.js", "/Users/nobody/a.js");
        check("/C/Users/ada/a.js", "/C/Users/nobody/a.js");
        check("/C/Documents and Settings/ada", "/C/Documents and Settings/nobody");
        check("/srv/home/ada/a.js", "/srv/home/ada/a.js");
        check("/home", "/home");
        check("/home/", "/home/");
        check("", "");
        check("home/ada", "home/ada");
    }
}
