//! The JSON of an interleaved comparison: what was concluded, and every slice that it was concluded from.

use ::record::RunRecord;
use compare::{Comparison, PairedSide};
use serde_json::{Value, json};
use std::io;

/// Raised when a reader of older files would misunderstand a newer one.
const SCHEMA_VERSION: u32 = 1;

/// One slice of load.
pub(super) struct Slice {
    /// From 0.
    pub(super) pair: u64,
    pub(super) side: PairedSide,
    pub(super) record: RunRecord,
}

/// All of it.
pub(super) struct AbRecord(Value);

impl AbRecord {
    pub(super) fn new(id: String, seed: u64, comparison: Comparison, slices: Vec<Slice>) -> Self {
        let slice = |slice: Slice| json!({"pair": slice.pair, "side": slice.side, "record": slice.record});
        Self(json!({
            "schema_version": SCHEMA_VERSION,
            "kind": "interleaved comparison",
            "id": id,
            "seed": seed,
            "comparison": comparison,
            "slices": slices.into_iter().map(slice).collect::<Vec<_>>(),
        }))
    }

    pub(super) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &self.0)?;
        out.write_all(b"\n")
    }
}
