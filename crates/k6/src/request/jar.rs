//! A user's cookies, as RFC 6265 keeps and sends them; there is no list of public suffixes.

use crate::url::Url;
use plan::Scheme;
use units::Civil;

/// Cookies of one jar at most; RFC 6265, section 6.1 asks for 3000 in all.
const COOKIES_MAX: usize = 3_000;

/// What one `Set-Cookie` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SetCookie {
    pub(crate) name: String,
    pub(crate) value: String,
    /// As given; empty without.
    pub(crate) domain: String,
    /// As given; empty without.
    pub(crate) path: String,
    pub(crate) is_secure: bool,
    pub(crate) is_http_only: bool,
    /// Seconds; 0 without, below 0: out of date at once.
    pub(crate) max_age: i64,
    /// Of `Expires`.
    pub(crate) expires_unix_ms: Option<i64>,
}

impl SetCookie {
    /// Reads a header's value; `None`: it has no name.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let value = value.trim();
        let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
        let mut cookie = Self { name: name.trim().to_owned(), value: bare.to_owned(), ..Self::default() };
        for part in parts {
            let (key, value) =
                part.split_once('=').map_or((part.trim(), ""), |(key, value)| (key.trim(), value.trim()));
            match key.to_ascii_lowercase().as_str() {
                "domain" => value.clone_into(&mut cookie.domain),
                "path" => value.clone_into(&mut cookie.path),
                "secure" => cookie.is_secure = true,
                "httponly" => cookie.is_http_only = true,
                "max-age" => {
                    cookie.max_age = value.parse::<i64>().map_or(0, |age| if age <= 0 { -1 } else { age });
                }
                "expires" => cookie.expires_unix_ms = unix_ms_of_date(value),
                _ => {}
            }
        }
        (!cookie.name.is_empty()).then_some(cookie)
    }
}

/// A cookie that is kept.
#[derive(Debug, Clone)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    is_host_only: bool,
    path: String,
    is_secure: bool,
    /// `None`: as long as its jar.
    until_unix_ms: Option<i64>,
}

/// Cookies.
#[derive(Debug, Default)]
pub(crate) struct Jar(Vec<Cookie>);

impl Jar {
    /// Takes a cookie in (section 5.3); one that is out of date removes.
    pub(crate) fn store(&mut self, given: SetCookie, url: &Url, now_unix_ms: i64) {
        let Some((domain, is_host_only)) = domain_of(&given.domain, &url.host) else { return };
        let folder = url.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = match given.path.as_str() {
            path if path.starts_with('/') => path,
            _ if folder.is_empty() => "/",
            _ => folder,
        };
        let until_unix_ms = match given.max_age {
            0 => given.expires_unix_ms,
            age if age < 0 => Some(0),
            age => Some(now_unix_ms.saturating_add(age.saturating_mul(1_000))),
        };
        let is_over = until_unix_ms.is_some_and(|until| until <= now_unix_ms);
        let same = self.0.iter().position(|own| {
            (own.name.as_str(), own.domain.as_str(), own.path.as_str()) == (&given.name, &domain, path)
        });
        let path = path.to_owned();
        let SetCookie { name, value, is_secure, .. } = given;
        let cookie = Cookie { name, value, domain, is_host_only, path, is_secure, until_unix_ms };
        match same {
            Some(place) if is_over => drop(self.0.remove(place)),
            Some(place) => {
                if let Some(own) = self.0.get_mut(place) {
                    *own = cookie;
                }
            }
            None if !is_over && self.0.len() < COOKIES_MAX => self.0.push(cookie),
            None => {}
        }
    }

    /// Names and values that go to a URL, those of the longest paths first (section 5.4).
    pub(crate) fn for_url(&self, url: &Url, now_unix_ms: i64) -> Vec<(String, String)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let fits = |cookie: &&Cookie| {
            cookie.until_unix_ms.is_none_or(|until| until > now_unix_ms) && cookie.goes_to(url)
        };
        let mut found: Vec<&Cookie> = self.0.iter().filter(fits).collect();
        found.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        found.into_iter().map(|cookie| (cookie.name.clone(), cookie.value.clone())).collect()
    }

    /// Forgets what would go to a URL; with a name, only that.
    pub(crate) fn forget(&mut self, url: &Url, name: Option<&str>) {
        self.0.retain(|cookie| name.is_some_and(|name| name != cookie.name) || !cookie.goes_to(url));
    }
}

