//! The third construction: a geometric index by its digits.

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{
    Word,
    acceptance::Acceptance,
    inversion::{Inversion, Series},
    shape::{Shape, Trial, Words, fits, place, positive, signed, signed_integer},
    word::Noise,
};
use super::{
    edges::Stated,
    inversion::Run,
    shape::{Visit, visit_settled},
};
use crate::{
    exact::{Enclosure, Integer, NonNegative, Positive, Rational, exp_neg},
    sample::Interpreter,
};

/// What follows the buckets of a geometric distribution.
pub trait Offset<W: Word>: Clone + Ord + Send + Sync + 'static {
    /// Whether buckets are wider than 1.
    const DRAWN: bool;
    fn digits(&self) -> u32;
    fn decide(&self, words: &Words<W>) -> (u64, u64);
    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<bool, I::Error>;
    fn ambiguous(&self) -> Rational;
    #[cfg(test)]
    fn window(&self, _: &Words<W>) -> Option<(W, W)> {
        None
    }
    fn settled(&self, offset: u64) -> Option<(Run, Run)>;
    fn exponent(&self, _: u64) -> Rational {
        Rational::from_integer(0.into())
    }
    fn stated(&self) -> Option<Stated> {
        None
    }
    /// The digits of the word that decides.
    const DECIDES: u32;
}

/// Buckets of width 1: there is nothing to accept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoOffset;

impl<W: Word> Offset<W> for NoOffset {
    const DRAWN: bool = false;
    const DECIDES: u32 = 0;

    #[inline]
    fn digits(&self) -> u32 {
        0
    }

    #[inline]
    fn decide(&self, _: &Words<W>) -> (u64, u64) {
        (1, 0)
    }

    fn settle<I: Interpreter>(&self, _: &Words<W>, _: &mut I) -> Result<bool, I::Error> {
        Ok(true)
    }

    fn ambiguous(&self) -> Rational {
        Rational::from_integer(0.into())
    }

    fn settled(&self, _: u64) -> Option<(Run, Run)> {
        Some((Run::of_nothing_drawn(), Run::empty()))
    }
}

impl<W: Word> Offset<W> for Acceptance<W, false> {
    const DRAWN: bool = true;
    const DECIDES: u32 = W::BITS;

    #[inline]
    fn digits(&self) -> u32 {
        Self::digits(self)
    }

    #[inline]
    fn decide(&self, words: &Words<W>) -> (u64, u64) {
        self.decide(self.start(0, words.offset), words.accept)
    }

    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<bool, I::Error> {
        Self::settle(self, 0, words.offset, words.accept, on)
    }

    fn ambiguous(&self) -> Rational {
        Self::ambiguous(self)
    }

    #[cfg(test)]
    fn window(&self, words: &Words<W>) -> Option<(W, W)> {
        Some((self.start(0, words.offset), Self::window(self)))
    }

    fn settled(&self, offset: u64) -> Option<(Run, Run)> {
        Self::settled(self, 0, offset)
    }

    fn exponent(&self, offset: u64) -> Rational {
        Self::exponent(self, 0, offset)
    }

    fn stated(&self) -> Option<Stated> {
        Some(Self::stated(self, 0))
    }
}

/// *Digits*, for Laplace: the bucket index is geometric, so its last digit to base 8 and the rest are
/// independent. Each comes from a table of its own; then an offset r below w, accepted with e^(-r/s). A fair
/// sign; negative zero is rejected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digits<W: Word, O> {
    low: Inversion<W>,
    high: Inversion<W>,
    offset: O,
    acceptance: Rational,
}

/// log2 of the base.
const BASE: u32 = 3;

impl<W: Word, O: Offset<W>> Digits<W, O> {
    /// `scale` ≥ 1 and w = 2^digits ≤ scale; `offset` is told nothing of the buckets.
    fn of(scale: &Positive, digits: u32, offset: O) -> Option<Self> {
        let bucket = |digits: u32| positive(Rational::from_integer(BigInt::one() << digits) / scale.get());
        let series =
            |ratio: Positive, length| Series { ratio: ratio.into(), fall: NonNegative::zero(), folded: false, length };
        let low = Inversion::new(series(bucket(digits)?, Some(1 << BASE)))?;
        let high = Inversion::new(series(bucket(digits + BASE)?, None))?;
        if !fits::<W::Machine>(high.count(), digits + BASE) {
            return None;
        }
        // Σ_{k≥0} e^(-k/s) ≥ s, a half of its first term is rejected, and Σ_b e^(-bw/s) = 1/(1 − e^(-w/s)).
        let one = Enclosure::from_integer(1, W::BITS);
        let geometric = one.sub(&exp_neg(&bucket(digits)?.into(), W::BITS)).lower();
        let half = Rational::new(1.into(), 2.into());
        let acceptance = (scale.get() - half) * geometric / (BigInt::one() << digits);
        Some(Self { low, high, offset, acceptance })
    }
}

