//! A user's heap: what the engine allocates from, dense, with a limit that leaves room to say so.
//!
//! Small blocks stand one behind the other in chunks, each behind eight bytes that hold its size; a freed one goes on a list of its size. A
//! user's heap is given back chunk by chunk when the user is gone. It takes as much memory and time as the system's allocator (2 KiB more of
//! 104, 3.0 µs for 3.1 in `examples/users`); what it is for is a limit that leaves room to say that it was passed, where the engine would
//! otherwise end the process, and an end in which freed blocks stay as they were (see [`Level::end`]).

#![expect(unsafe_code, reason = "an allocator hands out memory by address")]

use rquickjs::allocator::Allocator;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::rc::Rc;

/// What stands before each block: its size, as it was rounded.
const HEAD_BYTES: usize = size_of::<usize>();
/// All sizes are multiples of it, and all blocks are aligned to it, which is enough for integers, pointers and doubles.
const STEP_BYTES: usize = 8;
/// Up to this a block is small. Above, the system's allocator is dense enough.
const SMALL_BYTES_MAX: usize = 512;
const CLASS_COUNT: usize = SMALL_BYTES_MAX / STEP_BYTES + 1;
/// Chunks of small blocks. What of the last one is not used is not touched, so it takes no memory.
const CHUNK_BYTES: usize = 32 << 10;
/// From this size on, what does not fit is refused, and the script hears of it; what is smaller fits once more, and the script is ended.
const REFUSED_BYTES_MIN: usize = 64 << 10;
/// What small blocks may take beyond the limit until the script ends. The engine looks every 10,000 jumps and calls whether it must, and
/// it ends the process when a promise can't be rejected for want of memory.
const RESERVE_BYTES: usize = 64 << 20;

/// How a heap stands, shared with its user.
#[derive(Debug, Default)]
pub(crate) struct Level {
    used_bytes: Cell<usize>,
    limit_bytes: Cell<usize>,
    /// Whether the limit was passed in this turn.
    is_over: Cell<bool>,
    /// Whether the engine is being freed.
    is_ending: Cell<bool>,
}

impl Level {
    pub(crate) fn new(limit_bytes: usize) -> Self {
        let level = Self::default();
        level.limit_bytes.set(limit_bytes);
        level
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// From now on small blocks that are given back keep what they hold until the heap is dropped. The engine frees modules before a circle
    /// that refers to one that still waits at its top level, and then counts that reference down in the module's block.
    pub(crate) fn end(&self) {
        self.is_ending.set(true);
    }

    /// Looks anew whether more is used than may be.
    pub(crate) fn look(&self) {
        self.is_over.set(self.used_bytes.get() > self.limit_bytes.get());
    }

    /// Takes note of a new block, or refuses it.
    fn take(&self, bytes: usize) -> bool {
        let used_bytes = self.used_bytes.get().saturating_add(bytes);
        let limit_bytes = self.limit_bytes.get();
        if used_bytes > limit_bytes {
            if bytes >= REFUSED_BYTES_MIN {
                return false;
            }
            self.is_over.set(true);
            if used_bytes > limit_bytes.saturating_add(RESERVE_BYTES) {
                return false;
            }
        }
        self.used_bytes.set(used_bytes);
        true
    }

    fn give_back(&self, bytes: usize) {
        self.used_bytes.set(self.used_bytes.get().saturating_sub(bytes));
    }
}

/// A user's heap.
pub(crate) struct Heap {
    level: Rc<Level>,
    chunks: Vec<NonNull<u8>>,
    /// Freed blocks by size in steps; each holds the address of the next.
    free: [*mut u8; CLASS_COUNT],
    /// What of the last chunk is not used yet.
    rest: *mut u8,
    rest_bytes: usize,
}

impl Heap {
    pub(crate) fn new(level: Rc<Level>) -> Self {
        let free = [ptr::null_mut(); CLASS_COUNT];
        Self { level, chunks: Vec::new(), free, rest: ptr::null_mut(), rest_bytes: 0 }
    }

