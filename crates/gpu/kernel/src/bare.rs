//! Words of ChaCha20 and nothing else: what the samplers' speed is compared with.

use certus_kernel::{
    chacha::{block, words},
    counter::FIRST,
};

use crate::{
    launch::{PER_BLOCK, Thread, key},
    output::Word,
};

/// Writes `len` words of stream 0, a multiple of eight.
///
/// # Safety
///
/// `from` is a multiple of 16 and points to eight readable words; `out` points to `len` writable ones.
#[inline]
pub unsafe fn bare(from: *const u32, out: *mut i64, len: u64, thread: Thread) {
    // SAFETY: there is a key.
    let key = unsafe { key(from) };
    let mut number = thread.number();
    while number < len / PER_BLOCK {
        let words = words(block(&key, number, FIRST));
        // SAFETY: eight elements of the tensor.
        unsafe { i64::write_eight(out.add((number * PER_BLOCK) as usize), words.map(u64::cast_signed)) };
        number += thread.count();
    }
}
