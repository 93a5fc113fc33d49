//! The property that everything else leans on: how the bytes were split into slices changes nothing.

use proptest::prelude::*;
use proto::http1::{Limits, RequestKind, Session, Want};

use crate::transcript::transcript;

/// Answers of each framing, as (kind of request, bytes); the last one of a connection may end it.
const ANSWERS: [(RequestKind, &str); 10] = [
    (RequestKind::Other, "HTTP/1.1 200 OK\r\nServer: a\r\nContent-Length: 5\r\n\r\nhello"),
    (RequestKind::Other, "HTTP/1.1 200 OK\r\nServer: b\r\nContent-Length: 11\r\n\r\nhello world"),
    (RequestKind::Other, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    (
        RequestKind::Other,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nSum: 1\r\n\r\n",
    ),
    (
        RequestKind::Other,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0\r\n\r\nHTTP/1.1 20\r\n0\r\n\r\n",
    ),
    (RequestKind::Head, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
    (RequestKind::Other, "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n"),
    (
        RequestKind::Other,
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\nLink: a\n\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ),
    (RequestKind::Other, "\r\nHTTP/1.1 200\nX-Fold: a\n b\nContent-Length: 3\n\nabc"),
    (RequestKind::Other, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na"),
];

const LAST_ANSWERS: [&str; 5] = [
    "",
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nend",
    "HTTP/1.0 200 OK\r\n\r\nup to the end",
    "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nbroken",
    "HTTP/1.1 204 No Content\r\n\r\nunasked",
];

fn read(answers: &[(RequestKind, Want, &str)], slices: &[&[u8]]) -> String {
    let mut session = Session::new(Limits::default());
    for &(kind, want, _) in answers {
        session.expect(kind, want);
    }
    let events = transcript(&mut session, slices);
    format!("{events}{:?} {:?}", session.end(), session.response())
}

/// The bytes cut at these places.
fn cut<'a>(bytes: &'a [u8], places: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = places.iter().map(|place| place.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    places.push(bytes.len());
    let mut from = 0;
    places.iter().map(|&to| &bytes[std::mem::replace(&mut from, to)..to]).collect()
}

fn want() -> impl Strategy<Value = Want> {
    (any::<bool>(), any::<bool>()).prop_map(|(headers, body)| Want { headers, body })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_of_pipelined_answers_yields_the_same_events(
        answers in prop::collection::vec((prop::sample::select(ANSWERS.to_vec()), want()), 0..5),
        last in (prop::sample::select(LAST_ANSWERS.to_vec()), want()),
        places in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut answers: Vec<_> = answers.into_iter().map(|((kind, text), want)| (kind, want, text)).collect();
        answers.push((RequestKind::Other, last.1, last.0));
        let bytes: Vec<u8> = answers.iter().flat_map(|(_, _, text)| text.bytes()).collect();
        let whole = read(&answers, &[&bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(&whole, &read(&answers, &cut(&bytes, &places)));
        prop_assert_eq!(&whole, &read(&answers, &single));
    }
}

/// Each answer at each place: what a property test may miss by chance.
#[test]
fn every_single_cut_of_every_answer() {
    for (kind, text) in ANSWERS.into_iter().chain(LAST_ANSWERS.map(|text| (RequestKind::Other, text))) {
        let answers = [(kind, Want::ALL, text)];
        let whole = read(&answers, &[text.as_bytes()]);
        for place in 0..=text.len() {
            let (front, back) = text.as_bytes().split_at(place);
            assert_eq!(whole, read(&answers, &[front, back]), "cut at {place}");
        }
    }
}
