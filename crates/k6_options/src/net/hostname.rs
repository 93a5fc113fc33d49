//! Patterns of host names: a name, or `*` and the end of one. The most exact pattern wins.

use std::collections::BTreeMap;

/// Longest name that DNS can hold (RFC 1035 §2.3.4), with a port.
const PATTERN_LENGTH_MAX: usize = 260;
/// Some blocklists that people use have tens of thousands of names.
const PATTERN_COUNT_MAX: usize = 200_000;

/// A map from patterns to values; names are compared without regard to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatternMap<T> {
    /// Whole names, lower case.
    exact: BTreeMap<String, T>,
    /// What stands behind the `*`, lower case.
    endings: BTreeMap<String, T>,
}

impl<T> Default for PatternMap<T> {
    fn default() -> Self {
        Self { exact: BTreeMap::new(), endings: BTreeMap::new() }
    }
}

impl<T> PatternMap<T> {
    /// Adds a pattern; one that is there already gets the new value. `false`: there are too many.
    pub(crate) fn insert(&mut self, pattern: &str, value: T) -> bool {
        let lower = pattern.to_ascii_lowercase();
        match lower.strip_prefix('*') {
            Some(ending) => self.endings.insert(ending.to_owned(), value),
            None => self.exact.insert(lower, value),
        };
        self.exact.len() + self.endings.len() <= PATTERN_COUNT_MAX
    }

    /// The value of the pattern that fits best: the name itself, else the longest ending. A `*` stands for any text, also for none.
    pub(crate) fn get(&self, name: &str) -> Option<&T> {
        let lower = name.to_ascii_lowercase();
        if let Some(value) = self.exact.get(&lower) {
            return Some(value);
        }
        if self.endings.is_empty() || lower.len() > PATTERN_LENGTH_MAX {
            return None;
        }
        let starts = lower.char_indices().map(|(at, _)| at).chain([lower.len()]);
        starts.filter_map(|at| lower.get(at..)).find_map(|ending| self.endings.get(ending))
    }
}

/// Whether it is a host name, or `*` alone or before the end of one; nothing at all too. With a port where `port` says so.
pub(crate) fn is_pattern(text: &str, port: Port) -> bool {
    let name = match (port, text.rsplit_once(':')) {
        (Port::Allowed, Some((name, port)))
            if (1..=5).contains(&port.len()) && port.bytes().all(|b| b.is_ascii_digit()) =>
        {
            name
        }
        (_, Some(_)) => return false,
        (_, None) => text,
    };
    let labels = name.strip_prefix('*').map_or(name, |rest| rest.strip_prefix('.').unwrap_or(rest));
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= PATTERN_LENGTH_MAX && (labels.is_empty() || labels.split('.').all(is_label))
}

/// Whether a pattern may name a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// `name:80` is a pattern.
    Allowed,
    /// It is not.
    Refused,
}

/// Names that must not be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostnamePatterns {
    /// As they were given.
    patterns: Vec<String>,
    map: PatternMap<usize>,
}

impl HostnamePatterns {
    /// Patterns such as `example.com` and `*.example.com`.
    ///
    /// # Errors
    ///
    /// The one that is none, with k6's text; and more than 200,000.
    pub fn new<T: AsRef<str>>(patterns: impl IntoIterator<Item = T>) -> Result<Self, String> {
        let mut all = Self::default();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            if !is_pattern(pattern, Port::Refused) {
                let short: String = pattern.chars().take(PATTERN_LENGTH_MAX).collect();
                return Err(format!("invalid hostname pattern '{short}'"));
            }
            if !all.map.insert(pattern, all.patterns.len()) {
                return Err(format!("more than {PATTERN_COUNT_MAX} hostname patterns"));
            }
            all.patterns.push(pattern.to_owned());
        }
        Ok(all)
    }

    /// As they were given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The pattern that a name fits, if any: the name is blocked.
    pub fn matching(&self, name: &str) -> Option<&str> {
        self.map.get(name).and_then(|index| self.patterns.get(*index)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_pattern_wins() {
        let patterns =
            HostnamePatterns::new(["*.b.com", "a.b.com", "*.c.b.com", "Exact.ORG", "*end"]).unwrap();
        let check =
            |name: &str, expected: Option<&str>| assert_eq!(patterns.matching(name), expected, "{name}");
        check("a.b.com", Some("a.b.com"));
        check("A.B.com", Some("a.b.com"));
        check("x.b.com", Some("*.b.com"));
        check("x.y.b.com", Some("*.b.com"));
        check("x.c.b.com", Some("*.c.b.com"));
        check("b.com", None);
        check("xb.com", None);
        check("exact.org", Some("Exact.ORG"));
        check("weekend", Some("*end"));
        check("end", Some("*end"));
        check(".b.com", Some("*.b.com"));
        check("", None);
        assert_eq!(HostnamePatterns::new(["*"]).unwrap().matching("any.thing"), Some("*"));
        assert_eq!(HostnamePatterns::default().matching("a"), None);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in ["a*b", "a.*", "a:80", "-a", "a b", "a..b", "**", "é", "a_b", "a."] {
            assert_eq!(HostnamePatterns::new([text]), Err(format!("invalid hostname pattern '{text}'")));
        }
        assert!(is_pattern("a.b:80", Port::Allowed) && !is_pattern("a:b", Port::Allowed));
        assert!(!is_pattern(&"a".repeat(300), Port::Refused));
    }
}
