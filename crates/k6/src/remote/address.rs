//! URLs of modules, and what specifiers mean beside them (RFC 3986 §5, for https alone).

use std::path::PathBuf;

/// Length of a URL at most, bytes: as long as servers take.
const URL_BYTES_MAX: usize = 8_192;

/// An https URL without fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Host, and port where it is not 443; lower case.
    pub(crate) authority: String,
    /// Begins with `/`, without `.` and `..`.
    pub(crate) path: String,
    /// Behind `?`.
    pub(crate) query: Option<String>,
}

impl Address {
    /// Reads an https URL; `None` for others, and for hosts that are none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let scheme = text.get(..super::super::archive::HTTPS.len())?;
        let rest = text.get(scheme.len()..)?;
        if !scheme.eq_ignore_ascii_case(super::super::archive::HTTPS) || text.len() > URL_BYTES_MAX {
            return None;
        }
        let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end)?;
        let (path, query) = split_query(rest);
        let authority = authority.to_ascii_lowercase();
        let authority = authority.strip_suffix(":443").unwrap_or(&authority).to_owned();
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        let is_sound = !authority.is_empty() && authority.chars().all(is_host) && !authority.starts_with('.');
        is_sound.then(|| Self { authority, path: without_dots(path), query })
    }

    /// What a specifier that begins with `.` or `/` means in the module that stands here.
    pub(crate) fn join(&self, specifier: &str) -> Self {
        let specifier = specifier.split_once('#').map_or(specifier, |(before, _)| before);
        let (path, query) = split_query(specifier);
        let folder = self.path.rfind('/').and_then(|at| self.path.get(..=at)).unwrap_or("/");
        let path = if path.starts_with('/') { path.to_owned() } else { format!("{folder}{path}") };
        Self { authority: self.authority.clone(), path: without_dots(&path), query }
    }

    /// The URL.
    pub(crate) fn url(&self) -> String {
        format!("https://{}{}", self.authority, self.target())
    }

    /// Path and query.
    pub(crate) fn target(&self) -> String {
        self.path.clone() + &self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default()
    }

    /// Host without brackets, and port.
    pub(crate) fn host_and_port(&self) -> Option<(&str, u16)> {
        let (host, port) = match self.authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') && !host.is_empty() => (host, port.parse().ok()?),
            _ => (self.authority.as_str(), 443),
        };
        Some((host.trim_start_matches('[').trim_end_matches(']'), port))
    }

    /// Where a folder that mirrors hosts has it. A query is no part of a file's name.
    pub(crate) fn mirrored(&self) -> PathBuf {
        let parts = self.path.split('/').filter(|part| !part.is_empty());
        std::iter::once(self.authority.as_str()).chain(parts).collect()
    }
}

fn split_query(text: &str) -> (&str, Option<String>) {
    match text.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (text, None),
    }
}

/// RFC 3986 §5.2.4.
fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut is_folder = true;
    for part in path.split('/').skip(usize::from(path.starts_with('/'))) {
        is_folder = matches!(part, "." | ".." | "");
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    // A blank part at the end has brought its own `/`.
    let end = if is_folder && !parts.is_empty() && parts.last() != Some(&"") { "/" } else { "" };
    format!("/{}{end}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(Address::parse(text).map(|address| address.url()).as_deref(), expected, "{text}");
        };
        check("https://A.example", Some("https://a.example/"));
        check("HTTPS://a.example:443/x/../y.js?v=1#z", Some("https://a.example/y.js?v=1"));
        check("https://a.example:8443/x/", Some("https://a.example:8443/x/"));
        check("https://a.example?v", Some("https://a.example/?v"));
        check("https://[::1]:8443/a.js", Some("https://[::1]:8443/a.js"));
        check("https://a.example/../../etc", Some("https://a.example/etc"));
        check("http://a.example/", None);
        check("https:///a", None);
        check("https://a@b/", None);
        check("https://../a", None);
        check("https://a b/", None);
        check("é", None);
    }

    #[test]
    fn specifiers_are_joined() {
        let base = Address::parse("https://a.example/x/y.js?v=1").unwrap();
        let check = |specifier: &str, expected: &str| assert_eq!(base.join(specifier).url(), expected);
        check("./z.js", "https://a.example/x/z.js");
        check("../z.js?w", "https://a.example/z.js?w");
        check("/v1/../v2/z.js", "https://a.example/v2/z.js");
        check("../../../../z.js", "https://a.example/z.js");
        check(".", "https://a.example/x/");
    }

    #[test]
    fn hosts_and_files_are_told() {
        let check = |text: &str, host: &str, port: u16, file: &str| {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.host_and_port(), Some((host, port)));
            assert_eq!(address.mirrored().to_str(), Some(file));
        };
        check("https://a.example/x/y.js?v", "a.example", 443, "a.example/x/y.js");
        check("https://a.example:8443//y.js", "a.example", 8443, "a.example:8443/y.js");
        check("https://[::1]/y.js", "::1", 443, "[::1]/y.js");
        check("https://[::1]:99/y.js", "::1", 99, "[::1]:99/y.js");
        assert_eq!(Address::parse("https://a:b/").unwrap().host_and_port(), None);
    }
}
