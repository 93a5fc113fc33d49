//! The tables, and how a store of any earlier version becomes one of today.

use crate::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another one. Transactions take milliseconds; more than this is a program that hangs.
const BUSY_WAIT: Duration = Duration::from_secs(5);
/// Size of a page. An interval's row ends somewhere in its last one, and the rest of that is lost: with 4096 bytes that was a fifth of a run of
/// twenty actions, measured.
const PAGE_BYTES: u32 = 1024;
/// Says in the file's head that it is a store of Weir (`WEIR`; <https://www.sqlite.org/pragma.html#pragma_application_id>).
const APPLICATION_ID: i64 = 0x5745_4952;

/// What brings a store from version n to n + 1, by n. Never changed once released: what is to be other comes as a further step.
const MIGRATIONS: [&str; 2] = [VERSION_1, VERSION_2];

/// The version that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// `run.state` is `ended` or `running`; what became of one that did not end its writer tells. `phase.position` is a phase's place in the
/// record, which is known at the end; until then phases stand in the order of their start. Columns of `run` beside the body are what listing and selecting need, so that they read no body.
const VERSION_1: &str = "
CREATE TABLE run (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    origin TEXT NOT NULL,
    started_unix_ns INTEGER NOT NULL,
    state TEXT NOT NULL,
    writer TEXT NOT NULL,
    touched_unix_ns INTEGER NOT NULL,
    summary TEXT NOT NULL
) STRICT;
CREATE INDEX run_by_start ON run (started_unix_ns, key);
CREATE INDEX run_by_name ON run (name, started_unix_ns);
CREATE TABLE label (
    run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name, value, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_by_run ON label (run);
CREATE TABLE body (
    run INTEGER PRIMARY KEY REFERENCES run (key) ON DELETE CASCADE,
    content BLOB NOT NULL
) STRICT;
CREATE TABLE phase (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    phase_index INTEGER NOT NULL,
    position INTEGER NOT NULL,
    is_whole INTEGER NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (run, phase_index)
) STRICT;
CREATE TABLE interval (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    phase_index INTEGER NOT NULL,
    interval_index INTEGER NOT NULL,
    content BLOB NOT NULL,
    UNIQUE (run, phase_index, interval_index)
) STRICT;
";

/// What those who watch a run want of it, until it takes them.
const VERSION_2: &str = "
CREATE TABLE wish (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (key) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    period_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX wish_by_run ON wish (run, key);
";

/// Opens a store for writing: the file and its folder are made when they are not there, and it is brought to today's version.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    let access = |error: std::io::Error| StoreError::Access {
        path: path.to_owned(),
        why: units::system_words(&error),
    };
    check_is_no_folder(path)?;
    let is_new = !path.exists();
    if is_new {
        make_folder(path).map_err(access)?;
        make_file(path).map_err(access)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let of = |error: &rusqlite::Error| StoreError::of(error, path);
    let mut connection = Connection::open_with_flags(path, flags).map_err(|error| of(&error))?;
    // Means something in an empty file only.
    connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(|error| of(&error))?;
    prepare(&connection).map_err(|error| of(&error))?;
    check_version(&connection, path)?;
    // A reader during a write sees the state before it; a killed writer leaves whole transactions only.
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| of(&error))?;
    if mode != "wal" {
        let why = format!("its disk does not allow a write-ahead log (journal mode {mode})");
        return Err(StoreError::Access { path: path.to_owned(), why });
    }
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Opens a store for reading. One that can't be written is read as it is.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::Absent { path: path.to_owned() });
    }
    check_is_no_folder(path)?;
    match open(path) {
        Err(StoreError::Access { .. } | StoreError::Full { .. }) => open_unwritable(path),
        opened => opened,
    }
}

/// SQLite would only say that it can't open it.
fn check_is_no_folder(path: &Path) -> Result<(), StoreError> {
    if !path.is_dir() {
        return Ok(());
    }
    Err(StoreError::Access { path: path.to_owned(), why: "it is a folder, not a file".to_owned() })
}

/// A store on a disk or in a folder that can't be written: nobody writes it, so it is read as it stands.
fn open_unwritable(path: &Path) -> Result<Connection, StoreError> {
    let of = |error: rusqlite::Error| StoreError::of(&error, path);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let plain = Connection::open_with_flags(path, flags).map_err(of)?;
    let connection = match plain.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0)) {
        Ok(_) => plain,
        // Without the right to make the files of the write-ahead log only a file declared unchanging can be read.
        Err(_) => Connection::open_with_flags(unchanging(path), flags).map_err(of)?,
    };
    prepare(&connection).map_err(of)?;
    check_version(&connection, path)?;
    Ok(connection)
}

/// The address of a file as SQLite takes it, with what has a meaning there escaped (<https://www.sqlite.org/uri.html>).
fn unchanging(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(*byte))
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_WAIT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // With a write-ahead log a killed process loses nothing by this; a machine without power may lose the last transactions.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}

fn check_version(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let of = |error: rusqlite::Error| StoreError::of(&error, path);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (found, application) = (number("user_version").map_err(of)?, number("application_id").map_err(of)?);
    let is_empty = found == 0 && application == 0 && table_count(connection).map_err(of)? == 0;
    if !is_empty && application != APPLICATION_ID {
        let why = "it is a database of another program".to_owned();
        return Err(StoreError::Corrupt { path: path.to_owned(), why });
    }
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(())
}

fn table_count(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
}

/// All missing steps in one transaction, so that two programs that open an old store at once do not both take them.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let of = |error: rusqlite::Error| StoreError::of(&error, path);
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    if version(connection).map_err(of)? == VERSION {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(of)?;
    let found = version(&transaction).map_err(of)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(of)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(of)?;
    transaction.pragma_update(None, "user_version", VERSION).map_err(of)?;
    transaction.commit().map_err(of)
}

/// Whether a store could be made where there is none, without making it.
pub(crate) fn check_place(path: &Path) -> Result<(), StoreError> {
    let folder = path.ancestors().skip(1).find(|folder| folder.as_os_str().is_empty() || folder.exists());
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(folder, access).map_err(|errno| StoreError::Access {
        path: path.to_owned(),
        why: units::system_words(&errno.into()),
    })
}

/// Makes the folder of a store. One called `.weir` is Weir's own and is kept out of Git.
fn make_folder(path: &Path) -> std::io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
    else {
        return Ok(());
    };
    fs::create_dir_all(folder)?;
    if folder.file_name().is_some_and(|name| name == ".weir") {
        fs::write(folder.join(".gitignore"), "*\n")?;
    }
    Ok(())
}

/// Makes the file for its owner alone: plans name hosts, paths and users that are nobody else's business. The files that SQLite puts beside it
/// take its mode.
fn make_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        // Another run was quicker.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}
