//! Gradients of single examples onto the integer grid, and added up: the rule of the Python package's
//! `certus.torch.rounding`, which explains it, for gradients on a GPU.
//!
//! Here are floats, and this is why they may be: whatever they compute, the integers of an example are checked
//! in integers after, and halved until their norm holds. A multiplication, `as`, a clamp and a division give the
//! same bits as on the processor.

use crate::launch::Thread;

/// How many coordinates a thread has at a time: their sums are in registers.
pub const AT_ONCE: u64 = 8;

/// What is rounded and added.
///
/// # Safety
///
/// Whoever runs the kernel promises that `rows` points to `examples` times `length` readable numbers, `factors`,
/// `halvings` and `weights` to `examples` readable ones, `sums` to `length` writable ones and `squares` to one
/// for each example and thread, which nobody else writes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// The gradients: a row of `length` coordinates for each example.
    pub rows: *const f32,
    /// What the coordinates of an example are multiplied by.
    pub factors: *const f32,
    /// How often its integers are halved.
    pub halvings: *const i64,
    /// How often its integers are added: 1, 0 or −1.
    pub weights: *const i64,
    /// What they are added to.
    pub sums: *mut i64,
    /// For each example, a row of the sums of the squares that each thread saw, which stop at the greatest number.
    pub squares: *mut i64,
    /// How many coordinates an example has here.
    pub length: u64,
    /// How many examples there are.
    pub examples: u32,
    /// No integer is further from zero: at most 2^20.
    pub bound: i32,
}

/// The integer of a coordinate: truncated towards zero, clamped, and halved so often, each time towards zero.
///
/// `as` takes NaN to 0, and what is outside of 32 bits to their ends, so that 1e30 is clamped as any other
/// number. A shift rounds downwards, and would leave −1 at −1: a negative number is first raised by 2^`halvings`
/// − 1, which makes it a division towards zero, without a branch.
#[inline]
#[expect(clippy::float_arithmetic, reason = "the file's second paragraph")]
pub fn rounded(coordinate: f32, factor: f32, bound: i32, halvings: u32) -> i32 {
    let steps = ((coordinate * factor) as i32).max(bound.wrapping_neg()).min(bound);
    let raised = (1_i32.wrapping_shl(halvings) - 1) & (steps >> 31);
    (steps + raised).wrapping_shr(halvings)
}

/// So many, or 30, which leave nothing of a number below 2^30.
#[inline]
pub fn halvings(halvings: i64) -> u32 {
    halvings.max(0).min(30) as u32
}

/// What a thread rounds and adds: eight coordinates at a time, of every example.
///
/// Eight squares of at most 2^40 are at most 2^43. Sums of coordinates wrap where 2^43 examples would have gone
/// before.
///
/// # Safety
///
/// As [`Rounding`] says.
#[inline]
pub unsafe fn round(of: &Rounding, thread: Thread) {
    let mut first = thread.number();
    while first < of.length {
        let mut sums = [0_i64; AT_ONCE as usize];
        for example in 0..u64::from(of.examples) {
            // SAFETY: one of the examples.
            let (factor, halvings, weight, row) = unsafe {
                (
                    of.factors.add(example as usize).read(),
                    of.halvings.add(example as usize).read(),
                    of.weights.add(example as usize).read(),
                    of.rows.add((example * of.length) as usize),
                )
            };
            let halvings = self::halvings(halvings);
            // All are read before the first is used, without a branch: those past the end are 0, and add nothing.
            let read = |at: u64| {
                let place = first + at * thread.count();
                // SAFETY: one of the coordinates, as there is one.
                let coordinate = unsafe { row.add(place.min(of.length - 1) as usize).read() };
                if place < of.length { coordinate } else { 0.0 }
            };
            // Written out: an array that is indexed in a loop may go to local memory.
            let eight = [read(0), read(1), read(2), read(3), read(4), read(5), read(6), read(7)];
            let mut square = 0_i64;
            macro_rules! each {
                ($($at:literal)*) => { $(
                    let z = i64::from(rounded(eight[$at], factor, of.bound, halvings));
                    square += z * z;
                    sums[$at] = sums[$at].wrapping_add(z.wrapping_mul(weight));
                )* };
            }
            each!(0 1 2 3 4 5 6 7);
            // SAFETY: this thread's number of this example.
            unsafe {
                let own = of.squares.add((example * thread.count() + thread.number()) as usize);
                own.write(own.read().saturating_add(square));
            }
        }
        macro_rules! add {
            ($($at:literal)*) => { $(
                let place = first + $at * thread.count();
                if place < of.length {
                    // SAFETY: one of the sums, which no other thread writes.
                    unsafe {
                        let sum = of.sums.add(place as usize);
                        sum.write(sum.read().wrapping_add(sums[$at]));
                    }
                }
            )* };
        }
        add!(0 1 2 3 4 5 6 7);
        first += AT_ONCE * thread.count();
    }
}
