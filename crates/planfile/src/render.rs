//! A finding with the line of the plan that it is about.

use crate::text::Source;
use plan::Diagnostic;

/// Most characters of a line that are shown; a plan in one long line of JSON would fill the screen.
const LINE_CHARS_MAX: usize = 120;
/// Characters that are shown before the place in a line that is too long.
const BEFORE_CHARS: usize = 40;

/// The finding as its `Display` has it, with the source line and a mark below the place:
///
/// ```text
/// error: unknown key `durration`
///   --> plan.yaml:4:1
///    |
///  4 | durration: 30s
///    | ^
/// hint: did you mean `duration`?
/// ```
///
/// Without the line when the finding has no place, or one in another file.
pub fn render(finding: &Diagnostic, source: &Source) -> String {
    let plain = finding.to_string();
    let Some(snippet) = snippet(finding, source) else { return plain };
    match plain.split_once("\nhint: ") {
        Some((head, hint)) => format!("{head}\n{snippet}\nhint: {hint}"),
        None => format!("{plain}\n{snippet}"),
    }
}

fn snippet(finding: &Diagnostic, source: &Source) -> Option<String> {
    let location = finding.location.as_ref().filter(|location| location.file == source.file_name)?;
    let line = source.line(location.line)?;
    let column = location.column.saturating_sub(1);
    let skipped = if line.chars().count() > LINE_CHARS_MAX { column.saturating_sub(BEFORE_CHARS) } else { 0 };
    let shown: String = line.chars().skip(skipped).take(LINE_CHARS_MAX).map(printable).collect();
    let (number, margin) = (location.line.to_string(), " ".repeat(location.line.to_string().len()));
    let mark = " ".repeat(column - skipped);
    Some(format!(" {margin} |\n {number} | {}\n {margin} | {mark}^", shown.trim_end()))
}

/// Terminals obey some characters, and tabs would move the mark.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || crate::text::is_invisible(c) => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Location;

    #[test]
    fn the_mark_stands_below_the_place() {
        let long = format!("{{\"a\": \"{}\", \"b\": 1}}", "x".repeat(300));
        let source = Source { file_name: "p".into(), text: format!("a: 1\n\tü: [1, \u{1b}[0m2]\n{long}\n") };
        let render_at = |line, column| {
            let location = Location { file: "p".into(), line, column };
            render(&Diagnostic::error("wrong").hint("mend").at(location), &source)
        };
        expect_test::expect![[r#"
            error: wrong
              --> p:2:6
               |
             2 |  ü: [1, �[0m2]
               |      ^
            hint: mend"#]]
        .assert_eq(&render_at(2, 6));
        let shown = render_at(3, 312);
        let mut lines = shown.lines().skip(3);
        let (text, mark) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        assert_eq!(text.chars().nth(mark.chars().count() - 1), Some('b'), "{shown}");
        let elsewhere = Diagnostic::error("wrong").at(Location { file: "q".into(), line: 1, column: 1 });
        assert_eq!(render(&elsewhere, &source), elsewhere.to_string());
        assert_eq!(render_at(9, 1), "error: wrong\n  --> p:9:1\nhint: mend");
    }
}
