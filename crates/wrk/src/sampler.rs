//! Requests per second as each thread saw them: one sample per stretch of 100 ms, without a timer.
//!
//! The rule is wrk's: at the end of each stretch a thread that completed something records what it completed since its last record, by
//! the time since then. A stretch in which nothing came is no sample of zero; it lengthens the next one. Here the stretches' ends are
//! found when the next answer comes, so that nothing is done while nothing happens; the samples are the same.

use stats::Histogram;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use units::NS_PER_MS;

/// Length of a stretch in wrk.
pub(crate) const STRETCH_NS: u64 = 100 * NS_PER_MS;
/// Greatest rate that is told apart, as in wrk.
const RATE_PER_SEC_MAX: u64 = 10_000_000;

/// What all threads' samplers share: from when on samples count, and where they are handed in.
///
/// The control plane may change the time while the run goes on; samplers look when a stretch ends.
#[derive(Debug, Default)]
pub struct SampleBook {
    from_ns: AtomicU64,
    samples: Mutex<Histogram>,
}

impl SampleBook {
    /// Only stretches that begin at or after `from_ns` (ns since the run's origin) count from now on: for a warm-up that has ended.
    /// `u64::MAX`: none counts.
    pub fn restart(&self, from_ns: u64) {
        self.from_ns.store(from_ns, Ordering::Relaxed);
    }

    /// All samples of all threads that have ended: whole requests per second (not ns), each at most 10,000,000.
    pub fn samples(&self) -> Histogram {
        self.samples.lock().map(|samples| samples.clone()).unwrap_or_default()
    }
}

/// One thread's sampler. Hands its samples in when it is dropped.
#[derive(Debug)]
pub(crate) struct Sampler {
    book: Arc<SampleBook>,
    samples: Histogram,
    /// When the last sample was taken.
    mark_ns: u64,
    /// When the stretch ends that the counted answers lie in.
    end_ns: u64,
    /// Answers since the mark.
    count: u64,
}

impl Sampler {
    pub(crate) fn new(book: Arc<SampleBook>) -> Self {
        Self { book, samples: Histogram::default(), mark_ns: u64::MAX, end_ns: 0, count: 0 }
    }

    /// The thread begins something: with the first call its first stretch begins.
    #[inline]
    pub(crate) fn begin(&mut self, now_ns: u64) {
        if self.mark_ns == u64::MAX {
            self.mark_ns = now_ns;
            self.end_ns = now_ns.saturating_add(STRETCH_NS);
        }
    }

    /// An answer came.
    #[inline]
    pub(crate) fn answered(&mut self, now_ns: u64) {
        if now_ns >= self.end_ns {
            self.end_stretch(now_ns);
        }
        self.count += 1;
    }

    /// Ends the stretch that is over, and begins the one that `now_ns` lies in.
    #[cold]
    fn end_stretch(&mut self, now_ns: u64) {
        let from_ns = self.book.from_ns.load(Ordering::Relaxed);
        if self.count > 0 {
            let elapsed_ms = self.end_ns.saturating_sub(self.mark_ns) / NS_PER_MS;
            if self.mark_ns >= from_ns {
                let rate_per_sec = self.count.saturating_mul(1_000) / elapsed_ms.max(1);
                self.samples.record(rate_per_sec.min(RATE_PER_SEC_MAX));
            }
            self.mark_ns = self.end_ns;
            self.count = 0;
        }
        let gone_ns = now_ns.saturating_sub(self.end_ns);
        let whole = (gone_ns / STRETCH_NS).saturating_add(1);
        self.end_ns = self.end_ns.saturating_add(whole.saturating_mul(STRETCH_NS));
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        if let Ok(mut samples) = self.book.samples.lock() {
            samples.merge(&self.samples);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples after answers at these times (ms), of a thread that began at 1000 ms.
    fn check(book: &Arc<SampleBook>, answers_ms: impl IntoIterator<Item = u64>, expected: &[(u64, u64)]) {
        let mut sampler = Sampler::new(Arc::clone(book));
        sampler.begin(1_000 * NS_PER_MS);
        answers_ms.into_iter().for_each(|at_ms| sampler.answered(at_ms * NS_PER_MS));
        drop(sampler);
        assert_eq!(book.samples().values().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_stretch_with_answers_is_one_sample() {
        // 50 in each of ten stretches; the last stretch is not over.
        check(&Arc::default(), (0..500).map(|index| 1_000 + index * 2), &[(500, 9)]);
    }

    #[test]
    fn an_idle_stretch_lengthens_the_next_sample() {
        // 10 within 100 ms are 100/s; then nothing for 200 ms; 30 in the stretch after it are 30 in 300 ms.
        let answers = (0..10).map(|index| 1_000 + index).chain((0..30).map(|index| 1_300 + index));
        check(&Arc::default(), answers.chain([1_450]), &[(100, 2)]);
    }

    #[test]
    fn a_warm_up_is_not_in_the_samples() {
        let book = Arc::new(SampleBook::default());
        book.restart(1_250 * NS_PER_MS);
        // 100/s in the warm-up, 1000/s after it.
        let warm = (0..25).map(|index| 1_000 + index * 10);
        check(&book, warm.chain(1_250..1_551), &[(1_000, 2)]);
    }

    #[test]
    fn a_rate_beyond_what_is_told_apart_is_cut() {
        let book = Arc::new(SampleBook::default());
        let mut sampler = Sampler::new(Arc::clone(&book));
        sampler.begin(0);
        let beyond = RATE_PER_SEC_MAX / 10 + 1;
        (0..beyond).for_each(|_| sampler.answered(0));
        sampler.answered(STRETCH_NS);
        drop(sampler);
        assert_eq!((book.samples().count(), book.samples().max_ns()), (1, Some(RATE_PER_SEC_MAX)));
    }
}