    /// The rounded size, if it can be asked of an allocator at all.
    fn rounded(bytes: usize) -> Option<usize> {
        let rounded = bytes.max(STEP_BYTES).checked_next_multiple_of(STEP_BYTES)?;
        (rounded < isize::MAX as usize / 2).then_some(rounded)
    }

    /// A small block behind its head, or null. `bytes` is rounded.
    fn small(&mut self, bytes: usize) -> *mut u8 {
        let Some(free) = self.free.get_mut(bytes / STEP_BYTES) else { return ptr::null_mut() };
        if !free.is_null() {
            let block = *free;
            // SAFETY: a block on the list is one of this heap's, of this size and not in use; `dealloc` wrote the next one's address to it.
            *free = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        let whole_bytes = bytes + HEAD_BYTES;
        if let Some(block) = self.part_of_larger(bytes) {
            return block;
        }
        if self.rest_bytes < whole_bytes && !self.new_chunk() {
            return ptr::null_mut();
        }
        // SAFETY: `rest` points to `rest_bytes` unused bytes of a chunk, which `new_chunk` made enough for the largest small block. Both
        // stay multiples of 8, so head and block are aligned.
        unsafe {
            self.rest.cast::<usize>().write(bytes);
            let block = self.rest.add(HEAD_BYTES);
            self.rest = self.rest.add(whole_bytes);
            self.rest_bytes -= whole_bytes;
            block
        }
    }

    /// The front of a free block that is larger, whose back becomes a free block of its own. Small blocks are never joined again, so only of
    /// blocks more than twice as large: those are what growing tables leave behind.
    fn part_of_larger(&mut self, bytes: usize) -> Option<*mut u8> {
        let least = bytes * 2 + HEAD_BYTES;
        let class = (least.div_ceil(STEP_BYTES)..CLASS_COUNT)
            .find(|class| self.free.get(*class).is_some_and(|free| !free.is_null()))?;
        let free = self.free.get_mut(class)?;
        let block = *free;
        let back_bytes = class * STEP_BYTES - bytes - HEAD_BYTES;
        // SAFETY: as in `small` for taking a block off its list. Front, the back's head and the back are together what the block was.
        unsafe {
            *free = block.cast::<*mut u8>().read();
            block.sub(HEAD_BYTES).cast::<usize>().write(bytes);
            let back_head = block.add(bytes);
            back_head.cast::<usize>().write(back_bytes);
            self.put(back_head.add(HEAD_BYTES), back_bytes);
        }
        Some(block)
    }

    /// Begins a chunk; what is left of the last one becomes a free block.
    fn new_chunk(&mut self) -> bool {
        if self.rest_bytes >= HEAD_BYTES + STEP_BYTES {
            let bytes = (self.rest_bytes - HEAD_BYTES).min(SMALL_BYTES_MAX);
            // SAFETY: as in `small`: the rest is unused, aligned and large enough for the head and `bytes`.
            unsafe {
                self.rest.cast::<usize>().write(bytes);
                self.put(self.rest.add(HEAD_BYTES), bytes);
            }
        }
        // SAFETY: the layout's size is not zero.
        let chunk = unsafe { alloc(chunk_layout()) };
        let Some(chunk) = NonNull::new(chunk) else {
            self.rest_bytes = 0;
            return false;
        };
        self.chunks.push(chunk);
        self.rest = chunk.as_ptr();
        self.rest_bytes = CHUNK_BYTES;
        true
    }

    /// Puts a block on the list of its size.
    ///
    /// # Safety
    /// The block is one of this heap's small ones, of this size, and nothing uses it.
    unsafe fn put(&mut self, block: *mut u8, bytes: usize) {
        if let Some(free) = self.free.get_mut(bytes / STEP_BYTES) {
            // SAFETY: a block has at least eight bytes, aligned to eight, and by the contract nobody else writes there.
            unsafe { block.cast::<*mut u8>().write(*free) };
            *free = block;
        }
    }

    /// A large block behind its head, or null. `bytes` is rounded.
    fn large(bytes: usize, allocate: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        let Some(layout) = large_layout(bytes) else { return ptr::null_mut() };
        // SAFETY: the layout's size is not zero; the head is written to the first eight bytes of what comes back, which is aligned to eight.
        unsafe {
            let whole = allocate(layout);
            if whole.is_null() {
                return whole;
            }
            whole.cast::<usize>().write(bytes);
            whole.add(HEAD_BYTES)
        }
    }
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK_BYTES, STEP_BYTES).expect("a constant that is sound")
}

fn large_layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEAD_BYTES)?, STEP_BYTES).ok()
}

