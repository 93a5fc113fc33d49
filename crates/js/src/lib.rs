//! Scripts: one JavaScript engine per user, on a stack of its own, which a host function suspends while it waits.
//!
//! [`Script::load`] reads a main module and all that it imports through [`Sources`], strips TypeScript's types and compiles to bytecode
//! that all users share. A [`Vm`] is one user's engine. [`Vm::start`] runs the modules, [`Vm::call`] an exported function; each gives a
//! [`Step`]: a question of a host function ([`Step::Asks`], answered with [`Vm::reply`]), a wait for timers and outside operations
//! ([`Step::Idle`], ended with [`Vm::wake`]), or the end. What scripts can call is the front end's, through [`Host`]. Nothing here reads a
//! clock, a file or a socket, the engine's own `Date` excepted.
//!
//! ```
//! use js::{Calls, Host, Level, Limits, Loaded, Outcome, Script, Sources, Step, Vm};
//! use js::rquickjs::{Ctx, Function, Result, Value};
//!
//! struct One(&'static str);
//! impl Sources for One {
//!     fn resolve(&mut self, specifier: &str, _referrer: &str) -> std::result::Result<String, String> {
//!         Ok(specifier.to_owned())
//!     }
//!     fn load(&mut self, _url: &str) -> std::result::Result<Loaded, String> {
//!         Ok(Loaded::JavaScript(self.0.to_owned()))
//!     }
//! }
//!
//! struct Doubling;
//! impl Host for Doubling {
//!     type Ask = f64;
//!     type Reply = f64;
//!     fn now_ns(&self) -> u64 {
//!         0
//!     }
//!     fn globals<'js>(&self, ctx: &Ctx<'js>, calls: &Calls<Self>) -> Result<()> {
//!         let calls = calls.clone();
//!         let double = move |ctx: Ctx<'js>, number: f64| calls.suspend(&ctx, number);
//!         ctx.globals().set("double", Function::new(ctx.clone(), double)?)
//!     }
//!     fn console<'js>(&self, _ctx: &Ctx<'js>, _level: Level, _arguments: &[Value<'js>]) {}
//! }
//!
//! let script = Script::load("main.js", &mut One("export default () => double(21)")).unwrap();
//! let mut vm = Vm::new(&script, Doubling, Limits::default(), 0).unwrap();
//! assert!(matches!(vm.start(), Step::Done(Ok(Outcome::Returned))));
//! let Step::Asks(number) = vm.call("default", |_| Ok(vec![])) else { unreachable!() };
//! assert!(matches!(vm.reply(number * 2.0), Step::Done(Ok(Outcome::Returned))));
//! assert_eq!(vm.with(|_, value| value.as_number()), Some(42.0));
//! ```

mod error;
mod limits;
mod raw;
mod script;
mod sources;
mod vm;

pub use error::{ErrorKind, Frame, ScriptError};
pub use limits::Limits;
pub use raw::{LazyKind, Others, Part, Parts};
pub use rquickjs;
pub use script::Script;
pub use sources::{Loaded, Sources};
pub use vm::{Calls, Exports, Host, Level, MemoryUse, Operation, Outcome, Step, Vm};
