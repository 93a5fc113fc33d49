//! Colours, and how wide a text is.

use unicode_normalization::UnicodeNormalization as _;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colors {
    /// No escape sequence anywhere.
    #[default]
    Off,
    /// ANSI escape sequences.
    On,
}

/// What a part of the text is; the numbers are those of ECMA-48, section 8.3.117.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Bold,
    Faint,
    FaintWhite,
    White,
    Green,
    Red,
    Cyan,
    /// Cyan and faint, in the order that the old text has.
    CyanFaint,
    /// The same in the order of the new text.
    FaintCyan,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Bold => "1",
            Self::Faint => "2",
            Self::FaintWhite => "2;37",
            Self::White => "37",
            Self::Green => "32",
            Self::Red => "31",
            Self::Cyan => "36",
            Self::CyanFaint => "36;2",
            Self::FaintCyan => "2;36",
        }
    }
}

impl Colors {
    /// The text in a colour.
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        match self {
            Self::Off => text.to_owned(),
            Self::On => format!("\u{1b}[{}m{text}\u{1b}[0m", ink.code()),
        }
    }
}

/// A name from outside for a terminal: control characters as escapes, so that it stays on its line and changes nothing else.
pub(crate) fn printable(text: &str) -> std::borrow::Cow<'_, str> {
    if text.chars().any(char::is_control) {
        let escaped = text.chars().flat_map(|c| {
            let escape = c.is_control().then(|| c.escape_debug());
            escape.into_iter().flatten().chain((!c.is_control()).then_some(c))
        });
        return escaped.collect::<String>().into();
    }
    text.into()
}

/// How many characters a text without escape sequences has after NFKC normalisation.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.nfkc().count() }
}

/// Spaces (or dots) up to a width.
pub(crate) fn fill(fill: &str, text: &str, wanted: usize) -> String {
    fill.repeat(wanted.saturating_sub(width(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_of_normalised_characters() {
        let check = |text, expected| assert_eq!(width(text), expected, "{text}");
        check("abc", 3);
        check("213.93µs", 8);
        // One letter, written as two characters; one character that stands for two letters.
        check("e\u{301}", 1);
        check("ﬁ", 2);
        check("✓", 1);
    }

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(printable("a\nb\u{1b}[31m\tc\u{7f}é"), "a\\nb\\u{1b}[31m\\tc\\u{7f}é");
        assert_eq!(printable("plain é"), "plain é");
    }
}
