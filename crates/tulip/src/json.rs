//! JSON as lax as Tulip's readers were: text to a tree of values that know their place.
//!
//! Beyond RFC 8259 it takes what Gson's lenient reader takes (comments `//`, `/* */` and `#`, single quotes, words without quotes, `;` for
//! `,`, `=` and `=>` for `:`), and a comma before a closing bracket. Places are byte offsets.

use crate::faults::{Faults, quoted};
use std::collections::HashMap;

/// Deepest nesting; a configuration has six levels.
const DEPTH_MAX: usize = 64;
/// Most values; a configuration has hundreds, and a workflow that leads from each state to each has ten thousand.
const VALUES_MAX: usize = 250_000;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A word without quotes, as written: a number, a truth value, `null`, or a text.
    Word(String),
    /// A text in quotes, escapes resolved.
    Text(String),
    List(Vec<Node>),
    /// In order; of a key given twice the last value stays, at the place of the first.
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: usize,
    pub(crate) node: Node,
}

impl Node {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Word(text) | Value::Text(text) => quoted(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "an object".to_owned(),
        }
    }
}

/// What a text says beside its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) at: usize,
    /// Its lines without the marks of a comment.
    pub(crate) lines: Vec<String>,
}

/// Reads a text that holds one value. `None`: it is no tree, and the fault says why.
pub(crate) fn parse(text: &str, faults: &mut Faults<'_>) -> Option<Node> {
    parse_with_comments(text, faults).map(|(node, _)| node)
}

/// Reads a text that holds one value, and its comments in order.
pub(crate) fn parse_with_comments(text: &str, faults: &mut Faults<'_>) -> Option<(Node, Vec<Comment>)> {
    let mut parser = Parser { text, at: 0, depth: 0, value_count: 0, comments: Vec::new(), faults };
    let whole = parser.value().and_then(|node| {
        parser.skip_blank()?;
        match parser.peek() {
            None => Ok(node),
            Some(_) => Err(parser.wrong("something follows the configuration", "keep one object per file")),
        }
    });
    let comments = parser.comments;
    let node = whole.map_err(|Syntax { at, message, hint }| faults.error(at, message, hint)).ok()?;
    Some((node, comments))
}

/// Why a text is no tree.
struct Syntax {
    at: usize,
    message: String,
    hint: String,
}

struct Parser<'t, 'f, 's> {
    text: &'t str,
    at: usize,
    depth: usize,
    value_count: usize,
    comments: Vec<Comment>,
    faults: &'f mut Faults<'s>,
}

