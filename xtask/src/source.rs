//! The text of the tree as the checks see it: files, and for Rust what is comment, what is code, and what is only for tests.
//!
//! The parting is by lines and by rustfmt's layout, not by a parser: it need not be perfect, only never wrong on formatted code
//! in a way that lets a fault through unseen.

use anyhow::{Context as _, Result};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 7] = ["target", "seeds", "corpus", "artifacts", "gold", "weir-demo", "node_modules"];

/// What a check found, in the form of compilers: place, fault, mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// From 1; 0: the whole file.
    pub(crate) line: usize,
    pub(crate) fault: String,
    pub(crate) mend: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, fault, mend } = self;
        write!(f, "{path}:{line}: {fault}\n    hint: {mend}")
    }
}

/// All files written by hand.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<SourceFile>,
}

/// A text file.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A line of Rust.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    /// It holds nothing but a comment.
    pub(crate) is_comment: bool,
    /// It is compiled for tests only.
    pub(crate) is_test: bool,
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Cargo, as its user would run it.
///
/// A cargo that runs this program tells it of this package by variables, which build scripts of others look at: left in place, each change
/// between `cargo build` and `cargo xtask` would build those anew, and all that stands on them.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let own = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];
    for (name, _) in std::env::vars_os() {
        if own.iter().any(|start| name.to_string_lossy().starts_with(start)) {
            command.env_remove(name);
        }
    }
    command
}

impl Tree {
    /// Reads Rust, TOML, YAML and Markdown files.
    pub(crate) fn read() -> Result<Self> {
        let mut tree = Self::default();
        let root = root();
        tree.read_folder(&root, &root)?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn read_folder(&mut self, root: &Path, folder: &Path) -> Result<()> {
        let entries = fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || SKIPPED.contains(&name.as_ref()) {
                continue;
            }
            if path.is_dir() {
                self.read_folder(root, &path)?;
            } else if path
                .extension()
                .is_some_and(|end| ["rs", "toml", "yaml", "md"].iter().any(|e| end == *e))
            {
                // A file that vanished since the listing was never part of the tree.
                let Ok(bytes) = fs::read(&path) else { continue };
                let path = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
                self.files.push(SourceFile { path, text: String::from_utf8_lossy(&bytes).into_owned() });
            }
        }
        Ok(())
    }

    /// The file at a path.
    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// All Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_rust())
    }
}

impl SourceFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The crate whose folder the file lies in, for files in `crates/`.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Whether the file lies in a crate's `src`.
    pub(crate) fn is_in_src(&self) -> bool {
        self.path.contains("/src/")
    }

    /// Whether the whole file is for tests, examples or benches.
    pub(crate) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let folders = ["/tests/", "/examples/", "/benches/"];
        name == "tests.rs"
            || name.ends_with("_tests.rs")
            || folders.iter().any(|folder| self.path.contains(folder))
    }

    pub(crate) fn finding(&self, line: usize, fault: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, fault: fault.into(), mend: mend.into() }
    }

    /// The lines with what they are. A block behind `#[cfg(test)]` is for tests, to the brace that closes it at the same indent.
    pub(crate) fn lines(&self) -> Vec<Line<'_>> {
        let is_test_file = self.is_test();
        let mut test_block: Option<usize> = None;
        let mut lines = Vec::new();
        for (index, text) in self.text.lines().enumerate() {
            let trimmed = text.trim_start();
            if test_block.is_none() && trimmed.starts_with("#[cfg(test)]") {
                test_block = Some(indent(text));
            }
            lines.push(Line {
                number: index + 1,
                text,
                is_comment: trimmed.starts_with("//"),
                is_test: is_test_file || test_block.is_some(),
            });
            let ends_item = trimmed == "}" || (trimmed.ends_with(';') && !trimmed.contains('{'));
            if test_block == Some(indent(text)) && ends_item {
                test_block = None;
            }
        }
        lines
    }
}

/// Spaces at a line's start.
pub(crate) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether `needle` stands in the line and not as a part of a longer identifier.
pub(crate) fn has_word(line: &str, needle: &str) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let first_is_word = is_inside(needle.chars().next());
    let last_is_word = is_inside(needle.chars().next_back());
    line.match_indices(needle).any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let after = rest.strip_prefix(needle).unwrap_or_default();
        !(first_is_word && is_inside(before.chars().next_back())
            || last_is_word && is_inside(after.chars().next()))
    })
}

#[cfg(test)]
pub(crate) fn check_none(findings: &[Finding]) {
    let text: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(findings.is_empty(), "{} findings\n{}", findings.len(), text.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_tests_are_told_apart() {
        let text = "//! top\nfn a() {\n    b(); // c\n}\n#[cfg(test)]\n#[path = \"x.rs\"]\nmod x;\nfn d() {}\n#[cfg(test)]\nmod tests {\n    fn e() {\n    }\n}\nfn f() {}\n";
        let file = SourceFile { path: "crates/a/src/lib.rs".to_owned(), text: text.to_owned() };
        let marks: String = file
            .lines()
            .iter()
            .map(|line| match (line.is_comment, line.is_test) {
                (true, _) => '/',
                (_, true) => 't',
                _ => '.',
            })
            .collect();
        assert_eq!(marks, "/...ttt.ttttt.");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("a vec!() b", "vec!") && has_word("safe {", "safe"));
        assert!(!has_word("safe_code", "safe") && !has_word("my_vec!", "vec!"));
    }
}