impl Cookie {
    fn goes_to(&self, url: &Url) -> bool {
        let is_there =
            if self.is_host_only { url.host == self.domain } else { is_within(&url.host, &self.domain) };
        let path = url.path();
        let on_path = path == self.path
            || path
                .strip_prefix(self.path.as_str())
                .is_some_and(|rest| self.path.ends_with('/') || rest.starts_with('/'));
        is_there && on_path && (!self.is_secure || url.scheme == Scheme::Https)
    }
}

/// A cookie's domain, and whether it is for that host alone; `None`: it is for somebody else.
fn domain_of(given: &str, host: &str) -> Option<(String, bool)> {
    let domain = given.strip_prefix('.').unwrap_or(given).to_ascii_lowercase();
    if domain.is_empty() || domain == host && host.parse::<std::net::IpAddr>().is_ok() {
        return Some((host.to_owned(), true));
    }
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    (!is_address && is_within(host, &domain)).then_some((domain, false))
}

/// Whether a host is the domain or below it.
fn is_within(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// A `Cookie` header's piece: values with spaces and commas in quotes.
pub(crate) fn pair(name: &str, value: &str) -> String {
    if value.contains([' ', ',']) { format!("{name}=\"{value}\"") } else { format!("{name}={value}") }
}

/// A date as in RFC 1123 (`Mon, 02 Jan 2006 15:04:05 GMT`), also with dashes as the first cookies had it, as ms since 1970.
pub(crate) fn unix_ms_of_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let rest = text.split_once(',').map_or(text, |(_, rest)| rest).replace('-', " ");
    let mut words = rest.split_ascii_whitespace();
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| name.eq_ignore_ascii_case(month))? as i64 + 1;
    let year: i64 = words.next()?.parse().ok()?;
    let mut time = words.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if !(1601..=9999).contains(&year) {
        return None;
    }
    Civil { year, month, day, hour, minute, second }.unix_secs().map(|secs| secs * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn dates_are_read() {
        let check = |text: &str, ms: Option<i64>| assert_eq!(unix_ms_of_date(text), ms, "{text}");
        check("Thu, 01 Jan 1970 00:00:00 GMT", Some(0));
        check("Mon, 02 Jan 2006 15:04:05 GMT", Some(1_136_214_245_000));
        check("Tue, 29-Feb-2000 00:00:00 GMT", Some(951_782_400_000));
        check("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799_000));
        for wrong in ["", "tomorrow", "Mon, 02 Foo 2006 15:04:05 GMT", "Mon, 40 Jan 2006 15:04:05 GMT"] {
            check(wrong, None);
        }
    }

    #[test]
    fn cookies_go_where_they_belong() {
        let mut jar = Jar::default();
        let here = url("http://www.a.test/x/y");
        for line in [
            "host=1",
            "domain=2; Domain=a.test",
            "path=3; Path=/x",
            "root=4; path=/",
            "secure=5; Secure",
            "old=6; Expires=Thu, 01 Jan 1970 00:00:10 GMT",
            "gone=7; Max-Age=0",
            "other=8; Domain=b.test",
            "aged=9; Max-Age=60",
            "=10",
            "none",
        ] {
            if let Some(cookie) = SetCookie::parse(line) {
                jar.store(cookie, &here, 20_000);
            }
        }
        let names = |jar: &Jar, to: &str, now| {
            let names: Vec<String> = jar.for_url(&url(to), now).into_iter().map(|(name, _)| name).collect();
            names.join(" ")
        };
        assert_eq!(names(&jar, "http://www.a.test/x/z", 20_000), "host domain path aged root");
        assert_eq!(names(&jar, "https://www.a.test/x/z", 80_000), "host domain path secure root");
        assert_eq!(names(&jar, "http://a.test/x/z", 20_000), "domain");
        assert_eq!(names(&jar, "http://www.a.test/xy", 20_000), "root");
        jar.store(SetCookie::parse("host=; Max-Age=-1").unwrap(), &here, 20_000);
        jar.forget(&here, Some("path"));
        assert_eq!(names(&jar, "http://www.a.test/x/z", 20_000), "domain aged root");
        jar.forget(&here, None);
        assert_eq!(names(&jar, "http://www.a.test/x/z", 20_000), "");
        assert_eq!(pair("a", "b c"), "a=\"b c\"");
    }
}
