//! Answers that show what the client sent: the echo, cookies, the list of endpoints.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::endpoint::endpoints;
use crate::query::{Fault, Query, percent_decoded};
use crate::reply::{JSON, Reply};
use crate::request::{ConnectionFacts, Request};

/// The request as JSON. Header fields are a list of pairs, as sent: order, case and repetitions are what tests ask about.
pub(crate) fn echo(request: &Request<'_>, connection: &ConnectionFacts, reply: &mut Reply<'_>) {
    let head = request.head;
    let headers: Vec<Value> =
        head.headers.iter().map(|field| json!([field.name, String::from_utf8_lossy(field.value)])).collect();
    let pairs: Vec<Value> = Query(head.query)
        .pairs()
        .map(|(name, value)| json!([percent_decoded(name), percent_decoded(value)]))
        .collect();
    let trailers: Vec<String> =
        String::from_utf8_lossy(request.trailers).lines().map(str::to_owned).collect();
    let framing = match head.framing {
        crate::head::Framing::Chunked => "chunked",
        crate::head::Framing::Length(_) => "length",
    };
    reply.json(
        200,
        &json!({
            "method": head.method_name,
            "target": head.target,
            "path": head.path,
            "query": head.query,
            "parameters": pairs,
            "version": format!("HTTP/1.{}", head.minor_version),
            "headers": headers,
            "framing": framing,
            "body": String::from_utf8_lossy(request.body),
            "body_base64": STANDARD.encode(request.body),
            "body_bytes": request.body_bytes,
            "trailers": trailers,
            "connection": {
                "index": connection.index,
                "request_index": connection.request_count,
                "tls": connection.tls,
            },
        }),
    );
}

/// One `set-cookie` for each pair of the query, valid on all paths.
pub(crate) fn set_cookies(query: Query<'_>, reply: &mut Reply<'_>) -> Result<(), Fault> {
    let mut fields = Vec::new();
    let mut cookies = Map::new();
    for (name, value) in query.pairs() {
        let (name, value) = (percent_decoded(name), percent_decoded(value));
        // RFC 6265 §4.1.1: a name is a token; a value is visible ASCII without these.
        let fits =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte));
        if name.is_empty() || name.contains('=') || !fits(&name) || !fits(&value) {
            return Err(format!("`{}` cannot be a cookie", name.escape_debug()));
        }
        fields.push(format!("{name}={value}; Path=/"));
        cookies.insert(name, Value::String(value));
    }
    let mut headers = vec![JSON];
    headers.extend(fields.iter().map(|field| ("set-cookie", field.as_str())));
    reply.body(200, &headers, json!({ "cookies": cookies }).to_string().as_bytes());
    Ok(())
}

/// The cookies of the request as JSON; the last of a name wins.
pub(crate) fn cookies(request: &Request<'_>, reply: &mut Reply<'_>) {
    let mut cookies = Map::new();
    for field in request.head.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("cookie")) {
        for pair in String::from_utf8_lossy(field.value).split(';') {
            let (name, value) = pair.trim().split_once('=').unwrap_or((pair.trim(), ""));
            cookies.insert(name.to_owned(), Value::String(value.to_owned()));
        }
    }
    reply.json(200, &json!({ "cookies": cookies }));
}

pub(crate) fn unknown(path: &str, reply: &mut Reply<'_>) {
    let endpoints: Map<String, Value> = endpoints()
        .map(|(pattern, summary)| (pattern.to_owned(), Value::String(summary.to_owned())))
        .collect();
    reply.json(404, &json!({ "error": "no such path", "path": path, "endpoints": endpoints }));
}
