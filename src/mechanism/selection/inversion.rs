//! A choice among weights c·e^-x, however small, by inverting the cumulative distribution lazily.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use crate::{
    exact::{Enclosure, NonNegative, Rational, exp_neg},
    guarantee::Weight,
    mechanism::opaque_debug,
    sample::{Interpreter, Program, Step},
};

/// Every factor is 0, or there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at least one weight must be positive")]
pub struct NoWeightError;

/// A choice among finitely many alternatives: P(i) = cᵢ·e^-xᵢ / Σⱼ cⱼ·e^-xⱼ. The output is the index i.
///
/// # Algorithm
///
/// A uniform real U is revealed bit by bit and compared with enclosures of the cumulative probabilities F₁ ≤
/// F₂ ≤ …, until it is on one side of each: i is the number of them that are at most U. Rounding never
/// decides: an enclosure that leaves it open is computed again, narrower, beside more bits of the same U. So
/// the cost grows with the number of alternatives, and not with how unequal they are;
/// [`Choice`](crate::sample::Choice), which proposes and accepts, slows down where a large factor has a small
/// e^-x.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Rational}, guarantee::Weight, mechanism::selection::Inversion, sample::Program};
///
/// let weigh = |x: i64| Weight { factor: NonNegative::one(), exponent: NonNegative::new(Rational::from_integer(x.into())).unwrap() };
/// let choice = Inversion::new(vec![weigh(1_000_000_000), weigh(0), weigh(5_000)])?;
/// assert_eq!(choice.sample(&mut seeded([0; 32])), Ok(1));
/// # Ok::<(), certus::mechanism::selection::NoWeightError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inversion {
    /// Invariant: the least exponent of a positive factor is 0, and its factor is 1.
    weights: Arc<[Weight]>,
    /// F₁, …, F₍ₙ₋₁₎ enclosed to [`FIRST_BITS`] bits.
    first: Arc<[(BigUint, BigUint)]>,
}

opaque_debug!(Inversion);

/// The precision of the enclosures that are kept.
pub(super) const FIRST_BITS: u32 = 128;

/// How many more bits an enclosure has than were revealed of U, at least: so seldom is it the enclosure that
/// leaves something open.
pub(super) const SPARE_BITS: u32 = 48;

impl Inversion {
    /// The choice with these weights.
    ///
    /// # Errors
    ///
    /// If no weight is positive.
    pub fn new(weights: Vec<Weight>) -> Result<Self, NoWeightError> {
        let positive = weights.iter().filter(|weight| !weight.is_zero());
        let heaviest = positive.min_by(|a, b| a.exponent.cmp(&b.exponent)).ok_or(NoWeightError)?;
        let (unit, least) = (heaviest.factor.get().clone(), heaviest.exponent.get().clone());
        let normal = weights.iter().map(|weight| {
            // An exponent below the least is that of a factor 0, and never matters.
            let exponent = (weight.exponent.get() - &least).max(Rational::zero());
            Some(Weight {
                factor: NonNegative::new(weight.factor.get() / &unit).ok()?,
                exponent: NonNegative::new(exponent).ok()?,
            })
        });
        let weights: Arc<[Weight]> = normal.collect::<Option<Vec<_>>>().ok_or(NoWeightError)?.into();
        let first = boundaries(&weights, FIRST_BITS).ok_or(NoWeightError)?.into();
        Ok(Self { weights, first })
    }

    /// The alternative that U in [prefix, prefix + 1]·2^-length is in, if these boundaries (in units of
    /// 2^-precision) tell.
    fn settled(boundaries: &[(BigUint, BigUint)], precision: u32, prefix: &BigUint, length: u32) -> Option<usize> {
        let finer = precision.checked_sub(length)?;
        let (least, most) = (prefix << finer, (prefix + 1u32) << finer);
        // The upper bounds do not decrease, so those at most U come first.
        let below = boundaries.partition_point(|(_, upper)| *upper <= least);
        boundaries.get(below).is_none_or(|(lower, _)| most <= *lower).then_some(below)
    }
}

/// Encloses F₁, …, F₍ₙ₋₁₎ in units of 2^-precision: Fᵢ is the share of the first i weights.
fn boundaries(weights: &[Weight], precision: u32) -> Option<Vec<(BigUint, BigUint)>> {
    // The total is at least 1, the weight of the heaviest. An error of 2^-working in each exponential is one
    // of Σc·2^-working in a sum, so that many bits more make the shares as narrow as asked.
    let factors: Rational = weights.iter().map(|weight| weight.factor.get()).sum();
    let working = precision.checked_add(u32::try_from(factors.ceil().to_integer().bits()).ok()?)?.checked_add(8)?;
    let value =
        |weight: &Weight| exp_neg(&weight.exponent, working).at_precision(working).mul_rational(weight.factor.get());
    let mut total = Enclosure::from_integer(0, working);
    let mut sums = Vec::with_capacity(weights.len());
    for weight in weights {
        total = total.add(&value(weight));
        sums.push(total.clone());
    }
    sums.pop();
    let scaled = |bound: Rational| bound * Rational::from_integer(BigInt::one() << precision);
    let share = |sum: &Enclosure| {
        let share = sum.div(&total)?;
        let (lower, upper) = (scaled(share.lower()).floor().to_integer(), scaled(share.upper()).ceil().to_integer());
        Some((lower.to_biguint().unwrap_or_default(), upper.to_biguint()?))
    };
    sums.iter().map(share).collect()
}

