//! What went wrong in a script, and where: message, name and the calls that led there, by file, line and column of the source.

use crate::Script;
use rquickjs::function::This;
use rquickjs::{Coerced, Ctx, Error, Function, Object, Value};
use std::fmt;

/// Frames kept of a stack at most: the engine records no more than 64.
const FRAMES_MAX: usize = 64;
/// Causes of errors that are told: a circle of them has no end.
const CAUSES_MAX: usize = 4;
/// Length of a message at most, bytes. A thrown text can be as long as the user's memory.
const MESSAGE_BYTES_MAX: usize = 64 << 10;
/// Length of a shown line of source at most, bytes: bundles are often one line.
const SOURCE_LINE_BYTES_MAX: usize = 200;

/// Why a script ended otherwise than by returning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// It can't be parsed.
    Syntax,
    /// A module that it names can't be found, read or linked.
    Module,
    /// It threw, and nothing caught it.
    Thrown,
    /// A promise was rejected, and nothing handled that.
    Rejected,
    /// It took more memory than [`crate::Limits::memory_bytes`].
    Memory,
    /// It ran for longer than [`crate::Limits::turn_ns`] without waiting for anything.
    Time,
    /// It was cancelled by whoever drives it.
    Cancelled,
}

/// One call of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The function's name; `<anonymous>` without one, `<eval>` or `<module>` for code outside of functions.
    pub function: String,
    /// The module's URL; empty for the engine's own functions.
    pub file: String,
    /// From 1; 0 where there is none.
    pub line: u32,
    /// From 1, in UTF-16 units of the source as it was written; 0 where there is none.
    pub column: u32,
}

/// What went wrong in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// Of which kind it is.
    pub kind: ErrorKind,
    /// The error's `name`, such as `TypeError`; empty when what was thrown is no error object.
    pub name: String,
    /// The error's message, or the text of what was thrown.
    pub message: String,
    /// The calls that led there, innermost first.
    pub stack: Vec<Frame>,
    /// The source's line of the first frame that has one, cut to 200 bytes.
    pub source_line: Option<String>,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.is_empty() {
            true => write!(f, "{}", self.message)?,
            false => write!(f, "{}: {}", self.name, self.message)?,
        }
        self.stack.iter().try_for_each(|frame| write!(f, "\n    at {frame}"))
    }
}

impl std::error::Error for ScriptError {}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, file, line, column } = self;
        match (file.is_empty(), line) {
            (true, _) => write!(f, "{function}"),
            (false, 0) => write!(f, "{function} ({file})"),
            (false, _) if *column == 0 => write!(f, "{function} ({file}:{line})"),
            (false, _) => write!(f, "{function} ({file}:{line}:{column})"),
        }
    }
}

impl ScriptError {
    /// An error without a stack.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, name: String::new(), message: message.into(), stack: Vec::new(), source_line: None }
    }

    /// Makes it of what a call into the engine returned, and takes the pending exception.
    pub(crate) fn of(ctx: &Ctx<'_>, error: &Error, kind: ErrorKind, places: Option<&Script>) -> Self {
        match error {
            Error::Exception => Self::of_value(ctx, &ctx.catch(), kind, places),
            Error::Allocation => Self::new(ErrorKind::Memory, "out of memory"),
            other => Self::new(kind, other.to_string()),
        }
    }

    /// Makes it of what was thrown. What the object does on being looked at (getters, proxies) is not let through.
    pub(crate) fn of_value<'js>(
        ctx: &Ctx<'js>,
        thrown: &Value<'js>,
        kind: ErrorKind,
        places: Option<&Script>,
    ) -> Self {
        let mut error = Self::new(kind, "");
        match thrown.as_object() {
            Some(object) if object.is_error() => {
                error.name = text_of(ctx, object, "name").unwrap_or_default();
                error.message = text_of(ctx, object, "message").unwrap_or_default();
                let stack = text_of(ctx, object, "stack").unwrap_or_default();
                error.stack = frames(&stack);
                if let Some(causes) = causes(ctx, object) {
                    error.message = cut(format!("{} ({causes})", error.message));
                }
            }
            Some(object) => {
                let fallback = || text_of(ctx, object, "message").unwrap_or_else(|| "[object]".to_owned());
                error.message = shown(ctx, thrown).unwrap_or_else(fallback);
            }
            // The engine throws null when not even an error object fits into the memory.
            None if thrown.is_null() && kind != ErrorKind::Syntax => error.message = "null".to_owned(),
            None => error.message = shown(ctx, thrown).unwrap_or_default(),
        }
        if error.name == "InternalError" && error.message == "out of memory" {
            error.kind = ErrorKind::Memory;
        }
        if let Some(script) = places {
            script.place(&mut error);
        }
        error
    }

    pub(crate) fn show_line(&mut self, line: &str) {
        let mut end = line.len().min(SOURCE_LINE_BYTES_MAX);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        self.source_line = line.get(..end).map(str::to_owned);
    }
}

