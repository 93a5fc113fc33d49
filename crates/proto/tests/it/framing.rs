//! Where answers end and whether connections live on: RFC 9112 §6.3 and §9.3, rule by rule.

use expect_test::{Expect, expect};
use proto::http1::{Event, Limits, RequestKind, Session, Want};

use crate::transcript::{connection, transcript};

const GET: (RequestKind, Want) = (RequestKind::Other, Want::NOTHING);
const GET_BODY: (RequestKind, Want) = (RequestKind::Other, Want { headers: false, body: true });
const GET_ALL: (RequestKind, Want) = (RequestKind::Other, Want::ALL);

fn check(expected: &[(RequestKind, Want)], bytes: &str, expect: Expect) {
    expect.assert_eq(&connection(expected, bytes.as_bytes()));
}

#[test]
fn content_length() {
    check(
        &[GET_ALL, GET_BODY],
        "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n",
        expect![[r#"
            200 keep-alive, head 49, body 5 [Server: a] [Content-Length: 5] `hello`
            500 keep-alive, head 40, body 0 ``
            end: idle
        "#]],
    );
}

#[test]
fn repeated_content_length() {
    // RFC 9112 §6.3 rule 5.
    for lines in
        ["Content-Length: 2\r\ncontent-length: 2", "Content-Length: 2, 2", "Content-Length: 2 ,2, 02"]
    {
        let answer = format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nok");
        let text = connection(&[GET_BODY], answer.as_bytes());
        assert!(text.contains("body 2 `ok`\nend: idle"), "{lines}: {text}");
    }
    for lines in ["Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3"] {
        check(
            &[GET],
            &format!("HTTP/1.1 200 OK\r\n{lines}\r\n\r\nok"),
            expect![[r#"
                error: the answer has Content-Length more than once, with differing values
                end: cut short
            "#]],
        );
    }
}

#[test]
fn bad_content_length() {
    for value in
        ["-1", "+1", "", "1 2", "0x10", "1.5", "18446744073709551616", "99999999999999999999", "5,", "five"]
    {
        check(
            &[GET],
            &format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\nok"),
            expect![[r#"
                error: Content-Length is not a number of bytes
                end: cut short
            "#]],
        );
    }
}

#[test]
fn chunked_with_extensions_and_trailers() {
    check(
        &[GET_BODY, GET],
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n\
         5\r\nhello\r\n006;a=b;c=\"d\"\r\n world\r\n1 \t\r\n!\r\n000\r\nSum: 1\r\nLong: a\r\n b\r\n\r\n\
         HTTP/1.1 204 No Content\r\n\r\n",
        expect![[r#"
            200 keep-alive, head 47, body 12 `hello world!`
            204 keep-alive, head 27, body 0
            end: idle
        "#]],
    );
}

#[test]
fn transfer_encoding_overrides_content_length_and_closes() {
    // RFC 9112 §6.3 rule 3.
    check(
        &[GET_BODY],
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        expect![[r#"
            200 close, head 68, body 2 `ok`
            end: idle
        "#]],
    );
}

#[test]
fn transfer_encoding_in_http_1_0_closes() {
    // RFC 9112 §6.1: the framing is to be treated as faulty.
    check(
        &[GET],
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        expect![[r#"
            200 close, head 71, body 2
            end: idle
        "#]],
    );
}

#[test]
fn other_transfer_codings() {
    // RFC 9112 §6.3 rule 4: chunked is not last, so the connection's end is the body's.
    check(
        &[GET],
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n2\r\nok",
        expect![[r#"
            end: 200 close, head 53, body 5
        "#]],
    );
    // It can be framed, but what is kept would not be the body.
    let gzip = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(
        &[GET],
        gzip,
        expect![[r#"
            200 keep-alive, head 72, body 2
            end: idle
        "#]],
    );
    check(
        &[GET_BODY],
        gzip,
        expect![[r#"
            error: the body has a transfer coding other than chunked, which no request asked for
            end: cut short
        "#]],
    );
    check(
        &[GET],
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n",
        expect![[r#"
            error: Transfer-Encoding names chunked more than once
            end: cut short
        "#]],
    );
    check(
        &[GET_BODY],
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok",
        expect![[r#"
            200 keep-alive, head 67, body 2 `ok`
            end: idle
        "#]],
    );
}

#[test]
fn answers_without_a_body() {
    // RFC 9112 §6.3 rule 1: whatever the headers say, even what would be an error elsewhere.
    check(
        &[(RequestKind::Head, Want::ALL), GET, GET, (RequestKind::Head, Want::NOTHING)],
        "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n\
         HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n\
         HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        expect![[r#"
            200 keep-alive, head 48, body 0 [Content-Length: 10000000000] ``
            204 keep-alive, head 46, body 0
            304 keep-alive, head 57, body 0
            200 keep-alive, head 39, body 0
            end: idle
        "#]],
    );
}

#[test]
fn connect_and_upgrade_leave_http() {
    // RFC 9112 §6.3 rule 2: bytes behind a 2xx belong to the tunnel.
    let connect = (RequestKind::Connect, Want::NOTHING);
    check(
        &[connect],
        "HTTP/1.1 200 Connected\r\nContent-Length: 5\r\n\r\n",
        expect![[r#"
            200 close, head 45, body 0
            end: idle
        "#]],
    );
    check(
        &[connect],
        "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno",
        expect![[r#"
            407 keep-alive, head 65, body 2
            end: idle
        "#]],
    );
    let switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";
    check(
        &[(RequestKind::Upgrade, Want::ALL)],
        switching,
        expect![[r#"
            101 close, head 56, body 0 [Upgrade: websocket] ``
            end: idle
        "#]],
    );
    check(
        &[GET],
        switching,
        expect![[r#"
            error: the server switched protocols (101) without having been asked to
            end: cut short
        "#]],
    );
}

#[test]
fn interim_answers_come_before_the_final_one() {
    check(
        &[GET],
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 3\r\n\r\n\
         HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
        expect![[r#"
            interim 100
            interim 103
            201 keep-alive, head 43, body 2
            end: idle
        "#]],
    );
}

#[test]
fn persistence() {
    // RFC 9112 §9.3, in its order.
    for (version, connection_line, keep_alive) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: keep-alive\r\n", true),
        ("1.1", "Connection: foo, CLOSE\r\n", false),
        ("1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
        ("1.1", "Connection: closed\r\n", true),
        ("1.1", "Proxy-Connection: close\r\n", true),
        ("1.0", "", false),
        ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        let answer = format!("HTTP/{version} 200 OK\r\n{connection_line}Content-Length: 2\r\n\r\nok");
        let mut session = Session::new(Limits::default());
        session.expect(RequestKind::Other, Want::NOTHING);
        let (_, event) = session.handle(answer.as_bytes()).expect("a sound answer");
        let Some(Event::Complete(complete)) = event else { panic!("{answer}: not complete") };
        assert_eq!(complete.keep_alive, keep_alive, "{answer}");
    }
}

#[test]
fn the_end_of_the_connection() {
    let check_end = |expected: &[_], bytes, expect: Expect| check(expected, bytes, expect);
    // RFC 9112 §6.3 rule 8: neither length nor coding.
    check_end(
        &[GET_BODY],
        "HTTP/1.1 200 OK\r\n\r\nall of it",
        expect![[r#"
        end: 200 close, head 19, body 9 `all of it`
    "#]],
    );
    check_end(
        &[GET],
        "HTTP/1.1 200 OK\r\n\r\n",
        expect![[r#"
        end: 200 close, head 19, body 0
    "#]],
    );
    check_end(
        &[],
        "",
        expect![[r#"
        end: idle
    "#]],
    );
    check_end(
        &[GET],
        "",
        expect![[r#"
        end: unanswered
    "#]],
    );
    check_end(
        &[GET, GET],
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
        expect![[r#"
        204 close, head 46, body 0
        end: unanswered
    "#]],
    );
    for cut in [
        "H",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ] {
        let text = connection(&[GET], cut.as_bytes());
        assert!(text.ends_with("end: cut short\n"), "{cut:?}: {text}");
    }
}

#[test]
fn lenient_line_ends_and_folds() {
    check(
        &[GET_ALL],
        "\r\n\nHTTP/1.1 200\nX-Fold: a\r\n\tb\nX-Empty:\r\nContent-Length:\n 2\n\nok",
        expect![[r#"
            200 keep-alive, head 60, body 2 [X-Fold: a\r\n\tb] [X-Empty: ] [Content-Length: 2] `ok`
            end: idle
        "#]],
    );
}

#[test]
fn answers_that_nobody_asked_for() {
    let unasked = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 408 Request Timeout\r\n\r\n";
    check(
        &[GET],
        unasked,
        expect![[r#"
            200 keep-alive, head 38, body 0
            error: the server sent bytes that no request asked for
            end: idle
        "#]],
    );
}

#[test]
fn nothing_more_comes_after_an_answer_that_closes() {
    check(
        &[GET, GET],
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        expect![[r#"
            200 close, head 57, body 0
            error: the server sent bytes that no request asked for
            end: cut short
        "#]],
    );
}

#[test]
fn a_session_can_be_used_again() {
    let mut session = Session::new(Limits::default());
    session.expect(RequestKind::Other, Want::NOTHING);
    session.expect(RequestKind::Other, Want::NOTHING);
    assert_eq!(session.due_count(), 2);
    transcript(&mut session, &[b"HTTP/1.1 200 OK\r\nContent-Le"]);
    assert!(session.is_within_answer());
    session.reset();
    assert_eq!((session.due_count(), session.is_within_answer()), (0, false));

    session.expect(RequestKind::Other, Want::ALL);
    let text = transcript(&mut session, &[b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]);
    assert_eq!(text, "200 keep-alive, head 38, body 2 [Content-Length: 2] `ok`\n");
    session.reset();
    assert!(session.response().is_none());
}

#[test]
fn headers_are_found_in_any_case() {
    let mut session = Session::new(Limits::default());
    session.expect(RequestKind::Other, Want { headers: true, body: false });
    transcript(
        &mut session,
        &[b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie:  b=2 \r\nContent-Length: 0\r\n\r\n"],
    );
    let headers = session.response().and_then(|response| response.headers).expect("they were wanted");
    assert_eq!(headers.get("SET-COOKIE"), Some(&b"a=1"[..]));
    assert_eq!(headers.all("set-cookie").collect::<Vec<_>>(), [&b"a=1"[..], b"b=2"]);
    assert_eq!(headers.joined("set-cookie").as_deref(), Some(&b"a=1, b=2"[..]));
    assert_eq!(headers.joined("content-length").as_deref(), Some(&b"0"[..]));
    assert_eq!(headers.joined("etag"), None);
}
