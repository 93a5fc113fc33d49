//! What a turn is made of, without the driver: users begin actions, actions end, books are kept.
//!
//! Nothing here touches a socket. What is to be done to one is put on [`Core::ops`] (open, close) or [`Core::to_send`], and the worker
//! does it; what came of it arrives as calls into [`exchange`](crate::exchange).

use crate::connection::Connection;
use crate::meeting::Meetings;
use crate::message::{PhaseEnd, Report, Usage};
use crate::phase::{Load, PhaseRun, Stage};
use crate::pool::Pool;
use crate::ramp::Ramp;
use crate::timers::{Timer, Timers};
use crate::user::{Doing, NONE, Population, User};
use crate::worker::{ReportSink, TargetSetup, WorkerSetup};
use netio::Close;
use plan::Saturation;
use scenario::{Choice, Context, Event, Next, RestKind};
use schedule::Slice;
use stats::{ErrorClass, Interval, Outcome, Sample, Traffic};
use std::collections::VecDeque;

/// Arrivals begun (or dropped) in one turn at most: some ms of work.
const ARRIVALS_PER_TURN_MAX: u32 = 65_536;

/// What is to be done to a socket.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    /// Connect to its address.
    Connect(u32),
    /// Ask the proxy for a tunnel.
    Tunnel(u32),
    /// Send what its TLS session has to say.
    Transmit(u32),
    /// Send the body that waited for `100 Continue`.
    SendBody(u32),
    /// Close.
    Close(u32, Close),
}

/// A preparation under way.
#[derive(Debug, Default)]
pub(crate) struct Preparation {
    pub(crate) to_open: VecDeque<u32>,
    pub(crate) opening_count: u32,
    pub(crate) open_count: u32,
    pub(crate) failed_count: u32,
    pub(crate) last_failure: Option<ErrorClass>,
}

/// All of a worker but its driver.
pub(crate) struct Core {
    pub(crate) setup: WorkerSetup,
    pub(crate) reports: ReportSink,
    pub(crate) users: Vec<User>,
    pub(crate) conns: Vec<Connection>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) populations: Vec<Population>,
    /// By slot; a slot is used again once its phase has ended.
    pub(crate) phases: Vec<Option<PhaseRun>>,
    pub(crate) timers: Timers,
    pub(crate) to_send: Vec<u32>,
    pub(crate) ops: VecDeque<Op>,
    pub(crate) preparation: Option<Preparation>,
    /// Whether there is a target whose connections are closed when their user's action ends.
    pub(crate) closes_with_actions: bool,
    /// Targets that users asked for, beside the plan's.
    pub(crate) meetings: Meetings,
    /// What was connected before any phase ran; the first phase takes it over.
    pub(crate) early_traffic: Traffic,
    /// Decrypted bytes of one read.
    pub(crate) plaintext: Vec<u8>,
}

impl Core {
    pub(crate) fn new(mut setup: WorkerSetup, reports: ReportSink) -> Self {
        let slices = setup.slices.iter().copied().chain(std::iter::repeat(Slice::WHOLE));
        let population =
            |(factory, slice): (&std::sync::Arc<dyn scenario::ScenarioFactory>, Slice)| Population {
                source: factory.source(slice.index, slice.count),
                idle: VecDeque::new(),
                slice,
                count: 0,
            };
        Self {
            populations: setup.scenarios.iter().zip(slices).map(population).collect(),
            closes_with_actions: setup.targets.iter().any(TargetSetup::closes_with_actions),
            pools: std::mem::take(&mut setup.targets).into_iter().map(Pool::new).collect(),
            setup,
            reports,
            users: Vec::new(),
            conns: Vec::new(),
            phases: Vec::new(),
            timers: Timers::default(),
            to_send: Vec::new(),
            ops: VecDeque::new(),
            preparation: None,
            meetings: Meetings::default(),
            early_traffic: Traffic::default(),
            plaintext: Vec::new(),
        }
    }

