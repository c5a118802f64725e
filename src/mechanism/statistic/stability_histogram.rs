//! A histogram over keys that nobody knew beforehand.

use alloc::{collections::BTreeMap, sync::Arc, vec::Vec};
use core::{convert::Infallible, marker::PhantomData, ops::ControlFlow};

use num_bigint::BigInt;

use super::{StatisticError, laplace_tail};
use crate::{
    exact::{Integer, NonNegative, Positive, Probability, Rational, Real},
    guarantee::{Domination, FinitePair, Guarantee, Pair, Privacy, Relation},
    mechanism::{Private, opaque_debug, selection::reaches},
    sample::{Interpreter, Laplace, Program, Step},
};

/// The noisy counts of the keys that the data have, those alone whose noisy count is at least a threshold τ.
///
/// The input is a list of people, each with keys, of which the first m different ones count. A key that
/// nobody has is never released, so that the keys need not be known; that a key is released tells that
/// somebody has it, and the threshold makes that unlikely where it is one person only. (Korolova, Kenthapadi,
/// Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016, "stability-based histogram".)
///
/// # Guarantee
///
/// (ε, δ) with ε = m/scale (2m/scale for change-one neighbours) and δ = 1 − (1 − δ₁)^m ≤ m·δ₁, where δ₁ =
/// P(1 + X ≥ τ) is the exact probability that a key of one person alone is released: *at least* τ, so that
/// P(1 + X > τ) would be too small. Tight: someone with m keys that nobody else has attains δ, at every ε.
///
/// Let the person of D, not in D′, have j keys that nobody else has, and m − j others. (P, Q) = (D, D′):
/// outputs with one of the j keys have Q = 0 and P = d = 1 − (1 − δ₁)^j in all; on the others P is (1 − d)
/// times that of m − j counts moved by 1, which is at most e^((m−j)/scale)·Q. (D′, D): the j keys are absent
/// with certainty under the former and with 1 − d under the latter, which is (0, d)-private, beside m − j
/// counts moved by 1. Both have at most δ at ε. A change is one person out, who has j such keys, and one in,
/// who has j′: outputs without any of them have (1 − δ₁)^j under P and (1 − δ₁)^j′ under Q, so that in all δ
/// is at most 1 − (1 − δ₁)^max(j, j′).
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational, Real}, guarantee::{Guarantee, Relation}};
/// use certus::mechanism::{Private, statistic::StabilityHistogram};
///
/// let scale = Positive::new(Rational::from_integer(1.into()))?;
/// let histogram = StabilityHistogram::<&str>::new(&scale, 20, 1, Relation::AddRemove)?;
/// let mut people = vec![vec!["common"]; 100];
/// people.push(vec!["rare"]);
/// let released = histogram.release(&people, &mut seeded([0; 32]))?;
/// assert_eq!(released.get().len(), 1);
/// let delta = (Real::from(-19).exp()) / (Real::from(1) + Real::from(-1).exp());
/// assert_eq!(released.guarantee(), &Guarantee::approximate(Relation::AddRemove, Real::from(1), delta)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StabilityHistogram<K> {
    scale: Positive,
    threshold: i64,
    /// Invariant: m ≥ 1.
    contributions: u32,
    epsilon: Rational,
    guarantee: Guarantee,
    keys: PhantomData<fn(K)>,
}

impl<K> StabilityHistogram<K> {
    /// Noise of this scale, released from `threshold` on, with at most `contributions` keys a person.
    ///
    /// # Errors
    ///
    /// If a person may contribute nothing.
    pub fn new(
        scale: &Positive,
        threshold: i64,
        contributions: u32,
        relation: Relation,
    ) -> Result<Self, StatisticError> {
        if contributions == 0 {
            return Err(StatisticError::NoContribution);
        }
        let people = match relation {
            Relation::AddRemove => 1,
            Relation::ChangeOne => 2,
        };
        let epsilon = Rational::from_integer((i64::from(contributions) * people).into()) / scale.get();
        let alone = laplace_tail(scale, &(BigInt::from(threshold) - 1));
        let delta = match contributions {
            1 => alone,
            // 1 − e^(m·ln(1 − δ₁))
            m => &Real::from(1) - &(&Real::from(i64::from(m)) * &(&Real::from(1) - &alone).ln()).exp(),
        };
        let guarantee = Guarantee::approximate(relation, Real::from(epsilon.clone()), delta)?;
        Ok(Self { scale: scale.clone(), threshold, contributions, epsilon, guarantee, keys: PhantomData })
    }

