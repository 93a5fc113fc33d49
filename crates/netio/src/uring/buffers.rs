//! Read buffers that the kernel fills as bytes arrive: a ring of them is lent to it, and each comes back with a completion.
//!
//! A connection holds no read buffer of its own, so 10,000 idle ones cost nothing here.

use super::ring::{Refusal, Ring};
use io_uring::types::BufRingEntry;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

/// The kernel's name for this set of buffers.
pub(super) const GROUP: u16 = 0;
/// How many: a power of two, as the kernel demands. More than completions come of one wait, so that running out is rare.
const COUNT: u16 = 256;
/// What one read may bring.
const SIZE_BYTES: usize = 16 * 1024;
/// From one buffer to the next. One cache line more than the size: at a distance of 16 KiB the first lines of all buffers,
/// which are all that short answers touch, would compete for the same few sets of the cache.
const STRIDE_BYTES: usize = SIZE_BYTES + 64;
/// The kernel wants the ring at the start of a page; 64 KiB is the largest page size of any Linux.
const RING_ALIGN: usize = 64 * 1024;

/// The buffers and the ring by which they are lent. Both are shared with the kernel until the io_uring is gone.
pub(super) struct Buffers {
    ring: NonNull<BufRingEntry>,
    memory: NonNull<u8>,
    /// Counts the buffers ever lent; the next goes to this place of the ring.
    tail: u16,
    is_leaked: bool,
}

// SAFETY: the memory belongs to this value alone (and to the kernel); nothing in it is tied to a thread.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Lends all buffers to the ring's kernel side.
    pub(super) fn register(ring: &Ring) -> Result<Self, Refusal> {
        let (shared, memory) = (allocate(ring_layout()).cast(), allocate(memory_layout()));
        let mut buffers = Self { ring: shared, memory, tail: 0, is_leaked: false };
        // SAFETY: the ring is page-aligned zeroed memory for COUNT entries. Who owns both drops the io_uring first, after
        // ending all its operations, or leaks the buffers.
        let registered = unsafe {
            ring.inner().submitter().register_buf_ring_with_flags(
                buffers.ring.as_ptr() as u64,
                COUNT,
                GROUP,
                0,
            )
        };
        registered.map_err(|error| match error.raw_os_error() {
            Some(libc::EINVAL) => Refusal::Lacks { what: "provided buffer rings", since: "5.19" },
            _ => Refusal::Setup(error),
        })?;
        for buffer in 0..COUNT {
            buffers.lend(buffer);
        }
        Ok(buffers)
    }

    /// The first bytes of a buffer that a completion brought. Empty for a buffer that does not exist.
    #[inline]
    pub(super) fn bytes(&self, buffer: u16, byte_count: usize) -> &[u8] {
        if buffer >= COUNT {
            return &[];
        }
        // SAFETY: the place lies within the memory, which was zeroed when allocated, and the kernel does not write to a
        // buffer between the completion that brought it and `lend`, which needs `&mut self`.
        unsafe {
            let start = self.memory.as_ptr().add(usize::from(buffer) * STRIDE_BYTES);
            std::slice::from_raw_parts(start, byte_count.min(SIZE_BYTES))
        }
    }

    /// Keeps the memory from being freed: the kernel may still write to it.
    pub(super) fn leak(&mut self) {
        self.is_leaked = true;
    }

    /// Gives a buffer to the kernel (again).
    #[inline]
    pub(super) fn lend(&mut self, buffer: u16) {
        if buffer >= COUNT {
            return;
        }
        // SAFETY: the index is below COUNT, for which both areas have room. The kernel reads the entry only once the tail,
        // stored after it, includes it; entries and tail are written by this thread alone. The tail lies in the first
        // entry's reserved field, 2-byte aligned.
        unsafe {
            let entry = &mut *self.ring.as_ptr().add(usize::from(self.tail % COUNT));
            entry.set_addr(self.memory.as_ptr().add(usize::from(buffer) * STRIDE_BYTES) as u64);
            entry.set_len(SIZE_BYTES as u32);
            entry.set_bid(buffer);
            self.tail = self.tail.wrapping_add(1);
            let tail = BufRingEntry::tail(self.ring.as_ptr()).cast_mut();
            AtomicU16::from_ptr(tail).store(self.tail, Ordering::Release);
        }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        if self.is_leaked {
            return;
        }
        // SAFETY: allocated with these layouts; nobody uses them any more (see `register`).
        unsafe {
            dealloc(self.ring.as_ptr().cast(), ring_layout());
            dealloc(self.memory.as_ptr(), memory_layout());
        }
    }
}

const fn ring_layout() -> Layout {
    layout(COUNT as usize * size_of::<BufRingEntry>(), RING_ALIGN)
}

const fn memory_layout() -> Layout {
    // No more than malloc's own alignment: the allocator then takes untouched pages from the kernel, where for a greater one it would
    // write zeros over all 4 MB and so make them resident.
    layout(COUNT as usize * STRIDE_BYTES, 16)
}

const fn layout(size_bytes: usize, align: usize) -> Layout {
    match Layout::from_size_align(size_bytes, align) {
        Ok(layout) => layout,
        Err(_) => panic!("sizes are constants far below the limit"),
    }
}

fn allocate(layout: Layout) -> NonNull<u8> {
    // SAFETY: no layout here is of size zero.
    let memory = unsafe { alloc_zeroed(layout) };
    NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout))
}
