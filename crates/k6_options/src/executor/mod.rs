//! Scenarios and their executors: what runs when with how many VUs.

mod arrivals;
mod check;
pub(crate) use check::faults as check_all;
mod describe;
mod ramp;
mod read;
mod reserve;

pub use arrivals::{ConstantDueTimes, RampingDueTimes};
pub use ramp::{VuStep, VuSteps};
pub use read::{
    ConstantArrivalRate, ConstantVus, Executor, ExternallyControlled, PerVuIterations, RampingArrivalRate,
    RampingVus, Scenario, Scenarios, SharedIterations,
};
pub use reserve::{Requirements, ReservedStep};
