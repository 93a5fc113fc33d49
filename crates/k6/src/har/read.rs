//! Reading a HAR file: entries in the order in which they began, in the groups of their pages.

use super::Convert;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use units::Civil;

/// Requests of one recording at most: hours of browsing.
const ENTRIES_MAX: usize = 100_000;
/// Length of a file at most, bytes: recordings with bodies of an hour's browsing have a tenth of it.
pub(crate) const HAR_BYTES_MAX: u64 = 256 << 20;
/// Text of an answer that is looked into for values, bytes.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Methods with letters alone, such as tokens are (RFC 9110 §9.1), of this length at most.
const METHOD_BYTES_MAX: usize = 32;
/// Headers that the client writes itself, or that belong to one connection (RFC 9110 §7.6.1).
const OWN_HEADERS: [&str; 9] = [
    "host",
    "content-length",
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "cookie",
];

/// Why no script can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HarError {
    /// The bytes are no JSON, or lack what a HAR file has.
    NoHar(String),
    /// More than can be read.
    TooLarge(String),
    /// No request is left: all were left out, or there was none.
    Empty,
}

impl std::fmt::Display for HarError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoHar(why) => write!(f, "it is no HAR file: {why}"),
            Self::TooLarge(why) => f.write_str(why),
            Self::Empty => f.write_str("no request is left of it; look at --only and --skip"),
        }
    }
}

impl std::error::Error for HarError {}

/// A piece of a text that is sent: as it was recorded, or a value of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// Index of the value.
    Value(usize),
}

/// A text that is sent.
pub(super) type Text = Vec<Piece>;

/// A request as it is sent again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) url: Text,
    pub(super) headers: Vec<(String, Text)>,
    /// That no answer of the recording has set.
    pub(super) cookies: Vec<(String, String)>,
    pub(super) body: Option<Text>,
    /// The body in base64, where it is no text.
    pub(super) is_base64: bool,
    /// Since the recording's first request, ms; `None`: not told.
    pub(super) begun_ms: Option<f64>,
    /// When it was over, likewise.
    pub(super) ended_ms: Option<f64>,
    pub(super) answer: Answer,
    /// What was noted with it.
    pub(super) comment: Option<String>,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Answer {
    /// 0: not told.
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) json: Option<Value>,
}

/// Requests of a page, or of none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    pub(super) title: Option<String>,
    pub(super) requests: Vec<Request>,
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Recording {
    pub(super) groups: Vec<Group>,
    /// Options that the recording brings along, as k6's recorder has them.
    pub(super) options: Option<Value>,
    pub(super) left_out: Vec<(&'static str, usize)>,
}

impl Recording {
    pub(super) fn request_count(&self) -> usize {
        self.groups.iter().map(|group| group.requests.len()).sum()
    }
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], how: &Convert) -> Result<Recording, HarError> {
    if bytes.len() as u64 > HAR_BYTES_MAX {
        return Err(HarError::TooLarge(format!("it has more than {} MiB", HAR_BYTES_MAX >> 20)));
    }
    // Firefox and some proxies begin with a mark of byte order.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| HarError::NoHar(error.to_string()))?;
    let log = value.get("log").ok_or_else(|| HarError::NoHar("it has no `log`".to_owned()))?;
    let entries = log.get("entries").and_then(Value::as_array);
    let entries = entries.ok_or_else(|| HarError::NoHar("it has no `log.entries`".to_owned()))?;
    if entries.len() > ENTRIES_MAX {
        return Err(HarError::TooLarge(format!("it has more than {ENTRIES_MAX} requests")));
    }
    let mut left_out: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut kept: Vec<(Option<f64>, &Value)> = Vec::new();
    for entry in entries {
        match why_not(entry, how) {
            Some(why) => *left_out.entry(why).or_default() += 1,
            None => kept.push((begun(entry), entry)),
        }
    }
    // Entries without a time stay behind the one before them.
    let mut last = f64::MIN;
    let mut ordered: Vec<(f64, &Value)> = Vec::new();
    for (begun, entry) in kept {
        last = begun.unwrap_or(last);
        ordered.push((last, entry));
    }
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = ordered.iter().map(|(begun, _)| *begun).find(|begun| *begun > f64::MIN).unwrap_or(0.0);
    let titles = titles(log);
    let mut groups: Vec<(Option<&str>, Group)> = Vec::new();
    let mut set_cookies = HashSet::new();
    for (_, entry) in ordered {
        let Some(request) = request(entry, first, &mut set_cookies) else {
            *left_out.entry("without a method or URL that can be sent").or_default() += 1;
            continue;
        };
        let page = entry.get("pageref").and_then(Value::as_str).filter(|page| !page.is_empty());
        // All requests of a page stand where its first one does; what belongs to no page stays in its place.
        let known = match page {
            Some(_) => groups.iter_mut().find(|(id, _)| *id == page),
            None => groups.last_mut().filter(|(id, _)| id.is_none()),
        };
        match known {
            Some((_, group)) => group.requests.push(request),
            None => {
                let title = page.map(|page| title(page, titles.get(page).copied()));
                groups.push((page, Group { title, requests: vec![request] }));
            }
        }
    }
    let groups: Vec<Group> = groups.into_iter().map(|(_, group)| group).collect();
    if groups.is_empty() {
        return Err(HarError::Empty);
    }
    let options = log.get("options").filter(|options| options.is_object()).cloned();
    Ok(Recording { groups, options, left_out: left_out.into_iter().collect() })
}

