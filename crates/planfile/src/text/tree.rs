//! The tree of values, built from a YAML parser's events within limits.

use super::{Faults, Place, Source, hints, quoted};
use plan::Diagnostic;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

/// Longest text. A plan is written by people; tables of data belong into feeds.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// Deepest nesting. Far above any plan; keeps recursion over the tree off the stack's end.
const DEPTH_MAX: usize = 128;
/// Most values, those that aliases stand for counted each time: ten lines of nested aliases stand for 10⁹ values.
const NODES_MAX: usize = 250_000;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Text as written, escapes resolved. `plain`: without quotes, so that it may mean a number, a truth value or nothing.
    Scalar { text: String, plain: bool },
    /// In order.
    List(Vec<Node>),
    /// In order, no key twice.
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_at: Place,
    pub(crate) node: Node,
}

impl Node {
    /// Whether nothing is given: an empty place, `~` or `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            _ if self.is_null() => "nothing".to_owned(),
            Value::Scalar { text, .. } => quoted(text),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }

    /// The number of values in it, itself included.
    fn count(&self) -> usize {
        1 + match &self.value {
            Value::Scalar { .. } => 0,
            Value::List(items) => items.iter().map(Self::count).sum(),
            Value::Map(entries) => entries.iter().map(|entry| entry.node.count()).sum(),
        }
    }
}

/// Reads a text of one document. `None`: it is no tree, and the faults say why.
pub(crate) fn parse(source: &Source, faults: &mut Faults<'_>) -> Option<Node> {
    if source.text.len() > TEXT_BYTES_MAX {
        let fault = Diagnostic::error(format!("the plan is longer than {} MiB", TEXT_BYTES_MAX >> 20));
        faults.push(Place::START, fault.hint("keep tables of data in files and name them under `feeds:`"));
        return None;
    }
    let (text, joints) = joined_surrogates(source);
    let mut builder =
        Builder { faults, joints, open: Vec::new(), anchors: HashMap::new(), node_count: 0, root: None };
    let mut document_count = 0;
    for event in Parser::new_from_str(&text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let at = builder.joints.place(Span::empty(*error.marker()));
                let line = source.line(at.line).unwrap_or_default();
                let fault = Diagnostic::error(format!("not valid YAML: {}", error.info()));
                builder.faults.push(at, fault.hint(hints::for_syntax(error.info(), line)));
                return None;
            }
        };
        if matches!(event, Event::DocumentStart(_)) {
            document_count += 1;
            if document_count > 1 {
                let fault = Diagnostic::error("a file holds one plan, and here a second document begins");
                let at = builder.joints.place(span);
                builder.faults.push(at, fault.hint("keep each plan in a file of its own"));
                return None;
            }
        }
        builder.event(event, span)?;
    }
    let root = builder.root.take();
    if root.is_none() {
        let fault = Diagnostic::error("the plan is empty");
        faults.push(
            Place::START,
            fault.hint("begin with `target: http://127.0.0.1:7070` and `request: GET /hello`"),
        );
    }
    root
}

/// A list or mapping whose end has not come yet.
struct Open {
    at: Place,
    anchor: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<Key>, seen: HashMap<String, usize>, merged: Vec<Node> },
}

/// A key whose value has not come yet. `None`: it is no text, and its value goes nowhere.
type Key = (Option<String>, Place);

struct Builder<'f, 's> {
    faults: &'f mut Faults<'s>,
    joints: Joints,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    node_count: usize,
    root: Option<Node>,
}

