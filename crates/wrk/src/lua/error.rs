//! What is wrong with a script, and where: `FILE:LINE: CAUSE`.

use super::batch::Fault;
use std::fmt;

/// Why a script can't be started, or had to be stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptError {
    /// It can't be loaded, or it raised an error.
    Raised {
        /// As it was named on the command line.
        file: String,
        /// Where in it, if that is known.
        line: Option<u32>,
        /// What Lua says.
        cause: String,
    },
    /// What it calls a request is none.
    BadRequest {
        /// What is wrong.
        reason: String,
        /// Line of the text, from 1.
        line: usize,
        /// Byte of the line, from 1.
        column: usize,
    },
    /// The URL's host has no address.
    Unresolved {
        /// Host and service, joined by a colon.
        place: String,
        /// The system's words.
        reason: String,
    },
    /// No address of the URL's host accepts a connection.
    Unreachable {
        /// Host and service, joined by a colon.
        place: String,
        /// The system's words.
        reason: String,
    },
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised { file, line: Some(line), cause } => write!(f, "{file}:{line}: {cause}"),
            Self::Raised { file, line: None, cause } => write!(f, "{file}: {cause}"),
            Self::BadRequest { reason, line, column } => write!(f, "{reason} at {line}:{column}"),
            Self::Unresolved { place, reason } => write!(f, "unable to resolve {place} {reason}"),
            Self::Unreachable { place, reason } => write!(f, "unable to connect to {place} {reason}"),
        }
    }
}

impl std::error::Error for ScriptError {}

impl ScriptError {
    pub(super) fn of_fault(fault: &Fault) -> Self {
        Self::BadRequest { reason: fault.reason.to_owned(), line: fault.line, column: fault.column }
    }

    /// What Lua raised while it ran `file`.
    pub(super) fn of_lua(file: &str, error: &mlua::Error) -> Self {
        let (text, traceback) = parts(error);
        let message = text.lines().next().unwrap_or_default();
        let shown = shown_name(file);
        if let Some((line, cause)) = after_place(message, &shown) {
            return Self::Raised { file: file.to_owned(), line: Some(line), cause: cause.to_owned() };
        }
        // Raised by a function that is no Lua: the innermost line of the script that led there.
        let line = traceback.lines().find_map(|line| after_place(line.trim_start(), &shown));
        let cause = message.strip_prefix(&format!("{shown}: ")).unwrap_or(message).to_owned();
        Self::Raised { file: file.to_owned(), line: line.map(|(line, _)| line), cause }
    }
}

/// Message and traceback.
fn parts(error: &mlua::Error) -> (String, String) {
    const TRACEBACK: &str = "\nstack traceback:";
    let split = |text: &str| match text.split_once(TRACEBACK) {
        Some((message, traceback)) => (message.to_owned(), traceback.to_owned()),
        None => (text.to_owned(), String::new()),
    };
    match error {
        mlua::Error::SyntaxError { message, .. } => split(message),
        mlua::Error::RuntimeError(message) | mlua::Error::MemoryError(message) => split(message),
        mlua::Error::CallbackError { traceback, cause } => {
            let (message, inner) = parts(cause);
            (message, format!("{inner}\n{traceback}"))
        }
        other => split(&other.to_string()),
    }
}

/// Line and rest of `NAME:LINE: REST`.
fn after_place<'a>(text: &'a str, name: &str) -> Option<(u32, &'a str)> {
    let (line, rest) = text.strip_prefix(name)?.strip_prefix(':')?.split_once(':')?;
    Some((line.parse().ok()?, rest.trim_start()))
}

/// How Lua shows a chunk's name: long ones by their end (`luaO_chunkid` of Lua 5.1, 60 bytes with the closing zero).
fn shown_name(file: &str) -> String {
    const SHOWN_BYTES_MAX: usize = 60;
    if file.len() < SHOWN_BYTES_MAX {
        return file.to_owned();
    }
    let mut from = file.len().saturating_sub(SHOWN_BYTES_MAX - 1 - "...".len());
    while !file.is_char_boundary(from) {
        from += 1;
    }
    format!("...{}", file.get(from..).unwrap_or_default())
}
