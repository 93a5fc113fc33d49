//! Objects whose properties are made when a script first asks for them.
//!
//! An object of many properties, of which scripts read one or two, is not worth building whole. A lazy object looks like a plain one:
//! its names are its own, enumerable and in their order, and can be written and deleted. As soon as somebody changes it, it becomes a
//! plain one: all its properties are made then.

use rquickjs::{Ctx, Error, Exception, Object, Result, Value, qjs};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;

/// Most parts of an object, hidden ones included.
const PARTS_MAX: usize = 24;
const OWN: c_int = qjs::JS_PROP_C_W_E as c_int;
const AS_PLAIN: c_int = qjs::JS_PROP_NO_EXOTIC as c_int;

/// What is behind a lazy object.
pub trait Parts: 'static {
    /// Makes a part, by its index among the names and behind them among the hidden ones, of the others if need be. Called once for each,
    /// unless it fails. It must not wait and not call into the script.
    ///
    /// # Errors
    /// What reading the property then throws.
    fn make<'js>(&self, ctx: &Ctx<'js>, index: usize, others: &Others<'_>) -> Result<Value<'js>>;
}

/// The other parts of an object.
pub struct Others<'a>(&'a Body);

impl Others<'_> {
    /// A part, as it was first made.
    ///
    /// # Errors
    /// What making it threw.
    pub fn part<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Value<'js>> {
        self.0.value(ctx, index)
    }
}

impl std::fmt::Debug for Others<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Others").finish_non_exhaustive()
    }
}

/// What a kind of lazy objects has in common: their names and their prototype. One for each user.
#[derive(Debug, Clone)]
pub struct LazyKind(Rc<Kind>);

#[derive(Debug)]
struct Kind {
    class: qjs::JSClassID,
    /// The names, which the engine keeps as long as it lives.
    names: Vec<qjs::JSAtom>,
    /// Names and hidden parts.
    part_count: usize,
}

/// What an object holds.
struct Body {
    kind: Rc<Kind>,
    parts: Box<dyn Parts>,
    /// By index, those that were made; owned.
    made: [Cell<qjs::JSValue>; PARTS_MAX],
    /// What may be done to the properties; less than all after `Object.freeze`.
    flags: Cell<c_int>,
    /// Whether all properties are the engine's own by now.
    is_plain: Cell<bool>,
}

static METHODS: qjs::JSClassExoticMethods = qjs::JSClassExoticMethods {
    get_own_property: Some(get_own_property),
    get_own_property_names: Some(get_own_property_names),
    delete_property: Some(delete_property),
    define_own_property: Some(define_own_property),
    has_property: None,
    get_property: None,
    set_property: None,
};