    /// The phase in a slot.
    #[inline]
    pub(crate) fn phase(&mut self, slot: u32) -> Option<&mut PhaseRun> {
        self.phases.get_mut(slot as usize)?.as_mut()
    }

    /// Tells the runner.
    pub(crate) fn report(&mut self, report: Report) {
        (self.reports)(report);
    }

    /// A user of the population that does nothing, or a new one while there are fewer than `users_max`.
    pub(crate) fn acquire(&mut self, population: u16, users_max: u32) -> Option<u32> {
        let people = self.populations.get_mut(usize::from(population))?;
        if let Some(user) = people.idle.pop_back() {
            return Some(user);
        }
        if people.count >= users_max { None } else { self.new_user(population) }
    }

    /// The user of the population that has been idle for longest.
    fn acquire_in_turn(&mut self, population: u16) -> Option<u32> {
        self.populations.get_mut(usize::from(population))?.idle.pop_front()
    }

    fn new_user(&mut self, population: u16) -> Option<u32> {
        let people = self.populations.get_mut(usize::from(population))?;
        let user_index = u64::from(people.count) * people.slice.count + people.slice.index;
        people.count += 1;
        let scenario = people.source.user(user_index);
        self.users.push(User::new(scenario, population, user_index, self.pools.len()));
        Some(self.users.len() as u32 - 1)
    }

    /// Puts a phase run into a slot.
    pub(crate) fn add_phase(&mut self, mut phase: PhaseRun) {
        phase.recorder.now().traffic.merge(&self.early_traffic);
        self.early_traffic.clear();
        let slot = match self.phases.iter().position(Option::is_none) {
            Some(slot) => slot,
            None => {
                self.phases.push(None);
                self.phases.len() - 1
            }
        };
        self.phases[slot] = Some(phase);
    }

    /// Starts, ends and books all phases as far as `now_ns` calls for.
    pub(crate) fn advance_phases(&mut self, now_ns: u64, usage: impl Fn() -> Usage) {
        for slot in 0..self.phases.len() as u32 {
            self.cut_intervals(slot, now_ns, &usage);
            let Some(phase) = self.phase(slot) else { continue };
            if phase.stage == Stage::Pending && now_ns >= phase.start_ns {
                phase.stage = Stage::Running;
                phase.usage = usage();
                phase.usage_at_cut = phase.usage;
                self.seat_users(slot);
            }
            self.advance_ramp(slot, now_ns);
            let Some(phase) = self.phase(slot) else { continue };
            if phase.stage != Stage::Pending {
                self.begin_due(slot, now_ns);
            }
            let Some(phase) = self.phase(slot) else { continue };
            let is_over = now_ns >= phase.end_ns || (phase.open_count == 0 && phase.is_exhausted());
            if phase.stage == Stage::Running && is_over {
                let read = usage();
                phase.recorder.now().effort = read.since(&phase.usage_at_cut).effort();
                (phase.usage, phase.usage_at_cut) = (read.since(&phase.usage), read);
                self.end_load(slot, now_ns);
            }
            let Some(phase) = self.phase(slot) else { continue };
            if phase.stage != Stage::Draining {
                continue;
            }
            if now_ns >= phase.end_ns.saturating_add(phase.drain_limit_ns) {
                self.give_up(slot, now_ns);
            }
            if self.phase(slot).is_some_and(|phase| phase.open_count == 0 && !phase.has_backlog()) {
                self.end_phase(slot, now_ns);
            }
        }
    }

