//! Writing the script.

use super::correlate::Found;
use super::literal::{comment, quoted};
use super::read::{Group, Piece, Recording, Request};
use super::{Convert, StatusChecks};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Rests shorter than that are the browser's own work rather than a person's, ms.
const REST_MS_MIN: f64 = 100.0;
/// Longest rest that is kept, ms: a recording that was left overnight.
const REST_MS_MAX: f64 = 3_600_000.0;

/// What was made so far.
struct Script<'a> {
    text: String,
    how: &'a Convert,
    values: &'a [Found],
    /// Blanks before each line.
    depth: usize,
    /// When the last request of the recording that was written was over, ms.
    over_ms: Option<f64>,
}

/// The script's text.
pub(super) fn script(recording: &Recording, values: &[Found], name: &str, how: &Convert) -> String {
    let mut script = Script { text: String::new(), how, values, depth: 0, over_ms: None };
    script.head(recording, name);
    script.depth = 1;
    for index in 0..values.len() {
        script.line(&format!("let value{};", index + 1));
    }
    for (index, group) in recording.groups.iter().enumerate() {
        script.rest(group.requests.first());
        script.group(index, group);
    }
    let (min, max) = how.sleep_s;
    if max > min {
        script.line(&format!("// between {min} and {max} s"));
        script.line(&format!("sleep({min} + Math.random() * {});", max - min));
    } else if min > 0 {
        script.line(&format!("sleep({min});"));
    }
    script.text.push_str("}\n");
    script.text
}

