//! A tree as HTML again, by the rules of the standard's section on serialising fragments.

use super::tree::{Kind, NodeId, Tree};

/// Elements without an end.
const VOID: [&str; 18] = [
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];
/// Elements whose text stands as it is.
const RAW: [&str; 7] = ["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"];

fn begin(tree: &Tree, id: NodeId, out: &mut String) {
    match tree.kind(id) {
        Some(Kind::Element { name, attributes }) => {
            out.push('<');
            out.push_str(&name.local);
            for (key, value) in attributes {
                let value = value.replace('&', "&amp;").replace('"', "&#34;");
                out.push_str(&format!(" {key}=\"{value}\""));
            }
            out.push('>');
        }
        Some(Kind::Text(text)) => {
            let is_raw =
                tree.parent(id).and_then(|parent| tree.name(parent)).is_some_and(|name| RAW.contains(&name));
            match is_raw {
                true => out.push_str(text),
                false => out.push_str(&escaped(text)),
            }
        }
        Some(Kind::Comment(text)) => out.push_str(&format!("<!--{text}-->")),
        Some(Kind::Doctype(name)) => out.push_str(&format!("<!DOCTYPE {name}>")),
        Some(Kind::Document) | None => {}
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\u{a0}', "&nbsp;")
}

fn end(tree: &Tree, id: NodeId, out: &mut String) {
    if let Some(name) = tree.name(id).filter(|name| !VOID.contains(name)) {
        out.push_str(&format!("</{name}>"));
    }
}

/// A node with all that is in it. Without recursion: trees are as deep as pages make them.
pub(super) fn outer(tree: &Tree, root: NodeId) -> String {
    let mut out = String::new();
    let mut at = root;
    begin(tree, at, &mut out);
    loop {
        if let Some(child) = tree.children(at).next() {
            at = child;
        } else {
            loop {
                end(tree, at, &mut out);
                if at == root {
                    return out;
                }
                if let Some(next) = tree.next(at) {
                    at = next;
                    break;
                }
                match tree.parent(at) {
                    Some(parent) => at = parent,
                    None => return out,
                }
            }
        }
        begin(tree, at, &mut out);
    }
}

/// What is in a node.
pub(super) fn inner(tree: &Tree, root: NodeId) -> String {
    tree.children(root).map(|child| outer(tree, child)).collect()
}
