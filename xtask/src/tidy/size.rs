//! Files and functions that fit into a head.

use crate::source::{Finding, Line, SourceFile, indent};

/// Files are some 100 to 300 lines, are asked about at 600 and split before this.
const FILE_LINES_MAX: usize = 1_000;
/// Functions are some 30 lines, at most 70 by the style; the check leaves room for the odd table.
const FUNCTION_LINES_MAX: usize = 100;

/// Starts of lines that open a function in rustfmt's layout.
const OPENINGS: [&str; 8] = [
    "fn ",
    "pub fn ",
    "pub(crate) fn ",
    "pub(super) fn ",
    "const fn ",
    "pub const fn ",
    "pub(crate) const fn ",
    "async fn ",
];

pub(super) fn check(file: &SourceFile, findings: &mut Vec<Finding>) {
    let lines = file.lines();
    if lines.len() > FILE_LINES_MAX {
        let fault = format!("{} lines, and {FILE_LINES_MAX} are the most", lines.len());
        findings.push(file.finding(0, fault, "split it by concept, a file each"));
    }
    for (start, line) in lines.iter().enumerate() {
        let text = line.text.trim_start();
        if !OPENINGS.iter().any(|opening| text.starts_with(opening)) {
            continue;
        }
        let length = function_length(lines.get(start..).unwrap_or_default());
        if length > FUNCTION_LINES_MAX {
            let fault = format!("a function of {length} lines, and {FUNCTION_LINES_MAX} are the most");
            findings.push(file.finding(
                line.number,
                fault,
                "keep the branches here and move each leaf into a function",
            ));
        }
    }
}

/// Lines from the first to the brace at its own indent.
fn function_length(lines: &[Line<'_>]) -> usize {
    let Some(first) = lines.first() else { return 0 };
    if first.text.ends_with(['}', ';']) {
        return 1;
    }
    let own = indent(first.text);
    let is_end =
        |line: &Line<'_>| indent(line.text) == own && matches!(line.text.trim(), "}" | ");" | ") -> Self;");
    lines.iter().skip(1).position(is_end).map_or(1, |rest| rest + 2)
}

#[cfg(test)]
mod tests {
    use crate::tidy::check;

    #[test]
    fn long_functions_and_files_are_found() {
        let body = "    a();\n".repeat(99);
        let function = format!("//! a\nfn a() {{\n{body}}}\nfn b() {{}}\n");
        check("crates/a/src/a.rs", &function, &[(2, "a function of 101 lines, and 100 are the most")]);
        check("crates/a/src/a.rs", &function.replacen("    a();\n", "", 1), &[]);
        let long = format!("//! a\n{}", "// b\n".repeat(1_000));
        check("crates/a/src/a.rs", &long, &[(0, "1001 lines, and 1000 are the most")]);
    }
}
