//! `weir tulip init`: a project that runs at once.

use crate::args::InitArgs;
use crate::commands::tulip::{Config, load_with, parse_actions};
use crate::exit::{self, Exit, Failure};
use crate::talk::Talk;
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

pub(crate) fn run(args: &InitArgs, talk: &Talk) -> Result<Exit, Failure> {
    if !args.aps.is_finite() || args.aps <= 0.0 {
        let fault = Diagnostic::error(format!("--aps {} is no rate", args.aps));
        return Err(Failure::usage(&fault.hint("use a number above 0, such as 100")));
    }
    let [config, actions, _] = FILES.map(|(name, text, _)| (name, filled(args, text)));
    // As a run will read them: what --url or --aps make of them is known before a file is there.
    let plan = parse_actions(&actions.1, Path::new(actions.0))?;
    load_with(&Config::new(config.0.to_owned(), config.1), Some(&plan), talk)?;
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

/// A text with URL and rate in their places.
fn filled(args: &InitArgs, text: &str) -> String {
    let url = serde_json::Value::from(args.url.as_str()).to_string();
    text.replace("target: URL", &format!("target: {url}")).replace("APS", &format!("{:?}", args.aps))
}

/// Writes a file that is not there.
fn write(args: &InitArgs, name: &str, text: &str, mode: u32) -> io::Result<()> {
    let text = filled(args, text);
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
