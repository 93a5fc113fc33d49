//! Outputs are whole or not there, and what can't be written is known before the run.

use report::OutputFile;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A folder of its own that goes when the test does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-report-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn said(path: &Path) -> String {
    let error = OutputFile::open(path).unwrap_err();
    format!("{error}\nhint: {}", error.hint())
}

#[test]
fn a_file_appears_whole_at_the_end() {
    let folder = Folder::new("whole");
    let path = folder.0.join("a.json");
    let output = OutputFile::open(&path).unwrap();
    assert!(!path.exists());
    output.finish(|out| out.write_all(b"all of it")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "all of it");
    assert_eq!(folder.names(), ["a.json"]);
}

#[test]
fn what_was_there_stays_until_the_new_is_whole() {
    let folder = Folder::new("replace");
    let path = folder.0.join("a.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    drop(OutputFile::open(&path).unwrap());
    let failed = OutputFile::open(&path).unwrap().finish(|out| {
        out.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let failed = failed.unwrap_err();
    assert_eq!(failed.hint(), "free some space, or name a file on another disk");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["a.json"]);
    OutputFile::open(&path).unwrap().finish(|out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_link_is_followed_and_a_device_is_written_in_place() {
    let folder = Folder::new("link");
    let (path, link) = (folder.0.join("a.json"), folder.0.join("b.json"));
    fs::write(&path, "old").unwrap();
    symlink(&path, &link).unwrap();
    OutputFile::open(&link).unwrap().finish(|out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    OutputFile::open(Path::new("/dev/null")).unwrap().finish(|out| out.write_all(b"new")).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_full_disk_is_said() {
    let output = OutputFile::open(Path::new("/dev/full")).unwrap();
    let error = output.finish(|out| out.write_all(b"new")).unwrap_err();
    assert_eq!(error.to_string(), "can't write `/dev/full`: no space left on device");
}

#[test]
fn what_cant_be_written_is_said_with_the_mend() {
    let folder = Folder::new("refused");
    let missing = folder.0.join("no/such/a.json");
    let in_folder = |text: String| text.replace(folder.0.to_str().unwrap(), "DIR");
    assert_eq!(
        in_folder(said(&missing)),
        "can't open `DIR/no/such/a.json`: no such file or directory\nhint: create the folder first: mkdir -p 'DIR/no/such'"
    );
    assert_eq!(
        in_folder(said(&folder.0)),
        "can't open `DIR`: is a directory\nhint: name a file, not a folder"
    );
    assert!(said(Path::new("")).starts_with("can't open ``: "));
}

#[test]
fn a_dash_is_stdout() {
    let output = OutputFile::open(Path::new("-")).unwrap();
    assert!(output.is_stdout());
    assert_eq!(output.path(), Path::new("-"));
}
