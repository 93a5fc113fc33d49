//! Keys and values laid out as the newest release's own samples are, with comments where they stood.

use super::comments::Comments;

/// A key with its value, and where it stood in the old text.
pub(super) struct Member {
    pub(super) key: String,
    pub(super) at: Option<usize>,
    /// What held it and is not in the new text, at its first member.
    pub(super) holder: Option<usize>,
    pub(super) value: Piece,
}

/// A value of the new text.
pub(super) enum Piece {
    /// As it is written.
    Word(String),
    Map(Vec<Member>),
    /// Objects, one on a line each.
    List(Vec<(usize, Vec<Member>)>),
}

impl Member {
    pub(super) fn new(key: &str, at: Option<usize>, value: Piece) -> Self {
        Self { key: key.to_owned(), at, holder: None, value }
    }

    pub(super) fn word(key: &str, at: Option<usize>, word: impl ToString) -> Self {
        Self::new(key, at, Piece::Word(word.to_string()))
    }

    pub(super) fn text(key: &str, at: Option<usize>, text: &str) -> Self {
        Self::word(key, at, quoted(text))
    }
}

/// A text as JSON has it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The whole text.
pub(super) fn print(members: &[Member], mut comments: Comments) -> String {
    let mut out = String::new();
    map(members, 0, &mut comments, &mut out);
    out.push('\n');
    lines(&comments.take_last(), 0, &mut out);
    let rest = comments.rest();
    if !rest.is_empty() {
        let mut said = "    // these comments stood at what is said differently now:\n".to_owned();
        lines(&rest, 1, &mut said);
        // Behind the bracket that opens everything and its line end.
        out.insert_str("{\n".len(), &said);
    }
    out
}

fn lines(comments: &[String], depth: usize, out: &mut String) {
    for line in comments {
        out.push_str(&format!("{}// {line}\n", "    ".repeat(depth)));
    }
}

fn map(members: &[Member], depth: usize, comments: &mut Comments, out: &mut String) {
    if members.is_empty() {
        out.push_str("{}");
        return;
    }
    out.push_str("{\n");
    for (index, member) in members.iter().enumerate() {
        lines(&comments.take_before(member.holder), depth + 1, out);
        lines(&comments.take_behind(member.holder), depth + 1, out);
        lines(&comments.take_before(member.at), depth + 1, out);
        out.push_str(&format!("{}{}: ", "    ".repeat(depth + 1), quoted(&member.key)));
        let comma = if index + 1 < members.len() { "," } else { "" };
        let behind = comments.take_behind(member.at).join("; ");
        let behind = if behind.is_empty() { String::new() } else { format!(" // {behind}") };
        match &member.value {
            Piece::Word(word) => out.push_str(&format!("{word}{comma}{behind}\n")),
            Piece::Map(inner) => {
                let start = out.len();
                map(inner, depth + 1, comments, out);
                // Behind the bracket that opens, where it stood.
                let place = if inner.is_empty() { out.len() } else { start + 1 };
                if inner.is_empty() {
                    out.push_str(comma);
                    out.push_str(&behind);
                } else {
                    out.insert_str(place, &behind);
                    out.push_str(comma);
                }
                out.push('\n');
            }
            Piece::List(items) => {
                out.push_str(&format!("[{behind}\n"));
                list(items, depth + 2, comments, out);
                out.push_str(&format!("{}]{comma}\n", "    ".repeat(depth + 1)));
            }
        }
    }
    out.push_str(&format!("{}}}", "    ".repeat(depth)));
}

fn list(items: &[(usize, Vec<Member>)], depth: usize, comments: &mut Comments, out: &mut String) {
    for (index, (at, members)) in items.iter().enumerate() {
        let places = || std::iter::once(*at).chain(members.iter().filter_map(|member| member.at));
        for place in places() {
            lines(&comments.take_before(Some(place)), depth, out);
        }
        let behind: Vec<String> = places().flat_map(|place| comments.take_behind(Some(place))).collect();
        let words = members.iter().map(|member| match &member.value {
            Piece::Word(word) => format!("{}: {word}", quoted(&member.key)),
            Piece::Map(_) | Piece::List(_) => String::new(),
        });
        let words = words.collect::<Vec<_>>().join(", ");
        let comma = if index + 1 < items.len() { "," } else { "" };
        let behind = if behind.is_empty() { String::new() } else { format!(" // {}", behind.join("; ")) };
        out.push_str(&format!("{}{{ {words} }}{comma}{behind}\n", "    ".repeat(depth)));
    }
}
