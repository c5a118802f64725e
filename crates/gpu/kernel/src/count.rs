//! Histograms on the device, for tests: a fit at 10^11 samples would otherwise read back 400 GB.

use crate::launch::{Thread, add_u32};

/// Classes of a sample, of its sign and rough size, for the correlation of neighbours.
pub const CLASSES: u32 = 8;

/// What is counted of a tensor of samples.
///
/// # Safety
///
/// Whoever runs the kernel promises that `samples` points to `len` readable elements, and `counts` to `copies`
/// tables of `bins` + 2^`low_bits` + `CLASSES`² words, which nobody else writes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// The samples.
    pub samples: *const i64,
    /// How many; an even number.
    pub len: u64,
    /// For each copy: the bins; the lowest bits; pairs of neighbours' classes.
    pub counts: *mut u32,
    /// How many copies there are: thread block b adds to copy b % copies.
    pub copies: u32,
    /// Bin j counts samples k with ⌊k/2^shift⌋ = least + j; the first and the last count those beyond, too.
    pub bins: u32,
    /// As said.
    pub shift: u32,
    /// How many of the lowest bits are counted.
    pub low_bits: u32,
    /// As said.
    pub least: i64,
    /// Class c is of samples k with ⌊k/2^class_shift⌋ = c − 4; the first and the last are of those beyond, too.
    pub class_shift: u32,
    /// For alignment.
    pub unused: u32,
}

/// What a thread counts: pairs of neighbours, both their bins and lowest bits, and the pair of their classes.
///
/// # Safety
///
/// As [`Count`] says.
#[inline]
pub unsafe fn count(count: &Count, thread: Thread) {
    let low = 1_u64 << count.low_bits;
    let size = u64::from(count.bins) + low + u64::from(CLASSES * CLASSES);
    // SAFETY: one of the copies.
    let counts = unsafe { count.counts.add((u64::from(thread.block % count.copies.max(1)) * size) as usize) };
    let clamped = |place: i64, places: u32| place.max(0).min(i64::from(places) - 1) as u64;
    let bin = |sample: i64| clamped((sample >> count.shift).saturating_sub(count.least), count.bins);
    let class = |sample: i64| clamped((sample >> count.class_shift).saturating_add(i64::from(CLASSES / 2)), CLASSES);
    let mut pair = thread.number();
    while pair < count.len / 2 {
        // SAFETY: both are below len.
        let (a, b) =
            unsafe { (count.samples.add(2 * pair as usize).read(), count.samples.add(2 * pair as usize + 1).read()) };
        let bins = u64::from(count.bins);
        let places = [
            bin(a),
            bin(b),
            bins + (a.cast_unsigned() & (low - 1)),
            bins + (b.cast_unsigned() & (low - 1)),
            bins + low + u64::from(CLASSES) * class(a) + class(b),
        ];
        for place in places {
            // SAFETY: below the size.
            unsafe { add_u32(counts.add(place as usize), 1) };
        }
        pair += thread.count();
    }
}
