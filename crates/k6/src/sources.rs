//! Where modules come from: files beside the script, modules that are built in, libraries known by their URLs.

use js::{Loaded, Sources};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Greatest module read: a bundle of megabytes is usual, more is a mistake.
const MODULE_BYTES_MAX: u64 = 32 << 20;

/// Modules written in JavaScript on native ones.
const BUILT_IN: &[(&str, &str)] = &[
    ("k6", include_str!("modules/k6.js")),
    ("k6/http", include_str!("modules/http.js")),
    ("k6/metrics", include_str!("modules/metrics.js")),
    ("k6/execution", include_str!("modules/execution.js")),
    ("k6/data", include_str!("modules/data.js")),
    ("k6/encoding", include_str!("modules/encoding.js")),
    ("k6/crypto", include_str!("modules/crypto.js")),
    ("k6/html", include_str!("modules/html.js")),
    ("weir:markup", include_str!("modules/markup.js")),
    ("weir:paths", include_str!("modules/paths.js")),
    ("weir:elements", include_str!("modules/elements.js")),
    ("weir:rows", include_str!("modules/rows.js")),
    ("k6/experimental/fs", include_str!("modules/fs.js")),
    ("k6/experimental/csv", include_str!("modules/csv.js")),
    ("k6/timers", include_str!("modules/timers.js")),
    ("k6/experimental/timers", include_str!("modules/timers.js")),
    ("k6/experimental/webcrypto", include_str!("modules/webcrypto.js")),
];
/// What those import.
const NATIVE: &[&str] = &[
    "weir:core",
    "weir:http",
    "weir:metrics",
    "weir:execution",
    "weir:data",
    "weir:encoding",
    "weir:crypto",
    "weir:files",
    "weir:html",
    "weir:later",
    "weir:summary",
];
/// Libraries by the begin of their URLs, in place of what is served there.
const LIBRARIES: &[(&str, &str)] = &[
    ("https://jslib.k6.io/k6-utils/", include_str!("modules/utils.js")),
    ("https://jslib.k6.io/k6-summary/", include_str!("modules/summary.js")),
    ("https://jslib.k6.io/papaparse/", include_str!("modules/papaparse.js")),
    ("https://raw.githubusercontent.com/benc-uk/k6-reporter/", include_str!("modules/reporter.js")),
    ("https://raw.githubusercontent.com/centminmod/k6-reporter/", include_str!("modules/reporter.js")),
    ("https://raw.githubusercontent.com/centminmod/k6-benchmarking/", include_str!("modules/reporter.js")),
];
/// Modules that come with protocols and services that are not there.
const ABSENT: &[&str] = &[
    "k6/browser",
    "k6/net/grpc",
    "k6/ws",
    "k6/websockets",
    "k6/secrets",
    "k6/crypto/x509",
    "k6/experimental/",
    "k6/x/",
];

/// The modules of one script.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Text files that were given rather than read, by path.
    given: BTreeMap<String, String>,
}

impl Files {
    /// With the main script's text, as it came from stdin.
    pub(crate) fn with(path: &str, text: String) -> Self {
        Self { given: BTreeMap::from([(path.to_owned(), text)]) }
    }
}

impl Sources for Files {
    fn resolve(&mut self, specifier: &str, referrer: &str) -> Result<String, String> {
        let is_built_in = |name: &str| BUILT_IN.iter().any(|(built_in, _)| *built_in == name);
        let is_ours = is_built_in(referrer) || LIBRARIES.iter().any(|(begin, _)| referrer.starts_with(begin));
        let is_main = referrer.is_empty();
        let is_private = specifier.starts_with("weir:");
        let is_there = is_built_in(specifier) || NATIVE.contains(&specifier);
        if is_main || is_there && (is_ours || !is_private) {
            return Ok(specifier.to_owned());
        }
        if let Some(absent) = ABSENT.iter().find(|absent| specifier.starts_with(**absent)) {
            let name = absent.trim_end_matches('/');
            return Err(format!("the module {specifier} is not there yet ({name}); remove what needs it"));
        }
        if specifier == "k6" || specifier.starts_with("k6/") {
            return Err(format!("unknown modules [\"{specifier}\"] were tried to be loaded"));
        }
        if specifier.contains("://") {
            return remote(specifier);
        }
        if specifier.starts_with('.') || specifier.starts_with('/') {
            let base = Path::new(referrer).parent().unwrap_or_else(|| Path::new(""));
            return Ok(normal(&base.join(specifier)).to_string_lossy().into_owned());
        }
        Err(format!(
            "the moduleSpecifier \"{specifier}\" couldn't be recognised: write ./{specifier} for a file beside the script"
        ))
    }

    fn load(&mut self, url: &str) -> Result<Loaded, String> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(name, _)| *name == url) {
            return Ok(Loaded::JavaScript((*text).to_owned()));
        }
        if NATIVE.contains(&url) {
            return Ok(Loaded::Native);
        }
        if let Some((_, text)) = LIBRARIES.iter().find(|(begin, _)| url.starts_with(begin)) {
            return Ok(Loaded::JavaScript((*text).to_owned()));
        }
        let text = match self.given.get(url) {
            Some(text) => text.clone(),
            None => read(Path::new(url))?,
        };
        Ok(match Path::new(url).extension().and_then(|extension| extension.to_str()) {
            Some("ts") => Loaded::TypeScript(text),
            Some("json") => Loaded::Json(text),
            _ => Loaded::JavaScript(text),
        })
    }
}

/// A library that is built in; nothing is fetched while a script loads.
fn remote(url: &str) -> Result<String, String> {
    if let Some(path) = url.strip_prefix("file://") {
        return Ok(path.to_owned());
    }
    if LIBRARIES.iter().any(|(begin, _)| url.starts_with(begin)) {
        return Ok(url.to_owned());
    }
    Err(format!(
        "{url} is not built in, and nothing is fetched while a script loads: save it as a file and import that"
    ))
}

/// The text of a file of bounded size.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))
}

/// The bytes of a file of bounded size.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let said =
        |error: std::io::Error| format!("can't read {}: {}", path.display(), units::system_words(&error));
    let file = std::fs::File::open(path).map_err(said)?;
    let mut bytes = Vec::new();
    file.take(MODULE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > MODULE_BYTES_MAX {
        return Err(format!("{} is larger than {} MiB", path.display(), MODULE_BYTES_MAX >> 20));
    }
    Ok(bytes)
}

/// Without `.` and `..`, so that a file has one name.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
