//! One simulated person as the worker sees it, and the population of a scenario.

use scenario::{Exchange, Scenario, UserSource};
use schedule::Slice;
use std::collections::VecDeque;

/// No connection.
pub(crate) const NONE: u32 = u32::MAX;

/// What a user is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doing {
    /// Nothing: it may begin an action.
    Idle,
    /// Resting until a timer.
    Resting,
    /// Waiting for a connection, or for its connection to stand.
    AwaitingConnection,
    /// Its request leaves with the next flush.
    Sending,
    /// Its request is on its way.
    AwaitingAnswer,
    /// Its lanes are under way, or it pauses until a timer, whichever ends first.
    Lingering,
    /// A target that it named is being looked up.
    Meeting,
}

/// A user, or a lane of one: a lane has an exchange and connections as a user has them, and no behaviour of its own.
pub(crate) struct User {
    pub(crate) scenario: Box<dyn Scenario>,
    /// Whose lane this is and which; `None`: it is a user.
    pub(crate) lane_of: Option<(u32, u16)>,
    /// By number, as far as they were ever used; kept for their connections.
    pub(crate) lanes: Vec<u32>,
    /// Lanes under way.
    pub(crate) lanes_open: u16,
    pub(crate) doing: Doing,
    /// Raised with each pause and action, so that old timers are told apart.
    pub(crate) generation: u32,
    /// Index of the scenario.
    pub(crate) population: u16,
    /// Its number over all workers, for making it anew.
    pub(crate) user_index: u64,
    /// Slot of the phase that it works for.
    pub(crate) phase: u32,
    /// In a phase that does each action once: the next one.
    pub(crate) once_next: u16,
    /// Its place in a phase whose users come and go.
    pub(crate) place: u32,

    // The action under way.
    pub(crate) action: u16,
    pub(crate) intended_ns: u64,
    /// First send or start of work; `None`: neither yet.
    pub(crate) sent_ns: Option<u64>,
    pub(crate) think_ns: u64,
    /// While it rests of its own will: until when.
    pub(crate) thinks_until_ns: u64,
    /// Nothing but the worker itself stood between due time and send.
    pub(crate) is_unhindered: bool,

    // The request under way.
    pub(crate) exchange: Option<Exchange>,
    pub(crate) request_intended_ns: u64,
    pub(crate) request_sent_ns: u64,
    /// When the system had taken the request, as far as is known.
    pub(crate) written_ns: u64,
    /// When the answer's first byte came; `None`: not yet.
    pub(crate) first_byte_ns: Option<u64>,
    pub(crate) received_bytes: u64,
    /// The body waits for `100 Continue`.
    pub(crate) holds_body: bool,
    /// Its connection went before it could send, and was opened anew.
    pub(crate) has_reopened: bool,
    /// The connection in use.
    pub(crate) conn: u32,
    /// When the request is given up.
    pub(crate) limit_ns: u64,
    /// The earliest timer that will look at `limit_ns`; `u64::MAX`: none.
    pub(crate) limit_armed_ns: u64,
    /// Its own connections by target, where it keeps some.
    pub(crate) own_conns: Vec<u32>,
}

impl User {
    pub(crate) fn new(
        scenario: Box<dyn Scenario>,
        population: u16,
        user_index: u64,
        target_count: usize,
    ) -> Self {
        Self {
            scenario,
            lane_of: None,
            lanes: Vec::new(),
            lanes_open: 0,
            doing: Doing::Idle,
            generation: 0,
            population,
            user_index,
            phase: NONE,
            once_next: 0,
            place: NONE,
            action: 0,
            intended_ns: 0,
            sent_ns: None,
            think_ns: 0,
            thinks_until_ns: 0,
            is_unhindered: false,
            exchange: None,
            request_intended_ns: 0,
            request_sent_ns: 0,
            written_ns: 0,
            first_byte_ns: None,
            received_bytes: 0,
            holds_body: false,
            has_reopened: false,
            conn: NONE,
            limit_ns: u64::MAX,
            limit_armed_ns: u64::MAX,
            own_conns: vec![NONE; target_count],
        }
    }
}

/// The users of one scenario on one worker.
pub(crate) struct Population {
    pub(crate) source: Box<dyn UserSource>,
    /// Users that do nothing, the longest idle first.
    pub(crate) idle: VecDeque<u32>,
    /// How the numbers of users over all workers are dealt out to this one.
    pub(crate) slice: Slice,
    /// How many there are.
    pub(crate) count: u32,
}
