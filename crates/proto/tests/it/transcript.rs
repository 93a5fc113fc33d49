//! What a session says about some bytes, as text: one line an event.

use std::fmt::Write;

use proto::http1::{Body, Complete, Ended, Event, Limits, RequestKind, Session, Want};

/// Hands the slices in, one after another, and writes down every event with what was kept.
pub(crate) fn transcript(session: &mut Session, slices: &[&[u8]]) -> String {
    let mut text = String::new();
    for slice in slices {
        let mut rest = *slice;
        while !rest.is_empty() {
            match session.handle(rest) {
                Ok((consumed, event)) => {
                    rest = &rest[consumed..];
                    match event {
                        Some(Event::Informational { status }) => writeln!(text, "interim {status}").unwrap(),
                        Some(Event::Complete(complete)) => write_complete(&mut text, session, complete),
                        None => assert!(rest.is_empty(), "without an event all is consumed"),
                    }
                }
                Err(error) => {
                    writeln!(text, "error: {error}").unwrap();
                    return text;
                }
            }
        }
    }
    text
}

fn write_complete(text: &mut String, session: &Session, complete: Complete) {
    let Complete { status, keep_alive, head_bytes, body_bytes } = complete;
    let after = if keep_alive { "keep-alive" } else { "close" };
    write!(text, "{status} {after}, head {head_bytes}, body {body_bytes}").unwrap();
    let response = session.response().expect("a complete answer is lent");
    assert_eq!(response.status, status);
    if let Some(headers) = response.headers {
        for (name, value) in headers.iter() {
            write!(text, " [{name}: {}]", value.escape_ascii()).unwrap();
        }
    }
    match response.body {
        Body::Dropped => {}
        Body::Whole(body) => write!(text, " `{}`", body.escape_ascii()).unwrap(),
        Body::Truncated(body) => write!(text, " `{}`…", body.escape_ascii()).unwrap(),
    }
    text.push('\n');
}

/// The transcript of one connection that ends after the bytes.
pub(crate) fn connection(expected: &[(RequestKind, Want)], bytes: &[u8]) -> String {
    let mut session = Session::new(Limits::default());
    for &(kind, want) in expected {
        session.expect(kind, want);
    }
    let mut text = transcript(&mut session, &[bytes]);
    match session.end() {
        Ended::Complete(complete) => {
            text.push_str("end: ");
            write_complete(&mut text, &session, complete);
        }
        Ended::Idle => text.push_str("end: idle\n"),
        Ended::Early { received_any: true } => text.push_str("end: cut short\n"),
        Ended::Early { received_any: false } => text.push_str("end: unanswered\n"),
    }
    text
}
