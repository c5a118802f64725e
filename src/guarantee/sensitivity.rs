//! Sensitivity as types: how far apart a query's answers on neighbouring inputs may be, in which norm, for
//! which neighbours.
//!
//! These are *global* sensitivities: of all neighbours there are, not of the neighbours of the data at hand.
//! The latter, local sensitivity, may be much smaller, but is itself a fact about the data: noise in
//! proportion to it tells it, and with it the person who made it so. It is safe only through an upper bound
//! that changes little between neighbours (smooth sensitivity), or a test that is itself private
//! (propose-test-release).

use core::marker::PhantomData;

use num_traits::{One, Signed};

use super::Relation;
use crate::exact::{NonNegative, Rational, number};

mod norm {
    /// A norm of a difference of answers.
    pub trait Norm: Copy + core::fmt::Debug + Eq {
        /// The power of the distance that is kept, so that it stays rational.
        const POWER: u32;
    }
}
use norm::Norm;

/// Σ |difference|.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L1;
/// Σ difference², the square of the L2 norm: rational where the norm is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L2Squared;
/// max |difference|.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LInfinity;

impl Norm for L1 {
    const POWER: u32 = 1;
}
impl Norm for L2Squared {
    const POWER: u32 = 2;
}
impl Norm for LInfinity {
    const POWER: u32 = 1;
}

/// Why a sensitivity is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// The bounds are the wrong way round.
    #[error("the lower bound must be at most the upper bound (lower <= upper)")]
    Bounds,
    /// There are no records to take a mean of.
    #[error("the number of records must be at least 1")]
    NoRecords,
    /// The sensitivity is for change-one neighbours, from which none for add/remove follows.
    #[error("a sensitivity for change-one neighbours says nothing of add/remove ones")]
    Relation,
}

/// A bound on the distance, in the norm `N` (squared for [`L2Squared`]), between a query's answers on
/// neighbours.
///
/// ```
/// use certus::{exact::Rational, guarantee::{L1, Relation, Sensitivity}};
///
/// // Entries from −1 to 60: one changed entry moves their sum by at most 61.
/// let (lower, upper) = (Rational::from_integer((-1).into()), Rational::from_integer(60.into()));
/// let sum = Sensitivity::<L1>::of_sum(&lower, &upper, Relation::ChangeOne)?;
/// assert_eq!(sum.get(), &Rational::from_integer(61.into()));
/// # Ok::<(), certus::guarantee::SensitivityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sensitivity<N> {
    value: NonNegative,
    relation: Relation,
    norm: PhantomData<N>,
}

fn integer(k: u64) -> Rational {
    Rational::from_integer(k.into())
}

impl<N: Norm> Sensitivity<N> {
    /// A bound that the caller vouches for.
    #[must_use]
    pub fn new(value: NonNegative, relation: Relation) -> Self {
        Self { value, relation, norm: PhantomData }
    }

    /// From a number that is not negative by construction; |value| if it were.
    fn of(value: &Rational, relation: Relation) -> Self {
        Self::new(NonNegative::new(value.abs()).unwrap_or_else(|_| NonNegative::zero()), relation)
    }

    /// The bound.
    #[must_use]
    pub fn get(&self) -> &Rational {
        self.value.get()
    }

    /// The neighbours that it is for.
    #[must_use]
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// For other neighbours. A change is a removal and an addition, hence twice the distance: four times its
    /// square. A query may do better by itself, as a histogram does ([`Sensitivity::of_histogram`]).
    ///
    /// # Errors
    ///
    /// From change-one to add/remove nothing follows.
    pub fn under(&self, relation: Relation) -> Result<Self, SensitivityError> {
        match (self.relation, relation) {
            (from, to) if from == to => Ok(self.clone()),
            (Relation::AddRemove, Relation::ChangeOne) => {
                Ok(Self::of(&(self.get() * integer(1 << N::POWER)), relation))
            }
            _ => Err(SensitivityError::Relation),
        }
    }
}

impl Sensitivity<LInfinity> {
    /// The L1 norm of k answers, each this far apart at most: kΔ.
    #[must_use]
    pub fn to_l1(&self, k: u64) -> Sensitivity<L1> {
        Sensitivity::of(&(self.get() * integer(k)), self.relation)
    }

    /// The squared L2 norm of k answers, each this far apart at most: kΔ².
    #[must_use]
    pub fn to_l2_squared(&self, k: u64) -> Sensitivity<L2Squared> {
        Sensitivity::of(&(self.get() * self.get() * integer(k)), self.relation)
    }
}

impl Sensitivity<L1> {
    /// ‖x‖₂² ≤ ‖x‖₁².
    #[must_use]
    pub fn to_l2_squared(&self) -> Sensitivity<L2Squared> {
        Sensitivity::of(&(self.get() * self.get()), self.relation)
    }

    /// ‖x‖∞ ≤ ‖x‖₁.
    #[must_use]
    pub fn to_l_infinity(&self) -> Sensitivity<LInfinity> {
        Sensitivity::of(self.get(), self.relation)
    }

    /// A count: a person is one record, which counts or does not.
    #[must_use]
    pub fn of_count(relation: Relation) -> Self {
        Self::of(&Rational::one(), relation)
    }