impl LazyKind {
    /// Objects with these names and as many hidden parts behind them, together at most 24, which inherit from `prototype`.
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn new<'js>(
        ctx: &Ctx<'js>,
        names: &[&str],
        hidden_count: usize,
        prototype: &Object<'js>,
    ) -> Result<Self> {
        let part_count = names.len() + hidden_count;
        if part_count > PARTS_MAX {
            return Err(Exception::throw_range(ctx, "too many parts"));
        }
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: the context lives and is locked while `ctx` does. The definition is read and not kept but for `METHODS`, which is
        // never written, and the name, both static. The prototype is given away with a count of its own. Names are given by their
        // lengths; an atom that is never freed stays with its runtime, which frees it.
        unsafe {
            let runtime = qjs::JS_GetRuntime(raw);
            let mut class = qjs::JS_INVALID_CLASS_ID;
            qjs::JS_NewClassID(runtime, &raw mut class);
            let definition = qjs::JSClassDef {
                class_name: c"Object".as_ptr(),
                finalizer: Some(finalize),
                gc_mark: Some(mark),
                call: None,
                exotic: (&raw const METHODS).cast_mut(),
            };
            if qjs::JS_NewClass(runtime, class, &raw const definition) != 0 {
                return Err(Error::Allocation);
            }
            qjs::JS_SetClassProto(raw, class, qjs::JS_DupValue(raw, prototype.as_value().as_raw()));
            let atom = |name: &&str| qjs::JS_NewAtomLen(raw, name.as_ptr().cast(), name.len() as qjs::size_t);
            let names: Vec<qjs::JSAtom> = names.iter().map(atom).collect();
            match names.contains(&qjs::JS_ATOM_NULL) {
                true => Err(Error::Allocation),
                false => Ok(Self(Rc::new(Kind { class, names, part_count }))),
            }
        }
    }

    /// An object of this kind.
    ///
    /// # Errors
    /// The engine has no memory.
    pub fn object<'js>(&self, ctx: &Ctx<'js>, parts: Box<dyn Parts>) -> Result<Object<'js>> {
        let raw = ctx.as_raw().as_ptr();
        let body = Body {
            kind: Rc::clone(&self.0),
            parts,
            made: [const { Cell::new(qjs::JS_UNINITIALIZED) }; PARTS_MAX],
            flags: Cell::new(OWN),
            is_plain: Cell::new(false),
        };
        // SAFETY: the class is one of this context's runtime. The object is owned by the value made of it; its body is its own and is
        // taken back by `finalize`, which the engine calls once.
        unsafe {
            let object = qjs::JS_NewObjectClass(raw, self.0.class);
            if qjs::JS_IsException(object) {
                return Err(Error::Exception);
            }
            qjs::JS_SetOpaque(object, Box::into_raw(Box::new(body)).cast());
            Value::from_raw(ctx.clone(), object).into_object().ok_or(Error::Unknown)
        }
    }

    /// A part of an object, hidden or not, as it was first made; `None`: the object is of another kind, or has no such part.
    ///
    /// # Errors
    /// What making it threw.
    pub fn part<'js>(
        &self,
        ctx: &Ctx<'js>,
        object: &Object<'js>,
        index: usize,
    ) -> Result<Option<Value<'js>>> {
        // SAFETY: what the class of lazy objects holds is a body, which lives as long as the object; the class is this context's own.
        let body =
            unsafe { qjs::JS_GetOpaque(object.as_value().as_raw(), self.0.class).cast::<Body>().as_ref() };
        match body.filter(|_| index < self.0.part_count) {
            Some(body) => body.value(ctx, index).map(Some),
            None => Ok(None),
        }
    }
}

impl Body {
    fn value<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Value<'js>> {
        let Some(slot) = self.made.get(index) else { return Ok(Value::new_undefined(ctx.clone())) };
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: a slot holds nothing or a value that it owns; what is handed out is counted on its own.
        unsafe {
            if qjs::JS_VALUE_GET_TAG(slot.get()) == qjs::JS_TAG_UNINITIALIZED {
                let value = self.parts.make(ctx, index, &Others(self))?;
                let old = slot.replace(qjs::JS_DupValue(raw, value.as_raw()));
                qjs::JS_FreeValue(raw, old);
                return Ok(value);
            }
            Ok(Value::from_raw(ctx.clone(), qjs::JS_DupValue(raw, slot.get())))
        }
    }

    /// The place of a name while the property is not the engine's own.
    fn index_of(&self, name: qjs::JSAtom) -> Option<usize> {
        if self.is_plain.get() {
            return None;
        }
        self.kind.names.iter().position(|own| *own == name)
    }

    /// Makes all properties the engine's own.
    fn make_plain(&self, ctx: &Ctx<'_>, object: qjs::JSValue) -> Result<()> {
        let values: Vec<Value<'_>> =
            (0..self.kind.names.len()).map(|index| self.value(ctx, index)).collect::<Result<_>>()?;
        self.is_plain.set(true);
        let raw = ctx.as_raw().as_ptr();
        for (name, value) in self.kind.names.iter().zip(values) {
            // SAFETY: object and value are alive; the value is given away with a count of its own. The property goes to the object itself.
            let defined = unsafe {
                let given = qjs::JS_DupValue(raw, value.as_raw());
                qjs::JS_DefinePropertyValue(
                    raw,
                    object,
                    *name,
                    given,
                    OWN | AS_PLAIN | qjs::JS_PROP_THROW as c_int,
                )
            };
            if defined < 0 {
                return Err(Error::Exception);
            }
        }
        Ok(())
    }
}