impl Parser<'_, '_, '_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn wrong(&self, message: impl Into<String>, hint: impl Into<String>) -> Syntax {
        Syntax { at: self.at, message: message.into(), hint: hint.into() }
    }

    /// Goes past white space and comments.
    fn skip_blank(&mut self) -> Result<(), Syntax> {
        loop {
            let rest = self.rest();
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return Err(self.wrong("the comment has no end", "close it with `*/`")),
                }
            } else {
                let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
                rest.find(|c| !blank(c)).unwrap_or(rest.len())
            };
            if length == 0 {
                return Ok(());
            }
            self.keep_comment(length);
            self.at += length;
        }
    }

    /// Keeps so many bytes from here on, if they are a comment and not blank.
    fn keep_comment(&mut self, length: usize) {
        let text = self.rest().get(..length).unwrap_or_default();
        let Some(inner) = ["//", "#", "/*"].iter().find_map(|mark| text.strip_prefix(mark)) else { return };
        let inner = if text.starts_with("/*") { inner.strip_suffix("*/").unwrap_or(inner) } else { inner };
        let lines = inner.lines().map(|line| line.trim().trim_start_matches('*').trim().to_owned());
        let lines = lines.filter(|line| !line.is_empty()).collect();
        self.comments.push(Comment { at: self.at, lines });
    }

    fn value(&mut self) -> Result<Node, Syntax> {
        self.skip_blank()?;
        self.value_count += 1;
        if self.value_count > VALUES_MAX {
            let message = format!("there are more than {VALUES_MAX} values in the configuration");
            return Err(self.wrong(message, "split it"));
        }
        let at = self.at;
        let value = match self.peek() {
            None => {
                return Err(self.wrong("the text ends where a value should be", "is a bracket not closed?"));
            }
            Some('{') => self.nested(Self::map)?,
            Some('[') => self.nested(Self::list)?,
            Some(quote @ ('"' | '\'')) => Value::Text(self.quoted(quote)?),
            Some(_) => Value::Word(self.word()?),
        };
        Ok(Node { at, value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Syntax>) -> Result<Value, Syntax> {
        if self.depth >= DEPTH_MAX {
            return Err(self
                .wrong(format!("values are nested more than {DEPTH_MAX} deep"), "is a bracket not closed?"));
        }
        self.depth += 1;
        self.next();
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Whether the bracket closes here; commas in front of it are forgiven.
    fn closes(&mut self, bracket: char) -> Result<bool, Syntax> {
        self.skip_blank()?;
        while matches!(self.peek(), Some(',' | ';')) {
            self.next();
            self.skip_blank()?;
        }
        let closes = self.peek() == Some(bracket);
        if closes {
            self.next();
        }
        Ok(closes)
    }

    /// After a value: a comma, or the bracket that closes.
    fn parted(&mut self, bracket: char) -> Result<(), Syntax> {
        self.skip_blank()?;
        match self.peek() {
            Some(',' | ';') => Ok(()),
            Some(c) if c == bracket => Ok(()),
            Some(c) => Err(self.wrong(
                format!("found {} after a value", quoted(&c.to_string())),
                format!("put a `,` between values, or close with `{bracket}`"),
            )),
            None => {
                Err(self.wrong("the text ends too early", format!("close what is open with `{bracket}`")))
            }
        }
    }

    fn list(&mut self) -> Result<Value, Syntax> {
        let mut items = Vec::new();
        while !self.closes(']')? {
            items.push(self.value()?);
            self.parted(']')?;
        }
        Ok(Value::List(items))
    }

    fn map(&mut self) -> Result<Value, Syntax> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        while !self.closes('}')? {
            let at = self.at;
            let key = match self.peek() {
                Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
                _ => self.word()?,
            };
            self.skip_blank()?;
            match self.next() {
                Some(':') => {}
                Some('=') if self.peek() == Some('>') => _ = self.next(),
                Some('=') => {}
                _ => {
                    self.at = at;
                    return Err(self
                        .wrong(format!("the key {} has no value", quoted(&key)), "write `\"key\": value`"));
                }
            }
            let node = self.value()?;
            self.parted('}')?;
            let earlier = places.get(&key).and_then(|place| entries.get_mut(*place));
            if let Some(earlier) = earlier {
                let message = format!("the key {} is given twice, and the last one counts", quoted(&key));
                self.faults.warning(at, message, "remove one");
                *earlier = Entry { key, at, node };
            } else {
                places.insert(key.clone(), entries.len());
                entries.push(Entry { key, at, node });
            }
        }
        Ok(Value::Map(entries))
    }

    fn word(&mut self) -> Result<String, Syntax> {
        let ends = |c: char| c.is_whitespace() || "{}[]:=,;#\"'\\/".contains(c);
        let rest = self.rest();
        let word = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default().to_owned();
        if word.is_empty() {
            let found = quoted(&rest.chars().take(1).collect::<String>());
            return Err(self.wrong(
                format!("found {found} where a key or value should be"),
                "write a value, or remove it",
            ));
        }
        self.at += word.len();
        Ok(word)
    }

    fn quoted(&mut self, quote: char) -> Result<String, Syntax> {
        let start = self.at;
        self.next();
        let mut out = String::new();
        loop {
            match self.next() {
                None => {
                    self.at = start;
                    return Err(self.wrong("the text in quotes has no end", "close it with a quote"));
                }
                Some(c) if c == quote => return Ok(out),
                Some('\\') => out.push(self.escape()?),
                Some(c) => out.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Syntax> {
        let wrong = "not an escape of JSON";
        let hint = "write a backslash as `\\\\`";
        Ok(match self.next() {
            Some(c @ ('"' | '\'' | '\\' | '/' | '\n')) => c,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let high = self.hex()?;
                let units = if (0xd800..0xdc00).contains(&high) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    vec![high, self.hex()?]
                } else {
                    vec![high]
                };
                // Half a pair stands for no character.
                char::decode_utf16(units).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.wrong(wrong, hint)),
        })
    }

    fn hex(&mut self) -> Result<u16, Syntax> {
        let digits = self.rest().get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = digits
            .ok_or_else(|| self.wrong("`\\u` needs four hexadecimal digits", "write for example \\u00e9"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Word(word) => word.clone(),
            Value::Text(text) => format!("{text:?}"),
            Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
            Value::Map(entries) => {
                let entries = entries.iter().map(|entry| format!("{}:{}", entry.key, shown(&entry.node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let mut faults = Faults::new("c.json", text);
        let tree = parse(text, &mut faults).map(|node| shown(&node));
        let said = faults.finish().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert_eq!(tree.unwrap_or(said), expected, "{text}");
    }

    #[test]
    fn what_gson_forgives_is_forgiven() {
        check(r#"{"a": [1, -2.5e3, true], "b": {}}"#, "{a:[1 -2.5e3 true] b:{}}");
        check("{ // one\n a = 'x'; # two\n /* three */ b => y, }", "{a:\"x\" b:y}");
        check("[1,2,]", "[1 2]");
        check(r#"{"a": "\"\u00e9\ud83d\ude00\n"}"#, "{a:\"\\\"é😀\\n\"}");
        check(r#"{"a": 1, "b": 3, "a": 2}"#, "{a:2 b:3}");
        check("\u{feff}{}", "{}");
    }

    #[test]
    fn the_number_of_values_is_bounded_and_keys_are_found_fast() {
        let keys = |count: usize, turns: usize| {
            let all =
                (0..turns).flat_map(|_| 0..count).map(|index| format!("k{index}:1")).collect::<Vec<_>>();
            format!("{{{}}}", all.join(","))
        };
        // Each of these compared with each, or moved for each, would take minutes.
        let mut faults = Faults::new("c.json", "");
        let node = parse(&keys(VALUES_MAX / 2 - 1, 2), &mut faults).unwrap();
        assert!(matches!(node.value, Value::Map(entries) if entries.len() == VALUES_MAX / 2 - 1));
        let text = keys(VALUES_MAX, 1);
        let mut faults = Faults::new("c.json", &text);
        assert!(parse(&text, &mut faults).is_none() && faults.has_errors());
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        check(
            "{\n  \"a\": 1\n  \"b\": 2}",
            "error: found `\"` after a value\n  --> c.json:3:3\nhint: put a `,` between values, or close with `}`",
        );
        check("{\"a\" 1}", "error: the key `a` has no value\n  --> c.json:1:2\nhint: write `\"key\": value`");
        check(
            "{\"a\": \"x",
            "error: the text in quotes has no end\n  --> c.json:1:7\nhint: close it with a quote",
        );
        check(
            "[",
            "error: the text ends where a value should be\n  --> c.json:1:2\nhint: is a bracket not closed?",
        );
        check(
            "{} x",
            "error: something follows the configuration\n  --> c.json:1:4\nhint: keep one object per file",
        );
        for text in
            ["", "{\"a\":\"\\u12\"}", "{\"a\":\"\\x\"}", "/* x", &"[".repeat(1000), "{a:}", "{:1}", "\\"]
        {
            let mut faults = Faults::new("c.json", text);
            assert!(parse(text, &mut faults).is_none() && faults.has_errors(), "{text}");
        }
    }
}
