//! Objects that are made by parts.

use crate::user::check;
use js::rquickjs::{Array, Ctx, Exception, Function, Object, Result, Value};
use js::{LazyKind, Others, Parts};
use std::cell::RefCell;
use std::rc::Rc;

const NAMES: [&str; 4] = ["first", "list", "wrong", "last"];

/// Says which of its parts were made.
struct Told(Rc<RefCell<String>>);

impl Parts for Told {
    fn make<'js>(&self, ctx: &Ctx<'js>, index: usize, others: &Others<'_>) -> Result<Value<'js>> {
        self.0.borrow_mut().push_str(NAMES.get(index).unwrap_or(&"hidden"));
        match index {
            1 => Ok(Array::new(ctx.clone())?.into_value()),
            2 if self.0.borrow().starts_with("wrong") => Err(Exception::throw_range(ctx, "not yet")),
            4 => Ok(Value::new_int(ctx.clone(), 1 + others.part(ctx, 3)?.as_int().unwrap_or_default())),
            _ => Ok(Value::new_int(ctx.clone(), index as i32)),
        }
    }
}

/// `lazy()` makes one, `made()` tells what was made since it was last asked, `hidden(object)` gives the part without a name.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let prototype = Object::new(ctx.clone())?;
    prototype.set("inherited", "yes")?;
    let kind = LazyKind::new(ctx, &NAMES, 1, &prototype)?;
    let told = Rc::new(RefCell::new(String::new()));
    let (own, parts) = (kind.clone(), Rc::clone(&told));
    ctx.globals().set("lazy", Function::new(ctx.clone(), make(own, parts))?)?;
    ctx.globals().set("made", Function::new(ctx.clone(), move || told.take())?)?;
    ctx.globals().set("hidden", Function::new(ctx.clone(), hidden(kind))?)
}

fn make<'js>(kind: LazyKind, told: Rc<RefCell<String>>) -> impl Fn(Ctx<'js>) -> Result<Object<'js>> {
    move |ctx| kind.object(&ctx, Box::new(Told(Rc::clone(&told))))
}

fn hidden<'js>(kind: LazyKind) -> impl Fn(Ctx<'js>, Object<'js>) -> Result<Option<Value<'js>>> {
    move |ctx, object| kind.part(&ctx, &object, NAMES.len())
}

#[test]
fn parts_are_made_when_they_are_read_and_once() {
    check(
        "const it = lazy();
         console.log('[' + made() + ']', it.last, it.last, made(), it.list === it.list, made());
         console.log(hidden(it), hidden(it), made(), it.inherited, it.nothing, 'first' in it, 'none' in it, made());
         console.log(hidden({}), Object.prototype.toString.call(it));",
        "[] 3 3 last true list\n4 4 hidden yes undefined true false \nundefined [object Object]",
    );
}

#[test]
fn it_looks_like_a_plain_object() {
    check(
        "const it = lazy();
         it.last;
         console.log(Object.keys(it).join(), JSON.stringify(it), Object.getOwnPropertyNames(it).join());
         const names = []; for (const name in it) names.push(name);
         console.log(names.join(), JSON.stringify({ ...it, more: 1 }), it.hasOwnProperty('list'), it.hasOwnProperty('inherited'));
         console.log(JSON.stringify(Object.getOwnPropertyDescriptor(it, 'first')));",
        "first,list,wrong,last {\"first\":0,\"list\":[],\"wrong\":2,\"last\":3} first,list,wrong,last\n\
         first,list,wrong,last,inherited {\"first\":0,\"list\":[],\"wrong\":2,\"last\":3,\"more\":1} true false\n\
         {\"value\":0,\"writable\":true,\"enumerable\":true,\"configurable\":true}",
    );
}

#[test]
fn what_is_changed_becomes_plain() {
    check(
        "const it = lazy();
         it.list.push('kept');
         it.first = { own: 1 };
         it.added = true;
         console.log(JSON.stringify(it), hidden(it));
         delete it.list;
         console.log(Object.keys(it).join(), it.list, delete it.none);
         const other = lazy();
         console.log(delete other.first, other.first, Object.keys(other).join());
         Object.defineProperty(other, 'last', { get: () => 'got' });
         console.log(other.last, JSON.stringify(other));
         const third = Object.create(lazy());
         third.first = 'own';
         console.log(third.first, third.last, Object.keys(third).join());",
        "{\"first\":{\"own\":1},\"list\":[\"kept\"],\"wrong\":2,\"last\":3,\"added\":true} 4\n\
         first,wrong,last,added undefined true\ntrue undefined list,wrong,last\ngot {\"list\":[],\"wrong\":2,\"last\":\"got\"}\n\
         own 3 first",
    );
}

#[test]
fn it_can_be_frozen() {
    check(
        "'use strict';
         const it = Object.freeze(lazy());
         const attempt = (what) => { try { what(); return 'done' } catch (error) { return error.name } };
         console.log(attempt(() => { it.first = 1 }), attempt(() => { it.more = 1 }), attempt(() => { delete it.last }));
         console.log(it.first, it.last, Object.isFrozen(it), Object.keys(it).length);
         const sealed = Object.seal(lazy());
         console.log(attempt(() => { sealed.first = 'new' }), sealed.first, attempt(() => { delete sealed.first }), Object.isSealed(sealed), Object.isFrozen(sealed));",
        "TypeError TypeError TypeError\n0 3 true 4\ndone new TypeError true false",
    );
}

#[test]
fn a_part_that_fails_is_tried_again() {
    check(
        "const it = lazy();
         try { it.wrong } catch (error) { console.log(error.name, error.message) }
         made(); it.first;
         console.log(it.wrong, made());",
        "RangeError not yet\n2 firstwrong",
    );
}

#[test]
fn circles_through_parts_are_collected() {
    // Far more than a user may hold, were one of them kept.
    check(
        "for (let count = 0; count < 200000; count += 1) {
             const it = lazy();
             it.list.push(it, new Array(100).fill(it));
         }
         const kept = []; for (let count = 0; count < 1000; count += 1) kept.push(lazy());
         console.log(kept[999].last);",
        "3",
    );
}
