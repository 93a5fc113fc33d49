//! Lua scripts as wrk and wrk2 run them: LuaJIT, one state for each thread and a main state.
//!
//! [`Script::start`] does all that comes before the load: it runs the file in each state, `setup` for each thread in the main state,
//! `init` in each thread's, and one `request` to verify it. The states are made on the caller's thread and lent to the workers; while
//! the load is on, a state is entered by its worker alone, and afterwards [`Script::done`] reaches into them again. mlua guards each
//! state by a lock of its own, which nobody else asks for meanwhile: some ns per call.
//!
//! Scripts are the user's own programs: see `open` for what they may do.
//!
//! What scripts hold of Weir's is made in the prelude, of plain functions, and not of mlua's typed userdata: LuaJIT on x86-64 takes a C
//! function's result for 64 bits wide, the compiler leaves the upper half as it comes, and the destructor of such a value then takes the
//! process down (seen with mlua 0.12.2 at opt-level 1). The functions used here have no such exit, and tests run each of them.

mod address;
mod batch;
mod calls;
mod error;
mod open;
mod outcome;
mod thread;
mod transfer;

pub use address::system_words;
use calls::Alarm;
pub(crate) use calls::{Calls, Defined, Failed, Heads};
pub use error::ScriptError;
pub use outcome::Summary;

use crate::{Mode, Options, Statistics};
use mlua::{Function, IntoLua as _, Lua, LuaString, Table, Value};
use scenario::RequestKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use thread::ThreadCell;

/// What every state has before the script's file runs.
const PRELUDE: &str = include_str!("prelude.lua");

/// A script that is ready to run, with all its states.
pub struct Script {
    mode: Mode,
    file: Arc<str>,
    main: Lua,
    main_calls: Table,
    threads: Vec<Arc<Calls>>,
    /// What each thread sends where the script has no `request`.
    fixed: Vec<Vec<u8>>,
    kinds: Vec<RequestKind>,
    defined: Defined,
    alarm: Arc<Alarm>,
}

impl Script {
    /// Runs the script `source` up to the load's start.
    ///
    /// # Errors
    /// The script can't be loaded or raises an error; no address of the URL's host can be reached; the first request is none.
    pub fn start(options: &Options, source: &[u8]) -> Result<Self, ScriptError> {
        let file: Arc<str> =
            options.script.as_ref().map_or_else(String::new, |path| path.display().to_string()).into();
        let raised = |error: mlua::Error| ScriptError::of_lua(&file, &error);
        let alarm = Arc::new(Alarm::default());
        let (main, main_calls) = new_state(options, &file, source).map_err(raised)?;
        resolve(options, &main_calls, &file)?;
        let mut script = Self {
            mode: options.mode,
            file: Arc::clone(&file),
            main,
            main_calls,
            threads: Vec::new(),
            fixed: Vec::new(),
            kinds: Vec::new(),
            defined: Defined { request: false, response: false, delay: false },
            alarm,
        };
        for index in 0..options.threads {
            script.start_thread(options, source, index == 0)?;
        }
        script.flush();
        Ok(script)
    }

