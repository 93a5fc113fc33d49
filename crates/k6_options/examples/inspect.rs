//! Options as JSON on stdin, one object per line; for each what `inspect --execution-requirements` prints, as one line of JSON, or the exit code
//! and why not. With the argument `describe` the start-up text in its place. Made for holding the crate against a k6 that runs beside it.
//!
//! ```text
//! echo '{"vus":5,"duration":"10s"}' | cargo run -q -p k6_options --example inspect
//! ```

use k6_options::{Colour, Consolidated, Fault, Layers, Options, StartText};
use std::io::{BufRead as _, Write as _};

fn consolidate(line: &str) -> Result<(Consolidated, Vec<String>), Fault> {
    let value = serde_json::from_str(line).map_err(|fault| Fault::usage(fault.to_string()))?;
    let script = Options::from_script(&value)?;
    let layers = Layers { script: script.options, ..Layers::default() };
    let consolidated = layers.consolidate()?;
    let warnings = script.warnings.into_iter().chain(consolidated.warnings.clone()).collect();
    Ok((consolidated, warnings))
}

fn main() -> std::io::Result<()> {
    let describe = std::env::args().nth(1).is_some_and(|word| word == "describe");
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let said = match consolidate(&line?) {
            Ok((test, _)) if describe => {
                let start = StartText { script: "script.js", outputs: &[], web_dashboard: None };
                format!("{:?}", start.text(&test, Colour::Never))
            }
            Ok((test, warnings)) => format!("{} {warnings:?}", test.inspect().to_go_compact()),
            Err(fault) => format!("exit {}: {:?}", fault.exit_code.number(), fault.message),
        };
        writeln!(out, "{said}")?;
    }
    Ok(())
}
