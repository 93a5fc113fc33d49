//! Durations, rates, sizes and shares: their parsing, their printing, and the seeded random source; what of a text may be shown.
//!
//! Inside Weir a time is a `u64` of nanoseconds, a size a `u64` of bytes and a share an `f64` in 0..=1; the unit is in the name.
//! Text from people must carry its unit: `30s`, `200/s`, `8KiB`, `99%`. A bare number is refused with the mend in the message.

mod civil;
pub mod markup;
mod print;
mod quantity;
mod random;
mod rate;

pub use civil::Civil;
pub use print::{count, duration, legible, per_sec, ratio, size, system_words, two_units};
pub use quantity::{QuantityError, parse_bytes, parse_duration_ns, parse_ratio};
pub use random::Random;
pub use rate::Rate;

/// Nanoseconds in a second.
pub const NS_PER_SEC: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in a microsecond.
pub const NS_PER_US: u64 = 1_000;
