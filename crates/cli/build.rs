//! Links the program so that C modules which scripts of wrk load (`require "cjson"`) find Lua in it, as they do in wrk.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if is_linux {
        for symbols in ["lua_*", "luaL_*"] {
            println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol={symbols}");
        }
    }
}