    /// Makes a thread's state and leads it up to its start.
    fn start_thread(&mut self, options: &Options, source: &[u8], is_first: bool) -> Result<(), ScriptError> {
        let file = Arc::clone(&self.file);
        let raised = |error: mlua::Error| ScriptError::of_lua(&file, &error);
        let (lua, table) = new_state(options, &file, source).map_err(raised)?;
        let cell = Arc::new(ThreadCell::default());
        let wrk: Table = lua.globals().get("wrk").map_err(raised)?;
        wrk.set("thread", thread_for(&lua, &table, &cell, &lua).map_err(raised)?).map_err(raised)?;
        let thread = thread_for(&self.main, &self.main_calls, &cell, &lua).map_err(raised)?;
        call::<()>(&self.main_calls, "setup", thread).map_err(raised)?;
        let arguments = lua.create_table().map_err(raised)?;
        let all = std::iter::once(&options.url.text).chain(&options.script_args);
        for (index, argument) in all.enumerate() {
            arguments.raw_set(index, argument.as_str()).map_err(raised)?;
        }
        call::<()>(&table, "init", arguments).map_err(raised)?;
        let calls =
            Calls::new(lua, Arc::clone(&file), cell, Arc::clone(&self.alarm), table).map_err(raised)?;
        if is_first {
            let defines = |name| call::<bool>(&calls.table, "defines", name).map_err(raised);
            self.defined = Defined {
                request: defines("request")?,
                response: defines("response")?,
                // wrk2 has no such callback.
                delay: self.mode == Mode::Wrk && defines("delay")?,
            };
        }
        let name = if self.defined.request { "request" } else { "fixed" };
        if is_first || !self.defined.request {
            let text: LuaString = call(&calls.table, name, ()).map_err(raised)?;
            let text = text.as_bytes();
            if is_first {
                self.kinds = batch::verify(&text).map_err(|fault| ScriptError::of_fault(&fault))?;
            }
            if !self.defined.request {
                self.fixed.push(text.to_vec());
            }
        }
        call::<()>(&calls.table, "settle", ()).map_err(raised)?;
        self.threads.push(Arc::new(calls));
        Ok(())
    }

    /// How many requests the first text held: wrk's depth of pipelining.
    pub fn depth(&self) -> usize {
        self.kinds.len()
    }

    /// Where a thread's connections are to go, if the script has said so.
    pub fn address(&self, thread_index: usize) -> Option<SocketAddr> {
        self.threads.get(thread_index).and_then(|calls| calls.address())
    }

    /// Calls `ring` once, on the thread of a worker, when a callback fails: the load is to be stopped. What failed is then
    /// [`Script::failure`]. Without it the threads stop by themselves, each when its users have their answers.
    pub fn on_failure(&self, ring: impl Fn() + Send + 'static) {
        self.alarm.on_raise(Box::new(ring));
    }

    /// The first error that a callback raised while the load was on.
    pub fn failure(&self) -> Option<ScriptError> {
        self.alarm.first()
    }

    /// Calls the script's `done`, if it has one. What it prints goes to stdout, so print the report before.
    ///
    /// # Errors
    /// It raises one.
    pub fn done(
        &self,
        summary: &Summary,
        latency: Statistics,
        requests: Statistics,
    ) -> Result<(), ScriptError> {
        let call_done = || {
            if !call::<bool>(&self.main_calls, "defines", "done")? {
                return Ok(());
            }
            let object = |of| {
                call::<Value>(&self.main_calls, "statistics", outcome::parts(&self.main, self.mode, of)?)
            };
            let summary = outcome::summary_table(&self.main, summary)?;
            call::<()>(&self.main_calls, "done", (summary, object(latency)?, object(requests)?))
        };
        let called = call_done().map_err(|error| ScriptError::of_lua(&self.file, &error));
        self.flush();
        called
    }

    /// Hands on what scripts have printed: C's buffer and Rust's are two, and the order of lines would not be kept.
    pub fn flush(&self) {
        // A closed stdout is found by whoever writes to it next.
        let _ = call::<()>(&self.main_calls, "flush", ());
    }

    pub(crate) fn threads(&self) -> &[Arc<Calls>] {
        &self.threads
    }

    /// What a thread sends where the script has no `request`, with the kinds of the requests in it.
    pub(crate) fn fixed(&self, thread_index: usize) -> Option<(Vec<u8>, Vec<RequestKind>)> {
        let bytes = self.fixed.get(thread_index)?.clone();
        let kinds = kinds(&bytes);
        Some((bytes, kinds))
    }

    pub(crate) fn defined(&self) -> Defined {
        self.defined
    }
}

/// A thread, whose own state is `own`, as scripts in the state `holder` see it.
fn thread_for(holder: &Lua, calls: &Table, cell: &Arc<ThreadCell>, own: &Lua) -> mlua::Result<Value> {
    call(calls, "thread", thread::natives(holder, cell, &own.weak())?)
}

/// The kinds of all requests in a text, at least one.
pub(crate) fn kinds(text: &[u8]) -> Vec<RequestKind> {
    let mut found = Vec::new();
    batch::kinds(text, &mut found);
    found
}

