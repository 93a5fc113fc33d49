//! The command lines, Lua scripts and printed pages of wrk and wrk2.
