//! The second kernel: open slots, with words of streams 1, 2, ….
//!
//! A sample's tape is its word of stream 0, then the eight words of its block of stream 1, then those of its
//! block of stream 2, …, in the order in which its trials ask for them. What an enclosure must decide is left to
//! the processor: a few slots in 10^8.

use certus_kernel::counter::Tape;

use crate::{
    construction::Construction,
    launch::{Launch, Thread, add_u32, key},
    lists::Open,
    output::Word,
};

/// What a thread of the second kernel does: its share of its thread block's list. An entry that is done is
/// replaced with [`Open::NONE`], so that the kernel may be launched again for those that are left.
///
/// # Safety
///
/// As [`Launch`] says; and the first kernel has ended.
#[inline]
pub unsafe fn finish<C: Construction, T: Word, const ADD: bool>(construction: &C, launch: &Launch<T>, thread: Thread) {
    // SAFETY: there is a key.
    let key = unsafe { key(launch.key) };
    // SAFETY: there is a list for each thread block.
    let (entries, length) = unsafe { launch.lists.taken(thread.block) };
    let mut at = thread.index;
    while at < length {
        // SAFETY: below the length, and no other thread's.
        let entry = unsafe { entries.add(at as usize) };
        at += thread.size;
        // SAFETY: the first kernel wrote it.
        let Some((place, first, second)) = (unsafe { entry.read() }).read() else { continue };
        match construction.resolve(first, second, &mut Tape::new(&key, launch.first.wrapping_add(place))) {
            // SAFETY: a place of the range, and no other thread's.
            Some(sample) => unsafe {
                let to = launch.out.add(place as usize);
                if ADD {
                    let (sum, is_past) = to.read().plus(sample);
                    to.write(sum);
                    if is_past {
                        add_u32(&raw mut (*launch.counters).past, 1);
                    }
                } else if let Ok(sample) = T::try_from(sample) {
                    to.write(sample);
                } else {
                    to.write(T::default());
                    add_u32(&raw mut (*launch.counters).past, 1);
                }
            },
            // SAFETY: there are counters, and the list has `hard_room` words.
            None => unsafe {
                let to = add_u32(&raw mut (*launch.counters).hard, 1);
                if to >= launch.hard_room {
                    add_u32(&raw mut (*launch.counters).left, 1);
                    continue;
                }
                launch.hard.add(to as usize).write(place);
            },
        }
        // SAFETY: as above.
        unsafe { entry.write(Open::NONE) };
    }
}