/// What errors say of the errors that led to them, innermost last.
fn causes<'js>(ctx: &Ctx<'js>, object: &Object<'js>) -> Option<String> {
    let mut texts = Vec::new();
    let mut around = object.clone();
    while texts.len() < CAUSES_MAX {
        let cause = swallow(ctx, around.get::<_, Value<'js>>("cause"));
        let Some(cause) = cause.filter(|cause| !cause.is_undefined() && !cause.is_null()) else { break };
        texts.push(format!("caused by {}", shown(ctx, &cause).unwrap_or_default()));
        match cause.into_object() {
            Some(object) => around = object,
            None => break,
        }
    }
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// What `String(value)` is, or nothing when that throws.
fn shown<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
    let text = match value.as_symbol() {
        Some(symbol) => {
            let to_string: rquickjs::Result<Function<'js>> = symbol.as_value().as_object().map_or_else(
                || ctx.eval::<Function<'js>, _>("Symbol.prototype.toString"),
                |object| object.get("toString"),
            );
            to_string.and_then(|function| function.call::<_, String>((This(value.clone()),)))
        }
        None => value.get::<Coerced<String>>().map(|text| text.0),
    };
    swallow(ctx, text).map(cut)
}

fn text_of<'js>(ctx: &Ctx<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    let text = object.get::<_, Option<Coerced<String>>>(key);
    swallow(ctx, text).flatten().map(|text| cut(text.0))
}

fn swallow<T>(ctx: &Ctx<'_>, outcome: rquickjs::Result<T>) -> Option<T> {
    if outcome.is_err() {
        ctx.catch();
    }
    outcome.ok()
}

fn cut(mut text: String) -> String {
    let mut end = text.len().min(MESSAGE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// Reads the engine's form of a stack: `    at FUNCTION (FILE:LINE:COLUMN)` or `    at FILE:LINE:COLUMN`, a call a line.
fn frames(stack: &str) -> Vec<Frame> {
    let calls = stack.lines().filter_map(|line| line.trim_start().strip_prefix("at "));
    // A text that is parsed as JSON is no place of a script.
    calls.take(FRAMES_MAX).map(frame).filter(|frame| frame.file != "<input>").collect()
}

fn frame(call: &str) -> Frame {
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.split_once(" (")) {
        Some(parts) => parts,
        None if call.contains(':') => ("<anonymous>", call),
        None => (call, ""),
    };
    let number = |text: &str| text.parse::<u32>().ok();
    let whole = (place, 0, 0);
    let (file, line, column) = match place.rsplit_once(':') {
        Some((rest, last)) => match (rest.rsplit_once(':'), number(last)) {
            (Some((file, line)), Some(column)) if number(line).is_some() => {
                (file, number(line).unwrap_or_default(), column)
            }
            (_, Some(line)) => (rest, line, 0),
            _ => whole,
        },
        None => whole,
    };
    let file = if file == "native" { "" } else { file };
    Frame { function: function.to_owned(), file: file.to_owned(), line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let check = |call: &str, expected: (&str, &str, u32, u32)| {
            let Frame { function, file, line, column } = frame(call);
            assert_eq!((function.as_str(), file.as_str(), line, column), expected, "{call}");
        };
        check("f (file:///a b/c.js:3:7)", ("f", "file:///a b/c.js", 3, 7));
        check("f (https://a:80/c.js)", ("f", "https://a:80/c.js", 0, 0));
        check("<anonymous> (a.js:3)", ("<anonymous>", "a.js", 3, 0));
        check("file:///c.js:3:7", ("<anonymous>", "file:///c.js", 3, 7));
        check("map (native)", ("map", "", 0, 0));
        check("map", ("map", "", 0, 0));
    }
}
