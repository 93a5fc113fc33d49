//! A result's file: opened before the run, put in place whole at its end, never half-written.
//!
//! The text goes to a temporary file in the same folder, whose room is reserved at once so that a full disk is known before any load, and
//! which a rename puts in the file's place. What is no plain file (a device, a pipe) is written in place: a rename would replace it. `-` is stdout.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Room reserved before the run: more than the record of a usual run takes.
const RESERVED_BYTES: u64 = 1 << 20;
/// Names tried for the temporary file before giving up: leftovers of processes that had the same id.
const TEMPORARY_NAMES_MAX: u32 = 100;

/// An output that can be written, checked before the run.
#[derive(Debug)]
pub struct OutputFile {
    /// As the user named it, for messages.
    named: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Stdout,
    /// Written where it is.
    Direct(File),
    /// Written beside its place, then moved there.
    Beside(Option<Pending>),
}

/// A temporary file that is removed unless it is put in place.
#[derive(Debug)]
struct Pending {
    file: File,
    temporary: PathBuf,
    path: PathBuf,
    is_placed: bool,
}

/// Why an output can't be written: what, where, and how to mend it.
#[derive(Debug)]
pub struct OutputError {
    /// As the user named it.
    pub path: PathBuf,
    /// What was tried: `open` or `write`.
    pub action: &'static str,
    /// The system's answer.
    pub source: io::Error,
}

impl std::fmt::Display for OutputError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = self.path.display();
        write!(f, "can't {} `{what}`: {}", self.action, units::system_words(&self.source))
    }
}

impl std::error::Error for OutputError {}

impl OutputError {
    /// How to mend it.
    pub fn hint(&self) -> String {
        let folder = folder_of(&self.path);
        match self.source.kind() {
            io::ErrorKind::NotFound => format!("create the folder first: mkdir -p '{}'", folder.display()),
            io::ErrorKind::PermissionDenied => {
                "name a file that you may write, or change its permissions".to_owned()
            }
            io::ErrorKind::IsADirectory => "name a file, not a folder".to_owned(),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "free some space, or name a file on another disk".to_owned()
            }
            io::ErrorKind::ReadOnlyFilesystem => "name a file on a disk that can be written".to_owned(),
            _ => "name another file".to_owned(),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

impl OutputFile {
    /// Makes sure that the file can be written, without touching what is there. `-` is stdout.
    ///
    /// Errors: the folder is missing, the file or folder may not be written, the disk is full.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        let place =
            open(path).map_err(|source| OutputError { path: path.to_owned(), action: "open", source })?;
        Ok(Self { named: path.to_owned(), place })
    }

    /// Whether this is stdout.
    pub fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout)
    }

    /// As the user named it.
    pub fn path(&self) -> &Path {
        &self.named
    }

    /// Writes all of it and puts it in place.
    ///
    /// Errors: of the system, a full disk among them; then what was there before is still there.
    pub fn finish(
        mut self,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let result = match &mut self.place {
            Place::Stdout => fill(io::stdout().lock(), content),
            Place::Direct(file) => fill(file, content),
            Place::Beside(pending) => pending.take().map_or(Ok(()), |pending| pending.finish(content)),
        };
        result.map_err(|source| OutputError { path: self.named.clone(), action: "write", source })
    }
}

fn fill(to: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut buffered = BufWriter::new(to);
    content(&mut buffered)?;
    buffered.flush()
}

fn open(path: &Path) -> io::Result<Place> {
    if path == Path::new("-") {
        return Ok(Place::Stdout);
    }
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(there) if there.is_file() => {
            // A rename would replace a file that may not be written, and a link instead of what it points to.
            OpenOptions::new().append(true).open(path)?;
            let path = fs::canonicalize(path)?;
            let pending = Pending::create(&path)?;
            pending.file.set_permissions(there.permissions())?;
            Ok(Place::Beside(Some(pending)))
        }
        Ok(_) => Ok(Place::Direct(OpenOptions::new().write(true).open(path)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Place::Beside(Some(Pending::create(path)?)))
        }
        Err(error) => Err(error),
    }
}

impl Pending {
    fn create(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_string_lossy().into_owned();
        let id = std::process::id();
        let mut clash = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..TEMPORARY_NAMES_MAX {
            let temporary = folder_of(path).join(format!(".{name}.{id}.{attempt}.tmp"));
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let pending = Self { file, temporary, path: path.to_owned(), is_placed: false };
                    pending.reserve()?;
                    return Ok(pending);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => clash = error,
                Err(error) => return Err(error),
            }
        }
        Err(clash)
    }

    /// Takes the room for a usual record, so that a full disk is known now. File systems that can't are believed to have it.
    fn reserve(&self) -> io::Result<()> {
        use rustix::io::Errno;
        match rustix::fs::fallocate(&self.file, rustix::fs::FallocateFlags::KEEP_SIZE, 0, RESERVED_BYTES) {
            Err(errno) if [Errno::NOSPC, Errno::DQUOT].contains(&errno) => Err(errno.into()),
            _ => Ok(()),
        }
    }

    fn finish(mut self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        fill(&self.file, content)?;
        // Gives back what was reserved and not used, and asks the disk, which may find only now that it is full.
        let length = self.file.metadata()?.len();
        self.file.set_len(length)?;
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.path)?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_placed {
            // Nothing more can be done about a temporary file that can't be removed.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