    /// Hands on all intervals that are over. What the thread used is read once for each: of several that end together the first has it all.
    pub(crate) fn cut_intervals(&mut self, slot: u32, now_ns: u64, usage: impl Fn() -> Usage) {
        loop {
            let Some(phase) = self.phase(slot) else { return };
            let boundary_ns = match phase.stage {
                Stage::Pending => return,
                // The load's end parts intervals too: what comes after is the drain.
                Stage::Running => phase.recorder.boundary_ns().min(phase.end_ns),
                Stage::Draining => phase.recorder.boundary_ns(),
            };
            if now_ns < boundary_ns || (phase.stage == Stage::Running && boundary_ns == phase.end_ns) {
                return;
            }
            let read = usage();
            phase.recorder.now().effort = read.since(&phase.usage_at_cut).effort();
            phase.usage_at_cut = read;
            let full = phase.recorder.cut(boundary_ns);
            self.report(Report::Interval(full));
        }
    }

    /// The users of a closed phase take their places.
    fn seat_users(&mut self, slot: u32) {
        let Some(phase) = self.phase(slot) else { return };
        let (population, start_ns) = (phase.population, phase.start_ns);
        let wanted = match &phase.load {
            Load::Closed { users, .. } | Load::Once { users, .. } => *users,
            Load::Ramping(_) => return,
            Load::Open { users, .. } => {
                if let Some(users) = *users {
                    self.seat_in_turn(population, users);
                }
                return;
            }
        };
        for _ in 0..wanted {
            // A phase of the same scenario that runs beside this one may hold users: this one gets its own.
            let people = self.populations.get(usize::from(population));
            let room = people.map_or(0, |people| people.count).saturating_add(1);
            let Some(user) = self.acquire(population, room) else { break };
            self.users[user as usize].once_next = 0;
            let Some(phase) = self.phase(slot) else { return };
            if let Load::Closed { ready, .. } | Load::Once { ready, .. } = &mut phase.load {
                ready.push_back((user, start_ns));
            }
        }
    }

    /// The users of an open phase that take turns are there from its start, in the order of their numbers.
    fn seat_in_turn(&mut self, population: u16, users: u32) {
        while self.populations.get(usize::from(population)).is_some_and(|people| people.count < users) {
            let Some(user) = self.new_user(population) else { return };
            if let Some(people) = self.populations.get_mut(usize::from(population)) {
                people.idle.push_back(user);
            }
        }
        if let Some(people) = self.populations.get_mut(usize::from(population)) {
            people.idle.make_contiguous().sort_unstable();
        }
    }

    /// Begins all that is due.
    fn begin_due(&mut self, slot: u32, now_ns: u64) {
        let Some(phase) = self.phase(slot) else { return };
        match &phase.load {
            Load::Open { .. } => self.begin_arrivals(slot, now_ns),
            Load::Closed { ready, .. } | Load::Once { ready, .. } | Load::Ramping(Ramp { ready, .. })
                if now_ns < phase.end_ns && phase.stage == Stage::Running =>
            {
                // Users that become ready within the loop wait for the next turn, so that a turn ends.
                let ready_count = ready.len();
                for _ in 0..ready_count {
                    let Some((user, ready_ns)) = self.next_ready(slot) else { break };
                    self.begin_action(slot, user, ready_ns, now_ns, true);
                }
            }
            Load::Closed { .. } | Load::Once { .. } | Load::Ramping(_) => {}
        }
    }

    fn next_ready(&mut self, slot: u32) -> Option<(u32, u64)> {
        let phase = self.phase(slot)?;
        match &mut phase.load {
            Load::Closed { ready, in_flight_max, count_left, .. } => {
                if phase.open_count >= *in_flight_max || *count_left == 0 {
                    return None;
                }
                let next = ready.pop_front()?;
                *count_left -= 1;
                Some(next)
            }
            Load::Once { ready, in_flight_max, .. } => {
                if phase.open_count >= *in_flight_max {
                    None
                } else {
                    ready.pop_front()
                }
            }
            Load::Ramping(ramp) => ramp.next_ready(),
            Load::Open { .. } => None,
        }
    }

