//! A run kept while it goes on: an observer that hands rows to a thread of its own, so that the load never waits for a disk.
//!
//! ```text
//! control plane ── bounded channel ──► writer thread ── one transaction per interval ──► file
//! ```
//!
//! When the disk is so slow that the channel is full, an interval is not sent: it is written with the rest at the run's end, and lost only
//! if the run never comes to one. A writer that fails goes on taking rows and writes none; the run's end tries all that is missing once more.

use crate::rebuild::LivePhase;
use crate::write::RunKey;
use crate::{Store, StoreError, Wish, schema};
use record::{IntervalRecord, LoadModel, PhaseKind, PhaseRecord, Progress, RunObserver, RunRecord};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Rows under way to the disk: a minute of intervals of a second, some 2 MB when there are twenty actions.
const ROWS_MAX: usize = 64;

/// How often a run looks for wishes: somebody waits who has pressed a button.
const WISH_PERIOD: Duration = Duration::from_millis(250);

/// What is done with a wish that was left for the run; called on the thread that writes.
pub type OnWish = Box<dyn FnMut(Wish) + Send>;

/// Keeps a run in a store as it happens.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    rows: SyncSender<Row>,
    thread: JoinHandle<Writer>,
    phases: Vec<Known>,
}

/// A phase run and how many of its intervals there were.
#[derive(Debug)]
struct Known {
    name: String,
    repeat_index: u32,
    interval_count: i64,
}

/// What is to be written.
#[derive(Debug)]
enum Row {
    Run(Box<RunRecord>),
    Interval {
        phase: LivePhase,
        interval_index: i64,
        interval: Box<IntervalRecord>,
    },
    /// A phase's record without its intervals.
    Phase {
        phase_index: i64,
        record: Box<PhaseRecord>,
    },
}

/// The thread's side.
#[derive(Debug)]
struct Writer {
    path: PathBuf,
    store: Option<Store>,
    key: Option<RunKey>,
    /// Phase and interval of what is on the disk.
    written: HashSet<(i64, i64)>,
    fault: Option<StoreError>,
}

impl Keeper {
    /// Opens the store and starts its thread. A store that is not there is made when the run starts: a plan that does not come so far leaves none.
    ///
    /// # Errors
    /// The store can't be written: said before the run, which goes on without it.
    pub fn start(path: &Path, on_wish: OnWish) -> Result<Self, StoreError> {
        let store = if path.exists() { Some(Store::open(path)?) } else { None };
        if store.is_none() {
            schema::check_place(path)?;
        }
        let (rows, orders) = sync_channel(ROWS_MAX);
        let writer = Writer { path: path.to_owned(), store, key: None, written: HashSet::new(), fault: None };
        let thread = std::thread::Builder::new()
            .name("weir-store".to_owned())
            .spawn(move || writer.run(&orders, on_wish));
        let thread = thread.map_err(|error| StoreError::Access {
            path: path.to_owned(),
            why: format!("no thread to write it: {}", units::system_words(&error)),
        })?;
        Ok(Self { path: path.to_owned(), rows, thread, phases: Vec::new() })
    }

    /// Writes the run's end and whatever was not written before. To be called when the load is over: it waits for the disk.
    ///
    /// # Errors
    /// The store can't be written; then the run is in it without an end, or not at all.
    pub fn finish(self, record: &RunRecord) -> Result<(), StoreError> {
        let Self { path, rows, thread, phases } = self;
        drop(rows);
        let Ok(mut writer) = thread.join() else {
            let why = "the thread that writes it failed".to_owned();
            return Err(StoreError::Access { path, why });
        };
        let place = |phase: &PhaseRecord| {
            let is_it = |known: &Known| known.name == phase.name && known.repeat_index == phase.repeat_index;
            phases.iter().position(is_it).and_then(|index| i64::try_from(index).ok())
        };
        let key = writer.key;
        let written = std::mem::take(&mut writer.written);
        match key {
            Some(key) => writer.store()?.finish(key, record, &place, &written),
            None => writer.store()?.insert(record),
        }
    }

    fn phase_index(&mut self, name: &str, repeat_index: u32) -> usize {
        let is_it = |known: &Known| known.name == name && known.repeat_index == repeat_index;
        self.phases.iter().position(is_it).unwrap_or_else(|| {
            self.phases.push(Known { name: name.to_owned(), repeat_index, interval_count: 0 });
            self.phases.len() - 1
        })
    }

    /// Never waits: what finds no room is written at the run's end.
    fn send(&self, row: Row) {
        let _ = self.rows.try_send(row);
    }
}

impl RunObserver for Keeper {
    fn run_started(&mut self, record: &RunRecord) {
        self.send(Row::Run(Box::new(record.clone())));
    }

    fn interval_ended(&mut self, progress: &Progress<'_>) {
        let index = self.phase_index(progress.phase, progress.repeat.0);
        let Some(known) = self.phases.get_mut(index) else { return };
        let interval_index = known.interval_count;
        known.interval_count += 1;
        let phase = LivePhase {
            index: i64::try_from(index).unwrap_or(i64::MAX),
            name: progress.phase.to_owned(),
            repeat_index: progress.repeat.0,
            kind: if progress.is_warmup { PhaseKind::Warmup } else { PhaseKind::Measure },
            load_model: if progress.offered_per_sec.is_some() { LoadModel::Open } else { LoadModel::Closed },
        };
        self.send(Row::Interval { phase, interval_index, interval: Box::new(progress.interval.clone()) });
    }

    fn phase_ended(&mut self, phase: &PhaseRecord) {
        let index = self.phase_index(&phase.name, phase.repeat_index);
        let record = Box::new(phase.without_intervals());
        self.send(Row::Phase { phase_index: i64::try_from(index).unwrap_or(i64::MAX), record });
    }
}

impl Writer {
    fn run(mut self, rows: &Receiver<Row>, mut on_wish: OnWish) -> Self {
        loop {
            let row = match rows.recv_timeout(WISH_PERIOD) {
                Ok(row) => Some(row),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return self,
            };
            if self.fault.is_none() {
                self.fault = row.and_then(|row| self.write(row).err());
                self.take_wishes(&mut on_wish);
            }
        }
    }

    /// A store that can't be asked is found out by the next row.
    fn take_wishes(&mut self, on_wish: &mut OnWish) {
        if let (Some(store), Some(key)) = (&mut self.store, self.key) {
            store.take_wishes(key).unwrap_or_default().into_iter().for_each(on_wish);
        }
    }

    /// The store, opened when it was not.
    fn store(&mut self) -> Result<&mut Store, StoreError> {
        let store = match self.store.take() {
            Some(store) => store,
            None => Store::open(&self.path)?,
        };
        Ok(self.store.insert(store))
    }

    fn write(&mut self, row: Row) -> Result<(), StoreError> {
        match (row, self.key) {
            (Row::Run(record), _) => self.key = Some(self.store()?.begin(&record)?),
            // Without the run's row there is nothing to hang others on: all is written at the end.
            (_, None) => {}
            (Row::Interval { phase, interval_index, interval }, Some(key)) => {
                self.store()?.add_interval(key, &phase, interval_index, *interval)?;
                self.written.insert((phase.index, interval_index));
            }
            (Row::Phase { phase_index, record }, Some(key)) => {
                self.store()?.add_phase(key, phase_index, *record)?
            }
        }
        Ok(())
    }
}
