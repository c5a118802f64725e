//! The variance, from a noisy count, sum and sum of squares.

use alloc::vec::Vec;
use core::convert::Infallible;

use num_bigint::BigInt;
use num_traits::Zero;

use super::{
    Bounds, NoisyInteger, NoisyVector, StatisticError,
    mean::{centred, twice_the_middle},
};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Domination, Guarantee, Relation},
    mechanism::{Private, selection::dominated_by_a_response},
};

/// The variance of clamped records: releases [n, Σy, Σ(2y² − w²)], each with Laplace noise, where y = 2x −
/// lower − upper is from −w to w and w = upper − lower.
///
/// # Guarantee
///
/// Pure and tight. For add/remove neighbours ε = 1/s₀ + w/s₁ + w²/s₂, attained by a record at a bound. For
/// change-one neighbours, with a record y that becomes y′, ε = max |y − y′|/s₁ + 2·|y² − y′²|/s₂. With |y|
/// ≥ |y′| and y ≥ 0 both terms rise with y, so y = w; in y′ it is a concave parabola with its top at −s₂/4s₁,
/// taken at the nearest of the integers −w, −w + 2, …, w that y′ can be.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::{Bounds, Variance}}};
///
/// let scale = |n: i64| Positive::new(Rational::from_integer(n.into()));
/// let scales = [scale(3)?, scale(30)?, scale(300)?];
/// let variance = Variance::new(Bounds::new(0, 10)?, scales, Relation::AddRemove)?;
/// let records: Vec<i64> = (0..10_000).map(|i| if i % 2 == 0 { 0 } else { 10 }).collect();
/// let released = variance.release(&records, &mut seeded([0; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1; neighbours: add or remove one");
/// let estimate = variance.estimate(released.get()).unwrap();
/// assert!(estimate > Rational::from_integer(24.into()) && estimate <= Rational::from_integer(25.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Variance {
    bounds: Bounds,
    scales: [Positive; 3],
    epsilon: Rational,
    guarantee: Guarantee,
}

impl Variance {
    /// Records clamped to `bounds`, with noise of these scales on the count, the sum and the sum of squares.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which bounds and positive scales exclude.
    pub fn new(bounds: Bounds, scales: [Positive; 3], relation: Relation) -> Result<Self, StatisticError> {
        let [count, sum, squares] = scales.each_ref().map(Positive::get);
        let width = BigInt::from(bounds.width());
        let over = |n: BigInt, scale: &Rational| Rational::from_integer(n) / scale;
        let epsilon = match relation {
            Relation::AddRemove => count.recip() + over(width.clone(), sum) + over(&width * &width, squares),
            Relation::ChangeOne => {
                let moved = |to: &BigInt| over(&width - to, sum) + over((&width * &width - to * to) * 2, squares);
                // y′ = 2j − w nearest to the top at −s₂/4s₁: one of the two around it.
                let top = -(squares / sum) / Rational::from_integer(4.into());
                let steps = ((top + Rational::from_integer(width.clone())) / Rational::from_integer(2.into())).floor();
                let step = |j: BigInt| j.clamp(BigInt::zero(), width.clone()) * 2 - &width;
                let (below, above) = (step(steps.to_integer()), step(steps.to_integer() + 1));
                moved(&below).max(moved(&above))
            }
        };
        let guarantee = Guarantee::pure(relation, Real::from(epsilon.clone()))?;
        Ok(Self { bounds, scales, epsilon, guarantee })
    }

    /// The variance that a release tells: a quarter of the mean of y² less the squared mean of y, from 0 to
    /// w²/4; nothing for something that is no release of three numbers. A count below 1 is taken for 1.
    #[must_use]
    pub fn estimate(&self, released: &[Integer]) -> Option<Rational> {
        let [count, sum, squares] = released else { return None };
        let count = count.to_big().max(BigInt::from(1));
        let (width, four) = (BigInt::from(self.bounds.width()), Rational::from_integer(4.into()));
        let most = Rational::from_integer(&width * &width);
        let mean = Rational::new(sum.to_big(), count.clone());
        let square = (Rational::new(squares.to_big(), count) + &most) / Rational::from_integer(2.into());
        Some(((square - &mean * &mean) / &four).clamp(Rational::zero(), most / four))
    }
}

