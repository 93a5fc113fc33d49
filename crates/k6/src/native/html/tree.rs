//! A document as a tree of numbered nodes, as html5ever's parser builds it.

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::ElemName;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName};
use std::borrow::Cow;
use std::cell::RefCell;

/// The number of a node; 0 is the document.
pub(super) type NodeId = u32;
/// Where there is no node.
const NONE: NodeId = NodeId::MAX;
/// Bytes of HTML that are parsed at most: as much as a body that a check looks into.
pub(super) const HTML_BYTES_MAX: usize = 64 << 20;

/// Elements within each other at most, `html` and `body` among them: the limit that k6 has. The parser looks through all that are open for
/// each tag, so 50,000 of them took it seconds.
const DEPTH_MAX: u32 = 512;
/// The depth is looked at after so much text: the parser goes no deeper than it has letters for.
const PART_BYTES: usize = 4 << 10;

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind {
    Document,
    Doctype(String),
    Comment(String),
    Text(String),
    Element { name: QualName, attributes: Vec<(String, String)> },
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    /// Elements around it and itself, as it was put in place.
    depth: u32,
    parent: NodeId,
    first: NodeId,
    last: NodeId,
    previous: NodeId,
    next: NodeId,
}

/// A parsed document.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Greatest depth of an element.
    depth_max: u32,
}

impl Tree {
    /// Reads HTML as browsers do: whatever its faults, but not however deep.
    ///
    /// # Errors
    /// That its elements are too deep.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let sink = Sink(RefCell::new(Self { nodes: Vec::new(), depth_max: 0 }));
        sink.0.borrow_mut().make(Kind::Document);
        let mut options = ParseOpts::default();
        // What a page shows without scripts is what a load test gets.
        options.tree_builder.scripting_enabled = true;
        let mut parser = html5ever::parse_document(sink, options);
        let mut rest = text;
        while !rest.is_empty() {
            let part;
            (part, rest) = rest.split_at_checked(rest.floor_char_boundary(PART_BYTES)).unwrap_or((rest, ""));
            parser.process(StrTendril::from_slice(part));
            if parser.tokenizer.sink.sink.0.borrow().depth_max > DEPTH_MAX {
                return Err(format!("html: open stack of elements exceeds {DEPTH_MAX} nodes"));
            }
        }
        Ok(parser.finish())
    }

    fn make(&mut self, kind: Kind) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let node = Node { kind, depth: 0, parent: NONE, first: NONE, last: NONE, previous: NONE, next: NONE };
        self.nodes.push(node);
        id
    }

    fn link(&self, id: NodeId, of: impl Fn(&Node) -> NodeId) -> Option<NodeId> {
        self.nodes.get(id as usize).map(of).filter(|id| *id != NONE)
    }

    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.parent)
    }

    pub(super) fn next(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.next)
    }

    pub(super) fn previous(&self, id: NodeId) -> Option<NodeId> {
        self.link(id, |node| node.previous)
    }

    pub(super) fn kind(&self, id: NodeId) -> Option<&Kind> {
        self.nodes.get(id as usize).map(|node| &node.kind)
    }

    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.link(id, |node| node.first), |child| self.next(*child))
    }

    pub(super) fn is_element(&self, id: NodeId) -> bool {
        matches!(self.kind(id), Some(Kind::Element { .. }))
    }

    /// An element's name, in small letters for HTML.
    pub(super) fn name(&self, id: NodeId) -> Option<&str> {
        match self.kind(id)? {
            Kind::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    pub(super) fn attributes(&self, id: NodeId) -> &[(String, String)] {
        match self.kind(id) {
            Some(Kind::Element { attributes, .. }) => attributes,
            _ => &[],
        }
    }

    pub(super) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        let found = self.attributes(id).iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The node after this one in the document's order, below `root`.
    pub(super) fn following(&self, id: NodeId, root: NodeId) -> Option<NodeId> {
        if let Some(child) = self.link(id, |node| node.first) {
            return Some(child);
        }
        let mut at = id;
        while at != root {
            if let Some(next) = self.next(at) {
                return Some(next);
            }
            at = self.parent(at)?;
        }
        None
    }

    /// All nodes below one, in the document's order.
    pub(super) fn descendants(&self, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.following(root, root), move |id| self.following(*id, root))
    }

    /// The texts within a node, or of it.
    pub(super) fn text(&self, id: NodeId) -> String {
        let mut text = String::new();
        for node in std::iter::once(id).chain(self.descendants(id)) {
            if let Some(Kind::Text(part)) = self.kind(node) {
                text.push_str(part);
            }
        }
        text
    }

    fn detach(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(id as usize) else { return };
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
        match self.nodes.get_mut(previous as usize) {
            Some(node) => node.next = next,
            None => self.change(parent, |node| node.first = next),
        }
        match self.nodes.get_mut(next as usize) {
            Some(node) => node.previous = previous,
            None => self.change(parent, |node| node.last = previous),
        }
    }

    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            change(node);
        }
    }

    /// Puts a node below `parent`, before `next` or at the end.
    fn insert(&mut self, parent: NodeId, next: NodeId, id: NodeId) {
        self.detach(id);
        let previous = match self.nodes.get(next as usize) {
            Some(node) => node.previous,
            None => self.nodes.get(parent as usize).map_or(NONE, |node| node.last),
        };
        let depth = self.nodes.get(parent as usize).map_or(0, |node| node.depth).saturating_add(1);
        if self.is_element(id) {
            self.depth_max = self.depth_max.max(depth);
        }
        self.change(id, |node| {
            (node.depth, node.parent, node.previous, node.next) = (depth, parent, previous, next)
        });
        match previous {
            NONE => self.change(parent, |node| node.first = id),
            previous => self.change(previous, |node| node.next = id),
        }
        match next {
            NONE => self.change(parent, |node| node.last = id),
            next => self.change(next, |node| node.previous = id),
        }
    }

    /// Puts a node or text there; text joins the text before it.
    fn place(&mut self, parent: NodeId, next: NodeId, child: NodeOrText<NodeId>) {
        let id = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => {
                let before = match self.nodes.get(next as usize) {
                    Some(node) => node.previous,
                    None => self.nodes.get(parent as usize).map_or(NONE, |node| node.last),
                };
                if let Some(Node { kind: Kind::Text(known), .. }) = self.nodes.get_mut(before as usize) {
                    known.push_str(&text);
                    return;
                }
                self.make(Kind::Text(text.to_string()))
            }
        };
        self.insert(parent, next, id);
    }
}

