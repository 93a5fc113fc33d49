//! What a user has under way: the script's wait, and the requests that go on beside it.
//!
//! A user that sends one request after another does so as an exchange of its own. As soon as there are two at once, they are lanes of the
//! user, and stay so: their connections are those that are kept.

use super::{Vu, waited};
use crate::answer::Heard;
use crate::host::{Ask, Reply};
use crate::request::{After, Ends, Finished, Flight, Ready};
use js::{ScriptError, Step};
use plan::Target;
use scenario::{Exchange, Next, RestKind};
use stats::ErrorClass;
use std::collections::VecDeque;

/// Requests of one user at once: the worker loop has 256 lanes for each.
const LANES_MAX: usize = 250;
/// A script whose requests fail before they are sent lets others go on between them.
const YIELD_NS: u64 = 1_000;

/// How many requests of one call may be under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AtOnce {
    pub(crate) in_all: usize,
    pub(crate) per_host: usize,
}

/// What the script waits for.
#[derive(Debug, Default)]
enum Waits {
    #[default]
    Nothing,
    Answers(Answers),
    /// Until then, whatever else happens.
    Sleep(u64),
    /// Until then or a promise is settled; `u64::MAX`: there is no timer.
    Timers(u64),
}

#[derive(Debug)]
struct Answers {
    results: Vec<Option<Finished>>,
    missing_count: usize,
    at_once: AtOnce,
}

#[derive(Debug, Default)]
struct Lane {
    flight: Option<Box<Flight>>,
    bytes: Vec<u8>,
    /// Where it has been: it may have a connection there.
    targets: Vec<u16>,
}

/// A user's requests.
#[derive(Debug, Default)]
pub(super) struct Traffic {
    waits: Waits,
    /// Not under way, in the order in which they were asked for.
    waiting: VecDeque<Box<Flight>>,
    own: Option<Box<Flight>>,
    own_bytes: Vec<u8>,
    lanes: Vec<Lane>,
    open_count: usize,
    /// Lanes that the worker loop is to begin.
    begun: VecDeque<(u16, Exchange)>,
    uses_lanes: bool,
    sought: Option<Target>,
    has_settled: bool,
    yields: bool,
}

impl Traffic {
    /// Forgets all that is under way.
    pub(super) fn clear(&mut self) {
        self.waits = Waits::Nothing;
        self.waiting.clear();
        self.own = None;
        self.lanes.iter_mut().for_each(|lane| lane.flight = None);
        self.open_count = 0;
        self.begun.clear();
        self.sought = None;
        (self.has_settled, self.yields) = (false, false);
    }

    pub(super) fn request(&self) -> &[u8] {
        &self.own_bytes
    }

    pub(super) fn lane_request(&self, lane: u16) -> &[u8] {
        self.lanes.get(usize::from(lane)).map_or(&[], |lane| &lane.bytes)
    }

    pub(super) fn next_lane(&mut self) -> Option<(u16, Exchange)> {
        self.begun.pop_front()
    }

    pub(super) fn sought(&self) -> Option<&Target> {
        self.sought.as_ref()
    }

    /// Whether a request may be under way beside the others.
    fn has_room(&self, flight: &Flight) -> bool {
        if self.open_count >= LANES_MAX {
            return false;
        }
        let (Ends::Waiting(_), Waits::Answers(answers)) = (flight.ends, &self.waits) else { return true };
        let host = &flight.asked.url.host;
        let (mut in_all, mut per_host) = (0, 0);
        for other in self.lanes.iter().filter_map(|lane| lane.flight.as_ref()) {
            let is_beside = matches!(other.ends, Ends::Waiting(_));
            in_all += usize::from(is_beside);
            per_host += usize::from(is_beside && other.asked.url.host == *host);
        }
        in_all < answers.at_once.in_all && per_host < answers.at_once.per_host
    }

    /// Whether a request that is no longer among those that wait is all that the user has.
    fn is_alone(&self) -> bool {
        let waits_for_one = matches!(&self.waits, Waits::Answers(answers) if answers.results.len() == 1);
        !self.uses_lanes && self.open_count == 0 && self.waiting.is_empty() && waits_for_one
    }

