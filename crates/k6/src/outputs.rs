//! Samples as files and on their way to servers: each worker and the control plane hand theirs to one writer, with times since the test's clock began.

use crate::host::Worker;
use crate::test::{Loudness, Test};
use k6_metrics::output::{
    Metadata, Missing, Origin, OutputError, OutputReport, OutputSpec, Sample, SampleFeed, SampleWriter,
};
use k6_metrics::{CheckId, MetricId, TagSetId};
use std::time::{SystemTime, UNIX_EPOCH};

/// What came of the outputs.
#[derive(Debug, Default)]
pub struct OutputsEnd {
    /// Each output with what it holds and what it lost.
    pub reports: Vec<OutputReport>,
    /// Those that failed and were not said yet, and how.
    pub errors: Vec<OutputError>,
    /// What is not in them.
    pub missing: Missing,
}

impl Test {
    /// Opens the files; to be called when the test's clock has begun, and before its users are made.
    ///
    /// # Errors
    /// The first that can't be opened.
    pub fn open_outputs(&self, specs: &[OutputSpec]) -> Result<(), OutputError> {
        if specs.is_empty() {
            return Ok(());
        }
        let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        let origin = Origin { unix_ns: now_ns.saturating_sub(self.elapsed_ns()), utc_offset_sec: 0 };
        let thresholds = self.state.thresholds.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let writer = SampleWriter::start(&self.registry, &thresholds, origin, specs)?;
        *self.state.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(writer);
        Ok(())
    }

    /// Writes what is left and closes the files, all users being gone.
    pub fn close_outputs(&self) -> OutputsEnd {
        let writer = self.state.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some(writer) = writer else { return OutputsEnd::default() };
        let (reports, errors, missing) = writer.finish();
        OutputsEnd { reports, errors, missing }
    }

    /// Says which outputs failed since the last time.
    pub(crate) fn say_failed_outputs(&self) {
        let writer = self.state.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let errors = writer.as_ref().map(SampleWriter::take_errors).unwrap_or_default();
        drop(writer);
        for error in errors {
            self.say(Loudness::Error, format!("--out: {error}; the test goes on"), None, None);
        }
    }

    /// Somebody's way to the files, if there are any.
    pub(crate) fn feed(&self) -> Option<SampleFeed> {
        let writer = self.state.writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        writer.as_ref().map(SampleWriter::feed)
    }
}

/// A sample at a time of the test's clock.
pub(crate) fn sample(metric: MetricId, tags: TagSetId, value: f64, time_ns: u64) -> Sample {
    Sample { metric, tags, time_ns, value, metadata: Metadata::default() }
}

impl Worker {
    /// Adds a sample; `now_ns` is the run's time.
    #[inline]
    pub(crate) fn add(&self, metric: MetricId, tags: TagSetId, value: f64, now_ns: u64) {
        self.books.borrow_mut().add(metric, tags, value, now_ns);
        self.hand_over(metric, tags, value, now_ns);
    }

    /// Adds a check's outcome.
    #[inline]
    pub(crate) fn add_check(&self, check: CheckId, tags: TagSetId, is_pass: bool, now_ns: u64) {
        self.books.borrow_mut().check(check, tags, is_pass, now_ns);
        self.hand_over(MetricId::CHECKS, tags, f64::from(u8::from(is_pass)), now_ns);
    }

    #[inline]
    fn hand_over(&self, metric: MetricId, tags: TagSetId, value: f64, now_ns: u64) {
        if let Some(feed) = self.feed.borrow_mut().as_mut() {
            feed.add(sample(metric, tags, value, now_ns.saturating_add(self.ahead_ns(now_ns))));
        }
    }

    /// How far the test's clock is ahead of the run's: found out with the first sample.
    fn ahead_ns(&self, now_ns: u64) -> u64 {
        self.ahead_ns.get().unwrap_or_else(|| {
            let elapsed_ns = self.test().map_or(now_ns, |test| test.elapsed_ns());
            let ahead_ns = elapsed_ns.saturating_sub(now_ns);
            self.ahead_ns.set(Some(ahead_ns));
            ahead_ns
        })
    }
}
