//! Servers that are broken or mean: each ends in an error or in a count, with bounded memory, and never in a panic.

use proto::http1::{
    Body, CHUNK_LINE_BYTES_MAX, Event, HEADER_COUNT_MAX, INFORMATIONAL_COUNT_MAX, Limits, ProtocolError,
    RequestKind, Session, TRAILER_BYTES_MAX, Want,
};

fn session() -> Session {
    let mut session = Session::new(Limits::default());
    session.expect(RequestKind::Other, Want::NOTHING);
    session
}

/// The error that these bytes lead to, in one slice and in single bytes.
fn error_of(bytes: &[u8]) -> Option<ProtocolError> {
    let in_slices = |length: usize| {
        let mut session = session();
        for mut rest in bytes.chunks(length) {
            while !rest.is_empty() {
                match session.handle(rest) {
                    Ok((consumed, _)) => rest = &rest[consumed..],
                    Err(error) => return Some(error),
                }
            }
        }
        None
    };
    let error = in_slices(usize::MAX);
    assert_eq!(error, in_slices(1), "{}", bytes.escape_ascii());
    error
}

#[test]
fn what_is_no_http() {
    for bytes in [
        &b"\x15\x03\x01\x00\x02\x02\x46"[..],
        b"<html>",
        b"HTTP/2 200\r\n",
        b"http/1.1 200 OK\r\n",
        b"\r\rHTTP/1.1",
        b" HTTP/1.1 200 OK\r\n",
        b"\0",
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ] {
        assert_eq!(error_of(bytes), Some(ProtocolError::NotHttp1), "{}", bytes.escape_ascii());
    }
}

#[test]
fn broken_heads() {
    for (head, error) in [
        ("HTTP/1.2 200 OK\r\n\r\n", ProtocolError::UnknownVersion),
        ("HTTP/1.1200 OK\r\n\r\n", ProtocolError::UnknownVersion),
        ("HTTP/1.1 20 OK\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 2000 OK\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 099 Low\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 \n\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 200 O\0K\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 200 OK\r\nNo colon\r\n\r\n", ProtocolError::BadHeader),
        ("HTTP/1.1 200 OK\r\nSpace : a\r\n\r\n", ProtocolError::BadHeader),
        ("HTTP/1.1 200 OK\r\n Fold: a\r\n\r\n", ProtocolError::BadHeader),
        ("HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n", ProtocolError::BadHeader),
        ("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", ProtocolError::BadHeader),
        ("HTTP/1.1 200 OK\r\n: b\r\n\r\n", ProtocolError::BadHeader),
    ] {
        assert_eq!(error_of(head.as_bytes()), Some(error), "{head:?}");
    }
}

#[test]
fn broken_chunks() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (body, error) in [
        ("\r\n", ProtocolError::BadChunkSize),
        ("g\r\n", ProtocolError::BadChunkSize),
        ("-1\r\n", ProtocolError::BadChunkSize),
        (" 1\r\na\r\n", ProtocolError::BadChunkSize),
        ("1\na\r\n", ProtocolError::BadChunkSize),
        ("1\r\ra\r\n", ProtocolError::BadChunkSize),
        ("1;a\nb\r\n", ProtocolError::BadChunkSize),
        ("10000000000000000\r\n", ProtocolError::BadChunkSize),
        ("ffffffffffffffffff\r\n", ProtocolError::BadChunkSize),
        ("1\r\nab\r\n", ProtocolError::BadChunkEnd),
        ("1\r\na\n", ProtocolError::BadChunkEnd),
        ("1\r\na\r\r\n", ProtocolError::BadChunkEnd),
        // The next answer, after a body whose last CRLF was forgotten.
        ("0\r\nHTTP/1.1 200 OK\r\n", ProtocolError::BadTrailer),
        ("0\r\n fold: a\r\n", ProtocolError::BadTrailer),
        ("0\r\nno colon\r\n", ProtocolError::BadTrailer),
        ("0\r\na: \0\r\n", ProtocolError::BadTrailer),
        ("0\r\na: b\r\r", ProtocolError::BadTrailer),
        ("0\r\n\ra", ProtocolError::BadTrailer),
    ] {
        assert_eq!(error_of(format!("{head}{body}").as_bytes()), Some(error), "{body:?}");
    }
}

