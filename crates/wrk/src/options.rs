//! What a command line of wrk or wrk2 asks for, read and checked: plain data, and the URL rules of both tools.

use plan::Scheme;
use std::net::Ipv6Addr;
use std::path::PathBuf;
use units::Rate;

/// Which of the two tools is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Closed model unless a rate is given.
    Wrk,
    /// Open model: a rate is demanded.
    Wrk2,
}

impl Mode {
    /// The name by which the tool is called.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::Wrk2 => "wrk2",
        }
    }

    /// The mode of a program name or subcommand.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "wrk" => Some(Self::Wrk),
            "wrk2" => Some(Self::Wrk2),
            _ => None,
        }
    }
}

/// A whole command line.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Whose manners are kept.
    pub mode: Mode,
    /// Where to.
    pub url: Url,
    /// All connections together, at least 1 and not fewer than threads.
    pub connections: u32,
    /// Worker threads, at least 1.
    pub threads: u32,
    /// Length of the run, ns, above 0.
    pub duration_ns: u64,
    /// Limit from sending a request to the end of its answer, ns, above 0.
    pub timeout_ns: u64,
    /// In the order given, duplicates kept: names that are tokens, values without line ends.
    pub headers: Vec<(String, String)>,
    /// The Lua script.
    pub script: Option<PathBuf>,
    /// What stands after the URL, for the script's `init`: `args[1]` and on.
    pub script_args: Vec<String>,
    /// `-L` (or what implies it): print the distribution.
    pub latency: bool,
    /// `-U` of wrk2: print the distribution of service times too.
    pub uncorrected_latency: bool,
    /// `-B` of wrk2: a pipelined batch is one latency, not one per answer.
    pub batch_latency: bool,
    /// Requests per second over all connections; `None`: as fast as answers come.
    pub rate: Option<Rate>,
    /// Load for so long first that is in no figure, ns; `None`: not at all.
    pub warmup_ns: Option<u64>,
    /// Whether the server's certificate goes unverified.
    pub insecure: bool,
    /// Objectives to hold the run against, unread.
    pub slos: Vec<String>,
    /// Governs all chance.
    pub seed: Option<u64>,
    /// What the run is called in its results.
    pub name: Option<String>,
    /// What the caller does with files, verdict and driver.
    pub output: Output,
    /// What was odd and went on all the same, for people.
    pub warnings: Vec<String>,
}

/// Flags that only the caller can honour.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Where the whole record goes as JSON; `-` is stdout.
    pub json: Option<PathBuf>,
    /// Where tables for a pull request go.
    pub markdown: Option<PathBuf>,
    /// Where verdict and objectives go as JUnit XML.
    pub junit: Option<PathBuf>,
    /// `invalid` or `suspect`: from which verdict on the exit code is 6.
    pub fail_on: Option<String>,
    /// `auto`, `epoll` or `io_uring`.
    pub driver: Option<String>,
    /// A PEM file with the roots to trust.
    pub cacert: Option<PathBuf>,
    /// `KEY=VALUE` to find the run by, unread.
    pub labels: Vec<String>,
    /// The store to keep the run in.
    pub store: Option<PathBuf>,
    /// The run is not to be kept.
    pub no_store: bool,
    /// Nothing on stderr but errors.
    pub quiet: bool,
}

/// A URL as both tools read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// As it was typed, a password hidden.
    pub text: String,
    /// `https` where the scheme begins so.
    pub scheme: Scheme,
    /// A name or an address, IPv6 without brackets.
    pub host: String,
    /// As it stands in the URL; `None`: the scheme's own.
    pub port: Option<u16>,
    /// From the path's start, query included, without fragment; `/` where the URL has no path.
    pub path: String,
    /// Whether a user name or password stood in it, which is not sent.
    pub has_user: bool,
}

/// Longest name that DNS can hold (RFC 1035 §2.3.4).
const HOST_LENGTH_MAX: usize = 253;