/// Calls one of the prelude's functions.
fn call<R: mlua::FromLuaMulti>(
    calls: &Table,
    name: &str,
    arguments: impl mlua::IntoLuaMulti,
) -> mlua::Result<R> {
    calls.get::<Function>(name)?.call(arguments)
}

/// A state in which the script's file has run, and the calls into it.
fn new_state(options: &Options, file: &str, source: &[u8]) -> mlua::Result<(Lua, Table)> {
    let lua = open::open();
    let prelude = lua.load(PRELUDE).set_name("=(weir)");
    let calls: Table = prelude.call((facts(&lua, options)?, header_names(&lua, options)?, native(&lua)?))?;
    // As a shell's line at the top, which Lua's own loader skips too.
    let source = match source.first() {
        Some(b'#') => source
            .iter()
            .position(|byte| *byte == b'\n')
            .and_then(|end| source.get(end..))
            .unwrap_or_default(),
        _ => source,
    };
    lua.load(source).set_name(format!("@{file}")).exec()?;
    Ok((lua, calls))
}

/// The first values of the table `wrk`.
fn facts(lua: &Lua, options: &Options) -> mlua::Result<Table> {
    let url = &options.url;
    let facts = lua.create_table()?;
    facts.set("scheme", url.scheme.as_str())?;
    facts.set("host", url.host.as_str())?;
    facts.set("port", url.port.map(|port| port.to_string()))?;
    facts.set("method", "GET")?;
    facts.set("path", url.path.as_str())?;
    let headers = lua.create_table()?;
    for (name, value) in &options.headers {
        let value = value.as_str().into_lua(lua)?;
        match headers.get::<Value>(name.as_str())? {
            Value::Nil => headers.set(name.as_str(), value)?,
            Value::Table(several) => several.push(value)?,
            first => headers.set(name.as_str(), lua.create_sequence_from([first, value])?)?,
        }
    }
    facts.set("headers", headers)?;
    Ok(facts)
}

/// The names of `-H` in their order, each once.
fn header_names(lua: &Lua, options: &Options) -> mlua::Result<Table> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in &options.headers {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    lua.create_sequence_from(names)
}

/// What of the table `wrk` is not written in Lua.
fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    let lookup = |lua: &Lua, (host, service): (String, String)| {
        let found = address::lookup(&host, &service).map_err(mlua::Error::RuntimeError)?;
        lua.create_sequence_from(found.into_iter().map(|address| address.to_string()))
    };
    native.set("lookup", lua.create_function(lookup)?)?;
    let connect =
        |_: &Lua, text: String| Ok(text.parse().is_ok_and(|address| address::try_connect(address).is_ok()));
    native.set("connect", lua.create_function(connect)?)?;
    let time_us = |_: &Lua, ()| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(since.as_micros() as f64)
    };
    native.set("time_us", lua.create_function(time_us)?)?;
    Ok(native)
}

/// Finds the usable addresses of the URL's host, as `wrk.addrs` of the main state.
fn resolve(options: &Options, calls: &Table, file: &str) -> Result<(), ScriptError> {
    let (host, service) = (options.url.host.as_str(), options.url.service());
    let place = format!("{host}:{service}");
    let prefix = format!("unable to resolve {place} ");
    let usable_count = call::<usize>(calls, "resolve", (host, service.as_str()));
    let usable_count = usable_count.map_err(|error| match ScriptError::of_lua(file, &error) {
        ScriptError::Raised { cause, .. } if cause.starts_with(&prefix) => {
            let reason = cause.get(prefix.len()..).unwrap_or_default().to_owned();
            ScriptError::Unresolved { place: place.clone(), reason }
        }
        other => other,
    })?;
    if usable_count > 0 {
        return Ok(());
    }
    let tried = address::lookup(host, &service).unwrap_or_default();
    let refusal = tried.into_iter().find_map(|address| address::try_connect(address).err());
    let reason = refusal.map(|error| system_words(&error.to_string()).to_owned());
    let reason = reason.unwrap_or_else(|| "no usable address".to_owned());
    Err(ScriptError::Unreachable { place, reason })
}

#[cfg(test)]
mod tests;
