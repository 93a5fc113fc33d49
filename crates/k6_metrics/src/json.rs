//! JSON whose objects keep the order of their keys, in both directions.
//!
//! Numbers are written as scripts write them, and Go too: the shortest digits that read back, without an exponent from 1e-6 to below 1e21
//! (ECMA-262, Number::toString). What JSON has no number for (NaN, infinities) becomes `null`. The two differ in a few characters of texts and
//! in -0; what people of k6 see of options is in Go's form, what scripts and files of samples get in that of scripts.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt::Write as _;

/// Deepest nesting that is written; deeper values become `null`, so that no reader runs out of stack. Reading has serde_json's limit of 128.
const DEPTH_MAX: usize = 200;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, however large. What is read has only [`Json::Number`], as scripts have.
    Int(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// Keys and values in their order.
    Object(Vec<(String, Json)>),
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&Value> for Json {
    /// Objects in the order in which the value holds them.
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => {
                number.as_i64().map_or_else(|| Self::Number(number.as_f64().unwrap_or(0.0)), Self::Int)
            }
            Value::String(text) => Self::from(text),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => Self::object(members.iter().map(|(name, value)| (name, value.into()))),
        }
    }
}

/// Whose JSON it is to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Script,
    /// `<`, `>` and `&` in texts are escaped too, and -0 keeps its sign (`encoding/json`).
    Go,
}

/// How a value is written: on lines with this indentation for each level, or on one line.
#[derive(Debug, Clone, Copy)]
struct Form {
    dialect: Dialect,
    indent: Option<&'static str>,
}

impl Json {
    /// `null` for nothing.
    pub fn or_null<T>(value: Option<T>, of: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Null, of)
    }

    /// A list of texts.
    pub fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::from(text.as_ref())).collect())
    }

    /// An object of these pairs.
    pub fn object<K: Into<String>>(pairs: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }

    /// Reads a text; keys that come twice are kept twice.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// The value of a key, the last of equal ones; `None` if this is no object or has no such key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.pairs().iter().rev().find(|(own, _)| own == key).map(|(_, value)| value)
    }

    /// Keys and values; none if this is no object.
    pub fn pairs(&self) -> &[(String, Self)] {
        if let Self::Object(pairs) = self { pairs } else { &[] }
    }

    /// The values; none if this is no list.
    pub fn list(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { &[] }
    }

    /// The number, if this is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if this is one.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Without white space.
    pub fn to_compact(&self) -> String {
        self.written(Form { dialect: Dialect::Script, indent: None })
    }

    /// On lines, indented by four spaces.
    pub fn to_pretty(&self) -> String {
        self.written(Form { dialect: Dialect::Script, indent: Some("    ") })
    }

    /// As Go prints it, without white space.
    pub fn to_go_compact(&self) -> String {
        self.written(Form { dialect: Dialect::Go, indent: None })
    }

    /// As Go prints it, on lines, indented by two spaces.
    pub fn to_go_pretty(&self) -> String {
        self.written(Form { dialect: Dialect::Go, indent: Some("  ") })
    }

    fn written(&self, form: Form) -> String {
        let mut out = String::new();
        self.write(&mut out, form, 0);
        out
    }

    fn write(&self, out: &mut String, form: Form, depth: usize) {
        match self {
            _ if depth > DEPTH_MAX => out.push_str("null"),
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(number) => out.push_str(&number.to_string()),
            Self::Number(number) => {
                if form.dialect == Dialect::Go && *number == 0.0 && number.is_sign_negative() {
                    out.push('-');
                }
                write_number(out, *number);
            }
            Self::Text(text) => write_text_as(out, text, form.dialect),
            Self::List(list) => {
                let write = |out: &mut String, value: &Self| value.write(out, form, depth + 1);
                write_all(out, ['[', ']'], list, form.indent, depth, write);
            }
            Self::Object(pairs) => {
                let write = |out: &mut String, (key, value): &(String, Self)| {
                    write_text_as(out, key, form.dialect);
                    out.push_str(if form.indent.is_some() { ": " } else { ":" });
                    value.write(out, form, depth + 1);
                };
                write_all(out, ['{', '}'], pairs, form.indent, depth, write);
            }
        }
    }
}

fn write_all<T>(
    out: &mut String,
    [open, close]: [char; 2],
    items: &[T],
    indent: Option<&str>,
    depth: usize,
    write: impl Fn(&mut String, &T),
) {
    let line = |out: &mut String, depth: usize| {
        if let Some(indent) = indent {
            out.push('\n');
            (0..depth).for_each(|_| out.push_str(indent));
        }
    };
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        line(out, depth + 1);
        write(out, item);
    }
    if !items.is_empty() {
        line(out, depth);
    }
    out.push(close);
}

