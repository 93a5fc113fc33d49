//! Compiling: an engine of its own that runs nothing, on a stack that is deep enough for what parsers do with nested text.

use super::commonjs;
use crate::raw::Bytecode;
use crate::{ErrorKind, ScriptError};
use corosensei::on_stack;
use corosensei::stack::DefaultStack;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, ModuleDef};
use rquickjs::{Context, Ctx, Module, Result, Runtime};

/// The stack that texts are parsed and compiled on, bytes. Only what is used takes memory.
const STACK_BYTES: usize = 64 << 20;
/// What of it the engine may use: it says so when a text is nested too deep.
const ENGINE_STACK_BYTES: usize = 8 << 20;
/// What compiling may take, bytes.
const MEMORY_BYTES: usize = 2 << 30;

/// Runs `work` on the deep stack.
pub(super) fn deep<T>(bytes: usize, work: impl FnOnce() -> T) -> std::result::Result<T, ScriptError> {
    let stack = DefaultStack::new(STACK_BYTES.saturating_add(bytes));
    let stack = stack
        .map_err(|error| ScriptError::new(ErrorKind::Memory, format!("no stack to compile on: {error}")))?;
    Ok(on_stack(stack, work))
}

/// An engine that compiles.
pub(super) struct Compiler {
    context: Context,
}

impl Compiler {
    pub(super) fn new() -> std::result::Result<Self, ScriptError> {
        let engine = || -> Result<Context> {
            let runtime = Runtime::new()?;
            runtime.set_memory_limit(MEMORY_BYTES);
            runtime.set_max_stack_size(ENGINE_STACK_BYTES);
            runtime.set_loader(Anything, Anything);
            Context::full(&runtime)
        };
        let context = engine().map_err(|error| ScriptError::new(ErrorKind::Memory, error.to_string()))?;
        Ok(Self { context })
    }

    /// Compiles an ES module.
    pub(super) fn module(&self, url: &str, text: &str) -> std::result::Result<Bytecode, ScriptError> {
        // The engine counts the columns of the first line from 0 and those of others from 1; a blank makes them the same.
        let shifted = if text.starts_with("#!") { text.to_owned() } else { format!(" {text}") };
        self.compile(|ctx| Bytecode::of_module(&Module::declare(ctx.clone(), url, shifted)?))
    }

    /// Compiles a CommonJS module.
    pub(super) fn common_js(&self, url: &str, text: &str) -> std::result::Result<Bytecode, ScriptError> {
        self.compile(|ctx| Bytecode::of_script(ctx, url, &commonjs::wrapped(text)))
    }

    /// Whether a text is JSON.
    pub(super) fn json(&self, url: &str, text: &str) -> std::result::Result<(), ScriptError> {
        let parsed = self.compile(|ctx| ctx.json_parse(text).map(drop));
        parsed.map_err(|error| ScriptError { message: format!("{url}: {}", error.message), ..error })
    }

    fn compile<T>(&self, work: impl FnOnce(&Ctx<'_>) -> Result<T>) -> std::result::Result<T, ScriptError> {
        self.context
            .with(|ctx| work(&ctx).map_err(|error| ScriptError::of(&ctx, &error, ErrorKind::Syntax, None)))
    }
}

/// Finds every module, an empty one: what imports mean is settled when a script's modules are linked, and compiling does not look at it.
struct Anything;

impl Resolver for Anything {
    fn resolve<'js>(
        &mut self,
        _ctx: &Ctx<'js>,
        _base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        Ok(name.to_owned())
    }
}

impl Loader for Anything {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        Module::declare_def::<Empty, _>(ctx.clone(), name)
    }
}

struct Empty;

impl ModuleDef for Empty {}
