//! Scenarios that are code: several exchanges of one user at once, and targets that no plan names.

use crate::*;
use plan::{Scheme, Target};
use scenario::{Choice, Context, Event, Exchange, Next, RequestKind, Scenario, ScenarioFactory, Shape};
use scenario::{Connecting, UserSource, Want};
use stats::ErrorClass;
use std::sync::{Arc, Mutex};
use units::NS_PER_MS;

/// What users of a [`Page`] heard.
#[derive(Debug, Default, Clone)]
struct Heard {
    /// Lane and status of each answer.
    answers: Vec<(u16, u16)>,
    failures: Vec<(u16, ErrorClass)>,
    met: Vec<Result<u16, ErrorClass>>,
    rested_count: u64,
    /// Answers on a connection that was opened for them, and on one that stood.
    fresh_count: u64,
    kept_count: u64,
    abandoned_count: u64,
}

/// Meets `target`, asks for all `paths` at once, and is done when all have been heard of or `linger_ns` are over.
struct Page {
    shape: Shape,
    user: PageUser,
}

#[derive(Clone)]
struct PageUser {
    target: Target,
    paths: Vec<&'static str>,
    linger_ns: Option<u64>,
    heard: Arc<Mutex<Heard>>,
    requests: Vec<Vec<u8>>,
    met: u16,
    next: usize,
    open_count: usize,
    until_ns: u64,
}

impl Page {
    fn new(port: u16, paths: &[&'static str], linger_ns: Option<u64>) -> Self {
        let get = |path: &&str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes();
        let user = PageUser {
            target: Target::new(Scheme::Http, "127.0.0.1", port),
            paths: paths.to_vec(),
            linger_ns,
            heard: Arc::default(),
            requests: paths.iter().map(get).collect(),
            met: u16::MAX,
            next: usize::MAX,
            open_count: 0,
            until_ns: u64::MAX,
        };
        let requests = vec!["file".to_owned()];
        Self { shape: Shape { actions: vec!["page".to_owned()], requests, checks: Vec::new() }, user }
    }

    /// Runs it under a load; the phase, the whole record's addresses, and what was heard.
    fn run(self, load: &str, workers: usize) -> (PhaseRecord, RunRecord, Heard) {
        let text = format!(
            "scenarios:\n  page:\n    actions:\n      - {{name: page, steps: [{{think: 1ms}}]}}\n{load}\n"
        );
        let heard = Arc::clone(&self.user.heard);
        let options = RunOptions { worker_count: Some(workers), ..RunOptions::default() };
        let record = runner::execute_with(plan(&text), vec![Arc::new(self)], options, &mut []).unwrap();
        let phase = record.phases.first().cloned().unwrap();
        assert_laws(&phase);
        let heard = heard.lock().unwrap().clone();
        (phase, record, heard)
    }
}

impl ScenarioFactory for Page {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn source(&self, _: u64, _: u64) -> Box<dyn UserSource> {
        Box::new(self.user.clone())
    }
}

impl UserSource for PageUser {
    fn user(&mut self, _: u64) -> Box<dyn Scenario> {
        Box::new(self.clone())
    }
}

impl PageUser {
    fn linger_or_end(&self) -> Next {
        if self.open_count == 0 { Next::Done(Ok(())) } else { Next::Linger { until_ns: self.until_ns } }
    }
}

impl Scenario for PageUser {
    fn begin(&mut self, _: Choice) -> Option<u16> {
        Some(0)
    }

    fn resume(&mut self, event: Event<'_>, context: &mut Context<'_>) -> Next {
        let heard = Arc::clone(&self.heard);
        let mut heard = heard.lock().unwrap();
        match event {
            Event::Begun => return Next::Meet,
            Event::Met(met) => {
                heard.met.push(met);
                match met {
                    Err(class) => return Next::Done(Err(class)),
                    Ok(met) => self.met = met,
                }
                (self.next, self.open_count) = (0, self.paths.len());
                self.until_ns = self.linger_ns.map_or(u64::MAX, |linger_ns| context.now_ns + linger_ns);
            }
            Event::Lane(lane, Ok(answer)) => {
                self.open_count -= 1;
                heard.answers.push((lane, answer.status));
                let is_fresh = answer.timing.connect_ns > 0;
                heard.fresh_count += u64::from(is_fresh);
                heard.kept_count += u64::from(!is_fresh);
                let timing = answer.timing;
                assert!(timing.asked_ns <= timing.sent_ns && timing.sent_ns <= timing.first_byte_ns);
                assert!(timing.received_bytes > answer.body_bytes, "{timing:?}");
                assert_eq!(answer.remote.unwrap().port(), self.target.port);
            }
            Event::Lane(lane, Err(class)) => {
                self.open_count -= 1;
                heard.failures.push((lane, class));
            }
            Event::Rested => {
                heard.rested_count += 1;
                return Next::Done(Ok(()));
            }
            Event::Answered(_) | Event::Failed(_) => unreachable!("nothing but lanes was asked for"),
        }
        self.linger_or_end()
    }

    fn request(&self) -> &[u8] {
        &[]
    }

    fn sought(&self) -> Option<&Target> {
        Some(&self.target)
    }

