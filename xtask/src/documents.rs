//! The documents held against the tree: what they point to is there.
//!
//! Checked are relative links, paths in backticks that begin with a folder of the root, and test functions named as
//! `` `path.rs::function` ``: a document that says where an invariant is held stays true when the test moves.

use crate::source::{Finding, SourceFile, Tree, root};

/// Folders whose files the documents name in backticks.
const FOLDERS: [&str; 7] = ["crates/", "xtask/", "docs/", "examples/", "bench/", "fuzz/", ".ci/"];

/// Files that each machine makes for itself.
const MADE: [&str; 1] = ["bench/results/latest.md"];

/// Everything that points nowhere.
pub(crate) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with(".md")) {
        for (number, line) in (1..).zip(file.text.lines()) {
            for link in links(line) {
                check_path(file, number, &beside(&file.path, link), link, &mut findings);
            }
            for path in paths(line) {
                let (path, function) =
                    path.split_once("::").map_or((path, None), |(path, name)| (path, Some(name)));
                check_path(file, number, path, path, &mut findings);
                if let (Some(function), Some(named)) = (function, tree.file(path))
                    && !named.text.contains(&format!("fn {function}("))
                {
                    let mend = "name the function that holds it now";
                    findings.push(file.finding(number, format!("{path} has no function `{function}`"), mend));
                }
            }
        }
    }
    findings
}

fn check_path(file: &SourceFile, number: usize, path: &str, shown: &str, findings: &mut Vec<Finding>) {
    if !MADE.contains(&path) && !root().join(path).exists() {
        findings.push(file.finding(number, format!("`{shown}` is not there"), "point to where it is now"));
    }
}

/// Targets of `[text](target)` that are files of the tree, without `#part`.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with(['#', '<']));
    files.map(|target| target.split('#').next().unwrap_or(target))
}

/// Paths in backticks; patterns and places to be filled in are left alone.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let spans = line.split('`').skip(1).step_by(2);
    spans.filter(|span| {
        FOLDERS.iter().any(|folder| span.starts_with(folder))
            && !span.contains(['*', '{', '…', ' ', 'X', '<'])
    })
}

/// A path relative to the folder of a file.
fn beside(file: &str, link: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::check_none;

    #[test]
    fn the_documents_point_to_what_is_there() {
        check_none(&findings(&Tree::read().unwrap()));
    }

    #[test]
    fn links_and_paths_are_found() {
        let line = "see [a](b/c.md#d), [e](https://x), `crates/x/src/lib.rs::f`, `crates/*`, `weir run`";
        assert_eq!(links(line).collect::<Vec<_>>(), ["b/c.md"]);
        assert_eq!(paths(line).collect::<Vec<_>>(), ["crates/x/src/lib.rs::f"]);
        assert_eq!(beside("docs/a/b.md", "../c.md"), "docs/c.md");
    }

    #[test]
    fn what_points_nowhere_is_found() {
        let text =
            "[a](nowhere.md) `crates/nothing/x.rs` `xtask/src/main.rs::nobody` `xtask/src/main.rs::main`\n";
        let document = SourceFile { path: "a.md".to_owned(), text: text.to_owned() };
        let code = SourceFile { path: "xtask/src/main.rs".to_owned(), text: "fn main() {}\n".to_owned() };
        let faults: Vec<String> =
            findings(&Tree { files: vec![document, code] }).into_iter().map(|f| f.fault).collect();
        assert_eq!(
            faults,
            [
                "`nowhere.md` is not there",
                "`crates/nothing/x.rs` is not there",
                "xtask/src/main.rs has no function `nobody`"
            ]
        );
    }
}
