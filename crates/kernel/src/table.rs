//! Noise by a table of its magnitudes: one word a sample.
//!
//! A word is, but for its last bit, a uniform real's first bits; the last bit is a sign. The real inverts the
//! cumulative probabilities of the magnitude, P(0), 2·P(1), 2·P(2), …; half of a magnitude's mass goes to
//! either sign, and both halves of P(0) to zero. Nothing is rejected.

use core::marker::PhantomData;

use crate::{
    inversion::{InversionView, Resolved},
    machine::Machine,
};

/// log₂ of the entries of guide an octave, as shipped: their width is at most 2^-11 of what is left, where
/// the distance of two thresholds is at least 0.8·2^-10 of it, the greatest scale being 2^10.
pub const STEPS: u32 = 11;

/// The borrowed table of one distribution.
#[derive(Clone, Copy, Debug)]
pub struct TableView<'t, W, const GUIDE: u32 = STEPS> {
    magnitudes: InversionView<'t, GUIDE>,
    word: PhantomData<W>,
}

impl<'t, W: Machine, const GUIDE: u32> TableView<'t, W, GUIDE> {
    /// Of a guide and thresholds: the look-up is BITS − 1 bits wide, and there is no second look.
    #[inline]
    #[must_use]
    pub fn new(guide: &'t [u32], thresholds: &'t [u64]) -> Self {
        let magnitudes = InversionView { width: W::BITS - 1, refill: W::REFILL_BITS, thresholds, finer: &[], guide };
        Self { magnitudes, word: PhantomData }
    }

    /// The magnitudes, inverted.
    #[inline]
    #[must_use]
    pub fn magnitudes(&self) -> InversionView<'t, GUIDE> {
        self.magnitudes
    }

    /// The sample of a word, if the guide settles it and it fits.
    #[inline]
    #[must_use]
    pub fn settle(&self, word: W) -> Option<W::Signed> {
        let magnitude = self.magnitudes.look_up(word.aligned())?;
        // The guide's base is below 2^14, and the cell at most one more: only a short word is too short for
        // it.
        if W::BITS <= 15 && magnitude >> (W::BITS - 1) != 0 {
            return None;
        }
        Some(W::cut(magnitude).signed(word))
    }
}

impl<const GUIDE: u32> TableView<'_, u64, GUIDE> {
    /// The same as [`settle`](Self::settle), on the halves of the word.
    #[inline]
    #[must_use]
    pub fn settle_in_halves(&self, upper: u32, lower: u32) -> Option<i32> {
        let magnitude = self.magnitudes.look_up_in_halves(upper, lower)?;
        Some(signed_half(u32::try_from(magnitude).ok()?, lower))
    }

    /// The sample of a word that the guide does not settle, by the thresholds; nothing if one of them equals
    /// its bits, which takes big integers.
    #[inline]
    #[must_use]
    pub fn search(&self, word: u64) -> Option<i64> {
        match self.magnitudes.resolve(word, |_| Err(())) {
            Ok(Resolved::Cell(magnitude)) => Some(magnitude.signed(word)),
            Ok(Resolved::Open { .. }) | Err(()) => None,
        }
    }
}

/// ±magnitude by the lowest bit of `lower`, for a number below 2^31: [`Machine::signed`] on 32 bits.
#[inline]
#[must_use]
pub fn signed_half(magnitude: u32, lower: u32) -> i32 {
    let mask = (lower & 1).wrapping_neg();
    (magnitude ^ mask).wrapping_sub(mask).cast_signed()
}
