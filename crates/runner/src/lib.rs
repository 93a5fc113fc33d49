//! The story of a run: check → resolve → reach → connect → phases → drain → record.
//!
//! [`execute`] runs a plan on worker threads of this machine. [`simulate`] runs the same worker and the same `Conductor` on
//! one thread in simulated time: a run is a pure function of the plan, the simulated server and the seed.

mod books;
mod conductor;
mod environment;
mod error;
mod local;
mod objectives;
mod reach;
mod simulate;
mod usage;

pub use error::RunError;
pub use local::{DriverChoice, RunControl, RunOptions, execute, execute_with};
pub use simulate::simulate;