#[test]
fn the_largest_chunk_size_is_one() {
    let mut session = session();
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc";
    assert_eq!(session.handle(head), Ok((head.len(), None)));
    assert!(session.is_within_answer());
}

#[test]
fn limits_are_exact() {
    let head = |filler_bytes: usize| {
        format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: {}\r\n\r\n", "x".repeat(filler_bytes))
            .into_bytes()
    };
    let filler_bytes = proto::http1::HEAD_BYTES_MAX - head(0).len();
    assert_eq!(error_of(&head(filler_bytes)), None);
    assert_eq!(error_of(&head(filler_bytes + 1)), Some(ProtocolError::HeadTooLarge));
    assert_eq!(error_of(&b"\r\n".repeat(40_000)), Some(ProtocolError::HeadTooLarge));

    let headers =
        |count: usize| format!("HTTP/1.1 204 No Content\r\n{}\r\n", "A: b\r\n".repeat(count)).into_bytes();
    assert_eq!(error_of(&headers(HEADER_COUNT_MAX)), None);
    assert_eq!(error_of(&headers(HEADER_COUNT_MAX + 1)), Some(ProtocolError::TooManyHeaders));

    let chunked =
        |body: String| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}").into_bytes();
    let line_bytes = CHUNK_LINE_BYTES_MAX as usize;
    assert_eq!(error_of(&chunked(format!("0;{}\r\n\r\n", "x".repeat(line_bytes - 4)))), None);
    assert_eq!(
        error_of(&chunked(format!("0;{}\r\n\r\n", "x".repeat(line_bytes - 3)))),
        Some(ProtocolError::ChunkLineTooLong)
    );
    assert_eq!(error_of(&chunked("0".repeat(line_bytes + 1))), Some(ProtocolError::ChunkLineTooLong));
    let trailer_bytes = TRAILER_BYTES_MAX as usize;
    assert_eq!(error_of(&chunked(format!("0\r\nA:{}\r\n\r\n", "x".repeat(trailer_bytes - 6)))), None);
    assert_eq!(
        error_of(&chunked(format!("0\r\nA:{}\r\n\r\n", "x".repeat(trailer_bytes - 5)))),
        Some(ProtocolError::TrailersTooLarge)
    );

    let interim = b"HTTP/1.1 102 Processing\r\n\r\n";
    let interim_count = usize::from(INFORMATIONAL_COUNT_MAX);
    assert_eq!(error_of(&interim.repeat(interim_count)), None);
    assert_eq!(error_of(&interim.repeat(interim_count + 1)), Some(ProtocolError::TooManyInformational));
}

#[test]
fn errors_stay_until_reset() {
    let mut session = session();
    assert_eq!(session.handle(b"garbage"), Err(ProtocolError::NotHttp1));
    assert_eq!(session.handle(b"HTTP/1.1 204 No Content\r\n\r\n"), Err(ProtocolError::NotHttp1));
    session.reset();
    session.expect(RequestKind::Other, Want::NOTHING);
    assert!(matches!(session.handle(b"HTTP/1.1 204 No Content\r\n\r\n"), Ok((27, Some(Event::Complete(_))))));
}

