//! Shelves: objects of many properties of which a script takes few, such as all that a module offers.
//!
//! A shelf looks like a plain object whose properties are its names in their order. A property is made when a script first takes it; until
//! then it costs nothing, not even its name. As soon as somebody writes, defines or deletes one, all are made and the object is a plain one.
//! It differs from a [`super::LazyKind`], which is for many objects of one kind, each of them short-lived.

use rquickjs::{Ctx, Error, Exception, Object, Result, Value, qjs};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

const OWN: c_int = qjs::JS_PROP_C_W_E as c_int;
const AS_PLAIN: c_int = qjs::JS_PROP_NO_EXOTIC as c_int;

/// Makes what stands at a place; once for each, unless it fails. It must not wait.
type Make = Box<dyn for<'js> Fn(&Ctx<'js>, usize) -> Result<Value<'js>>>;

/// What a shelf has, in order.
pub(crate) enum Names {
    /// The program's own.
    Fixed(&'static [&'static str]),
    /// `default` and those.
    Module(&'static [&'static str]),
    /// Those of pairs of texts, which users share.
    Shared(Arc<[(String, String)]>),
}

impl Names {
    fn all(&self) -> impl ExactSizeIterator<Item = &str> {
        let count = match self {
            Self::Fixed(names) => names.len(),
            Self::Module(names) => names.len() + 1,
            Self::Shared(pairs) => pairs.len(),
        };
        (0..count).map(|index| self.get(index).unwrap_or_default())
    }

    fn get(&self, index: usize) -> Option<&str> {
        match self {
            Self::Fixed(names) => names.get(index).copied(),
            Self::Module(names) => match index.checked_sub(1) {
                Some(index) => names.get(index).copied(),
                None => Some("default"),
            },
            Self::Shared(pairs) => pairs.get(index).map(|(name, _)| name.as_str()),
        }
    }
}

/// The class of all shelves of a user, once there is one.
#[derive(Debug, Default)]
pub(crate) struct ShelfClass(Cell<Option<qjs::JSClassID>>);

/// Something that was taken.
struct Taken {
    /// Counted.
    name: qjs::JSAtom,
    index: usize,
    /// Owned.
    value: qjs::JSValue,
}

/// What is behind a shelf.
struct Body {
    names: Names,
    make: Make,
    taken: RefCell<Vec<Taken>>,
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

impl ShelfClass {
    /// A shelf with these names.
    ///
    /// # Errors
    /// The engine has no memory.
    pub(crate) fn shelf<'js>(
        &self,
        ctx: &Ctx<'js>,
        names: Names,
        make: impl for<'a> Fn(&Ctx<'a>, usize) -> Result<Value<'a>> + 'static,
    ) -> Result<Object<'js>> {
        let raw = ctx.as_raw().as_ptr();
        let class = match self.0.get() {
            Some(class) => class,
            None => new_class(ctx)?,
        };
        self.0.set(Some(class));
        let body = Body {
            names,
            make: Box::new(make),
            taken: RefCell::default(),
            flags: Cell::new(OWN),
            is_plain: Cell::new(false),
        };
        // SAFETY: the class is one of this context's runtime. The object is owned by the value made of it; its body is its own and is taken
        // back by `finalize`, which the engine calls once.
        unsafe {
            let object = qjs::JS_NewObjectClass(raw, class);
            if qjs::JS_IsException(object) {
                return Err(Error::Exception);
            }
            qjs::JS_SetOpaque(object, Box::into_raw(Box::new(body)).cast());
            Value::from_raw(ctx.clone(), object).into_object().ok_or(Error::Unknown)
        }
    }
}

/// Makes the class, whose objects inherit from `Object.prototype`.
fn new_class(ctx: &Ctx<'_>) -> Result<qjs::JSClassID> {
    let raw = ctx.as_raw().as_ptr();
    let prototype = Object::new(ctx.clone())?.get_prototype().ok_or(Error::Unknown)?;
    // SAFETY: the context lives and is locked while `ctx` does. The definition is read and not kept but for `METHODS`, which is never
    // written, and the name, both static. The prototype is given away with a count of its own.
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
        Ok(class)
    }
}

impl Body {
    /// The place of a name while the property is not the engine's own.
    fn index_of(&self, ctx: &Ctx<'_>, name: qjs::JSAtom) -> Option<usize> {
        if self.is_plain.get() {
            return None;
        }
        if let Some(taken) = self.taken.borrow().iter().find(|taken| taken.name == name) {
            return Some(taken.index);
        }
        // SAFETY: the name is alive during the engine's call of a method; the value made of it, a text or a symbol, is owned by ours.
        let name = unsafe { Value::from_raw(ctx.clone(), qjs::JS_AtomToValue(ctx.as_raw().as_ptr(), name)) };
        let name = name.as_string()?.to_string().ok()?;
        self.names.all().position(|own| own == name)
    }

