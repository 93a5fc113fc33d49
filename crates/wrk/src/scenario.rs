//! What a connection of wrk or wrk2 does, as a scenario: one action is one text sent and all its answers.
//!
//! Without a script, or with one that has no `request`, the text is made once per thread and nothing of Lua runs per request; a script
//! pays for `delay`, `request` and `response` each only if it defines them. The users of one worker share that thread's state; no two
//! of them are in it at a time.

use crate::lua::{Calls, Heads, Script};
use crate::sampler::{SampleBook, Sampler};
use crate::{Mode, Options};
use scenario::{
    Answer, Choice, Connecting, Context, Event, Exchange, Next, RequestKind, RestKind, Scenario,
    ScenarioFactory, Shape, UserSource, Want,
};
use stats::ErrorClass;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;

/// What the action is called in records.
pub(crate) const ACTION: &str = "request";
/// What single answers of a batch are called in records, where they are measured apart.
const ANSWER: &str = "answer";

/// Makes the users of a run of wrk or wrk2. One per run; it may serve all phases.
pub struct Connections {
    shape: Shape,
    threads: Vec<Thread>,
    timeout_ns: u64,
    want: Want,
    has_delay: bool,
    book: Arc<SampleBook>,
}

/// What one worker's users share, before the worker is there.
#[derive(Clone)]
struct Thread {
    calls: Option<Arc<Calls>>,
    /// What is sent over and over, and the kinds of the requests in it; `None`: the script's `request` says.
    fixed: Option<Arc<Text>>,
    has_response: bool,
}

/// A text and the kinds of the requests in it.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    kinds: Vec<RequestKind>,
}

impl Connections {
    /// Connections that send one and the same text: one GET or whatever `text` holds.
    pub fn fixed(options: &Options, text: Vec<u8>) -> Self {
        let kinds = crate::lua::kinds(&text);
        let depth = kinds.len();
        let fixed = Some(Arc::new(Text { bytes: text, kinds }));
        let thread = Thread { calls: None, fixed, has_response: false };
        let threads = vec![thread; options.threads.max(1) as usize];
        Self::new(options, threads, depth, Want::NOTHING, false)
    }

    /// Connections that do what a script says.
    pub fn scripted(options: &Options, script: &Script) -> Self {
        let defined = script.defined();
        let thread = |(index, calls): (usize, &Arc<Calls>)| Thread {
            calls: Some(Arc::clone(calls)),
            fixed: script.fixed(index).map(|(bytes, kinds)| Arc::new(Text { bytes, kinds })),
            has_response: defined.response,
        };
        let threads = script.threads().iter().enumerate().map(thread).collect();
        let want = if defined.response { Want::ALL } else { Want::NOTHING };
        Self::new(options, threads, script.depth(), want, defined.delay)
    }

    fn new(options: &Options, threads: Vec<Thread>, depth: usize, want: Want, has_delay: bool) -> Self {
        // A batch is one latency in wrk; wrk2 records each answer, unless it is asked not to.
        let is_apart = options.mode == Mode::Wrk2 && !options.batch_latency && depth > 1;
        let requests = if is_apart { vec![ANSWER.to_owned()] } else { Vec::new() };
        Self {
            shape: Shape { actions: vec![ACTION.to_owned()], requests, checks: Vec::new() },
            threads,
            timeout_ns: options.timeout_ns,
            want,
            has_delay,
            book: Arc::default(),
        }
    }

    /// The samples of requests per second that threads take, complete once the run has ended.
    pub fn sample_book(&self) -> Arc<SampleBook> {
        Arc::clone(&self.book)
    }
}

impl ScenarioFactory for Connections {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn addresses(&self, _target_index: usize, worker_index: u64) -> Option<Vec<SocketAddr>> {
        let thread = self.threads.get(usize::try_from(worker_index).ok()?)?;
        thread.calls.as_ref()?.address().map(|address| vec![address])
    }

    fn source(&self, worker_index: u64, _worker_count: u64) -> Box<dyn UserSource> {
        let threads = &self.threads;
        // There are as many workers as threads, unless connections are too few for them.
        let index = usize::try_from(worker_index).unwrap_or(0);
        let thread = threads.get(index).or(threads.first()).cloned().unwrap_or(Thread {
            calls: None,
            fixed: Some(Arc::default()),
            has_response: false,
        });
        Box::new(Source(Rc::new(Worker {
            thread,
            exchange: Exchange {
                target: 0,
                request_index: (!self.shape.requests.is_empty()).then_some(0),
                kind: RequestKind::Other,
                want: self.want,
                timeout_ns: self.timeout_ns,
                connecting: Connecting::Apart,
                times_write: false,
                head_bytes: None,
            },
            has_delay: self.has_delay,
            sampler: RefCell::new(Sampler::new(Arc::clone(&self.book))),
            heads: RefCell::default(),
        })))
    }
}