    /// Puts a request on a lane: the one it was on, else one that has been there, else any that is free, else a new one.
    fn take_lane(&mut self, mut flight: Box<Flight>, bytes: Vec<u8>, exchange: Exchange) {
        self.uses_lanes = true;
        let free = |lane: &Lane| lane.flight.is_none();
        let known = self.lanes.iter().position(|lane| free(lane) && lane.targets.contains(&exchange.target));
        let kept = flight.lane.filter(|lane| self.lanes.get(*lane).is_some_and(free));
        let place = kept.or(known).or_else(|| self.lanes.iter().position(free)).unwrap_or_else(|| {
            self.lanes.push(Lane::default());
            self.lanes.len() - 1
        });
        flight.lane = Some(place);
        let Some(lane) = self.lanes.get_mut(place) else { return };
        lane.flight = Some(flight);
        lane.bytes = bytes;
        if !lane.targets.contains(&exchange.target) {
            lane.targets.push(exchange.target);
        }
        self.open_count += 1;
        self.begun.push_back((place as u16, exchange));
    }

    /// When the user is to be woken, if nothing happens before.
    fn until_ns(&self) -> u64 {
        match self.waits {
            Waits::Sleep(until_ns) | Waits::Timers(until_ns) => until_ns,
            Waits::Nothing | Waits::Answers(_) => u64::MAX,
        }
    }
}

impl Vu {
    /// From what the script wants to what the worker loop is to do.
    pub(super) fn drive(&mut self, mut step: Step<Ask>, now_ns: u64) -> Next {
        loop {
            self.traffic.waits = match step {
                Step::Asks(Ask::Sleep { ns }) => Waits::Sleep(now_ns.saturating_add(ns)),
                Step::Asks(Ask::Fetch(fetch)) => {
                    let count = fetch.asked.len();
                    let flight = |(index, asked)| Box::new(Flight::new(asked, Ends::Waiting(index)));
                    self.traffic.waiting.extend(fetch.asked.into_iter().enumerate().map(flight));
                    let results = (0..count).map(|_| None).collect();
                    Waits::Answers(Answers { results, missing_count: count, at_once: fetch.at_once })
                }
                Step::Idle { until_ns } => Waits::Timers(until_ns.unwrap_or(u64::MAX)),
                Step::Done(outcome) => {
                    self.traffic.clear();
                    return self.end(now_ns, outcome);
                }
            };
            match self.go_on(now_ns) {
                Ok(next) => return next,
                Err(after) => step = after,
            }
        }
    }

    /// Begins what can begin and lets the script go on if it can; the error is its next step.
    fn go_on(&mut self, now_ns: u64) -> Result<Next, Step<Ask>> {
        let Some(vm) = self.vm.as_mut() else { return Ok(Next::Done(Err(ErrorClass::Check))) };
        let launched = vm.host().vu.http.launched.take();
        self.traffic.waiting.extend(launched.into_iter().map(Box::new));
        let mut until_ns = self.traffic.until_ns();
        if let Some(next) = self.begin_flights(&mut until_ns, now_ns) {
            return Ok(next);
        }
        let Some(vm) = self.vm.as_mut() else { return Ok(Next::Done(Err(ErrorClass::Check))) };
        let traffic = &mut self.traffic;
        if std::mem::take(&mut traffic.yields) {
            until_ns = now_ns + YIELD_NS;
        } else if let Waits::Answers(answers) = &mut traffic.waits
            && answers.missing_count == 0
        {
            let results = std::mem::take(&mut answers.results).into_iter().flatten().collect();
            traffic.waits = Waits::Nothing;
            return Err(vm.reply(Reply::Fetched(results)));
        } else if matches!(traffic.waits, Waits::Timers(_)) && std::mem::take(&mut traffic.has_settled) {
            traffic.waits = Waits::Nothing;
            return Err(vm.wake());
        }
        if traffic.open_count > 0 {
            return Ok(Next::Linger { until_ns });
        }
        if until_ns == u64::MAX {
            // The script waits for what nothing can bring; its engine stands in the midst of it.
            let error = ScriptError::clone(&waited("an operation that nothing ends"));
            traffic.clear();
            let next = self.end(now_ns, Err(error));
            self.vm = None;
            return Ok(next);
        }
        Ok(Next::Rest { duration_ns: until_ns.saturating_sub(now_ns), kind: RestKind::Think })
    }

