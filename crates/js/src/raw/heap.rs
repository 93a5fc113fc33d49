//! A user's heap: what the engine allocates from, dense, with a limit that leaves room to say so.
//!
//! Small blocks stand one behind the other in chunks, each behind one byte that holds its size; a freed one goes on a list of its size. A
//! user's heap is given back chunk by chunk when the user is gone. Half of what a user holds are names of 20 to 30 bytes behind a head of
//! 24, so the size's byte is what the system's allocator takes eight for. Beside that it is for a limit that leaves room to say that it was
//! passed, where the engine would otherwise end the process, and an end in which freed blocks stay as they were (see [`Level::end`]).

#![expect(unsafe_code, reason = "an allocator hands out memory by address")]

use rquickjs::allocator::Allocator;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::cell::Cell;
use std::ptr::{self, NonNull};
use std::rc::Rc;

/// What stands before a small block: with it, how many steps the block takes. 0 stands before a large one.
const HEAD_BYTES: usize = size_of::<u8>();
/// All blocks are aligned to it, which is enough for integers, pointers and doubles; a small one is a head and up to as many steps.
const STEP_BYTES: usize = 8;
/// A freed block holds an address behind its head.
const STEPS_MIN: usize = 2;
const STEPS_MAX: usize = 65;
const CLASS_COUNT: usize = STEPS_MAX + 1;
/// Up to this a block is small. Above, the system's allocator is dense enough.
const SMALL_BYTES_MAX: usize = bytes_of_steps(STEPS_MAX);
/// What stands before a large block: its size, and the byte before it that is 0.
const LARGE_HEAD_BYTES: usize = 2 * size_of::<usize>();
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
    /// Where the next block of the last chunk begins, behind its head.
    rest: *mut u8,
    /// What of that chunk is not used yet.
    rest_steps: usize,
}

/// What a small block of so many steps holds.
const fn bytes_of_steps(steps: usize) -> usize {
    steps * STEP_BYTES - HEAD_BYTES
}

/// The steps of a small block for so many bytes.
fn steps_for(bytes: usize) -> usize {
    (bytes + HEAD_BYTES).div_ceil(STEP_BYTES).max(STEPS_MIN)
}

impl Heap {
    pub(crate) fn new(level: Rc<Level>) -> Self {
        let free = [ptr::null_mut(); CLASS_COUNT];
        Self { level, chunks: Vec::new(), free, rest: ptr::null_mut(), rest_steps: 0 }
    }

    /// What a block for so many bytes holds, if it can be asked of an allocator at all.
    fn rounded(bytes: usize) -> Option<usize> {
        if bytes <= SMALL_BYTES_MAX {
            return Some(bytes_of_steps(steps_for(bytes)));
        }
        let rounded = bytes.checked_next_multiple_of(STEP_BYTES)?;
        (rounded < isize::MAX as usize / 2).then_some(rounded)
    }

