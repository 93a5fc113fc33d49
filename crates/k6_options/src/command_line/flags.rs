//! The flags: one table for reading and for the usage.

use super::Command;
use super::arguments::{Flag, Takes};

const fn flag(long: &'static str, takes: Takes, value_name: &'static str, help: &'static str) -> Flag {
    Flag { long, short: None, takes, value_name, help }
}

const fn short(letter: char, flag: Flag) -> Flag {
    Flag { short: Some(letter), ..flag }
}

/// Options of a test: `run` and `archive`.
const OPTIONS: [Flag; 32] = [
    short('u', flag("vus", Takes::Int, "N", "virtual users")),
    short('d', flag("duration", Takes::Duration, "TIME", "how long, such as 30s or 1h30m")),
    short('i', flag("iterations", Takes::Int, "N", "iterations over all VUs")),
    short('s', flag("stage", Takes::List, "TIME:N", "ramp to N VUs; again for the next stage")),
    flag("execution-segment", Takes::Text, "PART", "run a part of the test: 10%, 1/3, 1/3:2/3"),
    flag("execution-segment-sequence", Takes::Text, "LIST", "how the whole is cut: 0,1/4,1/2,1"),
    short('p', flag("paused", Takes::Switch, "", "start paused")),
    flag("no-setup", Takes::Switch, "", "leave out setup()"),
    flag("no-teardown", Takes::Switch, "", "leave out teardown()"),
    flag("max-redirects", Takes::Int, "N", "redirects that are followed (10)"),
    flag("batch", Takes::Int, "N", "requests of a batch at once (20)"),
    flag("batch-per-host", Takes::Int, "N", "requests of a batch at once to one host (6)"),
    flag("rps", Takes::Int, "N", "at most so many requests per second"),
    flag("user-agent", Takes::Text, "TEXT", "the User-Agent header"),
    flag("http-debug", Takes::TextOr("headers"), "full", "log requests and answers; full: with bodies"),
    flag("insecure-skip-tls-verify", Takes::Switch, "", "do not verify certificates"),
    flag("no-connection-reuse", Takes::Switch, "", "a connection for each request"),
    flag("no-vu-connection-reuse", Takes::Switch, "", "new connections for each iteration"),
    flag("min-iteration-duration", Takes::Duration, "TIME", "rest after shorter iterations"),
    short('w', flag("throw", Takes::Switch, "", "failed requests throw")),
    flag("blacklist-ip", Takes::List, "CIDR", "a network that must not be called"),
    flag("block-hostnames", Takes::List, "NAME", "a host not to be called; *.x: all below x"),
    flag("summary-trend-stats", Takes::List, "LIST", "trends: avg,min,med,max,p(90),p(95)"),
    flag("summary-time-unit", Takes::Text, "UNIT", "unit of times in the summary: s, ms or us"),
    flag("system-tags", Takes::List, "LIST", "tags that samples have by themselves"),
    flag("tag", Takes::Repeated, "NAME=VALUE", "a tag for all samples"),
    flag("console-output", Takes::Text, "FILE", "where console goes"),
    flag("discard-response-bodies", Takes::Switch, "", "drop bodies of answers"),
    flag("local-ips", Takes::Text, "LIST", "VUs call from these: a, a-b, CIDR"),
    flag("dns", Takes::Text, "LIST", "ttl=5m,select=random,policy=preferIPv4"),
    flag("features", Takes::Repeated, "LIST", "turn experimental features on"),
    flag("no-summary", Takes::Switch, "", "the same as --summary-mode disabled"),
];

/// How a script is loaded, and what is made of its results: all three commands.
const RUNTIME: [Flag; 9] = [
    flag("include-system-env-vars", Takes::Switch, "", "whether __ENV holds the system's variables"),
    flag("compatibility-mode", Takes::Text, "MODE", "extended or base"),
    short('t', flag("type", Takes::Text, "TYPE", "js or archive, if the content does not tell")),
    short('e', flag("env", Takes::Repeated, "NAME=VALUE", "a variable for __ENV")),
    flag("no-thresholds", Takes::Switch, "", "leave thresholds out"),
    flag("summary-mode", Takes::Text, "MODE", "compact, full, legacy or disabled"),
    flag("summary-export", Takes::Text, "FILE", "write the summary as JSON"),
    flag("new-machine-readable-summary", Takes::Switch, "", "the newer form of the summary's data"),
    flag("traces-output", Takes::Text, "WHERE", "none or otel[=host:port]"),
];

