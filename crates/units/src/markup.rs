//! Text from outside as it may stand in a page that is marked up: Markdown, HTML, XML.
//!
//! Whatever a text holds, it stays text: it begins no element, ends no attribute and no cell of a table, and hides nothing from the reader.

use crate::legible;

/// How the characters that begin and end markup stand in HTML and XML, in content and in attributes in double quotes: `&`, `<`, `>`, `"`.
/// `None`: any other, which stands for itself. Source: XML 1.0, section 2.4. What else a page has no room for is its own matter.
pub fn entity(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => return None,
    })
}

/// As HTML, in content and in attributes with either quotes; [`legible`].
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in legible(text).chars() {
        match entity(c) {
            Some(entity) => out.push_str(entity),
            None if c == '\'' => out.push_str("&#39;"),
            None => out.push(c),
        }
    }
    out
}

/// As text that Markdown neither formats nor takes for the end of a cell: on one line, [`legible`].
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' => out.extend(['\\', c]),
            '"' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => match entity(c) {
                Some(entity) => out.push_str(entity),
                None => out.push(c),
            },
        }
    }
    legible(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let hostile = "<b title=\"x\" id='y'>&amp;|`*_`\n\u{202e}";
        assert_eq!(
            html(hostile),
            "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;|`*_`\u{fffd}\u{fffd}"
        );
        assert_eq!(markdown(hostile), "&lt;b title=\"x\" id='y'&gt;&amp;amp;\\|\\`\\*\\_\\` \u{fffd}");
        assert_eq!([html("été 店"), markdown("été 店")], ["été 店", "été 店"]);
    }
}