    /// Begins requests in their order; what the worker loop has to do at once, if that is so.
    fn begin_flights(&mut self, until_ns: &mut u64, now_ns: u64) -> Option<Next> {
        let mut index = 0;
        while let Some(flight) = self.traffic.waiting.get(index) {
            if !self.traffic.has_room(flight) {
                index += 1;
                continue;
            }
            let host = self.vm.as_ref()?.host();
            let flight = self.traffic.waiting.get_mut(index)?;
            let name = match flight.ready(host, now_ns) {
                Ready::To(name) => name,
                Ready::At(at_ns) => {
                    *until_ns = (*until_ns).min(at_ns);
                    index += 1;
                    continue;
                }
                Ready::Never(fault) => {
                    let flight = self.traffic.waiting.remove(index)?;
                    self.traffic.yields = true;
                    let after = flight.refused(host, fault, now_ns);
                    self.over(after);
                    continue;
                }
            };
            let known = self.worker.targets.borrow().get(&name).copied();
            let Some(target) = known else {
                self.traffic.sought = flight.target(host);
                return Some(Next::Meet);
            };
            let mut flight = self.traffic.waiting.remove(index)?;
            match flight.begin(host, target, now_ns) {
                Err(said) => {
                    self.traffic.yields = true;
                    self.over(flight.unsendable(said));
                }
                Ok((bytes, exchange)) if self.traffic.is_alone() => {
                    self.traffic.own = Some(flight);
                    self.traffic.own_bytes = bytes;
                    return Some(Next::Exchange(exchange));
                }
                Ok((bytes, exchange)) => self.traffic.take_lane(flight, bytes, exchange),
            }
        }
        None
    }

    /// What comes of a request that has landed.
    fn over(&mut self, after: After) {
        match after {
            After::Hop(flight) => self.traffic.waiting.push_front(flight),
            After::End(Ends::Waiting(index), finished) => {
                if let Waits::Answers(answers) = &mut self.traffic.waits
                    && let Some(place) = answers.results.get_mut(index)
                {
                    answers.missing_count =
                        answers.missing_count.saturating_sub(usize::from(place.is_none()));
                    *place = Some(*finished);
                }
            }
            After::End(Ends::Promise(operation), finished) => {
                self.traffic.has_settled = true;
                if let Some(vm) = self.vm.as_mut() {
                    vm.complete(operation, Reply::Fetched(vec![*finished]));
                }
            }
        }
    }

    fn next(&mut self, now_ns: u64) -> Next {
        match self.go_on(now_ns) {
            Ok(next) => next,
            Err(step) => self.drive(step, now_ns),
        }
    }

    /// An exchange has ended: the user's own, or that of a lane.
    pub(super) fn heard(&mut self, lane: Option<u16>, heard: Result<Heard, ErrorClass>, now_ns: u64) -> Next {
        let Some(vm) = self.vm.as_ref() else { return Next::Done(Err(ErrorClass::Check)) };
        vm.host().vu.set_now(now_ns);
        let traffic = &mut self.traffic;
        let flight = match lane {
            None => traffic.own.take(),
            Some(lane) => {
                traffic.open_count = traffic.open_count.saturating_sub(1);
                traffic.lanes.get_mut(usize::from(lane)).and_then(|lane| lane.flight.take())
            }
        };
        let Some(flight) = flight else { return Next::Done(Err(ErrorClass::Protocol)) };
        let after = flight.landed(vm.host(), heard, now_ns);
        self.over(after);
        self.next(now_ns)
    }

    /// The target that was sought is there, or can't be had.
    pub(super) fn met(&mut self, met: Result<u16, ErrorClass>, now_ns: u64) -> Next {
        let Some(vm) = self.vm.as_ref() else { return Next::Done(Err(ErrorClass::Check)) };
        vm.host().vu.set_now(now_ns);
        let Some(place) = self.traffic.sought.take() else { return Next::Done(Err(ErrorClass::Protocol)) };
        match met {
            Ok(target) => drop(self.worker.targets.borrow_mut().insert(place.name.into(), target)),
            Err(class) => {
                let index = self.traffic.waiting.iter().position(|flight| flight.goes_to(&place.name));
                if let Some(flight) = index.and_then(|index| self.traffic.waiting.remove(index)) {
                    let after = flight.landed(vm.host(), Err(class), now_ns);
                    self.over(after);
                }
            }
        }
        self.next(now_ns)
    }

    /// A time has come.
    pub(super) fn rested(&mut self, now_ns: u64) -> Next {
        let Some(vm) = self.vm.as_mut() else { return Next::Done(Err(ErrorClass::Check)) };
        vm.host().vu.set_now(now_ns);
        let step = match self.traffic.waits {
            Waits::Sleep(until_ns) if until_ns <= now_ns => vm.reply(Reply::Slept),
            Waits::Timers(until_ns) if until_ns <= now_ns => vm.wake(),
            _ => return self.next(now_ns),
        };
        self.drive(step, now_ns)
    }
}
