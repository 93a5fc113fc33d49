//! A URL as it is typed: scheme optional, IPv6 in brackets, path and query kept as they stand.

use plan::{Diagnostic, Scheme};
use std::net::Ipv6Addr;

/// The parts of a URL that a request needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    /// `http` where none is given.
    pub(crate) scheme: Scheme,
    /// A name or an address, IPv6 without brackets.
    pub(crate) host: String,
    /// The scheme's own where none is given.
    pub(crate) port: u16,
    /// Begins with `/`; a fragment is left out, since it is never sent.
    pub(crate) path_and_query: String,
}

/// Longest name that DNS can hold (RFC 1035 §2.3.4).
const HOST_LENGTH_MAX: usize = 253;

/// Reads a URL. The error says what is wrong and how to mend it.
pub(crate) fn parse(text: &str) -> Result<Url, Diagnostic> {
    let wrong = |what: &str, mend: &str| Diagnostic::error(format!("`{text}`: {what}")).hint(mend);
    let text = text.trim();
    let (scheme, rest) = match text.split_once("://") {
        None => (Scheme::Http, text),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (Scheme::Http, rest),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (Scheme::Https, rest),
        Some((scheme, _)) => {
            return Err(wrong(&format!("`{scheme}` is not spoken"), "use http:// or https://"));
        }
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    if text.chars().any(char::is_control) {
        return Err(wrong("there is a control character in it", "percent-encode it, as in %0A"));
    }
    if authority.contains('@') {
        // Not repeated here: logs keep what is said on stderr.
        let host = authority.rsplit('@').next().unwrap_or_default();
        let message = format!("the URL of `{host}`: a user name and password don't belong here");
        return Err(Diagnostic::error(message).hint("give them as a header: -H 'authorization: Basic …'"));
    }
    let (host, port) = split_port(authority).ok_or_else(|| {
        wrong(
            "the address is not `HOST`, `HOST:PORT` or `[IPV6]:PORT`",
            "write for example localhost:8080/path",
        )
    })?;
    let port = match port {
        None | Some("") => scheme.default_port(),
        Some(port) => {
            let number = port.parse().ok().filter(|port| *port > 0);
            number.ok_or_else(|| wrong(&format!("`{port}` is no port"), "use 1 to 65535, or leave it out"))?
        }
    };
    if !host.is_ascii() {
        return Err(wrong("the host has letters beyond ASCII", "write it in its xn-- form"));
    }
    if host.is_empty() {
        return Err(wrong("there is no host", "write for example http://localhost:8080/"));
    }
    let is_address = host.contains(':');
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if host.len() > HOST_LENGTH_MAX || (!is_address && !host.bytes().all(is_name_byte)) {
        return Err(wrong(&format!("`{host}` is no host"), "use a name such as shop.example or an address"));
    }
    let path_and_query = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok(Url { scheme, host: host.to_ascii_lowercase(), port, path_and_query })
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

    fn check(text: &str, expected: &str) {
        let said = match parse(text) {
            Ok(url) => format!("{} {} {} {}", url.scheme.as_str(), url.host, url.port, url.path_and_query),
            Err(diagnostic) => diagnostic.to_string(),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn urls_are_read_as_people_type_them() {
        check("localhost:8080", "http localhost 8080 /");
        check("localhost", "http localhost 80 /");
        check("HTTPS://Shop.Example/a/b?c=d&e#f", "https shop.example 443 /a/b?c=d&e");
        check("http://[::1]:7070/x", "http ::1 7070 /x");
        check("[::1]", "http ::1 80 /");
        check("http://10.0.0.1?x=1", "http 10.0.0.1 80 /?x=1");
        check("http://a:/", "http a 80 /");
        check("a/p@q:1", "http a 80 /p@q:1");
    }

    #[test]
    fn what_is_wrong_is_said_with_the_mend() {
        check("ftp://a/", "error: `ftp://a/`: `ftp` is not spoken\nhint: use http:// or https://");
        check(
            "http://a:99999/",
            "error: `http://a:99999/`: `99999` is no port\nhint: use 1 to 65535, or leave it out",
        );
        check(
            "http://u:p@a/",
            "error: the URL of `a`: a user name and password don't belong here\nhint: give them as a header: -H 'authorization: Basic …'",
        );
        check("", "error: ``: there is no host\nhint: write for example http://localhost:8080/");
        check("/path", "error: `/path`: there is no host\nhint: write for example http://localhost:8080/");
        check(
            "http://bücher.example/",
            "error: `http://bücher.example/`: the host has letters beyond ASCII\nhint: write it in its xn-- form",
        );
        for text in [
            "http://::1/",
            "http://[::1",
            "http://[nope]/",
            "http://[::1]x/",
            "a b/",
            "a:0",
            "a:b:c",
            "http://a\r\nb/",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
