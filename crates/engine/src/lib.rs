//! The worker loop: due → start → I/O → sample → interval. One worker per core, and workers share nothing.
//!
//! A [`Worker`] is told what to do by [`Command`]s and tells what happened by [`Report`]s; between the two it is alone with its
//! driver. It never drops an arrival uncounted and never forgets when one was due. All times are ns since the run's origin.
//!
//! Start reading at [`Worker::turn`]; then `core` for what a turn is made of, `connection` for one
//! socket's life, `phase` for one phase's load and its books.

mod connection;
mod core;
mod exchange;
mod lane;
mod meeting;
mod message;
mod phase;
mod pool;
mod ramp;
mod recorder;
mod timers;
mod user;
mod worker;

pub use message::{Command, PhaseEnd, PhaseOrder, Report, Usage, WorkerLoad};
pub use worker::{ReportSink, TargetSetup, Worker, WorkerSetup};
