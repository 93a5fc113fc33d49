//! Words of a command line taken apart as k6's reader of flags (pflag) does: `--flag value`, `--flag=value`, `-f value`, `-fvalue`, `-f=value`,
//! switches that take a value only behind `=`, short ones in a bunch, operands anywhere, all operands after `--`.

use k6_metrics::quoted;

/// What a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing, or a boolean behind `=`.
    Switch,
    /// A whole number, also as `0x10` or `1_000`.
    Int,
    /// A duration in Go's syntax.
    Duration,
    /// Any text.
    Text,
    /// Any text behind `=`; without it this one.
    TextOr(&'static str),
    /// A comma list, fields in double quotes at will; repeated, all together.
    List,
    /// Any text, and again.
    Repeated,
}

/// A flag as it is declared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag {
    pub(crate) long: &'static str,
    pub(crate) short: Option<char>,
    pub(crate) takes: Takes,
    /// What its value is called in the usage.
    pub(crate) value_name: &'static str,
    pub(crate) help: &'static str,
}

/// What was found: flags with the texts of their values in order, and operands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Found {
    flags: Vec<(&'static str, String)>,
    pub(crate) operands: Vec<String>,
}

impl Found {
    /// The values of a flag; of a list one entry each.
    pub(crate) fn all(&self, long: &str) -> impl Iterator<Item = &str> {
        self.flags.iter().filter(move |(name, _)| *name == long).map(|(_, text)| text.as_str())
    }

    /// The last value of a flag.
    pub(crate) fn last(&self, long: &str) -> Option<&str> {
        self.all(long).last()
    }

    /// The last value of a flag that takes a boolean or a number: the text was checked.
    pub(crate) fn switch(&self, long: &str) -> Option<bool> {
        self.last(long).and_then(|text| parse_bool(text).ok())
    }

    pub(crate) fn int(&self, long: &str) -> Option<i64> {
        self.last(long).and_then(|text| parse_int(text).ok())
    }

    /// The entries of all lists, if the flag is there at all.
    pub(crate) fn list(&self, long: &str) -> Result<Option<Vec<String>>, String> {
        let mut found = None;
        for text in self.all(long) {
            found.get_or_insert_with(Vec::new).extend(parse_list(text)?);
        }
        Ok(found)
    }
}

/// Takes words apart.
///
/// # Errors
///
/// The first that is wrong, with pflag's text.
pub(crate) fn read(words: &[String], flags: &[&Flag]) -> Result<Found, String> {
    let mut found = Found::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            found.operands.extend(words.cloned());
            break;
        } else if let Some(rest) = word.strip_prefix("--") {
            read_long(word, rest, &mut words, flags, &mut found)?;
        } else if let Some(bunch) = word.strip_prefix('-').filter(|bunch| !bunch.is_empty()) {
            read_bunch(bunch, &mut words, flags, &mut found)?;
        } else {
            found.operands.push(word.clone());
        }
    }
    Ok(found)
}

type Words<'a> = std::slice::Iter<'a, String>;

fn read_long(
    word: &str,
    rest: &str,
    words: &mut Words<'_>,
    flags: &[&Flag],
    found: &mut Found,
) -> Result<(), String> {
    let (name, value) = rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
    if name.is_empty() || name.starts_with('-') {
        return Err(format!("bad flag syntax: {}", short(word)));
    }
    let flag = flags
        .iter()
        .find(|flag| flag.long == name)
        .ok_or_else(|| format!("unknown flag: --{}", short(name)))?;
    let text = match (value, without_value(flag.takes)) {
        (Some(value), _) => value.to_owned(),
        (None, Some(default)) => default.to_owned(),
        (None, None) => words.next().cloned().ok_or_else(|| format!("flag needs an argument: --{name}"))?,
    };
    found.take(flag, text)
}

fn read_bunch(bunch: &str, words: &mut Words<'_>, flags: &[&Flag], found: &mut Found) -> Result<(), String> {
    let mut letters = bunch.chars();
    let mut bunch = bunch;
    while let Some(letter) = letters.next() {
        let rest = letters.as_str();
        let flag = flags.iter().find(|flag| flag.short == Some(letter));
        let flag = flag.ok_or_else(|| format!("unknown shorthand flag: '{letter}' in -{}", short(bunch)))?;
        if let Some(value) = rest.strip_prefix('=') {
            return found.take(flag, value.to_owned());
        }
        if let Some(default) = without_value(flag.takes) {
            found.take(flag, default.to_owned())?;
            bunch = rest;
            continue;
        }
        let next = if rest.is_empty() { words.next().cloned() } else { Some(rest.to_owned()) };
        let text = next.ok_or_else(|| format!("flag needs an argument: '{letter}' in -{}", short(bunch)))?;
        return found.take(flag, text);
    }
    Ok(())
}