/// The name that the parser asks for.
#[derive(Debug)]
pub(super) struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

/// Where the parser puts what it reads.
struct Sink(RefCell<Tree>);

fn pairs(attributes: Vec<Attribute>) -> impl Iterator<Item = (String, String)> {
    attributes.into_iter().map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()))
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Tree;
    type ElemName<'a> = Name;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        match self.0.borrow().kind(*target) {
            Some(Kind::Element { name, .. }) => Name(name.clone()),
            _ => Name(QualName::new(None, Namespace::from(""), LocalName::from(""))),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _flags: ElementFlags) -> NodeId {
        self.0.borrow_mut().make(Kind::Element { name, attributes: pairs(attributes).collect() })
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.0.borrow_mut().make(Kind::Comment(text.to_string()))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.0.borrow_mut().make(Kind::Comment(format!("?{target} {data}")))
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.0.borrow_mut().place(*parent, NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.0.borrow().parent(*element).is_some();
        if has_parent { self.append_before_sibling(element, child) } else { self.append(previous, child) }
    }

    fn append_doctype_to_document(&self, name: StrTendril, _public: StrTendril, _system: StrTendril) {
        let mut tree = self.0.borrow_mut();
        let id = tree.make(Kind::Doctype(name.to_string()));
        tree.insert(0, NONE, id);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        *target
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let mut tree = self.0.borrow_mut();
        if let Some(parent) = tree.parent(*sibling) {
            tree.place(parent, *sibling, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, added: Vec<Attribute>) {
        if let Some(Node { kind: Kind::Element { attributes, .. }, .. }) =
            self.0.borrow_mut().nodes.get_mut(*target as usize)
        {
            for (key, value) in pairs(added) {
                if !attributes.iter().any(|(known, _)| *known == key) {
                    attributes.push((key, value));
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.0.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = tree.link(*node, |node| node.first) {
            tree.insert(*new_parent, NONE, child);
        }
    }
}