/// What one worker's users share.
struct Worker {
    thread: Thread,
    /// All exchanges but for the kind.
    exchange: Exchange,
    has_delay: bool,
    sampler: RefCell<Sampler>,
    heads: RefCell<Heads>,
}

struct Source(Rc<Worker>);

impl UserSource for Source {
    fn user(&mut self, _user_index: u64) -> Box<dyn Scenario> {
        Box::new(User { worker: Rc::clone(&self.0), own: Text::default(), answered_count: 0, failure: None })
    }
}

/// One connection's behaviour.
struct User {
    worker: Rc<Worker>,
    /// What the script's `request` gave last.
    own: Text,
    /// Answers to the text under way.
    answered_count: usize,
    /// The first of them that was no success.
    failure: Option<ErrorClass>,
}

impl User {
    fn text(&self) -> &Text {
        self.worker.thread.fixed.as_deref().unwrap_or(&self.own)
    }

    /// The exchange of the next answer.
    fn exchange(&self) -> Option<Exchange> {
        let kind = *self.text().kinds.get(self.answered_count)?;
        Some(Exchange { kind, ..self.worker.exchange })
    }

    fn begun(&mut self, now_ns: u64) -> Next {
        self.worker.sampler.borrow_mut().begin(now_ns);
        if !self.worker.has_delay {
            return self.send();
        }
        let Some(calls) = &self.worker.thread.calls else { return self.send() };
        match calls.delay_ns() {
            Ok(0) => self.send(),
            Ok(duration_ns) => Next::Rest { duration_ns, kind: RestKind::Think },
            Err(_) => FAILED,
        }
    }

    fn send(&mut self) -> Next {
        self.answered_count = 0;
        self.failure = None;
        let Self { worker, own, .. } = self;
        if let (None, Some(calls)) = (&worker.thread.fixed, &worker.thread.calls)
            && calls.request(&mut own.bytes, &mut own.kinds).is_err()
        {
            return FAILED;
        }
        self.exchange().map_or(FAILED, Next::Exchange)
    }

    fn answered(&mut self, answer: &Answer<'_>, now_ns: u64) -> Next {
        self.worker.sampler.borrow_mut().answered(now_ns);
        if answer.status >= 400 {
            self.failure = self.failure.or(Some(ErrorClass::Status));
        }
        if self.worker.thread.has_response && self.respond(answer).is_err() {
            return FAILED;
        }
        self.answered_count += 1;
        match self.exchange() {
            Some(exchange) => Next::Await(exchange),
            None => Next::Done(self.failure.map_or(Ok(()), Err)),
        }
    }

    fn respond(&self, answer: &Answer<'_>) -> Result<(), crate::lua::Failed> {
        let Some(calls) = &self.worker.thread.calls else { return Ok(()) };
        let body = match answer.body {
            scenario::Body::Whole(bytes) | scenario::Body::Truncated(bytes) => bytes,
            scenario::Body::Dropped => &[],
        };
        calls.response(&mut self.worker.heads.borrow_mut(), answer.status, answer.headers, body)
    }
}

/// A callback has failed: the run is about to end, and its figures are not used.
const FAILED: Next = Next::Done(Err(ErrorClass::Check));

impl Scenario for User {
    fn begin(&mut self, _choice: Choice) -> Option<u16> {
        match &self.worker.thread.calls {
            Some(calls) if calls.is_over() => None,
            _ => Some(0),
        }
    }

    fn resume(&mut self, event: Event<'_>, context: &mut Context<'_>) -> Next {
        match event {
            Event::Begun => self.begun(context.now_ns),
            Event::Rested => self.send(),
            Event::Answered(answer) => self.answered(&answer, context.now_ns),
            Event::Failed(class) => Next::Done(Err(class)),
            // Nothing was asked for that these would answer.
            Event::Lane(..) | Event::Met(_) => Next::Done(Err(ErrorClass::Protocol)),
        }
    }

    fn request(&self) -> &[u8] {
        &self.text().bytes
    }
}
