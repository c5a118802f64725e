//! Means: over a count that is private, and over one that is public.

use alloc::vec::Vec;
use core::convert::Infallible;

use num_bigint::BigInt;

use super::{Bounds, NoisyInteger, NoisyVector, RecordsError, StatisticError, sum::total};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Attained, Domination, Guarantee, Pair, Relation},
    mechanism::{Private, selection::dominated_by_a_response},
};

/// The mean of clamped records, as a noisy sum over a noisy count: releases [Σ (2x − lower − upper), n], each
/// with Laplace noise.
///
/// The sum is of the records' doubled distance to the middle, an integer from −w to w with w = upper − lower,
/// which is half as sensitive as that of the records themselves may be. [`Mean::estimate`] turns the two
/// numbers into a mean; being post-processing, it costs nothing. The count must be noisy: a mean over the
/// true count tells it.
///
/// # Guarantee
///
/// Pure, and tight: for add/remove neighbours ε = w/scale_sum + 1/scale_count, attained by a record at either
/// bound, which moves both; for change-one neighbours the count does not move, and ε = 2w/scale_sum.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::{Bounds, Mean}}};
///
/// let scale = |n: i64| Positive::new(Rational::from_integer(n.into()));
/// let mean = Mean::new(Bounds::new(0, 100)?, &scale(400)?, &scale(4)?, Relation::AddRemove)?;
/// let records: Vec<i64> = (0..10_000).map(|i| i % 101).collect();
/// let released = mean.release(&records, &mut seeded([0; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1/2; neighbours: add or remove one");
/// let estimate = mean.estimate(released.get()).unwrap();
/// assert!(estimate > Rational::from_integer(49.into()) && estimate < Rational::from_integer(51.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mean {
    bounds: Bounds,
    scale_sum: Positive,
    scale_count: Positive,
    epsilon: Rational,
    guarantee: Guarantee,
}

impl Mean {
    /// Records clamped to `bounds`, with noise of these scales on the doubled, centred sum and on the count.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which bounds and positive scales exclude.
    pub fn new(
        bounds: Bounds,
        scale_sum: &Positive,
        scale_count: &Positive,
        relation: Relation,
    ) -> Result<Self, StatisticError> {
        let width = Rational::from_integer(bounds.width().into());
        let epsilon = match relation {
            Relation::AddRemove => &width / scale_sum.get() + scale_count.get().recip(),
            Relation::ChangeOne => (&width + &width) / scale_sum.get(),
        };
        let guarantee = Guarantee::pure(relation, Real::from(epsilon.clone()))?;
        Ok(Self { bounds, scale_sum: scale_sum.clone(), scale_count: scale_count.clone(), epsilon, guarantee })
    }

    /// The mean that a release tells: the middle, plus sum/2·count, clamped to the bounds; nothing for
    /// something that is no release of two numbers. A count below 1 is taken for 1.
    #[must_use]
    pub fn estimate(&self, released: &[Integer]) -> Option<Rational> {
        let [sum, count] = released else { return None };
        let count = count.to_big().max(BigInt::from(1));
        let (lower, upper) =
            (Rational::from_integer(self.bounds.lower().into()), Rational::from_integer(self.bounds.upper().into()));
        let mean = (&lower + &upper) / Rational::from_integer(2.into()) + Rational::new(sum.to_big(), count * 2);
        Some(mean.clamp(lower, upper))
    }
}

/// lower + upper, of which the middle is half.
pub(super) fn twice_the_middle(bounds: &Bounds) -> BigInt {
    BigInt::from(bounds.lower()) + BigInt::from(bounds.upper())
}

/// Σ (2x − lower − upper) over the clamped records.
pub(super) fn centred(records: &[i64], bounds: &Bounds) -> BigInt {
    BigInt::from(total(records, bounds)) * 2 - BigInt::from(records.len()) * twice_the_middle(bounds)
}

impl Private for Mean {
    type Input = [i64];
    type Release = NoisyVector;
    type Error = Infallible;

