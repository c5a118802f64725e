//! What a launch is told, and where its threads are.

use core::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::lists::Lists;

/// The samples of a block of ChaCha20: it has eight words of 64 bits.
pub const PER_BLOCK: u64 = 8;

/// Which thread of a launch this is.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    /// The number of its thread block.
    pub block: u32,
    /// Its number in its thread block.
    pub index: u32,
    /// The number of thread blocks.
    pub blocks: u32,
    /// The number of threads of a thread block.
    pub size: u32,
}

impl Thread {
    /// Its number among all.
    #[inline]
    pub fn number(self) -> u64 {
        u64::from(self.block) * u64::from(self.size) + u64::from(self.index)
    }

    /// The number of all threads.
    #[inline]
    pub fn count(self) -> u64 {
        u64::from(self.blocks) * u64::from(self.size)
    }
}

/// What the threads of a launch count together.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// How many sums passed the tensor's type and were clamped; where it is filled, how many samples do not
    /// fit it. (A launch is of fewer than 2^32 samples.)
    pub past: u32,
    /// How many threads of the first kernel stopped because their list was full.
    pub stopped: u32,
    /// How many open slots the second kernel left because the processor's list was full.
    pub left: u32,
    /// How many slots the processor's list was asked to hold: more than it holds if some were left.
    pub hard: u32,
}

/// One launch of either kernel, for samples `first` to `first + len − 1` of a key: sample `first + i` goes to
/// place i of `out`.
///
/// # Safety
///
/// Whoever runs a kernel with this promises that
///
/// 1. `key` is a multiple of 16 and points to eight readable words, `out` to `len` readable and writable elements of type `T`,
///    aligned as `T` is, `done` to a writable word for each thread of the first kernel, `counters` to
///    [`Counters`], `hard` to `hard_room` writable words;
/// 2. `lists` has a list for each thread block, and both kernels run with as many thread blocks;
/// 3. `len` is below 2^32, and `first + len` at most 2^64 − 8;
/// 4. nothing else reads or writes any of this while the kernel runs, but its own threads.
#[derive(Debug)]
pub struct Launch<T> {
    /// The key of ChaCha20.
    pub key: *const u32,
    /// The tensor.
    pub out: *mut T,
    /// The first sample.
    pub first: u64,
    /// How many samples.
    pub len: u64,
    /// The slots that the first kernel leaves open.
    pub lists: Lists,
    /// For each thread of the first kernel, how many blocks of ChaCha20 it has done.
    pub done: *mut u32,
    /// Whether `done` says where to go on; otherwise each thread begins with its first block.
    pub goes_on: u32,
    /// How many slots the processor's list can hold.
    pub hard_room: u32,
    /// The processor's list: slots that neither kernel decides.
    pub hard: *mut u64,
    /// What the threads count.
    pub counters: *mut Counters,
}

impl<T> Launch<T> {
    /// Where each argument is that a kernel takes after those of the tables.
    pub fn arguments(&mut self) -> [*mut c_void; 12] {
        [
            (&raw mut self.key).cast(),
            (&raw mut self.out).cast(),
            (&raw mut self.first).cast(),
            (&raw mut self.len).cast(),
            (&raw mut self.lists.entries).cast(),
            (&raw mut self.lists.lengths).cast(),
            (&raw mut self.lists.room).cast(),
            (&raw mut self.done).cast(),
            (&raw mut self.goes_on).cast(),
            (&raw mut self.hard_room).cast(),
            (&raw mut self.hard).cast(),
            (&raw mut self.counters).cast(),
        ]
    }
}

impl<T> Clone for Launch<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Launch<T> {}

/// Adds to a number that other threads add to, and gives what it was.
///
/// # Safety
///
/// `at` points to a word that only threads of this launch write, and only by this function.
#[inline]
pub unsafe fn add_u32(at: *mut u32, count: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { AtomicU32::from_ptr(at) }.fetch_add(count, Ordering::Relaxed)
}

/// A key, which the GPU reads 16 bytes at a time.
#[repr(C, align(16))]
struct Key([u32; 8]);

/// The key, in registers.
///
/// # Safety
///
/// `key` is a multiple of 16 and points to eight readable words.
#[inline]
pub unsafe fn key(key: *const u32) -> [u32; 8] {
    // SAFETY: the caller's.
    unsafe { key.cast::<Key>().read() }.0
}
