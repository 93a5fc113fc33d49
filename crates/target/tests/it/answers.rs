//! What each endpoint answers.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use target::Options;

use crate::peer::{Peer, get, post, serve, serve_with_threads};

const LOREM: &str = "Lorem ipsum dolor sit amet";

fn lorem(size: usize) -> Vec<u8> {
    LOREM.bytes().cycle().take(size).collect()
}

#[test]
fn hello_is_these_bytes_and_no_others() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let want = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 11\r\n\r\nHello world";
    peer.send(get("/hello"));
    assert_eq!(peer.take(want.len()), want);
    peer.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let response = peer.response();
    assert_eq!((response.field("connection"), response.text()), (Some("keep-alive"), "Hello world"));
    peer.send("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let response = peer.response();
    assert_eq!((response.field("connection"), response.text()), (Some("close"), "Hello world"));
    assert_eq!(peer.rest().unwrap(), b"");
}

#[test]
fn the_root_reads_any_body_with_any_method() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for request in [
        get("/"),
        post("/", "some body"),
        "PROPFIND /?x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n".to_owned(),
        "GET http://elsewhere/ HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(),
    ] {
        let response = peer.ask(&request);
        assert_eq!((response.status, response.field("content-length")), (200, Some("0")), "{request:?}");
    }
}

#[test]
fn files_have_the_size_asked_for() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for (size, bytes) in
        [("0", 0), ("1", 1), ("10KiB", 10_240), ("65537", 65_537), ("1MiB", 1 << 20), ("3MB", 3_000_000)]
    {
        let response = peer.get(&format!("/file?size={size}"));
        assert_eq!((response.status, response.body.len()), (200, bytes));
        assert!(response.body == lorem(bytes), "{size}");
    }
    assert_eq!(peer.get("/file").body.len(), 1 << 20);
    for size in ["-1", "11GB", "x", "1.5", "10TB"] {
        assert_eq!(peer.get(&format!("/file?size={size}")).status, 400, "{size}");
    }
}

#[test]
fn a_load_comes_back_in_base64() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let text = "This is a small body for a load test request.";
    assert_eq!(peer.ask(post("/load", text)).text(), STANDARD.encode(text));
    let body = lorem(300_000);
    peer.send(format!("POST /load HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", body.len()));
    peer.send(&body);
    assert_eq!(peer.response().text(), STANDARD.encode(&body));
    peer.send("POST /load HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for part in ["3\r\nabc\r\n", "2\r\nde\r\n", "0\r\n\r\n"] {
        peer.send(part);
    }
    assert_eq!(peer.response().text(), STANDARD.encode("abcde"));
    assert_eq!(peer.get("/load").text(), "");
}

#[test]
fn a_body_too_large_to_keep_is_read_and_refused() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let block = vec![b'x'; 1 << 20];
    peer.send(format!("POST /load HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", 65 << 20));
    for _ in 0..65 {
        peer.send(&block);
    }
    assert_eq!(peer.response().status, 413);
    assert_eq!(peer.get("/hello").text(), "Hello world");
}

#[test]
fn any_final_status_can_be_had() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for code in [200, 201, 204, 205, 301, 304, 404, 418, 429, 500, 503, 599, 999] {
        let response = peer.get(&format!("/status/{code}"));
        assert_eq!(response.status, code);
        let bodiless = matches!(code, 204 | 304);
        assert_eq!(response.field("content-length").is_none(), bodiless, "{code}");
    }
    for code in ["100", "1000", "x", "-1", "65737"] {
        assert_eq!(peer.get(&format!("/status/{code}")).status, 400, "{code}");
    }
}

#[test]
fn chunks_and_trailers() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let response = peer.get("/chunked");
    assert!(response.body == lorem(1024) && response.trailers.is_empty());
    let response = peer.get("/chunked?size=1000000&chunk=777&trailers=1");
    assert!(response.body == lorem(1_000_000));
    assert_eq!(
        (response.field("trailer"), response.trailers.as_slice()),
        (Some("x-size, x-end"), &["x-size: 1000000".to_owned(), "x-end: yes".to_owned()][..])
    );
    assert_eq!(peer.get("/chunked?size=0").body, b"");
    let response = peer.ask("GET /chunked HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_eq!((response.field("connection"), &response.body), (Some("close"), &lorem(1024)));
}

