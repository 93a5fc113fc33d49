//! What may be concluded from few noisy values: distributions, intervals, tests, the bootstrap, the price of many looks.
//!
//! All of it is pure arithmetic: values in, a [`Spread`] (how wrong an estimate may be) out. An interval and the p-value of a claim come from
//! the same [`Spread`], so that what is printed is what was judged. Chance (for resampling) is an argument.

mod bootstrap;
mod claim;
mod distribution;
mod looks;
mod many;
mod moments;
mod order;
mod rank;
mod spread;

pub use bootstrap::{BlockLength, block_length, ratio_block_se, trimmed_resampled};
pub use claim::{Claim, Gates};
pub use distribution::{
    beta_regularized, binomial_below, ln_gamma, normal_below, normal_quantile, student_below,
    student_quantile,
};
pub use looks::{Looks, spent};
pub use many::{discoveries, level_per_row};
pub use moments::{mean, median, stdev, trimmed, trimmed_mean};
pub use order::{OrderInterval, quantile_ranks};
pub use rank::{mann_whitney_p, signed_rank_p};
pub use spread::{Spread, paired, prediction, welch};
