//! Timers of a user, in the order in which they are due; those due at once in the order in which they were set.

use rquickjs::{Function, Persistent, Value};
use std::collections::BTreeMap;

/// A function that is called later.
#[derive(Clone)]
pub(crate) struct Timer {
    /// What `clearTimeout` takes; from 1.
    pub(crate) id: u64,
    pub(crate) function: Persistent<Function<'static>>,
    pub(crate) arguments: Vec<Persistent<Value<'static>>>,
    /// ns between two calls; `None`: called once.
    pub(crate) every_ns: Option<u64>,
}

/// A user's timers.
pub(crate) struct Timers {
    /// By due time and order of setting.
    waiting: BTreeMap<(u64, u64), Timer>,
    last_id: u64,
    /// Counts settings, so that a timer set anew goes behind those that are due at the same time.
    set_count: u64,
    count_max: usize,
}

impl Timers {
    pub(crate) fn new(count_max: usize) -> Self {
        Self { waiting: BTreeMap::new(), last_id: 0, set_count: 0, count_max }
    }

    /// The number that the next timer gets, if there is room for one more.
    pub(crate) fn next_id(&mut self) -> Option<u64> {
        let has_room = self.waiting.len() < self.count_max;
        has_room.then(|| {
            self.last_id += 1;
            self.last_id
        })
    }

    pub(crate) fn set(&mut self, due_ns: u64, timer: Timer) {
        self.set_count += 1;
        self.waiting.insert((due_ns, self.set_count), timer);
    }

    /// Takes a timer out, so that it is dropped when nothing is borrowed.
    #[must_use]
    pub(crate) fn unset(&mut self, id: u64) -> Option<Timer> {
        let key = self.waiting.iter().find(|(_, timer)| timer.id == id).map(|(key, _)| *key)?;
        self.waiting.remove(&key)
    }

    /// When the next is due.
    pub(crate) fn due_ns(&self) -> Option<u64> {
        self.waiting.first_key_value().map(|((due_ns, _), _)| *due_ns)
    }

    /// How many were set so far.
    pub(crate) fn set_count(&self) -> u64 {
        self.set_count
    }

    /// Takes the first that is due and was among the first `set_count` that were set; one that goes on is set anew.
    pub(crate) fn take_due(&mut self, now_ns: u64, set_count: u64) -> Option<Timer> {
        let mut due = self.waiting.range(..=(now_ns, u64::MAX));
        let key = due.find(|((_, set), _)| *set <= set_count).map(|(key, _)| *key)?;
        let timer = self.waiting.remove(&key)?;
        if let Some(every_ns) = timer.every_ns {
            self.set(now_ns.saturating_add(every_ns), timer.clone());
        }
        Some(timer)
    }

    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}
