//! The cookies of one user: name, value, path and end, per target (RFC 6265 §5, as far as one origin needs it).

/// A user keeps at most so many; the oldest go first (RFC 6265 §6.1 asks for 50 per domain).
const COOKIES_MAX: usize = 64;
/// Longer ones are ignored (RFC 6265 §6.1 asks for 4096 bytes in all).
const COOKIE_BYTES_MAX: usize = 8192;

/// What a user keeps of `Set-Cookie`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Jar {
    cookies: Vec<Cookie>,
}

#[derive(Debug, Clone, PartialEq)]
struct Cookie {
    target: u16,
    name: String,
    value: String,
    path: String,
    secure: bool,
    /// ns since the run's origin; `None`: as long as the user.
    expires_ns: Option<u64>,
}

impl Jar {
    pub(crate) fn is_empty(&self) -> bool {
        self.cookies.is_empty()
    }

    /// Takes one `Set-Cookie` line. Attributes other than Max-Age, Path, Secure do not matter within one origin; `Expires` counts only
    /// when it lies in the past by year, which is how servers delete (the run has no calendar).
    pub(crate) fn set(&mut self, target: u16, line: &[u8], request_path: &str, now_ns: u64) {
        let Ok(line) = std::str::from_utf8(line) else { return };
        if line.len() > COOKIE_BYTES_MAX {
            return;
        }
        let Some(parsed) = parse(line) else { return };
        let path = match parsed.path {
            Some(path) if path.starts_with('/') => path.to_owned(),
            _ => default_path(request_path).to_owned(),
        };
        self.cookies.retain(|old| !(old.target == target && old.name == parsed.name && old.path == path));
        if parsed.deleted {
            return;
        }
        if self.cookies.len() >= COOKIES_MAX {
            self.cookies.remove(0);
        }
        let expires_ns =
            parsed.max_age_secs.map(|secs| now_ns.saturating_add(secs.saturating_mul(units::NS_PER_SEC)));
        let (name, value) = (parsed.name.to_owned(), parsed.value.to_owned());
        self.cookies.push(Cookie { target, name, value, path, secure: parsed.secure, expires_ns });
    }

    /// Appends `cookie: a=1; b=2\r\n` when there are any for this request.
    pub(crate) fn write(&self, target: u16, path: &str, is_secure: bool, now_ns: u64, out: &mut Vec<u8>) {
        let fits = |cookie: &&Cookie| {
            cookie.target == target
                && (is_secure || !cookie.secure)
                && cookie.expires_ns.is_none_or(|end_ns| now_ns < end_ns)
                && path_matches(path, &cookie.path)
        };
        let mut separator: &[u8] = b"cookie: ";
        for cookie in self.cookies.iter().filter(fits) {
            out.extend_from_slice(separator);
            out.extend_from_slice(cookie.name.as_bytes());
            out.push(b'=');
            out.extend_from_slice(cookie.value.as_bytes());
            separator = b"; ";
        }
        if separator == b"; " {
            out.extend_from_slice(b"\r\n");
        }
    }
}

struct Parsed<'a> {
    name: &'a str,
    value: &'a str,
    path: Option<&'a str>,
    secure: bool,
    max_age_secs: Option<u64>,
    deleted: bool,
}

fn parse(line: &str) -> Option<Parsed<'_>> {
    let mut parts = line.split(';');
    let (name, value) = parts.next()?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    // A control in it could end the header early when it is sent back.
    if name.is_empty() || line.bytes().any(|b| b.is_ascii_control()) {
        return None;
    }
    let mut parsed = Parsed { name, value, path: None, secure: false, max_age_secs: None, deleted: false };
    for attribute in parts {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        let (key, value) = (key.trim(), value.trim());
        if key.eq_ignore_ascii_case("path") {
            parsed.path = Some(value);
        } else if key.eq_ignore_ascii_case("secure") {
            parsed.secure = true;
        } else if key.eq_ignore_ascii_case("max-age") {
            match value.parse::<i64>() {
                Ok(secs) if secs <= 0 => parsed.deleted = true,
                Ok(secs) => parsed.max_age_secs = u64::try_from(secs).ok(),
                Err(_) => {}
            }
        } else if key.eq_ignore_ascii_case("expires") && parsed.max_age_secs.is_none() {
            parsed.deleted |= expires_long_ago(value);
        }
    }
    Some(parsed)
}

/// Whether an `Expires` date is before 2020: `Thu, 01 Jan 1970 00:00:00 GMT` and its like.
fn expires_long_ago(date: &str) -> bool {
    let year = date.split([' ', '-']).filter_map(|word| word.parse::<u32>().ok()).find(|n| *n > 1900);
    year.is_some_and(|year| year < 2020)
}

/// RFC 6265 §5.1.4: up to, not including, the last `/`.
fn default_path(request_path: &str) -> &str {
    let path = request_path.split('?').next().unwrap_or("/");
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => path.get(..at).unwrap_or("/"),
    }
}

/// RFC 6265 §5.1.4, path-match.
fn path_matches(request_path: &str, cookie_path: &str) -> bool {
    let path = request_path.split('?').next().unwrap_or("/");
    path.strip_prefix(cookie_path)
        .is_some_and(|rest| rest.is_empty() || cookie_path.ends_with('/') || rest.starts_with('/'))
}

/// The value of the cookie `name` in a `Set-Cookie` line.
pub(crate) fn value_of<'a>(line: &'a [u8], name: &str) -> Option<&'a str> {
    let (found, value) = std::str::from_utf8(line).ok()?.split(';').next()?.split_once('=')?;
    (found.trim() == name).then(|| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_come_back_where_they_belong() {
        let mut jar = Jar::default();
        for line in [
            "a=1; Path=/",
            "b=2; Path=/shop; HttpOnly",
            "c=3; Secure; Path=/",
            "d=4; Max-Age=10; Path=/",
            "e=5",
        ] {
            jar.set(0, line.as_bytes(), "/shop/cart", 0);
        }
        let sent = |path: &str, is_secure: bool, now_ns: u64| {
            let mut out = Vec::new();
            jar.write(0, path, is_secure, now_ns, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(sent("/", false, 0), "cookie: a=1; d=4\r\n");
        assert_eq!(sent("/shop?x", true, 0), "cookie: a=1; b=2; c=3; d=4; e=5\r\n");
        assert_eq!(sent("/shopping", false, 11_000_000_000), "cookie: a=1\r\n");
        let mut jar = jar.clone();
        jar.set(0, b"a=; Max-Age=0; Path=/", "/", 0);
        jar.set(0, b"d=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", "/", 0);
        jar.set(0, b"bad=1\r\nx: y", "/", 0);
        jar.set(0, b"=", "/", 0);
        let mut out = Vec::new();
        jar.write(0, "/", false, 0, &mut out);
        jar.write(1, "/", true, 0, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn a_jar_stays_small() {
        let mut jar = Jar::default();
        (0..1000).for_each(|n| jar.set(0, format!("k{n}=v").as_bytes(), "/", 0));
        assert_eq!(jar.cookies.len(), COOKIES_MAX);
    }
}
