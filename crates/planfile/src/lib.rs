//! planfile
