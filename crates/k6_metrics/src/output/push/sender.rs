//! The thread that sends: takes bodies, posts them in turn, counts what did not arrive. It may wait for a server; nobody waits for it but
//! the end of the test, and that for [`FINISH_TIME_MAX`] at most.

use super::http::{ANSWER_TIME_MAX, Client};
use crate::output::sink::OutputError;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of bodies that may wait for the server.
const PENDING_BYTES_MAX: usize = 64 << 20;
/// How long the end of a test waits for a server.
pub(super) const FINISH_TIME_MAX: Duration = Duration::from_secs(10);

/// A body on its way.
#[derive(Debug)]
struct Parcel {
    target: String,
    body: Vec<u8>,
    sample_count: u64,
    /// Whether a refusal is no failure: creating what may be there already.
    is_attempt: bool,
}

/// What the thread and its owner share.
#[derive(Debug)]
struct Shared {
    pending_bytes: AtomicUsize,
    pending_count: AtomicUsize,
    sent_count: AtomicU64,
    has_failed: AtomicBool,
    /// No answer is awaited beyond it, once it is set.
    until: Mutex<Option<Instant>>,
}

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Mailer {
    name: String,
    /// Samples that were handed over.
    offered_count: u64,
    /// When the end stops waiting.
    until: Option<Instant>,
    parcels: Option<Sender<Parcel>>,
    done: Receiver<()>,
    shared: Arc<Shared>,
    errors: Sender<OutputError>,
}

impl Mailer {
    /// Starts the thread; `name` is what errors call the output.
    pub(super) fn start(client: Client, name: &str, errors: Sender<OutputError>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            pending_bytes: AtomicUsize::new(0),
            pending_count: AtomicUsize::new(0),
            sent_count: AtomicU64::new(0),
            has_failed: AtomicBool::new(false),
            until: Mutex::new(None),
        });
        let (parcels, coming) = mpsc::channel();
        let (is_done, done) = mpsc::channel();
        let work =
            Work { client, name: name.to_owned(), shared: Arc::clone(&shared), errors: errors.clone() };
        std::thread::Builder::new().name("push".to_owned()).spawn(move || work.run(&coming, &is_done))?;
        Ok(Self {
            name: name.to_owned(),
            offered_count: 0,
            until: None,
            parcels: Some(parcels),
            done,
            shared,
            errors,
        })
    }

    /// Whether nothing is on its way.
    pub(super) fn is_idle(&self) -> bool {
        self.shared.pending_count.load(Ordering::Acquire) == 0
    }

    /// Hands a body over; beyond what may wait it is lost and counted.
    pub(super) fn send(&mut self, target: &str, body: Vec<u8>, sample_count: u64) {
        self.offered_count += sample_count;
        self.hand_over(Parcel { target: target.to_owned(), body, sample_count, is_attempt: false });
    }

    /// Hands a request over that may be refused.
    pub(super) fn attempt(&self, target: &str) {
        self.hand_over(Parcel {
            target: target.to_owned(),
            body: Vec::new(),
            sample_count: 0,
            is_attempt: true,
        });
    }

    fn hand_over(&self, parcel: Parcel) {
        let bytes = parcel.body.len();
        let pending = self.shared.pending_bytes.load(Ordering::Relaxed);
        if pending > 0 && pending.saturating_add(bytes) > PENDING_BYTES_MAX {
            fail_once(
                &self.shared,
                &self.errors,
                &self.name,
                "the server is slower than samples come".to_owned(),
            );
            return;
        }
        self.shared.pending_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.shared.pending_count.fetch_add(1, Ordering::AcqRel);
        let sent = self.parcels.as_ref().map(|parcels| parcels.send(parcel));
        if !matches!(sent, Some(Ok(()))) {
            // The thread is gone: a panic of it has been said.
            self.shared.pending_count.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Nothing more comes: what waits may take so long.
    pub(super) fn close(&mut self, within: Duration) {
        let until = Instant::now() + within;
        *self.shared.until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        self.until = Some(until);
        self.parcels = None;
    }

    /// Waits until all has been sent or given up, after [`Mailer::close`]; how many samples were sent and lost.
    pub(super) fn wait(&mut self) -> (u64, u64) {
        let left = self.until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
        if matches!(self.done.recv_timeout(left), Err(RecvTimeoutError::Timeout)) {
            let said = "no answer in time after the test's end".to_owned();
            fail_once(&self.shared, &self.errors, &self.name, said);
        }
        let sent_count = self.shared.sent_count.load(Ordering::Relaxed);
        (sent_count, self.offered_count - sent_count)
    }
}

/// Says the first failure.
fn fail_once(shared: &Shared, errors: &Sender<OutputError>, name: &str, said: String) {
    if !shared.has_failed.swap(true, Ordering::Relaxed) {
        let source = std::io::Error::other(said);
        // Nobody listens after the end.
        let _ = errors.send(OutputError { path: PathBuf::from(name), action: "send samples to", source });
    }
}

struct Work {
    client: Client,
    name: String,
    shared: Arc<Shared>,
    errors: Sender<OutputError>,
}

impl Work {
    fn run(mut self, parcels: &Receiver<Parcel>, is_done: &Sender<()>) {
        for parcel in parcels {
            self.send(parcel);
        }
        // Who waits may have given up.
        let _ = is_done.send(());
    }

    fn send(&mut self, parcel: Parcel) {
        let far = Instant::now() + ANSWER_TIME_MAX;
        let until = self.shared.until.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(far);
        let sent = self.client.post(&parcel.target, &parcel.body, until);
        self.shared.pending_bytes.fetch_sub(parcel.body.len(), Ordering::Relaxed);
        match sent {
            Ok(()) => {
                self.shared.sent_count.fetch_add(parcel.sample_count, Ordering::Relaxed);
            }
            Err(_) if parcel.is_attempt => {}
            Err(said) => fail_once(&self.shared, &self.errors, &self.name, said),
        }
        self.shared.pending_count.fetch_sub(1, Ordering::AcqRel);
    }
}