    fn begin_arrivals(&mut self, slot: u32, now_ns: u64) {
        // A bound on one turn, so that commands and answers are heard however absurd the rate.
        for _ in 0..ARRIVALS_PER_TURN_MAX {
            let Some(phase) = self.phase(slot) else { return };
            let (population, next_ns) = (phase.population, phase.next_arrival_ns());
            let Load::Open { on_saturation, users_max, users, is_saturated, .. } = &mut phase.load else {
                return;
            };
            let due_ns = next_ns.filter(|due_ns| *due_ns <= now_ns);
            let Some(due_ns) = due_ns else {
                *is_saturated = false;
                phase.end_with_count();
                return;
            };
            let (on_saturation, was_saturated) = (*on_saturation, *is_saturated);
            let user = match (phase.open_count < u64::from(*users_max), users) {
                (false, _) => None,
                (true, Some(_)) => self.acquire_in_turn(population),
                (true, None) => self.acquire(population, u32::MAX),
            };
            let Some(phase) = self.phase(slot) else { return };
            let Load::Open { fire_times, is_saturated, .. } = &mut phase.load else { return };
            match (user, on_saturation) {
                (None, Saturation::Queue) => {
                    *is_saturated = true;
                    return;
                }
                (None, Saturation::Drop) => {
                    fire_times.advance();
                    let counts = &mut phase.recorder.now().arrivals.counts;
                    counts.due += 1;
                    counts.dropped += 1;
                }
                (Some(user), _) => {
                    fire_times.advance();
                    self.begin_action(slot, user, due_ns, now_ns, !was_saturated);
                }
            }
        }
    }

    /// A user begins an action that was due at `intended_ns`. `is_unhindered`: nothing but the worker itself delayed it so far.
    fn begin_action(&mut self, slot: u32, user_id: u32, intended_ns: u64, now_ns: u64, is_unhindered: bool) {
        let Self { users, phases, .. } = self;
        let Some(phase) = phases.get_mut(slot as usize).and_then(Option::as_mut) else { return };
        let user = &mut users[user_id as usize];
        let choice = match phase.load {
            Load::Once { .. } => Choice::Exactly(user.once_next),
            Load::Closed { .. } | Load::Ramping(_) | Load::Open { .. } => Choice::Next,
        };
        let Some(action) = user.scenario.begin(choice) else {
            self.retire(slot, user_id, intended_ns, now_ns);
            return;
        };
        let interval = phase.recorder.now();
        interval.arrivals.counts.due += 1;
        if let Some(stats) = interval.actions.get_mut(usize::from(action)) {
            stats.counts.started += 1;
        }
        phase.open_count += 1;
        user.phase = slot;
        user.action = action;
        user.intended_ns = intended_ns;
        user.sent_ns = None;
        user.think_ns = 0;
        user.is_unhindered = is_unhindered;
        let mut context =
            Context { now_ns, intended_ns: user.intended_ns, checks: &mut phase.recorder.now().checks };
        let next = user.scenario.resume(Event::Begun, &mut context);
        self.follow(user_id, next, now_ns);
    }

    /// A user has nothing left to do. A closed load ends with its last user; an open one at the arrival that nobody could serve.
    fn retire(&mut self, slot: u32, user_id: u32, intended_ns: u64, now_ns: u64) {
        let place = self.users[user_id as usize].place;
        let Some(phase) = self.phase(slot) else { return };
        match &mut phase.load {
            Load::Closed { users, .. } | Load::Once { users, .. } => {
                *users = users.saturating_sub(1);
                if *users == 0 {
                    phase.end_ns = phase.end_ns.min(now_ns);
                }
            }
            Load::Ramping(ramp) => ramp.leave(place),
            Load::Open { .. } => phase.end_ns = phase.end_ns.min(intended_ns),
        }
        let user = &mut self.users[user_id as usize];
        user.doing = Doing::Idle;
        if let Some(people) = self.populations.get_mut(usize::from(user.population)) {
            people.idle.push_back(user_id);
        }
    }

