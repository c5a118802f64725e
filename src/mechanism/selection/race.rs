//! Choices among weights e^-x that are enclosed once, whichever of them are left.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::Zero;

use super::inversion::{FIRST_BITS, SPARE_BITS, settled_by};
use crate::{
    exact::{NonNegative, Rational, exp_neg_relative},
    mechanism::opaque_debug,
    sample::{Interpreter, Program, Step},
};

/// Binary digits of a weight, relative to it, and of a sum, relative to its heaviest: so many more than
/// [`FIRST_BITS`] that the errors of 2^32 terms do not matter.
const WEIGHT_BITS: u32 = FIRST_BITS + 64;

/// log2 of the width of a bucket of exponents: within two of them an exponential is enclosed relatively.
const BUCKET_BITS: u32 = 30;

/// e^-x, as e^-(bucket·2^30) times a number in [lower, upper]·2^-precision.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    /// How many of the exponents are below x: the same for equal ones.
    rank: usize,
    bucket: BigUint,
    lower: BigUint,
    upper: BigUint,
    precision: u32,
}

impl Size {
    fn new(rank: usize, exponent: &NonNegative) -> Option<Self> {
        let (bucket, _) = exponent.get().floor().to_integer().div_rem(&(BigInt::from(1) << BUCKET_BITS));
        let inside = exponent.get() - Rational::from_integer(&bucket << BUCKET_BITS);
        let enclosed = exp_neg_relative(&NonNegative::new(inside).ok()?, WEIGHT_BITS)?;
        let (lower, upper) = enclosed.scaled_bounds();
        Some(Self {
            rank,
            bucket: bucket.to_biguint()?,
            lower: lower.to_biguint().filter(|lower| !lower.is_zero())?,
            upper: upper.to_biguint()?,
            precision: enclosed.precision(),
        })
    }

    /// The same number, relative to the bucket before.
    fn in_the_bucket_before(&self, bucket_weight: &Self) -> Option<Self> {
        Some(Self {
            rank: self.rank,
            bucket: &self.bucket - 1u32,
            lower: &self.lower * &bucket_weight.lower,
            upper: &self.upper * &bucket_weight.upper,
            precision: self.precision.checked_add(bucket_weight.precision)?,
        })
    }

    /// ⌊log2⌋ of the lower bound, plus 1.
    fn top(&self) -> i64 {
        i64::try_from(self.lower.bits()).unwrap_or(i64::MAX).saturating_sub(self.precision.into())
    }

    /// The bounds in units of 2^unit, rounded outward.
    fn in_units(&self, unit: i64) -> (BigUint, BigUint) {
        let up = i64::from(self.precision).saturating_add(unit).saturating_neg();
        let by = up.unsigned_abs();
        match up {
            0.. => (&self.lower << by, &self.upper << by),
            _ if by > self.upper.bits() => (BigUint::ZERO, BigUint::from(1u32)),
            _ => (&self.lower >> by, (&self.upper >> by) + 1u32),
        }
    }
}

/// Candidates with weights e^-xᵢ, from which one after the other is taken away.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weights {
    exponents: Arc<[NonNegative]>,
    /// Nothing where an exponential was not enclosed: no exponent is known for which it is not.
    sizes: Option<Arc<[Size]>>,
    /// e^-2^30.
    bucket_weight: Option<Arc<Size>>,
}

impl Weights {
    pub(super) fn new(exponents: Vec<NonNegative>) -> Self {
        let mut sorted: Vec<&NonNegative> = exponents.iter().collect();
        sorted.sort_unstable();
        let size = |x: &NonNegative| Size::new(sorted.partition_point(|other| *other < x), x);
        let sizes = exponents.iter().map(size).collect::<Option<Vec<_>>>();
        // Half a bucket, twice: a whole one is the start of the next.
        let half = NonNegative::new(Rational::from_integer(BigInt::from(1) << (BUCKET_BITS - 1))).ok();
        let half = half.and_then(|half| Size::new(0, &half));
        let bucket_weight =
            half.and_then(|half| Size { bucket: BigUint::from(1u32), ..half.clone() }.in_the_bucket_before(&half));
        Self { exponents: exponents.into(), sizes: sizes.map(Into::into), bucket_weight: bucket_weight.map(Arc::new) }
    }

    pub(super) fn count(&self) -> usize {
        self.exponents.len()
    }

    /// The choice among those that were not chosen, given which were.
    pub(super) fn choice_without(&self, chosen: &[usize]) -> ChoiceOfLeft {
        let mut is_left = alloc::vec![true; self.count()];
        for place in chosen {
            if let Some(left) = is_left.get_mut(*place) {
                *left = false;
            }
        }
        let left: Arc<[usize]> =
            is_left.iter().enumerate().filter(|(_, left)| **left).map(|(place, _)| place).collect();
        let sums = self.sums(&left).unwrap_or_default();
        ChoiceOfLeft { exponents: self.exponents.clone(), left, sums: sums.into() }
    }

