//! What one trial does with its random words, and two of the three constructions: direct and bucketed.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use alloc::vec::Vec;

use super::{Word, acceptance::Acceptance, inversion::Inversion, inversion::Series, word::Noise};
use super::{edges::Stated, inversion::Run};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational},
    sample::{Interpreter, machine::Machine},
};

/// The random words of one trial. What a construction does not draw is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<W> {
    /// The first table's number, and the sign in its last bit.
    pub(super) first: W,
    /// The second table's number; its last bit goes unused.
    pub(super) second: W,
    /// The offset.
    pub(super) offset: u64,
    /// The number that decides whether the offset is accepted.
    pub(super) accept: W,
}

/// What one trial found, without a branch on any random bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial<S> {
    /// The noise, if it is accepted.
    pub candidate: S,
    /// 1 if it is accepted, 0 if not: how many trials a sample takes says nothing about the sample, so this
    /// is no secret.
    pub accepted: u64,
    /// 1 if the words do not decide, and the exact path must: the event of probability β.
    pub ambiguous: u64,
}

/// A construction.
pub trait Shape<W: Word> {
    /// Whether there is a second table.
    const SECOND: bool;
    /// Whether there are offsets, with their acceptance.
    const OFFSET: bool;

    /// How many binary digits an offset has.
    fn digits(&self) -> u32;

    /// Whether a zero counts with one sign only.
    fn rejects_negative_zero(&self) -> bool {
        true
    }

    /// One trial, on its words alone.
    fn trial(&self, words: &Words<W>) -> Trial<Noise<W>>;

    /// The same trial, exactly, with more digits of the same numbers where they are needed; `None` if it is
    /// rejected.
    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<Option<Integer>, I::Error>;

    /// Bounds the probability that a sample meets an ambiguous trial.
    fn beta(&self) -> Option<Rational>;

    /// The thresholds of each table.
    #[cfg(test)]
    fn thresholds(&self) -> alloc::vec::Vec<alloc::vec::Vec<W>>;

    /// The first word of the acceptance's window, and the window's width, if there are offsets.
    #[cfg(test)]
    fn window(&self, _: &Words<W>) -> Option<(W, W)> {
        None
    }

    /// Visits every outcome of a trial (`None`: rejected) with how many of 2^`settled_digits` equally likely
    /// words are settled on it.
    ///
    /// Evaluates the shipped trial at both ends of every run of words. `None` if it does not say there what
    /// it must.
    fn settled(&self, visit: &mut Visit<'_>) -> Option<()>;

    /// The digits that `settled` counts words of, the sign among them.
    fn settled_digits(&self) -> u32;

    /// The tables, the first and perhaps a second.
    fn tables(&self) -> Vec<&Inversion<W>>;

    /// The words that accept an offset and those that reject it; where none is drawn, there is nothing to
    /// reject.
    fn decided(&self, _bucket: u64, _offset: u64) -> Option<(Run, Run)> {
        Some((Run::of_nothing_drawn(), Run::empty()))
    }

    /// x, where an offset is accepted with e^-x.
    fn exponent(&self, _bucket: u64, _offset: u64) -> Rational {
        Rational::from_integer(0.into())
    }

    /// What the acceptance states about its error, if there is one.
    fn stated(&self) -> Option<Stated> {
        None
    }
}

/// The signed number, or nothing for a negative zero.
pub(super) fn signed_integer(magnitude: BigUint, negative: u64) -> Option<Integer> {
    let magnitude = Integer::from(magnitude);
    match (negative, magnitude.is_zero()) {
        (0, _) => Some(magnitude),
        (_, true) => None,
        (_, false) => Some(magnitude.neg()),
    }
}

/// What sign (0 or 1) and magnitude give: the noise, and 1 unless it is a negative zero; without a branch.
#[inline]
pub(super) fn signed<M: Machine>(magnitude: M, negative: u64) -> (M::Signed, u64) {
    (magnitude.signed(M::cut(negative)), u64::from(magnitude != M::default()) | (negative ^ 1))
}

/// The place `offset` of a bucket of 2^digits places.
#[inline]
pub(super) fn place<M: Machine>(bucket: u64, digits: u32, offset: u64) -> M {
    M::cut(bucket).shifted_up(digits).or(M::cut(offset))
}

/// Whether `buckets` buckets of 2^digits places have magnitudes below 2^(BITS − 1), which a signed machine
/// word holds.
pub(super) fn fits<M: Machine>(buckets: usize, digits: u32) -> bool {
    BigUint::from(buckets) << digits <= BigUint::one() << (M::BITS - 1)
}

/// What [`Shape::settled`] reports to.
pub type Visit<'v> = dyn FnMut(Option<i64>, BigUint) + 'v;

/// Whether a trial says what it must, at both ends of the runs of its words together; then its outcomes are
/// visited.
pub(super) fn visit_settled<W: Word>(
    shape: &impl Shape<W>,
    tables: [&Run; 2],
    offset: u64,
    decided: (&Run, u64),
    magnitude: u64,
    visit: &mut Visit<'_>,
) -> Option<()> {
    let [first, second] = tables;
    let (accept, accepts) = decided;
    for negative in [0, 1] {
        let is_zero_once = accepts == 1 && (magnitude != 0 || negative == 0 || !shape.rejects_negative_zero());
        let ends = first.ends::<W>().zip(second.ends::<W>()).zip(accept.ends::<W>());
        for ((first, second), accept) in ends {
            // The number without its sign, which is the last bit.
            let word = (first.to_big() << 1u32) + negative;
            let words =
                Words { first: W::from_big(&word)?, second: W::from_big(&(second.to_big() << 1u32))?, offset, accept };
            let trial = shape.trial(&words);
            let candidate: i64 = trial.candidate.into();
            let says = (trial.accepted == 1, trial.ambiguous, candidate.unsigned_abs(), candidate < 0);
            if says != (is_zero_once, 0, magnitude, negative == 1 && magnitude != 0) {
                return None;
            }
        }
        let words = &first.words * &second.words * &accept.words;
        visit(is_zero_once.then(|| signed(magnitude, negative).0), words);
    }
    Some(())
}

/// A rational that is positive, as most are here by construction.
pub(super) fn positive(value: Rational) -> Option<Positive> {
    Positive::new(value).ok()
}

/// *Direct*: the table is that of |k| itself, zero counted once. Every trial is accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Direct<W> {
    magnitude: Inversion<W>,
}