    /// A small block behind its head, or null.
    fn small(&mut self, steps: usize) -> *mut u8 {
        let Some(free) = self.free.get_mut(steps) else { return ptr::null_mut() };
        if !free.is_null() {
            let block = *free;
            // SAFETY: a block on the list is one of this heap's, of this size and not in use; `put` wrote the next one's address to it.
            *free = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        if let Some(block) = self.part_of_larger(steps) {
            return block;
        }
        if self.rest_steps < steps && !self.new_chunk() {
            return ptr::null_mut();
        }
        // SAFETY: `rest` is followed by the bytes of `rest_steps` steps without a head, and preceded by one byte for this block's, all of a
        // chunk and unused; `new_chunk` made that enough for the largest small block. `rest` stays a multiple of 8. It is within the chunk
        // or, when all of that is used, one byte behind it.
        unsafe {
            let block = self.rest;
            block.sub(HEAD_BYTES).write(steps as u8);
            self.rest = block.wrapping_add(steps * STEP_BYTES);
            self.rest_steps -= steps;
            block
        }
    }

    /// The front of a free block that is larger, whose back becomes a free block of its own. Small blocks are never joined again, so only of
    /// blocks at least twice as large: those are what growing tables leave behind.
    fn part_of_larger(&mut self, steps: usize) -> Option<*mut u8> {
        let class = (2 * steps..CLASS_COUNT)
            .find(|class| self.free.get(*class).is_some_and(|free| !free.is_null()))?;
        let free = self.free.get_mut(class)?;
        let block = *free;
        // SAFETY: as in `small` for taking a block off its list. The byte before the back, which the front leaves to it, is its head; front and
        // back are together what the block was, and the back has no fewer steps than the front.
        unsafe {
            *free = block.cast::<*mut u8>().read();
            block.sub(HEAD_BYTES).write(steps as u8);
            let back = block.add(steps * STEP_BYTES);
            back.sub(HEAD_BYTES).write((class - steps) as u8);
            self.put(back, class - steps);
        }
        Some(block)
    }

    /// Begins a chunk; what is left of the last one becomes a free block.
    fn new_chunk(&mut self) -> bool {
        let left = self.rest_steps.min(STEPS_MAX);
        if left >= STEPS_MIN {
            // SAFETY: as in `small`: the rest is unused, aligned and large enough for a block of these steps.
            unsafe {
                self.rest.sub(HEAD_BYTES).write(left as u8);
                self.put(self.rest, left);
            }
        }
        self.rest_steps = 0;
        // SAFETY: the layout's size is not zero.
        let chunk = unsafe { alloc(chunk_layout()) };
        let Some(chunk) = NonNull::new(chunk) else { return false };
        self.chunks.push(chunk);
        self.rest = chunk.as_ptr().wrapping_add(STEP_BYTES);
        self.rest_steps = CHUNK_BYTES / STEP_BYTES - 1;
        true
    }

    /// Puts a block on the list of its size.
    ///
    /// # Safety
    /// The block is one of this heap's small ones, of this size, and nothing uses it.
    unsafe fn put(&mut self, block: *mut u8, steps: usize) {
        if let Some(free) = self.free.get_mut(steps) {
            // SAFETY: a block has two steps at least, so room for an address, aligned to eight, and by the contract nobody else writes there.
            unsafe { block.cast::<*mut u8>().write(*free) };
            *free = block;
        }
    }

    /// A large block behind its head, or null. `bytes` is rounded.
    fn large(bytes: usize, allocate: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        let Some(layout) = large_layout(bytes) else { return ptr::null_mut() };
        // SAFETY: the layout's size is not zero; the head is what the layout has beyond the block, and what comes back is aligned to eight.
        unsafe { headed(allocate(layout), bytes) }
    }
}

/// The block behind the head of a large one, with its size written there; null for null.
///
/// # Safety
/// `whole` is null or has room for the head, aligned to eight, which nobody else uses.
unsafe fn headed(whole: *mut u8, bytes: usize) -> *mut u8 {
    if whole.is_null() {
        return whole;
    }
    // SAFETY: by the contract.
    unsafe {
        whole.cast::<usize>().write(bytes);
        let block = whole.add(LARGE_HEAD_BYTES);
        block.sub(HEAD_BYTES).write(0);
        block
    }
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK_BYTES, STEP_BYTES).expect("a constant that is sound")
}

fn large_layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(LARGE_HEAD_BYTES)?, STEP_BYTES).ok()
}

/// What a block holds, as it was rounded.
///
/// # Safety
/// The block is one that a [`Heap`] gave out and that was not given back.
unsafe fn size_of_block(block: *mut u8) -> usize {
    // SAFETY: each block that is given out has its steps in the byte before it, or 0 there and its size in front of that; and its user
    // writes behind them alone.
    unsafe {
        match block.sub(HEAD_BYTES).read() {
            0 => block.sub(LARGE_HEAD_BYTES).cast::<usize>().read(),
            steps => bytes_of_steps(usize::from(steps)),
        }
    }
}

// SAFETY: `alloc` and `realloc` give null or a block of at least the size that was asked for, aligned to eight, which is in no other's use:
// blocks come from a chunk's unused rest, off a list of blocks that were given back, or from the global allocator. `usable_size` is the
// rounded size, which is the block's.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, bytes: usize) -> *mut u8 {
        let Some(bytes) = Self::rounded(bytes).filter(|bytes| self.level.take(*bytes)) else {
            return ptr::null_mut();
        };
        let block =
            if bytes <= SMALL_BYTES_MAX { self.small(steps_for(bytes)) } else { Self::large(bytes, alloc) };
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
                    self.put(block, steps_for(bytes));
                }
            } else if let Some(layout) = large_layout(bytes) {
                dealloc(block.sub(LARGE_HEAD_BYTES), layout);
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
            // than a layout may be, by `rounded`. The head is what is asked for beyond the block.
            let block = unsafe {
                let whole = realloc(block.sub(LARGE_HEAD_BYTES), layout, new_bytes + LARGE_HEAD_BYTES);
                headed(whole, new_bytes)
            };
            self.level.give_back(if block.is_null() { more } else { bytes.saturating_sub(new_bytes) });
            return block;
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