impl Script<'_> {
    fn line(&mut self, line: &str) {
        // Writing to a text can't fail.
        let _ = writeln!(self.text, "{:width$}{line}", "", width = self.depth * 2);
    }

    fn head(&mut self, recording: &Recording, name: &str) {
        let is_binary =
            recording.groups.iter().flat_map(|group| &group.requests).any(|request| request.is_base64);
        self.line(&format!("// Made of {} by weir k6 convert.", comment(name)));
        self.line("import { check, group, sleep } from 'k6';");
        if is_binary {
            self.line("import { b64decode } from 'k6/encoding';");
        }
        self.line("import http from 'k6/http';");
        self.line("");
        // Each hop of a redirect is a request of its own in a recording.
        let mut options = json!({ "maxRedirects": 0 });
        for given in
            [&recording.options, &self.how.options].into_iter().flatten().filter_map(Value::as_object)
        {
            if let Some(members) = options.as_object_mut() {
                members.extend(given.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
        }
        let options = format!("{options:#}").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
        self.line(&format!("export const options = {options};"));
        self.line("");
        self.line("export default function () {");
    }

    /// The time that somebody took before a request.
    fn rest(&mut self, next: Option<&Request>) {
        let gap = next.and_then(|next| Some(next.begun_ms? - self.over_ms?));
        if let Some(gap) = gap.filter(|gap| *gap >= REST_MS_MIN) {
            self.line(&format!("sleep({:.2});", gap.min(REST_MS_MAX) / 1e3));
        }
    }

    fn group(&mut self, index: usize, group: &Group) {
        let ends_early = self.how.checks == StatusChecks::CheckAndReturn;
        let Some(title) = &group.title else {
            self.line("{");
            self.depth += 1;
            self.requests(index, group, "return;");
            self.depth -= 1;
            return self.line("}");
        };
        if !ends_early {
            self.line(&format!("group({}, () => {{", quoted(title)));
            self.depth += 1;
            self.requests(index, group, "return;");
            self.depth -= 1;
            return self.line("});");
        }
        // What a group's function returns is what `group` gives, so the iteration can end from within.
        self.line(&format!("if (!group({}, () => {{", quoted(title)));
        self.depth += 1;
        self.requests(index, group, "return false;");
        self.line("return true;");
        self.depth -= 1;
        self.line("})) return;");
    }

    fn requests(&mut self, group_index: usize, group: &Group, leave: &str) {
        self.line("let response;");
        let threshold_ms = self.how.batch_threshold_ms.filter(|_| !self.how.correlates);
        let mut at = 0;
        while let Some(first) = group.requests.get(at) {
            if at > 0 {
                self.rest(Some(first));
            }
            let count = threshold_ms
                .map_or(1, |threshold| together(group.requests.get(at..).unwrap_or_default(), threshold));
            let batch = group.requests.get(at..at + count).unwrap_or_default();
            for request in batch {
                self.over_ms = match (self.over_ms, request.ended_ms) {
                    (Some(over), Some(ended)) => Some(over.max(ended)),
                    (over, ended) => ended.or(over),
                };
            }
            match batch {
                [one] => self.one((group_index, at), one, leave),
                many => self.batch(many, leave),
            }
            at += count.max(1);
        }
    }

    fn one(&mut self, place: (usize, usize), request: &Request, leave: &str) {
        if let Some(note) = &request.comment {
            self.line(&format!("// {}", comment(note)));
        }
        let method = quoted(&request.method);
        let url = self.expression(&request.url);
        let body = self.body(request);
        let params = self.params(request);
        self.line(&format!("response = http.request({method}, {url}, {body}, {params});"));
        self.check("response", request, leave);
        let values = self.values.iter().enumerate().filter(|(_, value)| value.of == place);
        let lines: Vec<String> =
            values.map(|(index, value)| format!("value{} = {};", index + 1, value.expression)).collect();
        lines.iter().for_each(|line| self.line(line));
    }

    fn batch(&mut self, requests: &[Request], leave: &str) {
        self.line("response = http.batch([");
        self.depth += 1;
        for request in requests {
            if let Some(note) = &request.comment {
                self.line(&format!("// {}", comment(note)));
            }
            let (method, url) = (quoted(&request.method), self.expression(&request.url));
            let (body, params) = (self.body(request), self.params(request));
            let body = if body == "null" { String::new() } else { format!(" body: {body},") };
            self.line(&format!("{{ method: {method}, url: {url},{body} params: {params} }},"));
        }
        self.depth -= 1;
        self.line("]);");
        for (index, request) in requests.iter().enumerate() {
            self.check(&format!("response[{index}]"), request, leave);
        }
    }

    fn check(&mut self, response: &str, request: &Request, leave: &str) {
        let status = request.answer.status;
        if status == 0 {
            return;
        }
        let check =
            format!("check({response}, {{ 'status equals {status}': (r) => r.status === {status} }})");
        match self.how.checks {
            StatusChecks::None => {}
            StatusChecks::Check => self.line(&format!("{check};")),
            StatusChecks::CheckAndReturn => self.line(&format!("if (!{check}) {leave}")),
        }
    }

    fn body(&self, request: &Request) -> String {
        match &request.body {
            None => "null".to_owned(),
            Some(body) if request.is_base64 => format!("b64decode({})", self.expression(body)),
            Some(body) => self.expression(body),
        }
    }

    fn params(&self, request: &Request) -> String {
        let inner = "  ".repeat(self.depth + 1);
        let end = "  ".repeat(self.depth);
        let mut members = Vec::new();
        if !request.headers.is_empty() {
            let headers = request.headers.iter();
            let lines: String = headers
                .map(|(name, value)| format!("{inner}  {}: {},\n", quoted(name), self.expression(value)))
                .collect();
            members.push(format!("{inner}headers: {{\n{lines}{inner}}},\n"));
        }
        if !request.cookies.is_empty() {
            let cookies = request.cookies.iter();
            let lines: String = cookies
                .map(|(name, value)| format!("{inner}  {}: {},\n", quoted(name), quoted(value)))
                .collect();
            members.push(format!("{inner}cookies: {{\n{lines}{inner}}},\n"));
        }
        if members.is_empty() { "{}".to_owned() } else { format!("{{\n{}{end}}}", members.concat()) }
    }

    /// A text with the values in it.
    fn expression(&self, text: &[Piece]) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => quoted(text),
            // A number is made a text, even where nothing else stands.
            Piece::Value(index) => format!("String(value{})", index + 1),
        };
        let pieces: Vec<String> = text.iter().map(piece).collect();
        if pieces.is_empty() { "\"\"".to_owned() } else { pieces.join(" + ") }
    }
}

/// How many requests at the begin of a list are sent at once: until one begins later than the threshold after the one before it.
fn together(requests: &[Request], threshold_ms: u64) -> usize {
    let pairs = requests.iter().zip(requests.iter().skip(1));
    let is_near = |(one, next): &(&Request, &Request)| match (one.begun_ms, next.begun_ms) {
        (Some(one), Some(next)) => next - one <= threshold_ms as f64,
        _ => false,
    };
    1 + pairs.take_while(is_near).count()
}
