//! Quantiles by the exponential mechanism over intervals.

use alloc::{sync::Arc, vec::Vec};
use core::{convert::Infallible, ops::ControlFlow};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Bounds, StatisticError};
use crate::{
    exact::{Integer, NonNegative, Positive, Probability, Rational, Real},
    guarantee::{Domination, Guarantee, Relation, Weight},
    mechanism::{
        Private, opaque_debug,
        selection::{Inversion, dominated_by_a_response},
    },
    sample::{Interpreter, Program, Step, Uniform},
};

/// A quantile of clamped integers: every integer y of the range is a candidate of the exponential mechanism,
/// with the score −|(1 − α)·#{x < y} − α·#{x > y}|, whose top is the α-quantile. α = 1/2 is the median.
///
/// Smith 2011, Algorithm 2, whose target rank α·n needs a public n; this score does not. Between two records
/// all candidates have the same score, so that there is one interval to weigh for each record, and a uniform
/// choice within it: the cost grows with the records, not with the range.
///
/// # Guarantee
///
/// Pure ε, as the exponential mechanism has it: a record that comes or goes moves a score by at most max(α, 1
/// − α), one that changes by at most 1, from one side of y to the other, and the weight of y is
/// e^(ε·score/2Δ). Nearly attained for the median and add/remove neighbours, where a wide gap on one side of
/// the median gains what a value on the other side loses; not claimed to be tight otherwise.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Probability, Rational}, guarantee::Relation, mechanism::{Private, statistic::{Bounds, Quantile}}};
///
/// let half = Probability::new(Rational::new(1.into(), 2.into()))?;
/// let one = Positive::new(Rational::from_integer(1.into()))?;
/// let median = Quantile::new(&half, Bounds::new(-1_000_000, 1_000_000)?, &one, Relation::AddRemove)?;
/// let records: Vec<i64> = (0..1001).collect();
/// let released = median.release(&records, &mut seeded([0; 32]))?.get().to_i64().unwrap();
/// assert!((450..550).contains(&released));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Quantile {
    level: Rational,
    bounds: Bounds,
    epsilon: Positive,
    /// 2Δ/ε.
    scale: Rational,
    guarantee: Guarantee,
}

impl Quantile {
    /// The α-quantile of records clamped to `bounds`, α from 0 to 1.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive ε excludes.
    pub fn new(
        level: &Probability,
        bounds: Bounds,
        epsilon: &Positive,
        relation: Relation,
    ) -> Result<Self, StatisticError> {
        let level = level.get().clone();
        let sensitivity = match relation {
            Relation::AddRemove => level.clone().max(Rational::one() - &level),
            Relation::ChangeOne => Rational::one(),
        };
        let scale = (&sensitivity + &sensitivity) / epsilon.get();
        let guarantee = Guarantee::pure(relation, Real::from(epsilon.clone()))?;
        Ok(Self { level, bounds, epsilon: epsilon.clone(), scale, guarantee })
    }

    /// |(1 − α)·below − α·above| over 2Δ/ε, for a candidate with so many records on its sides.
    fn exponent(&self, below: usize, above: usize) -> NonNegative {
        let of = |count: usize| Rational::from_integer(BigInt::from(count));
        let score = (Rational::one() - &self.level) * of(below) - &self.level * of(above);
        // An absolute value over a positive number.
        NonNegative::new(score.abs() / &self.scale).unwrap_or_else(|_| NonNegative::zero())
    }
}

impl Private for Quantile {
    type Input = [i64];
    type Release = SegmentChoice;
    type Error = Infallible;