    /// Does what a user wants next, until it waits for something.
    pub(crate) fn follow(&mut self, user_id: u32, mut next: Next, now_ns: u64) {
        loop {
            match next {
                Next::Exchange(exchange) => {
                    let user = &mut self.users[user_id as usize];
                    user.exchange = Some(exchange);
                    user.has_reopened = false;
                    // The first request of an action was due when its action was, however long that waited for its user.
                    user.request_intended_ns = if user.sent_ns.is_none() { user.intended_ns } else { now_ns };
                    self.seek_connection(user_id, now_ns);
                    return;
                }
                Next::Linger { until_ns } => match self.linger(user_id, until_ns, now_ns) {
                    Ok(()) => return,
                    Err(stuck) => next = stuck,
                },
                Next::Meet => match self.meet(user_id, now_ns) {
                    None => return,
                    Some(after) => next = after,
                },
                // Nothing was sent whose answer could be awaited: `on_complete` takes those that were.
                Next::Await(_) => next = Next::Done(Err(ErrorClass::Protocol)),
                Next::Done(outcome) => {
                    let outcome = outcome.map_or_else(Outcome::Failed, |()| Outcome::Completed);
                    self.finish_action(user_id, outcome, now_ns);
                    return;
                }
                Next::Rest { duration_ns, kind } => {
                    self.note_rest(user_id, duration_ns, kind, now_ns);
                    let user = &mut self.users[user_id as usize];
                    user.generation = user.generation.wrapping_add(1);
                    if duration_ns > 0 {
                        user.doing = Doing::Resting;
                        let generation = user.generation;
                        self.timers.set(now_ns.saturating_add(duration_ns), Timer::Rest(user_id), generation);
                        return;
                    }
                    let Some(after) = self.resume(user_id, Event::Rested, now_ns) else { return };
                    next = after;
                }
            }
        }
    }

    /// A delay is work; a user's own pause moves what comes after it.
    pub(crate) fn note_rest(&mut self, user_id: u32, duration_ns: u64, kind: RestKind, now_ns: u64) {
        let user = &mut self.users[user_id as usize];
        user.thinks_until_ns = if kind == RestKind::Think { now_ns.saturating_add(duration_ns) } else { 0 };
        match (kind, user.sent_ns) {
            (RestKind::Think, Some(_)) => user.think_ns = user.think_ns.saturating_add(duration_ns),
            (RestKind::Think, None) => user.intended_ns = user.intended_ns.saturating_add(duration_ns),
            (RestKind::Delay, _) => self.note_sent(user_id, now_ns),
        }
    }

    /// The action's first send or the start of its work.
    #[inline]
    pub(crate) fn note_sent(&mut self, user_id: u32, sent_ns: u64) {
        let Self { users, phases, .. } = self;
        let user = &mut users[user_id as usize];
        if user.sent_ns.is_some() {
            return;
        }
        user.sent_ns = Some(sent_ns);
        let Some(phase) = phases.get_mut(user.phase as usize).and_then(Option::as_mut) else { return };
        phase.recorder.sent(sent_ns);
        if user.is_unhindered && matches!(phase.load, Load::Open { .. }) {
            phase.recorder.now().lateness_ns.record(sent_ns.saturating_sub(user.intended_ns));
        }
    }

    /// Tells a user what happened; `None` when its phase is gone.
    pub(crate) fn resume(&mut self, user_id: u32, event: Event<'_>, now_ns: u64) -> Option<Next> {
        let Self { users, phases, .. } = self;
        let user = &mut users[user_id as usize];
        let phase = phases.get_mut(user.phase as usize)?.as_mut()?;
        let mut context =
            Context { now_ns, intended_ns: user.intended_ns, checks: &mut phase.recorder.now().checks };
        Some(user.scenario.resume(event, &mut context))
    }

