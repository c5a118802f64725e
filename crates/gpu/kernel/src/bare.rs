//! Words of ChaCha20 and nothing else: what the samplers' speed is compared with.

use certus_kernel::{
    chacha::{block, words},
    counter::FIRST,
};

use crate::{
    launch::{Launch, PER_BLOCK, Thread, key},
    output::Word,
};

/// Writes the words of stream 0; `first` and `len` are multiples of eight, and `out` of 16.
///
/// # Safety
///
/// As [`Launch`] says.
#[inline]
pub unsafe fn bare(launch: &Launch<i64>, thread: Thread) {
    // SAFETY: there is a key.
    let key = unsafe { key(launch.key) };
    let mut number = thread.number();
    while number < launch.len / PER_BLOCK {
        let words = words(block(&key, launch.first / PER_BLOCK + number, FIRST));
        // SAFETY: eight elements of the tensor, at a multiple of 16.
        unsafe { i64::write_eight(launch.out.add((number * PER_BLOCK) as usize), words.map(u64::cast_signed)) };
        number += thread.count();
    }
}
