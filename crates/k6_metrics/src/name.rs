//! What a custom metric may be called: today's rule, and the wider one of old releases, which is still taken with a warning.

/// Characters of a name after its first, by today's rule `^[a-zA-Z_][a-zA-Z0-9_]{1,128}$`.
const REST_CHARS_MAX: usize = 128;
/// Characters of a name by the old rule `^[\p{L}\p{N}\._ !\?/&#\(\)<>%-]{1,128}$`.
const OLD_CHARS_MAX: usize = 128;
/// What the old rule takes besides letters and digits.
const OLD_SIGNS: &str = "._ !?/&#()<>%-";

/// By which rule a name is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// ASCII letters, digits and `_`, no digit first, 2 to 129 characters.
    Current,
    /// Letters and digits of any script and some signs, 1 to 128 characters: no longer a name in newer releases.
    Old,
}

/// The narrowest rule that takes the name; `None` if it is no name at all.
pub fn name_rule(name: &str) -> Option<NameRule> {
    let mut chars = name.chars();
    let first = chars.next()?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest_count = name.len() - first.len_utf8();
    if is_word(first)
        && !first.is_ascii_digit()
        && (1..=REST_CHARS_MAX).contains(&rest_count)
        && chars.all(is_word)
    {
        return Some(NameRule::Current);
    }
    let is_old = |c: char| c.is_alphanumeric() || OLD_SIGNS.contains(c);
    let is_short = name.chars().take(OLD_CHARS_MAX + 1).count() <= OLD_CHARS_MAX;
    (is_short && name.chars().all(is_old)).then_some(NameRule::Old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_both_ages() {
        let check = |name: &str, rule| assert_eq!(name_rule(name), rule, "{name}");
        check("ab", Some(NameRule::Current));
        check("_9", Some(NameRule::Current));
        check(&"a".repeat(129), Some(NameRule::Current));
        check(&"a".repeat(130), None);
        check("a", Some(NameRule::Old));
        check("9lives", Some(NameRule::Old));
        check("time to first byte (ms)", Some(NameRule::Old));
        check("größe", Some(NameRule::Old));
        check(&"ß".repeat(128), Some(NameRule::Old));
        check(&"ß".repeat(129), None);
        for bad in ["", "a{b}", "a:b", "a,b", "a\nb", "a\u{0}", "\"a\"", "a'b", "a=b"] {
            check(bad, None);
        }
    }
}
