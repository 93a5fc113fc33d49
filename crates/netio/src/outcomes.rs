//! Outcomes that a driver finds out by itself and must tell after the next wait, as it tells all others.

use std::collections::VecDeque;

/// What became of a connection, as it was at `generation`.
#[derive(Debug)]
pub(crate) struct Outcome<What> {
    pub(crate) conn: u32,
    pub(crate) generation: u32,
    pub(crate) what: What,
}

/// A queue of outcomes. Those that come while a batch is taken wait for the next one; else a caller that connects again
/// on each failure would never come out of its batch.
#[derive(Debug)]
pub(crate) struct Outcomes<What> {
    queue: VecDeque<Outcome<What>>,
    /// How many from the front belong to the last wait.
    due_count: usize,
}

impl<What> Default for Outcomes<What> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), due_count: 0 }
    }
}

impl<What> Outcomes<What> {
    pub(crate) fn push(&mut self, outcome: Outcome<What>) {
        self.queue.push_back(outcome);
    }

    /// Whether none is left to tell.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Makes all that came so far due; true if there is any.
    #[inline]
    pub(crate) fn release(&mut self) -> bool {
        self.due_count = self.queue.len();
        self.due_count > 0
    }

    /// The next one due.
    #[inline]
    pub(crate) fn pop_due(&mut self) -> Option<Outcome<What>> {
        self.due_count = self.due_count.checked_sub(1)?;
        self.queue.pop_front()
    }
}
