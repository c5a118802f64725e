//! The first kernel: block b of stream 0 gives samples 8b to 8b + 7, where one word settles them at a glance.
//!
//! Word i of stream 0 belongs to sample i, so that what a sample is depends on neither the launch nor the
//! range. What a glance does not settle is listed for the second kernel; so is all of a block that is partly
//! outside the range, which only the first and the last one can be.

use certus_kernel::{
    chacha::{block, words},
    counter::{FIRST, PARTS_OF_A_WORD, SECOND, second_part},
};

use crate::{
    construction::Construction,
    launch::{Launch, PER_BLOCK, Thread, add_u32, key},
    lists::Open,
    output::Word,
};

/// The second parts of the eight samples of a block of stream 0: two words, of the eight of a block, hold them.
#[inline]
fn second_parts(key: &[u32; 8], number: u64) -> [u64; 8] {
    let [w0, w1, w2, w3, w4, w5, w6, w7] = words(block(key, number / PARTS_OF_A_WORD, SECOND));
    let (left, right) = match number % PARTS_OF_A_WORD {
        0 => (w0, w1),
        1 => (w2, w3),
        2 => (w4, w5),
        _ => (w6, w7),
    };
    let parts = |word| [0, 1, 2, 3].map(|part| second_part(word, part));
    let ([p0, p1, p2, p3], [p4, p5, p6, p7]) = (parts(left), parts(right));
    [p0, p1, p2, p3, p4, p5, p6, p7]
}

/// Which of the eight samples of a block are in a range, one bit each.
#[inline]
fn inside(sample: u64, first: u64, end: u64) -> u32 {
    let before = first.saturating_sub(sample).min(8);
    let after = (sample + PER_BLOCK).saturating_sub(end).min(8);
    (0xff << before) & (0xff >> after)
}

/// What a thread of the first kernel does: each of its blocks of ChaCha20 in turn, until all are done, or its
/// list is full.
///
/// # Safety
///
/// As [`Launch`] says.
#[inline]
pub unsafe fn dense<C: Construction, T: Word, const ADD: bool>(construction: &C, launch: &Launch<T>, thread: Thread) {
    let end = launch.first + launch.len;
    let (first_block, end_block) = (launch.first / PER_BLOCK, end.div_ceil(PER_BLOCK));
    // SAFETY: there is a word for each thread.
    let own = unsafe { launch.done.add(thread.number() as usize) };
    // SAFETY: as said; the launch before this one wrote it.
    let mut done = if launch.goes_on == 0 { 0 } else { unsafe { own.read() } };
    let mut number = first_block + thread.number() + u64::from(done) * thread.count();
    let mut past = 0;
    while number < end_block {
        // Read again each time: held in registers, it would take those of the samples.
        // SAFETY: there is a key.
        let key = unsafe { key(launch.key) };
        let words = words(block(&key, number, FIRST));
        let seconds = if C::SECOND > 0 { second_parts(&key, number) } else { [0; 8] };
        let sample = number * PER_BLOCK;
        let is_whole = sample >= launch.first && sample + PER_BLOCK <= end;
        // Written out: an array that is indexed in a loop may go to local memory.
        macro_rules! settled {
            ($($at:literal)*) => { [$(construction.settle(words[$at], seconds[$at])),*] };
        }
        let eight = settled!(0 1 2 3 4 5 6 7);
        macro_rules! open {
            ($($at:literal)*) => { 0 $(| u32::from(eight[$at].is_none()) << $at)* };
        }
        let open: u32 = if is_whole { open!(0 1 2 3 4 5 6 7) } else { inside(sample, launch.first, end) };
        if open != 0 {
            // SAFETY: there is a list for each thread block.
            let Some(mut to) = (unsafe { launch.lists.take(thread.block, open.count_ones()) }) else {
                // SAFETY: there are counters.
                unsafe { add_u32(&raw mut (*launch.counters).stopped, 1) };
                break;
            };
            macro_rules! list {
                ($($at:literal)*) => { $(if open >> $at & 1 != 0 {
                    let place = sample.wrapping_sub(launch.first).wrapping_add($at);
                    // SAFETY: there is room for each open slot.
                    unsafe { to.write(Open::new(place, words[$at], seconds[$at])); to = to.add(1); }
                })* };
            }
            list!(0 1 2 3 4 5 6 7);
            let _ = to;
        }
        if is_whole {
            // What is open is zero until the second kernel: its value, without noise, or 0.
            let samples = eight.map(|settled| settled.unwrap_or(0));
            // SAFETY: all eight are in the range.
            past += unsafe {
                let to = launch.out.add((sample - launch.first) as usize);
                if ADD { T::add_eight(to, samples) } else { T::write_eight(to, samples) }
            };
        }
        done += 1;
        number += thread.count();
    }
    // SAFETY: there is a word for each thread, and counters.
    unsafe {
        own.write(done);
        if past > 0 {
            add_u32(&raw mut (*launch.counters).past, past);
        }
    }
}
