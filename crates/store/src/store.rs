//! The store: runs in, runs out.

use crate::codec::{self, CodecError};
use crate::rebuild;
use crate::{RunState, RunSummary, Selector, StoreError, schema};
use record::{IntervalRecord, PhaseRecord, RunRecord};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// As many ids are named where the beginning of one means several.
const AMBIGUOUS_SHOWN: i64 = 5;

/// A file with runs.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

/// A run that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunKey(i64);

/// Which runs a list is to show; by default all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Labels that it must have, with these values.
    pub labels: Vec<(String, String)>,
    /// A part of its name.
    pub name: Option<String>,
    /// At most so many, the newest.
    pub limit: Option<usize>,
}

impl Store {
    /// Opens a store for writing: the file and its folder are made when they are not there, an older form is brought to today's.
    ///
    /// # Errors
    /// The file can't be written, is no store, or is of a newer weir.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open(path)?, path: path.to_owned() })
    }

    /// Opens a store for reading; a file that can't be written is read as it is.
    ///
    /// # Errors
    /// There is none, it can't be read, is no store, or is of a newer weir.
    pub fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { connection: schema::open_to_read(path)?, path: path.to_owned() })
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a whole run.
    ///
    /// # Errors
    /// Another run has its id; the store can't be written.
    pub fn insert(&mut self, record: &RunRecord) -> Result<(), StoreError> {
        let path = self.path.clone();
        self.write(|transaction| {
            let key = insert_run(transaction, record, RunState::Ended).map_err(|fault| fault.at(&path))?;
            let phases = (0..).zip(&record.phases);
            phases
                .into_iter()
                .try_for_each(|(index, phase)| insert_phase(transaction, key, index, phase))
                .map_err(|fault| fault.at(&path))
        })
    }

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

    /// The id of the run that is meant by what a user typed: `last`, an id or its unique beginning, a name, `key=value` of a label; of
    /// several runs of a name or label the newest; `~N` behind it is the Nth before that.
    ///
    /// # Errors
    /// None is meant, or several.
    pub fn select(&self, selector: &str) -> Result<String, StoreError> {
        let parsed = Selector::parse(selector);
        let found = self.find(&parsed).map_err(|error| StoreError::of(&error, &self.path))?;
        match found.as_slice() {
            [id] => Ok(id.clone()),
            [] => Err(StoreError::NoSuchRun { selector: selector.to_owned(), run_count: self.count()? }),
            several => Err(StoreError::Ambiguous { selector: parsed.base.to_owned(), ids: several.to_vec() }),
        }
    }

    /// The runs that a filter lets through, newest first.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn list(&self, filter: &Filter) -> Result<Vec<RunSummary>, StoreError> {
        self.summaries(filter).map_err(|error| error.at(&self.path))
    }

    /// How many runs there are.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn count(&self) -> Result<u64, StoreError> {
        let count = self.connection.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0));
        count.map(|count| count.unsigned_abs()).map_err(|error| StoreError::of(&error, &self.path))
    }

    /// Forgets runs, all or none of them. Returns how many there were.
    ///
    /// # Errors
    /// The store can't be written.
    pub fn remove(&mut self, ids: &[String]) -> Result<usize, StoreError> {
        let path = self.path.clone();
        self.write(|transaction| {
            let mut removed = 0;
            for id in ids {
                let deleted = transaction.execute("DELETE FROM run WHERE id = ?1", [id]);
                removed += deleted.map_err(|error| StoreError::of(&error, &path))?;
            }
            Ok(removed)
        })
    }

    /// One transaction, begun for writing at once so that it does not fail half-way.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let of = |error: rusqlite::Error| StoreError::of(&error, &self.path);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(of)?;
        let done = work(&transaction)?;
        transaction.commit().map_err(of)?;
        Ok(done)
    }

    fn find(&self, selector: &Selector<'_>) -> rusqlite::Result<Vec<String>> {
        let back = i64::try_from(selector.back).unwrap_or(i64::MAX);
        let nth = |sql: &str, values: &[&dyn rusqlite::ToSql]| -> rusqlite::Result<Option<String>> {
            self.connection.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()
        };
        if selector.base == "last" {
            let sql = "SELECT id FROM run ORDER BY started_unix_ns DESC, key DESC LIMIT 1 OFFSET ?1";
            return Ok(nth(sql, &[&back])?.into_iter().collect());
        }
        let whole = nth("SELECT id FROM run WHERE id = ?1", &[&selector.text])?;
        if whole.is_some() {
            return Ok(whole.into_iter().collect());
        }
        let by_name =
            "SELECT id FROM run WHERE name = ?1 ORDER BY started_unix_ns DESC, key DESC LIMIT 1 OFFSET ?2";
        // A name may have a tilde of its own.
        for (name, back) in [(selector.text, 0), (selector.base, back)] {
            if let Some(id) = nth(by_name, &[&name, &back])? {
                return Ok(vec![id]);
            }
        }
        if let Some((key, value)) = selector.label() {
            let sql = "SELECT run.id FROM label JOIN run ON run.key = label.run WHERE label.name = ?1 AND label.value = ?2
                ORDER BY run.started_unix_ns DESC, run.key DESC LIMIT 1 OFFSET ?3";
            if let Some(id) = nth(sql, &[&key, &value, &back])? {
                return Ok(vec![id]);
            }
        }
        if selector.text.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT id FROM run WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map(params![selector.text, AMBIGUOUS_SHOWN], |row| row.get(0))?.collect()
    }

    fn summaries(&self, filter: &Filter) -> Result<Vec<RunSummary>, Fault> {
        let mut sql = "SELECT summary FROM run".to_owned();
        let mut values: Vec<&dyn rusqlite::ToSql> = Vec::new();
        let mut conditions = Vec::new();
        for (name, value) in &filter.labels {
            conditions.push("key IN (SELECT run FROM label WHERE name = ? AND value = ?)");
            values.extend([name as &dyn rusqlite::ToSql, value]);
        }
        if let Some(part) = &filter.name {
            conditions.push("instr(name, ?) > 0");
            values.push(part);
        }
        if !conditions.is_empty() {
            sql.push_str(&format!(" WHERE {}", conditions.join(" AND ")));
        }
        sql.push_str(" ORDER BY started_unix_ns DESC, key DESC LIMIT ?");
        let limit = filter.limit.map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
        values.push(&limit);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(values.as_slice(), |row| row.get::<_, String>(0))?;
        let mut summaries = Vec::new();
        for row in rows {
            summaries.push(serde_json::from_str(&row?).map_err(|error| Fault::Content(error.to_string()))?);
        }
        Ok(summaries)
    }

    fn load_row(&self, id: &str) -> Result<Option<RunRecord>, Fault> {
        let sql = "SELECT run.key, run.state, body.content FROM run JOIN body ON body.run = run.key WHERE run.id = ?1";
        let row = self
            .connection
            .prepare_cached(sql)?
            .query_row([id], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, Vec<u8>>(2)?))
            })
            .optional()?;
        let Some((key, state, body)) = row else { return Ok(None) };
        let mut record: RunRecord = codec::decode(&body)?;
        record.phases = self.phases(key)?;
        if state != "ended" {
            rebuild::run(&mut record, false);
        }
        Ok(Some(record))
    }

    /// The phases of a run: as they were at their end, or what their intervals tell.
    fn phases(&self, key: i64) -> Result<Vec<PhaseRecord>, Fault> {
        let sql = "SELECT phase_index, is_whole, content FROM phase WHERE run = ?1 ORDER BY phase_index";
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
            intervals.push(codec::decode(
                row.get_ref(0)?.as_blob().map_err(|error| Fault::Content(error.to_string()))?,
            )?);
        }
        Ok(intervals)
    }
}