/// The rounded size of a block.
///
/// # Safety
/// The block is one that a [`Heap`] gave out and that was not given back.
unsafe fn size_of_block(block: *mut u8) -> usize {
    // SAFETY: each block that is given out has its size in the eight bytes before it, and its user writes behind them alone.
    unsafe { block.sub(HEAD_BYTES).cast::<usize>().read() }
}

// SAFETY: `alloc` and `realloc` give null or a block of at least the size that was asked for, aligned to eight, which is in no other's use:
// blocks come from a chunk's unused rest, off a list of blocks that were given back, or from the global allocator. `usable_size` is the
// rounded size, which is the block's.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, bytes: usize) -> *mut u8 {
        let Some(bytes) = Self::rounded(bytes).filter(|bytes| self.level.take(*bytes)) else {
            return ptr::null_mut();
        };
        let block = if bytes <= SMALL_BYTES_MAX { self.small(bytes) } else { Self::large(bytes, alloc) };
        if block.is_null() {
            self.level.give_back(bytes);
        }
        block
    }

    fn calloc(&mut self, count: usize, bytes: usize) -> *mut u8 {
        let Some(asked) = count.checked_mul(bytes) else { return ptr::null_mut() };
        if asked > SMALL_BYTES_MAX {
            let Some(bytes) = Self::rounded(asked).filter(|bytes| self.level.take(*bytes)) else {
                return ptr::null_mut();
            };
            let block = Self::large(bytes, alloc_zeroed);
            if block.is_null() {
                self.level.give_back(bytes);
            }
            return block;
        }
        let block = self.alloc(asked);
        if !block.is_null() {
            // SAFETY: the block has at least `asked` bytes.
            unsafe { block.write_bytes(0, asked) };
        }
        block
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: by the trait's contract the block is this heap's and in use until now.
        unsafe {
            let bytes = size_of_block(block);
            self.level.give_back(bytes);
            if bytes <= SMALL_BYTES_MAX {
                if !self.level.is_ending.get() {
                    self.put(block, bytes);
                }
            } else if let Some(layout) = large_layout(bytes) {
                dealloc(block.sub(HEAD_BYTES), layout);
            }
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_bytes: usize) -> *mut u8 {
        if block.is_null() {
            return self.alloc(new_bytes);
        }
        // SAFETY: by the trait's contract the block is this heap's and in use.
        let bytes = unsafe { size_of_block(block) };
        let Some(new_bytes) = Self::rounded(new_bytes) else { return ptr::null_mut() };
        if new_bytes == bytes {
            return block;
        }
        if bytes.min(new_bytes) > SMALL_BYTES_MAX {
            let more = new_bytes.saturating_sub(bytes);
            if more > 0 && !self.level.take(more) {
                return ptr::null_mut();
            }
            let Some(layout) = large_layout(bytes) else { return ptr::null_mut() };
            // SAFETY: the block came from the global allocator with this layout, its head in front; the new size is not zero and no larger
            // than a layout may be, by `rounded`.
            let whole = unsafe { realloc(block.sub(HEAD_BYTES), layout, new_bytes + HEAD_BYTES) };
            if whole.is_null() {
                self.level.give_back(more);
                return whole;
            }
            self.level.give_back(bytes.saturating_sub(new_bytes));
            // SAFETY: as in `large`.
            return unsafe {
                whole.cast::<usize>().write(new_bytes);
                whole.add(HEAD_BYTES)
            };
        }
        let new_block = self.alloc(new_bytes);
        if !new_block.is_null() {
            // SAFETY: both blocks have at least the lesser size, and they are two.
            unsafe {
                ptr::copy_nonoverlapping(block, new_block, bytes.min(new_bytes));
                self.dealloc(block);
            }
        }
        new_block
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: by the trait's contract the block is one of a heap's and in use.
        unsafe { size_of_block(block) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for chunk in self.chunks.drain(..) {
            // SAFETY: each chunk came from `alloc` with this layout. The engine is freed before its allocator, so no block is in use.
            unsafe { dealloc(chunk.as_ptr(), chunk_layout()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Random;

    /// Blocks that are written whole and read back, in a random order of calls; then nothing is used.
    #[test]
    fn blocks_keep_what_is_written() {
        let level = Rc::new(Level::new(64 << 20));
        let mut heap = Heap::new(Rc::clone(&level));
        let mut random = Random::new(7);
        let mut blocks: Vec<(*mut u8, usize, u8)> = Vec::new();
        let size = |random: &mut Random| match random.below(10) {
            0 => random.below(100_000) as usize,
            1..=3 => random.below(2_000) as usize,
            _ => random.below(200) as usize,
        };
        for round in 0..20_000u64 {
            let mark = round as u8;
            match (random.below(5), blocks.len()) {
                (0 | 1, 1..) => {
                    let (block, bytes, mark) = blocks.swap_remove(random.below(blocks.len() as u64) as usize);
                    // SAFETY: the block is in use and has as many bytes.
                    unsafe {
                        assert!((0..bytes).all(|at| block.add(at).read() == mark), "round {round}");
                        heap.dealloc(block);
                    }
                }
                (2, 1..) => {
                    let index = random.below(blocks.len() as u64) as usize;
                    let (block, bytes, mark) = blocks[index];
                    let new_bytes = size(&mut random);
                    // SAFETY: the block is in use; what comes back has the new size.
                    unsafe {
                        let block = heap.realloc(block, new_bytes);
                        assert!(
                            (0..bytes.min(new_bytes)).all(|at| block.add(at).read() == mark),
                            "round {round}"
                        );
                        block.write_bytes(mark, new_bytes);
                        blocks[index] = (block, new_bytes, mark);
                    }
                }
                (chosen, _) => {
                    let bytes = size(&mut random);
                    let is_zero = chosen == 3;
                    let block = if is_zero { heap.calloc(bytes, 1) } else { heap.alloc(bytes) };
                    assert!(!block.is_null() && block.addr().is_multiple_of(8));
                    // SAFETY: the block has at least as many bytes as were asked for.
                    unsafe {
                        assert!(Heap::usable_size(block) >= bytes);
                        assert!(!is_zero || (0..bytes).all(|at| block.add(at).read() == 0));
                        block.write_bytes(mark, bytes);
                    }
                    blocks.push((block, bytes, mark));
                }
            }
        }
        for (block, ..) in blocks {
            // SAFETY: each block is in use.
            unsafe { heap.dealloc(block) };
        }
        assert_eq!((level.used_bytes.get(), level.is_over()), (0, false));
    }

    #[test]
    fn the_limit_refuses_large_blocks_and_notes_small_ones() {
        let level = Rc::new(Level::new(1 << 20));
        let mut heap = Heap::new(Rc::clone(&level));
        assert!(
            heap.alloc(2 << 20).is_null()
                && heap.calloc(2 << 20, 1).is_null()
                && heap.calloc(usize::MAX, 2).is_null()
        );
        assert!(heap.alloc(usize::MAX).is_null() && !level.is_over());
        let small: Vec<*mut u8> = (0..3000).map(|_| heap.alloc(500)).collect();
        assert!(small.iter().all(|block| !block.is_null()) && level.is_over());
        for block in small {
            // SAFETY: each block is in use.
            unsafe { heap.dealloc(block) };
        }
        level.look();
        assert!(!level.is_over());
        let block = heap.alloc(1000);
        // SAFETY: the block is in use; a refused one stays as it is.
        unsafe {
            assert!(heap.realloc(block, 2 << 20).is_null());
            heap.dealloc(block);
        }
        assert_eq!(level.used_bytes.get(), 0);
    }
}
