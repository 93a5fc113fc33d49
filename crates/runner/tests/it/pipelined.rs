//! Scenarios that are code: requests that leave together, and answers that come one after another.

use crate::*;
use scenario::{
    Answer, Choice, Context, Event, Exchange, Next, RequestKind, Scenario, ScenarioFactory, Shape,
};
use scenario::{Connecting, UserSource, Want};
use stats::ErrorClass;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

/// What every user of a [`Batch`] saw: status and body length of each answer.
type Seen = Arc<Mutex<Vec<(u16, u64)>>>;

/// Sends `bytes` at once and awaits an answer of each kind.
struct Batch {
    shape: Shape,
    bytes: Vec<u8>,
    kinds: Vec<RequestKind>,
    seen: Seen,
}

/// What of it a user needs.
struct BatchUser {
    bytes: Vec<u8>,
    kinds: Vec<RequestKind>,
    seen: Seen,
    answered_count: usize,
}

impl Batch {
    /// GET or HEAD of each path.
    fn of(requests: &[(RequestKind, &str)]) -> (Arc<dyn ScenarioFactory>, Seen) {
        let text = |(kind, path): &(RequestKind, &str)| {
            let method = if *kind == RequestKind::Head { "HEAD" } else { "GET" };
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
        };
        let seen = Seen::default();
        let batch = Self {
            shape: Shape {
                actions: vec!["batch".to_owned()],
                requests: vec!["request".to_owned()],
                checks: Vec::new(),
            },
            bytes: requests.iter().map(text).collect::<String>().into_bytes(),
            kinds: requests.iter().map(|(kind, _)| *kind).collect(),
            seen: Arc::clone(&seen),
        };
        (Arc::new(batch), seen)
    }
}

impl ScenarioFactory for Batch {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn source(&self, _: u64, _: u64) -> Box<dyn UserSource> {
        let (bytes, kinds, seen) = (self.bytes.clone(), self.kinds.clone(), Arc::clone(&self.seen));
        Box::new(BatchUser { bytes, kinds, seen, answered_count: 0 })
    }
}

impl UserSource for BatchUser {
    fn user(&mut self, _: u64) -> Box<dyn Scenario> {
        let (bytes, kinds, seen) = (self.bytes.clone(), self.kinds.clone(), Arc::clone(&self.seen));
        Box::new(BatchUser { bytes, kinds, seen, answered_count: 0 })
    }
}

impl BatchUser {
    fn exchange(&self) -> Exchange {
        Exchange {
            target: 0,
            request_index: Some(0),
            kind: self.kinds[self.answered_count],
            want: Want::NOTHING,
            timeout_ns: 2 * units::NS_PER_SEC,
            connecting: Connecting::Apart,
            times_write: false,
            head_bytes: None,
        }
    }

    fn answered(&mut self, answer: Answer<'_>) -> Next {
        self.seen.lock().unwrap().push((answer.status, answer.body_bytes));
        self.answered_count += 1;
        if self.answered_count < self.kinds.len() { Next::Await(self.exchange()) } else { Next::Done(Ok(())) }
    }
}

impl Scenario for BatchUser {
    fn begin(&mut self, _: Choice) -> Option<u16> {
        self.answered_count = 0;
        Some(0)
    }

    fn resume(&mut self, event: Event<'_>, _: &mut Context<'_>) -> Next {
        match event {
            Event::Begun | Event::Rested => Next::Exchange(self.exchange()),
            Event::Answered(answer) => self.answered(answer),
            Event::Failed(class) => Next::Done(Err(class)),
            Event::Lane(..) | Event::Met(_) => unreachable!("neither was asked for"),
        }
    }

    fn request(&self) -> &[u8] {
        &self.bytes
    }
}

const GET: RequestKind = RequestKind::Other;
const HEAD: RequestKind = RequestKind::Head;

/// The record of one user's batches, and what it saw.
fn batches(
    running: &Running,
    requests: &[(RequestKind, &str)],
    load: &str,
    driver: DriverChoice,
) -> (PhaseRecord, Vec<(u16, u64)>) {
    // The plan's own scenario only stands for the code's.
    let plan = plan_for(running, &format!("target: URL\nrequest: GET /\n{load}\n"));
    let (factory, seen) = Batch::of(requests);
    let options = RunOptions { driver, ..RunOptions::default() };
    let record = runner::execute_with(plan, vec![factory], options, &mut []).unwrap();
    let phase = record.phases.into_iter().next().unwrap();
    assert_laws(&phase);
    let seen = seen.lock().unwrap().clone();
    (phase, seen)
}

