//! A run in progress: another program writes it, this one tells of it.

use crate::*;
use record::{PhaseKind, Progress, RunObserver as _};
use std::iter;
use std::sync::mpsc;
use store::{Keeper, Wish};

/// A run that has begun and whose intervals the test ends one by one.
struct Going {
    record: RunRecord,
    keeper: Keeper,
    wishes: mpsc::Receiver<Wish>,
}

impl Going {
    fn begin(store: &Path, id: &str) -> Self {
        let (wished, wishes) = mpsc::channel();
        let keeper =
            Keeper::start(store, Box::new(move |wish| wished.send(wish).unwrap_or_default())).unwrap();
        let record = run(id, "going");
        let mut going = Self { record, keeper, wishes };
        let head = RunRecord { phases: Vec::new(), ..going.record.clone() };
        going.keeper.run_started(&head);
        going
    }

    fn interval(&mut self, index: usize) {
        let phase = &self.record.phases[0];
        let interval = &phase.intervals[index];
        self.keeper.interval_ended(&Progress {
            phase: &phase.name,
            is_warmup: phase.kind == PhaseKind::Warmup,
            repeat: (0, 1),
            elapsed_ns: interval.start_ns + interval.duration_ns,
            duration_ns: None,
            offered_per_sec: phase.offered_per_sec,
            interval,
        });
    }
}

fn listen(server: &Serving, id: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(server.local_addr()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!("GET /api/runs/{id}/live HTTP/1.1\r\nhost: {}\r\n\r\n", server.local_addr());
    stream.write_all(request.as_bytes()).unwrap();
    BufReader::new(stream)
}

/// Opens the stream once the run's row is there: its writer is a thread of its own.
fn listen_when_there(server: &Serving, id: &str) -> BufReader<TcpStream> {
    for _ in 0..10_000 {
        if get(server, &format!("/api/runs/{id}")).status == 200 {
            return listen(server, id);
        }
    }
    panic!("the run never came into the store");
}

#[test]
fn intervals_are_told_as_they_come_and_then_the_end() {
    let scratch = Scratch::new("live");
    let server = serving(&scratch.store(), None);
    let mut going = Going::begin(&scratch.store(), "03c");
    let mut stream = listen_when_there(&server, "03c");
    let (name, head) = next_event(&mut stream);
    let head: RunRecord = serde_json::from_str(&head).unwrap();
    assert_eq!((name.as_str(), head.run_id.as_str(), head.phases.len()), ("run", "03c", 0));
    let mut told = 0;
    for index in 0..going.record.phases[0].intervals.len() {
        going.interval(index);
        let (name, news) = next_event(&mut stream);
        let news: Value = serde_json::from_str(&news).unwrap();
        assert_eq!((name.as_str(), news["state"].as_str()), ("news", Some("running")));
        told += news["intervals"].as_array().unwrap().len();
        let completed = news["intervals"][0][1]["counts"]["completed"].as_u64();
        assert_eq!(completed, Some(going.record.phases[0].intervals[index].counts.completed));
    }
    assert_eq!(told, going.record.phases[0].intervals.len());
    let record = going.record.clone();
    going.keeper.finish(&record).unwrap();
    // The server ends with the run, and still tells of the end.
    server.stop_when_told();
    let last = iter::repeat_with(|| next_event(&mut stream)).find(|(name, _)| name == "end");
    let whole: RunRecord = serde_json::from_str(&last.unwrap().1).unwrap();
    assert_eq!(whole, record);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("event"), "the stream is over: {rest}");
}

#[test]
fn a_run_that_goes_on_is_not_deleted_and_one_that_was_killed_takes_no_wishes() {
    let scratch = Scratch::new("over");
    let server = serving(&scratch.store(), None);
    let going = Going::begin(&scratch.store(), "05e");
    drop(listen_when_there(&server, "05e"));
    assert_eq!(get(&server, "/api/runs?state=running").json()["runs"][0]["id"], "05e");
    assert_eq!(get(&server, "/api/runs?state=ended").json()["runs"].as_array().map(Vec::len), Some(0));
    let deleted = ask(&server, "DELETE /api/runs/05e", &["x-weir: 1"], "");
    assert_eq!(deleted.status, 409, "{}", deleted.body);
    let record = going.record.clone();
    going.keeper.finish(&record).unwrap();
    // As a killed run leaves it: begun by a process that is not there.
    let database = rusqlite::Connection::open(scratch.store()).unwrap();
    database
        .execute("UPDATE run SET state = 'running', writer = '1 1 elsewhere', touched_unix_ns = 0", [])
        .unwrap();
    let headers = ["x-weir: 1", "content-type: application/json"];
    let answer = ask(&server, "POST /api/runs/05e/wishes", &headers, r#"{"stop": true}"#);
    assert_eq!(answer.status, 409, "{}", answer.body);
    assert_eq!(get(&server, "/api/runs?state=aborted").json()["runs"][0]["id"], "05e");
    assert_eq!(ask(&server, "DELETE /api/runs/05e", &["x-weir: 1"], "").status, 204);
}

#[test]
fn wishes_reach_the_run_and_only_one_that_goes_on() {
    let scratch = Scratch::new("wishes");
    let server = serving(&scratch.store(), None);
    let going = Going::begin(&scratch.store(), "04d");
    drop(listen_when_there(&server, "04d"));
    let wish = |body: &str| {
        let headers = ["x-weir: 1", "content-type: application/json"];
        ask(&server, "POST /api/runs/04d/wishes", &headers, body)
    };
    assert_eq!(wish(r#"{"rate": "250/s"}"#).status, 202);
    let rate = going.wishes.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(rate, Wish::ChangeRate(units::Rate::per_sec(250).unwrap()));
    assert_eq!(wish(r#"{"stop": true}"#).status, 202);
    assert_eq!(going.wishes.recv_timeout(Duration::from_secs(20)).unwrap(), Wish::Stop);
    for bad in ["", "{}", r#"{"rate": "fast"}"#, r#"{"stop": true, "rate": "1/s"}"#, r#"{"speed": 1}"#] {
        let answer = wish(bad);
        assert_eq!(answer.status, 400, "{bad}: {}", answer.body);
    }
    let record = going.record.clone();
    going.keeper.finish(&record).unwrap();
    assert_eq!(wish(r#"{"stop": true}"#).status, 409, "it has ended");
    let gone = ask(
        &server,
        "POST /api/runs/zzz/wishes",
        &["x-weir: 1", "content-type: application/json"],
        r#"{"stop": true}"#,
    );
    assert_eq!(gone.status, 404, "{}", gone.body);
}
