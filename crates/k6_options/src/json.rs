//! JSON whose objects keep their order, printed as Go prints it: what `inspect` and `exec.test.options` show.

use serde_json::Value;

/// A JSON value; members of an object stand in the order in which they are printed.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// `null` for nothing.
    pub(crate) fn or_null<T>(value: Option<T>, of: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Null, of)
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Array(texts.into_iter().map(|text| Self::text(text.as_ref())).collect())
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// On one line, without spaces.
    pub fn compact(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, None);
        text
    }

    /// Indented by two spaces for each level, without a line break at the end; `<`, `>` and `&` in strings are escaped, as Go does.
    pub fn indented(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, Some(0));
        text
    }

    /// `depth` is given where each member stands on its own line.
    fn write(&self, out: &mut String, depth: Option<usize>) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => out.push_str(&value.to_string()),
            Self::Number(value) => write_number(out, *value),
            Self::Text(text) => write_text(out, text),
            Self::Array(items) => {
                write_all(out, ['[', ']'], depth, items, |out, item, depth| item.write(out, depth));
            }
            Self::Object(members) => {
                write_all(out, ['{', '}'], depth, members, |out, (name, value), depth| {
                    write_text(out, name);
                    out.push_str(if depth.is_some() { ": " } else { ":" });
                    value.write(out, depth);
                });
            }
        }
    }
}

fn write_all<T>(
    out: &mut String,
    brackets: [char; 2],
    depth: Option<usize>,
    items: &[T],
    write: impl Fn(&mut String, &T, Option<usize>),
) {
    out.push(brackets[0]);
    let inner = depth.map(|depth| depth + 1);
    let new_line = |out: &mut String, depth: Option<usize>| {
        if let Some(depth) = depth {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
    };
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        new_line(out, inner);
        write(out, item, inner);
    }
    if !items.is_empty() {
        new_line(out, depth);
    }
    out.push(brackets[1]);
}

fn write_number(out: &mut String, value: f64) {
    // A whole number that was written with a point or an exponent prints without; beyond 10²¹ JavaScript and Go use exponents.
    if value.fract() == 0.0 && value.abs() < 1e21 {
        out.push_str(&format!("{value:.0}"));
    } else {
        out.push_str(
            &serde_json::Number::from_f64(value).map_or_else(|| "null".to_owned(), |n| n.to_string()),
        );
    }
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if u32::from(c) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
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
            Value::String(text) => Self::text(text),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), value.into())).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_prints_as_gos() {
        let value: Value =
            serde_json::from_str(r#"{"b":[],"c":{},"n":[1,2.5,1e3,null,true],"t":"a<b>&\"\u0001\n"}"#)
                .unwrap();
        let json = Json::from(&value);
        assert_eq!(
            json.compact(),
            r#"{"b":[],"c":{},"n":[1,2.5,1000,null,true],"t":"a\u003cb\u003e\u0026\"\u0001\n"}"#
        );
        assert_eq!(
            Json::Object(vec![
                ("b".to_owned(), Json::Array(vec![Json::Int(1), Json::Null])),
                ("a".to_owned(), Json::Object(vec![]))
            ])
            .indented(),
            "{\n  \"b\": [\n    1,\n    null\n  ],\n  \"a\": {}\n}"
        );
        assert_eq!(json.get("b"), Some(&Json::Array(vec![])));
        assert_eq!(
            serde_json::from_str::<Value>(&json.indented()).unwrap(),
            serde_json::from_str::<Value>(&json.compact()).unwrap()
        );
    }
}
