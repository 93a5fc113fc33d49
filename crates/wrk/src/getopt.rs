//! A reader of command lines in the manner of getopt_long: options and operands mixed in any order, short options in one bundle, values in
//! the same word or the next, long names cut short where that is unambiguous, and `--` before what is no option.
//!
//! Source: getopt(3) of the GNU C library, whose messages are kept because scripts' logs show them.

/// An option of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flag {
    /// Behind `--`.
    pub(crate) long: &'static str,
    /// Behind `-`, if it has one.
    pub(crate) short: Option<char>,
    /// Whether it takes a value.
    pub(crate) takes_value: bool,
    /// Whether the tool whose manners are kept has it: its abbreviations go before those of additions.
    pub(crate) is_original: bool,
}

/// What was found on a command line, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// An option by its long name, with its value where it takes one.
    Flag(&'static str, String),
    /// Anything else.
    Operand(String),
}

/// Reads words by a table of options. `Err`: what getopt says, without the program's name.
pub(crate) fn read(words: &[String], table: &[Flag]) -> Result<Vec<Found>, String> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            found.extend(rest.by_ref().cloned().map(Found::Operand));
        } else if let Some(long) = word.strip_prefix("--") {
            found.push(read_long(long, &mut rest, table)?);
        } else if let Some(bundle) = word.strip_prefix('-').filter(|bundle| !bundle.is_empty()) {
            read_bundle(bundle, &mut rest, table, &mut found)?;
        } else {
            found.push(Found::Operand(word.clone()));
        }
    }
    Ok(found)
}

fn read_long<'a>(
    text: &str,
    rest: &mut impl Iterator<Item = &'a String>,
    table: &[Flag],
) -> Result<Found, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let flag = find_long(name, table)?;
    match (flag.takes_value, value) {
        (false, None) => Ok(Found::Flag(flag.long, String::new())),
        (false, Some(_)) => Err(format!("option '--{}' doesn't allow an argument", flag.long)),
        (true, Some(value)) => Ok(Found::Flag(flag.long, value.to_owned())),
        (true, None) => match rest.next() {
            Some(value) => Ok(Found::Flag(flag.long, value.clone())),
            None => Err(format!("option '--{}' requires an argument", flag.long)),
        },
    }
}

/// The option of a long name or of its beginning.
fn find_long(name: &str, table: &[Flag]) -> Result<Flag, String> {
    if let Some(flag) = table.iter().find(|flag| flag.long == name) {
        return Ok(*flag);
    }
    let begins = |is_original: bool| {
        table.iter().filter(move |flag| flag.is_original == is_original && flag.long.starts_with(name))
    };
    for is_original in [true, false] {
        let mut fitting = begins(is_original);
        match (fitting.next(), fitting.next()) {
            (Some(flag), None) => return Ok(*flag),
            (None, _) => {}
            (Some(_), Some(_)) => {
                let names: Vec<String> =
                    begins(is_original).map(|flag| format!("'--{}'", flag.long)).collect();
                return Err(format!("option '--{name}' is ambiguous; possibilities: {}", names.join(" ")));
            }
        }
    }
    Err(format!("unrecognized option '--{name}'"))
}

fn read_bundle<'a>(
    bundle: &str,
    rest: &mut impl Iterator<Item = &'a String>,
    table: &[Flag],
    found: &mut Vec<Found>,
) -> Result<(), String> {
    let mut letters = bundle.chars();
    while let Some(letter) = letters.next() {
        let flag = table.iter().find(|flag| flag.short == Some(letter));
        let flag = flag.ok_or_else(|| format!("invalid option -- '{letter}'"))?;
        if !flag.takes_value {
            found.push(Found::Flag(flag.long, String::new()));
            continue;
        }
        let value = match letters.as_str() {
            "" => rest.next().cloned(),
            attached => Some(attached.to_owned()),
        };
        let value = value.ok_or_else(|| format!("option requires an argument -- '{letter}'"))?;
        found.push(Found::Flag(flag.long, value));
        return Ok(());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn flag(long: &'static str, short: Option<char>, takes_value: bool, is_original: bool) -> Flag {
        Flag { long, short, takes_value, is_original }
    }
    const TABLE: [Flag; 6] = [
        flag("connections", Some('c'), true, true),
        flag("latency", Some('L'), false, true),
        flag("threads", Some('t'), true, true),
        flag("timeout", Some('T'), true, true),
        flag("cacert", None, true, false),
        flag("json", None, true, false),
    ];

    fn check(line: &str, expected: &str) {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        let said = match read(&words, &TABLE) {
            Err(message) => message,
            Ok(found) => {
                let shown = found.iter().map(|found| match found {
                    Found::Flag(name, value) => format!("{name}={value}"),
                    Found::Operand(text) => text.clone(),
                });
                shown.collect::<Vec<_>>().join(" ")
            }
        };
        assert_eq!(said, expected, "{line}");
    }

    #[test]
    fn lines_are_read_as_getopt_does() {
        check("-c10 -t 2 u -L", "connections=10 threads=2 u latency=");
        check("-Lc10 u", "latency= connections=10 u");
        check("--connections=5 --lat u", "connections=5 latency= u");
        check("--conn 5 - u", "connections=5 - u");
        check("--c 5 --ca f --j g", "connections=5 cacert=f json=g");
        check("-L -- u -c 3 --x", "latency= u -c 3 --x");
        check("-c -L", "connections=-L");
        check("-c", "option requires an argument -- 'c'");
        check("--json", "option '--json' requires an argument");
        check("-Lx", "invalid option -- 'x'");
        check("--latency=3", "option '--latency' doesn't allow an argument");
        check("--t 3", "option '--t' is ambiguous; possibilities: '--threads' '--timeout'");
        check("--nope", "unrecognized option '--nope'");
        check("-é", "invalid option -- 'é'");
    }
}