    /// Books an action that is over and lets its user go on.
    fn finish_action(&mut self, user_id: u32, outcome: Outcome, now_ns: u64) {
        if self.users[user_id as usize].lanes_open > 0 {
            self.cut_lanes(user_id, now_ns);
        }
        if self.closes_with_actions {
            self.close_with_action(user_id);
        }
        let Self { users, phases, populations, .. } = self;
        let user = &mut users[user_id as usize];
        user.doing = Doing::Idle;
        user.limit_ns = u64::MAX;
        let Some(phase) = phases.get_mut(user.phase as usize).and_then(Option::as_mut) else { return };
        let was_in_flight = user.sent_ns.is_some();
        // What ended well without a send or a delay was done in no time; what failed so early has no service time.
        let sent_ns = user.sent_ns.or((outcome == Outcome::Completed).then_some(now_ns));
        let sample = Sample {
            intended_ns: user.intended_ns,
            sent_ns,
            done_ns: now_ns,
            think_ns: user.think_ns,
            outcome,
        };
        if outcome == Outcome::Unfinished && sample.intended_ns > now_ns {
            // Its user was still thinking before the first request: it was not even due, and has no latency.
            phase.recorder.undue(user.action);
        } else {
            phase.recorder.done(user.action, &sample, was_in_flight);
        }
        phase.open_count -= 1;
        if phase.stage == Stage::Running {
            match &mut phase.load {
                Load::Closed { ready, .. } => {
                    ready.push_back((user_id, now_ns));
                    return;
                }
                Load::Once { ready, .. } => {
                    user.once_next += 1;
                    if usize::from(user.once_next) < phase.recorder.now().actions.len() {
                        ready.push_back((user_id, now_ns));
                        return;
                    }
                }
                Load::Ramping(ramp) => {
                    if ramp.action_ended(user_id, user.place, now_ns) {
                        return;
                    }
                }
                Load::Open { .. } => {}
            }
        }
        if let Some(people) = populations.get_mut(usize::from(user.population)) {
            people.idle.push_back(user_id);
        }
    }

    /// Ends a phase's load: nothing is due any more, and ready users go idle. Arrivals that were due and wait for a user are still begun
    /// while the phase drains: cut off, they would be missing from the latencies just where they are worst.
    fn end_load(&mut self, slot: u32, now_ns: u64) {
        let Some(phase) = self.phase(slot) else { return };
        // A count or a feed may have ended before the time did.
        let end_ns = phase.end_ns.min(now_ns);
        phase.end_ns = end_ns;
        phase.stage = Stage::Draining;
        let idle = match &mut phase.load {
            Load::Closed { ready, .. } | Load::Once { ready, .. } | Load::Ramping(Ramp { ready, .. }) => {
                std::mem::take(ready)
            }
            Load::Open { .. } => VecDeque::new(),
        };
        let full = phase.recorder.cut_load(end_ns);
        let population = usize::from(phase.population);
        let is_cut_short = phase.is_cut_short;
        if let Some(people) = self.populations.get_mut(population) {
            people.idle.extend(idle.into_iter().map(|(user, _)| user));
        }
        self.report(Report::Interval(full));
        if is_cut_short {
            self.book_backlog(slot, end_ns);
        }
    }

    /// Counts all that is under way as unfinished and frees its users.
    fn give_up(&mut self, slot: u32, now_ns: u64) {
        self.book_backlog(slot, now_ns);
        let Self { pools, users, .. } = self;
        // Once for all: who is dismissed one by one must not be handed the connection of the one before.
        for pool in pools {
            pool.waiting.retain(|user_id| users[*user_id as usize].phase != slot);
        }
        for user_id in 0..self.users.len() as u32 {
            let user = &self.users[user_id as usize];
            if user.phase == slot && user.doing != Doing::Idle && user.lane_of.is_none() {
                self.dismiss(user_id, now_ns);
            }
        }
    }

