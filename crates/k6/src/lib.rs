//! k6 scripts as scenarios: each user runs the script on an engine of its own, and what it sends, waits for and measures goes through Weir's worker loop.
//!
//! [`Test::load`] reads a script with all layers of options; [`lower`] makes a plan of its executors, [`Test::factories`] the users of that
//! plan's scenarios; [`Watch`] keeps the test's own metrics and thresholds while it runs; [`Test::summary`] is what its end says.

mod answer;
mod archive;
mod der;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
pub mod har;
mod host;
mod lower;
#[cfg(test)]
mod memory_tests;
mod names;
mod native;
mod network;
mod offers;
mod outputs;
mod progress;
mod proxy;
mod remote;
mod request;
mod secrets;
mod sources;
mod summary;
mod test;
mod url;
mod vendor;
mod vu;
mod watch;

pub use archive::{Archive, Metadata, MetadataError, ReadError};
pub use lower::lower;
pub use outputs::OutputsEnd;
pub use progress::Stage;
pub use remote::{FetchError, LOCK_NAME, Lock, LockError, Locked, Network, Remote};
pub use secrets::Secrets;
pub use summary::{DataForm, Outcome, TextForm, Written};
pub use test::{Listener, Loudness, Remark, Source, Test, TestError};
pub use vendor::{Change, Vendored, vendor};
pub use vu::{Factory, Role};
pub use watch::Watch;