/// What may go wrong within a store; [`Fault::at`] says where.
#[derive(Debug)]
enum Fault {
    Database(rusqlite::Error),
    Content(String),
    Taken(String),
}

impl Fault {
    fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Database(error) => StoreError::of(&error, path),
            Self::Content(why) => StoreError::Corrupt { path: path.to_owned(), why },
            Self::Taken(id) => StoreError::Taken { id },
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<CodecError> for Fault {
    fn from(error: CodecError) -> Self {
        Self::Content(error.0)
    }
}

/// Writes what a list shows of a run, its labels, and the record but for its phases.
fn insert_run(transaction: &Transaction<'_>, record: &RunRecord, state: RunState) -> Result<RunKey, Fault> {
    let is_taken = transaction.prepare_cached("SELECT 1 FROM run WHERE id = ?1")?.exists([&record.run_id])?;
    if is_taken {
        return Err(Fault::Taken(record.run_id.clone()));
    }
    let summary = serde_json::to_string(&RunSummary::of(record, state));
    let summary = summary.map_err(|error| Fault::Content(error.to_string()))?;
    let sql = "INSERT INTO run (id, name, origin, started_unix_ns, state, writer, touched_unix_ns, summary)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    // The column only sorts; the record has the exact time.
    let started_unix_ns = i64::try_from(record.started_unix_ns).unwrap_or(i64::MAX);
    let values = params![
        record.run_id,
        record.name,
        record.origin,
        started_unix_ns,
        state.as_str(),
        "",
        started_unix_ns,
        summary
    ];
    transaction.prepare_cached(sql)?.execute(values)?;
    let key = transaction.last_insert_rowid();
    let mut label = transaction.prepare_cached("INSERT INTO label (run, name, value) VALUES (?1, ?2, ?3)")?;
    for (name, value) in &record.labels {
        label.execute(params![key, name, value])?;
    }
    let body = RunRecord { phases: Vec::new(), ..record.clone() };
    transaction
        .prepare_cached("INSERT INTO body (run, content) VALUES (?1, ?2)")?
        .execute(params![key, codec::encode(body)?])?;
    Ok(RunKey(key))
}

/// Writes a phase with all its intervals.
fn insert_phase(
    transaction: &Transaction<'_>,
    key: RunKey,
    index: i64,
    phase: &PhaseRecord,
) -> Result<(), Fault> {
    for (interval_index, interval) in (0..).zip(&phase.intervals) {
        insert_interval(transaction, key, index, interval_index, interval)?;
    }
    let body = PhaseRecord { intervals: Vec::new(), ..phase.clone() };
    transaction
        .prepare_cached("INSERT INTO phase (run, phase_index, is_whole, content) VALUES (?1, ?2, 1, ?3)")?
        .execute(params![key.0, index, codec::encode(body)?])?;
    Ok(())
}

fn insert_interval(
    transaction: &Transaction<'_>,
    key: RunKey,
    phase_index: i64,
    interval_index: i64,
    interval: &IntervalRecord,
) -> Result<(), Fault> {
    let sql = "INSERT INTO interval (run, phase_index, interval_index, content) VALUES (?1, ?2, ?3, ?4)";
    let values = params![key.0, phase_index, interval_index, codec::encode(interval.clone())?];
    transaction.prepare_cached(sql)?.execute(values)?;
    Ok(())
}
