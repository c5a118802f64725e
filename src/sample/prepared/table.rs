//! Noise by a table of its magnitudes: one word a sample.
//!
//! A word is, but for its last bit, a uniform real's first bits; the last bit is a sign. The real inverts the
//! cumulative probabilities of the magnitude, P(0), 2·P(1), 2·P(2), …; half of a magnitude's mass goes to
//! either sign, and both halves of P(0) to zero. Nothing is rejected.

use core::marker::PhantomData;

use certus_kernel::table::TableView;

use super::{
    Trial,
    cells::{Cells, Decay},
    inversion::{Inversion, InversionView},
};
use crate::{
    exact::Integer,
    sample::{Interpreter, machine::Machine},
};

pub use certus_kernel::table::STEPS;

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

    /// The table, borrowed.
    #[inline]
    pub fn view(&self) -> TableView<'_, W, GUIDE> {
        let InversionView { guide, thresholds, .. } = self.magnitudes.view();
        TableView::new(guide, thresholds)
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
        self.view().settle(word)
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
use certus_kernel::table::signed_half;

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/table.rs"]
mod proofs;