const RUN: [Flag; 3] = [
    short('o', flag("out", Takes::Repeated, "KIND[=WHERE]", "send samples to an output")),
    short('l', flag("linger", Takes::Switch, "", "stay after the test's end")),
    flag("no-usage-report", Takes::Switch, "", "accepted; nothing is ever reported"),
];

const ARCHIVE: [Flag; 2] = [
    short('O', flag("archive-out", Takes::Text, "FILE", "where to; - is stdout (archive.tar)")),
    flag("exclude-env-vars", Takes::Switch, "", "leave variables out"),
];

const INSPECT: [Flag; 1] =
    [flag("execution-requirements", Takes::Switch, "", "with derived scenarios, VUs and duration")];

const GLOBAL: [Flag; 10] = [
    short('a', flag("address", Takes::Text, "HOST:PORT", "serve the control interface there")),
    short('c', flag("config", Takes::Text, "FILE", "the configuration file")),
    flag("log-format", Takes::Text, "FORMAT", "raw, json or text"),
    flag("log-output", Takes::Text, "WHERE", "stderr, stdout, none, file=PATH or loki=URL"),
    flag("no-color", Takes::Switch, "", "no colours"),
    flag("profiling-enabled", Takes::Switch, "", "accepted"),
    short('q', flag("quiet", Takes::Switch, "", "no progress")),
    flag("secret-source", Takes::Repeated, "KIND[=WHERE]", "where secrets come from"),
    short('v', flag("verbose", Takes::Switch, "", "log more")),
    short('h', flag("help", Takes::Switch, "", "this text")),
];

/// All flags of a command.
pub(super) fn of(command: Command) -> Vec<&'static Flag> {
    groups(command).into_iter().flat_map(|(_, flags)| flags).collect()
}

fn groups(command: Command) -> Vec<(&'static str, &'static [Flag])> {
    let options = ("Options of the test", OPTIONS.as_slice());
    let runtime = ("Script and results", RUNTIME.as_slice());
    let global = ("Everywhere", GLOBAL.as_slice());
    match command {
        Command::Run => vec![options, runtime, ("Run", RUN.as_slice()), global],
        Command::Archive => vec![options, runtime, ("Archive", ARCHIVE.as_slice()), global],
        Command::Inspect => vec![runtime, ("Inspect", INSPECT.as_slice()), global],
    }
}

/// Longer names have a line of their own, so that all fits into 80 columns.
const NAME_WIDTH: usize = 30;

/// The flags of a command for people: groups with a line each, without what stands above them.
pub fn usage(command: Command) -> String {
    let name = |flag: &Flag| {
        let short = flag.short.map_or_else(|| "    ".to_owned(), |letter| format!("-{letter}, "));
        let value = match flag.takes {
            Takes::Switch => String::new(),
            Takes::TextOr(_) => format!("[={}]", flag.value_name),
            _ => format!(" {}", flag.value_name),
        };
        format!("  {short}--{}{value}", flag.long)
    };
    let mut text = String::new();
    for (title, flags) in groups(command) {
        text.push_str(&format!("{title}:\n"));
        for flag in flags {
            let name = name(flag);
            if name.chars().count() > NAME_WIDTH {
                text.push_str(&format!("{name}\n{:NAME_WIDTH$}  {}\n", "", flag.help));
            } else {
                text.push_str(&format!("{name:NAME_WIDTH$}  {}\n", flag.help));
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_flag_is_declared_twice() {
        for command in [Command::Run, Command::Archive, Command::Inspect] {
            let flags = of(command);
            for (index, flag) in flags.iter().enumerate() {
                let is_twin = |other: &&&Flag| {
                    other.long == flag.long || (flag.short.is_some() && other.short == flag.short)
                };
                assert_eq!(flags.iter().skip(index + 1).find(is_twin).map(|flag| flag.long), None);
            }
            let usage = usage(command);
            assert!(flags.iter().all(|flag| usage.contains(&format!("--{}", flag.long))), "{usage}");
        }
    }
}
