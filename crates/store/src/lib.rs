//! Runs kept in SQLite: schema, migrations, selection; the import of other tools' results.
//!
//! A [`Store`] is one file with all runs. Each run is written as it happens, one transaction per interval, and reads back as the
//! same [`RunRecord`](record::RunRecord), to the last bit. A run that never came to its end is rebuilt from the intervals that it left.

mod codec;
mod error;
pub mod export;
mod keeper;
mod live;
mod load;
pub mod read;
mod rebuild;
mod schema;
mod selector;
mod store;
mod summary;
mod write;
mod writer;

pub use error::StoreError;
pub use keeper::{Keeper, OnWish};
pub use live::{News, Seen, Wish};
pub use selector::Selector;
pub use store::{Filter, Store};
pub use summary::{RunState, RunSummary};