impl Builder<'_, '_> {
    /// `None`: a limit was passed, reading ends here.
    fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        let at = self.joints.place(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && !self.is_text_by_tag(tag.as_deref(), at);
                let value = Value::Scalar { text: text.into_owned(), plain };
                self.add(Node { at, value }, anchor)
            }
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => {
                    let node = node.clone();
                    self.node_count += node.count();
                    self.add(node, 0)
                }
                None => {
                    let fault = Diagnostic::error("the alias stands for a value that contains it");
                    self.faults.push(at, fault.hint("write the value out"));
                    None
                }
            },
            Event::SequenceStart(anchor, tag) => {
                self.is_text_by_tag(tag.as_deref(), at);
                self.start(Open { at, anchor, kind: OpenKind::List(Vec::new()) })
            }
            Event::MappingStart(anchor, tag) => {
                self.is_text_by_tag(tag.as_deref(), at);
                let (seen, merged) = (HashMap::new(), Vec::new());
                self.start(Open {
                    at,
                    anchor,
                    kind: OpenKind::Map { entries: Vec::new(), key: None, seen, merged },
                })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { at, anchor, kind } = self.open.pop()?;
                let value = match kind {
                    OpenKind::List(items) => Value::List(items),
                    OpenKind::Map { mut entries, seen, merged, .. } => {
                        self.merge(&mut entries, &seen, merged);
                        Value::Map(entries)
                    }
                };
                let line_last = span.end.line().max(at.line);
                self.add(Node { at: Place { line_last, ..at }, value }, anchor)
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Some(()),
        }
    }

    fn start(&mut self, open: Open) -> Option<()> {
        if self.open.len() >= DEPTH_MAX {
            let fault = Diagnostic::error(format!("values are nested more than {DEPTH_MAX} deep"));
            self.faults.push(open.at, fault.hint("a plan needs some ten levels; is a bracket not closed?"));
            return None;
        }
        self.open.push(open);
        Some(())
    }

    /// Puts a whole value into the innermost open one.
    fn add(&mut self, node: Node, anchor: usize) -> Option<()> {
        self.node_count += 1;
        if self.node_count > NODES_MAX {
            let fault = Diagnostic::error(format!("the plan holds more than {NODES_MAX} values"));
            self.faults.push(
                node.at,
                fault.hint("use fewer aliases, and keep tables of data in files named under `feeds:`"),
            );
            return None;
        }
        if anchor > 0 {
            self.node_count += node.count();
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::List(items)) => items.push(node),
            Some(OpenKind::Map { entries, key, seen, merged }) => match key.take() {
                None => {
                    let Value::Scalar { text, .. } = node.value else {
                        let fault =
                            Diagnostic::error(format!("a key must be a text, found {}", node.describe()));
                        self.faults.push(node.at, fault.hint("put texts such as \"${…}\" into quotes"));
                        *key = Some((None, node.at));
                        return Some(());
                    };
                    *key = Some((Some(text), node.at));
                }
                Some((None, _)) => {}
                Some((Some(name), _)) if name == "<<" => merged.push(node),
                Some((Some(name), key_at)) => match seen.get(&name) {
                    Some(line) => {
                        let fault = Diagnostic::error(format!("the key {} is given twice", quoted(&name)));
                        self.faults
                            .push(key_at, fault.hint(format!("remove one; the first is in line {line}")));
                    }
                    None => {
                        seen.insert(name.clone(), key_at.line);
                        entries.push(Entry { key: name, key_at, node });
                    }
                },
            },
        }
        Some(())
    }

    /// `<<: *defaults` takes over what the mapping itself does not give (YAML 1.1's merge key, which people expect).
    fn merge(&mut self, entries: &mut Vec<Entry>, seen: &HashMap<String, usize>, merged: Vec<Node>) {
        let mut taken: HashMap<String, ()> = seen.keys().map(|key| (key.clone(), ())).collect();
        for node in merged {
            let sources = match node.value {
                Value::List(items) => items,
                _ => vec![node],
            };
            for source in sources {
                let Value::Map(from) = source.value else {
                    let fault =
                        Diagnostic::error(format!("`<<` takes over a mapping, found {}", source.describe()));
                    self.faults.push(
                        source.at,
                        fault.hint("write `<<: *name`, with the anchor `&name` at a mapping"),
                    );
                    continue;
                };
                for entry in from {
                    if taken.insert(entry.key.clone(), ()).is_none() {
                        entries.push(entry);
                    }
                }
            }
        }
    }

    /// Whether a tag says that a scalar is a text. Other tags have no meaning in a plan.
    fn is_text_by_tag(&mut self, tag: Option<&Tag>, at: Place) -> bool {
        let Some(tag) = tag else { return false };
        let is_text = tag.is_yaml_core_schema() && tag.suffix == "str";
        if !is_text {
            let fault =
                Diagnostic::error(format!("the tag {} has no meaning in a plan", quoted(&tag.to_string())));
            self.faults.push(at, fault.hint("remove it; a text that begins with `!` needs quotes"));
        }
        is_text
    }
}

/// Places (line, column from 0) after which a line of the parser's text is [`JOINT_SAVING`] characters shorter than the source's.
struct Joints(Vec<(usize, usize)>);

/// `\ud83d\ude00` is written with two characters more than `\U0001F600`.
const JOINT_SAVING: usize = 2;

impl Joints {
    fn place(&self, span: Span) -> Place {
        let (line, column) = (span.start.line().max(1), span.start.col());
        let up_to = |column| self.0.partition_point(|joint| *joint < (line, column));
        let saved = (up_to(column) - up_to(0)) * JOINT_SAVING;
        Place { line, column: column + 1 + saved, line_last: span.end.line().max(line) }
    }
}

/// JSON writes characters beyond U+FFFF as two escapes (RFC 8259 §7); YAML knows only the one `\U`.
fn joined_surrogates(source: &Source) -> (Cow<'_, str>, Joints) {
    let text = source.text.as_str();
    let mut joints = Joints(Vec::new());
    let is_json = source.file_name.ends_with(".json");
    if !is_json || !text.contains("\\u") {
        return (Cow::Borrowed(text), joints);
    }
    let mut out = String::with_capacity(text.len());
    let (mut line, mut column) = (1, 0);
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        for c in before.chars() {
            (line, column) = if c == '\n' { (line + 1, 0) } else { (line, column + 1) };
        }
        out.push_str(before);
        match surrogate_pair(escape) {
            Some(joined) => {
                out.push_str(&format!("\\U{:08X}", u32::from(joined)));
                joints.0.push((line, column));
                column += PAIR_LENGTH - JOINT_SAVING;
                rest = escape.get(PAIR_LENGTH..).unwrap_or_default();
            }
            None => {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                let (kept, after) = escape.split_at(length);
                (line, column) =
                    if kept.ends_with('\n') { (line + 1, 0) } else { (line, column + kept.chars().count()) };
                out.push_str(kept);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    (Cow::Owned(out), joints)
}

/// Characters in `\ud83d\ude00`.
const PAIR_LENGTH: usize = 12;

/// The character that two escapes at the start of the text stand for.
fn surrogate_pair(text: &str) -> Option<char> {
    let unit = |from: usize| {
        let digits = text.get(from..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let joined = char::decode_utf16([unit(0)?, unit(PAIR_LENGTH / 2)?]).next()?.ok()?;
    (u32::from(joined) > 0xFFFF).then_some(joined)
}
