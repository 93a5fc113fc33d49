//! Where modules come from: files beside the script, an archive, modules that are built in, libraries known by their URLs, and what was asked for
//! from the network.

use crate::archive::{Archive, HTTPS};
use crate::remote::{Address, Remote};
use js::{Loaded, Sources};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Greatest file read: rows of data take hundreds of megabytes, and a user's memory has no room for more.
const MODULE_BYTES_MAX: u64 = 256 << 20;

/// Modules written in JavaScript on native ones.
const BUILT_IN: &[(&str, &str)] = &[
    ("weir:http/requests", include_str!("modules/http/requests.js")),
    ("weir:http/batch", include_str!("modules/http/batch.js")),
    ("weir:http/jars", include_str!("modules/http/jars.js")),
    ("weir:http/arguments", include_str!("modules/http/arguments.js")),
    ("k6/metrics", include_str!("modules/metrics.js")),
    ("weir:execution/objects", include_str!("modules/execution.js")),
    ("k6/data", include_str!("modules/data.js")),
    ("k6/encoding", include_str!("modules/encoding.js")),
    ("k6/crypto", include_str!("modules/crypto.js")),
    ("k6/crypto/x509", include_str!("modules/x509.js")),
    ("k6/secrets", include_str!("modules/secrets.js")),
    ("k6/experimental/streams", include_str!("modules/streams.js")),
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
    "weir:x509",
    "weir:secrets",
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
/// Modules that have other names by now.
const MOVED: &[(&str, &str)] = &[
    ("k6/experimental/browser", "k6/browser"),
    ("k6/experimental/grpc", "k6/net/grpc"),
    ("k6/experimental/websockets", "k6/websockets"),
    ("k6/experimental/redis", "k6/x/redis"),
];
/// Modules that come with protocols and services that are not there.
const ABSENT: &[&str] = &["k6/browser", "k6/net/grpc", "k6/ws", "k6/websockets", "k6/experimental/", "k6/x/"];

/// The modules of one script.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Text files that were given rather than read, by path.
    given: BTreeMap<String, String>,
    /// All there is of files, where the script came in one.
    archive: Option<Arc<Archive>>,
    remote: Remote,
    /// What came by https, by URL.
    fetched: BTreeMap<String, Vec<u8>>,
}

impl Files {
    /// Of an archive, or else from disk; what is imported by https as `remote` has it.
    pub(crate) fn new(archive: Option<Arc<Archive>>, remote: Remote) -> Self {
        Self { archive, remote, ..Self::default() }
    }

    /// With the main script's text, as it came from stdin.
    pub(crate) fn with(mut self, path: &str, text: String) -> Self {
        self.given.insert(path.to_owned(), text);
        self
    }

    /// What came by https while modules were loaded, by URL.
    pub(crate) fn fetched(self) -> BTreeMap<String, Vec<u8>> {
        self.fetched
    }

    /// The library that stands in a URL's place, unless somebody wants what is served there.
    fn library(&self, url: &str) -> Option<&'static str> {
        let library = LIBRARIES.iter().find(|(begin, _)| url.starts_with(begin));
        let is_locked = || self.remote.lock.as_ref().is_some_and(|lock| lock.modules().contains_key(url));
        library.map(|(_, text)| *text).filter(|_| !self.remote.fetches_built_in && !is_locked())
    }

    /// The bytes of a module that is not built in.
    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if let Some(text) = self.given.get(name) {
            return Ok(text.clone().into_bytes());
        }
        if let Some(found) = self.archive.as_ref().and_then(|archive| archive.file(name)) {
            return Ok(found.to_vec());
        }
        if name.starts_with(HTTPS) {
            if let Some(bytes) = self.fetched.get(name) {
                return Ok(bytes.clone());
            }
            let bytes = self.remote.load(name)?;
            self.fetched.insert(name.to_owned(), bytes.clone());
            return Ok(bytes);
        }
        match &self.archive {
            Some(_) => Err(format!("{name} is not in the archive")),
            None => read_bytes(Path::new(name)),
        }
    }
}

impl Files {
    /// The text of the main script, which was loaded before; empty where it is gone since.
    pub(crate) fn main_text(&mut self, path: &str) -> String {
        match self.load(path) {
            Ok(Loaded::JavaScript(text) | Loaded::TypeScript(text) | Loaded::Json(text)) => text,
            Ok(Loaded::Native) | Err(_) => String::new(),
        }
    }
}

/// Whether this is the name of one of k6's own modules.
pub(crate) fn is_built_in(url: &str) -> bool {
    BUILT_IN.iter().any(|(name, _)| *name == url)
}

impl Sources for Files {
    /// What k6's own modules lack is `undefined` to their importers, as it is there: scripts name what later or other releases have.
    fn is_lenient(&self, url: &str) -> bool {
        is_built_in(url)
    }

