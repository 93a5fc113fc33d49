//! A configuration in one form, whichever release's names it was written with. Rules that differ by release are resolved here to values.

use std::collections::BTreeMap;
use std::fmt;

/// The family of releases whose names a configuration uses. Mixtures are read too; this decides only what is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// 2.0.0-beta (August to November 2024), the seed.
    A,
    /// 2.0.0.
    B,
    /// 2.0.2 to 2.1.0.
    C,
    /// 2.1.x.
    D,
    /// 2.1.17 to 2.2.0.
    E,
    /// 2.2.1 to 2.2.5.
    F,
    /// From 2.3.0 on.
    G,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::A => "A (2.0.0-beta)",
            Self::B => "B (2.0.0)",
            Self::C => "C (2.0.2 to 2.1.0)",
            Self::D => "D (2.1.x)",
            Self::E => "E (2.1.17 to 2.2.0)",
            Self::F => "F (2.2.1 to 2.2.5)",
            Self::G => "G (2.3.0 and later)",
        })
    }
}

/// A value with the byte at which it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct At<T> {
    pub(crate) at: usize,
    pub(crate) value: T,
}

/// A whole configuration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    pub(crate) dialect: Dialect,
    pub(crate) header: Header,
    pub(crate) contexts: Vec<Context>,
    pub(crate) benchmarks: Vec<Benchmark>,
    pub(crate) workflows: Vec<Workflow>,
    /// 99, or 100 from January 2025 on.
    pub(crate) stop_id: u32,
}

/// What holds for all benchmarks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Header {
    pub(crate) at: usize,
    pub(crate) description: String,
    pub(crate) output_filename: String,
    pub(crate) report_filename: String,
    pub(crate) user_class: At<String>,
    pub(crate) user_params: Params,
    /// Names by id.
    pub(crate) user_actions: BTreeMap<u32, String>,
}

/// `user_params`, in order.
pub(crate) type Params = Vec<(String, At<String>)>;

/// Users and threads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Context {
    pub(crate) name: String,
    pub(crate) at: usize,
    pub(crate) is_enabled: bool,
    pub(crate) user_count: u32,
    /// 0: a thread per user.
    pub(crate) thread_count: u32,
    pub(crate) task_count: Option<u32>,
    pub(crate) user_params: Params,
}

/// One benchmark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Benchmark {
    pub(crate) name: String,
    pub(crate) at: usize,
    pub(crate) is_enabled: bool,
    /// Whether its rows are in the report.
    pub(crate) is_saved: bool,
    /// Actions per second; 0: as fast as possible.
    pub(crate) rate: At<f64>,
    pub(crate) rate_step_change: f64,
    /// Iterations per step.
    pub(crate) rate_step_count: u32,
    pub(crate) tokens: Tokens,
    pub(crate) actions: Vec<WeightedId>,
    /// Something among the actions was refused, and `actions` lacks it.
    pub(crate) lacks_actions: bool,
    pub(crate) workflow: Option<At<String>>,
    pub(crate) warmup_1_s: u32,
    pub(crate) warmup_2_s: u32,
    pub(crate) duration_s: u32,
    pub(crate) iteration_count: u32,
}

impl Benchmark {
    /// Whether it has no length: every user does each action once.
    pub(crate) fn is_once(&self) -> bool {
        self.warmup_2_s == 0 && self.duration_s == 0
    }
}

/// An entry of the action list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeightedId {
    pub(crate) at: usize,
    pub(crate) id: u32,
    pub(crate) weight: u32,
}

/// How many actions may be queued or under way at once, as the key that was used counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// `work_in_progress`: 0 is two per thread, -1 eleven per thread, else so many.
    WorkInProgress(i32),
    /// `worker_thread_qsize`: 0 is eleven per thread, 1 or negative so many in all, else so many per thread.
    QueueSizeB(i32),
    /// `worker_thread_queue_size`: 0 is eleven per thread, negative so many in all, else so many per thread.
    QueueSize(i32),
    /// `num_tasks`: so many in all; 0 is the context's.
    Tasks(u32),
}

/// Tokens where a context says nothing, and per thread where a queue says 0: the slots of Tulip's queues.
pub(crate) const TOKENS_DEFAULT: u32 = 11;

impl Tokens {
    /// How many there are in a context.
    pub(crate) fn count(self, context: &Context) -> u32 {
        let threads = if context.thread_count == 0 { context.user_count } else { context.thread_count };
        let count = match self {
            Self::WorkInProgress(0) => threads.saturating_mul(2),
            Self::WorkInProgress(n) if n < 0 => threads.saturating_mul(TOKENS_DEFAULT),
            Self::WorkInProgress(n) => n.unsigned_abs(),
            Self::QueueSizeB(0) | Self::QueueSize(0) => threads.saturating_mul(TOKENS_DEFAULT),
            Self::QueueSizeB(n) if n <= 1 => n.unsigned_abs(),
            Self::QueueSize(n) if n < 0 => n.unsigned_abs(),
            Self::QueueSizeB(n) | Self::QueueSize(n) => threads.saturating_mul(n.unsigned_abs()),
            Self::Tasks(0) => context.task_count.filter(|count| *count > 0).unwrap_or(TOKENS_DEFAULT),
            Self::Tasks(n) => n,
        };
        count.max(1)
    }
}

/// A Markov chain over actions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Workflow {
    pub(crate) name: String,
    pub(crate) at: usize,
    pub(crate) rows: Vec<Row>,
}

/// The chances of what follows a state; `-` is start and end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) state: String,
    pub(crate) at: usize,
    pub(crate) chances: Vec<(String, At<f64>)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_as_each_release_did() {
        let context = |thread_count| Context {
            name: String::new(),
            at: 0,
            is_enabled: true,
            user_count: 16,
            thread_count,
            task_count: None,
            user_params: Vec::new(),
        };
        let check = |tokens: Tokens, expected| assert_eq!(tokens.count(&context(2)), expected, "{tokens:?}");
        check(Tokens::WorkInProgress(0), 4);
        check(Tokens::WorkInProgress(-1), 22);
        check(Tokens::WorkInProgress(1), 1);
        check(Tokens::QueueSizeB(0), 22);
        check(Tokens::QueueSizeB(-1), 1);
        check(Tokens::QueueSizeB(1), 1);
        check(Tokens::QueueSizeB(4), 8);
        check(Tokens::QueueSize(0), 22);
        check(Tokens::QueueSize(1), 2);
        check(Tokens::QueueSize(-1), 1);
        check(Tokens::QueueSize(-5), 5);
        check(Tokens::Tasks(0), 11);
        check(Tokens::Tasks(100), 100);
        assert_eq!(Tokens::QueueSize(0).count(&context(0)), 176);
        assert_eq!(Tokens::Tasks(0).count(&Context { task_count: Some(7), ..context(2) }), 7);
        assert_eq!(Tokens::QueueSize(i32::MIN).count(&context(2)), 1 << 31);
    }
}