    fn next_lane(&mut self) -> Option<(u16, Exchange)> {
        let lane = self.next;
        self.requests.get(lane)?;
        self.next += 1;
        let exchange = Exchange {
            target: self.met,
            request_index: Some(0),
            kind: RequestKind::Other,
            want: Want::NOTHING,
            timeout_ns: 2 * units::NS_PER_SEC,
            connecting: Connecting::Apart,
            times_write: false,
            head_bytes: None,
        };
        Some((lane as u16, exchange))
    }

    fn lane_request(&self, lane: u16) -> &[u8] {
        &self.requests[usize::from(lane)]
    }

    fn abandon(&mut self) -> bool {
        self.heard.lock().unwrap().abandoned_count += 1;
        true
    }
}

#[test]
fn a_page_takes_as_long_as_its_slowest_file() {
    let running = target();
    let page =
        Page::new(running.local_addr().unwrap().port(), &["/delay?ms=60", "/hello", "/delay?ms=60"], None);
    let (phase, record, heard) = page.run("phases: [{users: 1, count: 4}]", 1);
    let stats = running.stop();
    assert_eq!((stats.requests, stats.connections_accepted), (12, 3), "a connection for each lane, kept");
    assert_eq!((heard.fresh_count, heard.kept_count), (3, 9));
    assert_eq!(heard.answers.len(), 12);
    assert!(heard.answers.chunks(3).all(|page| page[0] == (1, 200)), "{:?}", heard.answers);
    assert_eq!(heard.met, [Ok(0); 4], "one target, met once");
    assert_eq!((phase.counts.completed, phase.requests[0].counts.completed), (4, 12));
    let (min_ns, mean_ns) = (phase.service_ns.min.unwrap(), phase.service_ns.mean.unwrap());
    assert!(min_ns >= 60 * NS_PER_MS && mean_ns < 110 * NS_PER_MS, "{:?}", phase.service_ns);
    assert_eq!(record.environment.addresses["127.0.0.1"].len(), 1);
    assert_eq!(stats.bytes_in, phase.bytes_sent);
}

#[test]
fn a_lane_that_fails_is_told_from_those_that_do_not() {
    let running = target();
    let (phase, _, heard) = Page::new(running.local_addr().unwrap().port(), &["/reset", "/hello"], None)
        .run("phases: [{users: 2, count: 6}]", 1);
    running.stop();
    assert_eq!(heard.answers, [(1, 200); 6]);
    assert_eq!(heard.failures.len(), 6);
    assert!(heard.failures.iter().all(|(lane, _)| *lane == 0), "{:?}", heard.failures);
    assert_eq!(phase.counts.completed, 6, "the user goes on");
    assert_eq!((phase.requests[0].counts.completed, phase.requests[0].counts.failed), (6, 6));
}

#[test]
fn who_lingers_no_longer_cuts_its_lanes_off() {
    let running = target();
    let page =
        Page::new(running.local_addr().unwrap().port(), &["/delay?ms=300", "/hello"], Some(40 * NS_PER_MS));
    let (phase, _, heard) = page.run("phases: [{users: 1, count: 3}]", 1);
    running.stop();
    assert_eq!((heard.rested_count, heard.answers.len()), (3, 3));
    let requests = phase.requests[0].counts;
    assert_eq!((phase.counts.completed, requests.completed, requests.unfinished), (3, 3, 3));
    assert!(phase.service_ns.max < Some(200 * NS_PER_MS), "{:?}", phase.service_ns);
}

#[test]
fn lanes_under_way_at_the_end_are_given_up_and_their_user_goes_on() {
    let running = target();
    let load = "phases: [{name: a, users: 2, duration: 50ms, drain: 10ms}, {name: b, users: 2, duration: 50ms, drain: 10ms}]";
    let page = Page::new(running.local_addr().unwrap().port(), &["/delay?ms=500", "/delay?ms=500"], None);
    let (phase, record, heard) = page.run(load, 2);
    running.stop();
    assert_eq!((phase.counts.unfinished, phase.requests[0].counts.unfinished), (2, 4));
    assert_eq!(record.phases[1].counts.unfinished, 2);
    assert_eq!((heard.abandoned_count, heard.answers.len()), (4, 0), "none is made anew");
}

#[test]
fn a_target_that_cannot_be_had_is_said_to_who_asked() {
    let mut page = Page::new(1, &["/"], None);
    page.user.target = Target::new(Scheme::Http, "no..name", 80);
    let (phase, record, heard) = page.run("phases: [{users: 2, count: 4}]", 1);
    assert_eq!(heard.met, [Err(ErrorClass::Resolve); 4]);
    assert_eq!((phase.counts.failed, phase.errors["resolve"]), (4, 4));
    assert!(record.environment.addresses.is_empty());
}

#[test]
fn all_who_ask_for_a_target_at_once_get_it() {
    let running = target();
    let page = Page::new(running.local_addr().unwrap().port(), &["/hello"], None);
    let (phase, _, heard) = page.run("phases: [{users: 50, count: 200}]", 2);
    running.stop();
    assert_eq!((phase.counts.completed, heard.answers.len()), (200, 200));
    assert_eq!(heard.met, [Ok(0); 200]);
}
