//! What most likely went wrong where text is no YAML. The grammar's own words ("did not find expected ...") seldom say it.

/// What to try, from the parser's words and the line it stopped at.
pub(super) fn for_syntax(info: &str, line: &str) -> &'static str {
    let has = |piece: &str| info.contains(piece);
    let value = line.split_once(": ").map_or(line, |(_, value)| value).trim_start();
    let in_brackets = line.contains('{') || line.contains('[');
    let indent_has_tab = line.chars().take_while(|c| c.is_whitespace()).any(|c| c == '\t');
    if has("tab") || indent_has_tab {
        return "indent with spaces instead of tabs";
    }
    if in_brackets && line.contains("${") && (has("flow") || has("expected")) {
        return "within `{…}` and `[…]`, put texts with `${…}` into quotes";
    }
    if has("block scalar") || value.starts_with('>') || value.starts_with('|') {
        return "a text that begins with `>` or `|` needs quotes: \"> 10KiB\"";
    }
    if has("unknown anchor") {
        return "an alias such as `*name` needs an anchor `&name` before it; a text that begins with `*` needs quotes";
    }
    if has("quoted scalar") {
        return "close the quote; within \"…\" a backslash is written twice, within '…' it stands for itself";
    }
    if has("unexpected character") {
        return "a text that begins with this character needs quotes";
    }
    if has("mapping values are not allowed") {
        return "a text that contains `: ` needs quotes; keys of one mapping begin in the same column";
    }
    if has("flow") || has("':' indicator") {
        return "close the `{` or `[`, and put a comma between what is within";
    }
    if has("block") {
        return "keys of one mapping, and the `-` of one list, begin in the same column";
    }
    "check the quotes, brackets and indentation around this place"
}
