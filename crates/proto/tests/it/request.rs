//! Request heads: what is written, and what is refused.

use proto::http1::request::{RequestError, RequestHead, is_own_header};

fn render(
    method: &str,
    target: &str,
    host: &str,
    headers: &[(&str, &str)],
    body_bytes: Option<u64>,
) -> Result<String, RequestError> {
    let mut out = b"kept ".to_vec();
    let rendered = RequestHead::begin(&mut out, method, target, host).and_then(|mut head| {
        for (name, value) in headers {
            head.header(name, value.as_bytes())?;
        }
        head.finish(body_bytes);
        Ok(())
    });
    if rendered.is_err() {
        assert_eq!(out, b"kept ", "an error leaves the buffer as it was");
    }
    rendered.map(|()| String::from_utf8(out.split_off(5)).expect("the head is text"))
}

fn refused(method: &str, target: &str, host: &str, headers: &[(&str, &str)]) -> RequestError {
    render(method, target, host, headers, None).expect_err("it cannot be sent")
}

#[test]
fn heads() {
    assert_eq!(render("GET", "/", "a:80", &[], None).as_deref(), Ok("GET / HTTP/1.1\r\nhost: a:80\r\n\r\n"));
    assert_eq!(
        render("X-!#", "/a%20b?c=\"d\"", "", &[("A", "b\tc "), ("B", ""), ("C", "\u{e9}")], Some(0))
            .as_deref(),
        Ok(
            "X-!# /a%20b?c=\"d\" HTTP/1.1\r\nhost: \r\nA: b\tc \r\nB: \r\nC: \u{e9}\r\ncontent-length: 0\r\n\r\n"
        )
    );
    for (body_bytes, digits) in [(7, "7"), (10, "10"), (u64::MAX, "18446744073709551615")] {
        let head = render("PUT", "*", "a", &[], Some(body_bytes)).expect("a sound head");
        assert!(head.ends_with(&format!("\r\ncontent-length: {digits}\r\n\r\n")), "{head}");
    }
}

#[test]
fn nothing_ends_a_line_early() {
    for end in ["\r", "\n", "\r\n", "\0", "\x7f", "\x1b"] {
        let spiked = format!("a{end}b");
        assert_eq!(refused(&spiked, "/", "a", &[]), RequestError::Method { method: spiked.clone() });
        assert_eq!(refused("GET", &spiked, "a", &[]), RequestError::Target { at_index: 1 });
        assert_eq!(refused("GET", "/", &spiked, &[]), RequestError::Host { at_index: 1 });
        assert_eq!(
            refused("GET", "/", "a", &[(&spiked, "")]),
            RequestError::HeaderName { name: spiked.clone() }
        );
        assert_eq!(
            refused("GET", "/", "a", &[("Ok", "fine"), ("A", &spiked)]),
            RequestError::HeaderValue { name: "A".to_owned(), at_index: 1 }
        );
    }
}

#[test]
fn other_refusals() {
    assert_eq!(refused("", "/", "a", &[]), RequestError::Method { method: String::new() });
    assert_eq!(refused("GET", "", "a", &[]), RequestError::Target { at_index: 0 });
    assert_eq!(refused("GET", "/a b", "a", &[]), RequestError::Target { at_index: 2 });
    assert_eq!(refused("GET", "/\u{e9}", "a", &[]), RequestError::Target { at_index: 1 });
    assert_eq!(refused("GET", "/", "a", &[("", "")]), RequestError::HeaderName { name: String::new() });
    assert_eq!(refused("GET", "/", "a", &[("A:", "")]), RequestError::HeaderName { name: "A:".to_owned() });
    for name in ["Host", "CONTENT-LENGTH", "transfer-encoding"] {
        assert!(is_own_header(name));
        assert_eq!(
            refused("GET", "/", "a", &[(name, "1")]),
            RequestError::OwnHeader { name: name.to_owned() }
        );
    }
    assert!(!is_own_header("hosts"));
}

#[test]
fn a_head_left_unfinished_leaves_nothing() {
    let mut out = b"kept".to_vec();
    RequestHead::begin(&mut out, "GET", "/", "a")
        .expect("a sound start")
        .header("a", b"b")
        .expect("a sound header");
    assert_eq!(out, b"kept");
}

#[test]
fn a_reused_buffer_is_not_grown() {
    let mut out = Vec::new();
    let render = |out: &mut Vec<u8>| {
        out.clear();
        let mut head = RequestHead::begin(out, "POST", "/load", "localhost").expect("a sound start");
        head.header("accept", b"*/*").expect("a sound header");
        head.finish(Some(123));
    };
    render(&mut out);
    let (capacity, address) = (out.capacity(), out.as_ptr());
    for _ in 0..10 {
        render(&mut out);
    }
    assert_eq!((out.capacity(), out.as_ptr()), (capacity, address));
}
