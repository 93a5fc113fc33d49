//! The store: which runs it has, and which one is meant. `write` puts runs in, `load` gets them out.

use crate::codec::CodecError;
use crate::{RunState, RunSummary, Selector, StoreError, schema};
use record::VerdictState;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};

/// As many ids are named where the beginning of one means several.
const AMBIGUOUS_SHOWN: i64 = 5;

/// A file with runs.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// Which runs a list is to show; by default all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Labels that it must have, with these values.
    pub labels: Vec<(String, String)>,
    /// Parts of its name, all of them.
    pub names: Vec<String>,
    /// What made it.
    pub origin: Option<String>,
    /// Its verdict; a run without an end has none that could be asked for.
    pub verdict: Option<VerdictState>,
    /// How far it came.
    pub state: Option<RunState>,
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

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
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

    /// A run in one line.
    ///
    /// # Errors
    /// There is none with this id; the file is damaged.
    pub fn summary(&self, id: &str) -> Result<RunSummary, StoreError> {
        let found = self.summary_of(id).map_err(|error| error.at(&self.path))?;
        let run_count = self.count()?;
        found.ok_or_else(|| StoreError::NoSuchRun { selector: id.to_owned(), run_count })
    }

    /// How many runs there are.
    ///
    /// # Errors
    /// The file is damaged.
    pub fn count(&self) -> Result<u64, StoreError> {
        let count = self.connection.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0));
        count.map(|count| count.unsigned_abs()).map_err(|error| StoreError::of(&error, &self.path))
    }

    /// Forgets runs, all or none of them, and gives their room back to the disk. Returns how many there were.
    ///
    /// # Errors
    /// The store can't be written.
    pub fn remove(&mut self, ids: &[String]) -> Result<usize, StoreError> {
        let removed = self.write(|transaction| {
            let mut delete = transaction.prepare_cached("DELETE FROM run WHERE id = ?1")?;
            ids.iter().try_fold(0, |removed, id| Ok(removed + delete.execute([id])?))
        })?;
        // While another program reads or writes, the room is not given back but used for the next runs.
        let _ = self.connection.execute_batch("VACUUM");
        Ok(removed)
    }

    /// One transaction, begun for writing at once so that it does not fail half-way.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let of = |error: rusqlite::Error| StoreError::of(&error, &self.path);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(of)?;
        let done = work(&transaction).map_err(|fault| fault.at(&self.path))?;
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
}

impl Filter {
    /// The query for key, summary, state, writer and time of the runs, with its values.
    pub(crate) fn query(&self) -> (String, Vec<Value>) {
        let mut sql = "SELECT key, summary, state, writer, touched_unix_ns FROM run".to_owned();
        let mut values: Vec<Value> = Vec::new();
        let mut conditions = Vec::new();
        for (name, value) in &self.labels {
            conditions.push("key IN (SELECT run FROM label WHERE name = ? AND value = ?)");
            values.extend([name.clone().into(), value.clone().into()]);
        }
        for part in &self.names {
            conditions.push("instr(name, ?) > 0");
            values.push(part.clone().into());
        }
        if let Some(origin) = &self.origin {
            conditions.push("origin = ?");
            values.push(origin.clone().into());
        }
        if let Some(state) = self.state {
            // Whether one without an end goes on or was cut off its row does not say, but such runs are few.
            conditions.push("state = ?");
            let written = if state == RunState::Ended { "ended" } else { "running" };
            values.push(written.to_owned().into());
        }
        if !conditions.is_empty() {
            sql.push_str(&format!(" WHERE {}", conditions.join(" AND ")));
        }
        sql.push_str(" ORDER BY started_unix_ns DESC, key DESC");
        (sql, values)
    }

    /// Whether it lets a run through whose row the query gave.
    pub(crate) fn lets_through(&self, run: &RunSummary) -> bool {
        let has_verdict = |verdict| run.state == RunState::Ended && run.verdict == verdict;
        self.state.is_none_or(|state| run.state == state) && self.verdict.is_none_or(has_verdict)
    }
}

/// What may go wrong within a store; [`Fault::at`] says where.
#[derive(Debug)]
pub(crate) enum Fault {
    Database(rusqlite::Error),
    Content(String),
    Taken(String),
    NotRunning(String),
}

impl Fault {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        match self {
            Self::Database(error) => StoreError::of(&error, path),
            Self::Content(why) => StoreError::Corrupt { path: path.to_owned(), why },
            Self::Taken(id) => StoreError::Taken { id },
            Self::NotRunning(id) => StoreError::NotRunning { id },
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