/// Titles of pages by their ids.
fn titles(log: &Value) -> BTreeMap<&str, &str> {
    let pages = log.get("pages").and_then(Value::as_array);
    pages
        .into_iter()
        .flatten()
        .filter_map(|page| Some((page.get("id")?.as_str()?, page.get("title")?.as_str()?)))
        .collect()
}

/// A group's name; k6 takes `::` for what stands between a group and one in it.
fn title(page: &str, title: Option<&str>) -> String {
    const CHARS_MAX: usize = 200;
    let name = match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => format!("{page} - {title}"),
        None => page.to_owned(),
    };
    let mut name: String = name.chars().take(CHARS_MAX).collect();
    while name.contains("::") {
        name = name.replace("::", ":");
    }
    name
}

/// Why an entry is not sent again.
fn why_not(entry: &Value, how: &Convert) -> Option<&'static str> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let url =
        entry.get("request").and_then(|request| request.get("url")).and_then(Value::as_str).unwrap_or("");
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    match scheme.as_str() {
        "http" | "https" => {}
        "ws" | "wss" => return Some("WebSockets"),
        _ => return Some("of no web address (data:, blob:, extensions)"),
    }
    if text("_resourceType") == Some("websocket") {
        return Some("WebSockets");
    }
    if matches!(text("_fromCache"), Some("memory" | "disk" | "prefetch-cache")) {
        return Some("answered by the browser's own cache");
    }
    let status = entry.get("response").and_then(|response| response.get("status")).and_then(Value::as_i64);
    let error = entry.get("response").and_then(|response| response.get("_error")).and_then(Value::as_str);
    if status == Some(0) && error.is_some_and(|error| !error.is_empty()) {
        return Some("that the browser did not finish");
    }
    let host = crate::url::Url::parse(url).ok().map(|url| url.host).unwrap_or_default();
    let is_below = |domain: &String| {
        let domain = domain.trim().trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
        host == domain || host.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
    };
    let is_out = !how.only.is_empty() && !how.only.iter().any(is_below) || how.skip.iter().any(is_below);
    is_out.then_some("to other hosts (--only, --skip)")
}

/// When an entry began, ms since 1970.
fn begun(entry: &Value) -> Option<f64> {
    instant_ms(entry.get("startedDateTime")?.as_str()?)
}

/// RFC 3339: `2026-11-21T09:00:00.123Z`, `…+01:00`. ms since 1970.
fn instant_ms(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at_checked(at)?;
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i64>().ok()).flatten()
    };
    let mut days = date.splitn(3, '-').map(number);
    let (year, month, day) = (days.next()??, days.next()??, days.next()??);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut times = clock.splitn(3, ':').map(number);
    let (hour, minute, second) = (times.next()??, times.next()??, times.next()??);
    let secs = Civil { year, month, day, hour, minute, second }.unix_secs()?;
    let fraction: f64 = number(fraction).and_then(|_| format!("0.{fraction}").parse().ok())?;
    let offset_secs = match zone.get(..1) {
        Some(sign @ ("+" | "-")) => {
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let (hours, minutes) = (number(digits.get(..2)?)?, number(digits.get(2..4)?)?);
            (hours * 3_600 + minutes * 60) * if sign == "-" { -1 } else { 1 }
        }
        _ => 0,
    };
    Some((secs - offset_secs) as f64 * 1e3 + fraction * 1e3)
}

fn pairs(value: Option<&Value>) -> impl Iterator<Item = (&str, &str)> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|pair| Some((pair.get("name")?.as_str()?, pair.get("value")?.as_str()?)))
}

fn plain(text: &str) -> Text {
    vec![Piece::Text(text.to_owned())]
}

