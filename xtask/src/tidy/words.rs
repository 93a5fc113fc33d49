//! Words that are not written here, each with what is written in their place.

use crate::source::{Finding, SourceFile, has_word};

/// This file must name what it forbids.
const OWN_PATH: &str = "xtask/src/tidy/words.rs";

/// Where a word is out of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In all code.
    Code,
    /// In all code but the crate that is for it.
    CodeOutside(&'static str),
    /// In what library crates are made of: tests, examples, `cli` and `xtask` may.
    Libraries,
}

const WORDS: [(&str, Where, &str); 16] = [
    ("todo!", Where::Code, "write it, or leave out what can't be used yet"),
    ("unimplemented!", Where::Code, "write it, or return an error that says so"),
    ("dbg!", Where::Code, "remove it; an assertion's message shows values"),
    (
        "#[ignore",
        Where::Code,
        "make the test fast, or let it return early where the machine lacks what it needs",
    ),
    ("#[should_panic", Where::Code, "assert on the error that is returned"),
    ("unsafe", Where::CodeOutside("netio"), "put it behind a safe function of `netio`, with `// SAFETY:`"),
    ("thread::sleep", Where::Code, "wait for the event itself: a channel, a socket, a process's output"),
    ("static mut", Where::Code, "pass the value in"),
    ("println!", Where::Libraries, "return the text; `cli` does the talking"),
    ("print!", Where::Libraries, "return the text; `cli` does the talking"),
    ("eprintln!", Where::Libraries, "return the text; `cli` does the talking"),
    ("eprint!", Where::Libraries, "return the text; `cli` does the talking"),
    ("process::exit", Where::Code, "return an exit code, so that files are finished and threads joined"),
    ("serde_yaml", Where::Code, "use `planfile`, which knows the places of faults"),
    ("fastrand", Where::Code, "use `units::Random`, which is seeded"),
    ("thread_rng", Where::Code, "use `units::Random`, which is seeded"),
];

/// Single files that may have a word, because there is no other way.
const EXCEPTIONS: [(&str, &str); 5] = [
    // LuaJIT with all that wrk's scripts may use, `ffi` and `debug`, is opened by one such call and no more.
    ("unsafe", "crates/wrk/src/lua/open.rs"),
    // A host function finds the stack that it is to suspend, and bytecode is read back: neither has a safe interface.
    ("unsafe", "crates/js/src/raw/mod.rs"),
    // The allocator of a user's engine.
    ("unsafe", "crates/js/src/raw/heap.rs"),
    // Objects whose properties are made when they are read: the engine calls for them.
    ("unsafe", "crates/js/src/raw/lazy.rs"),
    ("unsafe", "crates/js/src/raw/shelf.rs"),
];

/// Names that say nothing.
const EMPTY_NAMES: [&str; 8] =
    ["util", "utils", "common", "helper", "helpers", "misc", "manager", "shared_utils"];
/// Ends of type names that say nothing.
const EMPTY_ENDS: [&str; 4] = ["Impl", "Manager", "Helper", "Util"];
/// Quantities whose names must end in their unit.
const QUANTITIES: [&str; 8] =
    ["timeout", "duration", "delay", "latency", "elapsed", "deadline", "interval", "lateness"];

pub(super) fn check(file: &SourceFile, findings: &mut Vec<Finding>) {
    if file.path == OWN_PATH {
        return;
    }
    let name =
        file.path.trim_end_matches("/mod.rs").trim_end_matches(".rs").rsplit('/').next().unwrap_or_default();
    if EMPTY_NAMES.contains(&name) {
        findings.push(file.finding(0, format!("`{name}` is no name"), "name the file after what it holds"));
    }
    for line in file.lines().into_iter().filter(|line| !line.is_comment) {
        for (word, place, instead) in WORDS {
            let is_excepted = EXCEPTIONS.contains(&(word, file.path.as_str()));
            if has_word(line.text, word) && !is_excepted && is_out_of_place(file, line.is_test, place) {
                findings.push(file.finding(line.number, format!("`{word}`"), instead));
            }
        }
        if let Some(name) = empty_type_name(line.text) {
            findings.push(file.finding(
                line.number,
                format!("`{name}` is no name"),
                "name the type after what it is",
            ));
        }
        if let Some(name) = quantity_without_unit(line.text) {
            let fault = format!("`{name}` does not say its unit");
            findings.push(file.finding(
                line.number,
                fault,
                format!("write `{name}_ns`, or use a type that knows it"),
            ));
        }
    }
}

fn is_out_of_place(file: &SourceFile, is_test: bool, place: Where) -> bool {
    match place {
        Where::Code => true,
        Where::CodeOutside(name) => file.crate_name() != Some(name),
        Where::Libraries => !is_test && file.crate_name().is_some_and(|name| name != "cli"),
    }
}

/// The name of a type declared in the line, if it ends in a word that says nothing.
fn empty_type_name(line: &str) -> Option<&str> {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.find(|word| ["struct", "enum", "trait", "type"].contains(word))?;
    let name = words.next()?;
    EMPTY_ENDS.iter().any(|end| name.ends_with(end)).then_some(name)
}

/// The name of a field or argument of an integer type that is a time and does not say its unit.
fn quantity_without_unit(line: &str) -> Option<&str> {
    let declared =
        line.match_indices(": u64").chain(line.match_indices(": u128")).chain(line.match_indices(": u32"));
    let names = declared.filter_map(|(at, _)| {
        let before = line.split_at(at).0;
        before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()
    });
    let is_quantity = |name: &&str| {
        let last = name.rsplit('_').next().unwrap_or_default();
        QUANTITIES.contains(&last) && !name.starts_with("per_")
    };
    let mut names = names.filter(is_quantity);
    names.next()
}

#[cfg(test)]
mod tests {
    use crate::tidy::check;

    #[test]
    fn words_are_found_where_they_are_out_of_place() {
        check("crates/a/src/a.rs", "//! a\nfn a() { todo!() }\n", &[(2, "`todo!`")]);
        check("crates/a/src/a.rs", "//! a\n// todo!() in words\n", &[]);
        check(
            "crates/a/src/a.rs",
            "//! a\nfn a() { println!(); unsafe {} }\n",
            &[(2, "`unsafe`"), (2, "`println!`")],
        );
        check("crates/cli/src/a.rs", "//! a\nfn a() { println!(); }\n", &[]);
        check("crates/netio/src/a.rs", "//! a\nfn a() { unsafe {} }\n", &[]);
        check("crates/a/tests/a.rs", "//! a\nfn a() { println!(); }\n", &[]);
    }

    #[test]
    fn names_say_something() {
        check("crates/a/src/utils.rs", "//! a\n", &[(0, "`utils` is no name")]);
        check("crates/a/src/utils/mod.rs", "//! a\n", &[(0, "`utils` is no name")]);
        check("crates/a/src/a.rs", "//! a\npub struct PoolManager;\n", &[(2, "`PoolManager` is no name")]);
        check(
            "crates/a/src/a.rs",
            "//! a\nfn a(timeout: u64) {}\n",
            &[(2, "`timeout` does not say its unit")],
        );
        check("crates/a/src/a.rs", "//! a\nfn a(timeout_ns: u64, count: u64) {}\n", &[]);
    }
}
