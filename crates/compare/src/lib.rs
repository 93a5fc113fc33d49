//! Runs held against each other: what differs, and how certain that is.
