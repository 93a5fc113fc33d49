//! A thread in a script's hands: its address, its globals, and how it is stopped.

use super::transfer;
use mlua::{Error, Lua, LuaString, Table, Value, WeakLua};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What a thread's own state, the main state and its worker share.
#[derive(Debug, Default)]
pub(crate) struct ThreadCell {
    is_stopped: AtomicBool,
    address: Mutex<ThreadAddress>,
}

/// Where a thread's connections go.
#[derive(Debug, Clone, Copy, Default)]
struct ThreadAddress {
    now: Option<SocketAddr>,
    /// How often it was set. The first time is no doing of the script's.
    set_count: u32,
}

impl ThreadCell {
    /// Whether the script has stopped the thread.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// The address that the script has given the thread; `None`: it goes where all go.
    pub(crate) fn pinned(&self) -> Option<SocketAddr> {
        let address = self.address.lock().map(|address| *address).unwrap_or_default();
        address.now.filter(|_| address.set_count > 1)
    }

    fn address(&self) -> Option<SocketAddr> {
        self.address.lock().ok().and_then(|address| address.now)
    }

    fn set_address(&self, to: Option<SocketAddr>) {
        if let Ok(mut address) = self.address.lock() {
            address.now = to;
            address.set_count = address.set_count.saturating_add(1);
        }
    }
}

/// What the prelude makes a script's thread of, for the state `holder`: functions that reach the thread, whose own state is `own`.
/// It is held weakly, since it holds such functions itself.
pub(super) fn natives(holder: &Lua, cell: &Arc<ThreadCell>, own: &WeakLua) -> mlua::Result<Table> {
    let natives = holder.create_table()?;
    let from = own.clone();
    let get = move |lua: &Lua, name: LuaString| {
        let own = from.try_upgrade().ok_or_else(gone)?;
        let name = own.create_string(name.as_bytes())?;
        transfer::copy(&own.globals().get::<Value>(name)?, lua)
    };
    natives.set("get", holder.create_function(get)?)?;
    let to = own.clone();
    let set = move |_: &Lua, (name, value): (LuaString, Value)| {
        let own = to.try_upgrade().ok_or_else(gone)?;
        let name = own.create_string(name.as_bytes())?;
        own.globals().set(name, transfer::copy(&value, &own)?)
    };
    natives.set("set", holder.create_function(set)?)?;
    let stopped = Arc::clone(cell);
    let stop = move |_: &Lua, ()| {
        stopped.is_stopped.store(true, Ordering::Relaxed);
        Ok(())
    };
    natives.set("stop", holder.create_function(stop)?)?;
    let told = Arc::clone(cell);
    let address = move |_: &Lua, ()| Ok(told.address().map(|address| address.to_string()));
    natives.set("address", holder.create_function(address)?)?;
    let kept = Arc::clone(cell);
    let set_address = move |_: &Lua, text: Option<String>| {
        let address = text.map(|text| text.parse()).transpose();
        kept.set_address(
            address.map_err(|error: std::net::AddrParseError| Error::RuntimeError(error.to_string()))?,
        );
        Ok(())
    };
    natives.set("set_address", holder.create_function(set_address)?)?;
    Ok(natives)
}

fn gone() -> Error {
    Error::RuntimeError("the thread's state is gone".to_owned())
}