/// The body of the object that the engine calls a method for, and its context.
///
/// # Safety
/// `ctx` and `object` are what the engine gave to one of this file's methods, and the results are used in that call alone.
unsafe fn called<'a>(ctx: *mut qjs::JSContext, object: qjs::JSValue) -> Option<(Ctx<'a>, &'a Body)> {
    let mut class = qjs::JS_INVALID_CLASS_ID;
    // SAFETY: the object is of a class whose methods are this file's, so its opaque pointer is a body or null.
    let body = unsafe { qjs::JS_GetAnyOpaque(object, &raw mut class).cast::<Body>().as_ref()? };
    // SAFETY: the engine calls with a live context, and only while it is locked.
    let ctx = unsafe { Ctx::from_raw(NonNull::new(ctx)?) };
    Some((ctx, body))
}

/// What the engine is to hear of `work`; what it threw is thrown.
fn answer(ctx: &Ctx<'_>, work: impl FnOnce() -> Result<bool>) -> c_int {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(is)) => c_int::from(is),
        Ok(Err(Error::Exception)) => -1,
        Ok(Err(error)) => {
            // The error is now the pending exception.
            let _ = Exception::throw_internal(ctx, &error.to_string());
            -1
        }
        Err(_) => {
            let _ = Exception::throw_internal(ctx, "a property could not be made");
            -1
        }
    }
}

unsafe extern "C" fn get_own_property(
    ctx: *mut qjs::JSContext,
    found: *mut qjs::JSPropertyDescriptor,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    // SAFETY: as `called` asks.
    let Some((ctx, body)) = (unsafe { called(ctx, object) }) else { return 0 };
    let Some(index) = body.index_of(name) else { return 0 };
    // SAFETY: the descriptor is null or the engine's to be filled in.
    let Some(found) = (unsafe { found.as_mut() }) else { return 1 };
    answer(&ctx, || {
        let value = body.value(&ctx, index)?;
        // SAFETY: the engine takes over what the descriptor holds, so the value is counted for it.
        found.value = unsafe { qjs::JS_DupValue(ctx.as_raw().as_ptr(), value.as_raw()) };
        found.flags = body.flags.get();
        (found.getter, found.setter) = (qjs::JS_UNDEFINED, qjs::JS_UNDEFINED);
        Ok(true)
    })
}

unsafe extern "C" fn get_own_property_names(
    ctx: *mut qjs::JSContext,
    names: *mut *mut qjs::JSPropertyEnum,
    count: *mut u32,
    object: qjs::JSValue,
) -> c_int {
    // SAFETY: as `called` asks; both places are the engine's to be filled in. The list is the engine's memory, written within its length,
    // with names that are counted for it.
    unsafe {
        (*names, *count) = (std::ptr::null_mut(), 0);
        let Some((_ctx, body)) = called(ctx, object) else { return 0 };
        if body.is_plain.get() {
            return 0;
        }
        let own = &body.kind.names;
        let list_bytes = own.len().max(1) * size_of::<qjs::JSPropertyEnum>();
        let list = qjs::js_malloc(ctx, list_bytes as qjs::size_t).cast::<qjs::JSPropertyEnum>();
        if list.is_null() {
            return -1;
        }
        for (index, name) in own.iter().enumerate() {
            let entry = qjs::JSPropertyEnum { is_enumerable: true, atom: qjs::JS_DupAtom(ctx, *name) };
            list.add(index).write(entry);
        }
        (*names, *count) = (list, own.len() as u32);
    }
    0
}

