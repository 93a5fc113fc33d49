//! Runs read out of a store.

use crate::store::Fault;
use crate::{Filter, RunState, RunSummary, Store, StoreError, codec, rebuild, writer};
use record::{IntervalRecord, PhaseRecord, RunRecord};
use rusqlite::params;
use rusqlite::types::{FromSqlError, ValueRef};

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
        let values: Vec<&dyn rusqlite::ToSql> =
            values.iter().map(|value| value as &dyn rusqlite::ToSql).collect();
        let mut rows = statement.query(values.as_slice())?;
        let mut summaries = Vec::new();
        while let Some(row) = rows.next()? {
            let of_row = |error: serde_json::Error| Fault::Content(error.to_string());
            let mut summary: RunSummary =
                serde_json::from_str(row.get_ref(1)?.as_str().map_err(wrong_kind)?).map_err(of_row)?;
            let state = state_of(row.get_ref(2)?, row.get_ref(3)?, row.get_ref(4)?)?;
            if state != RunState::Ended {
                // Such runs are few, and their figures follow from what they left.
                if let Some(record) = self.load_row(&summary.id)? {
                    summary = RunSummary::of(&record, state);
                }
            }
            summaries.push(summary);
        }
        Ok(summaries)
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
fn state_of(
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
