//! Both outputs against a server of the test's own, which takes what comes apart by rules written anew here.

use crate::output::{Metadata, Origin, OutputReport, OutputSpec, Sample, SampleWriter};
use crate::{Contains, MetricId, MetricKind, Registry, SystemTags, Thresholds};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};

/// A request as the server got it.
#[derive(Debug)]
struct Got {
    line: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

/// Reads one request; `None` at the connection's end.
fn read(stream: &mut BufReader<TcpStream>) -> Option<Got> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_owned(), value.to_owned());
    }
    let mut body = vec![0; headers.get("content-length")?.parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    Some(Got { line: line.trim_end().to_owned(), headers, body })
}

/// A server that answers each request in turn with the next of `answers`, and the last of them from then on; it gives back what it got.
fn server(answers: &'static [&'static str]) -> (String, Receiver<Got>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, got) = mpsc::channel();
    std::thread::spawn(move || {
        let mut index = 0;
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            while let Some(request) = read(&mut stream) {
                let answer = answers[index.min(answers.len() - 1)];
                index += 1;
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
                if sender.send(request).is_err() || answer.contains("connection: close") {
                    break;
                }
            }
        }
    });
    (address, got)
}

const DONE: &str = "HTTP/1.1 204 No Content\r\n\r\n";

/// Sends samples of three metrics, each with two sets of tags, to what `spec` names.
fn send(spec: OutputSpec) -> (OutputReport, Vec<String>) {
    let registry = Registry::new(SystemTags::NONE);
    let (mine, _) = registry.metric("mine", MetricKind::Trend, Contains::Time).unwrap();
    let (hits, _) = registry.metric("hits", MetricKind::Rate, Contains::Default).unwrap();
    let origin = Origin { unix_ns: 1_795_250_296_000_000_000, utc_offset_sec: 0 };
    let writer = SampleWriter::start(&registry, &Thresholds::default(), origin, &[spec]).unwrap();
    let mut feed = writer.feed();
    let tags = [
        registry.tags(&[("9x", "d"), ("a b", "c"), ("scenario", "s"), ("__name__", "n")]),
        registry.tags(&[("scenario", "t"), ("empty", "")]),
    ];
    for index in 0..10_u64 {
        for (metric, value) in
            [(mine, 100.0 * index as f64), (hits, (index % 4) as f64), (MetricId::ITERATIONS, 1.0)]
        {
            let (tags, metadata) = (tags[index as usize % 2], Metadata::default());
            feed.add(Sample { metric, tags, time_ns: index * 1_000_000, value, metadata });
        }
    }
    drop(feed);
    let (mut reports, errors, missing) = writer.finish();
    assert_eq!(missing.count, 0);
    (reports.remove(0), errors.iter().map(ToString::to_string).collect())
}

#[test]
fn influxdb_gets_lines() {
    let (address, got) = server(&[DONE]);
    let spec = OutputSpec::influxdb(&format!("http://u:p@{address}/db?precision=u"), &BTreeMap::new());
    let (report, errors) = send(spec.unwrap());
    assert_eq!((report.written_count, report.lost_count, errors.len()), (30, 0, 0), "{errors:?}");
    let requests: Vec<Got> = got.try_iter().collect();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].line, "POST /query?q=CREATE%20DATABASE%20db HTTP/1.1");
    assert_eq!(requests[1].line, "POST /write?consistency=&db=db&precision=u&rp= HTTP/1.1");
    assert_eq!(requests[1].headers["authorization"], "Basic dTpw");
    let body = String::from_utf8(requests[1].body.clone()).unwrap();
    assert_eq!(body.lines().count(), 30);
    let first: Vec<&str> = body.lines().take(2).collect();
    let tags = "9x=d,__name__=n,a\\ b=c,scenario=s";
    let expected =
        [format!("mine,{tags} value=0 1795250296000000"), format!("hits,{tags} value=0 1795250296000000")];
    assert_eq!(first, expected);
    assert_eq!(body.lines().last(), Some("iterations,scenario=t value=1 1795250296009000"));
}

