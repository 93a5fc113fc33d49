//! One thread's state and the calls from its worker into it: what happens per request.
//!
//! Only what the script defines is called. A call costs one entry into Lua; bytes are copied once each way.

use super::batch;
use super::error::ScriptError;
use super::thread::ThreadCell;
use bstr::BStr;
use mlua::{Function, Lua, LuaString, Table, Value};
use scenario::{Headers, RequestKind};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use units::NS_PER_MS;

/// Longest pause that `delay` can ask for: a day. Longer ones are cut, so that no arithmetic on times can overflow.
const DELAY_MS_MAX: f64 = 86_400_000.0;

/// What the first error in a callback sets off. Shared by all threads.
#[derive(Default)]
pub(crate) struct Alarm {
    is_raised: AtomicBool,
    first: Mutex<Option<ScriptError>>,
    bell: Mutex<Option<Box<dyn Fn() + Send>>>,
}

impl Alarm {
    /// Whether a callback has failed: nothing is to be begun any more.
    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        self.is_raised.load(Ordering::Relaxed)
    }

    #[cold]
    fn raise(&self, error: ScriptError) {
        if self.is_raised.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Ok(mut first) = self.first.lock() {
            *first = Some(error);
        }
        if let Ok(bell) = self.bell.lock()
            && let Some(ring) = bell.as_ref()
        {
            ring();
        }
    }

    pub(super) fn first(&self) -> Option<ScriptError> {
        self.first.lock().ok().and_then(|first| first.clone())
    }

    pub(super) fn on_raise(&self, ring: Box<dyn Fn() + Send>) {
        if let Ok(mut bell) = self.bell.lock() {
            *bell = Some(ring);
        }
    }
}

/// Which callbacks a script has. The first thread's state decides for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Defined {
    pub(crate) request: bool,
    pub(crate) response: bool,
    pub(crate) delay: bool,
}

/// A script's callbacks in one thread's state.
pub(crate) struct Calls {
    pub(super) lua: Lua,
    pub(super) file: Arc<str>,
    pub(super) cell: Arc<ThreadCell>,
    pub(super) alarm: Arc<Alarm>,
    pub(super) table: Table,
    request: Function,
    response: Function,
    delay: Function,
}

/// Heads that a thread keeps in mind: the answers of a pipelined batch may each have their own.
const HEADS_COUNT_MAX: usize = 4;
/// So often must a head have come before it is worth learning: that costs as much as some tens of tables made from lines.
const LEARNT_AFTER_COUNT: u32 = 8;

/// The heads of answers that a thread has seen lately, and for those that come again how to make their table quickly.
#[derive(Default)]
pub(crate) struct Heads {
    seen: [SeenHead; HEADS_COUNT_MAX],
    /// The one that the next new head takes the place of.
    oldest: usize,
}

#[derive(Default)]
struct SeenHead {
    bytes: Vec<u8>,
    count: u32,
    /// Calls `response` with a new table of this head's lines.
    repeated: Option<Function>,
}

impl Heads {
    /// The place of this head, counted once more.
    #[inline]
    fn seen(&mut self, bytes: &[u8]) -> &mut SeenHead {
        let found = self.seen.iter().position(|head| head.bytes == bytes);
        let place = found.unwrap_or_else(|| self.replace_oldest(bytes));
        let head = &mut self.seen[place];
        head.count = head.count.saturating_add(1);
        head
    }

    fn replace_oldest(&mut self, bytes: &[u8]) -> usize {
        let place = self.oldest;
        self.oldest = (place + 1) % HEADS_COUNT_MAX;
        let head = &mut self.seen[place];
        head.bytes.clear();
        head.bytes.extend_from_slice(bytes);
        head.count = 0;
        head.repeated = None;
        place
    }
}

/// A callback has failed; the alarm knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

impl Calls {
    /// The calls of the table that the prelude returned.
    pub(super) fn new(
        lua: Lua,
        file: Arc<str>,
        cell: Arc<ThreadCell>,
        alarm: Arc<Alarm>,
        table: Table,
    ) -> mlua::Result<Self> {
        let (request, response, delay) = (table.get("request")?, table.get("response")?, table.get("delay")?);
        Ok(Self { lua, file, cell, alarm, table, request, response, delay })
    }

    /// Whether nothing is to be begun any more on this thread.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.cell.is_stopped() || self.alarm.is_raised()
    }

    /// Where the thread's connections are to go, if the script has said so.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.cell.pinned()
    }

    /// Calls `request` and copies its text, with the kinds of the requests in it.
    pub(crate) fn request(&self, bytes: &mut Vec<u8>, kinds: &mut Vec<RequestKind>) -> Result<(), Failed> {
        let text = self.request.call::<LuaString>(()).map_err(|error| self.fail(&error))?;
        let text = text.as_bytes();
        if *bytes == *text {
            return Ok(());
        }
        bytes.clear();
        bytes.extend_from_slice(&text);
        kinds.clear();
        batch::kinds(bytes, kinds);
        Ok(())
    }

    /// Calls `response`, if the script still has it. `heads` are those that this thread has seen.
    pub(crate) fn response(
        &self,
        heads: &mut Heads,
        status: u16,
        headers: Option<Headers<'_>>,
        body: &[u8],
    ) -> Result<(), Failed> {
        let body = BStr::new(body);
        let head = heads.seen(headers.map_or(&[], Headers::as_bytes));
        let called = match &head.repeated {
            // Text goes straight onto Lua's stack, other bytes by a reference.
            Some(repeated) => match std::str::from_utf8(body) {
                Ok(text) => repeated.call::<()>((status, text)),
                Err(_) => repeated.call::<()>((status, body)),
            },
            None => self.first_responses(head, status, headers, body),
        };
        called.map_err(|error| self.fail(&error))
    }

    /// Calls `response` with a table made from the head's lines; a head that has come often enough is learnt.
    fn first_responses(
        &self,
        head: &mut SeenHead,
        status: u16,
        headers: Option<Headers<'_>>,
        body: &BStr,
    ) -> mlua::Result<()> {
        let table = self.headers_table(headers)?;
        if head.count == LEARNT_AFTER_COUNT {
            head.repeated = Some(self.table.get::<Function>("learn")?.call(&table)?);
        }
        self.response.call::<()>((status, table, body))
    }

    /// Names as received; of lines with one name the last stands.
    fn headers_table(&self, headers: Option<Headers<'_>>) -> mlua::Result<Table> {
        let lines = headers.into_iter().flat_map(Headers::iter);
        self.lua.create_table_from(lines.map(|(name, value)| (name, BStr::new(value))))
    }

    /// Calls `delay`: how long to wait, ns.
    pub(crate) fn delay_ns(&self) -> Result<u64, Failed> {
        let value = self.delay.call::<Value>(()).map_err(|error| self.fail(&error))?;
        let delay_ms = match value {
            Value::Integer(value) => value as f64,
            Value::Number(value) => value,
            // Lua takes a text of digits for a number.
            Value::String(text) => {
                text.to_str().ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0.0)
            }
            _ => 0.0,
        };
        // A negative or undefined number counts as none, and whatever is no number.
        Ok((delay_ms.clamp(0.0, DELAY_MS_MAX) as u64).saturating_mul(NS_PER_MS))
    }

    #[cold]
    fn fail(&self, error: &mlua::Error) -> Failed {
        self.alarm.raise(ScriptError::of_lua(&self.file, error));
        Failed
    }
}