#[test]
fn each_answer_of_a_batch_is_heard_in_order_and_booked() {
    with_each_driver(|driver| {
        let running = target();
        let requests = [(GET, "/hello"), (HEAD, "/file?size=5"), (GET, "/delay?ms=20"), (GET, "/status/404")];
        let (phase, seen) = batches(&running, &requests, "users: 1\ncount: 3", driver);
        let stats = running.stop();
        assert_eq!((stats.requests, stats.connections_accepted), (12, 2), "one trial, one for the user");
        assert_eq!(phase.traffic.requests, 12);
        assert_eq!(stats.bytes_in, phase.bytes_sent);
        assert_eq!(stats.bytes_out, phase.bytes_received);
        let statuses: Vec<u16> = seen.iter().map(|(status, _)| *status).collect();
        assert_eq!(statuses, [200, 200, 200, 404].repeat(3));
        assert_eq!((seen[0].1, seen[1].1), (11, 0), "the answer to HEAD has no body");
        assert_eq!((phase.counts.completed, phase.requests[0].counts.completed), (3, 12));
        // What waits behind the slow answer is answered after it: a batch takes as long as its slowest.
        assert!(phase.service_ns.min >= Some(20_000_000), "{:?}", phase.service_ns);
        assert!(phase.requests[0].service_ns.min < Some(20_000_000), "{:?}", phase.requests[0].service_ns);
    });
}

#[test]
fn a_connection_that_ends_within_a_batch_fails_the_rest_of_it() {
    with_each_driver(|driver| {
        let running = target();
        let requests = [(GET, "/hello"), (GET, "/close"), (GET, "/hello")];
        let (phase, seen) = batches(&running, &requests, "users: 2\ncount: 10", driver);
        running.stop();
        assert_eq!(seen.len(), 20, "two answers of each batch came");
        assert_eq!((phase.counts.failed, phase.counts.completed), (10, 0));
        assert_eq!(phase.requests[0].counts.completed, 20);
        assert_eq!(phase.requests[0].counts.failed, 10);
        let classes: Vec<&str> = phase.errors.keys().map(String::as_str).collect();
        let wanted = [ErrorClass::ReceiveEarlyEnd.as_str(), ErrorClass::ReceiveReset.as_str()];
        assert!(classes.iter().all(|class| wanted.contains(class)), "{classes:?}");
    });
}

#[test]
fn as_many_factories_as_scenarios_are_wanted() {
    let plan = plan("target: http://127.0.0.1:9\nrequest: GET /\nusers: 1\ncount: 1\n");
    let error = runner::execute_with(plan, Vec::new(), RunOptions::default(), &mut []).unwrap_err();
    assert!(matches!(error, RunError::Internal(_)), "{error}");
}

/// Its user stops the run twice and then does not return until `released` is dropped.
struct Endless {
    shape: Shape,
    control: runner::RunControl,
    released: Mutex<Option<Receiver<()>>>,
}

struct EndlessUser {
    control: runner::RunControl,
    released: Option<Receiver<()>>,
}

impl ScenarioFactory for Endless {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn source(&self, _: u64, _: u64) -> Box<dyn UserSource> {
        let released = self.released.lock().unwrap().take();
        Box::new(EndlessUser { control: self.control.clone(), released })
    }
}

impl UserSource for EndlessUser {
    fn user(&mut self, _: u64) -> Box<dyn Scenario> {
        Box::new(Self { control: self.control.clone(), released: self.released.take() })
    }
}

impl Scenario for EndlessUser {
    fn begin(&mut self, _: Choice) -> Option<u16> {
        Some(0)
    }

    fn resume(&mut self, _: Event<'_>, _: &mut Context<'_>) -> Next {
        self.control.stop();
        self.control.stop();
        if let Some(released) = self.released.take() {
            assert!(released.recv().is_err());
        }
        Next::Done(Err(ErrorClass::Check))
    }

    fn request(&self) -> &[u8] {
        &[]
    }
}

#[test]
fn a_second_interrupt_leaves_a_worker_behind_whose_code_does_not_return() {
    let running = target();
    let plan = plan_for(&running, "target: URL\nrequest: GET /\nusers: 1\nduration: 60s\n");
    let options = RunOptions::default();
    let (release, released) = channel::<()>();
    let endless = Endless {
        shape: Shape { actions: vec!["loop".to_owned()], ..Shape::default() },
        control: options.control.clone(),
        released: Mutex::new(Some(released)),
    };
    let error = runner::execute_with(plan, vec![Arc::new(endless)], options, &mut []).unwrap_err();
    drop(release);
    assert!(matches!(error, RunError::Stuck), "{error}");
}
