//! One sample of a key alone, by the shipped sampler on the sample's tape.

use certus::{
    bits::{Bits, BitsError, MAX_TAKE},
    exact::Integer,
    sample::hooks::{Shipped, execute, prepared::Construction},
};
use certus_kernel::counter::{FIRST, PARTS_OF_A_WORD, SECOND, Tape, dense_word, second_part};

use crate::tables::Prepared;

/// A sample's tape: its first words, then those of streams 1, 2, ….
struct OfTape<'k> {
    first: Option<u64>,
    second: Option<u64>,
    rest: Tape<'k>,
}

impl Bits for OfTape<'_> {
    fn take(&mut self, count: u32) -> Result<u64, BitsError> {
        // The shipped trials take whole words.
        if count != MAX_TAKE {
            return Err(BitsError::TooManyAtOnce);
        }
        let word = self.first.take().or_else(|| self.second.take()).or_else(|| self.rest.next_word());
        word.ok_or(BitsError::Overflow)
    }
}

/// Sample `index` of a key.
pub(crate) fn sample(noise: &Prepared, key: &[u32; 8], index: u64) -> Result<Integer, BitsError> {
    let has_second = match noise {
        Prepared::Gaussian(noise) => matches!(noise.shipped(), Construction::Wider(_)),
        Prepared::Laplace(noise) => matches!(noise.shipped(), Construction::Wider(_)),
    };
    let part = |()| second_part(dense_word(key, SECOND, index / PARTS_OF_A_WORD), index) << (MAX_TAKE - 16);
    let mut tape = OfTape {
        first: Some(dense_word(key, FIRST, index)),
        second: has_second.then_some(()).map(part),
        rest: Tape::new(key, index),
    };
    match noise {
        Prepared::Gaussian(noise) => execute(noise, &mut tape),
        Prepared::Laplace(noise) => execute(noise, &mut tape),
    }
}
