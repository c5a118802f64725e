//! Noise by a table of its magnitudes: one word a sample.
//!
//! A word is, but for its last bit, a uniform real's first bits; the last bit is a sign. The real inverts the
//! cumulative probabilities of the magnitude, P(0), 2·P(1), 2·P(2), …; half of a magnitude's mass goes to
//! either sign, and both halves of P(0) to zero. Nothing is rejected.

use core::marker::PhantomData;

use super::{
    Trial,
    cells::{Cells, Decay},
    inversion::Inversion,
};
use crate::{
    exact::Integer,
    sample::{Interpreter, machine::Machine},
};

/// log₂ of the entries of guide an octave, as shipped: their width is at most 2^-11 of what is left, where
/// the distance of two thresholds is at least 0.8·2^-10 of it, the greatest scale being 2^10.
pub const STEPS: u32 = 11;

/// The table of one distribution on machine words: 64 bits as shipped, a few where they are enumerated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table<W, const GUIDE: u32 = STEPS> {
    magnitudes: Inversion<GUIDE>,
    word: PhantomData<W>,
}

impl<W: Machine, const GUIDE: u32> Table<W, GUIDE> {
    /// The table of a decay.
    pub fn new(decay: Decay) -> Self {
        let cells = Cells { decay, folded: true };
        Self { magnitudes: Inversion::new(cells, W::BITS - 1, W::REFILL_BITS, false), word: PhantomData }
    }

    /// The magnitudes, inverted.
    pub fn magnitudes(&self) -> &Inversion<GUIDE> {
        &self.magnitudes
    }
}

/// ±magnitude by the lowest bit of `word`.
pub(super) fn signed_integer<W: Machine>(magnitude: Integer, word: W) -> Integer {
    if word.low_bits(1) == W::cut(1) { magnitude.neg() } else { magnitude }
}

impl<W: Machine, const GUIDE: u32> Trial for Table<W, GUIDE> {
    type Word = W;
    const SECOND: u32 = 0;

    #[inline]
    fn settle(&self, word: W, _: W) -> Option<W::Signed> {
        let magnitude = self.magnitudes.look_up(word.aligned())?;
        // The guide's base is below 2^14, and the cell at most one more: only a short word is too short for
        // it.
        if W::BITS <= 15 && magnitude >> (W::BITS - 1) != 0 {
            return None;
        }
        Some(W::cut(magnitude).signed(word))
    }

    #[cold]
    fn resolve<I: Interpreter>(&self, word: W, _: W, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let magnitude = self.magnitudes.resolve(word.aligned(), on)?;
        Ok(Some(signed_integer(Integer::from(magnitude), word)))
    }

    fn memory(&self) -> usize {
        self.magnitudes.memory()
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/table.rs"]
mod proofs;
