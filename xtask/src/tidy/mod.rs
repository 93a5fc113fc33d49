//! Style that a machine can hold: each rule says what it found and what to write in its place.
//!
//! What rustfmt, rustc and clippy hold is left to them. A rule that is broken twice in review is added here.

mod size;
mod words;

use crate::source::{Finding, SourceFile, Tree};

/// Everything that breaks the style.
pub(crate) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        white_space(file, &mut findings);
        if file.is_rust() {
            doc_at_top(file, &mut findings);
            reasons(file, &mut findings);
            size::check(file, &mut findings);
            words::check(file, &mut findings);
        }
    }
    findings
}

fn white_space(file: &SourceFile, findings: &mut Vec<Finding>) {
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.ends_with([' ', '\t', '\r']) {
            findings.push(file.finding(number, "white space at the line's end", "remove it"));
        }
        if file.is_rust() && line.contains('\t') {
            findings.push(file.finding(number, "a tab", "indent with spaces; in a string write `\\t`"));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        findings.push(file.finding(0, "no line break at the end", "add one"));
    }
}

/// A reader learns from the first lines of a file what it is.
fn doc_at_top(file: &SourceFile, findings: &mut Vec<Finding>) {
    if file.is_in_src() && !file.is_test() && !file.text.starts_with("//!") {
        findings.push(file.finding(1, "no `//!` at the top", "say what the file is and the one idea in it"));
    }
}

/// A lint that is switched off says why.
fn reasons(file: &SourceFile, findings: &mut Vec<Finding>) {
    for line in file.lines().into_iter().filter(|line| !line.is_comment) {
        let text = line.text.trim_start();
        if text.starts_with("#[allow(") || text.starts_with("#![allow(") {
            let mend = "write `#[expect(lint, reason = \"…\")]`, which says when it is no longer needed";
            findings.push(file.finding(line.number, "`allow` switches a lint off silently", mend));
        }
        if text.starts_with("#[expect(") || text.starts_with("#![expect(") {
            let rest = file.text.lines().skip(line.number - 1);
            let attribute: Vec<&str> = rest.take_while(|line| !line.trim().is_empty()).take(6).collect();
            let attribute = attribute.join("\n");
            let attribute = attribute.split(")]").next().unwrap_or_default();
            if !attribute.contains("reason") {
                findings.push(file.finding(line.number, "`expect` without a reason", "add `reason = \"…\"`"));
            }
        }
    }
}

#[cfg(test)]
fn check(path: &str, text: &str, expected: &[(usize, &str)]) {
    let file = SourceFile { path: path.to_owned(), text: text.to_owned() };
    let found = findings(&Tree { files: vec![file] });
    let found: Vec<(usize, &str)> =
        found.iter().map(|finding| (finding.line, finding.fault.as_str())).collect();
    assert_eq!(found, expected, "{path}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::check_none;

    #[test]
    fn the_tree_is_tidy() {
        check_none(&findings(&Tree::read().unwrap()));
    }

    #[test]
    fn white_space_and_tops_are_held() {
        check("crates/a/src/lib.rs", "//! a\nfn a() {}\n", &[]);
        check(
            "crates/a/src/lib.rs",
            "//! a\n\tfn a() {} \n",
            &[(2, "white space at the line's end"), (2, "a tab")],
        );
        check("crates/a/src/lib.rs", "fn a() {}\n", &[(1, "no `//!` at the top")]);
        check("crates/a/src/tests.rs", "fn a() {}\n", &[]);
        check("a.md", "a  \nb", &[(1, "white space at the line's end"), (0, "no line break at the end")]);
    }

    #[test]
    fn lints_are_switched_off_with_a_reason() {
        check("crates/a/src/b.rs", "//! b\n#[allow(x)]\n", &[(2, "`allow` switches a lint off silently")]);
        check("crates/a/src/b.rs", "//! b\n#[expect(x)]\nfn a() {}\n", &[(2, "`expect` without a reason")]);
        check("crates/a/src/b.rs", "//! b\n#[expect(\n    x,\n    reason = \"y\"\n)]\n", &[]);
    }
}
