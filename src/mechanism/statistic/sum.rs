//! A sum of clamped integers.

use core::convert::Infallible;

use num_bigint::BigUint;

use super::{Bounds, NoisyInteger, StatisticError};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Attained, Domination, Guarantee, L1, Pair, Relation, Sensitivity},
    mechanism::Private,
};

/// The sum of records clamped to [lower, upper], with discrete Laplace noise.
///
/// The records are added up exactly, whatever their order and number, and the total is saturated once, to
/// [−limit, limit]. (A sum that saturates or wraps at every step depends on the order of the records, and one
/// record may move it much further than it is large: Casacuberta, Shoemate, Vadhan and Wagaman 2022.)
///
/// # Guarantee
///
/// Pure Δ/scale, with Δ = max(|lower|, |upper|) for a record that comes or goes and Δ = upper − lower for one
/// that changes. Saturating moves no two totals further apart. Tight, and the pair exact, where a single
/// record does not saturate: |lower|, |upper| ≤ limit.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::{Bounds, ClampedSum}}};
///
/// // Entries from −1 to 60 with noise of scale 61/2: ε = 2.
/// let scale = Positive::new(Rational::new(61.into(), 2.into()))?;
/// let sum = ClampedSum::new(Bounds::new(-1, 60)?, &scale, Relation::ChangeOne)?;
/// let released = sum.release(&[5, 17, 1_000_000], &mut seeded([0; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 2; neighbours: change one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClampedSum {
    bounds: Bounds,
    limit: i64,
    scale: Positive,
    shift: BigUint,
    guarantee: Guarantee,
}

impl ClampedSum {
    /// Records clamped to `bounds`, with noise of this scale. The total saturates at 2^63 − 1 either way.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which bounds and a positive scale exclude.
    pub fn new(bounds: Bounds, scale: &Positive, relation: Relation) -> Result<Self, StatisticError> {
        let of = |bound: i64| Rational::from_integer(bound.into());
        let sensitivity = Sensitivity::<L1>::of_sum(&of(bounds.lower()), &of(bounds.upper()), relation);
        let sensitivity = sensitivity.map_err(|_| StatisticError::Bounds)?.get().clone();
        let guarantee = Guarantee::pure(relation, Real::from(&sensitivity / scale.get()))?;
        let shift = sensitivity.to_integer().magnitude().clone();
        Ok(Self { bounds, limit: i64::MAX, scale: scale.clone(), shift, guarantee })
    }

    /// The total saturates at ±limit instead.
    ///
    /// # Errors
    ///
    /// If the limit is not at least 1.
    pub fn saturating(self, limit: i64) -> Result<Self, StatisticError> {
        if limit < 1 { Err(StatisticError::Limit) } else { Ok(Self { limit, ..self }) }
    }
}

/// The exact total of clamped records.
///
/// It fits: fewer than 2^64 records of magnitude at most 2^63 have a total below 2^127.
pub(super) fn total(records: &[i64], bounds: &Bounds) -> i128 {
    records.iter().map(|record| i128::from(bounds.clamp(*record))).sum()
}

/// The total, or the nearer of ±limit if it is beyond: a function that moves no two numbers further apart,
/// and symmetric.
fn saturated(total: i128, limit: i64) -> i64 {
    let limit = i128::from(limit);
    // Clamped to what fits an i64.
    i64::try_from(total.clamp(-limit, limit)).unwrap_or(0)
}

impl Private for ClampedSum {
    type Input = [i64];
    type Release = NoisyInteger;
    type Error = Infallible;