    /// A sum of entries from `lower` to `upper`: the largest entry in magnitude comes or goes, or the lowest
    /// turns into the highest.
    ///
    /// # Errors
    ///
    /// If lower > upper, or either is a quotient by 0.
    pub fn of_sum(lower: &Rational, upper: &Rational, relation: Relation) -> Result<Self, SensitivityError> {
        let (Some(lower), Some(upper)) = (number(lower), number(upper)) else { return Err(SensitivityError::Bounds) };
        let (lower, upper) = (lower.as_ref(), upper.as_ref());
        if lower > upper {
            return Err(SensitivityError::Bounds);
        }
        Ok(Self::of(
            &match relation {
                Relation::AddRemove => lower.abs().max(upper.abs()),
                Relation::ChangeOne => upper - lower,
            },
            relation,
        ))
    }

    /// A mean of n entries from `lower` to `upper`, n public: (upper − lower)/n, for change-one neighbours,
    /// since others differ in n.
    ///
    /// # Errors
    ///
    /// If lower > upper, either is a quotient by 0, or n is 0.
    pub fn of_mean(lower: &Rational, upper: &Rational, records: u64) -> Result<Self, SensitivityError> {
        if records == 0 {
            return Err(SensitivityError::NoRecords);
        }
        let sum = Self::of_sum(lower, upper, Relation::ChangeOne)?;
        Ok(Self::of(&(sum.get() / integer(records)), Relation::ChangeOne))
    }

    /// A histogram over known keys, a person being one record with one key: 1 if a record comes or goes, 2 if
    /// it moves.
    #[must_use]
    pub fn of_histogram(relation: Relation) -> Self {
        Self::of(&integer(records_touched(relation)), relation)
    }
}

impl Sensitivity<L2Squared> {
    /// A histogram over known keys: one count by 1, or two by 1 each.
    #[must_use]
    pub fn of_histogram(relation: Relation) -> Self {
        Self::of(&integer(records_touched(relation)), relation)
    }
}

fn records_touched(relation: Relation) -> u64 {
    match relation {
        Relation::AddRemove => 1,
        Relation::ChangeOne => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn rational(n: i64) -> Rational {
        Rational::from_integer(n.into())
    }

    /// Every pair of entries in [lower, upper]; the rest of the data cancels. The sensitivity is attained and
    /// never passed.
    #[test]
    fn sums_exhaustively() {
        for (lower, upper) in [(-1_i64, 3), (0, 2), (-3, -1), (2, 2), (0, 0)] {
            let entries: Vec<i64> = (lower..=upper).collect();
            let (mut changed, mut added) = (0, 0);
            for a in &entries {
                added = added.max(a.abs());
                changed = entries.iter().map(|b| (a - b).abs()).fold(changed, i64::max);
            }
            let of = |relation| Sensitivity::<L1>::of_sum(&rational(lower), &rational(upper), relation).unwrap();
            assert_eq!(of(Relation::AddRemove).get(), &rational(added));
            assert_eq!(of(Relation::ChangeOne).get(), &rational(changed));
        }
        let reversed = Sensitivity::<L1>::of_sum(&rational(1), &rational(0), Relation::ChangeOne);
        assert_eq!(reversed, Err(SensitivityError::Bounds));
    }

    #[test]
    fn histograms_exhaustively() {
        for relation in [Relation::AddRemove, Relation::ChangeOne] {
            let (mut l1, mut l2) = (0_i64, 0_i64);
            for a in 0..3_usize {
                for b in 0..3 {
                    let mut difference = [0_i64; 3];
                    difference[a] += 1;
                    if relation == Relation::ChangeOne {
                        difference[b] -= 1;
                    }
                    l1 = l1.max(difference.iter().map(|x| x.abs()).sum());
                    l2 = l2.max(difference.iter().map(|x| x * x).sum());
                }
            }
            assert_eq!(Sensitivity::<L1>::of_histogram(relation).get(), &rational(l1));
            assert_eq!(Sensitivity::<L2Squared>::of_histogram(relation).get(), &rational(l2));
        }
    }

    #[test]
    fn the_seeds_examples() {
        let mean = Sensitivity::<L1>::of_mean(&rational(-1), &rational(1), 50).unwrap();
        assert_eq!(mean.get(), &Rational::new(2.into(), 50.into()));
        assert_eq!(Sensitivity::<L1>::of_mean(&rational(-1), &rational(1), 0), Err(SensitivityError::NoRecords));
        // k answers of sensitivity 1.
        let each = Sensitivity::<LInfinity>::new(NonNegative::one(), Relation::AddRemove);
        assert_eq!(each.to_l1(7).get(), &rational(7));
        assert_eq!(each.to_l2_squared(7).get(), &rational(7));
        // A change: L1 doubles and L2² quadruples.
        assert_eq!(each.to_l1(7).under(Relation::ChangeOne).unwrap().get(), &rational(14));
        assert_eq!(each.to_l2_squared(7).under(Relation::ChangeOne).unwrap().get(), &rational(28));
        let changed = each.under(Relation::ChangeOne).unwrap();
        assert_eq!(changed.get(), &rational(2));
        assert_eq!(changed.under(Relation::AddRemove), Err(SensitivityError::Relation));
        assert_eq!(changed.to_l1(1).to_l_infinity(), changed);
        assert_eq!(changed.to_l1(1).to_l2_squared().get(), &rational(4));
        assert_eq!(Sensitivity::<L1>::of_count(Relation::ChangeOne).get(), &rational(1));
    }
}
