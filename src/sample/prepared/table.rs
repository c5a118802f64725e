//! Noise by a table of its magnitudes: one word a sample.
//!
//! A word is WIDTH bits of a uniform real and, lowest, a sign. The real inverts the cumulative probabilities of the magnitude, P(0),
//! 2·P(1), 2·P(2), …; half of a magnitude's mass goes to either sign, and both halves of P(0) to zero. Nothing is rejected.

use super::{
    Trial,
    cells::{Cells, Decay},
    inversion::Inversion,
};
use crate::{exact::Integer, sample::Interpreter};

/// 2^11 entries of guide an octave: their width is at most 2^-11 of what is left, where the distance of two thresholds is at
/// least 0.8·2^-10 of it, the greatest scale being 2^10.
const STEPS: u32 = 11;

/// The table of one distribution, whose words have WIDTH + 1 bits: 64 as shipped, a few where they are enumerated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Table<const WIDTH: u32> {
    magnitudes: Inversion<STEPS>,
}

impl<const WIDTH: u32> Table<WIDTH> {
    pub(crate) fn new(decay: Decay) -> Self {
        let cells = Cells { decay, folded: true };
        Self { magnitudes: Inversion::new(cells, WIDTH, WIDTH + 1, false) }
    }

    #[cfg(feature = "audit")]
    pub(crate) fn magnitudes(&self) -> &Inversion<STEPS> {
        &self.magnitudes
    }
}

/// ±magnitude by the lowest bit of `word`, for a magnitude of at most 2^63 − 1; without a branch: −m = (m xor −1) + 1.
#[inline]
pub(super) fn signed(magnitude: u64, word: u64) -> i64 {
    let mask = (word & 1).wrapping_neg();
    (magnitude ^ mask).wrapping_sub(mask).cast_signed()
}

/// ±magnitude by the lowest bit of `word`.
pub(super) fn signed_integer(magnitude: Integer, word: u64) -> Integer {
    if word & 1 == 1 { magnitude.neg() } else { magnitude }
}

impl<const WIDTH: u32> Trial for Table<WIDTH> {
    const FIRST: u32 = WIDTH + 1;
    const SECOND: u32 = 0;

    #[inline]
    fn settle(&self, word: u64, _: u64) -> Option<i64> {
        // The guide's base is below 2^62, and the cell at most one more.
        Some(signed(self.magnitudes.look_up(word << (63 - WIDTH))?, word))
    }

    #[cold]
    fn resolve<I: Interpreter>(&self, word: u64, _: u64, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let magnitude = self.magnitudes.resolve(word << (63 - WIDTH), on)?;
        Ok(Some(signed_integer(Integer::from(magnitude), word)))
    }

    fn memory(&self) -> usize {
        self.magnitudes.memory()
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/prepared/table.rs"]
mod proofs;

#[cfg(test)]
#[cfg(feature = "audit")]
mod tests {
    use super::*;
    use crate::{
        audit::certify::{Certificate, flat},
        exact::{GaussianPmf, LaplacePmf, Pmf, Positive, Rational},
        sample::prepared::Trials,
    };

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    fn check<const WIDTH: u32>(decay: Decay, pmf: &dyn Pmf<Integer>, depth: u32) {
        let table = Table::<WIDTH>::new(decay.clone());
        let masses = flat(&Trials(table), depth, &mut |_| ()).unwrap().masses();
        let certificate = Certificate::new(&masses, pmf);
        assert!(certificate.holds(), "{decay:?} at {WIDTH}");
        // All but the tapes that are ambiguous to the last bit: a cell's boundary is one tape at most, for either sign.
        let boundaries = Rational::new((2 * masses.lower().len() as u64 + 4).into(), (1u64 << depth).into());
        assert!(*certificate.unresolved() <= boundaries, "{decay:?} at {WIDTH}: {}", certificate.unresolved());
    }

    /// The shipped code at small widths, on every tape: every output, refinement and open last cell included.
    #[test]
    fn small_words_enumerated() {
        for (n, d) in [(1, 3), (1, 1), (5, 2), (7, 1)] {
            let (scale, variance) = (positive(n, d), positive(n * n, d * d));
            let laplace = LaplacePmf::new(&scale, 100);
            let gaussian = GaussianPmf::new(&variance, 100).unwrap();
            check::<7>(Decay::Laplace { scale: scale.clone() }, &laplace, 16);
            check::<3>(Decay::Laplace { scale }, &laplace, 16);
            check::<7>(Decay::Gaussian { variance: variance.clone() }, &gaussian, 16);
            check::<3>(Decay::Gaussian { variance }, &gaussian, 16);
        }
    }
}
