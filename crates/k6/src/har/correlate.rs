//! Values of answers that occur in later requests: targets of redirects and texts and numbers of JSON.

use super::literal::member;
use super::read::{Piece, Recording, Text};
use serde_json::Value;

/// Texts shorter than that occur by chance: names of fields, languages, small numbers.
const VALUE_BYTES_MIN: usize = 6;
/// Texts longer than that are content rather than marks.
const VALUE_BYTES_MAX: usize = 4_096;
/// Values of one recording that are looked for at most: the work is this times the requests' bytes.
const VALUES_MAX: usize = 5_000;
/// Bytes of requests that are looked through for values at most, each value anew: some seconds.
const SEARCHED_BYTES_MAX: usize = 2 << 30;
/// Depth of JSON that is looked into.
const DEPTH_MAX: usize = 16;

/// A value that a later request has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Of whose answer: group and request in it.
    pub(super) of: (usize, usize),
    /// How the script gets it of `response`.
    pub(super) expression: String,
}

/// A value of an answer.
struct Candidate {
    found: Found,
    text: String,
    is_used: bool,
}

/// Puts values into the texts of requests in the place of what was recorded; gives those that are used, by the indexes in [`Piece::Value`].
pub(super) fn values(recording: &mut Recording) -> Vec<Found> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut left_bytes = SEARCHED_BYTES_MAX;
    for group in 0..recording.groups.len() {
        let count = recording.groups.get(group).map_or(0, |group| group.requests.len());
        for index in 0..count {
            let Some(request) =
                recording.groups.get_mut(group).and_then(|group| group.requests.get_mut(index))
            else {
                continue;
            };
            let headers = request.headers.iter_mut().map(|(_, text)| text);
            let body = request.body.as_mut().filter(|_| !request.is_base64);
            for text in std::iter::once(&mut request.url).chain(headers).chain(body) {
                replace(text, &mut candidates, &mut left_bytes);
            }
            let of = (group, index);
            if let Some(location) = &request.answer.location {
                add(&mut candidates, of, "response.headers.Location".to_owned(), location);
            }
            if let Some(json) = &request.answer.json {
                gather(&mut candidates, of, json, "response.json()".to_owned(), 0);
            }
        }
    }
    // Only those that are used have a number.
    let mut numbers = Vec::with_capacity(candidates.len());
    let mut used = Vec::new();
    for candidate in candidates {
        numbers.push(used.len());
        if candidate.is_used {
            used.push(candidate.found);
        }
    }
    for request in recording.groups.iter_mut().flat_map(|group| &mut group.requests) {
        let headers = request.headers.iter_mut().map(|(_, text)| text);
        for piece in std::iter::once(&mut request.url).chain(headers).chain(request.body.as_mut()).flatten() {
            if let Piece::Value(index) = piece {
                *index = numbers.get(*index).copied().unwrap_or_default();
            }
        }
    }
    used
}

fn add(candidates: &mut Vec<Candidate>, of: (usize, usize), expression: String, text: &str) {
    let is_fit = (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&text.len());
    // `true` and `false` are values of their own in JSON; a text of blanks or one sign is no mark.
    let is_mark = text.chars().any(char::is_alphanumeric);
    if is_fit && is_mark && candidates.len() < VALUES_MAX {
        candidates.push(Candidate { found: Found { of, expression }, text: text.to_owned(), is_used: false });
    }
}

fn gather(
    candidates: &mut Vec<Candidate>,
    of: (usize, usize),
    json: &Value,
    expression: String,
    depth: usize,
) {
    if depth > DEPTH_MAX || candidates.len() >= VALUES_MAX {
        return;
    }
    match json {
        Value::String(text) => add(candidates, of, expression, text),
        Value::Number(number) => add(candidates, of, expression, &number.to_string()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                gather(candidates, of, item, format!("{expression}[{index}]"), depth + 1);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                gather(candidates, of, value, format!("{expression}{}", member(name)), depth + 1);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Replaces the newest answer's value wherever it stands whole in a text.
fn replace(text: &mut Text, candidates: &mut [Candidate], left_bytes: &mut usize) {
    let length: usize =
        text.iter().map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 }).sum();
    for (index, candidate) in candidates.iter_mut().enumerate().rev() {
        let Some(left) = left_bytes.checked_sub(length) else { return };
        *left_bytes = left;
        let mut pieces = Vec::with_capacity(text.len());
        for piece in text.drain(..) {
            let Piece::Text(plain) = piece else {
                pieces.push(piece);
                continue;
            };
            let mut rest = plain.as_str();
            while let Some(at) = whole(rest, &candidate.text) {
                let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
                if !before.is_empty() {
                    pieces.push(Piece::Text(before.to_owned()));
                }
                pieces.push(Piece::Value(index));
                candidate.is_used = true;
                rest = after.get(candidate.text.len()..).unwrap_or_default();
            }
            if !rest.is_empty() {
                pieces.push(Piece::Text(rest.to_owned()));
            }
        }
        *text = pieces;
    }
}

/// Where a value stands in a text, not as a part of a longer word.
fn whole(text: &str, value: &str) -> Option<usize> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (first, last) = (is_word(value.chars().next()), is_word(value.chars().next_back()));
    let found = text.match_indices(value).find(|(at, _)| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let after = text.get(at + value.len()..).and_then(|after| after.chars().next());
        !(first && is_word(before) || last && is_word(after))
    });
    found.map(|(at, _)| at)
}
