//! A histogram over keys that are known beforehand.

use alloc::{vec, vec::Vec};
use core::convert::Infallible;

use super::{NoisyInteger, NoisyVector, StatisticError};
use crate::{
    exact::{Integer, NonNegative, Positive, Rational, Real},
    guarantee::{Attained, Domination, FinitePair, Guarantee, Pair, Relation},
    mechanism::Private,
};

/// How many records have each of the keys 0, 1, …, keys − 1, each count with discrete Laplace noise. Every
/// key is there, also those that no record has; a record with another key is counted nowhere.
///
/// # Guarantee
///
/// Pure, tight and with an exact pair. A record that comes or goes moves one count by 1: ε = 1/scale. One
/// that changes moves two, or one if there is only one: ε = 2/scale. Each count that moves by 1 is a
/// randomized response of 1/scale ([`FinitePair::responses`]).
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, guarantee::Relation, mechanism::{Private, statistic::Histogram}};
///
/// let histogram = Histogram::new(3, &Positive::new(Rational::from_integer(2.into()))?, Relation::ChangeOne)?;
/// let released = histogram.release(&[0, 2, 2, 77], &mut seeded([0; 32]))?;
/// assert_eq!(released.get().len(), 3);
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1; neighbours: change one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    keys: usize,
    scale: Positive,
    moved: u32,
    guarantee: Guarantee,
}

/// The most keys: each has a count that is drawn.
const MOST_KEYS: usize = 1 << 20;

impl Histogram {
    /// Over so many keys, with noise of this scale on every count.
    ///
    /// # Errors
    ///
    /// If there are no keys, or more than 2^20.
    pub fn new(keys: usize, scale: &Positive, relation: Relation) -> Result<Self, StatisticError> {
        let moved = match relation {
            _ if keys == 0 => return Err(StatisticError::NoKeys),
            _ if keys > MOST_KEYS => return Err(StatisticError::TooManyKeys),
            Relation::ChangeOne if keys > 1 => 2,
            _ => 1,
        };
        let epsilon = Rational::from_integer(moved.into()) / scale.get();
        Ok(Self { keys, scale: scale.clone(), moved, guarantee: Guarantee::pure(relation, Real::from(epsilon))? })
    }
}

/// The counts of the keys 0, 1, …, keys − 1.
pub(super) fn counts(records: &[usize], keys: usize) -> Vec<u64> {
    let mut counts = vec![0_u64; keys];
    for record in records {
        if let Some(count) = counts.get_mut(*record) {
            *count = count.saturating_add(1);
        }
    }
    counts
}

/// The pair of so many coordinates, each moved by 1 under noise of this scale, which neighbours of this
/// relation attain that move as many. Up or down: a response is symmetric.
pub(super) fn moved_by_one(scale: &Positive, coordinates: u32, relation: Relation) -> Domination {
    match NonNegative::new(scale.get().recip()) {
        Ok(epsilon) => {
            let pair = Pair::Finite(FinitePair::responses(&epsilon, coordinates));
            Domination::by(pair).attained(Attained::ByNeighbours(relation))
        }
        Err(_) => Domination::by(Pair::Finite(FinitePair::revealing())).for_neighbours(relation),
    }
}

impl Private for Histogram {
    type Input = [usize];
    type Release = NoisyVector;
    type Error = Infallible;

    fn on(&self, records: &[usize]) -> Result<NoisyVector, Infallible> {
        let counts = counts(records, self.keys).into_iter();
        Ok(counts.map(|count| NoisyInteger::new(Integer::from(count), &self.scale)).collect())
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by a record of key 0 beside none, or one of key 1 (which is counted nowhere if there is one
    /// key).
    fn domination(&self) -> Domination {
        moved_by_one(&self.scale, self.moved, self.guarantee.relation())
    }
}