#[test]
fn encodings_hold_json() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let mut texts = Vec::new();
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        let response = peer.get(&format!("/{encoding}"));
        assert_eq!(response.field("content-encoding"), Some(encoding));
        let mut text = Vec::new();
        let encoded = response.body.as_slice();
        let count = match encoding {
            "gzip" => flate2::read::GzDecoder::new(encoded).read_to_end(&mut text),
            "deflate" => flate2::read::ZlibDecoder::new(encoded).read_to_end(&mut text),
            "br" => brotli_decompressor::Decompressor::new(encoded, 4096).read_to_end(&mut text),
            _ => ruzstd::decoding::StreamingDecoder::new(encoded).unwrap().read_to_end(&mut text),
        };
        assert_eq!(count.unwrap(), text.len());
        assert!(serde_json::from_slice::<Value>(&text).unwrap().is_object());
        texts.push(text);
    }
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn the_echo_shows_what_was_sent() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    peer.get("/hello");
    peer.send("POST /echo?a=b%20c&a=%C3%A4&d HTTP/1.1\r\nHost: test\r\nX-One: 1\r\nx-one: 2\r\nTransfer-Encoding: chunked\r\n\r\n");
    let echo = peer.ask(b"3\r\nab\xff\r\n0\r\nX-Sum: 7\r\n\r\n").json();
    assert_eq!(echo["method"], "POST");
    assert_eq!(echo["target"], "/echo?a=b%20c&a=%C3%A4&d");
    assert_eq!((&echo["path"], &echo["query"]), (&json!("/echo"), &json!("a=b%20c&a=%C3%A4&d")));
    assert_eq!(echo["parameters"], json!([["a", "b c"], ["a", "ä"], ["d", ""]]));
    assert_eq!(
        echo["headers"],
        json!([["Host", "test"], ["X-One", "1"], ["x-one", "2"], ["Transfer-Encoding", "chunked"]])
    );
    assert_eq!(
        (&echo["body"], &echo["body_bytes"], &echo["framing"]),
        (&json!("ab\u{FFFD}"), &json!(3), &json!("chunked"))
    );
    assert_eq!((&echo["body_base64"], &echo["trailers"]), (&json!("YWL/"), &json!(["X-Sum: 7"])));
    assert_eq!((&echo["version"], &echo["connection"]["request_index"]), (&json!("HTTP/1.1"), &json!(2)));
}

#[test]
fn cookies_go_both_ways() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let response = peer.get("/cookie/set?session=abc&user=a%40b");
    assert_eq!(response.json(), json!({"cookies": {"session": "abc", "user": "a@b"}}));
    assert!(response.head.contains("set-cookie: session=abc; Path=/\r\nset-cookie: user=a@b; Path=/\r\n"));
    let response =
        peer.ask("GET /cookie HTTP/1.1\r\nHost: a\r\nCookie: session=abc; user=a@b\r\nCookie: c\r\n\r\n");
    assert_eq!(response.json(), json!({"cookies": {"session": "abc", "user": "a@b", "c": ""}}));
    for bad in ["a=%0d%0aX:%20y", "%3d=b", "a=b%3bc", "=b"] {
        assert_eq!(peer.get(&format!("/cookie/set?{bad}")).status, 400, "{bad}");
    }
}

#[test]
fn redirects_lead_where_they_say() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    let response = peer.get("/redirect?to=/hello%3Fa=b&status=307");
    assert_eq!((response.status, response.field("location")), (307, Some("/hello?a=b")));
    assert_eq!(peer.get("/redirect?to=/x").status, 302);
    let mut target = "/redirect/3".to_owned();
    let mut hop_count = 0;
    let text = loop {
        let response = peer.get(&target);
        match response.field("location") {
            Some(next) => target = next.to_owned(),
            None => break response.text().to_owned(),
        }
        hop_count += 1;
    };
    assert_eq!((hop_count, text.as_str(), target.as_str()), (3, "Hello world", "/hello"));
    for bad in
        ["/redirect", "/redirect?to=%0d%0aX:y", "/redirect?to=/x&status=200", "/redirect/x", "/redirect/1001"]
    {
        assert_eq!(peer.get(bad).status, 400, "{bad}");
    }
}