unsafe extern "C" fn delete_property(
    ctx: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    // SAFETY: as `called` asks.
    let Some((ctx, body)) = (unsafe { called(ctx, object) }) else { return 1 };
    if body.index_of(name).is_none() {
        return 1;
    }
    if body.flags.get() & qjs::JS_PROP_CONFIGURABLE as c_int == 0 {
        return 0;
    }
    answer(&ctx, || {
        body.make_plain(&ctx, object)?;
        // SAFETY: the object is alive; the property is its own now, so this is not called again for it.
        match unsafe { qjs::JS_DeleteProperty(ctx.as_raw().as_ptr(), object, name, 0) } {
            ..0 => Err(Error::Exception),
            is_gone => Ok(is_gone > 0),
        }
    })
}

unsafe extern "C" fn define_own_property(
    ctx: *mut qjs::JSContext,
    object: qjs::JSValue,
    name: qjs::JSAtom,
    value: qjs::JSValue,
    getter: qjs::JSValue,
    setter: qjs::JSValue,
    flags: c_int,
) -> c_int {
    // SAFETY: as `called` asks.
    let Some((ctx, body)) = (unsafe { called(ctx, object) }) else { return 0 };
    let raw = ctx.as_raw().as_ptr();
    answer(&ctx, || {
        // SAFETY: the object is alive.
        let is_open = unsafe { qjs::JS_IsExtensible(raw, object) } > 0;
        match body.index_of(name) {
            // Nothing can be added to it any more, and `Object.freeze` or `Object.seal` takes rights from what it has.
            Some(_) if !is_open && flags & qjs::JS_PROP_HAS_VALUE as c_int == 0 => {
                let named = (flags >> qjs::JS_PROP_HAS_SHIFT) & OWN;
                body.flags.set(body.flags.get() & (flags | !named));
                return Ok(true);
            }
            Some(index) if !is_open && body.flags.get() & qjs::JS_PROP_WRITABLE as c_int != 0 => {
                if let Some(slot) = body.made.get(index) {
                    // SAFETY: the slot owns what it holds, and the value is counted for it.
                    unsafe { qjs::JS_FreeValue(raw, slot.replace(qjs::JS_DupValue(raw, value))) };
                }
                return Ok(true);
            }
            _ if is_open && !body.is_plain.get() => body.make_plain(&ctx, object)?,
            _ => {}
        }
        // SAFETY: all values are alive; the property goes to the object itself.
        let defined =
            unsafe { qjs::JS_DefineProperty(raw, object, name, value, getter, setter, flags | AS_PLAIN) };
        if defined < 0 { Err(Error::Exception) } else { Ok(defined > 0) }
    })
}

unsafe extern "C" fn mark(runtime: *mut qjs::JSRuntime, object: qjs::JSValue, visit: qjs::JS_MarkFunc) {
    let mut class = qjs::JS_INVALID_CLASS_ID;
    // SAFETY: as in `called`; the engine visits values that the slots own.
    unsafe {
        if let Some(body) = qjs::JS_GetAnyOpaque(object, &raw mut class).cast::<Body>().as_ref() {
            body.made.iter().for_each(|slot| qjs::JS_MarkValue(runtime, slot.get(), visit));
        }
    }
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: qjs::JSValue) {
    let mut class = qjs::JS_INVALID_CLASS_ID;
    // SAFETY: the engine calls this once for an object, at its end; the body was made by `LazyKind::object`, and each slot owns what it holds.
    unsafe {
        let body: *mut c_void = qjs::JS_GetAnyOpaque(object, &raw mut class);
        if !body.is_null() {
            let body = Box::from_raw(body.cast::<Body>());
            body.made.iter().for_each(|slot| qjs::JS_FreeValueRT(runtime, slot.get()));
        }
    }
}
