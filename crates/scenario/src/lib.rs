//! What a user does, as a conversation with the worker loop: an event goes in, the next thing to do comes out.
//!
//! Most users do one thing at a time ([`Next::Exchange`]). One that does several has *lanes*, each with an exchange of its own
//! ([`Scenario::next_lane`]), and lingers ([`Next::Linger`]) until one of them ends.
//!
//! [`Scenario`] is one user's behaviour. It never blocks and never does I/O: whoever implements it may keep its place in a state
//! machine (as [`Program`]'s interpreter does for declarative plans) or on a stack of its own that is suspended between
//! [`Scenario::resume`] and the next. Times are ns since the run's origin.

mod check;
mod compile;
mod cookies;
mod feed;
mod interpreter;
mod order;
mod render;

pub use compile::Program;
use plan::Target;
pub use proto::http1::{Body, Headers, RequestKind, Want};
use proto::tls::TlsSession;
use stats::ErrorClass;
use std::net::SocketAddr;

/// Names of what a scenario measures; [`stats::Interval`] has a place for each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Actions.
    pub actions: Vec<String>,
    /// Requests that are measured apart from their action, because it has several.
    pub requests: Vec<String>,
    /// Checks.
    pub checks: Vec<String>,
}

/// Makes users. Shared by all workers; each takes its own [`UserSource`] from it.
pub trait ScenarioFactory: Send + Sync {
    /// What the scenario measures.
    fn shape(&self) -> &Shape;
    /// What worker `worker_index` of `worker_count` makes its users from.
    fn source(&self, worker_index: u64, worker_count: u64) -> Box<dyn UserSource>;
    /// Where a worker's connections to target `target_index` go, if not to the target's own addresses; not empty, used as they are.
    fn addresses(&self, _target_index: usize, _worker_index: u64) -> Option<Vec<SocketAddr>> {
        None
    }
}

/// Makes the users of one worker, which may share what is the worker's own.
pub trait UserSource {
    /// A new user; `user_index` counts over all workers.
    fn user(&mut self, user_index: u64) -> Box<dyn Scenario>;
}

/// Which action a user is to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// As the scenario's order says.
    Next,
    /// This one.
    Exactly(u16),
}

/// One user's behaviour.
pub trait Scenario {
    /// Begins an action and says which (its index in [`Shape::actions`]); `None`: the user has nothing left to do.
    /// The first [`Scenario::resume`] after it gets [`Event::Begun`].
    fn begin(&mut self, choice: Choice) -> Option<u16>;
    /// Goes on after an event until the next thing that takes time.
    fn resume(&mut self, event: Event<'_>, context: &mut Context<'_>) -> Next;
    /// The bytes of the request that the last [`Next::Exchange`] asked for.
    fn request(&self) -> &[u8];
    /// The action under way is given up: nothing that was asked for will be heard of. Whether the user can begin another; if not, a
    /// new one takes its place.
    fn abandon(&mut self) -> bool {
        false
    }
    /// Exchanges to begin beside those under way, one by one until `None`; asked after each [`Scenario::resume`] that ends in
    /// [`Next::Linger`]. A lane is a small number of the user's choice, in use until its [`Event::Lane`].
    fn next_lane(&mut self) -> Option<(u16, Exchange)> {
        None
    }
    /// The target that the last [`Next::Meet`] asked for.
    fn sought(&self) -> Option<&Target> {
        None
    }
    /// The bytes of a lane's request.
    fn lane_request(&self, _lane: u16) -> &[u8] {
        &[]
    }
}

/// What the worker lends while a user goes on.
#[derive(Debug)]
pub struct Context<'a> {
    /// The time of the event.
    pub now_ns: u64,
    /// When the action was due.
    pub intended_ns: u64,
    /// Checks passed and failed, as [`Shape::checks`] numbers them.
    pub checks: &'a mut [(u64, u64)],
}

