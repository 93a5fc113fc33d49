//! k6's metrics from a worker's samples to texts and files.

mod books;
mod fixture;
mod hostile;
mod outputs;
mod summaries;
mod tags;
mod texts;