impl<W: Word> Direct<W> {
    /// P(k) ∝ e^-(ratio + (ratio + fall) + … ), |k| terms.
    pub(super) fn new(ratio: Positive, fall: NonNegative) -> Option<Self> {
        let series = Series { ratio: ratio.into(), fall, folded: true, length: None };
        let magnitude = Inversion::new(series)?;
        fits::<W::Machine>(magnitude.count(), 0).then_some(Self { magnitude })
    }
}

impl<W: Word> Shape<W> for Direct<W> {
    const SECOND: bool = false;
    const OFFSET: bool = false;

    fn digits(&self) -> u32 {
        0
    }

    // Into the kernel, whoever else calls it: what is checked there is then all of it.
    #[inline(always)]
    fn trial(&self, words: &Words<W>) -> Trial<Noise<W>> {
        let (magnitude, ambiguous) = self.magnitude.scan(words.first.shifted(1));
        let (candidate, _) = signed(place::<W::Machine>(magnitude, 0, 0), words.first.low_bit());
        Trial { candidate, accepted: 1, ambiguous }
    }

    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let magnitude = Integer::from(self.magnitude.settle(words.first.shifted(1), on)?);
        Ok(Some(if words.first.low_bit() == 1 { magnitude.neg() } else { magnitude }))
    }

    #[cfg(test)]
    fn thresholds(&self) -> alloc::vec::Vec<alloc::vec::Vec<W>> {
        alloc::vec![self.magnitude.thresholds().collect()]
    }

    fn beta(&self) -> Option<Rational> {
        Some(self.magnitude.ambiguous())
    }

    fn rejects_negative_zero(&self) -> bool {
        false
    }

    fn settled(&self, visit: &mut Visit<'_>) -> Option<()> {
        let none = Run::of_nothing_drawn();
        for (magnitude, run) in (0u64..).zip(self.magnitude.settled()?) {
            visit_settled(self, [&run, &none], 0, (&none, 1), magnitude, visit)?;
        }
        Some(())
    }

    fn settled_digits(&self) -> u32 {
        W::BITS
    }

    fn tables(&self) -> Vec<&Inversion<W>> {
        alloc::vec![&self.magnitude]
    }
}

/// *Bucketed* Gaussian: bucket b with weight e^(-(bw)²/2σ²), a uniform offset r below w, accepted with
/// e^(-(2bwr + r²)/2σ²); then P(bw + r) ∝ e^(-(bw + r)²/2σ²). A fair sign; negative zero is rejected.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucketed<W: Word> {
    bucket: Inversion<W>,
    offset: Acceptance<W, true>,
    acceptance: Rational,
}

/// How many parts a bucket is divided into, at most, to bound its acceptance: 2^3.
const PARTS: u32 = 3;

