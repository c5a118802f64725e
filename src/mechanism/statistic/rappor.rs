//! RAPPOR: a few bits a person, each a randomized response.

use alloc::{sync::Arc, vec, vec::Vec};
use core::{convert::Infallible, ops::ControlFlow};

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::StatisticError;
use crate::{
    exact::{NonNegative, Probability, Rational, Real},
    guarantee::{Attained, Domination, FinitePair, Guarantee, GuaranteeError, Pair, Relation, Weight},
    mechanism::{Private, opaque_debug, selection::dominated_by_a_response},
    sample::{Bernoulli, Interpreter, Program, Step},
};

/// RAPPOR-style reports: k bits, of which a person's value sets at most h (as hash functions of a Bloom
/// filter do), each reported by a randomized response.
///
/// Erlingsson, Pihur and Korolova 2014. The input is the set bits' positions, of which the first h different
/// ones below k count; the report's bit is 1 with probability `one` if the bit is set and `zero` if it is
/// not.
///
/// * [`Rappor::permanent`]: a lie with probability f, half of them 1: one = 1 − f/2, zero = f/2. It is drawn
///   once and kept, and what is reported of it any number of times is post-processing: this is the guarantee
///   for ever;
/// * [`Rappor::one_time`]: one report of a permanent response that is not kept: 1 with probability q where
///   that has 1, and p where it has 0, so that one = q − f(q − p)/2 and zero = p + f(q − p)/2.
///
/// # Guarantee
///
/// Pure, for a person whose value changes. At most h bits fall and at most h rise, min(2h, k) in all. Each
/// that falls costs at most one/zero and each that rises at most (1 − zero)/(1 − one), if the report has 1
/// and 0 there. So ε = h·ln(larger) + min(h, k − h)·ln(smaller), which for a permanent response is 2h·ln((1 −
/// f/2)/(f/2)), their Theorem 1. Tight, and the pairs are exact, for h up to 32: where 2h > k they are
/// several, one for each number of bits that fall.
///
/// ```
/// use certus::{bits::seeded, exact::{Probability, Rational}, mechanism::{Private, statistic::Rappor}};
///
/// let half = Probability::new(Rational::new(1.into(), 2.into()))?;
/// let rappor = Rappor::permanent(16, 2, &half)?;
/// // 4·ln 3
/// assert!(rappor.guarantee().to_string().starts_with("pure, epsilon = [4.39444915467243876"));
/// assert_eq!(rappor.release(&[3, 11], &mut seeded([0; 32]))?.get().len(), 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rappor {
    bits: usize,
    set: usize,
    one: Probability,
    zero: Probability,
    guarantee: Guarantee,
    /// At least ε.
    epsilon: Rational,
}

/// The most bits of a report: each is drawn.
const MOST_BITS: usize = 1 << 20;

/// The most bits that a value may set for the pairs to be listed.
const MOST_LISTED: usize = 32;

impl Rappor {
    /// Reports of k = `bits` bits, of which a value sets at most h = `set`, with a share f of lies.
    ///
    /// # Errors
    ///
    /// If h is not from 1 to k, k is over 2^20, or f is 0.
    pub fn permanent(bits: usize, set: usize, lies: &Probability) -> Result<Self, StatisticError> {
        let certain = |bit: i64| Rational::from_integer(bit.into());
        Self::new(bits, set, lies, &certain(0), &certain(1))
    }

    /// Single reports of a permanent response with a share f of lies, 1 with probability p where it has 0,
    /// and with q where it has 1.
    ///
    /// # Errors
    ///
    /// If h is not from 1 to k, k is over 2^20, f is 0, or p is not below q.
    pub fn one_time(
        bits: usize,
        set: usize,
        lies: &Probability,
        p: &Probability,
        q: &Probability,
    ) -> Result<Self, StatisticError> {
        Self::new(bits, set, lies, p.get(), q.get())
    }

