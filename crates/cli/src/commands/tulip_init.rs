//! `weir tulip init`: a project that runs at once.

use crate::args::InitArgs;
use crate::exit::{self, Exit, Failure};
use plan::Diagnostic;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Names, contents, permissions.
const FILES: [(&str, &str, u32); 3] = [
    ("benchmark_config.json", include_str!("tulip_project/benchmark_config.json"), 0o644),
    ("actions.yaml", include_str!("tulip_project/actions.yaml"), 0o644),
    ("run_bench.sh", include_str!("tulip_project/run_bench.sh"), 0o755),
];

pub(crate) fn run(args: &InitArgs) -> Result<Exit, Failure> {
    if !args.aps.is_finite() || args.aps <= 0.0 {
        let fault = Diagnostic::error(format!("--aps {} is no rate", args.aps));
        return Err(Failure::usage(&fault.hint("use a number above 0, such as 100")));
    }
    if args.url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let fault = Diagnostic::error("there is a blank in --url");
        return Err(Failure::usage(&fault.hint("write for example http://127.0.0.1:7070")));
    }
    let folder = &args.folder;
    let taken: Vec<String> = FILES
        .iter()
        .map(|(name, ..)| folder.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if !taken.is_empty() {
        let there = if taken.len() == 1 { "is there already" } else { "are there already" };
        let fault = Diagnostic::error(format!("{} {there}", taken.join(", ")));
        return Err(Failure::usage(&fault.hint("name another folder; nothing was written")));
    }
    let outcome = fs::create_dir_all(folder)
        .and_then(|()| FILES.iter().try_for_each(|(name, text, mode)| write(args, name, text, *mode)));
    outcome.map_err(|error| {
        let message = format!("can't write into `{}`: {}", folder.display(), units::system_words(&error));
        Failure::usage(&Diagnostic::error(message).hint("name a folder that you may write"))
    })?;
    exit::of_stdout(io::stdout().write_all(guide(folder, &args.url).as_bytes()))
}

/// Writes a file that is not there.
fn write(args: &InitArgs, name: &str, text: &str, mode: u32) -> io::Result<()> {
    let url = serde_json::Value::from(args.url.as_str()).to_string();
    let text =
        text.replace("target: URL", &format!("target: {url}")).replace("APS", &format!("{:?}", args.aps));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(args.folder.join(name))?;
    file.write_all(text.as_bytes())
}

fn guide(folder: &Path, url: &str) -> String {
    let script = folder.join("run_bench.sh");
    let script = if script.is_absolute() || folder.starts_with("..") || folder.starts_with(".") {
        script.display().to_string()
    } else {
        format!("./{}", script.display())
    };
    let target = if url == "http://127.0.0.1:7070" {
        "  weir target &           something to send to, at that address\n"
    } else {
        ""
    };
    format!(
        "written to {}:
  benchmark_config.json   what is run: contexts, benchmarks, a workflow
  actions.yaml            what its actions do, at {url}
  run_bench.sh            runs it

next:
{target}  {script}
",
        folder.display()
    )
}