impl<W: Word> Bucketed<W> {
    /// `unit` = 1/2σ², w = 2^digits.
    pub(super) fn new(unit: &Positive, digits: u32) -> Option<Self> {
        let steps = |digits: u32| {
            let ratio = positive(unit.get() * (BigInt::one() << (2 * digits)))?;
            let fall = positive(ratio.get() * BigInt::from(2))?;
            Some(Series { ratio: ratio.into(), fall: fall.into(), folded: false, length: None })
        };
        let bucket = Inversion::new(steps(digits)?)?;
        if !fits::<W::Machine>(bucket.count(), digits) {
            return None;
        }
        let offset = Acceptance::new(unit, digits, bucket.count())?;
        // With g(k) = e^(-k²/2σ²), which falls, and h a power of two that divides w: Σ_{k≥0} g(k) ≥ 1 +
        // h·Σ_{j≥1} g(jh), and a half of g(0) is rejected. So a trial is accepted with probability at least
        // (h·(S_h − 1) + 1/2)/(w·S_w), S_h = Σ_{j≥0} g(jh).
        let h = digits.saturating_sub(PARTS);
        let (_, of_parts) = steps(h)?.sums(W::BITS)?;
        let (_, of_buckets) = bucket.series().sums(W::BITS)?;
        let half = Rational::new(1.into(), 2.into());
        let accepted = (of_parts.lower() - Rational::one()) * (BigInt::one() << h) + half;
        let acceptance = accepted / (of_buckets.upper() * (BigInt::one() << digits));
        Some(Self { bucket, offset, acceptance })
    }
}

impl<W: Word> Shape<W> for Bucketed<W> {
    const SECOND: bool = false;
    const OFFSET: bool = true;

    #[inline]
    fn digits(&self) -> u32 {
        self.offset.digits()
    }

    // Into the kernel, whoever else calls it: what is checked there is then all of it.
    #[inline(always)]
    fn trial(&self, words: &Words<W>) -> Trial<Noise<W>> {
        let (bucket, unsettled) = self.bucket.scan(words.first.shifted(1));
        let (accepted, undecided) = self.offset.decide(self.offset.start(bucket, words.offset), words.accept);
        let magnitude = place::<W::Machine>(bucket, self.offset.digits(), words.offset);
        let (candidate, counts) = signed(magnitude, words.first.low_bit());
        Trial { candidate, accepted: accepted & counts, ambiguous: unsettled | undecided }
    }

    fn settle<I: Interpreter>(&self, words: &Words<W>, on: &mut I) -> Result<Option<Integer>, I::Error> {
        let bucket = self.bucket.settle(words.first.shifted(1), on)?;
        if !self.offset.settle(bucket, words.offset, words.accept, on)? {
            return Ok(None);
        }
        let magnitude = (BigUint::from(bucket) << self.offset.digits()) + words.offset;
        Ok(signed_integer(magnitude, words.first.low_bit()))
    }

    #[cfg(test)]
    fn thresholds(&self) -> alloc::vec::Vec<alloc::vec::Vec<W>> {
        alloc::vec![self.bucket.thresholds().collect()]
    }

    #[cfg(test)]
    fn window(&self, words: &Words<W>) -> Option<(W, W)> {
        let (bucket, _) = self.bucket.scan(words.first.shifted(1));
        Some((self.offset.start(bucket, words.offset), self.offset.window()))
    }

    fn beta(&self) -> Option<Rational> {
        // The expected number of trials is 1/acceptance, and each is ambiguous with at most this probability.
        Some((self.bucket.ambiguous() + self.offset.ambiguous()) / &self.acceptance)
    }

    fn settled(&self, visit: &mut Visit<'_>) -> Option<()> {
        let (none, digits) = (Run::of_nothing_drawn(), self.offset.digits());
        for (bucket, run) in (0u64..).zip(self.bucket.settled()?) {
            for offset in 0..1u64 << digits {
                let (accept, reject) = self.offset.settled(bucket, offset)?;
                for decided in [(&accept, 1), (&reject, 0)] {
                    visit_settled(self, [&run, &none], offset, decided, (bucket << digits) + offset, visit)?;
                }
            }
        }
        Some(())
    }

    fn settled_digits(&self) -> u32 {
        W::BITS + self.offset.digits() + W::BITS
    }

    fn tables(&self) -> Vec<&Inversion<W>> {
        alloc::vec![&self.bucket]
    }

    fn decided(&self, bucket: u64, offset: u64) -> Option<(Run, Run)> {
        self.offset.settled(bucket, offset)
    }

    fn exponent(&self, bucket: u64, offset: u64) -> Rational {
        self.offset.exponent(bucket, offset)
    }

    fn stated(&self) -> Option<Stated> {
        Some(self.offset.stated(self.bucket.count()))
    }
}

/// The largest m with (fewest·2^m)² ≤ σ², or 0.
pub(super) fn gaussian_digits(variance: &Positive, fewest: u32) -> u32 {
    // ⌊√(N/D)⌋ = ⌊√⌊N/D⌋⌋, of which only the length matters: 2^j ≤ σ iff 2^j ≤ ⌊σ⌋.
    let root = (variance.numerator() / variance.denominator()).sqrt();
    digits_below(&root, fewest)
}

/// The largest m with fewest·2^m ≤ s, or 0.
pub(super) fn laplace_digits(scale: &Positive, fewest: u32) -> u32 {
    digits_below(&(scale.numerator() / scale.denominator()), fewest)
}

fn digits_below(whole: &BigUint, fewest: u32) -> u32 {
    whole.bits().to_u32().unwrap_or(u32::MAX).saturating_sub(1 + fewest)
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/fixed/shape.rs"]
mod proofs;