    fn resolve(&mut self, specifier: &str, referrer: &str) -> Result<String, String> {
        let is_built_in = |name: &str| BUILT_IN.iter().any(|(built_in, _)| *built_in == name);
        let is_ours = is_built_in(referrer) || LIBRARIES.iter().any(|(begin, _)| referrer.starts_with(begin));
        let is_main = referrer.is_empty();
        let is_private = specifier.starts_with("weir:");
        let is_there = is_built_in(specifier)
            || NATIVE.contains(&specifier)
            || crate::offers::names(specifier).is_some();
        if let Some((_, now)) = MOVED.iter().find(|(before, _)| *before == specifier) {
            let resolved = self.resolve(now, referrer);
            return resolved.map_err(|said| format!("{specifier} is {now} by now: {said}"));
        }
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
        let base = Address::parse(referrer);
        if specifier.contains("://") {
            return by_scheme(specifier, base.as_ref());
        }
        if specifier.starts_with('.') || specifier.starts_with('/') {
            if let Some(base) = base {
                return Ok(base.join(specifier).url());
            }
            let base = Path::new(referrer).parent().unwrap_or_else(|| Path::new(""));
            return Ok(normal(&base.join(specifier)).to_string_lossy().into_owned());
        }
        Err(unrecognised(specifier))
    }

    fn load(&mut self, url: &str) -> Result<Loaded, String> {
        if let Some((_, text)) = BUILT_IN.iter().find(|(name, _)| *name == url) {
            return Ok(Loaded::JavaScript((*text).to_owned()));
        }
        if NATIVE.contains(&url) || crate::offers::names(url).is_some() {
            return Ok(Loaded::Native);
        }
        if let Some(text) = self.library(url) {
            return Ok(Loaded::JavaScript(text.to_owned()));
        }
        let text = String::from_utf8(self.bytes(url)?).map_err(|_| format!("{url} is not UTF-8"))?;
        let path = url.split_once('?').map_or(url, |(path, _)| path);
        Ok(match Path::new(path).extension().and_then(|extension| extension.to_str()) {
            Some("ts") => Loaded::TypeScript(text),
            Some("json") => Loaded::Json(text),
            // What came from stdin may have types.
            None if path.ends_with("/-") => Loaded::TypeScript(text),
            _ => Loaded::JavaScript(text),
        })
    }

    fn names(&self, url: &str) -> Option<&'static [&'static str]> {
        crate::offers::names(url)
    }

    fn behind(&self, url: &str) -> &'static [&'static str] {
        crate::offers::behind(url)
    }
}

/// Whether a module came from a file or by https, or stands where one would.
pub(crate) fn is_from_outside(name: &str) -> bool {
    name.starts_with('/') || name.starts_with(HTTPS)
}

/// Whether a text is of use to k6: it imports nothing that only Weir has.
pub(crate) fn is_portable(text: &str) -> bool {
    !["'weir:", "\"weir:"].iter().any(|private| text.contains(private))
}

/// What a specifier with a scheme means in a module that came from `base`, where it came by https.
fn by_scheme(specifier: &str, base: Option<&Address>) -> Result<String, String> {
    if let Some(path) = specifier.strip_prefix("file://") {
        return match base {
            None => Ok(normal(Path::new(path)).to_string_lossy().into_owned()),
            Some(base) => Err(format!("{} may not import a file of this machine: {specifier}", base.url())),
        };
    }
    match Address::parse(specifier) {
        Some(address) => Ok(address.url()),
        None => Err(format!("{specifier} is neither an https URL nor a file:// one; those are imported")),
    }
}

/// A name that is neither a path nor a URL.
fn unrecognised(specifier: &str) -> String {
    let begins = |begin: &str| specifier.starts_with(begin);
    if begins("cdnjs.com/") || begins("github.com/") {
        return format!(
            "the moduleSpecifier \"{specifier}\" was a short form that k6 gave up; write the https URL of the file itself"
        );
    }
    format!(
        "the moduleSpecifier \"{specifier}\" couldn't be recognised as something that can be imported: write ./{specifier} for a file beside the \
         script; a package of npm has to be bundled into one file first"
    )
}

/// The bytes of a file of bounded size.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    read_at_most(path, MODULE_BYTES_MAX)
}

/// The bytes of a file that may be so large.
pub(crate) fn read_at_most(path: &Path, bytes_max: u64) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let said =
        |error: std::io::Error| format!("can't read {}: {}", path.display(), units::system_words(&error));
    let file = std::fs::File::open(path).map_err(said)?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > bytes_max {
        return Err(format!("{} is larger than {} MiB", path.display(), bytes_max >> 20));
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
