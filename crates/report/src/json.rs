//! The record itself as JSON: the form that other programs, stores and `weir report` read.

use crate::Format;
use record::RunRecord;
use std::io;

/// JSON of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json {
    /// How it is laid out.
    pub layout: Layout,
}

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Indented, a key a line.
    Pretty,
    /// One line.
    Compact,
}

impl Format for Json {
    fn write(&self, record: &RunRecord, out: &mut dyn io::Write) -> io::Result<()> {
        match self.layout {
            Layout::Pretty => serde_json::to_writer_pretty(&mut *out, record)?,
            Layout::Compact => serde_json::to_writer(&mut *out, record)?,
        }
        out.write_all(b"\n")
    }
}
