//! The message of remote write as protobuf, and its block form of Snappy.
//!
//! ```text
//! WriteRequest { repeated TimeSeries timeseries = 1 }
//! TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2 }
//! Label        { string name = 1; string value = 2 }      Sample { double value = 1; int64 timestamp = 2 }
//! ```
//!
//! Source: Prometheus' `remote.proto` and `types.proto`, and protobuf's wire format. The two fields of each are all that is needed, so they are written by
//! hand.

/// The NaN that ends a series (Prometheus, `model/value`).
pub(super) const STALE_NAN_BITS: u64 = 0x7ff0_0000_0000_0002;

/// Wire types.
const VARINT: u8 = 0;
const FIXED_64: u8 = 1;
const LENGTH: u8 = 2;

/// A request as it grows.
#[derive(Debug, Default)]
pub(super) struct WriteRequest {
    bytes: Vec<u8>,
    /// Room for parts whose length stands before them.
    series: Vec<u8>,
    part: Vec<u8>,
}

impl WriteRequest {
    /// Adds a series with one sample. `labels` are sorted by name.
    pub(super) fn series(&mut self, labels: &[(String, String)], value: f64, time_ms: i64) {
        self.series.clear();
        for (name, text) in labels {
            self.part.clear();
            field(&mut self.part, 1, name.as_bytes());
            field(&mut self.part, 2, text.as_bytes());
            field(&mut self.series, 1, &self.part);
        }
        self.part.clear();
        key(&mut self.part, 1, FIXED_64);
        self.part.extend_from_slice(&value.to_bits().to_le_bytes());
        key(&mut self.part, 2, VARINT);
        // Negative numbers are their two's complement in 64 bits.
        varint(&mut self.part, time_ms as u64);
        field(&mut self.series, 2, &self.part);
        field(&mut self.bytes, 1, &self.series);
    }

    /// The request's body.
    pub(super) fn compressed(self) -> Vec<u8> {
        // It fails for 4 GiB and more, which bodies never have; an empty request writes nothing.
        snap::raw::Encoder::new().compress_vec(&self.bytes).unwrap_or_else(|_| vec![0])
    }
}

fn key(out: &mut Vec<u8>, number: u8, wire_type: u8) {
    out.push(number << 3 | wire_type);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    key(out, number, LENGTH);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