impl<W: Word> Digits<W, NoOffset> {
    /// Buckets of width 1.
    pub(super) fn narrow(scale: &Positive) -> Option<Self> {
        Self::of(scale, 0, NoOffset)
    }
}

impl<W: Word> Digits<W, Acceptance<W, false>> {
    /// Buckets of width 2^digits.
    pub(super) fn wide(scale: &Positive, digits: u32) -> Option<Self> {
        let unit = positive(scale.get().recip())?;
        Self::of(scale, digits, Acceptance::new(&unit, digits, 1)?)
    }
}

impl<W: Word, O: Offset<W>> Shape<W> for Digits<W, O> {
    const SECOND: bool = true;
    const OFFSET: bool = O::DRAWN;

    #[inline]
    fn digits(&self) -> u32 {
        self.offset.digits()
    }

    // Into the kernel, whoever else calls it: what is checked there is then all of it.
    #[inline(always)]
    fn trial(&self, words: &Words<W>) -> Trial<Noise<W>> {
        let (low, unsettled_low) = self.low.scan(words.first.shifted(1));
        let (high, unsettled_high) = self.high.scan(words.second.shifted(1));
        let (accepted, undecided) = self.offset.decide(words);
        let bucket = high << BASE | low;
        let magnitude = place::<W::Machine>(bucket, self.offset.digits(), words.offset);
        let (candidate, counts) = signed(magnitude, words.first.low_bit());
        let ambiguous = unsettled_low | unsettled_high | undecided;
        Trial { candidate, accepted: accepted & counts, ambiguous }
    }

    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let low = self.low.settle(words.first.shifted(1), on)?;
        let high = self.high.settle(words.second.shifted(1), on)?;
        if !self.offset.settle(words, on)? {
            return Ok(None);
        }
        let bucket = (BigUint::from(high) << BASE) + low;
        Ok(signed_integer((bucket << self.offset.digits()) + words.offset, words.first.low_bit()))
    }

    #[cfg(test)]
    fn thresholds(&self) -> alloc::vec::Vec<alloc::vec::Vec<W>> {
        alloc::vec![self.low.thresholds().collect(), self.high.thresholds().collect()]
    }

    #[cfg(test)]
    fn window(&self, words: &Words<W>) -> Option<(W, W)> {
        self.offset.window(words)
    }

    fn beta(&self) -> Option<Rational> {
        let ambiguous = self.low.ambiguous() + self.high.ambiguous() + self.offset.ambiguous();
        Some(ambiguous / &self.acceptance)
    }

    fn settled(&self, visit: &mut Visit<'_>) -> Option<()> {
        let (digits, of_low) = (self.offset.digits(), self.low.settled()?);
        let offsets = (0..1u64 << digits).map(|offset| self.offset.settled(offset));
        let offsets = offsets.collect::<Option<alloc::vec::Vec<_>>>()?;
        for (high, of_high) in (0u64..).zip(self.high.settled()?) {
            for (low, of_low) in (0u64..).zip(&of_low) {
                for (offset, (accept, reject)) in (0u64..).zip(&offsets) {
                    let magnitude = ((high << BASE | low) << digits) + offset;
                    for decided in [(accept, 1), (reject, 0)] {
                        visit_settled(self, [of_low, &of_high], offset, decided, magnitude, visit)?;
                    }
                }
            }
        }
        Some(())
    }

    fn tables(&self) -> alloc::vec::Vec<&Inversion<W>> {
        alloc::vec![&self.low, &self.high]
    }

    fn decided(&self, _: u64, offset: u64) -> Option<(Run, Run)> {
        self.offset.settled(offset)
    }

    fn exponent(&self, _: u64, offset: u64) -> Rational {
        self.offset.exponent(offset)
    }

    fn stated(&self) -> Option<Stated> {
        self.offset.stated()
    }

    fn settled_digits(&self) -> u32 {
        W::BITS + Inversion::<W>::DIGITS + self.offset.digits() + O::DECIDES
    }
}