/// An entry's request; `None` if it can't be sent. Cookies that its answer sets are noted.
fn request(entry: &Value, first_ms: f64, set_cookies: &mut HashSet<String>) -> Option<Request> {
    let request = entry.get("request")?;
    let method = request.get("method")?.as_str()?.to_ascii_uppercase();
    let is_token = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_token || method.len() > METHOD_BYTES_MAX || method == "CONNECT" {
        return None;
    }
    // What stands behind `#` is not sent.
    let url = request.get("url")?.as_str()?;
    let url = url.split_once('#').map_or(url, |(before, _)| before);
    crate::url::Url::parse(url).ok()?;
    let mut headers: Vec<(String, Text)> = Vec::new();
    for (name, value) in pairs(request.get("headers")) {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        // `:authority` and the like are HTTP/2's frame, and no headers.
        let is_sound = !name.is_empty() && name.bytes().all(is_token) && !value.contains(['\r', '\n', '\0']);
        let is_new = !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if is_sound && is_new && !OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
            headers.push((name.to_owned(), plain(value)));
        }
    }
    let cookies = pairs(request.get("cookies")).filter(|(name, _)| !set_cookies.contains(*name));
    let mut cookies: Vec<(String, String)> =
        cookies.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    cookies.sort();
    cookies.dedup_by(|a, b| a.0 == b.0);
    let (body, is_base64) = body(request.get("postData"));
    let begun_ms = begun(entry).map(|begun| begun - first_ms);
    let took_ms = entry.get("time").and_then(Value::as_f64).filter(|time| *time > 0.0).unwrap_or(0.0);
    let response = entry.get("response");
    set_cookies.extend(
        pairs(response.and_then(|response| response.get("cookies"))).map(|(name, _)| name.to_owned()),
    );
    Some(Request {
        method,
        url: plain(url),
        headers,
        cookies,
        body: body.map(|body| plain(&body)),
        is_base64,
        begun_ms,
        ended_ms: begun_ms.map(|begun| begun + took_ms),
        answer: response.map(answer).unwrap_or_default(),
        comment: entry
            .get("comment")
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned),
    })
}

/// A body's text, and whether that is base64.
fn body(post: Option<&Value>) -> (Option<String>, bool) {
    let Some(post) = post else { return (None, false) };
    let is_base64 = post.get("encoding").and_then(Value::as_str) == Some("base64");
    if let Some(text) = post.get("text").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        return (Some(text.to_owned()), is_base64);
    }
    let kind = post.get("mimeType").and_then(Value::as_str).unwrap_or_default();
    let fields: Vec<String> = pairs(post.get("params"))
        .map(|(name, value)| format!("{}={}", form_encoded(name), form_encoded(value)))
        .collect();
    let is_form = kind.starts_with("application/x-www-form-urlencoded") && !fields.is_empty();
    (is_form.then(|| fields.join("&")), false)
}

/// As forms are sent; what is encoded already, as most recorders leave it, stays.
fn form_encoded(text: &str) -> String {
    let is_encoded = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"*-._+%".contains(&byte));
    if is_encoded {
        return text.to_owned();
    }
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            byte if byte.is_ascii_alphanumeric() || b"*-._".contains(&byte) => encoded.push(char::from(byte)),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

fn answer(response: &Value) -> Answer {
    let status = response.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    let header = pairs(response.get("headers")).find(|(name, _)| name.eq_ignore_ascii_case("location"));
    let content = response.get("content");
    let text = |key: &str| content.and_then(|content| content.get(key)).and_then(Value::as_str);
    let is_json = text("mimeType").is_some_and(|kind| kind.contains("json"));
    let body = text("text").filter(|body| is_json && body.len() <= ANSWER_BYTES_MAX);
    let body = body.and_then(|body| match text("encoding") {
        Some("base64") => {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.decode(body).ok()
        }
        _ => Some(body.as_bytes().to_vec()),
    });
    Answer {
        status: status.unwrap_or(0),
        location: header.map(|(_, value)| value.to_owned()),
        json: body.and_then(|body| serde_json::from_slice(&body).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_browsers_are_read() {
        let check = |text: &str, expected: Option<f64>| assert_eq!(instant_ms(text), expected, "{text}");
        check("1970-01-01T00:00:01.500Z", Some(1500.0));
        check("1970-01-01T01:00:01.5+01:00", Some(1500.0));
        check("1970-01-01T00:00:01-00:30", Some(1_801_000.0));
        check("1970-01-01T00:00:01", Some(1000.0));
        check("1970-01-01T00:00:01.Z", None);
        check("1970-13-01T00:00:01Z", None);
        check("1970-01-01", None);
        check("", None);
        check("99999999999999999999-01-01T00:00:00Z", None);
    }

    #[test]
    fn forms_are_encoded_once() {
        assert_eq!(form_encoded("a b&c"), "a+b%26c");
        assert_eq!(form_encoded("a+b%26c"), "a+b%26c");
        assert_eq!(form_encoded("ü"), "%C3%BC");
    }

    #[test]
    fn groups_have_names_that_k6_takes() {
        assert_eq!(title("page_1", Some("http://[::1]:80/ a:::b")), "page_1 - http://[:1]:80/ a:b");
        assert_eq!(title("page_1", Some(" ")), "page_1");
    }
}
