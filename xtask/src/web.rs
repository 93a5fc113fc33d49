//! The page that reports carry: its types and tests, and that what is committed is what its sources build.
//!
//! Users need no Node, because the built page is committed. So a change in `web/` that was not built would go unseen but for this.

use crate::ci::{Places, cargo, finish};
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The page as it is embedded.
const COMMITTED: &str = "crates/report/assets/report.html";
/// Where it is built to be held against that.
const BUILT: &str = "ci-web";
/// What the builder needs of Node (its `engines`), which Debian 12's own packages are too old for.
const NODE_MAJOR_MIN: u32 = 20;

/// Types, unit tests, the build, and tests in a real browser with the debug build of the command.
pub(crate) fn check(places: &Places) -> Result<()> {
    node_is_new()?;
    let folder = places.root.join("web");
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command.args(arguments).current_dir(&folder);
        command
    };
    finish(&mut npm(&["ci", "--no-audit", "--no-fund"]))?;
    finish(&mut npm(&["run", "--silent", "check"]))?;
    finish(&mut npm(&["test", "--silent"]))?;
    let built = places.target.join(BUILT);
    finish(npm(&["run", "--silent", "build"]).env("WEIR_WEB_OUT", &built))?;
    is_current(&places.root.join(COMMITTED), &built.join("report.html"))?;
    cargo(places, &["build", "--locked", "-p", "cli"])?;
    finish(npm(&["run", "--silent", "test:browser"]).env("WEIR", places.target.join("debug/weir")))
}

fn node_is_new() -> Result<()> {
    let told = Command::new("node").arg("--version").output();
    let told = told.context("Node is not installed: apt-get install nodejs npm, or nodejs.org")?.stdout;
    let version = String::from_utf8_lossy(&told).trim().to_owned();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE_MAJOR_MIN) {
        bail!("Node {version} is too old: {NODE_MAJOR_MIN} or newer is needed");
    }
    Ok(())
}

fn is_current(committed: &Path, built: &Path) -> Result<()> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("can't read {}", path.display()));
    if read(committed)? != read(built)? {
        bail!("{COMMITTED} is not what web/ builds");
    }
    Ok(())
}
