//! Texts as JavaScript.

/// A literal whose value is the text. JSON's strings are JavaScript's (ECMA-262, 2019 and later), but older readers take U+2028 and U+2029 for ends of lines.
pub(super) fn quoted(text: &str) -> String {
    let json = serde_json::Value::String(text.to_owned()).to_string();
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A text that may stand behind `//`, on one line.
pub(super) fn comment(text: &str) -> String {
    const CHARS_MAX: usize = 100;
    let is_plain = |c: &char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().filter(is_plain).take(CHARS_MAX).collect()
}

/// A member of an object: `.name`, `["any text"]`.
pub(super) fn member(name: &str) -> String {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    let is_plain = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    if is_plain { format!(".{name}") } else { format!("[{}]", quoted(name)) }
}