/// What a flag stands for when nothing is behind it; `None`: its value is the next word.
fn without_value(takes: Takes) -> Option<&'static str> {
    match takes {
        Takes::Switch => Some("true"),
        Takes::TextOr(default) => Some(default),
        Takes::Int | Takes::Duration | Takes::Text | Takes::List | Takes::Repeated => None,
    }
}

impl Found {
    fn take(&mut self, flag: &Flag, text: String) -> Result<(), String> {
        let checked = match flag.takes {
            Takes::Switch => parse_bool(&text).map(drop),
            Takes::Int => parse_int(&text).map(drop),
            Takes::Duration => crate::GoDuration::parse(&text).map(drop),
            Takes::List => parse_list(&text).map(drop),
            Takes::Text | Takes::TextOr(_) | Takes::Repeated => Ok(()),
        };
        checked.map_err(|said| {
            let name = match flag.short {
                Some(letter) => format!("-{letter}, --{}", flag.long),
                None => format!("--{}", flag.long),
            };
            format!("invalid argument {} for {} flag: {said}", quoted(&text), quoted(&name))
        })?;
        self.flags.push((flag.long, text));
        Ok(())
    }
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// The words that Go takes for a boolean.
pub(crate) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        other => Err(format!("strconv.ParseBool: parsing {}: invalid syntax", quoted(other))),
    }
}

/// A whole number as Go's source has it: decimal, or behind `0x`, `0o`, `0b` or `0`, single `_` between digits.
pub(crate) fn parse_int(text: &str) -> Result<i64, String> {
    let wrong = |why: &str| format!("strconv.ParseInt: parsing {}: {why}", quoted(text));
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, rest, has_prefix) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest, true)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest, true)
    } else if let Some(rest) = lower.strip_prefix("0o") {
        (8, rest, true)
    } else if let Some(rest) = lower.strip_prefix('0').filter(|rest| !rest.is_empty()) {
        (8, rest, true)
    } else {
        (10, lower.as_str(), false)
    };
    let rest = if has_prefix { rest.strip_prefix('_').unwrap_or(rest) } else { rest };
    if rest.starts_with('_') || rest.ends_with('_') || rest.contains("__") || rest.starts_with(['+', '-']) {
        return Err(wrong("invalid syntax"));
    }
    let plain: String = rest.chars().filter(|c| *c != '_').collect();
    let signed = if is_negative { format!("-{plain}") } else { plain };
    i64::from_str_radix(&signed, radix).map_err(|fault| match fault.kind() {
        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
            wrong("value out of range")
        }
        _ => wrong("invalid syntax"),
    })
}

