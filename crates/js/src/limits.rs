//! What one user's script may take.

/// Limits of one user. Each is a plain error in that user's script or the end of it, never of the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// What the engine may hold, bytes.
    pub memory_bytes: usize,
    /// How long a script may run without waiting for anything, ns by [`crate::Host::now_ns`].
    /// The engine looks at it in code, calls and regular expressions, but not within one of its own functions that calls nothing:
    /// `new Array(4294967295).forEach(f)` is ended minutes later, `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)` never.
    pub turn_ns: u64,
    /// The native stack that calls of the script may take, bytes; raised to 32 KiB and lowered to 16 MiB.
    /// Only what was once used takes memory.
    pub stack_bytes: usize,
    /// Timers that may be set at a time.
    pub timers_max: usize,
    /// Outside operations that may be under way at a time.
    pub operations_max: usize,
}

impl Default for Limits {
    /// Room for scripts that keep megabytes of data, and for calls 1,600 deep (600 where each goes through a function of the engine).
    fn default() -> Self {
        Self {
            memory_bytes: 512 << 20,
            turn_ns: 10_000_000_000,
            stack_bytes: 1 << 20,
            timers_max: 10_000,
            operations_max: 100_000,
        }
    }
}

/// The least stack in which the engine starts and runs a small script.
const STACK_BYTES_MIN: usize = 32 << 10;
/// Above this a recursion without end takes memory of the machine, not of the user.
const STACK_BYTES_MAX: usize = 16 << 20;
/// What stays free below the deepest call that the engine allows: C functions between two of its checks, and host functions.
pub(crate) const RESERVE_BYTES: usize = 128 << 10;

impl Limits {
    /// What the engine is told.
    pub(crate) fn engine_stack_bytes(&self) -> usize {
        self.stack_bytes.clamp(STACK_BYTES_MIN, STACK_BYTES_MAX)
    }

    /// What is mapped.
    pub(crate) fn mapped_stack_bytes(&self) -> usize {
        self.engine_stack_bytes() + RESERVE_BYTES
    }
}