    fn on(&self, records: &[i64]) -> Result<NoisyInteger, Infallible> {
        let total = saturated(total(records, &self.bounds), self.limit);
        Ok(NoisyInteger::new(Integer::from(total), &self.scale))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by a single record at the bound that is farther from 0, beside none, or by one at either
    /// bound, where these totals do not saturate.
    fn domination(&self) -> Domination {
        let domination = Domination::by(Pair::Laplace { scale: self.scale.clone(), shift: self.shift.clone() });
        let (relation, limit) = (self.guarantee.relation(), self.limit.unsigned_abs());
        let farthest = self.bounds.lower().unsigned_abs().max(self.bounds.upper().unsigned_abs());
        if farthest <= limit {
            domination.attained(Attained::ByNeighbours(relation))
        } else {
            domination.for_neighbours(relation)
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/mechanism/statistic/sum.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn distance(a: &[i64], b: &[i64], bounds: &Bounds) -> u64 {
        saturated(total(a, bounds), 127).abs_diff(saturated(total(b, bounds), 127))
    }

    /// A byte wide, exhaustively: whatever the others add up to and whatever the record, the saturated total
    /// moves by at most the sensitivity.
    #[test]
    fn saturating_moves_nothing_apart_at_eight_bits() {
        for (lower, upper) in [(-128, 127), (-127, 127), (0, 127), (-128, -1), (-1, 60), (5, 5)] {
            let bounds = Bounds::new(lower, upper).unwrap();
            for others in [
                vec![127, 127],
                vec![127],
                vec![100],
                vec![],
                vec![-128],
                vec![-100, 3],
                vec![-128, -128],
                vec![60, 67],
            ] {
                let mut widest = (0, 0);
                for record in i64::from(i8::MIN)..=i64::from(i8::MAX) {
                    let mut with = others.clone();
                    with.push(record);
                    let added = distance(&with, &others, &bounds);
                    assert!(added <= bounds.magnitude());
                    let mut reversed = with.clone();
                    reversed.reverse();
                    assert_eq!(distance(&with, &reversed, &bounds), 0, "the order of records");
                    widest.0 = widest.0.max(added);
                    for other in i64::from(i8::MIN)..=i64::from(i8::MAX) {
                        let mut changed = others.clone();
                        changed.insert(0, other);
                        let moved = distance(&with, &changed, &bounds);
                        assert!(moved <= bounds.width());
                        widest.1 = widest.1.max(moved);
                    }
                }
                if others.is_empty() && bounds.magnitude() < 128 {
                    assert_eq!(widest, (bounds.magnitude(), bounds.width()), "attained");
                }
            }
        }
        assert_eq!(saturated(i128::MAX, i64::MAX), i64::MAX);
        assert_eq!(saturated(i128::MIN, i64::MAX), -i64::MAX);
    }

    /// What is planted here and must be seen: a sum that saturates or wraps at each step moves further, for
    /// another order of the same records.
    #[test]
    fn saturating_at_each_step_would_not_do() {
        let stepwise = |records: &[i8]| records.iter().fold(0_i8, |sum, record| sum.saturating_add(*record));
        let wrapping = |records: &[i8]| records.iter().fold(0_i8, |sum, record| sum.wrapping_add(*record));
        // One record of 1 is added to the data, which are then read in another order: 127 apart.
        assert_eq!(stepwise(&[127, 127, -127]).abs_diff(stepwise(&[127, -127, 1, 127])), 127);
        assert_eq!(wrapping(&[127]).abs_diff(wrapping(&[127, 1])), 255);
        let bounds = Bounds::new(-128, 127).unwrap();
        assert_eq!(distance(&[127, 127, -127], &[127, -127, 1, 127], &bounds), 0);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let bounds = Bounds::new(i64::MIN, i64::MAX).unwrap();
        assert_eq!(total(&[i64::MIN, i64::MIN, i64::MAX], &bounds), i128::from(i64::MIN) - 1);
        assert_eq!((bounds.width(), bounds.magnitude()), (u64::MAX, 1 << 63));
        let one = Positive::new(Rational::from_integer(1.into())).unwrap();
        let sum = ClampedSum::new(bounds, &one, Relation::ChangeOne).unwrap();
        assert_eq!(sum.shift, BigUint::from(u64::MAX));
        assert_eq!(sum.saturating(0).unwrap_err(), StatisticError::Limit);
    }
}
