//! Talking to people: on stderr, with colour where it helps.

use crate::args::ColorWhen;
use report::Color;
use std::ffi::OsStr;
use std::io::{IsTerminal, Write as _};

/// How to talk on this terminal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Talk {
    /// For data on stdout.
    pub(crate) stdout_color: Color,
    /// For talk on stderr.
    pub(crate) stderr_color: Color,
    /// Columns of stdout's terminal.
    pub(crate) width: usize,
}

/// Columns where there is no terminal.
const WIDTH_DEFAULT: usize = 80;

impl Talk {
    /// Looks at the terminals and at `NO_COLOR` (<https://no-color.org>: set and not empty).
    pub(crate) fn new(when: ColorWhen) -> Self {
        let is_set = |value: Option<&OsStr>| value.is_some_and(|value| !value.is_empty());
        let refused = is_set(std::env::var_os("NO_COLOR").as_deref())
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let color = |is_terminal: bool| match when {
            ColorWhen::Always => Color::Always,
            ColorWhen::Auto if is_terminal && !refused => Color::Always,
            ColorWhen::Auto | ColorWhen::Never => Color::Never,
        };
        let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout());
        let columns = size.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0);
        Self {
            stdout_color: color(std::io::stdout().is_terminal()),
            stderr_color: color(std::io::stderr().is_terminal()),
            width: columns.unwrap_or(WIDTH_DEFAULT),
        }
    }

    /// Says a message, its `error:`, `warning:` and `hint:` coloured, in one write so that other talk does not part it.
    pub(crate) fn say(&self, message: &str) {
        let mut text = String::new();
        for line in message.lines() {
            // Messages repeat what was typed and what files hold.
            text.push_str(&self.colored(&legible_line(line)));
            text.push('\n');
        }
        // There is nobody to tell when stderr can't be written.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Says several messages, a blank line between them.
    pub(crate) fn say_all(&self, messages: &[String]) {
        if !messages.is_empty() {
            self.say(&messages.join("\n\n"));
        }
    }

    fn colored(&self, line: &str) -> String {
        let codes = [("error:", "1;31"), ("warning:", "1;33"), ("hint:", "1;32")];
        let start = codes.iter().find(|(start, _)| line.starts_with(start));
        match (self.stderr_color, start) {
            (Color::Always, Some((start, code))) => {
                format!("\x1b[{code}m{start}\x1b[0m{}", line.strip_prefix(start).unwrap_or_default())
            }
            _ => line.to_owned(),
        }
    }
}

/// A line of text without what would move a terminal's cursor or deceive its reader. A tab is no harm.
pub(crate) fn legible_line(line: &str) -> String {
    line.split('\t').map(units::legible).collect::<Vec<_>>().join("\t")
}
