//! k6's options as its users meet them: what is read, which layer wins, what runs, what is shown.

mod command_line;
mod layers;
mod reading;
mod scenarios;
mod shown;

use k6_options::{Consolidated, Fault, Layers, Options};

/// Options as a script exports them, in JSON.
fn script(json: &str) -> Result<Options, Fault> {
    let value = serde_json::from_str(json).unwrap_or_else(|fault| panic!("{json}: {fault}"));
    Options::from_script(&value).map(|script| script.options)
}

/// What runs with these script options alone.
fn test(json: &str) -> Result<Consolidated, Fault> {
    Layers { script: script(json)?, ..Layers::default() }.consolidate()
}

/// The exit code and the message, without the line that introduces a list.
fn said<T: std::fmt::Debug>(result: Result<T, Fault>) -> (u8, String) {
    let fault = result.expect_err("a fault");
    let message =
        fault.message.replace("There were problems with the specified script configuration:\n\t- ", "");
    (fault.exit_code.number(), message)
}
