//! Stores as programs use them: real files, real SQLite.

mod durable;
mod folder;
mod foreign;
mod made;
mod round_trip;
mod select;
mod size;
