//! The slots that the first kernel leaves open: a list and a counter for each thread block.
//!
//! One counter for all would be a bottleneck. A thread takes room for all open slots of a block of ChaCha20 at
//! once; if there is none, it writes nothing of that block and stops there, and goes on with it in a further
//! launch, when the second kernel has emptied the lists. So no slot is dropped, and none is written twice,
//! however short the lists are, if each has room for eight.

use crate::launch::add_u32;

/// A slot that is still open: what the second kernel needs to begin with, written at once. From the lowest bit on:
/// the place in the tensor, below 2^48; the 16 bits of the second part, if there is one; the word of stream 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Open(u128);

/// The bits of a place in the tensor.
pub const PLACE_BITS: u32 = 48;

impl Open {
    /// An entry that holds no slot.
    pub const NONE: Self = Self(u64::MAX as u128);

    /// The slot at a place below 2^48 − 1, with its first word and its second part.
    #[inline]
    pub fn new(place: u64, word: u64, second: u64) -> Self {
        Self(u128::from(place | second << PLACE_BITS) | u128::from(word) << 64)
    }

    /// The place, the first word and the second part; nothing if there is no slot here.
    #[inline]
    pub fn read(self) -> Option<(u64, u64, u64)> {
        let (low, word) = (self.0 as u64, (self.0 >> 64) as u64);
        (low != u64::MAX).then_some((low & ((1 << PLACE_BITS) - 1), word, low >> PLACE_BITS))
    }
}

/// Lists of `room` entries each.
///
/// # Safety
///
/// `entries` points to `room` entries for each list, and `lengths` to a word for each.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    /// All entries, list after list.
    pub entries: *mut Open,
    /// How many entries of each list were asked for: more than `room` if it was full.
    pub lengths: *mut u32,
    /// How many entries a list has.
    pub room: u32,
}

impl Lists {
    /// Room for `count` entries of a list, if there is so much; otherwise what is left of it is filled with
    /// [`Open::NONE`], so that no entry below the length is an old one.
    ///
    /// # Safety
    ///
    /// There is such a list, as [`Lists`] promises; `count` is at most eight, and a list's length is reset
    /// before 2^31 are asked for.
    #[inline]
    pub unsafe fn take(self, list: u32, count: u32) -> Option<*mut Open> {
        // SAFETY: the list is there, and lengths are written by this function alone while the kernel runs.
        let at = unsafe { add_u32(self.lengths.add(list as usize), count) };
        // SAFETY: the list is there.
        let entries = unsafe { self.entries.add(list as usize * self.room as usize) };
        if at.saturating_add(count) <= self.room {
            // SAFETY: at ≤ room.
            return Some(unsafe { entries.add(at as usize) });
        }
        let mut unused = at;
        while unused < self.room {
            // SAFETY: below room; these entries are this thread's alone, since the length has passed them.
            unsafe { entries.add(unused as usize).write(Open::NONE) };
            unused += 1;
        }
        None
    }

    /// The entries of a list, and how many of them the first kernel has written.
    ///
    /// # Safety
    ///
    /// There is such a list, as [`Lists`] promises, and the first kernel has ended.
    #[inline]
    pub unsafe fn taken(self, list: u32) -> (*mut Open, u32) {
        // SAFETY: the list is there.
        unsafe {
            let length = self.lengths.add(list as usize).read();
            (self.entries.add(list as usize * self.room as usize), length.min(self.room))
        }
    }
}
