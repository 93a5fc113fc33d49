//! Checks and captures.

use super::request::is_token;
use super::variables::Scope;
use super::{Context, entries};
use crate::model::{Capture as CaptureText, Check as CheckText, ContentMatch};
use crate::read::{At, Map, Table};
use crate::text::quoted;
use plan::{Capture, CaptureSource, Check, CheckKind, TextMatch};

impl Context<'_, '_> {
    pub(crate) fn checks(&mut self, text: &CheckText, scope: &mut Scope) -> Vec<Check> {
        let mut checks = Vec::new();
        if let Some(status) = &text.status {
            let ranges: Vec<(u16, u16)> =
                status.0.iter().map(|range| (range.value.0, range.value.1)).collect();
            let in_words = |(from, to): &(u16, u16)| match (from, to) {
                (from, to) if from == to => from.to_string(),
                (from, to) if from % 100 == 0 && *to == from + 99 => format!("{}xx", from / 100),
                (from, to) => format!("{from}-{to}"),
            };
            if ranges.is_empty() {
                self.error(
                    text.at,
                    "no status is listed, so none would pass",
                    "list one, such as `200` or `2xx`",
                );
            }
            let name = format!("status {}", ranges.iter().map(in_words).collect::<Vec<_>>().join(" or "));
            checks.push(Check { name, kind: CheckKind::Status(ranges) });
        }
        for (name, content) in entries(text.header.as_ref()) {
            self.header_of_answer(name);
            for (words, matched) in self.matches(content, scope) {
                let kind = CheckKind::Header(name.value.clone(), matched);
                checks.push(Check { name: format!("header {} {words}", name.value), kind });
            }
        }
        for (words, matched) in
            text.body.iter().flat_map(|content| self.matches(content, scope)).collect::<Vec<_>>()
        {
            checks.push(Check { name: format!("body {words}"), kind: CheckKind::Body(matched) });
        }
        for (path, content) in entries(text.json.as_ref()) {
            self.json_path(path);
            for (words, matched) in self.matches(content, scope) {
                let kind = CheckKind::Json(path.value.clone(), matched);
                checks.push(Check { name: format!("json {} {words}", path.value), kind });
            }
        }
        for size in text.size.iter().flat_map(|sizes| &sizes.0) {
            let kind = CheckKind::Size { min_bytes: size.value.min_bytes, max_bytes: size.value.max_bytes };
            checks.push(Check { name: format!("size {}", size.value.text), kind });
        }
        if let Some(time) = &text.time {
            let kind = CheckKind::Time { max_ns: time.value.max_ns };
            checks.push(Check { name: format!("time {}", time.value.text), kind });
        }
        checks
    }

    /// Each thing that must hold of a text, with its words for the record.
    fn matches(&mut self, text: &ContentMatch, scope: &mut Scope) -> Vec<(String, TextMatch)> {
        let mut matches = Vec::new();
        if let Some(equals) = &text.equals {
            matches.push((
                format!("equals {}", quoted(&equals.value)),
                TextMatch::Equals(self.template(equals, scope)),
            ));
        }
        for piece in text.contains.iter().flat_map(|pieces| &pieces.0) {
            matches.push((
                format!("contains {}", quoted(&piece.value)),
                TextMatch::Contains(self.template(piece, scope)),
            ));
        }
        for regex in text.regex.iter().flat_map(|regexes| &regexes.0) {
            self.regex(regex);
            matches
                .push((format!("matches {}", quoted(&regex.value)), TextMatch::Regex(regex.value.clone())));
        }
        match &text.exists {
            Some(exists) if exists.value => matches.push(("exists".to_owned(), TextMatch::Exists)),
            Some(exists) => {
                self.error(
                    exists.at,
                    "what is absent can't be checked",
                    "write `exists: true`, or check another thing",
                );
            }
            None => {}
        }
        for (key, list) in [("contains", &text.contains), ("regex", &text.regex)] {
            if list.as_ref().is_some_and(|list| list.0.is_empty()) {
                self.error(text.key_at(key), "the list is empty, so nothing is checked", "give it a text");
            }
        }
        if matches.is_empty() && text.given.is_empty() {
            let hint = "use one of `equals`, `contains`, `regex`, `exists`";
            self.error(text.at, "nothing is checked", hint);
        }
        matches
    }

    pub(crate) fn captures(&mut self, captures: Option<&Map<CaptureText>>) -> Vec<Capture> {
        let mut out = Vec::new();
        for (name, text) in entries(captures) {
            let variable = self.variable(name);
            let Some(source) = self.capture_source(text) else { continue };
            let mend = "write the value itself, or give the variable a first value under `vars`";
            let default = text.default.as_ref().map(|default| self.literal(default, "a default", mend));
            out.push(Capture { variable, source, default });
        }
        out
    }

    fn capture_source(&mut self, text: &CaptureText) -> Option<CaptureSource> {
        if let Some(path) = &text.json {
            self.json_path(path);
            return Some(CaptureSource::Json(path.value.clone()));
        }
        if let Some(regex) = &text.regex {
            self.regex(regex);
            return Some(CaptureSource::Regex(regex.value.clone()));
        }
        if let Some(header) = &text.header {
            self.header_of_answer(header);
            return Some(CaptureSource::Header(header.value.clone()));
        }
        let cookie = text.cookie.as_ref()?;
        if !is_token(&cookie.value) {
            self.error(
                cookie.at,
                format!("{} is not a cookie's name", quoted(&cookie.value)),
                "use letters, digits and `-`",
            );
        }
        Some(CaptureSource::Cookie(cookie.value.clone()))
    }

    fn header_of_answer(&mut self, name: &At<String>) {
        if !is_token(&name.value) {
            self.error(
                name.at,
                format!("{} is not a header's name", quoted(&name.value)),
                "use letters, digits and `-`",
            );
        }
    }

    /// Compiled here as it will be for the run, over bytes.
    fn regex(&mut self, regex: &At<String>) {
        let message =
            |reason: &str| format!("{} is not a regular expression: {reason}", quoted(&regex.value));
        match regex::bytes::Regex::new(&regex.value) {
            Ok(_) => {}
            Err(regex::Error::CompiledTooBig(limit)) => {
                let reason = format!("it needs more than {}", units::size(limit as u64));
                self.error(
                    regex.at,
                    message(&reason),
                    "repeat less: `{1000}` copies what is before it 1000 times",
                );
            }
            Err(other) => {
                // The message is a drawing of several lines; its last says what is wrong.
                let drawing = other.to_string();
                let last = drawing.lines().last().unwrap_or_default();
                let hint = "a character that stands for itself needs a backslash before it: `\\(`; within \"…\" write it twice";
                self.error(regex.at, message(last.strip_prefix("error: ").unwrap_or(last)), hint);
            }
        }
        if regex.value.contains("${") {
            self.warning(regex.at, "a regular expression can't hold variables", "use `contains`, which can");
        }
    }

    fn json_path(&mut self, path: &At<String>) {
        let Err(error) = serde_json_path::JsonPath::parse(&path.value) else { return };
        if path.value.starts_with('$') {
            let message = format!("{} is not a JSON path: {}", quoted(&path.value), error.message());
            self.error(path.at, message, "write for example `$.items[0].id`, or `$['a key with blanks']`");
        } else {
            let hint = format!("a JSON path begins with `$`: `$.{}`", path.value.trim_start_matches('.'));
            self.error(path.at, format!("{} is not a JSON path", quoted(&path.value)), hint);
        }
    }
}