#[test]
fn prometheus_gets_series() {
    let (address, got) = server(&[DONE]);
    let variables = [
        ("K6_PROMETHEUS_RW_TREND_STATS", "p(99.9),max,avg,count,sum"),
        ("K6_PROMETHEUS_RW_STALE_MARKERS", "true"),
        ("K6_PROMETHEUS_RW_HTTP_HEADERS", "X-Scope-OrgID: 7,x-more:8"),
        ("K6_PROMETHEUS_RW_BEARER_TOKEN", "t"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let spec = OutputSpec::prometheus(&format!("http://{address}/api/v1/write"), &variables);
    let (report, errors) = send(spec.unwrap());
    assert_eq!((report.written_count, report.lost_count, errors.len()), (30, 0, 0), "{errors:?}");
    let requests: Vec<Got> = got.try_iter().collect();
    assert_eq!(requests.len(), 2);
    let headers = &requests[0].headers;
    assert_eq!(requests[0].line, "POST /api/v1/write HTTP/1.1");
    for (name, value) in [
        ("content-encoding", "snappy"),
        ("content-type", "application/x-protobuf"),
        ("x-prometheus-remote-write-version", "0.1.0"),
        ("X-Scope-OrgID", "7"),
        ("x-more", "8"),
        ("authorization", "Bearer t"),
    ] {
        assert_eq!(headers[name], value);
    }
    let mut series = decode(&requests[0].body);
    series.sort_by(|a, b| a.0.cmp(&b.0));
    let labels = |name: &str| format!("_9x=d __name__={name} a_b=c scenario=s tag__name__=n");
    let plain = |name: &str| format!("__name__={name} scenario=t");
    // Even indices have the first set of tags, odd ones the second.
    let mut expected = vec![
        (labels("k6_hits_rate"), 0.4, 1_795_250_296_008),
        (plain("k6_hits_rate"), 1.0, 1_795_250_296_009),
        (labels("k6_iterations_total"), 5.0, 1_795_250_296_008),
        (plain("k6_iterations_total"), 5.0, 1_795_250_296_009),
    ];
    for (suffix, first, second) in [
        ("p999", 0.7992, 0.8992),
        ("max", 0.8, 0.9),
        ("avg", 0.4, 0.5),
        ("count", 5.0, 5.0),
        ("sum", 2.0, 2.5),
    ] {
        let name = format!("k6_mine_{suffix}");
        expected.push((labels(&name), first, 1_795_250_296_008));
        expected.push((plain(&name), second, 1_795_250_296_009));
    }
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(series.len(), expected.len(), "{series:?}");
    for (series, expected) in series.iter().zip(&expected) {
        let names: Vec<&str> = series.0.split(' ').collect();
        assert!(names.is_sorted(), "{names:?}");
        assert_eq!((&series.0, series.2), (&expected.0, expected.2));
        assert!((series.1 - expected.1).abs() < 1e-9, "{series:?} {expected:?}");
    }
    let ends = decode(&requests[1].body);
    assert_eq!(ends.len(), expected.len());
    assert!(ends.iter().all(|(_, value, _)| value.to_bits() == 0x7ff0_0000_0000_0002));
}

#[test]
fn a_server_that_is_away_or_refuses_is_said_once_and_counted() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let spec =
        |address: &str| OutputSpec::influxdb(&format!("http://u:p@{address}"), &BTreeMap::new()).unwrap();
    let (report, errors) = send(spec(&gone.to_string()));
    assert_eq!((report.written_count, report.lost_count), (0, 30));
    let said = format!("can't send samples to `InfluxDBv1 (http://{gone})`: {gone}: connection refused");
    assert_eq!(errors, [said]);
    const REFUSAL: &str =
        "HTTP/1.1 401 Unauthorized\r\ncontent-length: 15\r\nconnection: close\r\n\r\n{\"error\":\n\"no\"}";
    let (address, got) = server(&[REFUSAL]);
    let (report, errors) = send(spec(&address));
    assert_eq!((report.written_count, report.lost_count), (0, 30));
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].ends_with("answered with 401: {\"error\": \"no\"}"), "{errors:?}");
    assert_eq!(got.try_iter().count(), 2);
}

