//! Targets that a plan does not name: a user asks for one, the control plane looks it up, and it joins the worker's targets.

use crate::core::Core;
use crate::message::Report;
use crate::pool::Pool;
use crate::user::Doing;
use crate::worker::TargetSetup;
use scenario::{Event, Next};
use stats::ErrorClass;
use std::collections::HashMap;

/// Targets of a worker at most: their indices are `u16`, and a script that makes up hosts must not eat all memory.
const TARGETS_MAX: usize = 10_000;

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    /// Index of the target by its name.
    known: HashMap<String, u16>,
    /// Being looked up.
    asked: Vec<Asked>,
    /// Number of the next request.
    next_number: u32,
}

#[derive(Debug)]
struct Asked {
    number: u32,
    name: String,
    /// Users that wait, and their generation when they began to.
    waiting: Vec<(u32, u32)>,
}

impl Core {
    /// Finds the target that a user seeks; `None`: it is being looked up, and the user waits.
    pub(crate) fn meet(&mut self, user_id: u32, now_ns: u64) -> Option<Next> {
        let user = &mut self.users[user_id as usize];
        let Some(target) = user.scenario.sought() else { return Some(Next::Done(Err(ErrorClass::Protocol))) };
        if let Some(index) = self.meetings.known.get(&target.name).copied() {
            return self.resume(user_id, Event::Met(Ok(index)), now_ns);
        }
        if self.pools.len() >= TARGETS_MAX {
            return self.resume(user_id, Event::Met(Err(ErrorClass::Resolve)), now_ns);
        }
        user.doing = Doing::Meeting;
        user.is_unhindered = false;
        user.generation = user.generation.wrapping_add(1);
        let place = (user_id, user.generation);
        let Meetings { asked, next_number, .. } = &mut self.meetings;
        if let Some(asked) = asked.iter_mut().find(|asked| asked.name == target.name) {
            asked.waiting.push(place);
            return None;
        }
        let number = *next_number;
        *next_number = next_number.wrapping_add(1);
        asked.push(Asked { number, name: target.name.clone(), waiting: vec![place] });
        let target = Box::new(target.clone());
        self.report(Report::Meet { number, target });
        None
    }

    /// A request was answered: who waited goes on. What could not be had may be asked for again.
    pub(crate) fn on_met(&mut self, number: u32, setup: Result<Box<TargetSetup>, ErrorClass>, now_ns: u64) {
        let asked = &mut self.meetings.asked;
        let Some(place) = asked.iter().position(|asked| asked.number == number) else { return };
        let Asked { name, waiting, .. } = asked.swap_remove(place);
        let met = setup.map(|setup| {
            let index = self.pools.len() as u16;
            self.closes_with_actions |= setup.closes_with_actions();
            self.pools.push(Pool::new(*setup));
            self.meetings.known.insert(name, index);
            index
        });
        for (user_id, generation) in waiting {
            let user = &mut self.users[user_id as usize];
            if user.generation != generation || user.doing != Doing::Meeting {
                continue;
            }
            user.doing = Doing::Idle;
            if let Some(next) = self.resume(user_id, Event::Met(met), now_ns) {
                self.follow(user_id, next, now_ns);
            }
        }
    }
}
