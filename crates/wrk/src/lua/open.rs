//! A state of LuaJIT with everything that wrk's has: all standard libraries, C modules, `ffi` and `debug`.
//!
//! A script is a program of the user's own, run with the user's rights, as it is in wrk: it may open files, start programs and, by `ffi`,
//! break the process. So the only thing that can't be promised in Rust's terms stands here alone.

use mlua::{Lua, LuaOptions, StdLib};

/// A new state.
pub(super) fn open() -> Lua {
    #[expect(
        unsafe_code,
        reason = "`ffi` and `debug`, which scripts of wrk may use, can break memory safety"
    )]
    // SAFETY: a state is made from nothing here. What can break memory safety is a script that uses `ffi`, `debug` or a C module wrongly;
    // the user who names the script vouches for it, as for any program that he starts.
    unsafe {
        Lua::unsafe_new_with(StdLib::ALL, LuaOptions::default())
    }
}
