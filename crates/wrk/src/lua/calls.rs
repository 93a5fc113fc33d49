//! One thread's state and the calls from its worker into it: what happens per request.
//!
//! Only what the script defines is called. A call costs one entry into Lua; bytes are copied once each way.

use super::batch;
use super::error::ScriptError;
use super::thread::ThreadCell;
use bstr::BStr;
use mlua::{Function, Lua, LuaString, Table, Value};
use scenario::{Headers, RequestKind};
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

    /// Calls `response`, if the script still has it.
    pub(crate) fn response(
        &self,
        status: u16,
        headers: Option<Headers<'_>>,
        body: &[u8],
    ) -> Result<(), Failed> {
        let table = self.headers_table(headers).map_err(|error| self.fail(&error))?;
        self.response.call::<()>((status, table, BStr::new(body))).map_err(|error| self.fail(&error))
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
            _ => 0.0,
        };
        // A negative or undefined number counts as none.
        Ok((delay_ms.clamp(0.0, DELAY_MS_MAX) as u64).saturating_mul(NS_PER_MS))
    }

    #[cold]
    fn fail(&self, error: &mlua::Error) -> Failed {
        self.alarm.raise(ScriptError::of_lua(&self.file, error));
        Failed
    }
}
