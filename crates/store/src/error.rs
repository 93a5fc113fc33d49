//! What can go wrong with a store, in words that say how to mend it.

use std::fmt;
use std::path::PathBuf;

/// Why a store did not do what it was asked.
#[derive(Debug)]
pub enum StoreError {
    /// There is no store there, and it was to be read.
    Absent {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The system does not let the file or its folder be read or written.
    Access {
        /// The store's file.
        path: PathBuf,
        /// The system's words.
        why: String,
    },
    /// The disk is full.
    Full {
        /// The store's file.
        path: PathBuf,
    },
    /// The file is no store, or was damaged.
    Corrupt {
        /// The store's file.
        path: PathBuf,
        /// What was found.
        why: String,
    },
    /// A newer weir wrote it.
    Newer {
        /// The store's file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// Up to which this program reads.
        known: i64,
    },
    /// Another program held the store for too long.
    Busy {
        /// The store's file.
        path: PathBuf,
    },
    /// No run is meant by what was typed.
    NoSuchRun {
        /// What was typed.
        selector: String,
        /// How many runs there are.
        run_count: u64,
    },
    /// Several runs are meant by the beginning of an id.
    Ambiguous {
        /// What was typed.
        selector: String,
        /// Some of the ids that begin so.
        ids: Vec<String>,
    },
    /// What is asked of the run only one in progress could do.
    NotRunning {
        /// The id.
        id: String,
    },
    /// Another run has the same id.
    Taken {
        /// The id.
        id: String,
    },
}

impl StoreError {
    /// How to mend it.
    pub fn hint(&self) -> String {
        match self {
            Self::Absent { .. } => {
                "weir run keeps its runs in .weir/runs.db beside its plan, weir http here; name a store with --store FILE or $WEIR_STORE"
                    .to_owned()
            }
            Self::Access { .. } => {
                "name a store that you may write: --store FILE or $WEIR_STORE; or --no-store".to_owned()
            }
            // Removing runs takes some room first, for the log of what is written.
            Self::Full { .. } => {
                "free some space on its disk, then weir prune --keep 20 keeps the store small; or name another store"
                    .to_owned()
            }
            Self::Corrupt { path, .. } => {
                format!("move it away (mv '{0}' '{0}.broken'), and a new one is made", path.display())
            }
            Self::Newer { .. } => {
                "use the weir that wrote it, or a newer one; or name another store".to_owned()
            }
            Self::Busy { .. } => "wait until the other program is done, then try again".to_owned(),
            Self::NoSuchRun { run_count: 0, .. } => "the store is empty: run something first".to_owned(),
            Self::NoSuchRun { .. } => {
                "weir runs lists them; last, last~1, an id, a name or KEY=VALUE of a label name one"
                    .to_owned()
            }
            Self::Ambiguous { ids, .. } => format!("write more of it: {}", ids.join(", ")),
            Self::NotRunning { .. } => "only a run in progress can be stopped or changed".to_owned(),
            Self::Taken { .. } => "remove the other one first: weir rm ID".to_owned(),
        }
    }

    /// The error of a database's call on the store at `path`.
    pub(crate) fn of(error: &rusqlite::Error, path: &std::path::Path) -> Self {
        use rusqlite::ErrorCode as Code;
        let path = path.to_owned();
        let why = error.to_string();
        match error.sqlite_error_code() {
            Some(Code::DatabaseBusy | Code::DatabaseLocked) => Self::Busy { path },
            Some(Code::DiskFull) => Self::Full { path },
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::Corrupt { path, why },
            Some(_) => Self::Access { path, why },
            // Not of the database but of what is in it: a column of another kind, a row that is not there.
            None => Self::Corrupt { path, why },
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent { path } => write!(f, "there is no store of runs at `{}`", path.display()),
            Self::Access { path, why } => write!(f, "can't use the store `{}`: {why}", path.display()),
            Self::Full { path } => write!(f, "can't write the store `{}`: the disk is full", path.display()),
            Self::Corrupt { path, why } => {
                write!(f, "the store `{}` is damaged or no store: {why}", path.display())
            }
            Self::Newer { path, found, known } => {
                let path = path.display();
                write!(f, "the store `{path}` has version {found}, and this weir reads up to {known}")
            }
            Self::Busy { path } => write!(f, "another program holds the store `{}`", path.display()),
            Self::NoSuchRun { selector, .. } => write!(f, "no run is `{selector}`"),
            Self::Ambiguous { selector, .. } => write!(f, "several runs begin with `{selector}`"),
            Self::NotRunning { id } => write!(f, "the run `{id}` is over"),
            Self::Taken { id } => write!(f, "the store has another run with the id `{id}`"),
        }
    }
}

impl std::error::Error for StoreError {}
