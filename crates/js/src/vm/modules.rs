//! Modules of a user: the engine links ES modules from the script's bytecode; CommonJS, JSON and native modules are run here and shown to
//! importers as modules whose exports are what was asked for.

use super::host::{Calls, Host};
use super::life::Exports;
use crate::Script;
use crate::raw::{Names, OfContext};
use crate::script::{Form, NAMESPACE, Unit};
use rquickjs::function::This;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declarations, Declared, ModuleDef};
use rquickjs::{Ctx, Error, Exception, Function, Module, Object, Persistent, Result, Runtime, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Where `module.exports` stands in what is kept of a module.
const EXPORTS: &str = "exports";

/// What functions that get nothing but a context need of their user.
trait Foreign {
    fn script(&self) -> &Script;
    fn value<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Value<'js>>;
    /// What `import * as it` gives.
    fn namespace<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Object<'js>>;
}

impl<H: Host> Foreign for Calls<H> {
    fn script(&self) -> &Script {
        &self.0.script
    }

    fn value<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Value<'js>> {
        exports_of(ctx, self, index)
    }

    fn namespace<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Object<'js>> {
        let Some(names) = self.0.script.unit(index).offered else {
            return namespace_of(ctx, &exports_of(ctx, self, index)?);
        };
        let own = self.clone();
        self.0.shelf_class.shelf(ctx, Names::Module(names), move |ctx, place| {
            let exports = exports_of(ctx, &own, index)?;
            match place.checked_sub(1).and_then(|place| names.get(place)) {
                Some(name) => exports.into_object().ok_or(Error::Unknown)?.get(*name),
                None => Ok(exports),
            }
        })
    }
}

/// Lets the engine find the script's modules.
pub(super) fn set_loader(runtime: &Runtime, script: &Arc<Script>) {
    runtime.set_loader(Links(Arc::clone(script)), Links(Arc::clone(script)));
}

/// The script's links between modules, for the engine.
struct Links(Arc<Script>);

impl Resolver for Links {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        match self.0.linked(base, name) {
            Ok(index) => Ok(self.0.unit(index).url.clone()),
            Err(reason) => Err(Exception::throw_reference(ctx, &reason)),
        }
    }
}

impl Loader for Links {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let Some(index) = self.0.index_of(name) else {
            return Err(Exception::throw_reference(ctx, &format!("there is no module {name}")));
        };
        load(ctx, self.0.unit(index))
    }
}

fn load<'js>(ctx: &Ctx<'js>, unit: &Unit) -> Result<Module<'js, Declared>> {
    let Form::Module(bytecode) = &unit.form else {
        return Module::declare_def::<Interop, _>(ctx.clone(), unit.url.as_str());
    };
    let module = bytecode.module(ctx)?;
    if unit.has_import_meta {
        let meta = module.meta()?;
        meta.set("url", unit.url.as_str())?;
        let base = unit.url.clone();
        let resolve = move |ctx: Ctx<'js>, specifier: String| -> Result<String> {
            let foreign = foreign(&ctx)?;
            let resolved = foreign.script().resolved(&base, &specifier);
            resolved.map_err(|reason| Exception::throw_reference(&ctx, &reason))
        };
        meta.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    }
    Ok(module)
}

/// A module that is not one of the engine's, as its importers see it.
struct Interop;

impl ModuleDef for Interop {
    fn declare<'js>(declarations: &Declarations<'js>) -> Result<()> {
        let module = declarations.module();
        let foreign = foreign(module.ctx())?;
        let url: String = module.name()?;
        let script = foreign.script();
        let Some(index) = script.index_of(&url) else { return Ok(()) };
        for name in &script.unit(index).wanted {
            declarations.declare(name.as_str())?;
        }
        Ok(())
    }

    fn evaluate<'js>(ctx: &Ctx<'js>, exports: &rquickjs::module::Exports<'js>) -> Result<()> {
        let foreign = foreign(ctx)?;
        let url: String = exports.module().name()?;
        let script = foreign.script();
        let Some(index) = script.index_of(&url) else { return Ok(()) };
        let value = foreign.value(ctx, index)?;
        for name in &script.unit(index).wanted {
            let shown = match name.as_str() {
                "default" => default_of(&value)?,
                NAMESPACE => foreign.namespace(ctx, index)?.into_value(),
                name => match value.as_object() {
                    Some(object) => object.get(name)?,
                    None => Value::new_undefined(ctx.clone()),
                },
            };
            exports.export(name.as_str(), shown)?;
        }
        Ok(())
    }
}

/// `exports.default` where there is one, else all of it.
fn default_of<'js>(exports: &Value<'js>) -> Result<Value<'js>> {
    match exports.as_object() {
        Some(object) if object.contains_key("default")? => object.get("default"),
        _ => Ok(exports.clone()),
    }
}

/// What `import * as it` gives: the exports and a default.
fn namespace_of<'js>(ctx: &Ctx<'js>, exports: &Value<'js>) -> Result<Object<'js>> {
    let namespace = Object::new(ctx.clone())?;
    namespace.set("default", default_of(exports)?)?;
    if let Some(object) = exports.as_object().filter(|object| !object.is_array()) {
        for key in object.keys::<String>() {
            let key = key?;
            let value: Value<'js> = object.get(key.as_str())?;
            namespace.set(key, value)?;
        }
    }
    Ok(namespace)
}