    /// Encloses the sums of the first 1, 2, … weights of those that are left, in units of their own.
    fn sums(&self, left: &[usize]) -> Option<Vec<(BigUint, BigUint)>> {
        let sizes: Vec<&Size> = left.iter().map(|place| self.sizes.as_ref()?.get(*place)).collect::<Option<_>>()?;
        let heaviest = *sizes.iter().min_by_key(|size| size.rank)?;
        let unit = heaviest.top().saturating_sub(WEIGHT_BITS.into());
        // Equal weights are so exactly: their shares may be binary fractions, on which no enclosure but a
        // point decides.
        let are_equal = sizes.iter().all(|size| size.rank == heaviest.rank);
        let in_units = |size: &Size| match (&size.bucket - &heaviest.bucket).bits() {
            _ if are_equal => Some((BigUint::from(1u32), BigUint::from(1u32))),
            0 => Some(size.in_units(unit)),
            1 => Some(size.in_the_bucket_before(self.bucket_weight.as_ref()?)?.in_units(unit)),
            // Two buckets on it is e^-2^30 of the heaviest at most: less than a unit.
            _ => Some((BigUint::ZERO, BigUint::from(1u32))),
        };
        let mut total = (BigUint::ZERO, BigUint::ZERO);
        let mut sums = Vec::with_capacity(sizes.len());
        for size in sizes {
            let (lower, upper) = in_units(size)?;
            total = (total.0 + lower, total.1 + upper);
            sums.push(total.clone());
        }
        Some(sums)
    }
}

/// One of those that are left, with P(i) ∝ e^-xᵢ: a uniform number is revealed bit by bit until it is on one
/// side of each of the cumulative probabilities, as in [`Inversion`](super::Inversion), whose choice this is
/// from the same bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChoiceOfLeft {
    exponents: Arc<[NonNegative]>,
    left: Arc<[usize]>,
    sums: Arc<[(BigUint, BigUint)]>,
}

opaque_debug!(Weights, ChoiceOfLeft);

impl ChoiceOfLeft {
    /// The place among those left of U in [prefix, prefix + 1]·2^-length, if the sums tell.
    fn settled(&self, prefix: &BigUint, length: u32) -> Option<usize> {
        let ((least_total, most_total), boundaries) = self.sums.split_last()?;
        let (least, most) = (prefix * least_total, (prefix + 1u32) * most_total);
        // Uᵢ·2^length ≤ prefix·T: the i-th boundary is at most U. The upper bounds do not decrease.
        let below = boundaries.partition_point(|(_, upper)| upper << length <= least);
        boundaries.get(below).is_none_or(|(lower, _)| most <= lower << length).then_some(below)
    }
}

impl Program for ChoiceOfLeft {
    /// The first bits of U, and how many they are.
    type State = (BigUint, u32);
    type Output = usize;

    fn start(&self) -> (BigUint, u32) {
        (BigUint::ZERO, 0)
    }

    fn step<I: Interpreter>(&self, (prefix, length): (BigUint, u32), on: &mut I) -> Step<Self, I> {
        let taken = |place: usize| self.left.get(place).copied();
        if length == 0 && self.left.len() == 1 {
            return Ok(ControlFlow::Break(taken(0).ok_or_else(|| on.overflow())?));
        }
        let prefix = (prefix << 1u32) | BigUint::from(on.bits(1)?);
        let length = length.checked_add(1).ok_or_else(|| on.overflow())?;
        let found = if length <= FIRST_BITS - SPARE_BITS && !self.sums.is_empty() {
            self.settled(&prefix, length)
        } else {
            let exponents = self.left.iter().filter_map(|place| self.exponents.get(*place)).cloned().collect();
            settled_by(exponents, &prefix, length).ok_or_else(|| on.overflow())?
        };
        let Some(place) = found else { return Ok(ControlFlow::Continue((prefix, length))) };
        Ok(ControlFlow::Break(taken(place).ok_or_else(|| on.overflow())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bits::seeded, exact::parse, mechanism::selection::exponential::softmax};

    /// The same choice from the same bits as by inversion, whichever are left, and wherever the exponents
    /// are: near each other, far from each other, within a bucket, across two, and far beyond.
    #[test]
    fn the_choice_is_that_of_inversion() {
        for exponents in [
            &["0", "1/3", "2", "2", "7/2", "1"][..],
            &["0", "1000000", "1000001", "1000001.5"],
            &["1073741823", "1073741824", "1073741825", "1073741823.5", "0"],
            &["1e30", "1e30", "1e40", "1000000000000000000000000000001"],
            &["2147483648", "1073741823.75", "3221225472"],
        ] {
            let exponents: Vec<NonNegative> =
                exponents.iter().map(|text| NonNegative::new(parse(text).unwrap()).unwrap()).collect();
            let weights = Weights::new(exponents.clone());
            for gone in 0..(1_u32 << exponents.len()) - 1 {
                let chosen: Vec<usize> = (0..exponents.len()).filter(|place| gone >> place & 1 == 1).collect();
                let left: Vec<usize> = (0..exponents.len()).filter(|place| gone >> place & 1 == 0).collect();
                let choice = weights.choice_without(&chosen);
                assert_eq!(choice.sums.len(), left.len());
                let inversion = softmax(left.iter().map(|place| exponents[*place].clone()), left.len()).unwrap();
                let (mut one, mut other) = (seeded([7; 32]), seeded([7; 32]));
                for _ in 0..30 {
                    assert_eq!(choice.sample(&mut one).unwrap(), left[inversion.sample(&mut other).unwrap()]);
                }
                let bits = crate::bits::Bits::take;
                assert_eq!(bits(&mut one, 64), bits(&mut other, 64));
            }
        }
    }
}
