//! The order of names in texts: as dictionaries have it, not by code points.
//!
//! A reduced form of the Unicode collation's root order (UTS 10): signs before digits before letters; letters without their accents first, then the accents, then
//! capitals after small letters. Letters that are none of Latin's with accents are in the order of their small code points.

use std::cmp::Ordering;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Signs of ASCII in the root order.
const SIGNS: &str = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Which of two names comes first.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    letters(a)
        .map(primary)
        .cmp(letters(b).map(primary))
        .then_with(|| {
            a.nfkd().filter(|c| is_combining_mark(*c)).cmp(b.nfkd().filter(|c| is_combining_mark(*c)))
        })
        .then_with(|| a.chars().map(case).cmp(b.chars().map(case)))
        .then(a.cmp(b))
}

/// The letters, accents taken away.
fn letters(text: &str) -> impl Iterator<Item = char> {
    let parts = text.nfkd().filter(|c| !is_combining_mark(*c));
    parts.flat_map(|c| if c == 'ß' { [Some('s'), Some('s')] } else { [Some(c), None] }).flatten()
}

fn primary(c: char) -> (u8, u32) {
    if let Some(position) = SIGNS.chars().position(|sign| sign == c) {
        return (1, position as u32);
    }
    let small = c.to_lowercase().next().unwrap_or(c);
    match small {
        c if c.is_control() => (0, c as u32),
        c if c.is_numeric() => (3, c as u32),
        c if c.is_alphabetic() => (4, c as u32),
        c => (2, c as u32),
    }
}

fn case(c: char) -> bool {
    c.is_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_a_dictionary() {
        // `aB` and `ab` differ in case alone: the small one comes first.
        let sorted = [
            "_a", "9a", "a", "A", "a b", "a_b", "a-b", "a.b", "a1", "ab", "aB", "Ab", "b", "e", "é", "f",
            "ß", "t",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, sorted);
    }
}