/// A line of comma separated fields; one in double quotes may hold commas and doubled quotes (RFC 4180). Nothing at all is no field.
fn parse_list(text: &str) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Some(quoted) = rest.strip_prefix('"') else {
            let (field, after) = rest.split_once(',').unwrap_or((rest, ""));
            if field.contains('"') {
                return Err("parse error: bare \" in non-quoted-field".to_owned());
            }
            fields.push(field.to_owned());
            if after.is_empty() && rest.len() > field.len() {
                fields.push(String::new());
            }
            rest = after;
            continue;
        };
        let unclosed = || "parse error: extraneous or missing \" in quoted-field".to_owned();
        let (mut field, mut open) = (String::new(), quoted);
        loop {
            let (part, after) = open.split_once('"').ok_or_else(unclosed)?;
            field.push_str(part);
            open = after;
            match open.strip_prefix('"') {
                Some(after) => {
                    field.push('"');
                    open = after;
                }
                None => break,
            }
        }
        fields.push(field);
        rest = match open.strip_prefix(',') {
            Some("") => {
                fields.push(String::new());
                ""
            }
            Some(after) => after,
            None if open.is_empty() => "",
            None => return Err(unclosed()),
        };
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: [Flag; 5] = [
        flag("vus", Some('u'), Takes::Int),
        flag("paused", Some('p'), Takes::Switch),
        flag("http-debug", None, Takes::TextOr("headers")),
        flag("tags", None, Takes::List),
        flag("env", Some('e'), Takes::Repeated),
    ];

    const fn flag(long: &'static str, short: Option<char>, takes: Takes) -> Flag {
        Flag { long, short, takes, value_name: "", help: "" }
    }

    fn check(line: &str, expected: Result<&str, &str>) {
        let words: Vec<String> = line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let flags: Vec<&Flag> = FLAGS.iter().collect();
        let said = read(&words, &flags).map(|found| {
            let flags = found.flags.iter().map(|(name, text)| format!("{name}={text}"));
            flags.chain(found.operands.iter().cloned()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(said.as_ref().map(String::as_str).map_err(String::as_str), expected, "{line}");
    }

    #[test]
    fn flags_are_read_in_all_forms() {
        check("-u5 a", Ok("vus=5 a"));
        check("-u=5 -u 6 --vus=7 --vus 8", Ok("vus=5 vus=6 vus=7 vus=8"));
        check("a -p b -p=false --paused=0", Ok("paused=true paused=false paused=0 a b"));
        check("-pu5", Ok("paused=true vus=5"));
        check("-pe A=B -eC", Ok("paused=true env=A=B env=C"));
        check("--http-debug full", Ok("http-debug=headers full"));
        check("--http-debug=full --http-debug=", Ok("http-debug=full http-debug="));
        check("-p -- -u -x", Ok("paused=true -u -x"));
        check("- -p", Ok("paused=true -"));
        check("--env -p", Ok("env=-p"));
    }

    #[test]
    fn what_is_wrong_is_said_as_by_pflag() {
        check("--foo=bar", Err("unknown flag: --foo"));
        check("-x", Err("unknown shorthand flag: 'x' in -x"));
        check("-px", Err("unknown shorthand flag: 'x' in -x"));
        check("-xp", Err("unknown shorthand flag: 'x' in -xp"));
        check("--vus", Err("flag needs an argument: --vus"));
        check("-u", Err("flag needs an argument: 'u' in -u"));
        check("--=x", Err("bad flag syntax: --=x"));
        check("---x", Err("bad flag syntax: ---x"));
        check(
            "-u x",
            Err(
                r#"invalid argument "x" for "-u, --vus" flag: strconv.ParseInt: parsing "x": invalid syntax"#,
            ),
        );
        check(
            "--paused=x",
            Err(
                r#"invalid argument "x" for "-p, --paused" flag: strconv.ParseBool: parsing "x": invalid syntax"#,
            ),
        );
        check(
            "--tags \"a",
            Err(
                r#"invalid argument "\"a" for "--tags" flag: parse error: extraneous or missing " in quoted-field"#,
            ),
        );
    }

    #[test]
    fn numbers_are_gos() {
        for (text, expected) in [
            ("0x10", 16),
            ("1_000", 1000),
            ("-5", -5),
            ("+5", 5),
            ("010", 8),
            ("0b11", 3),
            ("0o7", 7),
            ("0", 0),
            ("0_7", 7),
        ] {
            assert_eq!(parse_int(text), Ok(expected), "{text}");
        }
        for text in ["", "-", "_1", "1_", "1__0", "08", "0x", "5.0", "--5", "0x-5", "1e3"] {
            assert!(parse_int(text).is_err(), "{text}");
        }
        let range = "strconv.ParseInt: parsing \"99999999999999999999\": value out of range";
        assert_eq!(parse_int("99999999999999999999"), Err(range.to_owned()));
        assert_eq!(parse_int("-9223372036854775808"), Ok(i64::MIN));
    }

    #[test]
    fn lists_are_lines_of_csv() {
        let list = |text: &str| parse_list(text).map(|fields| fields.join("|"));
        assert_eq!(list(""), Ok(String::new()));
        assert_eq!(list("a,b"), Ok("a|b".to_owned()));
        assert_eq!(list("a,,b,"), Ok("a||b|".to_owned()));
        assert_eq!(list("\"a,b\",c"), Ok("a,b|c".to_owned()));
        assert_eq!(list("\"a\"\"b\""), Ok("a\"b".to_owned()));
        assert_eq!(list("\"a\","), Ok("a|".to_owned()));
        assert!(list("a\"b").is_err() && list("\"a\"b").is_err() && list("\"a").is_err());
    }
}
