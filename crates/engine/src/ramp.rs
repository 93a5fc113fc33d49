//! A closed load whose users come and go: places that are given and taken by a schedule.
//!
//! Places are numbered; a step to n users means that those below n are to be filled. Who loses its place in the midst of an action may
//! end it, up to a limit, and keeps the place if it is given again meanwhile.

use crate::core::Core;
use crate::phase::{Load, PhaseRun, Stage};
use crate::user::{Doing, NONE};
use schedule::UserStep;
use std::collections::VecDeque;

/// Its state.
#[derive(Debug)]
pub(crate) struct Ramp {
    steps: VecDeque<UserStep>,
    /// Places below this are to be filled.
    wanted: u32,
    /// Who has each place.
    places: Vec<u32>,
    /// Ready users and since when.
    pub(crate) ready: VecDeque<(u32, u64)>,
    /// Users that lost their place and when they are given up, in order.
    leaving: VecDeque<(u64, u32)>,
    limit_ns: u64,
    /// Actions that may still be begun.
    pub(crate) count_left: u64,
}

impl Ramp {
    pub(crate) fn new(steps: Vec<UserStep>, count_max: Option<u64>, limit_ns: u64) -> Self {
        Self {
            steps: steps.into(),
            wanted: 0,
            places: Vec::new(),
            ready: VecDeque::new(),
            leaving: VecDeque::new(),
            limit_ns,
            count_left: count_max.unwrap_or(u64::MAX),
        }
    }

    /// When something is to be done; `start_ns`: the phase's.
    pub(crate) fn deadline_ns(&self, is_running: bool, start_ns: u64) -> u64 {
        let leaves_ns = self.leaving.front().map_or(u64::MAX, |(until_ns, _)| *until_ns);
        if !is_running {
            return leaves_ns;
        }
        if !self.ready.is_empty() && self.count_left > 0 {
            return 0;
        }
        let step_ns = self.steps.front().map_or(u64::MAX, |step| start_ns.saturating_add(step.at_ns));
        leaves_ns.min(step_ns)
    }

    /// The user that is to begin an action.
    pub(crate) fn next_ready(&mut self) -> Option<(u32, u64)> {
        if self.count_left == 0 {
            return None;
        }
        let next = self.ready.pop_front()?;
        self.count_left -= 1;
        Some(next)
    }

    /// A user's action is over; whether it has its place still, and goes on.
    pub(crate) fn action_ended(&mut self, user_id: u32, place: u32, now_ns: u64) -> bool {
        if place < self.wanted {
            self.ready.push_back((user_id, now_ns));
            return true;
        }
        self.leave(place);
        false
    }

    /// A place has nobody any more.
    pub(crate) fn leave(&mut self, place: u32) {
        if let Some(place) = self.places.get_mut(place as usize) {
            *place = NONE;
        }
    }

    /// Takes the next step if it is due: from how many places to how many, and when.
    fn step(&mut self, elapsed_ns: u64) -> Option<(u32, UserStep)> {
        let step = *self.steps.front().filter(|step| step.at_ns <= elapsed_ns)?;
        self.steps.pop_front();
        Some((std::mem::replace(&mut self.wanted, step.users), step))
    }

    /// The next user that lost its place and is to be given up by `now_ns`.
    fn overdue(&mut self, now_ns: u64) -> Option<u32> {
        let (_, user_id) = *self.leaving.front().filter(|(until_ns, _)| *until_ns <= now_ns)?;
        self.leaving.pop_front();
        Some(user_id)
    }
}

impl PhaseRun {
    fn ramp(&mut self) -> Option<&mut Ramp> {
        match &mut self.load {
            Load::Ramping(ramp) => Some(ramp),
            Load::Closed { .. } | Load::Once { .. } | Load::Open { .. } => None,
        }
    }
}

impl Core {
    /// Gives and takes places as far as `now_ns` calls for.
    pub(crate) fn advance_ramp(&mut self, slot: u32, now_ns: u64) {
        while let Some(phase) = self.phase(slot).filter(|phase| phase.stage == Stage::Running) {
            // What is due just at the end is not begun any more.
            let elapsed_ns = now_ns.min(phase.end_ns.saturating_sub(1)).saturating_sub(phase.start_ns);
            let start_ns = phase.start_ns;
            let Some((from, step)) = phase.ramp().and_then(|ramp| ramp.step(elapsed_ns)) else { break };
            let at_ns = start_ns.saturating_add(step.at_ns);
            (from..step.users).for_each(|place| self.give_place(slot, place, at_ns));
            (step.users..from).for_each(|place| self.take_place(slot, place, at_ns));
        }
        while let Some(user_id) = self.ramp(slot).and_then(|ramp| ramp.overdue(now_ns)) {
            let wanted = self.ramp(slot).map_or(0, |ramp| ramp.wanted);
            let user = &self.users[user_id as usize];
            // Otherwise it has ended meanwhile, or has a place again.
            if user.phase == slot && user.doing != Doing::Idle && user.place >= wanted {
                self.dismiss(user_id, now_ns);
            }
        }
    }

    fn ramp(&mut self, slot: u32) -> Option<&mut Ramp> {
        self.phase(slot)?.ramp()
    }

    fn give_place(&mut self, slot: u32, place: u32, at_ns: u64) {
        let places = self.ramp(slot).map_or(&[][..], |ramp| &ramp.places);
        if places.get(place as usize).is_some_and(|user_id| *user_id != NONE) {
            // Its user has not ended since the place was taken.
            return;
        }
        let Some(population) = self.phase(slot).map(|phase| phase.population) else { return };
        let people = self.populations.get(usize::from(population));
        let room = people.map_or(0, |people| people.count).saturating_add(1);
        let Some(user_id) = self.acquire(population, room) else { return };
        self.users[user_id as usize].place = place;
        let Some(ramp) = self.ramp(slot) else { return };
        if ramp.places.len() <= place as usize {
            ramp.places.resize(place as usize + 1, NONE);
        }
        ramp.places[place as usize] = user_id;
        ramp.ready.push_back((user_id, at_ns));
    }

    fn take_place(&mut self, slot: u32, place: u32, at_ns: u64) {
        let Some(ramp) = self.ramp(slot) else { return };
        let Some(user_id) = ramp.places.get(place as usize).copied().filter(|user_id| *user_id != NONE)
        else {
            return;
        };
        if let Some(ready) = ramp.ready.iter().position(|(ready, _)| *ready == user_id) {
            ramp.ready.remove(ready);
            ramp.places[place as usize] = NONE;
            let population = usize::from(self.users[user_id as usize].population);
            if let Some(people) = self.populations.get_mut(population) {
                people.idle.push_back(user_id);
            }
        } else {
            ramp.leaving.push_back((at_ns.saturating_add(ramp.limit_ns), user_id));
        }
    }
}
