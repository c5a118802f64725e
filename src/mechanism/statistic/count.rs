//! A count.

use core::convert::Infallible;

use super::{NoisyInteger, StatisticError};
use crate::{
    exact::{Integer, Positive, Real},
    guarantee::{Attained, Domination, Guarantee, L1, Pair, Relation, Sensitivity},
    mechanism::Private,
};

/// How many records hold, with discrete Laplace noise.
///
/// # Guarantee
///
/// Pure 1/scale, for either relation: a record that comes, goes or changes moves the count by at most 1.
/// Tight: P(y)/P′(y) = e^(1/scale) for every y at least the larger count. The pair is exact.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::RecordCount}};
///
/// let count = RecordCount::new(&Positive::new(Rational::from_integer(10.into()))?, Relation::AddRemove)?;
/// let released = count.release(&[true, false, true], &mut seeded([0; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1/10; neighbours: add or remove one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecordCount {
    scale: Positive,
    guarantee: Guarantee,
}

impl RecordCount {
    /// With noise of this scale.
    ///
    /// # Errors
    ///
    /// If the guarantee is none, which a positive scale excludes.
    pub fn new(scale: &Positive, relation: Relation) -> Result<Self, StatisticError> {
        let epsilon = Sensitivity::<L1>::of_count(relation).get() / scale.get();
        Ok(Self { scale: scale.clone(), guarantee: Guarantee::pure(relation, Real::from(epsilon))? })
    }
}

impl Private for RecordCount {
    type Input = [bool];
    type Release = NoisyInteger;
    type Error = Infallible;

    fn on(&self, records: &[bool]) -> Result<NoisyInteger, Infallible> {
        // A slice has fewer than 2^63 elements on every platform there is, and u64::MAX would be a bound of
        // the count anyway.
        let count = u64::try_from(records.iter().filter(|holds| **holds).count()).unwrap_or(u64::MAX);
        Ok(NoisyInteger::new(Integer::from(count), &self.scale))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by a record that holds, beside none or one that does not.
    fn domination(&self) -> Domination {
        let pair = Pair::Laplace { scale: self.scale.clone(), shift: 1u32.into() };
        Domination::by(pair).attained(Attained::ByNeighbours(self.guarantee.relation()))
    }
}
