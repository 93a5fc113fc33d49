//! CommonJS: the function around a module's text; and names in calls that are to be known before the calls are made.

use std::collections::BTreeSet;

/// What stands before a module's text, on its first line.
pub(super) const HEAD: &str = "(function (exports, module) {";
/// How far the first line is shifted by it, in columns that the engine counts from 0 there.
pub(super) const FIRST_LINE_SHIFT: u32 = HEAD.len() as u32 - 1;
/// What stands behind it. The line break ends a comment.
const TAIL: &str = "\n})";
/// Names that one text can have in such calls at most; further ones are not looked at.
const NAMES_MAX: usize = 10_000;

/// The module's text as the script that is compiled.
pub(super) fn wrapped(text: &str) -> String {
    let mut wrapped = String::with_capacity(text.len() + HEAD.len() + TAIL.len());
    wrapped.push_str(HEAD);
    // A shell's line at the top is a comment in a file, and not behind the function's head.
    wrapped.push_str(if text.starts_with("#!") { "//" } else { "" });
    wrapped.push_str(text);
    wrapped.push_str(TAIL);
    wrapped
}

/// The literal names in calls of `require`.
///
/// Not those of files where the text has a `require` of its own: a bundle calls that with names of what is in it.
pub(super) fn required(text: &str) -> BTreeSet<String> {
    let mut names = called_with(text, "require");
    if OWN_REQUIRE.iter().any(|own| text.contains(own)) {
        names.retain(|name| !name.starts_with(['.', '/']));
    }
    names
}

/// How bundlers declare it (browserify, webpack, esbuild).
const OWN_REQUIRE: [&str; 4] =
    ["function(require,", "function (require,", "(module, exports, require)", "(require, module, exports)"];

/// The literal names in calls of `import.meta.resolve`.
pub(super) fn resolved(text: &str) -> BTreeSet<String> {
    called_with(text, "import.meta.resolve")
}

/// The literal names in calls of a function. A look at the text and no more: what stands in a comment or a text is found too, which does no
/// harm, since a name that can't be resolved matters only when the call is made.
fn called_with(text: &str, function: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, word) in text.match_indices(function) {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.')) {
            continue;
        }
        let rest = text.get(at + word.len()..).unwrap_or_default();
        if let Some(name) = literal(rest) {
            names.insert(name.to_owned());
        }
        if names.len() >= NAMES_MAX {
            break;
        }
    }
    names
}

/// The one literal argument in `("name")`.
fn literal(rest: &str) -> Option<&str> {
    let rest = rest.trim_start().strip_prefix('(')?.trim_start();
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (name, rest) = rest.get(1..)?.split_once(quote)?;
    let is_plain = !name.is_empty() && !name.contains(['\\', '\n', '$']);
    rest.trim_start().starts_with(')').then_some(name).filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_names_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = required(text).into_iter().collect();
            assert_eq!(found, expected, "{text}");
        };
        check("const a = require('./a.js'), b=require ( \"b\" )", &["./a.js", "b"]);
        check("require(`c`); x.require('d'); __require('e'); $require('f')", &["c"]);
        check("require('a' + b); require(name); require('a\\n'); require('')", &[]);
        assert!(resolved("open(import.meta.resolve('./a.csv'))").contains("./a.csv"));
        check("a({1:[function(require,module,exports){ require('./a.js'); require('b') }]})", &["b"]);
        check("require", &[]);
        check("require('", &[]);
    }
}