    /// Books arrivals that were due and never got a user.
    fn book_backlog(&mut self, slot: u32, now_ns: u64) {
        let Some(phase) = self.phase(slot) else { return };
        while let Some(due_ns) = phase.next_arrival_ns() {
            if let Load::Open { fire_times, .. } = &mut phase.load {
                fire_times.advance();
            }
            let arrivals = &mut phase.recorder.now().arrivals;
            arrivals.counts.due += 1;
            arrivals.record_unstarted(now_ns.saturating_sub(due_ns));
        }
    }

    /// Ends a user's action as unfinished. Its behaviour stands in the middle of something: a new one takes its place.
    pub(crate) fn dismiss(&mut self, user_id: u32, now_ns: u64) {
        let doing = self.users[user_id as usize].doing;
        self.cut_lanes(user_id, now_ns);
        if !matches!(doing, Doing::Resting | Doing::Lingering | Doing::Meeting) {
            self.book_request(user_id, Outcome::Unfinished, doing == Doing::AwaitingAnswer, now_ns);
        }
        self.part_from_connection(user_id, now_ns);
        let user = &mut self.users[user_id as usize];
        if matches!(user.doing, Doing::Resting | Doing::Lingering) && user.sent_ns.is_some() {
            // The rest of the pause was not taken.
            user.think_ns = user.think_ns.saturating_sub(user.thinks_until_ns.saturating_sub(now_ns));
        }
        user.generation = user.generation.wrapping_add(1);
        if !user.scenario.abandon()
            && let Some(people) = self.populations.get_mut(usize::from(user.population))
        {
            user.scenario = people.source.user(user.user_index);
        }
        self.finish_action(user_id, Outcome::Unfinished, now_ns);
    }

    /// Closes a phase's books.
    fn end_phase(&mut self, slot: u32, now_ns: u64) {
        let Some(mut phase) = self.phases.get_mut(slot as usize).and_then(Option::take) else { return };
        let last = phase.recorder.cut(now_ns);
        self.report(Report::Interval(last));
        for user in self.users.iter_mut().filter(|user| user.phase == slot) {
            user.phase = NONE;
        }
        self.report(Report::PhaseEnded(PhaseEnd {
            phase_run: phase.phase_run,
            start_ns: phase.start_ns,
            end_ns: phase.end_ns,
            drained_ns: now_ns.max(phase.end_ns),
            usage: phase.usage,
        }));
    }

    /// Gives a phase's arrivals another rate from a time after its start on.
    pub(crate) fn change_rate(&mut self, phase_run: usize, at_ns: u64, rate: units::Rate) {
        let phases = self.phases.iter_mut().flatten();
        for phase in phases.filter(|phase| phase.phase_run == phase_run) {
            if let Load::Open { fire_times, .. } = &mut phase.load {
                fire_times.change_rate(at_ns, rate);
            }
        }
    }

    /// Ends the load of all phases at `now_ns`, with what waits for a user; `gives_up`: what is under way is not waited for either.
    pub(crate) fn stop(&mut self, now_ns: u64, gives_up: bool) {
        for phase in self.phases.iter_mut().flatten() {
            if phase.stage == Stage::Pending {
                // It never began: its record is empty, at its own start.
                phase.stage = Stage::Draining;
                phase.end_ns = phase.start_ns;
                phase.drain_limit_ns = 0;
            }
            phase.is_cut_short = true;
            phase.end_ns = phase.end_ns.min(now_ns.max(phase.start_ns));
            if gives_up {
                phase.drain_limit_ns = 0;
            }
        }
        for slot in 0..self.phases.len() as u32 {
            if self.phase(slot).is_some_and(|phase| phase.stage == Stage::Draining) {
                self.book_backlog(slot, now_ns);
            }
        }
    }

    /// Takes an interval back for its phase, if that still runs.
    pub(crate) fn recycle(&mut self, interval: Box<Interval>) {
        if let Some(phase) =
            self.phases.iter_mut().flatten().find(|phase| phase.phase_run == interval.phase_run)
        {
            phase.recorder.recycle(interval);
        }
    }
}
