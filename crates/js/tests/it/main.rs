//! Scripts as a front end runs them.

mod hostile;
mod lazy;
mod limits;
mod modules;
mod places;
mod running;
mod shelf;
mod user;
