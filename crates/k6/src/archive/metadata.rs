//! `metadata.json` of an archive: newest form out, all forms in.

use super::HTTPS;
use k6_options::{Json, Options};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of k6 whose scripts these are: what its own archives name there.
const K6_VERSION: &str = "2.2.0";

/// What an archive says of its test.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// Name of the main script: an absolute path, or an https URL.
    pub script: String,
    /// The folder it was run in, a path.
    pub folder: String,
    /// The test's options, all layers as one.
    pub options: Options,
    /// Variables for `__ENV`; `None`: they were left out.
    pub env: Option<BTreeMap<String, String>>,
    /// Whether scripts find `global` beside `globalThis`.
    pub is_extended: bool,
}

/// What is wrong with `metadata.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetadataError {
    /// No JSON, or no object.
    NoJson(String),
    /// The key has a value that can't be.
    BadKey {
        /// Which.
        key: &'static str,
        /// What is wrong.
        why: String,
    },
}

impl std::fmt::Display for MetadataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoJson(why) => write!(f, "metadata.json is no JSON object: {why}"),
            Self::BadKey { key, why } => write!(f, "metadata.json: `{key}`: {why}"),
        }
    }
}

impl std::error::Error for MetadataError {}

impl Metadata {
    /// Reads the file, of any version: without `env`, with plain paths, with a Windows drive.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, MetadataError> {
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| MetadataError::NoJson(error.to_string()))?;
        let Some(members) = value.as_object() else {
            return Err(MetadataError::NoJson("it is another value".to_owned()));
        };
        let bad = |key, why: &str| MetadataError::BadKey { key, why: why.to_owned() };
        let text = |key: &'static str| match members.get(key) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(_) => Err(bad(key, "it is no text")),
        };
        if !matches!(text("type")?, "" | "js") {
            return Err(bad("type", "only archives of scripts are known (js)"));
        }
        let folder = name(text("pwd")?, "/");
        let script = name(text("filename")?, &folder);
        if script == "/" {
            return Err(bad("filename", "there is none"));
        }
        let read = Options::from_script(members.get("options").unwrap_or(&Value::Null));
        let read = read.map_err(|fault| MetadataError::BadKey { key: "options", why: fault.message })?;
        let env = match members.get("env") {
            None | Some(Value::Null) => None,
            Some(Value::Object(members)) => {
                let pair = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
                let pairs: Option<BTreeMap<String, String>> = members.iter().map(pair).collect();
                Some(pairs.ok_or_else(|| bad("env", "a value is no text"))?)
            }
            Some(_) => return Err(bad("env", "it is no object")),
        };
        let is_extended = text("compatibilityMode")? != "base";
        Ok(Self { script, folder, options: read.options, env, is_extended })
    }

    /// The file's text.
    pub(super) fn text(&self) -> String {
        let text = |text: &str| Json::Text(text.to_owned());
        let object = |members: Vec<(&str, Json)>| {
            Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let env = self.env.as_ref().map_or(Json::Null, |env| {
            Json::Object(env.iter().map(|(name, value)| (name.clone(), text(value))).collect())
        });
        let json = object(vec![
            ("type", text("js")),
            ("options", self.options.inspect()),
            ("filename", text(&url(&self.script))),
            ("pwd", text(&url(&self.folder))),
            ("env", env),
            ("compatibilityMode", text(if self.is_extended { "extended" } else { "base" })),
            ("k6version", text(K6_VERSION)),
            ("goos", text(std::env::consts::OS)),
            ("dependencies", object(vec![("k6", text("*"))])),
        ]);
        json.to_go_pretty() + "\n"
    }
}

/// A module's name as a URL.
fn url(name: &str) -> String {
    if name.starts_with(HTTPS) { name.to_owned() } else { format!("file://{name}") }
}

/// A module's name of what is written: a URL, a path, a path of Windows, a path beside a folder.
fn name(written: &str, folder: &str) -> String {
    if written.starts_with(HTTPS) {
        return written.to_owned();
    }
    let path = written.strip_prefix("file://").unwrap_or(written).replace('\\', "/");
    let path = match path.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 => format!("/{drive}{rest}"),
        _ => path,
    };
    if path.starts_with('/') { path } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_versions_are_read() {
        let check = |written: &str, expected: &str| assert_eq!(name(written, "/f"), expected, "{written}");
        check("file:///a/b.js", "/a/b.js");
        check("/a/b.js", "/a/b.js");
        check("b.js", "/f/b.js");
        check("-", "/f/-");
        check("C:\\a\\b.js", "/C/a/b.js");
        check("https://a.example/b.js", "https://a.example/b.js");
    }

    #[test]
    fn what_is_written_reads_back() {
        let metadata = Metadata {
            script: "/a/b.js".to_owned(),
            folder: "/a".to_owned(),
            options: Options { vus: Some(3), ..Options::default() },
            env: Some(BTreeMap::from([("A".to_owned(), "<b>".to_owned())])),
            is_extended: true,
        };
        let text = metadata.text();
        let again = Metadata::read(text.as_bytes()).unwrap();
        assert_eq!((again.text(), again.script, again.env), (text, metadata.script, metadata.env));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_key() {
        let check = |text: &str, expected: &str| {
            let said = Metadata::read(text.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(said.unwrap_err(), expected, "{text}");
        };
        check("[]", "metadata.json is no JSON object: it is another value");
        check("{}", "metadata.json: `filename`: there is none");
        check("{\"filename\": 1}", "metadata.json: `filename`: it is no text");
        check("{\"filename\": \"/a\", \"env\": {\"A\": 1}}", "metadata.json: `env`: a value is no text");
        check("{\"type\": \"jar\"}", "metadata.json: `type`: only archives of scripts are known (js)");
    }
}
