//! `cloudi_service_request_rate`, as CloudI does it: for those who compare with its published tables.
//!
//! Its known biases come with it: it settles 2.5 to 5 % above the capacity of a service without noise, and far below that of a noisy one (its
//! upper limit never rises again). Two things are better unless asked otherwise: requests are sent evenly over a tick and not in one burst,
//! and latencies are of the whole stable time and not of its last tick. The sound search is [`crate::find`].

mod distribution;
mod page;
mod record;
mod sender;
mod tick;

pub use distribution::{Distribution, Kurtosis, Skewness, distribution};
pub use page::{Conclusion, PERCENTILES, conclusions, moments_page, percentile_ns, statistics};
pub use record::{CloudiRecord, Tick};
pub use sender::{Group, Log, LogLevel, Sender, Settings, Stable, duration_text};
pub use tick::tick_plan;
