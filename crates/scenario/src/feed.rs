//! The rows of a feed that are one worker's, and which is next.

use plan::{AtEnd, Feed, FeedOrder, VariableIndex};
use std::sync::Arc;
use units::Random;

/// One worker's place in a feed.
#[derive(Debug)]
pub(crate) struct FeedCursor {
    feed: Arc<Feed>,
    /// The worker's rows, in the order in which they are handed out.
    rows: Vec<u32>,
    position: usize,
    random: Random,
}

/// What a feed gives.
pub(crate) enum Row<'a> {
    /// The columns' variables and their values.
    Values(&'a [VariableIndex], &'a [String]),
    /// None is left, and users stop.
    Stop,
    /// None is left, and that is a failure.
    Fail,
}

impl FeedCursor {
    /// The share of worker `worker_index` of `worker_count`: every so manieth row of the file (or of its shuffled order).
    pub(crate) fn new(feed: Arc<Feed>, seed: u64, worker_index: u64, worker_count: u64) -> Self {
        let mut all: Vec<u32> = (0..u32::try_from(feed.rows.len()).unwrap_or(u32::MAX)).collect();
        if feed.order == FeedOrder::Unique {
            // The same shuffle on each worker, so that their shares do not overlap.
            Random::new(seed).shuffle(&mut all);
        }
        let share =
            all.into_iter().skip(worker_index as usize).step_by(worker_count.max(1) as usize).collect();
        Self { feed, rows: share, position: 0, random: Random::stream(seed, worker_index + 1) }
    }

    pub(crate) fn next(&mut self) -> Row<'_> {
        if self.feed.order == FeedOrder::Random {
            // Any row of the whole file: chance needs no shares.
            let pick = self.random.below(self.feed.rows.len() as u64) as usize;
            return self.feed.rows.get(pick).map_or(Row::Stop, |row| Row::Values(&self.feed.columns, row));
        }
        if self.position >= self.rows.len() {
            match self.feed.at_end {
                AtEnd::Restart if !self.rows.is_empty() => self.position = 0,
                // Fewer rows than workers: this one has nothing to repeat.
                AtEnd::Restart | AtEnd::Stop => return Row::Stop,
                AtEnd::Fail => return Row::Fail,
            }
        }
        self.position += 1;
        let row = self.rows.get(self.position - 1).and_then(|row| self.feed.rows.get(*row as usize));
        row.map_or(Row::Stop, |row| Row::Values(&self.feed.columns, row))
    }
}
