//! The search for the highest load that a service sustains: pure controllers, without I/O and without a clock.
//!
//! A controller says what to try next and is told what came of it: `next() → trial`, `on_trial(result)`. Whoever owns one runs the
//! trials. Since nothing else goes in, a search is a function of its trials' results: it is resumed by telling them again.
//!
//! - [`find`]: the sound search: a bracket, then trials near the bound until it is certain, then a soak.
//! - [`cloudi`]: CloudI's own search and its page of statistics.
//! - [`curve`]: latency and throughput against load.
//! - [`assess()`]: what a trial's record says: sustained, not sustained, or the client was the limit.
//! - [`trial_plan`]: a plan made into a trial's plan.
//! - [`SearchRecord`]: all of a search, as JSON; [`Page`]: what of it a page draws.

mod assess;
pub mod cloudi;
pub mod curve;
pub mod find;
mod page;
mod record;
pub mod text;
pub mod trial_plan;

pub use assess::{Assessment, Context, GROWTH_MIN, Growth, assess, growth};
pub use page::{ObjectiveLine, Page, PagePoint};
pub use record::{SCHEMA_VERSION, SearchRecord, TrialRecord, slim};