/// Bodies far beyond 32 bits, of each framing, leave nothing behind but their count.
#[test]
fn huge_bodies_take_no_memory() {
    const BODY_BYTES: u64 = 12 * 1000 * 1000 * 1000;
    let slice = vec![b'x'; 16 << 20];
    for head in [
        format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n"),
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{BODY_BYTES:x}\r\n"),
        "HTTP/1.1 200 OK\r\n\r\n".to_owned(),
    ] {
        let mut session = session();
        session.handle(head.as_bytes()).expect("a sound head");
        let mut left_bytes = BODY_BYTES;
        let mut complete = None;
        while left_bytes > 0 {
            let length = slice.len().min(usize::try_from(left_bytes).unwrap_or(usize::MAX));
            let (consumed, event) = session.handle(&slice[..length]).expect("a sound body");
            assert_eq!(consumed, length);
            left_bytes -= consumed as u64;
            complete = complete.or(event);
        }
        if complete.is_none() && head.contains("chunked") {
            complete = session.handle(b"\r\n0\r\n\r\n").expect("a sound end").1;
        }
        let body_bytes = match (complete, session.end()) {
            (Some(Event::Complete(complete)), _) | (None, proto::http1::Ended::Complete(complete)) => {
                complete.body_bytes
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(body_bytes, BODY_BYTES);
        assert!(session.buffered_bytes() < 1024, "{} bytes kept", session.buffered_bytes());
    }
}

/// One byte a chunk.
fn chunks(body: &str) -> String {
    body.chars().map(|byte| format!("1\r\n{byte}\r\n")).collect()
}

#[test]
fn a_wanted_body_is_kept_up_to_the_limit_and_says_so() {
    let limits = Limits { body_kept_bytes_max: 8, ..Limits::default() };
    for (body, kept) in [
        ("12345678", Body::Whole(b"12345678")),
        ("123456789", Body::Truncated(b"12345678")),
        ("", Body::Whole(b"")),
    ] {
        for answer in [
            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n", chunks(body)),
        ] {
            let mut session = Session::new(limits);
            // Twice, since the second head is a repetition of the first.
            for _ in 0..2 {
                session.expect(RequestKind::Other, Want { headers: false, body: true });
                let (consumed, event) = session.handle(answer.as_bytes()).expect("a sound answer");
                assert_eq!(consumed, answer.len(), "{answer:?}");
                let Some(Event::Complete(complete)) = event else { panic!("{answer:?}: not complete") };
                assert_eq!(complete.body_bytes, body.len() as u64);
                assert_eq!(session.response().map(|response| response.body), Some(kept));
            }
        }
    }
}

#[test]
fn memory_of_outsized_answers_is_given_back() {
    let mut session = Session::new(Limits::default());
    let outsized = format!(
        "HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 1000000\r\n\r\n{}",
        "x".repeat(60_000),
        "y".repeat(1_000_000)
    );
    let usual = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
    for answer in [&outsized, usual] {
        session.expect(RequestKind::Other, Want::ALL);
        // Cut within the head, so that it is gathered too.
        let (front, back) = answer.as_bytes().split_at(20);
        assert_eq!(session.handle(front), Ok((20, None)));
        assert!(matches!(session.handle(back), Ok((_, Some(Event::Complete(_))))));
    }
    assert!(session.buffered_bytes() <= 300 * 1024, "{} bytes kept", session.buffered_bytes());
}

#[test]
fn usual_answers_settle_in_memory() {
    let answer = |second: usize, body: &str| {
        format!("HTTP/1.1 200 OK\r\nDate: 01:50:{second:02}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let mut session = Session::new(Limits::default());
    let mut settled_bytes = None;
    for round in 0..200 {
        for body in ["", "some", "the longest body of them"] {
            session.expect(RequestKind::Other, Want::ALL);
            let bytes = answer(round % 60, body);
            let (front, back) = bytes.as_bytes().split_at(round % 30 + 1);
            assert_eq!(session.handle(front), Ok((front.len(), None)));
            assert!(matches!(session.handle(back), Ok((_, Some(Event::Complete(_))))));
        }
        let buffered_bytes = session.buffered_bytes();
        assert_eq!(buffered_bytes, *settled_bytes.get_or_insert(buffered_bytes), "round {round}");
    }
    assert!(size_of::<Session>() + settled_bytes.unwrap_or(0) <= 1024, "ten thousand sessions fit 10 MB");
}
