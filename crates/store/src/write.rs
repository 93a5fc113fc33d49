//! Runs put into a store: whole, or as they happen.

use crate::rebuild::LivePhase;
use crate::store::Fault;
use crate::{RunState, RunSummary, Store, StoreError, codec, writer};
use record::{IntervalRecord, PhaseRecord, RunRecord};
use rusqlite::{Transaction, params};
use std::collections::HashSet;

/// Indexes from here on are of phases that came to a store only at their run's end; a plan has fewer.
const NEW_PHASES_FROM: i64 = 1 << 32;

/// A run that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunKey(i64);

impl RunKey {
    /// As rows name it.
    pub(crate) fn number(self) -> i64 {
        self.0
    }
}

/// How far the run of a row came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Begun,
    Ended,
}

impl Progress {
    fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "running",
            Self::Ended => "ended",
        }
    }
}

/// Whether what is kept of a phase is its record, or only what is known before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    No,
    Yes,
}

impl Store {
    /// Keeps a whole run.
    ///
    /// # Errors
    /// Another run has its id; the store can't be written.
    pub fn insert(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        self.insert_all(std::slice::from_ref(record))
    }

    /// Keeps whole runs, all or none of them.
    ///
    /// # Errors
    /// Another run has the id of one; the store can't be written.
    pub fn insert_all(&mut self, records: &[RunRecord]) -> Result<(), StoreError> {
        let none_written = HashSet::new();
        self.write(|transaction| {
            records.iter().try_for_each(|record| {
                let key = insert_run(transaction, record, Progress::Ended)?;
                (0..).zip(&record.phases).try_for_each(|(position, phase)| {
                    insert_phase(transaction, key, (position, position), phase, &none_written)
                })
            })
        })
    }

    /// Begins to keep a run: what is known at its start.
    pub(crate) fn begin(&mut self, record: &RunRecord) -> Result<RunKey, StoreError> {
        self.write(|transaction| insert_run(transaction, record, Progress::Begun))
    }

    /// Adds an interval to a run that was begun, in a transaction of its own.
    pub(crate) fn add_interval(
        &mut self,
        key: RunKey,
        phase: &LivePhase,
        interval_index: i64,
        interval: IntervalRecord,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let sql = "SELECT 1 FROM phase WHERE run = ?1 AND phase_index = ?2";
            if !transaction.prepare_cached(sql)?.exists([key.0, phase.index])? {
                let content = codec::encode(phase.clone())?;
                put_phase(transaction, key, (phase.index, phase.index), Whole::No, &content)?;
            }
            insert_interval(transaction, key, (phase.index, interval_index), interval)?;
            touch(transaction, key)
        })
    }

    /// Replaces what is known of a phase by its record; its intervals stay.
    pub(crate) fn add_phase(
        &mut self,
        key: RunKey,
        index: i64,
        phase: PhaseRecord,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            put_phase(transaction, key, (index, index), Whole::Yes, &codec::encode(phase)?)?;
            touch(transaction, key)
        })
    }

    /// Writes a run's end. `place` says under which index a phase was begun, if it was; `written` holds the phases and intervals that are there.
    pub(crate) fn finish(
        &mut self,
        key: RunKey,
        record: &RunRecord,
        place: &dyn Fn(&PhaseRecord) -> Option<i64>,
        written: &HashSet<(i64, i64)>,
    ) -> Result<(), StoreError> {
        let is_there = self.write(|transaction| {
            if !end_run(transaction, key, record)? {
                return Ok(false);
            }
            transaction.prepare_cached("DELETE FROM phase WHERE run = ?1")?.execute([key.0])?;
            for (position, phase) in (0..).zip(&record.phases) {
                // Phases of which no interval was seen get a number that no other has.
                let index = place(phase).unwrap_or(NEW_PHASES_FROM + position);
                insert_phase(transaction, key, (index, position), phase, written)?;
            }
            let sql = "DELETE FROM interval WHERE run = ?1 AND phase_index NOT IN (SELECT phase_index FROM phase WHERE run = ?1)";
            transaction.prepare_cached(sql)?.execute([key.0])?;
            Ok(true)
        })?;
        // Somebody removed it while it went on.
        if is_there { Ok(()) } else { self.insert(record) }
    }
}

