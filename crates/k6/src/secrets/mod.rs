//! Secrets that a script asks for by name (`k6/secrets`): where they come from, and that no log shows their values.
//!
//! A source is named on the command line: `file=PATH` holds lines of `name=value`, `mock=name=value,…` has them right there. Values are known from the
//! start, and every line of the log is searched for all of them.

use crate::test::TestError;
use k6_options::ExitCode;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What stands in a log in place of a value.
const REDACTED: &str = "***SECRET_REDACTED***";

/// One source of secrets.
#[derive(Clone, PartialEq, Eq)]
struct Source {
    name: String,
    is_default: bool,
    values: BTreeMap<String, String>,
}

/// All sources of secrets of a test.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets {
    sources: Vec<Source>,
    /// Values by length, the longest first, so that one within another does not leave the rest of it.
    values: Vec<String>,
}

/// Says how many there are and none of them.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").field("count", &self.values.len()).finish_non_exhaustive()
    }
}

fn fault(message: impl Into<String>) -> TestError {
    TestError::new(ExitCode::Other, message)
}

/// `name=value`.
fn pair(text: &str) -> Result<(String, String), TestError> {
    let pair = text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    pair.ok_or_else(|| fault(format!("parsing {text:?}, needs =")).hinting("a secret is written name=value"))
}

/// A source of its text: `KIND=PART,PART…`. Parts are `name=NAME`, `default`, and what the kind takes.
fn source(text: &str) -> Result<Source, TestError> {
    let (kind, rest) = text.split_once('=').unwrap_or((text, ""));
    let mut name = kind.to_owned();
    let mut is_default = false;
    let mut parts = Vec::new();
    for part in rest.split(',') {
        match part.strip_prefix("name=") {
            Some(given) => given.clone_into(&mut name),
            None if part == "default" => is_default = true,
            None => parts.push(part),
        }
    }
    let values = match kind {
        "mock" => parts.into_iter().map(pair).collect::<Result<_, _>>()?,
        "file" => {
            let path = parts.last().map_or("", |path| path.strip_prefix("filename=").unwrap_or(path));
            let bytes = crate::sources::read_bytes(Path::new(path)).map_err(|said| {
                fault(said).hinting("write --secret-source=file=PATH, where PATH has lines of name=value")
            })?;
            let text = String::from_utf8(bytes).map_err(|_| fault(format!("{path} is not UTF-8")))?;
            text.lines().map(pair).collect::<Result<_, _>>()?
        }
        "url" => {
            return Err(fault("secrets by url are not there")
                .hinting("save them as lines of name=value: --secret-source=file=PATH"));
        }
        _ => {
            let message = format!("no secret source for type {kind:?} for configuration {text:?}");
            return Err(fault(message).hinting("there are file=PATH and mock=name=value"));
        }
    };
    Ok(Source { name, is_default, values })
}

impl Secrets {
    /// Of the texts that `--secret-source` and `K6_SECRET_SOURCE` have, in their order.
    ///
    /// # Errors
    /// A kind that there is not, a file that can't be read, a line without `=`, two sources of one name: exit code 255.
    pub fn of(texts: &[String]) -> Result<Self, TestError> {
        let mut all = Self::default();
        for text in texts {
            let made = source(text)?;
            if all.sources.iter().any(|known| known.name == made.name) {
                let message = format!(
                    "secret source for name {:?} already registered before configuration {text:?}",
                    made.name
                );
                return Err(
                    fault(message).hinting("give each source a name of its own: mock=name=other,key=value")
                );
            }
            if made.is_default && all.sources.iter().any(|known| known.is_default) {
                return Err(fault(format!("there are two default secret sources, the second is {text:?}")));
            }
            all.values.extend(made.values.values().filter(|value| !value.is_empty()).cloned());
            all.sources.push(made);
        }
        if let [only] = all.sources.as_mut_slice() {
            only.is_default = true;
        }
        all.values.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        all.values.dedup();
        Ok(all)
    }

    /// A text without the values of secrets.
    pub fn redacted<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), REDACTED));
            }
        }
        text
    }

    fn find(&self, name: Option<&str>) -> Result<&Source, String> {
        if self.sources.is_empty() {
            return Err("no secret sources are configured".to_owned());
        }
        let found = match name {
            Some(name) => self
                .sources
                .iter()
                .find(|source| source.name == name || name == "default" && source.is_default),
            None => self.sources.iter().find(|source| source.is_default),
        };
        found.ok_or_else(|| match name {
            Some(name) => format!("no secret source with name {name:?} is configured"),
            None => "no default secret source is configured: write default into one of them".to_owned(),
        })
    }

    /// A secret of the source of a name, or of the default one; or why there is none.
    pub(crate) fn get(&self, name: Option<&str>, key: &str) -> Result<String, String> {
        self.find(name)?.values.get(key).cloned().ok_or_else(|| "no value".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Result<Secrets, TestError> {
        Secrets::of(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn sources_are_found_by_name() {
        let secrets = of(&["mock=default,one=abc,two=abcdef", "mock=name=other,one=x=y"]).unwrap();
        assert_eq!(secrets.get(None, "one").unwrap(), "abc");
        assert_eq!(secrets.get(Some("other"), "one").unwrap(), "x=y");
        assert_eq!(secrets.get(Some("default"), "two").unwrap(), "abcdef");
        assert_eq!(secrets.get(None, "three").unwrap_err(), "no value");
        assert!(secrets.get(Some("third"), "one").is_err() && secrets.get(Some("mock"), "one").is_ok());
        assert_eq!(Secrets::default().get(None, "one").unwrap_err(), "no secret sources are configured");
        assert!(of(&["mock=a=b", "mock=name=other,a=b"]).unwrap().get(None, "a").is_err(), "no default");
    }

    #[test]
    fn values_are_shown_nowhere() {
        let secrets = of(&["mock=one=abc,two=abcdef,three="]).unwrap();
        assert_eq!(secrets.redacted("abc and xabcdefx"), format!("{REDACTED} and x{REDACTED}x"));
        assert!(matches!(secrets.redacted("ab"), Cow::Borrowed("ab")));
        assert!(!format!("{secrets:?}").contains("abc"));
    }

    #[test]
    fn faults_say_what_is_wrong() {
        let check = |texts: &[&str], expected: &str| {
            let said = of(texts).unwrap_err();
            assert!(said.message.contains(expected), "{said}");
            assert_eq!(said.code, ExitCode::Other);
        };
        check(&["nope=1"], "no secret source for type \"nope\" for configuration \"nope=1\"");
        check(&["mock=cool"], "parsing \"cool\", needs =");
        check(&["mock=a=b", "mock=a=c"], "already registered");
        check(&["file=/there/is/none"], "can't read /there/is/none");
        check(&["url=urlTemplate=x"], "secrets by url are not there");
    }
}