/// The alternative of weights e^-xᵢ that U in [prefix, prefix + 1]·2^-length is in, by enclosures made for
/// it; the inner nothing if even these do not tell.
pub(super) fn settled_by(exponents: Vec<NonNegative>, prefix: &BigUint, length: u32) -> Option<Option<usize>> {
    let weights = exponents.into_iter().map(|exponent| Weight { factor: NonNegative::one(), exponent }).collect();
    let choice = Inversion::new(weights).ok()?;
    let precision = length.checked_add(SPARE_BITS)?;
    Some(Inversion::settled(&boundaries(&choice.weights, precision)?, precision, prefix, length))
}

impl Program for Inversion {
    /// The first bits of U, and how many they are.
    type State = (BigUint, u32);
    type Output = usize;

    fn start(&self) -> (BigUint, u32) {
        (BigUint::ZERO, 0)
    }

    fn step<I: Interpreter>(&self, (prefix, length): (BigUint, u32), on: &mut I) -> Step<Self, I> {
        if length == 0 && self.first.is_empty() {
            return Ok(ControlFlow::Break(0));
        }
        let prefix = (prefix << 1u32) | BigUint::from(on.bits(1)?);
        let length = length.checked_add(1).ok_or_else(|| on.overflow())?;
        let found = if length <= FIRST_BITS - SPARE_BITS {
            Self::settled(&self.first, FIRST_BITS, &prefix, length)
        } else {
            let precision = length.checked_add(SPARE_BITS).ok_or_else(|| on.overflow())?;
            let narrow = boundaries(&self.weights, precision).ok_or_else(|| on.overflow())?;
            Self::settled(&narrow, precision, &prefix, length)
        };
        Ok(found.map_or(ControlFlow::Continue((prefix, length)), ControlFlow::Break))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{Bits, BitsError, Replay, Tape};
    use alloc::vec;

    fn weight(c: (u64, u64), x: (u64, u64)) -> Weight {
        let of = |(n, d): (u64, u64)| NonNegative::new(Rational::new(n.into(), d.into())).unwrap();
        Weight { factor: of(c), exponent: of(x) }
    }

    #[test]
    fn nothing_to_choose_from() {
        assert_eq!(Inversion::new(vec![]), Err(NoWeightError));
        assert_eq!(Inversion::new(vec![weight((0, 1), (1, 1))]), Err(NoWeightError));
    }

    /// One alternative takes no bits; a weight of 0 is never chosen, wherever it stands and however small its
    /// exponent.
    #[test]
    fn what_is_certain_costs_nothing() {
        let mut none = Replay::new(Tape::default());
        assert_eq!(Inversion::new(vec![weight((3, 1), (7, 2))]).unwrap().sample(&mut none), Ok(0));
        let sure =
            Inversion::new(vec![weight((0, 1), (0, 1)), weight((1, 9), (8, 1)), weight((0, 1), (9, 1))]).unwrap();
        let mut seeded = crate::bits::seeded([3; 32]);
        for _ in 0..200 {
            assert_eq!(sure.sample(&mut seeded), Ok(1));
        }
    }

    /// Equal weights at a dyadic boundary: 1/2 is enclosed by a point, so that the first bit decides.
    #[test]
    fn halves_take_one_bit() {
        let coin = Inversion::new(vec![weight((5, 1), (2, 1)), weight((5, 1), (2, 1))]).unwrap();
        for (tape, side) in [("0", 0), ("1", 1)] {
            assert_eq!(coin.sample(&mut Replay::new(tape.parse::<Tape>().unwrap())), Ok(side));
        }
    }

    /// Past the enclosures that are kept, narrower ones go on deciding: along the very boundary's digits, for
    /// 200 bits.
    #[test]
    fn a_boundary_is_followed_as_far_as_the_bits_go() {
        struct Along(BigUint, u32);
        impl Bits for Along {
            fn take(&mut self, count: u32) -> Result<u64, BitsError> {
                assert_eq!(count, 1);
                self.1 = self.1.checked_sub(1).ok_or(BitsError::TapeEnded)?;
                Ok(u64::from(self.0.bit(self.1.into())))
            }
        }
        let weights = vec![weight((1, 1), (1, 3)), weight((1, 1), (0, 1))];
        let coin = Inversion::new(weights.clone()).unwrap();
        let (lower, upper) = boundaries(&coin.weights, 300).unwrap().remove(0);
        assert!(&upper - &lower <= BigUint::from(2u32));
        let digits: BigUint = lower >> 100u32;
        assert_eq!(coin.sample(&mut Along(digits.clone(), 200)), Err(BitsError::TapeEnded));
        // A unit to either side in the 200th place, then all ones or all zeros: it is settled, and rightly.
        let below: BigUint = ((&digits - 1u32) << 20u32) | BigUint::from((1u32 << 20) - 1);
        assert_eq!(coin.sample(&mut Along(below, 220)), Ok(0));
        let above: BigUint = (digits + 1u32) << 20u32;
        assert_eq!(coin.sample(&mut Along(above, 220)), Ok(1));
    }
}