impl Url {
    /// Reads a URL with scheme and host. `None`: it is none, and the tools say no more than that.
    pub fn parse(text: &str) -> Option<Self> {
        if text.bytes().any(|byte| byte.is_ascii_control() || byte == b' ') {
            return None;
        }
        let (scheme_text, rest) = text.split_once("://")?;
        let is_scheme = scheme_text.bytes().all(|byte| byte.is_ascii_alphabetic()) && !scheme_text.is_empty();
        let lower = scheme_text.to_ascii_lowercase();
        // Both tools take whatever begins with `https` for TLS and all else for plain; what is no HTTP at all is refused here.
        let scheme = match lower.as_str() {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            _ => return None,
        };
        let without_fragment = rest.split('#').next().unwrap_or_default();
        let path_at = without_fragment.find(['/', '?']).unwrap_or(without_fragment.len());
        let (authority, path) = without_fragment.split_at_checked(path_at)?;
        let (user, address) = match authority.rsplit_once('@') {
            Some((user, address)) => (Some(user), address),
            None => (None, authority),
        };
        let (host, port) = split_port(address)?;
        let port = match port {
            None | Some("") => None,
            Some(port) => Some(port.parse().ok().filter(|port: &u16| *port > 0)?),
        };
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let is_host = host.contains(':') || host.bytes().all(is_name_byte);
        if !is_scheme || host.is_empty() || host.len() > HOST_LENGTH_MAX || !is_host {
            return None;
        }
        let text = match user {
            None => text.to_owned(),
            Some(user) => text.replacen(user, "***", 1),
        };
        Some(Self {
            text,
            scheme,
            host: host.to_owned(),
            port,
            // A URL without path loses its query, as it does in both tools.
            path: if path.starts_with('/') { path.to_owned() } else { "/".to_owned() },
            has_user: user.is_some(),
        })
    }

    /// The port to connect to.
    pub fn port_or_default(&self) -> u16 {
        self.port.unwrap_or_else(|| self.scheme.default_port())
    }

    /// What both tools resolve beside the host: the port, or the scheme's name.
    pub fn service(&self) -> String {
        self.port.map_or_else(|| self.scheme.as_str().to_owned(), |port| port.to_string())
    }

    /// The value of the `Host` header: IPv6 in brackets, a port only where the URL has one.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        self.port.map_or_else(|| host.clone(), |port| format!("{host}:{port}"))
    }
}

/// Host (without brackets) and what stands behind its colon.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (address, after) = rest.split_once(']')?;
        address.parse::<Ipv6Addr>().ok()?;
        return match after {
            "" => Some((address, None)),
            after => Some((address, Some(after.strip_prefix(':')?))),
        };
    }
    match authority.split_once(':') {
        None => Some((authority, None)),
        Some((_, port)) if port.contains(':') => None,
        Some((host, port)) => Some((host, Some(port))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let said = Url::parse(text).map(|url| {
            let port = url.port_or_default();
            format!(
                "{} {} {port} {} {} {}",
                url.scheme.as_str(),
                url.host,
                url.service(),
                url.authority(),
                url.path
            )
        });
        assert_eq!(said.as_deref(), expected, "{text}");
    }

    #[test]
    fn urls_are_read_as_both_tools_do() {
        check("http://localhost:8080/a?b=c", Some("http localhost 8080 8080 localhost:8080 /a?b=c"));
        check("https://shop.example", Some("https shop.example 443 https shop.example /"));
        check("http://a/x#part", Some("http a 80 http a /x"));
        check("http://a?x=1", Some("http a 80 http a /"));
        check("HTTP://[::1]:7070/x", Some("http ::1 7070 7070 [::1]:7070 /x"));
        check("http://a:80/", Some("http a 80 80 a:80 /"));
        for text in [
            "localhost:8080/",
            "http:///x",
            "ftp://a/",
            "http://a:0/",
            "http://a:b/",
            "http://a b/",
            "",
            "http://[x]/",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_password_is_not_repeated() {
        let url = Url::parse("http://ann:secret@a:81/x").unwrap();
        assert_eq!((url.text.as_str(), url.host.as_str(), url.has_user), ("http://***@a:81/x", "a", true));
    }
}