    fn new(bits: usize, set: usize, lies: &Probability, p: &Rational, q: &Rational) -> Result<Self, StatisticError> {
        if !(1..=bits).contains(&set) {
            return Err(StatisticError::BitsSet);
        }
        if bits > MOST_BITS {
            return Err(StatisticError::TooManyBits);
        }
        if lies.get().is_zero() {
            return Err(StatisticError::LieRate);
        }
        if p >= q {
            return Err(StatisticError::ReportRates);
        }
        let moved = lies.get() * (q - p) / Rational::from_integer(2.into());
        // Both are strictly between 0 and 1: 0 ≤ p < p + f(q − p)/2 ≤ q − f(q − p)/2 < q ≤ 1.
        let (one, zero) = (q - &moved, p + &moved);
        let (falls, rises) = (&one / &zero, (Rational::one() - &zero) / (Rational::one() - &one));
        let times = |count: usize, ratio: &Rational| {
            let count = Rational::from_integer(BigInt::from(count));
            &Real::from(count) * &Real::from(ratio.clone()).ln()
        };
        let fewer = set.min(bits.saturating_sub(set));
        let epsilon = if falls == rises {
            times(set.saturating_add(fewer), &falls)
        } else {
            let (more, less) = if falls > rises { (falls, rises) } else { (rises, falls) };
            &times(set, &more) + &times(fewer, &less)
        };
        let at_most = epsilon.at_most(64).ok_or(GuaranteeError::Epsilon)?;
        let guarantee = Guarantee::pure(Relation::ChangeOne, epsilon)?;
        let probability = |value| Probability::new(value).map_err(|_| StatisticError::ReportRates);
        Ok(Self { bits, set, one: probability(one)?, zero: probability(zero)?, guarantee, epsilon: at_most })
    }

    /// The pairs (f, r) of bits that fall and that rise which dominate all others.
    ///
    /// Values A and B of at most h bits each have f = |A \ B| ≤ h, r = |B \ A| ≤ h and f + r ≤ k, and every
    /// such f and r are those of two disjoint values. A bit that is the same in both has no loss; so the
    /// reports of (f, r) are those of (f′, r′) without some independent bits, and hence dominated by them,
    /// wherever f ≤ f′ and r ≤ r′. What is left is r = min(h, k − f) for f from min(h, k − h) to h: from
    /// there on each f more leaves one r less, and nothing dominates another by this.
    ///
    /// If one + zero = 1, as in a permanent response, a bit that rises is one that falls with 0 and 1
    /// exchanged: (f, r) and (f′, r′) with f + r = f′ + r′ are the same pair, and one stands for all.
    fn largest_changes(&self) -> Vec<(usize, usize)> {
        let fewer = self.set.min(self.bits.saturating_sub(self.set));
        let is_symmetric = (self.one.get() + self.zero.get()).is_one();
        let most = if is_symmetric { fewer } else { self.set };
        (fewer..=most).map(|falling| (falling, self.set.min(self.bits.saturating_sub(falling)))).collect()
    }

    /// The reports of `falling` bits that are set in the first value alone and of `rising` that are in the
    /// second alone: how many of each are 1.
    fn pair(&self, falling: usize, rising: usize) -> Pair {
        let (one, zero) = (self.one.get(), self.zero.get());
        let mut outcomes = Vec::new();
        for (p, q) in binomial(falling, one).into_iter().zip(binomial(falling, zero)) {
            for (r, s) in binomial(rising, zero).into_iter().zip(binomial(rising, one)) {
                let weight =
                    |mass: Rational| Weight::rational(NonNegative::new(mass).unwrap_or_else(|_| NonNegative::zero()));
                outcomes.push((weight(&p * r), weight(&q * s)));
            }
        }
        Pair::Finite(FinitePair::new(outcomes).unwrap_or_else(|_| FinitePair::revealing()))
    }
}

/// P(0), P(1), …, P(n) of a binomial distribution.
fn binomial(n: usize, p: &Rational) -> Vec<Rational> {
    let power = |base: Rational, exponent: usize| (0..exponent).fold(Rational::one(), |product, _| product * &base);
    let mut ways = BigUint::one();
    (0..=n)
        .map(|k| {
            let left = n.saturating_sub(k);
            let mass =
                Rational::from_integer(ways.clone().into()) * power(p.clone(), k) * power(Rational::one() - p, left);
            ways = &ways * left / k.saturating_add(1);
            mass
        })
        .collect()
}

impl Private for Rappor {
    type Input = [usize];
    type Release = RapporBits;
    type Error = Infallible;

    fn on(&self, set: &[usize]) -> Result<RapporBits, Infallible> {
        let mut bits = vec![false; self.bits];
        let mut left = self.set;
        for position in set {
            if let Some(bit) = bits.get_mut(*position)
                && !*bit
                && left > 0
            {
                *bit = true;
                left = left.saturating_sub(1);
            }
        }
        Ok(RapporBits {
            bits: bits.into(),
            one: Bernoulli::new(self.one.clone()),
            zero: Bernoulli::new(self.zero.clone()),
        })
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained: f bits are set in the first value alone and r in the second alone, for each pair (f, r) that
    /// is listed. Not beyond h = 32, where it is a response.
    fn domination(&self) -> Domination {
        if self.set > MOST_LISTED {
            return dominated_by_a_response(&self.epsilon, self.guarantee.relation());
        }
        let pairs = self.largest_changes().into_iter().map(|(falling, rising)| self.pair(falling, rising)).collect();
        Domination::by_all(pairs).attained(Attained::ByNeighbours(Relation::ChangeOne))
    }
}

/// A report: each bit 1 with the probability of a bit that is set, or is not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RapporBits {
    bits: Arc<[bool]>,
    one: Bernoulli,
    zero: Bernoulli,
}