fn foreign(ctx: &Ctx<'_>) -> Result<Rc<dyn Foreign>> {
    ctx.userdata::<OfContext<dyn Foreign>>().map(|of| Rc::clone(&of.0)).ok_or(Error::Unknown)
}

/// Makes `require`, and what the functions above find from their context.
pub(super) fn install<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>) -> Result<()> {
    let found: Rc<dyn Foreign> = Rc::new(calls.clone());
    ctx.store_userdata(OfContext(found)).map_err(|_| Error::Unknown)?;
    calls.0.exports.borrow_mut().resize_with(calls.0.script.unit_count(), || None);
    if !calls.0.script.may_name_own("require") {
        return Ok(());
    }
    let calls = calls.clone();
    let require = move |ctx: Ctx<'js>, specifier: Value<'js>| require(&ctx, &calls, &specifier);
    ctx.globals().set("require", Function::new(ctx.clone(), require)?.with_name("require")?)
}

/// Runs the main module. What it exports, and what is to be awaited until it has run.
pub(super) fn start<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>) -> Result<(Exports<'js>, Value<'js>)> {
    let main = calls.0.script.unit(0);
    if matches!(main.form, Form::Module(_)) {
        let (module, promise) = load(ctx, main)?.eval()?;
        return Ok((Exports(module.namespace()?), promise.into_value()));
    }
    let exports = exports_of(ctx, calls, 0)?;
    let shown = match exports.as_object() {
        Some(object) if !exports.is_function() => object.clone(),
        _ => namespace_of(ctx, &exports)?,
    };
    Ok((Exports(shown), Value::new_undefined(ctx.clone())))
}

fn require<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>, specifier: &Value<'js>) -> Result<Value<'js>> {
    let Some(specifier) = specifier.as_string() else {
        return Err(Exception::throw_type(ctx, "require() takes the name of a module"));
    };
    if calls.0.has_started.get() {
        return Err(Exception::throw_type(ctx, "require() is only there while the script's modules run"));
    }
    let specifier = specifier.to_string()?;
    let caller = calls.caller(ctx).unwrap_or_default();
    match calls.0.script.linked(&caller, &specifier) {
        Ok(index) => exports_of(ctx, calls, index),
        Err(reason) => Err(Exception::throw_reference(ctx, &reason)),
    }
}

/// What the module of a URL exports; those that it requires run too, whenever that is.
pub(super) fn loaded<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>, url: &str) -> Result<Value<'js>> {
    let Some(index) = calls.0.script.index_of(url) else {
        return Err(Exception::throw_reference(ctx, &format!("there is no module {url}")));
    };
    let had_started = calls.0.has_started.replace(false);
    let exports = exports_of(ctx, calls, index);
    calls.0.has_started.set(had_started);
    exports
}

/// What a module exports, running it if that was not done. In a circle it is what the module has exported so far.
fn exports_of<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>, index: usize) -> Result<Value<'js>> {
    let known = calls.0.exports.borrow().get(index).cloned().flatten();
    if let Some(known) = known {
        return known.restore(ctx)?.into_object().ok_or(Error::Unknown)?.get(EXPORTS);
    }
    let unit = calls.0.script.unit(index);
    let module = Object::new(ctx.clone())?;
    match &unit.form {
        Form::Module(_) => return namespace_by_name(ctx, &unit.url),
        Form::Json(text) => {
            module.set(EXPORTS, ctx.json_parse(text.as_str())?)?;
            remember(ctx, calls, index, &module);
        }
        Form::Native => {
            module.set(EXPORTS, calls.host().module(ctx, calls, &unit.url)?)?;
            remember(ctx, calls, index, &module);
        }
        Form::CommonJs(bytecode) => {
            calls.0.script.named_by(index).for_each(|part| calls.add(ctx, part));
            let exports = Object::new(ctx.clone())?;
            module.set(EXPORTS, exports.clone())?;
            remember(ctx, calls, index, &module);
            let run = || -> Result<()> {
                let function = bytecode.run_script(ctx)?.into_function().ok_or(Error::Unknown)?;
                function.call((This(exports.clone()), exports.clone(), module.clone()))
            };
            if let Err(error) = run() {
                // As everywhere: a module that threw runs again when it is required again.
                if let Some(place) = calls.0.exports.borrow_mut().get_mut(index) {
                    *place = None;
                }
                return Err(error);
            }
        }
    }
    module.get(EXPORTS)
}

fn remember<'js, H: Host>(ctx: &Ctx<'js>, calls: &Calls<H>, index: usize, module: &Object<'js>) {
    if let Some(place) = calls.0.exports.borrow_mut().get_mut(index) {
        *place = Some(Persistent::save(ctx, module.clone().into_value()));
    }
}

/// The export that `require` gives in place of all exports (Node.js, "Loading ECMAScript modules using require()").
const WHOLE: &str = "module.exports";

/// An ES module as `require` gives it.
fn namespace_by_name<'js>(ctx: &Ctx<'js>, url: &str) -> Result<Value<'js>> {
    let promise = Module::import(ctx, url)?;
    match promise.finish::<Object<'js>>() {
        Err(Error::WouldBlock) => {
            let reason = format!("{url} waits at its top level, so it can be imported but not required");
            Err(Exception::throw_type(ctx, &reason))
        }
        // As in Node.js since 23: an export of this name is the whole for those who require it.
        Ok(namespace) if namespace.contains_key(WHOLE)? => namespace.get(WHOLE),
        other => other.map(Object::into_value),
    }
}