/// What happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The action was begun.
    Begun,
    /// The exchange was answered.
    Answered(Answer<'a>),
    /// The exchange failed without an answer.
    Failed(ErrorClass),
    /// The pause is over.
    Rested,
    /// A lane's exchange is over: its answer, or how it failed without one.
    Lane(u16, Result<Answer<'a>, ErrorClass>),
    /// Where the target that [`Next::Meet`] named stands among the worker's targets, or why it can't be had.
    Met(Result<u16, ErrorClass>),
}

/// An answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// Its status.
    pub status: u16,
    /// Its headers, if they were wanted.
    pub headers: Option<Headers<'a>>,
    /// Its body, if it was wanted.
    pub body: Body<'a>,
    /// The body's length as it came, without transfer coding, whether it was wanted or not.
    pub body_bytes: u64,
    /// Sent → done, ns.
    pub service_ns: u64,
    /// How its exchange went.
    pub timing: Timing,
    /// Whom it came from; `None` where there is no such address, as with Unix sockets.
    pub remote: Option<SocketAddr>,
    /// What TLS agreed on; `None`: it came in plain.
    pub tls: Option<&'a TlsSession>,
}

/// An exchange's way, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Timing {
    /// When it was asked for (for an action's first: when the action was due), since the run's origin.
    pub asked_ns: u64,
    /// How long TCP took to connect; 0 on a connection that stood.
    pub connect_ns: u64,
    /// How long the TLS handshake took; 0 without, and on a connection that stood.
    pub tls_ns: u64,
    /// When the request was sent, since the run's origin.
    pub sent_ns: u64,
    /// When the system had taken all of the request, since the run's origin. Where it took all at once this is `sent_ns`, unless
    /// [`Exchange::times_write`].
    pub written_ns: u64,
    /// When the first byte of the answer was there, since the run's origin.
    pub first_byte_ns: u64,
    /// Bytes of the answer as it came, without TLS.
    pub received_bytes: u64,
}

/// What is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Send [`Scenario::request`] and hear [`Event::Answered`] or [`Event::Failed`].
    Exchange(Exchange),
    /// Send nothing: the bytes sent last held another request (they were pipelined), and its answer is to come on the same connection.
    /// Hear [`Event::Answered`] or [`Event::Failed`] again. Only as the reply to [`Event::Answered`]; times and the limit go on
    /// from the one send, the target is that of the first exchange, and there is no `100 Continue`.
    Await(Exchange),
    /// Hear [`Event::Rested`] after so long.
    Rest {
        /// ns
        duration_ns: u64,
        /// Whether it is the user's own pause, which is in no latency, or stands for work.
        kind: RestKind,
    },
    /// Hear [`Event::Lane`] for each lane that ends, and [`Event::Rested`] when `until_ns` comes first. The time in which no lane is
    /// under way counts as the user's own pause.
    Linger {
        /// Since the run's origin; `u64::MAX`: until a lane ends.
        until_ns: u64,
    },
    /// Make [`Scenario::sought`] one of the worker's targets, though the plan does not name it, and hear [`Event::Met`]. Targets are
    /// told apart by their names: one that is known by its name is met at once.
    Meet,
    /// The action is over. Lanes that are still under way are cut off.
    Done(Result<(), ErrorClass>),
}

/// What a pause stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestKind {
    /// The user's own: in no latency.
    Think,
    /// Work: in service and response time.
    Delay,
}

/// What opening a connection is to a request that finds none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connecting {
    /// Apart from it: the limit counts from the send, and a connection that failed pauses before it is tried again.
    Apart,
    /// A part of it: the limit counts from when it was asked for, and a connection is tried at once, however often it failed.
    Within,
}

/// One request and its answer, as the worker needs to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Index of the plan's target.
    pub target: u16,
    /// Where it is measured beside its action, in [`Shape::requests`].
    pub request_index: Option<u16>,
    /// What decides how the answer is framed.
    pub kind: RequestKind,
    /// What of the answer is looked at.
    pub want: Want,
    /// Limit to the end of the answer, from the send or as [`Exchange::connecting`] says, ns.
    pub timeout_ns: u64,
    /// What connecting is to it.
    pub connecting: Connecting,
    /// Whether the clock is read once more after the send, for [`Timing::written_ns`].
    pub times_write: bool,
    /// Length of the head when the body waits for `100 Continue`; `None`: all is sent at once.
    pub head_bytes: Option<usize>,
}
