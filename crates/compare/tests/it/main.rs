//! Comparisons held against what was put in: made-up records and made-up weather, seeded.

mod made;
mod pairs;
mod runs;
mod weather;