#[test]
fn a_kept_connection_that_was_closed_is_opened_anew() {
    let (address, got) = server(&["HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"]);
    let spec = OutputSpec::influxdb(&format!("http://{address}"), &BTreeMap::new()).unwrap();
    let (report, errors) = send(spec);
    assert_eq!((report.written_count, report.lost_count, errors.len()), (30, 0, 0), "{errors:?}");
    assert_eq!(got.try_iter().count(), 2);
}

#[test]
fn the_end_does_not_wait_for_a_server_that_does_not_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = super::Endpoint::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let client = super::Client::new(endpoint, &Default::default(), Vec::new()).unwrap();
    let (errors, said) = mpsc::channel();
    let mut mailer = super::Mailer::start(client, "it", errors).unwrap();
    mailer.send("/", b"body".to_vec(), 7);
    mailer.close(std::time::Duration::from_millis(50));
    assert_eq!(mailer.wait(), (0, 7));
    assert_eq!(said.try_iter().count(), 1);
}

/// What a push says: labels, value and time of each series.
fn decode(body: &[u8]) -> Vec<(String, f64, u64)> {
    let message = unpacked(body);
    let of = |bytes: &[u8], wanted: u64| -> Vec<Vec<u8>> {
        parts(bytes).into_iter().filter(|(number, _)| *number == wanted).map(|(_, part)| part).collect()
    };
    let text = |bytes: &[u8], wanted| String::from_utf8(of(bytes, wanted).remove(0)).unwrap();
    let series = of(&message, 1).into_iter().map(|series| {
        let labels: Vec<String> =
            of(&series, 1).iter().map(|label| format!("{}={}", text(label, 1), text(label, 2))).collect();
        let sample = of(&series, 2).remove(0);
        let value = f64::from_le_bytes(of(&sample, 1).remove(0).try_into().unwrap());
        let time = u64::from_le_bytes(of(&sample, 2).remove(0).try_into().unwrap());
        (labels.join(" "), value, time)
    });
    series.collect()
}

/// The fields of a protobuf message; numbers as eight bytes.
fn parts(mut bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let key = number(&mut bytes);
        let part = match key & 7 {
            0 => number(&mut bytes).to_le_bytes().to_vec(),
            1 => taken(&mut bytes, 8),
            2 => {
                let length = number(&mut bytes) as usize;
                taken(&mut bytes, length)
            }
            other => panic!("wire type {other}"),
        };
        parts.push((key >> 3, part));
    }
    parts
}

fn taken(bytes: &mut &[u8], count: usize) -> Vec<u8> {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken.to_vec()
}

fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = taken(bytes, 1)[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Snappy's block form (its `format_description.txt`).
fn unpacked(mut bytes: &[u8]) -> Vec<u8> {
    let length = number(&mut bytes) as usize;
    let mut out = Vec::new();
    let little = |bytes: Vec<u8>| bytes.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte));
    while !bytes.is_empty() {
        let tag = usize::from(taken(&mut bytes, 1)[0]);
        let (count, offset) = match tag & 3 {
            0 => {
                let short = tag >> 2;
                let count = if short < 60 { short } else { little(taken(&mut bytes, short - 59)) };
                out.extend(taken(&mut bytes, count + 1));
                continue;
            }
            1 => (4 + (tag >> 2 & 7), tag >> 5 << 8 | little(taken(&mut bytes, 1))),
            2 => (1 + (tag >> 2), little(taken(&mut bytes, 2))),
            _ => (1 + (tag >> 2), little(taken(&mut bytes, 4))),
        };
        for _ in 0..count {
            out.push(out[out.len() - offset]);
        }
    }
    assert_eq!(out.len(), length);
    out
}
