//! `/posts`, `/comments`, `/albums`, `/photos`, `/todos`: records in jsonplaceholder's shape (fields, order, numbers, layout), with text of our own
//! that depends on the id alone.

use std::fmt::Write;

use serde_json::{Value, json};
use units::Random;

use crate::endpoint::Endpoint;
use crate::head::Method;
use crate::query::{Fault, Query};
use crate::reply::{JSON, Reply};
use crate::request::Request;

/// A kind of record: how many there are, the field that names its owner and how many an owner has.
struct Kind {
    name: &'static str,
    count: u64,
    owner: &'static str,
    per_owner: u64,
}

const POST: Kind = Kind { name: "post", count: 100, owner: "userId", per_owner: 10 };
const COMMENT: Kind = Kind { name: "comment", count: 500, owner: "postId", per_owner: 5 };
const ALBUM: Kind = Kind { name: "album", count: 100, owner: "userId", per_owner: 10 };
const PHOTO: Kind = Kind { name: "photo", count: 5000, owner: "albumId", per_owner: 50 };
const TODO: Kind = Kind { name: "todo", count: 200, owner: "userId", per_owner: 20 };

const WORDS: [&str; 32] = [
    "river", "stone", "gate", "flow", "bank", "reed", "heron", "mill", "bridge", "current", "pool", "spring",
    "ferry", "sluice", "meadow", "willow", "depth", "ripple", "harbour", "tide", "lock", "basin", "channel",
    "delta", "eddy", "ford", "gravel", "lake", "marsh", "otter", "rapids", "shore",
];

fn kind_of(endpoint: Endpoint) -> &'static Kind {
    match endpoint {
        Endpoint::Comments | Endpoint::Comment => &COMMENT,
        Endpoint::Albums | Endpoint::Album => &ALBUM,
        Endpoint::Photos | Endpoint::Photo => &PHOTO,
        Endpoint::Todos | Endpoint::Todo => &TODO,
        _ => &POST,
    }
}

/// One record; `{}` with 404 for an id that does not exist.
pub(crate) fn one(endpoint: Endpoint, request: &Request<'_>, reply: &mut Reply<'_>) {
    let kind = kind_of(endpoint);
    let id = request.head.path.rsplit('/').next().and_then(|text| text.parse::<u64>().ok());
    match id.filter(|id| (1..=kind.count).contains(id)) {
        None => reply.body(404, &[JSON], b"{}"),
        Some(_) if request.head.method_name == "DELETE" => reply.body(200, &[JSON], b"{}"),
        Some(id) => {
            let mut text = String::new();
            append_record(kind, id, "", &mut text);
            reply.body(200, &[JSON], text.as_bytes());
        }
    }
}

/// All records, or those of one owner (`?userId=1`). POST gives 201 and the object that was sent with the next free id.
pub(crate) fn all(endpoint: Endpoint, request: &Request<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let kind = kind_of(endpoint);
    if request.head.method == Method::Post {
        create(kind, request.body, reply);
        return Ok(());
    }
    let owner = Query(request.head.query).count(kind.owner, 0, 0..=u64::MAX)?;
    let ids = (1..=kind.count).filter(|id| owner == 0 || owner_of(kind, *id) == owner);
    let mut text = String::from("[");
    for (index, id) in ids.enumerate() {
        text.push_str(if index == 0 { "\n  " } else { ",\n  " });
        append_record(kind, id, "  ", &mut text);
    }
    text.push_str("\n]");
    reply.body(200, &[JSON], text.as_bytes());
    Ok(())
}

fn create(kind: &Kind, body: &[u8], reply: &mut Reply<'_>) {
    let mut record = serde_json::from_slice(body).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
    if let Some(fields) = record.as_object_mut() {
        fields.insert("id".to_owned(), json!(kind.count + 1));
    }
    reply.json(201, &record);
}

fn owner_of(kind: &Kind, id: u64) -> u64 {
    (id - 1) / kind.per_owner + 1
}

/// Appends a record laid out as jsonplaceholder does: two blanks of indent, after `indent`.
fn append_record(kind: &Kind, id: u64, indent: &str, text: &mut String) {
    let mut random = Random::stream(kind.count, id);
    let mut fields = vec![(kind.owner, owner_of(kind, id).to_string()), ("id", id.to_string())];
    match kind.name {
        "comment" => {
            let email = format!("{}.{}@{}.example", word(&mut random), id, word(&mut random));
            fields.push(("name", quoted(&sentence(&mut random, 4))));
            fields.push(("email", quoted(&email)));
            fields.push(("body", quoted(&sentence(&mut random, 24))));
        }
        "photo" => {
            let colour = format!("{:06x}", random.below(1 << 24));
            fields.push(("title", quoted(&sentence(&mut random, 5))));
            fields.push(("url", quoted(&format!("https://pictures.example/600/{colour}"))));
            fields.push(("thumbnailUrl", quoted(&format!("https://pictures.example/150/{colour}"))));
        }
        name => {
            fields.push(("title", quoted(&sentence(&mut random, 5))));
            match name {
                "post" => fields.push(("body", quoted(&sentence(&mut random, 28)))),
                "todo" => fields.push(("completed", (random.below(2) == 1).to_string())),
                _ => {}
            }
        }
    }
    text.push('{');
    for (index, (name, value)) in fields.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        // Writing to a String does not fail.
        let _ = write!(text, "{comma}\n{indent}  \"{name}\": {value}");
    }
    let _ = write!(text, "\n{indent}}}");
}

fn word(random: &mut Random) -> &'static str {
    WORDS.get(random.below(WORDS.len() as u64) as usize).copied().unwrap_or("river")
}

fn sentence(random: &mut Random, word_count: usize) -> String {
    (0..word_count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

/// The texts here hold nothing that JSON would escape.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &Kind, id: u64) -> (String, Value) {
        let mut text = String::new();
        append_record(kind, id, "", &mut text);
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    }

    #[test]
    fn records_have_the_fields_and_owners_of_jsonplaceholder() {
        for (kind, id, start, keys) in [
            (
                &POST,
                11,
                "{\n  \"userId\": 2,\n  \"id\": 11,\n  \"title\": \"",
                vec!["body", "id", "title", "userId"],
            ),
            (
                &COMMENT,
                5,
                "{\n  \"postId\": 1,\n  \"id\": 5,\n  \"name\": \"",
                vec!["body", "email", "id", "name", "postId"],
            ),
            (
                &ALBUM,
                100,
                "{\n  \"userId\": 10,\n  \"id\": 100,\n  \"title\": \"",
                vec!["id", "title", "userId"],
            ),
            (
                &PHOTO,
                51,
                "{\n  \"albumId\": 2,\n  \"id\": 51,\n  \"title\": \"",
                vec!["albumId", "id", "thumbnailUrl", "title", "url"],
            ),
            (
                &TODO,
                200,
                "{\n  \"userId\": 10,\n  \"id\": 200,\n  \"title\": \"",
                vec!["completed", "id", "title", "userId"],
            ),
        ] {
            let (text, value) = record(kind, id);
            assert!(text.starts_with(start), "{text}");
            assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), keys);
            assert_eq!(record(kind, id).0, text);
        }
        assert!(record(&TODO, 1).1["completed"].is_boolean());
    }
}