    fn on(&self, records: &[i64]) -> Result<NoisyVector, Infallible> {
        let sum = Integer::from(centred(records, &self.bounds));
        let count = Integer::from(BigInt::from(records.len()));
        let coordinates: Vec<_> =
            [NoisyInteger::new(sum, &self.scale_sum), NoisyInteger::new(count, &self.scale_count)].into();
        Ok(coordinates.into_iter().collect())
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: the losses of Laplace noise are not ±ε alone.
    fn domination(&self) -> Domination {
        dominated_by_a_response(&self.epsilon, self.guarantee.relation())
    }
}

/// The mean of n clamped records, n being public: a noisy sum, to be divided by n.
///
/// # Guarantee
///
/// Pure (upper − lower)/scale, tight, for change-one neighbours, since others differ in n. As the sensitivity
/// of the mean is (upper − lower)/n, noise of this scale on the sum is noise of scale/n on the mean.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, mechanism::{Private, statistic::{Bounds, MeanOfKnown}}};
///
/// // Values in [−1, 1]: the mean of 4 moves by at most 2/4; with noise of scale 2 on the sum, ε = 1.
/// let mean = MeanOfKnown::new(Bounds::new(-1, 1)?, 4, &Positive::new(Rational::from_integer(2.into()))?)?;
/// let released = mean.release(&[1, 1, -1, 0], &mut seeded([0; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1; neighbours: change one");
/// assert!(mean.on(&[1]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MeanOfKnown {
    bounds: Bounds,
    records: u64,
    scale: Positive,
    guarantee: Guarantee,
}

impl MeanOfKnown {
    /// Of `records` records clamped to `bounds`, with noise of this scale on their sum.
    ///
    /// # Errors
    ///
    /// If there are no records.
    pub fn new(bounds: Bounds, records: u64, scale: &Positive) -> Result<Self, StatisticError> {
        if records == 0 {
            return Err(StatisticError::NoRecords);
        }
        let epsilon = Rational::from_integer(bounds.width().into()) / scale.get();
        let guarantee = Guarantee::pure(Relation::ChangeOne, Real::from(epsilon))?;
        Ok(Self { bounds, records, scale: scale.clone(), guarantee })
    }

    /// The mean that a release tells: sum/n, clamped to the bounds.
    #[must_use]
    pub fn estimate(&self, released: &Integer) -> Rational {
        let (lower, upper) =
            (Rational::from_integer(self.bounds.lower().into()), Rational::from_integer(self.bounds.upper().into()));
        Rational::new(released.to_big(), self.records.max(1).into()).clamp(lower, upper)
    }
}

impl Private for MeanOfKnown {
    type Input = [i64];
    type Release = NoisyInteger;
    type Error = RecordsError;

    fn on(&self, records: &[i64]) -> Result<NoisyInteger, RecordsError> {
        if u64::try_from(records.len()) != Ok(self.records) {
            return Err(RecordsError { records: self.records });
        }
        Ok(NoisyInteger::new(Integer::from(BigInt::from(total(records, &self.bounds))), &self.scale))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by records of which the first is at the lower bound and then at the upper.
    fn domination(&self) -> Domination {
        let pair = Pair::Laplace { scale: self.scale.clone(), shift: self.bounds.width().into() };
        Domination::by(pair).attained(Attained::ByNeighbours(Relation::ChangeOne))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positive(n: i64) -> Positive {
        Positive::new(Rational::from_integer(n.into())).unwrap()
    }

    /// Without noise the estimate is the mean, whatever the bounds' parity and sign.
    #[test]
    fn the_estimate_is_the_mean() {
        for (lower, upper) in [(0, 5), (-3, 4), (-7, -2), (i64::MIN, i64::MAX)] {
            let bounds = Bounds::new(lower, upper).unwrap();
            let mean = Mean::new(bounds, &positive(1), &positive(1), Relation::AddRemove).unwrap();
            for records in [&[lower, upper, upper][..], &[lower / 2 + upper / 2], &[lower + 1, upper - 1, lower, lower]]
            {
                let exact = records.iter().map(|x| BigInt::from(*x)).sum::<BigInt>();
                let exact = Rational::new(exact, records.len().into());
                let noiseless = [centred(records, &bounds), records.len().into()].map(Integer::from);
                assert_eq!(mean.estimate(&noiseless), Some(exact));
            }
            let beyond = [Integer::from(i64::MAX).add(&Integer::from(u64::MAX)), Integer::from(-3)];
            assert_eq!(
                mean.estimate(&beyond),
                Some(Rational::from_integer(upper.into())),
                "clamped, and no division by 0"
            );
            assert_eq!(mean.estimate(&[]), None);
        }
    }

    /// No error text tells anything but the declared number.
    #[test]
    fn errors_are_public() {
        let mean = MeanOfKnown::new(Bounds::new(0, 1).unwrap(), 3, &positive(1)).unwrap();
        assert_eq!(mean.on(&[0, 0]).unwrap_err(), mean.on(&[1, 1, 1, 1]).unwrap_err());
        assert_eq!(
            MeanOfKnown::new(Bounds::new(0, 1).unwrap(), 0, &positive(1)).unwrap_err(),
            StatisticError::NoRecords
        );
        assert_eq!(mean.estimate(&Integer::from(9)), Rational::from_integer(1.into()));
    }
}
