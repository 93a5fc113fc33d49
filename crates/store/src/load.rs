//! Runs read out of a store.

use crate::store::Fault;
use crate::{Filter, RunState, RunSummary, Store, StoreError, codec, rebuild, writer};
use record::{IntervalRecord, PhaseRecord, RunRecord};
use rusqlite::types::{FromSqlError, ValueRef};
use rusqlite::{Row, params};

impl Store {
    /// The run with this id, as it was when it was kept. One without an end is rebuilt from its intervals and says so in its verdict.
    ///
    /// # Errors
    /// There is none with this id; the file is damaged.
    pub fn load(&self, id: &str) -> Result<RunRecord, StoreError> {
        let found = self.load_row(id).map_err(|error| error.at(&self.path))?;
        found.ok_or_else(|| StoreError::NoSuchRun {
            selector: id.to_owned(),
            run_count: self.count().unwrap_or(1),
        })
    }

    /// Which runs a filter lets through, newest first, in one line each.
    pub(crate) fn summaries(&self, filter: &Filter) -> Result<Vec<RunSummary>, Fault> {
        let (sql, values) = filter.query();
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut summaries = Vec::new();
        let limit = filter.limit.unwrap_or(usize::MAX);
        while summaries.len() < limit
            && let Some(row) = rows.next()?
        {
            summaries.extend(Some(self.summary_of_row(row)?).filter(|summary| filter.lets_through(summary)));
        }
        Ok(summaries)
    }

    /// The line of the run with this id.
    pub(crate) fn summary_of(&self, id: &str) -> Result<Option<RunSummary>, Fault> {
        let sql = "SELECT key, summary, state, writer, touched_unix_ns FROM run WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        rows.next()?.map(|row| self.summary_of_row(row)).transpose()
    }

    /// The line of a row with summary, state, writer and time from the second column on.
    fn summary_of_row(&self, row: &Row<'_>) -> Result<RunSummary, Fault> {
        let text = row.get_ref(1)?.as_str().map_err(wrong_kind)?;
        let summary: RunSummary =
            serde_json::from_str(text).map_err(|error| Fault::Content(error.to_string()))?;
        let state = state_of(row.get_ref(2)?, row.get_ref(3)?, row.get_ref(4)?)?;
        if state == RunState::Ended {
            return Ok(summary);
        }
        // Such runs are few, and their figures follow from what they left.
        let record = self.load_row(&summary.id)?;
        Ok(record.map_or(summary, |record| RunSummary::of(&record, state)))
    }

    fn load_row(&self, id: &str) -> Result<Option<RunRecord>, Fault> {
        let sql = "SELECT run.key, run.state, run.writer, run.touched_unix_ns, body.content
            FROM run JOIN body ON body.run = run.key WHERE run.id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let state = state_of(row.get_ref(1)?, row.get_ref(2)?, row.get_ref(3)?)?;
        let mut record: RunRecord = codec::decode(row.get_ref(4)?.as_blob().map_err(wrong_kind)?)?;
        record.phases = self.phases(row.get(0)?)?;
        if state != RunState::Ended {
            rebuild::run(&mut record, state);
        }
        Ok(Some(record))
    }

    /// How far the run with this key came.
    pub(crate) fn state_of(&self, key: i64) -> Result<RunState, Fault> {
        let sql = "SELECT state, writer, touched_unix_ns FROM run WHERE key = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([key])?;
        let row = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        state_of(row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?)
    }

    /// The phases of a run: as they were at their end, or what their intervals tell.
    fn phases(&self, key: i64) -> Result<Vec<PhaseRecord>, Fault> {
        let sql = "SELECT phase_index, is_whole, content FROM phase WHERE run = ?1 ORDER BY position";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([key])?;
        let mut phases = Vec::new();
        while let Some(row) = rows.next()? {
            let intervals = self.intervals(key, row.get(0)?)?;
            let content: Vec<u8> = row.get(2)?;
            phases.push(if row.get(1)? {
                PhaseRecord { intervals, ..codec::decode(&content)? }
            } else {
                rebuild::phase(codec::decode(&content)?, intervals)
            });
        }
        Ok(phases)
    }

    fn intervals(&self, key: i64, phase_index: i64) -> Result<Vec<IntervalRecord>, Fault> {
        let sql = "SELECT content FROM interval WHERE run = ?1 AND phase_index = ?2 ORDER BY interval_index";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![key, phase_index])?;
        let mut intervals = Vec::new();
        while let Some(row) = rows.next()? {
            intervals.push(codec::decode(row.get_ref(0)?.as_blob().map_err(wrong_kind)?)?);
        }
        Ok(intervals)
    }
}

/// How far a run came, by the columns `state`, `writer` and `touched_unix_ns`.
pub(crate) fn state_of(
    state: ValueRef<'_>,
    writer: ValueRef<'_>,
    touched_unix_ns: ValueRef<'_>,
) -> Result<RunState, Fault> {
    if state.as_str().map_err(wrong_kind)? == "ended" {
        return Ok(RunState::Ended);
    }
    let touched_unix_ns = touched_unix_ns.as_i64().map_err(wrong_kind)?.unsigned_abs();
    let is_alive = writer::is_alive(writer.as_str().map_err(wrong_kind)?, touched_unix_ns);
    Ok(if is_alive { RunState::Running } else { RunState::Aborted })
}

fn wrong_kind(error: FromSqlError) -> Fault {
    Fault::Content(error.to_string())
}
