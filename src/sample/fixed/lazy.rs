//! A uniform real number, known as far as it was drawn.

use core::cmp::Ordering;

use num_bigint::BigUint;

use super::Word;
use crate::sample::Interpreter;

/// A uniform number U in [0, 1) whose first `length` binary digits are `value`; the others are still to be
/// drawn.
pub(super) struct Lazy {
    value: BigUint,
    length: u32,
}

impl Lazy {
    /// The number that begins with the first `length` bits of a word, given as an integer.
    pub(super) fn new<W: Word>(value: W, length: u32) -> Self {
        Self { value: value.to_big(), length }
    }

    /// How many digits are known.
    pub(super) fn length(&self) -> u32 {
        self.length
    }

    /// Draws more digits of the same number.
    pub(super) fn extend<W: Word, I: Interpreter>(&mut self, on: &mut I) -> Result<(), I::Error> {
        self.value = (&self.value << W::STEP) | BigUint::from(on.bits(W::STEP)?);
        self.length += W::STEP;
        Ok(())
    }

    /// The order of U and a number that is in [lower, upper]·2^-precision, precision ≥ length, if the known
    /// digits decide it. U is never equal to it but with probability 0: what is at most it is `Less`.
    pub(super) fn compare(&self, lower: &BigUint, upper: &BigUint, precision: u32) -> Option<Ordering> {
        let shift = precision.saturating_sub(self.length);
        // U is in [value, value + 1)·2^-length.
        if (&self.value + 1u32) << shift <= *lower {
            Some(Ordering::Less)
        } else if &self.value << shift >= *upper {
            Some(Ordering::Greater)
        } else {
            None
        }
    }
}
