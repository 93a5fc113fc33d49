//! Outside operations: a number for whoever drives the user, a promise for the script.

use super::Host;
use rquickjs::{Ctx, Function, Persistent, Value};
use std::collections::{BTreeMap, VecDeque};

/// The number of an outside operation, unique in a user's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation(u64);

/// Makes the value of a promise.
pub(crate) type Make<R> = Box<dyn for<'js> FnOnce(&Ctx<'js>, R) -> rquickjs::Result<Value<'js>>>;

/// How an operation's promise is settled.
pub(crate) struct Settle<H: Host> {
    pub(crate) resolve: Persistent<Function<'static>>,
    pub(crate) reject: Persistent<Function<'static>>,
    pub(crate) make: Make<H::Reply>,
}

/// A user's operations.
pub(crate) struct Operations<H: Host> {
    next: u64,
    count_max: usize,
    under_way: BTreeMap<Operation, Settle<H>>,
    completed: VecDeque<(Settle<H>, H::Reply)>,
}

impl<H: Host> Operations<H> {
    pub(crate) fn new(count_max: usize) -> Self {
        Self { next: 0, count_max, under_way: BTreeMap::new(), completed: VecDeque::new() }
    }

    pub(crate) fn begin(&mut self, settle: Settle<H>) -> Option<Operation> {
        if self.under_way.len() >= self.count_max {
            return None;
        }
        let operation = Operation(self.next);
        self.next += 1;
        self.under_way.insert(operation, settle);
        Some(operation)
    }

    pub(crate) fn complete(&mut self, operation: Operation, reply: H::Reply) {
        if let Some(settle) = self.under_way.remove(&operation) {
            self.completed.push_back((settle, reply));
        }
    }

    pub(crate) fn next_completed(&mut self) -> Option<(Settle<H>, H::Reply)> {
        self.completed.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.completed.is_empty()
    }

    /// Forgets all. What was held is returned, to be dropped when nothing is borrowed.
    #[must_use]
    pub(crate) fn clear(&mut self) -> Self {
        let empty = Self { next: self.next, ..Self::new(self.count_max) };
        std::mem::replace(self, empty)
    }
}
