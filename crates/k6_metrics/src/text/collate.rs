//! The order of names in texts: as dictionaries have it, not by code points.
//!
//! A reduced form of the Unicode collation's root order (UTS 10): signs before digits before letters; capitals and small letters together, the small one first
//! where nothing else differs. Letters beyond ASCII are in the order of their small code points.

use std::cmp::Ordering;

/// Signs of ASCII in the root order.
const SIGNS: &str = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

/// Which of two names comes first.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    a.chars()
        .map(primary)
        .cmp(b.chars().map(primary))
        .then_with(|| a.chars().map(case).cmp(b.chars().map(case)))
        .then(a.cmp(b))
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
        let sorted = ["_a", "9a", "a", "A", "a b", "a_b", "a-b", "a.b", "a1", "aB", "ab", "Ab", "b", "é"];
        let mut names = sorted;
        names.reverse();
        names.sort_by(|a, b| compare(a, b));
        // `aB` and `ab` differ in case alone: the small one comes first.
        assert_eq!(
            names,
            ["_a", "9a", "a", "A", "a b", "a_b", "a-b", "a.b", "a1", "ab", "aB", "Ab", "b", "é"]
        );
    }
}
