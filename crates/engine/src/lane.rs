//! Lanes: exchanges that a user has under way beside each other.
//!
//! A lane is an entry among the users with no behaviour of its own; what happens to it is told to the user whose lane it is. It keeps its
//! connections for the next exchange, as users do.

use crate::core::Core;
use crate::timers::Timer;
use crate::user::{Doing, NONE, User};
use scenario::{Choice, Context, Event, Exchange, Next, RestKind, Scenario};
use stats::{ErrorClass, Outcome};

/// Lanes of one user at most. Browsers open 6 connections to a host; a page's worth of hosts stays far below.
const LANES_MAX: u16 = 256;

/// In the place of a lane's behaviour.
struct Nobody;

impl Scenario for Nobody {
    fn begin(&mut self, _choice: Choice) -> Option<u16> {
        None
    }

    fn resume(&mut self, _event: Event<'_>, _context: &mut Context<'_>) -> Next {
        Next::Done(Err(ErrorClass::Protocol))
    }

    fn request(&self) -> &[u8] {
        &[]
    }
}

impl Core {
    /// Begins the lanes that the user asks for, and lets it wait for one of them or a time. `Err`: what to do instead.
    pub(crate) fn linger(&mut self, user_id: u32, until_ns: u64, now_ns: u64) -> Result<(), Next> {
        while let Some((lane, exchange)) = self.users[user_id as usize].scenario.next_lane() {
            let has_target = usize::from(exchange.target) < self.pools.len();
            let Some(lane_id) = self.lane(user_id, lane).filter(|_| has_target) else {
                return Err(Next::Done(Err(ErrorClass::Protocol)));
            };
            self.begin_lane(user_id, lane_id, exchange, now_ns);
        }
        let user = &mut self.users[user_id as usize];
        if user.lanes_open == 0 {
            if until_ns == u64::MAX {
                // Nothing would ever wake it.
                return Err(Next::Done(Err(ErrorClass::Protocol)));
            }
            self.note_rest(user_id, until_ns.saturating_sub(now_ns), RestKind::Think, now_ns);
        }
        let user = &mut self.users[user_id as usize];
        user.doing = Doing::Lingering;
        user.generation = user.generation.wrapping_add(1);
        let generation = user.generation;
        if until_ns < u64::MAX {
            self.timers.set(until_ns, Timer::Rest(user_id), generation);
        }
        Ok(())
    }

    /// A user's lane of this number; `None`: it is in use, or the number is too great.
    fn lane(&mut self, user_id: u32, lane: u16) -> Option<u32> {
        if lane >= LANES_MAX {
            return None;
        }
        while self.users[user_id as usize].lanes.len() <= usize::from(lane) {
            let person = &self.users[user_id as usize];
            let mut made = User::new(Box::new(Nobody), person.population, person.user_index, 0);
            made.lane_of = Some((user_id, person.lanes.len() as u16));
            let lane_id = self.users.len() as u32;
            self.users.push(made);
            self.users[user_id as usize].lanes.push(lane_id);
        }
        let lane_id = *self.users[user_id as usize].lanes.get(usize::from(lane))?;
        (self.users[lane_id as usize].doing == Doing::Idle).then_some(lane_id)
    }

    fn begin_lane(&mut self, user_id: u32, lane_id: u32, exchange: Exchange, now_ns: u64) {
        let person = &mut self.users[user_id as usize];
        person.lanes_open += 1;
        // As with users' own exchanges, the first of an action was due when the action was.
        let intended_ns = if person.sent_ns.is_none() { person.intended_ns } else { now_ns };
        let (phase, action) = (person.phase, person.action);
        let lane = &mut self.users[lane_id as usize];
        (lane.phase, lane.action) = (phase, action);
        (lane.intended_ns, lane.request_intended_ns) = (intended_ns, intended_ns);
        lane.exchange = Some(exchange);
        lane.has_reopened = false;
        lane.is_unhindered = false;
        self.seek_connection(lane_id, now_ns);
    }

    /// One of the user's lanes is over: it no longer lingers.
    pub(crate) fn lane_ended(&mut self, user_id: u32) {
        let user = &mut self.users[user_id as usize];
        user.lanes_open = user.lanes_open.saturating_sub(1);
        user.generation = user.generation.wrapping_add(1);
        user.doing = Doing::Idle;
    }

    /// Gives up all that a user's lanes have under way.
    pub(crate) fn cut_lanes(&mut self, user_id: u32, now_ns: u64) {
        for index in 0..self.users[user_id as usize].lanes.len() {
            let Some(lane_id) = self.users[user_id as usize].lanes.get(index).copied() else { return };
            let doing = self.users[lane_id as usize].doing;
            if doing == Doing::Idle {
                continue;
            }
            self.book_request(lane_id, Outcome::Unfinished, doing == Doing::AwaitingAnswer, now_ns);
            self.part_from_connection(lane_id, now_ns);
            let lane = &mut self.users[lane_id as usize];
            lane.doing = Doing::Idle;
            lane.phase = NONE;
            lane.limit_ns = u64::MAX;
            lane.generation = lane.generation.wrapping_add(1);
        }
        self.users[user_id as usize].lanes_open = 0;
    }
}
