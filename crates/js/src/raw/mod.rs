//! The crate's unsafe code: a user's [`Heap`], objects that are made by parts ([`LazyKind`], [`ShelfClass`]), and few calls, each behind a
//! safe function: what neither the engine's nor the stacks' safe interface offers.
//!
//! The calls are for three things. A host function, which the engine keeps for as long as it likes, must find the stack that it runs on ([`Link`]).
//! Bytecode that this crate made must be read back. And a script that is over must not be able to catch that.

#![expect(unsafe_code, reason = "suspension from host functions and bytecode have no safe interface")]

mod heap;
mod lazy;
mod shelf;

pub(crate) use heap::{Heap, Level};
pub use lazy::{LazyKind, Others, Parts};
pub(crate) use shelf::{Names, ShelfClass};

use corosensei::Yielder;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Exception, JsLifetime, Module, Value, qjs};
use std::cell::Cell;
use std::ffi::CString;
use std::ptr::NonNull;
use std::rc::Rc;

/// How code that runs on a coroutine's stack gives control to whoever resumed it, without holding a borrow of that stack.
pub(crate) struct Link<Input, Output> {
    /// The yielder of the coroutine's first function while that function runs.
    yielder: Cell<Option<NonNull<Yielder<Input, Output>>>>,
    /// Whether the coroutine is the one that runs now.
    is_running: Cell<bool>,
}

/// Takes the yielder out of its link when the coroutine's first function ends, in whatever way.
pub(crate) struct Linked<'a, Input, Output>(&'a Link<Input, Output>);

impl<Input, Output> Drop for Linked<'_, Input, Output> {
    fn drop(&mut self) {
        self.0.yielder.set(None);
    }
}

impl<Input, Output> Link<Input, Output> {
    pub(crate) fn new() -> Self {
        Self { yielder: Cell::new(None), is_running: Cell::new(false) }
    }

    /// Called by the coroutine's first function; the link holds until what is returned is dropped.
    pub(crate) fn hold<'a>(&'a self, yielder: &'a Yielder<Input, Output>) -> Linked<'a, Input, Output> {
        self.yielder.set(Some(NonNull::from(yielder)));
        Linked(self)
    }

    /// Runs `resume`, which resumes the coroutine, and notes that it is the one that runs meanwhile.
    pub(crate) fn running<T>(&self, resume: impl FnOnce() -> T) -> T {
        struct Running<'a>(&'a Cell<bool>);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        let is_nested = self.is_running.replace(true);
        assert!(!is_nested, "a user was resumed from within itself");
        let _running = Running(&self.is_running);
        resume()
    }

    /// Gives `output` to whoever resumed the coroutine, and returns what it is resumed with; `None` when the coroutine does not run,
    /// as in functions that a front end calls on its own after the user is gone.
    pub(crate) fn suspend(&self, output: Output) -> Option<Input> {
        let yielder = self.yielder.get().filter(|_| self.is_running.get())?;
        // SAFETY: the pointer comes from a reference in the coroutine's first function and is taken out (`Linked`) before that function
        // ends, so it is valid here. Only code above that function on its stack, or on a stack resumed from it, runs while `is_running`
        // holds: `running` sets it around a resume alone, and a suspension returns from there. A `Link` is `!Sync`, as `Cell` is, so no
        // other thread comes here. Suspending is then what the yielder is for: the frames between are the engine's C frames and Rust
        // frames that hold no reference into the resuming stack, and each goes on where it was.
        let yielder = unsafe { yielder.as_ref() };
        Some(yielder.suspend(output))
    }
}

/// What a context knows of its user; found from functions that get nothing but a context.
pub(crate) struct OfContext<T: ?Sized>(pub(crate) Rc<T>);

// SAFETY: the type holds no value of the engine with a lifetime of the engine (`T` is 'static), so changing that lifetime changes nothing.
unsafe impl<'js, T: ?Sized + 'static> JsLifetime<'js> for OfContext<T> {
    type Changed<'to> = OfContext<T>;
}

/// Bytecode of a module or a script, made in this process.
pub(crate) struct Bytecode(Box<[u8]>);

impl Bytecode {
    /// The module's bytecode.
    pub(crate) fn of_module(module: &Module<'_, Declared>) -> rquickjs::Result<Self> {
        let options = rquickjs::WriteOptions { strip_source: true, ..Default::default() };
        module.write(options).map(|bytes| Self(bytes.into()))
    }

    /// Compiles `source` as a script of the sloppy mode, without running it.
    pub(crate) fn of_script(ctx: &Ctx<'_>, name: &str, source: &str) -> rquickjs::Result<Self> {
        let (name, text) = (CString::new(name)?, CString::new(source)?);
        let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: `raw` is the context of `ctx`, which is locked while `ctx` lives. Text and name are zero-ended and outlive the call, the
        // length is the text's. The value that comes back is owned and freed once; the buffer is the engine's, copied and freed once.
        unsafe {
            let length = source.len() as qjs::size_t;
            let function = qjs::JS_Eval(raw, text.as_ptr(), length, name.as_ptr(), flags as i32);
            if qjs::JS_IsException(function) {
                return Err(Error::Exception);
            }
            let mut written: qjs::size_t = 0;
            let options = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE;
            let buffer = qjs::JS_WriteObject(raw, &raw mut written, function, options as i32);
            qjs::JS_FreeValue(raw, function);
            if buffer.is_null() {
                return Err(Error::Exception);
            }
            let bytes = std::slice::from_raw_parts(buffer, written as usize).into();
            qjs::js_free(raw, buffer.cast());
            Ok(Self(bytes))
        }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.0.len()
    }