    fn on(&self, records: &[i64]) -> Result<SegmentChoice, Infallible> {
        let mut sorted: Vec<i64> = records.iter().map(|record| self.bounds.clamp(*record)).collect();
        sorted.sort_unstable();
        // The segments of candidates with the same records on either side: a gap before each value, the value
        // itself, and the last gap.
        let (mut weights, mut segments) = (Vec::new(), Vec::new());
        let mut segment = |start: BigInt, end: BigInt, below: usize, above: usize| {
            if let Some(length) = (end - &start).to_biguint().filter(|length| !length.is_zero())
                && let Ok(offset) = Uniform::new(length.clone())
            {
                let factor = NonNegative::new(Rational::from_integer(length.into()));
                weights.push(Weight {
                    factor: factor.unwrap_or_else(|_| NonNegative::zero()),
                    exponent: self.exponent(below, above),
                });
                segments.push((Integer::from(start), offset));
            }
        };
        let (mut start, mut below) = (BigInt::from(self.bounds.lower()), 0_usize);
        for equal in sorted.chunk_by(|a, b| a == b) {
            let Some(value) = equal.first().map(|value| BigInt::from(*value)) else { continue };
            let from = sorted.len().saturating_sub(below);
            segment(start, value.clone(), below, from);
            start = &value + 1;
            segment(value, start.clone(), below, from.saturating_sub(equal.len()));
            below = below.saturating_add(equal.len());
        }
        segment(start, BigInt::from(self.bounds.upper()) + 1, below, 0);
        // The range is not empty, so there is a segment, of a length that is positive, and hence a choice.
        Ok(SegmentChoice { choice: Inversion::new(weights).ok(), segments: segments.into() })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained, as that of the exponential mechanism is not.
    fn domination(&self) -> Domination {
        dominated_by_a_response(self.epsilon.get(), self.guarantee.relation())
    }
}

/// A segment of integers by its weight, and a uniform one of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentChoice {
    choice: Option<Inversion>,
    segments: Arc<[(Integer, Uniform)]>,
}

opaque_debug!(SegmentChoice);

impl Program for SegmentChoice {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let choice = self.choice.as_ref().ok_or_else(|| on.overflow())?;
        let place = on.call(choice)?;
        let (start, offset) = self.segments.get(place).ok_or_else(|| on.overflow())?;
        Ok(ControlFlow::Break(start.add(&on.call(offset)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::seeded;

    /// The segments partition the range, and each of their members has the exponent of its own score.
    #[test]
    fn segments_partition_the_range() {
        let one = Positive::new(Rational::one()).unwrap();
        for (n, d) in [(1, 2), (0, 1), (1, 4), (1, 1)] {
            let level = Probability::new(Rational::new(n.into(), d.into())).unwrap();
            let quantile = Quantile::new(&level, Bounds::new(-2, 5).unwrap(), &one, Relation::AddRemove).unwrap();
            for records in [&[][..], &[0], &[-9, 9], &[-2, -2, 5], &[1, 2, 2, 3], &[5, 5, 5]] {
                let release = quantile.on(records).unwrap();
                let mut next = -2;
                for (start, _) in release.segments.iter() {
                    assert_eq!(start.to_i64(), Some(next.max(start.to_i64().unwrap())));
                    next = start.to_i64().unwrap() + 1;
                }
                assert_eq!(release.segments.first().unwrap().0, Integer::from(-2));
                let mut bits = seeded([4; 32]);
                let drawn: alloc::collections::BTreeSet<Integer> =
                    (0..3000).map(|_| release.sample(&mut bits).unwrap()).collect();
                assert_eq!(drawn, (-2..=5).map(Integer::from).collect(), "{records:?}");
            }
        }
    }

    /// The whole range of a word, and a certain answer far out.
    #[test]
    fn the_cost_does_not_grow_with_the_range() {
        let half = Probability::new(Rational::new(1.into(), 2.into())).unwrap();
        let ten = Positive::new(Rational::from_integer(10.into())).unwrap();
        let bounds = Bounds::new(i64::MIN, i64::MAX).unwrap();
        let median = Quantile::new(&half, bounds, &ten, Relation::ChangeOne).unwrap();
        let records: Vec<i64> = (0..99).map(|_| i64::MAX).chain([i64::MIN]).collect();
        assert_eq!(median.on(&records).unwrap().sample(&mut seeded([0; 32])), Ok(Integer::from(i64::MAX)));
    }
}
