//! Objects whose properties are made when a script takes them: as a module's offer, and as texts that users share.

use crate::user::{TestHost, check_files};
use js::Calls;
use js::rquickjs::{Ctx, Exception, Result, Value};
use std::sync::Arc;

pub(crate) const NAMES: &[&str] = &["first", "list", "wrong", "texts", "last"];

/// A module of CommonJS behind the shelf, which says that it runs.
const GOODS: (&str, &str) = (
    "goods.js",
    "console.log('runs'); module.exports = { first: 1, list: [], last() { return 'of ' + typeof Map } };",
);

pub(crate) fn module<'js>(ctx: &Ctx<'js>, calls: &Calls<TestHost>) -> Result<Value<'js>> {
    calls.shelf(ctx, NAMES, make).map(js::rquickjs::Object::into_value)
}

fn make<'js>(ctx: &Ctx<'js>, calls: &Calls<TestHost>, name: &'static str) -> Result<Value<'js>> {
    calls.host().0.said.borrow_mut().push(format!("makes {name}"));
    let told = calls.host().0.said.borrow().iter().filter(|said| *said == "makes wrong").count();
    match name {
        "wrong" if told == 1 => Err(Exception::throw_range(ctx, "not yet")),
        "wrong" => Ok(Value::new_int(ctx.clone(), 2)),
        "texts" => {
            let pairs = [("b", "1"), ("a", "2")].map(|(name, text)| (name.to_owned(), text.to_owned()));
            calls.texts(ctx, &Arc::from(pairs)).map(js::rquickjs::Object::into_value)
        }
        name => calls.load(ctx, "goods.js")?.into_object().expect("an object").get(name),
    }
}

fn says(text: &str, expected: &str) {
    check_files(&[("main.js", text), GOODS], expected);
}

#[test]
fn what_is_taken_is_made_once() {
    says(
        "import all from 'shelf';
         console.log('begins', typeof all, 'first' in all, 'none' in all, all.none, Symbol('first') in all);
         console.log(all.first, all.first, all.list === all.list, Object.prototype.toString.call(all));",
        "begins object true false undefined false\nmakes first\nruns\nmakes list\n1 1 true [object Object]",
    );
    says("import { first } from 'shelf'; console.log(first)", "makes first\nruns\n1");
    says("const { last } = require('shelf'); console.log(last())", "makes last\nruns\nof function");
}

#[test]
fn the_whole_module_is_one_too() {
    says(
        "import * as all from 'shelf'; console.log(Object.getOwnPropertyNames(all).join(), all.first, all.default.first, all.default.default);",
        "makes first\nruns\ndefault,first,list,wrong,texts,last 1 1 undefined",
    );
}

#[test]
fn what_is_not_offered_is_undefined() {
    says("import { none } from 'shelf'; console.log(none)", "undefined");
}

#[test]
fn it_looks_like_a_plain_object() {
    says(
        "const all = require('shelf'); all.last; try { all.wrong } catch (error) { console.log(error.message) }
         console.log(Object.keys(all).join(), Object.getOwnPropertyNames(all).length, JSON.stringify(all));
         const names = []; for (const name in all) names.push(name);
         console.log(names.join(), Object.keys({ ...all, more: 1 }).join(), all.hasOwnProperty('list'));
         console.log(JSON.stringify(Object.getOwnPropertyDescriptor(all, 'first')));",
        "makes last\nruns\nmakes wrong\nnot yet\nmakes first\nmakes list\nmakes wrong\nmakes texts\n\
         first,list,wrong,texts,last 5 {\"first\":1,\"list\":[],\"wrong\":2,\"texts\":{\"b\":\"1\",\"a\":\"2\"}}\n\
         first,list,wrong,texts,last first,list,wrong,texts,last,more true\n\
         {\"value\":1,\"writable\":true,\"enumerable\":true,\"configurable\":true}",
    );
}

#[test]
fn what_is_changed_becomes_plain() {
    says(
        "const { texts } = require('shelf');
         console.log(texts.a, texts.none, Object.keys(texts).join());
         texts.c = '3'; texts.b = 'new';
         console.log(JSON.stringify(texts), delete texts.a, Object.keys(texts).join(), texts.a, delete texts.none);
         const other = Object.freeze({ __proto__: texts, own: 1 }); console.log(other.c);",
        "makes texts\n2 undefined b,a\n{\"b\":\"new\",\"a\":\"2\",\"c\":\"3\"} true b,c undefined true\n3",
    );
    says(
        "'use strict'; const { texts } = require('shelf'); Object.freeze(texts);
         const attempt = (what) => { try { what(); return 'done' } catch (error) { return error.name } };
         console.log(attempt(() => { texts.a = 1 }), attempt(() => { texts.more = 1 }), attempt(() => { delete texts.b }));
         console.log(texts.a, Object.isFrozen(texts), Object.keys(texts).length);
         const sealed = require('shelf'); Object.seal(sealed);
         console.log(attempt(() => { sealed.first = 'new' }), sealed.first, attempt(() => { delete sealed.last }));",
        "makes texts\nTypeError TypeError TypeError\n2 true 2\nmakes first\nruns\ndone new TypeError",
    );
}

#[test]
fn circles_through_it_are_collected() {
    says(
        "const all = require('shelf'); all.list.push(all, new Array(1000).fill(all)); console.log(all.list.length);",
        "makes list\nruns\n2",
    );
}