#[test]
fn records_have_jsonplaceholders_shape() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for (kind, last, fields) in [
        ("posts", 100, json!(["body", "id", "title", "userId"])),
        ("comments", 500, json!(["body", "email", "id", "name", "postId"])),
        ("albums", 100, json!(["id", "title", "userId"])),
        ("photos", 5000, json!(["albumId", "id", "thumbnailUrl", "title", "url"])),
        ("todos", 200, json!(["completed", "id", "title", "userId"])),
    ] {
        for id in [1, last] {
            let response = peer.get(&format!("/{kind}/{id}"));
            let record = response.json();
            let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
            assert_eq!((response.status, &json!(keys), &record["id"]), (200, &fields, &json!(id)));
            assert_eq!(response.field("content-type"), Some("application/json; charset=utf-8"));
        }
        for id in ["0".to_owned(), (last + 1).to_string(), "x".to_owned(), "-1".to_owned()] {
            let response = peer.get(&format!("/{kind}/{id}"));
            assert_eq!((response.status, response.text()), (404, "{}"), "{kind} {id}");
        }
        let all = peer.get(&format!("/{kind}")).json();
        assert_eq!((all.as_array().unwrap().len(), &all[0]), (last, &peer.get(&format!("/{kind}/1")).json()));
    }
    assert_eq!(peer.get("/comments?postId=2").json().as_array().unwrap().len(), 5);
    let response = peer.ask(post("/posts", r#"{"title":"x","userId":3}"#));
    assert_eq!((response.status, response.json()), (201, json!({"title": "x", "userId": 3, "id": 101})));
}

#[test]
fn http_req_answers_as_cloudi_does() {
    let running = serve_with_threads(1);
    let mut peer = Peer::connect(&running);
    let none = "<http_test><error>no value specified</error></http_test>";
    assert_eq!(none.len(), 56);
    for (query, want) in [
        ("?value=42", "<http_test><value>42</value></http_test>"),
        ("?value=-7&value=8", "<http_test><value>-7</value></http_test>"),
        ("?value=042", "<http_test><value>42</value></http_test>"),
        ("?value=9223372036854775807", "<http_test><value>9223372036854775807</value></http_test>"),
        ("?value=9223372036854775808", none),
        ("?value=%2B1", none),
        ("?value=", none),
        ("", none),
    ] {
        let response = peer.get(&format!("/tests/http_req/erlang.xml{query}"));
        assert_eq!((response.status, response.text()), (200, want), "{query}");
        assert_eq!(response.field("content-type"), Some("text/xml; charset=utf-8"));
    }
}

#[test]
fn unknown_paths_get_the_list_of_those_known() {
    let running = serve(Options::default());
    let mut peer = Peer::connect(&running);
    for path in ["/nope", "/hello/", "/status/", "/tests/http_req/a.txt", "*"] {
        let response = peer.get(path);
        assert_eq!(response.status, 404, "{path}");
        assert!(response.json()["endpoints"]["/hello"].is_string());
    }
}

/// The head of HEAD is that of GET, and no body follows.
#[test]
fn head_works_everywhere() {
    let running = serve(Options::default());
    let paths = [
        "/",
        "/no-read",
        "/hello",
        "/file?size=1MiB",
        "/load",
        "/delay?ms=1",
        "/status/404",
        "/status/204",
        "/bytes?rate=10&size=100",
        "/chunked",
        "/gzip",
        "/continue",
        "/early-hints?count=0",
        "/posts",
        "/posts/1",
        "/cookie",
        "/redirect/2",
        "/tests/http_req/c.xml?value=1",
        "/nope",
        "/stall",
        "/file?size=x",
    ];
    for path in paths {
        let mut peer = Peer::connect(&running);
        peer.send(get(path).replacen("GET", "HEAD", 1));
        let head = peer.head();
        assert_eq!(peer.received(), b"", "{path}");
        assert_eq!(peer.get("/hello").text(), "Hello world", "after {path}");
        peer.send(get(path));
        assert_eq!(peer.head().head, head.head, "{path}");
    }
    assert_eq!(running.stats().methods["HEAD"], paths.len() as u64 - 1, "controls are not among the methods");
}
