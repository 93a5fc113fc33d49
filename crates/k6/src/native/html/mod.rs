//! Native part of `k6/html`: a document is a function that keeps the tree and answers questions about its nodes by number; so it is freed with
//! the last selection of it. What selections and elements are is `src/modules/markup.js`.

mod select;
mod tree;
mod write;

use super::bytes_of;
use crate::host::VuHost;
use crate::url::Url;
use js::Calls;
use js::rquickjs::function::Opt;
use js::rquickjs::{Coerced, Ctx, Exception, Function, IntoJs as _, Object, Result, Value};
use select::Selector;
use tree::{HTML_BYTES_MAX, Kind, NodeId, Tree};

/// `parse`, `join`, `text`.
pub(super) fn module<'js>(ctx: &Ctx<'js>, module: &Object<'js>) -> Result<()> {
    let parse = |ctx: Ctx<'js>, text: Coerced<String>| -> Result<Function<'js>> {
        if text.0.len() > HTML_BYTES_MAX {
            let said = format!("HTML of more than {} MiB", HTML_BYTES_MAX >> 20);
            return Err(Exception::throw_range(&ctx, &said));
        }
        let tree = Tree::parse(&text.0).map_err(|said| Exception::throw_range(&ctx, &said))?;
        let answer =
            move |ctx: Ctx<'js>, question: String, node: Opt<f64>, more: Opt<String>| -> Result<Value<'js>> {
                let node = node.0.unwrap_or_default() as NodeId;
                answer(&ctx, &tree, &question, node, more.0.as_deref().unwrap_or_default())
            };
        Function::new(ctx, answer)
    };
    module.set("parse", Function::new(ctx.clone(), parse)?)?;
    let join = |ctx: Ctx<'js>, base: String, place: String| -> Result<String> {
        let joined = Url::parse(&base).and_then(|base| base.join(&place));
        let url = joined.map_err(|said| Exception::throw_message(&ctx, &said))?;
        Ok(url.origin() + &url.target)
    };
    module.set("join", Function::new(ctx.clone(), join)?)?;
    let text = |data: Value<'js>| String::from_utf8_lossy(&bytes_of(&data).unwrap_or_default()).into_owned();
    module.set("text", Function::new(ctx.clone(), text)?)
}

/// `markup`: a module that runs when something first needs it.
pub(super) fn later<'js>(ctx: &Ctx<'js>, calls: &Calls<VuHost>, module: &Object<'js>) -> Result<()> {
    for (name, url) in [("markup", "weir:markup"), ("paths", "weir:paths")] {
        let own = calls.clone();
        let load = move |ctx: Ctx<'js>| own.load(&ctx, url);
        module.set(name, Function::new(ctx.clone(), load)?)?;
    }
    Ok(())
}

fn answer<'js>(ctx: &Ctx<'js>, tree: &Tree, question: &str, node: NodeId, more: &str) -> Result<Value<'js>> {
    let selector = || Selector::parse(more).map_err(|said| Exception::throw_message(ctx, &said));
    match question {
        "select" => {
            let selector = selector()?;
            let found: Vec<NodeId> =
                tree.descendants(node).filter(|id| selector.matches(tree, *id)).collect();
            found.into_js(ctx)
        }
        "matches" => selector()?.matches(tree, node).into_js(ctx),
        "parent" => tree.parent(node).into_js(ctx),
        "next" => tree.next(node).into_js(ctx),
        "previous" => tree.previous(node).into_js(ctx),
        "children" => tree.children(node).collect::<Vec<NodeId>>().into_js(ctx),
        "type" => {
            let number = match tree.kind(node) {
                Some(Kind::Element { .. }) => 1,
                Some(Kind::Text(_)) => 3,
                Some(Kind::Comment(_)) => 8,
                Some(Kind::Doctype(_)) => 10,
                Some(Kind::Document) | None => 9,
            };
            number.into_js(ctx)
        }
        "name" => match tree.kind(node) {
            Some(Kind::Element { name, .. }) => name.local.to_string(),
            Some(Kind::Text(_)) => "#text".to_owned(),
            Some(Kind::Comment(_)) => "#comment".to_owned(),
            Some(Kind::Doctype(name)) => name.clone(),
            Some(Kind::Document) | None => "#document".to_owned(),
        }
        .into_js(ctx),
        "namespace" => match tree.kind(node) {
            Some(Kind::Element { name, .. }) => name.ns.to_string(),
            _ => String::new(),
        }
        .into_js(ctx),
        "value" => match tree.kind(node) {
            Some(Kind::Text(text) | Kind::Comment(text)) => Some(text.clone()),
            _ => None,
        }
        .into_js(ctx),
        "attribute" => tree.attribute(node, more).map(str::to_owned).into_js(ctx),
        "attributes" => {
            let pairs = tree.attributes(node).iter();
            pairs.map(|(key, value)| vec![key.clone(), value.clone()]).collect::<Vec<_>>().into_js(ctx)
        }
        "text" => tree.text(node).into_js(ctx),
        "inner" => write::inner(tree, node).into_js(ctx),
        "outer" => write::outer(tree, node).into_js(ctx),
        _ => Err(Exception::throw_reference(ctx, question)),
    }
}
