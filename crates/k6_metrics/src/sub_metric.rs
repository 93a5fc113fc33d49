//! A part of a metric by tags, as thresholds name it: `metric{key:value,key2:value2}`.

/// Bytes of a metric's key in a threshold: names and some tags of greatest size would not be typed by anybody.
const KEY_BYTES_MAX: usize = 64 << 10;
/// Pairs of a key.
const PAIRS_MAX: usize = 64;

/// A metric's name with the tags that a sample must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricKey {
    /// The metric.
    pub name: String,
    /// What stands between the braces, as written; empty without braces.
    pub suffix: String,
    /// What it says, in its order.
    pub tags: Vec<(String, String)>,
}

/// Why a key is none, with the part that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyError {
    /// Nothing stands before the brace.
    NoName,
    /// A brace is open or something follows it.
    NotClosed,
    /// `metric{}`.
    NoTags,
    /// A pair without `:`, without key or without value.
    BadPair(String),
    /// Longer than any key that is meant.
    TooLong,
}

impl std::fmt::Display for KeyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoName => f.write_str("there is no metric's name before `{`"),
            Self::NotClosed => f.write_str("the tags must end with `}`, and nothing may follow it"),
            Self::NoTags => f.write_str("there is no tag between `{` and `}`"),
            Self::BadPair(pair) => write!(f, "`{}` is not `tag:value`", pair.escape_debug()),
            Self::TooLong => {
                write!(f, "it has more than {KEY_BYTES_MAX} bytes or {PAIRS_MAX} tags")
            }
        }
    }
}

impl std::error::Error for KeyError {}

impl MetricKey {
    /// Reads `metric` or `metric{key:value,…}`. A pair is split at its first `:`; spaces and quotes around key and value are left away.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        if text.len() > KEY_BYTES_MAX {
            return Err(KeyError::TooLong);
        }
        let Some((name, rest)) = text.split_once('{') else {
            return match text {
                "" => Err(KeyError::NoName),
                name if name.contains('}') => Err(KeyError::NotClosed),
                name => Ok(Self { name: name.to_owned(), suffix: String::new(), tags: Vec::new() }),
            };
        };
        if name.is_empty() {
            return Err(KeyError::NoName);
        }
        let suffix = rest.strip_suffix('}').ok_or(KeyError::NotClosed)?;
        if suffix.trim().is_empty() {
            return Err(KeyError::NoTags);
        }
        let tags = suffix.split(',').map(pair).collect::<Result<Vec<_>, _>>()?;
        if tags.len() > PAIRS_MAX {
            return Err(KeyError::TooLong);
        }
        Ok(Self { name: name.to_owned(), suffix: suffix.to_owned(), tags })
    }

    /// The tags sorted by key, the last of equal keys: what samples are held against.
    pub(crate) fn sorted_tags(&self) -> Vec<(String, String)> {
        let by_key: std::collections::BTreeMap<_, _> = self.tags.iter().cloned().collect();
        by_key.into_iter().collect()
    }
}

fn pair(text: &str) -> Result<(String, String), KeyError> {
    let bad = || KeyError::BadPair(text.to_owned());
    let (key, value) = text.split_once(':').ok_or_else(bad)?;
    if key.trim().is_empty() || value.trim().is_empty() {
        return Err(bad());
    }
    let bare = |text: &str| text.trim_matches([' ', '\t', '\n', '\r', '"', '\'']).to_owned();
    Ok((bare(key), bare(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, suffix and tags.
    type Read<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    fn check(text: &str, expected: Result<Read<'_>, KeyError>) {
        let key = MetricKey::parse(text);
        let read = key.as_ref().map_err(Clone::clone).map(|key| {
            let tags: Vec<(&str, &str)> = key.tags.iter().map(|(key, value)| (&**key, &**value)).collect();
            (&*key.name, &*key.suffix, tags)
        });
        assert_eq!(read, expected.map(|(name, suffix, tags)| (name, suffix, tags.to_vec())), "{text}");
    }

    #[test]
    fn keys_are_read_by_the_rules() {
        check("http_reqs", Ok(("http_reqs", "", &[])));
        check("m{a:b}", Ok(("m", "a:b", &[("a", "b")])));
        check("m{a:b,c:d}", Ok(("m", "a:b,c:d", &[("a", "b"), ("c", "d")])));
        check("m{ a : \"b c\" ,'d':e}", Ok(("m", " a : \"b c\" ,'d':e", &[("a", "b c"), ("d", "e")])));
        check("m{group:::a::b}", Ok(("m", "group:::a::b", &[("group", "::a::b")])));
        check("m{url:http://h/?a={x}}", Ok(("m", "url:http://h/?a={x}", &[("url", "http://h/?a={x}")])));
        check("m{error:\"\"}", Ok(("m", "error:\"\"", &[("error", "")])));
    }

    #[test]
    fn what_is_no_key_says_why() {
        check("", Err(KeyError::NoName));
        check("{a:b}", Err(KeyError::NoName));
        check("m{", Err(KeyError::NotClosed));
        check("m}", Err(KeyError::NotClosed));
        check("m{a:b}x", Err(KeyError::NotClosed));
        check("m{}", Err(KeyError::NoTags));
        check("m{ }", Err(KeyError::NoTags));
        check("m{a}", Err(KeyError::BadPair("a".into())));
        check("m{a:}", Err(KeyError::BadPair("a:".into())));
        check("m{:b}", Err(KeyError::BadPair(":b".into())));
        check("m{a:b,}", Err(KeyError::BadPair(String::new())));
        check(&"m".repeat(KEY_BYTES_MAX + 1), Err(KeyError::TooLong));
        check(&format!("m{{{}}}", vec!["a:b"; PAIRS_MAX + 1].join(",")), Err(KeyError::TooLong));
    }
}