    /// What stands at a place.
    fn value<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Result<Value<'js>> {
        let raw = ctx.as_raw().as_ptr();
        let counted = |value: qjs::JSValue| {
            // SAFETY: the value is alive, as it is kept; what is handed out is counted on its own.
            unsafe { Value::from_raw(ctx.clone(), qjs::JS_DupValue(raw, value)) }
        };
        let known =
            |taken: &[Taken]| taken.iter().find(|taken| taken.index == index).map(|taken| taken.value);
        if let Some(value) = known(&self.taken.borrow()) {
            return Ok(counted(value));
        }
        let Some(name) = self.names.get(index) else { return Ok(Value::new_undefined(ctx.clone())) };
        let value = (self.make)(ctx, index)?;
        // Making it may have taken it.
        if let Some(value) = known(&self.taken.borrow()) {
            return Ok(counted(value));
        }
        // SAFETY: the name is given by its length; the value is kept with a count of its own.
        let kept = unsafe {
            let name = qjs::JS_NewAtomLen(raw, name.as_ptr().cast(), name.len() as qjs::size_t);
            if name == qjs::JS_ATOM_NULL {
                return Err(Error::Allocation);
            }
            Taken { name, index, value: qjs::JS_DupValue(raw, value.as_raw()) }
        };
        self.taken.borrow_mut().push(kept);
        Ok(value)
    }

    /// Makes all properties the engine's own.
    fn make_plain(&self, ctx: &Ctx<'_>, object: qjs::JSValue) -> Result<()> {
        let values: Vec<Value<'_>> =
            (0..self.names.all().len()).map(|index| self.value(ctx, index)).collect::<Result<_>>()?;
        self.is_plain.set(true);
        let raw = ctx.as_raw().as_ptr();
        for (name, value) in self.names.all().zip(values) {
            // SAFETY: object and value are alive; the value is given away with a count of its own. The property goes to the object itself.
            let defined = unsafe {
                let name = qjs::JS_NewAtomLen(raw, name.as_ptr().cast(), name.len() as qjs::size_t);
                let given = qjs::JS_DupValue(raw, value.as_raw());
                let flags = OWN | AS_PLAIN | qjs::JS_PROP_THROW as c_int;
                let defined = qjs::JS_DefinePropertyValue(raw, object, name, given, flags);
                qjs::JS_FreeAtom(raw, name);
                defined
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
    let Some(index) = body.index_of(&ctx, name) else { return 0 };
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
    // with names that are counted for it, null where it has no memory.
    unsafe {
        (*names, *count) = (std::ptr::null_mut(), 0);
        let Some((_ctx, body)) = called(ctx, object) else { return 0 };
        if body.is_plain.get() {
            return 0;
        }
        let size_bytes = body.names.all().len().max(1) * size_of::<qjs::JSPropertyEnum>();
        let list = qjs::js_malloc(ctx, size_bytes as qjs::size_t).cast::<qjs::JSPropertyEnum>();
        if list.is_null() {
            return -1;
        }
        for (index, name) in body.names.all().enumerate() {
            let atom = qjs::JS_NewAtomLen(ctx, name.as_ptr().cast(), name.len() as qjs::size_t);
            list.add(index).write(qjs::JSPropertyEnum { is_enumerable: true, atom });
        }
        (*names, *count) = (list, body.names.all().len() as u32);
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
    if body.index_of(&ctx, name).is_none() {
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
        match body.index_of(&ctx, name) {
            // Nothing can be added to it any more, and `Object.freeze` or `Object.seal` takes rights from what it has.
            Some(_) if !is_open && flags & qjs::JS_PROP_HAS_VALUE as c_int == 0 => {
                let named = (flags >> qjs::JS_PROP_HAS_SHIFT) & OWN;
                body.flags.set(body.flags.get() & (flags | !named));
                return Ok(true);
            }
            Some(index) if !is_open && body.flags.get() & qjs::JS_PROP_WRITABLE as c_int != 0 => {
                body.value(&ctx, index)?;
                // SAFETY: the place owns what it holds, and the value is counted for it. What it held is freed when nothing is borrowed.
                unsafe {
                    let mut given = qjs::JS_DupValue(raw, value);
                    if let Some(taken) = body.taken.borrow_mut().iter_mut().find(|taken| taken.index == index)
                    {
                        std::mem::swap(&mut taken.value, &mut given);
                    }
                    qjs::JS_FreeValue(raw, given);
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
    // SAFETY: as in `called`; the engine visits values that are owned. Nobody has the list borrowed for writing while the engine runs.
    unsafe {
        if let Some(body) = qjs::JS_GetAnyOpaque(object, &raw mut class).cast::<Body>().as_ref() {
            body.taken.borrow().iter().for_each(|taken| qjs::JS_MarkValue(runtime, taken.value, visit));
        }
    }
}

unsafe extern "C" fn finalize(runtime: *mut qjs::JSRuntime, object: qjs::JSValue) {
    let mut class = qjs::JS_INVALID_CLASS_ID;
    // SAFETY: the engine calls this once for an object, at its end; the body was made by `ShelfClass::shelf`, and each place owns what it
    // holds.
    unsafe {
        let body: *mut c_void = qjs::JS_GetAnyOpaque(object, &raw mut class);
        if !body.is_null() {
            for taken in Box::from_raw(body.cast::<Body>()).taken.take() {
                qjs::JS_FreeValueRT(runtime, taken.value);
                qjs::JS_FreeAtomRT(runtime, taken.name);
            }
        }
    }
}