opaque_debug!(RapporBits);

impl Program for RapporBits {
    /// The bits reported so far.
    type State = Vec<bool>;
    type Output = Vec<bool>;

    fn start(&self) -> Vec<bool> {
        Vec::new()
    }

    fn step<I: Interpreter>(&self, mut reported: Vec<bool>, on: &mut I) -> Step<Self, I> {
        let Some(set) = self.bits.get(reported.len()) else { return Ok(ControlFlow::Break(reported)) };
        reported.push(on.call(if *set { &self.one } else { &self.zero })?);
        Ok(ControlFlow::Continue(reported))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probability(n: i64, d: i64) -> Probability {
        Probability::new(Rational::new(n.into(), d.into())).unwrap()
    }

    #[test]
    fn each_refusal_names_its_predicate() {
        let half = probability(1, 2);
        assert_eq!(Rappor::permanent(4, 0, &half).unwrap_err(), StatisticError::BitsSet);
        assert_eq!(Rappor::permanent(4, 5, &half).unwrap_err(), StatisticError::BitsSet);
        assert_eq!(Rappor::permanent(4, 2, &probability(0, 1)).unwrap_err(), StatisticError::LieRate);
        assert_eq!(Rappor::one_time(4, 2, &half, &half, &half).unwrap_err(), StatisticError::ReportRates);
        // Nothing but lies tells nothing.
        assert_eq!(Rappor::permanent(4, 2, &probability(1, 1)).unwrap().epsilon, Rational::zero());
    }

    /// The paper's one-time rates: q* = ½f(p + q) + (1 − f)q and p* = ½f(p + q) + (1 − f)p.
    #[test]
    fn rates_are_those_of_the_paper() {
        let (f, p, q) = (probability(1, 2), probability(1, 2), probability(3, 4));
        let rappor = Rappor::one_time(16, 2, &f, &p, &q).unwrap();
        let half_f = f.get() / Rational::from_integer(2.into());
        let kept = Rational::one() - f.get();
        assert_eq!(*rappor.one.get(), &half_f * (p.get() + q.get()) + &kept * q.get());
        assert_eq!(*rappor.zero.get(), &half_f * (p.get() + q.get()) + &kept * p.get());
    }

    /// The largest changes are those of all two values, by brute force; of which none is contained in
    /// another.
    #[test]
    fn the_largest_changes_are_those_of_all_values() {
        let p = (probability(1, 100), probability(17, 20));
        for bits in 1..=5_usize {
            for set in 1..=bits {
                let rappor = Rappor::one_time(bits, set, &probability(1, 10), &p.0, &p.1).unwrap();
                let values = (0..1_u32 << bits).filter(|value| value.count_ones() as usize <= set);
                let change = |a: u32, b: u32| ((a & !b).count_ones() as usize, (b & !a).count_ones() as usize);
                let all: Vec<_> = values.clone().flat_map(|a| values.clone().map(move |b| change(a, b))).collect();
                let is_within = |a: &(usize, usize), b: &(usize, usize)| a.0 <= b.0 && a.1 <= b.1;
                let mut largest: Vec<_> =
                    all.iter().filter(|a| all.iter().all(|b| a == &b || !is_within(a, b))).copied().collect();
                largest.sort_unstable();
                largest.dedup();
                assert_eq!(rappor.largest_changes(), largest, "{bits} {set}");
                let permanent = Rappor::permanent(bits, set, &probability(1, 2)).unwrap();
                assert_eq!(permanent.domination().forward().len(), 1, "{bits} {set}");
            }
        }
    }

    /// The first h different positions in range count.
    #[test]
    fn positions() {
        let rappor = Rappor::permanent(4, 2, &probability(1, 2)).unwrap();
        let bits = |set: &[usize]| rappor.on(set).unwrap().bits.to_vec();
        assert_eq!(bits(&[9, 3, 3, 1, 0]), [false, true, false, true]);
        assert_eq!(bits(&[]), [false; 4]);
    }
}
