//! A worker's end of the outputs: samples in batches, never a wait.

use super::writer::{Message, Shared};
use crate::metric::MetricId;
use crate::tags::TagSetId;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, Sender};

/// Samples that may wait for the disk: 64 MiB, some seconds of the greatest load.
pub const PENDING_SAMPLES_MAX: u64 = 2 << 20;
/// Samples that are handed over together: 32 KiB.
pub(crate) const BATCH_SAMPLES: usize = 1_024;
/// Pairs of a sample's metadata; further ones are left out.
const METADATA_PAIRS_MAX: usize = 128;

/// One measured value as the outputs get it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Of which metric.
    pub metric: MetricId,
    /// With which tags.
    pub tags: TagSetId,
    /// When, in ns since the run's origin.
    pub time_ns: u64,
    /// Its value.
    pub value: f64,
    /// What is known of it besides its tags.
    pub metadata: Metadata,
}

/// Keys and values that go with samples and make no part of a metric: the user's number, the iteration's. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct Metadata(Option<Arc<Vec<(String, String)>>>);

impl Metadata {
    /// Of these pairs, of equal keys the last; nothing is allocated for none.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let by_key: std::collections::BTreeMap<_, _> = pairs.into_iter().take(METADATA_PAIRS_MAX).collect();
        Self((!by_key.is_empty()).then(|| Arc::new(by_key.into_iter().collect())))
    }

    /// The pairs by key.
    pub(crate) fn pairs(&self) -> &[(String, String)] {
        self.0.as_ref().map_or(&[], |pairs| pairs)
    }
}

/// A batch with the way back for its room.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) samples: Vec<Sample>,
    pub(crate) give_back: Sender<Vec<Sample>>,
}

/// A worker's end of the outputs. Dropped, it hands over what it still has.
#[derive(Debug)]
pub struct SampleFeed {
    batch: Vec<Sample>,
    sender: Sender<Message>,
    shared: Arc<Shared>,
    give_back: Sender<Vec<Sample>>,
    used: Receiver<Vec<Sample>>,
}

impl SampleFeed {
    pub(crate) fn new(sender: Sender<Message>, shared: Arc<Shared>) -> Self {
        let (give_back, used) = mpsc::channel();
        Self { batch: Vec::with_capacity(BATCH_SAMPLES), sender, shared, give_back, used }
    }

    /// Takes a sample; hands a full batch over.
    #[inline]
    pub fn add(&mut self, sample: Sample) {
        self.batch.push(sample);
        if self.batch.len() >= BATCH_SAMPLES {
            self.flush();
        }
    }

    /// Hands over what there is. To be called some times a second, so that files follow the run.
    pub fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let count = self.batch.len() as u64;
        let pending_count = self.shared.pending_count.fetch_add(count, Ordering::Relaxed);
        if pending_count + count > self.shared.pending_count_max {
            self.shared.pending_count.fetch_sub(count, Ordering::Relaxed);
            self.shared.leave_out(&self.batch);
            self.batch.clear();
            return;
        }
        let next = self.used.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH_SAMPLES));
        let samples = std::mem::replace(&mut self.batch, next);
        let batch = Batch { samples, give_back: self.give_back.clone() };
        if let Err(mpsc::SendError(Message::Batch(batch))) = self.sender.send(Message::Batch(batch)) {
            // The writer is done: these came after the end.
            self.shared.pending_count.fetch_sub(count, Ordering::Relaxed);
            self.shared.leave_out(&batch.samples);
        }
    }
}

impl Drop for SampleFeed {
    fn drop(&mut self) {
        self.flush();
    }
}
