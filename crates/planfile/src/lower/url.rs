//! The URL of a target, in the part of RFC 3986 that an origin with a base path needs.

use crate::text::quoted;
use plan::{Diagnostic, Scheme, Target};
use std::net::Ipv6Addr;

/// Longest host name (RFC 1035 §2.3.4).
const HOST_CHARS_MAX: usize = 253;

/// Reads `http://host:port/base`. `Err` says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Target, Diagnostic> {
    let fault = |message: &str, hint: &str| {
        Diagnostic::error(format!("{message} in the URL {}", quoted(text))).hint(hint)
    };
    let Some((scheme, rest)) = text.split_once("://") else {
        let hint = format!("write `http://{}` or `https://…`", text.trim_start_matches('/'));
        return Err(Diagnostic::error(format!("{} is no URL", quoted(text))).hint(hint));
    };
    let scheme = match scheme.to_ascii_lowercase().as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        _ => return Err(fault("unknown scheme", "use `http` or `https`")),
    };
    let (authority, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    if authority.contains('@') {
        // The URL is not repeated: the password is in it.
        let fault = Diagnostic::error("user and password are not taken in a URL");
        return Err(fault.hint("send an `authorization` header"));
    }
    if path.contains(['?', '#']) {
        return Err(fault("there is a query or fragment", "give a `query` with each request"));
    }
    if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(fault(
            "there are characters that a path can't hold",
            "percent-encode them, a blank as `%20`",
        ));
    }
    if path.contains("${") {
        return Err(fault("there are variables", "put them into the paths of requests"));
    }
    let (host, port) = host_and_port(authority).map_err(|what| fault(what, "write `http://[::1]:80`"))?;
    let is_host_char = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':');
    if host.is_empty() || host.len() > HOST_CHARS_MAX || !host.bytes().all(is_host_char) {
        return Err(fault(
            "there is no valid host",
            "use a name such as `shop.example`; names in other scripts as `xn--…`",
        ));
    }
    let port = match port {
        None => scheme.default_port(),
        Some(digits) => {
            let port = digits.parse::<u16>().ok().filter(|port| *port > 0 && !digits.starts_with('+'));
            port.ok_or_else(|| fault("there is no valid port", "use 1 to 65535"))?
        }
    };
    let mut target = Target::new(scheme, host, port);
    target.base_path = path.trim_end_matches('/').to_owned();
    Ok(target)
}

/// The host, without its brackets, and what follows its colon. `Err` says what is wrong with the brackets.
fn host_and_port(authority: &str) -> Result<(&str, Option<&str>), &'static str> {
    let Some(bracketed) = authority.strip_prefix('[') else {
        return Ok(match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        });
    };
    let (host, after) = bracketed.split_once(']').ok_or("a `]` is missing")?;
    if host.parse::<Ipv6Addr>().is_err() {
        return Err("there is no IPv6 address");
    }
    match after.strip_prefix(':') {
        None if !after.is_empty() => Err("there is text behind `]`"),
        port => Ok((host, port)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_back_in_one_form() {
        let check = |text: &str| parse(text).map(|target| target.url()).map_err(|fault| fault.message);
        for (text, url) in [
            ("http://127.0.0.1:7070", "http://127.0.0.1:7070"),
            ("HTTP://h:80/", "http://h"),
            ("https://shop.example:8443/api/", "https://shop.example:8443/api"),
            ("https://[::1]/", "https://[::1]"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ] {
            assert_eq!(check(text), Ok(url.to_owned()), "{text}");
        }
        for text in [
            "",
            "h",
            "//h",
            "ftp://h",
            "http://",
            "http://:80",
            "http://h:0",
            "http://h:65536",
            "http://h:+1",
            "http://h:x",
            "http://u:p@h",
            "http://h/?a",
            "http://h#x",
            "http://h/a b",
            "http://[::1",
            "http://[::1]x",
            "http://[h]",
            "http://ü",
            "http://h/${x}",
            "http://a b",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