/// Writes what a list shows of a run, its labels, and the record but for its phases.
fn insert_run(
    transaction: &Transaction<'_>,
    record: &RunRecord,
    progress: Progress,
) -> Result<RunKey, Fault> {
    if transaction.prepare_cached("SELECT 1 FROM run WHERE id = ?1")?.exists([&record.run_id])? {
        return Err(Fault::Taken(record.run_id.clone()));
    }
    let sql = "INSERT INTO run (id, name, origin, started_unix_ns, state, writer, touched_unix_ns, summary)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let values = params![
        record.run_id,
        record.name,
        record.origin,
        column(record.started_unix_ns),
        progress.as_str(),
        if progress == Progress::Begun { writer::this_process() } else { String::new() },
        column(writer::now_unix_ns()),
        summary(record)?
    ];
    transaction.prepare_cached(sql)?.execute(values)?;
    let key = RunKey(transaction.last_insert_rowid());
    put_body(transaction, key, record)?;
    Ok(key)
}

/// Replaces what was known at a run's start. Returns whether the run is still there.
fn end_run(transaction: &Transaction<'_>, key: RunKey, record: &RunRecord) -> Result<bool, Fault> {
    let sql = "UPDATE run SET name = ?2, origin = ?3, started_unix_ns = ?4, state = ?5, writer = '', touched_unix_ns = ?6, summary = ?7
        WHERE key = ?1";
    let values = params![
        key.0,
        record.name,
        record.origin,
        column(record.started_unix_ns),
        Progress::Ended.as_str(),
        column(writer::now_unix_ns()),
        summary(record)?
    ];
    if transaction.prepare_cached(sql)?.execute(values)? == 0 {
        return Ok(false);
    }
    put_body(transaction, key, record)?;
    Ok(true)
}

/// Writes a run's labels and its record without phases in the place of those before.
fn put_body(transaction: &Transaction<'_>, key: RunKey, record: &RunRecord) -> Result<(), Fault> {
    transaction.prepare_cached("DELETE FROM label WHERE run = ?1")?.execute([key.0])?;
    let mut label = transaction.prepare_cached("INSERT INTO label (run, name, value) VALUES (?1, ?2, ?3)")?;
    for (name, value) in &record.labels {
        label.execute(params![key.0, name, value])?;
    }
    let content = codec::encode(record.without_phases())?;
    let sql = "INSERT INTO body (run, content) VALUES (?1, ?2) ON CONFLICT (run) DO UPDATE SET content = excluded.content";
    transaction.prepare_cached(sql)?.execute(params![key.0, content])?;
    Ok(())
}

/// Writes a phase, by index and position, and those of its intervals that are not written.
fn insert_phase(
    transaction: &Transaction<'_>,
    key: RunKey,
    (index, position): (i64, i64),
    phase: &PhaseRecord,
    written: &HashSet<(i64, i64)>,
) -> Result<(), Fault> {
    for (interval_index, interval) in (0..).zip(&phase.intervals) {
        if !written.contains(&(index, interval_index)) {
            insert_interval(transaction, key, (index, interval_index), interval.clone())?;
        }
    }
    put_phase(transaction, key, (index, position), Whole::Yes, &codec::encode(phase.without_intervals())?)
}

fn put_phase(
    transaction: &Transaction<'_>,
    key: RunKey,
    (index, position): (i64, i64),
    whole: Whole,
    content: &[u8],
) -> Result<(), Fault> {
    let sql = "INSERT INTO phase (run, phase_index, position, is_whole, content) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (run, phase_index) DO UPDATE
        SET position = excluded.position, is_whole = excluded.is_whole, content = excluded.content";
    let values = params![key.0, index, position, whole == Whole::Yes, content];
    transaction.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

fn insert_interval(
    transaction: &Transaction<'_>,
    key: RunKey,
    (phase_index, interval_index): (i64, i64),
    interval: IntervalRecord,
) -> Result<(), Fault> {
    let sql = "INSERT INTO interval (run, phase_index, interval_index, content) VALUES (?1, ?2, ?3, ?4)";
    let values = params![key.0, phase_index, interval_index, codec::encode(interval)?];
    transaction.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Notes that a run's writer was there a moment ago.
fn touch(transaction: &Transaction<'_>, key: RunKey) -> Result<(), Fault> {
    let sql = "UPDATE run SET touched_unix_ns = ?2 WHERE key = ?1";
    transaction.prepare_cached(sql)?.execute(params![key.0, column(writer::now_unix_ns())])?;
    Ok(())
}

fn summary(record: &RunRecord) -> Result<String, Fault> {
    serde_json::to_string(&RunSummary::of(record, RunState::Ended))
        .map_err(|error| Fault::Content(error.to_string()))
}

/// A time as SQLite's signed integers hold it, until the year 2262; columns only sort, records have the exact one.
fn column(unix_ns: u64) -> i64 {
    i64::try_from(unix_ns).unwrap_or(i64::MAX)
}
