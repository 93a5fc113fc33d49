//! Bytes to send that the system did not take yet.

/// Largest capacity of a send buffer that is kept for reuse: 10,000 connections that once sent a large body must not hold
/// on to its memory.
const KEPT_BYTES_MAX: usize = 64 * 1024;

/// Bytes in order, of which the first have left.
#[derive(Debug, Default)]
pub(crate) struct Unsent {
    bytes: Vec<u8>,
    sent_count: usize,
}

impl Unsent {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What is left to send.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.sent_count..).unwrap_or_default()
    }

    pub(crate) fn keep(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The first of what was left have left.
    pub(crate) fn sent(&mut self, sent_count: usize) {
        self.sent_count += sent_count;
        if self.sent_count >= self.bytes.len() {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.sent_count = 0;
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_BYTES_MAX {
            self.bytes = Vec::new();
        }
    }
}
