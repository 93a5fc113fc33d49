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
    let line = without_credentials(line);
    let shown: String = line.chars().skip(skipped).take(LINE_CHARS_MAX).map(printable).collect();
    let (number, margin) = (location.line.to_string(), " ".repeat(location.line.to_string().len()));
    let mark = " ".repeat(column - skipped);
    Some(format!(" {margin} |\n {number} | {}\n {margin} | {mark}^", shown.trim_end()))
}

/// The line with each character of a credential replaced by a dot: passwords in URLs, values of headers that carry credentials.
fn without_credentials(line: &str) -> String {
    let mut shown: Vec<char> = line.chars().collect();
    let lower: Vec<char> = shown.iter().map(char::to_ascii_lowercase).collect();
    let mut hide = |from: usize, until: usize| {
        if let Some(part) = shown.get_mut(from..until) {
            part.iter_mut().filter(|c| !c.is_whitespace()).for_each(|c| *c = '·');
        }
    };
    for start in 0..lower.len() {
        let rest = &lower[start..];
        let is_at_word = start == 0 || lower.get(start - 1).is_none_or(|c| !c.is_alphanumeric() && *c != '-');
        if rest.starts_with(&[':', '/', '/']) {
            let ends = |c: &char| c.is_whitespace() || ['/', '?', '#', '"', '\''].contains(c);
            let authority = rest.iter().skip(3).position(ends).unwrap_or(rest.len() - 3);
            let user_info = rest.iter().skip(3).take(authority).rposition(|c| *c == '@');
            hide(start + 3, start + 3 + user_info.unwrap_or(0));
        } else if is_at_word
            && let Some(name) = plan::Secret::CREDENTIAL_HEADERS.iter().find(|name| is_prefix(name, rest))
        {
            let value = start + name.len();
            let ends = |c: &char| ['}', ']'].contains(c);
            let length = lower.iter().skip(value).position(ends).unwrap_or(lower.len() - value);
            let colon = lower.iter().skip(value).take(length).position(|c| *c == ':');
            if let Some(colon) = colon {
                hide(value + colon + 1, value + length);
            }
        }
    }
    shown.into_iter().collect()
}

/// Whether the text begins with this word, and the word ends there.
fn is_prefix(word: &str, of: &[char]) -> bool {
    let ends = of.get(word.len()).is_some_and(|c| !c.is_alphanumeric() && *c != '-');
    ends && word.chars().zip(of).all(|(a, b)| a == *b)
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
    fn credentials_are_not_shown() {
        for (line, shown) in [
            ("target: http://joe:pa:s@s@host:8080/a@b", "target: http://··········@host:8080/a@b"),
            ("target: http://host/a@b", "target: http://host/a@b"),
            ("  Authorization: Bearer abc", "  Authorization: ······ ···"),
            ("{headers: {x-api-key: 'k,1', accept: a}}", "{headers: {x-api-key: ······ ······· ·}}"),
            ("cookies: keep", "cookies: keep"),
            ("my-cookie: x", "my-cookie: x"),
        ] {
            assert_eq!(without_credentials(line), shown);
        }
    }

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
