//! Running `weir` and showing all that came of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a command left: its exit code, its data, its talk.
pub(crate) struct Transcript {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// `weir` with nothing of the caller's terminal.
pub(crate) fn command<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.args(args).env("COLUMNS", "80").env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    // Runs of a test are kept only where it says.
    command.env("WEIR_STORE", "none");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end.
pub(crate) fn weir<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Transcript {
    transcript(&mut command(args))
}

/// The same in a folder, for what is written where the user is.
pub(crate) fn weir_in<S: AsRef<std::ffi::OsStr>>(folder: &Folder, args: &[S]) -> Transcript {
    transcript(command(args).current_dir(folder.path()))
}

fn transcript(command: &mut Command) -> Transcript {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Transcript { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Transcript {
    /// All of it, some texts replaced by names.
    pub(crate) fn shown(&self, names: &[(&str, &str)]) -> String {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        let mut shown = format!("exit code {code}\n");
        for (stream, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                shown.push_str(&format!("--- {stream}\n{text}"));
            }
        }
        for (text, name) in names {
            shown = shown.replace(text, name);
        }
        shown
    }
}

/// A folder of a test's own that goes when the test does.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weir-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as text.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.file(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