    /// The number of people who have each key, a person having the first m different ones of a list.
    fn counts(&self, people: &[Vec<K>]) -> BTreeMap<K, u64>
    where
        K: Clone + Ord,
    {
        let most = usize::try_from(self.contributions).unwrap_or(usize::MAX);
        let mut counts = BTreeMap::new();
        for keys in people {
            let mut own: Vec<&K> = Vec::new();
            for key in keys {
                if own.len() < most && !own.contains(&key) {
                    own.push(key);
                }
            }
            for key in own {
                let count: &mut u64 = counts.entry(key.clone()).or_insert(0);
                *count = count.saturating_add(1);
            }
        }
        counts
    }
}

impl<K: Clone + Ord + Send + Sync + 'static> Private for StabilityHistogram<K> {
    type Input = [Vec<K>];
    type Release = NoisyKeys<K>;
    type Error = Infallible;

    fn on(&self, people: &[Vec<K>]) -> Result<NoisyKeys<K>, Infallible> {
        let counts = self.counts(people).into_iter().map(|(key, count)| (key, Integer::from(count)));
        Ok(NoisyKeys {
            counts: counts.collect(),
            noise: Laplace::new(&self.scale),
            threshold: Integer::from(self.threshold),
        })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Not attained: δ is by keys that nobody else has, which have no other loss, and ε by keys that others
    /// have.
    fn domination(&self) -> Domination {
        dominated_by_approximate(&self.epsilon, &self.guarantee)
    }
}

/// The pair of every (ε, δ)-private mechanism, for a rational ε and a δ rounded up to a rational; hence a
/// bound, attained by none.
pub(super) fn dominated_by_approximate(epsilon: &Rational, guarantee: &Guarantee) -> Domination {
    let delta = match guarantee.privacy() {
        Privacy::Approximate { delta, .. } => rounded_up(delta),
        _ => None,
    };
    let pair = match (NonNegative::new(epsilon.clone()), delta) {
        (Ok(epsilon), Some(delta)) => FinitePair::approximate(&epsilon, &delta),
        _ => FinitePair::revealing(),
    };
    Domination::by(Pair::Finite(pair)).for_neighbours(guarantee.relation())
}

/// At least δ, by at most a part in 2^32 of it.
fn rounded_up(delta: &Real) -> Option<Probability> {
    let close = |bits: u32| {
        let enclosure = delta.enclose(bits)?;
        let is_close = enclosure.width() * Rational::from_integer(BigInt::from(1_u64 << 32)) <= enclosure.lower();
        is_close.then(|| enclosure.upper())
    };
    // Tails down to e^-2000 are told from 0.
    let value = delta.exact().cloned().or_else(|| [128, 512, 3000].into_iter().find_map(close))?;
    Probability::new(value).ok()
}

/// The keys whose noisy count is at least the threshold, with that count.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoisyKeys<K> {
    counts: Arc<[(K, Integer)]>,
    noise: Laplace,
    threshold: Integer,
}

opaque_debug!(NoisyKeys<K>);

impl<K: Clone + Ord + Send + Sync + 'static> Program for NoisyKeys<K> {
    /// How many keys were looked at, and what is released of them.
    type State = (usize, Vec<(K, Integer)>);
    type Output = Vec<(K, Integer)>;

    fn start(&self) -> Self::State {
        (0, Vec::new())
    }

    fn step<I: Interpreter>(&self, (seen, mut released): Self::State, on: &mut I) -> Step<Self, I> {
        let Some((key, count)) = self.counts.get(seen) else { return Ok(ControlFlow::Break(released)) };
        let noisy = count.add(&on.call(&self.noise)?);
        if reaches(&noisy, &self.threshold) {
            released.push((key.clone(), noisy));
        }
        Ok(ControlFlow::Continue((seen.saturating_add(1), released)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_person_has_the_first_different_keys() {
        let one = Positive::new(Rational::from_integer(1.into())).unwrap();
        let histogram = StabilityHistogram::<u8>::new(&one, 5, 2, Relation::AddRemove).unwrap();
        let counts = histogram.counts(&[vec![1, 1, 1, 2, 3], vec![3], vec![]]);
        assert_eq!(counts, BTreeMap::from([(1, 1), (2, 1), (3, 1)]));
        let none = StabilityHistogram::<u8>::new(&one, 5, 0, Relation::AddRemove);
        assert_eq!(none.unwrap_err(), StatisticError::NoContribution);
    }
}