/// Σ (2y² − w²) over the clamped records, y = 2x − lower − upper.
fn centred_squares(records: &[i64], bounds: &Bounds) -> BigInt {
    let (middle, width) = (twice_the_middle(bounds), BigInt::from(bounds.width()));
    let square = |record: &i64| {
        let y = BigInt::from(bounds.clamp(*record)) * 2 - &middle;
        &y * &y * 2 - &width * &width
    };
    records.iter().map(square).sum()
}

impl Private for Variance {
    type Input = [i64];
    type Release = NoisyVector;
    type Error = Infallible;

    fn on(&self, records: &[i64]) -> Result<NoisyVector, Infallible> {
        let moments = [records.len().into(), centred(records, &self.bounds), centred_squares(records, &self.bounds)];
        let coordinates: Vec<_> = moments
            .into_iter()
            .zip(&self.scales)
            .map(|(moment, scale)| NoisyInteger::new(moment.into(), scale))
            .collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::Privacy;

    fn positive(n: i64, d: i64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// All pairs of records: the stated ε is the largest weighted move of the three moments, for many
    /// proportions of the scales.
    #[test]
    fn the_largest_move_is_the_stated_one() {
        for (lower, upper) in [(0_i64, 1), (0, 2), (-3, 4), (-1, 60)] {
            let bounds = Bounds::new(lower, upper).unwrap();
            for (n, d) in [(1, 1), (1, 100), (100, 1), (7, 1), (31, 2), (400, 1), (2000, 1)] {
                let scales = [positive(2, 1), positive(3, 2), positive(n, d)];
                let moments = |record: Option<i64>| {
                    let records: Vec<i64> = record.into_iter().collect();
                    [BigInt::from(records.len()), centred(&records, &bounds), centred_squares(&records, &bounds)]
                };
                let cost = |a: Option<i64>, b: Option<i64>| {
                    let moves = moments(a).into_iter().zip(moments(b)).zip(&scales);
                    moves
                        .map(|((a, b), scale)| Rational::from_integer((a - b).magnitude().clone().into()) / scale.get())
                        .sum::<Rational>()
                };
                let added = (lower..=upper).map(|x| cost(Some(x), None)).max().unwrap();
                let changed = (lower..=upper).flat_map(|x| (lower..=upper).map(move |y| (x, y)));
                let changed = changed.map(|(x, y)| cost(Some(x), Some(y))).max().unwrap();
                for (relation, cost) in [(Relation::AddRemove, added), (Relation::ChangeOne, changed)] {
                    let variance = Variance::new(bounds, scales.clone(), relation).unwrap();
                    let stated = Privacy::Pure { epsilon: Real::from(cost) };
                    assert_eq!(variance.guarantee().privacy(), &stated, "{bounds:?} {n}/{d} {relation}");
                }
            }
        }
    }

    #[test]
    fn the_estimate_is_the_variance() {
        let bounds = Bounds::new(-3, 4).unwrap();
        let variance =
            Variance::new(bounds, [positive(1, 1), positive(1, 1), positive(1, 1)], Relation::AddRemove).unwrap();
        for records in [&[-3, 4][..], &[0, 1, 1, 4], &[2, 2, 2]] {
            let moments =
                [records.len().into(), centred(records, &bounds), centred_squares(records, &bounds)].map(Integer::from);
            let of = |n: i64| Rational::from_integer(n.into());
            let n = of(i64::try_from(records.len()).unwrap());
            let mean = of(records.iter().sum()) / &n;
            let squares = of(records.iter().map(|x| x * x).sum()) / &n;
            assert_eq!(variance.estimate(&moments), Some(squares - &mean * &mean));
        }
        assert_eq!(variance.estimate(&[Integer::ZERO]), None);
    }
}