    /// The module that was written.
    pub(crate) fn module<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Module<'js, Declared>> {
        // SAFETY: the bytes were written by the same engine in the same process, and nothing else makes a `Bytecode`.
        unsafe { Module::load(ctx.clone(), &self.0) }
    }

    /// Runs the script that was written, and gives its value.
    pub(crate) fn run_script<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Value<'js>> {
        let raw = ctx.as_raw().as_ptr();
        // SAFETY: as in `module`. `JS_EvalFunction` takes the function over, and its result is owned by the value made of it.
        unsafe {
            let length = self.0.len() as qjs::size_t;
            let function = qjs::JS_ReadObject(raw, self.0.as_ptr(), length, qjs::JS_READ_OBJ_BYTECODE as i32);
            if qjs::JS_IsException(function) {
                return Err(Error::Exception);
            }
            let value = qjs::JS_EvalFunction(raw, function);
            if qjs::JS_IsException(value) {
                return Err(Error::Exception);
            }
            Ok(Value::from_raw(ctx.clone(), value))
        }
    }
}

/// Throws what no `catch` and no `finally` of a script sees.
pub(crate) fn throw_uncatchable(ctx: &Ctx<'_>, message: &str) -> Error {
    let error = Exception::throw_internal(ctx, message);
    let thrown = ctx.catch();
    // SAFETY: the value is alive across the call, which sets a flag in it if it is an error object and does nothing otherwise.
    unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), thrown.as_raw()) };
    ctx.throw(thrown);
    error
}

/// Whether promise jobs wait to be run.
pub(crate) fn has_jobs(ctx: &Ctx<'_>) -> bool {
    // SAFETY: the runtime is that of a live context, which is locked while `ctx` lives.
    unsafe { qjs::JS_IsJobPending(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

/// A part of the language that is not there for each user, since each takes memory of each user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// `ArrayBuffer`, `DataView`, `Uint8Array` and the like: 15 kB.
    TypedArrays,
    /// `WeakRef` and `FinalizationRegistry`: 1 kB.
    WeakReferences,
    /// `Date`: 4 kB.
    Dates,
    /// `Map`, `Set`, `WeakMap`, `WeakSet`: 5 kB.
    Collections,
}

impl Part {
    /// How many there are.
    pub(crate) const COUNT: usize = 4;
}

/// Adds a part to the global object. Once for a context: a second time makes other ones.
pub(crate) fn add(ctx: &Ctx<'_>, part: Part) {
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the context lives and is locked while `ctx` does; the calls are those of the engine's own full context, which are independent
    // of each other and may come at any time after its base objects, which rquickjs makes with each context.
    unsafe {
        match part {
            Part::TypedArrays => qjs::JS_AddIntrinsicTypedArrays(raw),
            Part::WeakReferences => qjs::JS_AddIntrinsicWeakRef(raw),
            Part::Dates => qjs::JS_AddIntrinsicDate(raw),
            Part::Collections => qjs::JS_AddIntrinsicMapSet(raw),
        };
    }
}

/// What the engine holds for its user, as it counts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryUse {
    /// All that it took from its allocator, bytes, and in how many pieces.
    pub bytes: u64,
    /// Pieces.
    pub pieces: u64,
    /// Names of properties and variables, bytes.
    pub atom_bytes: u64,
    /// Texts, bytes.
    pub string_bytes: u64,
    /// Objects without their properties, bytes.
    pub object_bytes: u64,
    /// Properties' values, bytes.
    pub property_bytes: u64,
    /// Properties' names and layouts, bytes.
    pub shape_bytes: u64,
    /// Bytecode of functions, bytes.
    pub function_bytes: u64,
}

pub(crate) fn memory_use(ctx: &Ctx<'_>) -> MemoryUse {
    let mut usage = std::mem::MaybeUninit::<qjs::JSMemoryUsage>::zeroed();
    // SAFETY: the runtime is that of a live context, and the call fills the whole structure, which is integers alone.
    let usage = unsafe {
        qjs::JS_ComputeMemoryUsage(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), usage.as_mut_ptr());
        usage.assume_init()
    };
    let bytes = |value: i64| u64::try_from(value).unwrap_or_default();
    MemoryUse {
        bytes: bytes(usage.malloc_size),
        pieces: bytes(usage.malloc_count),
        atom_bytes: bytes(usage.atom_size),
        string_bytes: bytes(usage.str_size),
        object_bytes: bytes(usage.obj_size),
        property_bytes: bytes(usage.prop_size),
        shape_bytes: bytes(usage.shape_size),
        function_bytes: bytes(usage.js_func_size),
    }
}
