//! The sound search: where is the highest rate that the service sustains, and how certain is that.
//!
//! Three instruments share all trials. The *bracket* goes out from a first guess until one rate was sustained and a higher one was not. The
//! *threshold* is the curve of the probability that a trial at a rate is sustained; all full trials together say where it is, so that noise
//! is averaged and not believed. The *ledger* keeps, for each rate tried, how many seconds went well and badly, and calls it a lower or
//! an upper bound by the rules of MLRsearch. A soak at the answer confirms it.

mod answer;
mod ledger;
mod options;
mod search;
mod threshold;
mod trial;

#[cfg(test)]
mod ends;
#[cfg(test)]
mod simulated;

pub use answer::{Answer, Confirmation, Limit, Recovery};
pub use ledger::{Bound, Bounds, Ledger, Load};
pub use options::{OptionFault, Options};
pub use search::{Search, Step};
pub use threshold::Estimate;
pub use trial::{Outcome, Trial, TrialKind, TrialResult};