/// Writes a number as ECMA-262's Number::toString does.
pub(crate) fn write_number(out: &mut String, number: f64) {
    let magnitude = number.abs();
    // Writing to a string can't fail.
    let _ = if !number.is_finite() {
        out.write_str("null")
    } else if number == 0.0 {
        out.write_str("0")
    } else if number.fract() == 0.0 && magnitude < 1e15 {
        write!(out, "{}", number as i64)
    } else if (1e-6..1e21).contains(&magnitude) {
        write!(out, "{number}")
    } else {
        let text = format!("{number:e}");
        match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => write!(out, "{digits}e+{exponent}"),
            _ => out.write_str(&text),
        }
    };
}

/// Writes a text in quotes; of the characters beyond ASCII only the line separators that scripts stumble over are escaped.
pub(crate) fn write_text(out: &mut String, text: &str) {
    write_text_as(out, text, Dialect::Script);
}

fn write_text_as(out: &mut String, text: &str, dialect: Dialect) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' if dialect == Dialect::Go => out.push_str("\\b"),
            '\u{c}' if dialect == Dialect::Go => out.push_str("\\f"),
            '<' | '>' | '&' if dialect == Dialect::Script => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{2028}' | '\u{2029}' | '<' | '>' | '&' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = values.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = entries.next_entry()? {
            pairs.push(pair);
        }
        Ok(Json::Object(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_written_as_scripts_write_them() {
        let check = |number: f64, expected| assert_eq!(Json::Number(number).to_compact(), expected);
        check(0.0, "0");
        check(-0.0, "0");
        check(5.0, "5");
        check(-7.25, "-7.25");
        check(0.1 + 0.2, "0.30000000000000004");
        check(1e-6, "0.000001");
        check(1.5e-7, "1.5e-7");
        check(123_456_789_012_345_680_000.0, "123456789012345680000");
        check(1e21, "1e+21");
        check(1.7976931348623157e308, "1.7976931348623157e+308");
        check(f64::NAN, "null");
        check(f64::NEG_INFINITY, "null");
    }

    #[test]
    fn objects_keep_their_order_and_texts_their_characters() {
        let text = r#"{"z":1,"a":[true,null,{"é<&>":"\u0000\n\"\\\u2028"}],"e":{},"l":[]}"#;
        let read = Json::parse(text).unwrap();
        assert_eq!(read.to_compact(), text);
        assert_eq!(read.get("z").and_then(Json::number), Some(1.0));
        assert_eq!(
            read.to_pretty().lines().take(4).collect::<Vec<_>>(),
            ["{", "    \"z\": 1,", "    \"a\": [", "        true,"]
        );
        assert!(read.to_pretty().contains("\"e\": {},\n    \"l\": []\n}"));
        assert!(Json::parse("{\"a\":").is_err());
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn what_people_of_k6_see_is_printed_as_gos() {
        let text = r#"{"b":[],"c":{},"n":[1,2.5,1e3,-0.0,1e-6,1e21,null,true],"t":"a<b>&\"\u0001\b\n"}"#;
        let json = Json::from(&serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(
            json.to_go_compact(),
            r#"{"b":[],"c":{},"n":[1,2.5,1000,-0,0.000001,1e+21,null,true],"t":"a\u003cb\u003e\u0026\"\u0001\b\n"}"#
        );
        assert_eq!(json.get("b"), Some(&Json::List(vec![])));
        let json = Json::object([
            ("b", Json::List(vec![Json::Int(i64::MAX), Json::Null])),
            ("a", Json::object::<&str>([])),
        ]);
        assert_eq!(
            json.to_go_pretty(),
            "{\n  \"b\": [\n    9223372036854775807,\n    null\n  ],\n  \"a\": {}\n}"
        );
    }

    #[test]
    fn what_is_too_deep_is_cut() {
        let mut deep = Json::Null;
        for _ in 0..2 * DEPTH_MAX {
            deep = Json::List(vec![deep]);
        }
        assert_eq!(deep.to_compact().matches('[').count(), DEPTH_MAX + 1);
    }

    proptest! {
        #[test]
        fn any_text_and_number_reads_back(text in any::<String>(), number in prop::num::f64::NORMAL) {
            let json = Json::object([(text, Json::Number(number))]);
            prop_assert_eq!(Json::parse(&json.to_compact()).unwrap(), json);
        }
    }
}
