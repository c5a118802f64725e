//! The reference: every outcome of every copy, one by one. Slow, short, and the oracle of every faster
//! method.

use alloc::vec::Vec;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

use super::{Answer, Method, cache::Cache, methods::Accountant, question::Question};
use crate::{
    exact::{Budget, Enclosure, GaussianPmf, Integer, LaplacePmf, Pmf, Rational, exp_neg, exponential, product},
    guarantee::{FinitePair, Pair, Weight},
};

/// The most joint outcomes that are listed.
const MOST_OUTCOMES: usize = 1 << 20;

/// The enumeration of all joint outcomes of a few copies.
pub(super) struct Enumeration;

impl Accountant for Enumeration {
    fn delta(&self, question: &Question<'_>, budget: &Budget, _: &mut Cache) -> Option<Answer> {
        delta(question, budget)
    }
}

/// Encloses δ(ε) = Σ max(P − e^ε·Q, 0) over all joint outcomes, and the mass of P that is not listed as
/// slack: none where every outcome is, so that above all losses δ is 0 and not nearly so.
pub(super) fn delta(question: &Question<'_>, budget: &Budget) -> Option<Answer> {
    let Question { direction, epsilon, precision, .. } = *question;
    let bits = precision.bits().saturating_mul(4).saturating_add(64);
    let one = Enclosure::from_integer(1, bits);
    let mut joint = Vec::from([(one.clone(), one.clone())]);
    for part in direction {
        let pair = part.pair()?;
        let outcomes = outcomes(pair, bits, budget)?;
        for _ in 0..part.copies() {
            let length = joint.len().saturating_mul(outcomes.len());
            let work = u64::try_from(length).unwrap_or(u64::MAX).saturating_mul(8 * product(bits));
            if length > MOST_OUTCOMES || budget.spend(work).is_none() {
                return None;
            }
            joint = joint
                .iter()
                .flat_map(|(p, q)| outcomes.iter().map(move |(a, b)| (p.mul(a), q.mul(b))))
                .map(|(p, q)| (p.at_precision(bits), q.at_precision(bits)))
                .collect();
        }
    }
    // P − e^ε·Q = (e^-ε·P − Q)/e^-ε.
    let falling = exp_neg(epsilon, bits);
    let sum: Enclosure = joint.iter().map(|(p, q)| p.mul(&falling).sub(q).max_zero()).sum();
    let listed: Enclosure = joint.iter().map(|(p, _)| p.clone()).sum();
    let zero = Enclosure::from_integer(0, 0);
    let is_whole = direction.iter().all(|part| part.pairs().iter().all(is_listed_whole));
    let unlisted = if is_whole { zero } else { one.sub(&listed).max_zero().hull(&zero) };
    let enclosure = sum.div(&falling)?.add(&unlisted);
    Some(Answer::new(enclosure, Method::Enumeration, precision))
}

/// Whether [`outcomes`] are all there are.
fn is_listed_whole(pair: &Pair) -> bool {
    match pair {
        Pair::Finite(_) => true,
        Pair::Subsampled { of, .. } => is_listed_whole(of),
        Pair::Laplace { .. } | Pair::Gaussian { .. } => false,
    }
}

/// (P(y), Q(y)) for every y but a negligible share.
fn outcomes(pair: &Pair, bits: u32, budget: &Budget) -> Option<Vec<(Enclosure, Enclosure)>> {
    match pair {
        Pair::Laplace { scale, shift } => {
            let reach = scale.get() * Rational::from_integer(bits.into());
            shifted(&LaplacePmf::new(scale, bits), shift, &reach, bits, budget)
        }
        Pair::Gaussian { variance, shift } => {
            let reach = (variance.get() * Rational::from_integer((2 * bits).into())).ceil().to_integer().sqrt() + 1;
            let pmf = GaussianPmf::new(variance, bits)?;
            shifted(&pmf, shift, &Rational::from_integer(reach), bits, budget)
        }
        Pair::Finite(pair) => finite(pair, bits),
        Pair::Subsampled { rate, of, reversed } => {
            let miss = Rational::one() - rate.get();
            let mixed = outcomes(of, bits, budget)?.into_iter().map(|(p, q)| {
                let mixture = q.mul_rational(&miss).add(&p.mul_rational(rate.get()));
                if *reversed { (q, mixture) } else { (mixture, q) }
            });
            Some(mixed.collect())
        }
    }
}

fn shifted(
    pmf: &dyn Pmf<Integer>,
    shift: &BigUint,
    reach: &Rational,
    bits: u32,
    budget: &Budget,
) -> Option<Vec<(Enclosure, Enclosure)>> {
    let reach = reach.ceil().to_integer().to_i64().filter(|reach| *reach < 1 << 20)?;
    let shift = shift.to_i64().filter(|shift| *shift < 1 << 20)?;
    let work = (2 * reach + shift).unsigned_abs().saturating_mul(2 * exponential(bits));
    budget.spend(work)?;
    let at = |y: i64| pmf.probability(&Integer::from(y));
    Some((-reach..=reach + shift).map(|y| (at(y), at(y - shift))).collect())
}

fn finite(pair: &FinitePair, bits: u32) -> Option<Vec<(Enclosure, Enclosure)>> {
    let value = |weight: &Weight| exp_neg(&weight.exponent, bits).at_precision(bits).mul_rational(weight.factor.get());
    let (p, q): (Vec<_>, Vec<_>) = pair.outcomes().iter().map(|(p, q)| (value(p), value(q))).unzip();
    let (p_sum, q_sum): (Enclosure, Enclosure) = (p.iter().cloned().sum(), q.iter().cloned().sum());
    let share = |part: Enclosure, whole: &Enclosure| part.div(whole);
    p.into_iter().zip(q).map(|(p, q)| Some((share(p, &p_sum)?, share(q, &q_sum)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Plan, Precision},
        exact::{NonNegative, Probability, parse},
        guarantee::Domination,
        mechanism::from_spec,
    };

    fn plan(specs: &[&str]) -> Plan {
        let add = |plan: Plan, spec: &&str| {
            let spec: crate::mechanism::Spec = spec.parse().unwrap();
            let copies = spec.copies().map_or(1, |copies| copies.get().into());
            plan.with(&from_spec(&spec).unwrap().domination(), copies)
        };
        specs.iter().try_fold(Plan::new(), add).unwrap()
    }

    fn at(plan: &Plan, n: u64, d: u64) -> Enclosure {
        let epsilon = NonNegative::new(Rational::new(n.into(), d.into())).unwrap();
        super::super::delta(plan, &epsilon, &Precision::default()).unwrap().enclosure
    }

    /// Randomized response with γ = 1/4 is (ln 3)-private: δ(0) = 1/2, and δ(ε) = 3/4 − e^ε/4.
    #[test]
    fn responses() {
        let plan = plan(&["randomized_response(gamma=1/4)"]);
        assert!(at(&plan, 0, 1).contains(&Rational::new(1.into(), 2.into())));
        assert!(at(&plan, 11, 10).lower() == Rational::from_integer(0.into()));
        assert!(at(&plan, 109, 100).lower() > Rational::from_integer(0.into()));
    }

    /// Four outcomes whose losses have no common step, three times: above all of them, and below, the list is
    /// the answer, to δ and to ε; no grid is composed. The greatest loss is 3·ln(707575/4) = 36.249…, with a
    /// mass of 1/64: ε(10^-10) = 36.249… + ln(1 − 64·10^-10).
    #[test]
    fn a_short_list_needs_no_grid() {
        let of = |n: i64, d: i64| Probability::new(Rational::new(n.into(), d.into())).unwrap();
        let outcomes = Vec::from([
            (of(1, 8), of(397_583, 707_575)),
            (of(3, 8), of(56, 64_325)),
            (of(1, 4), of(1, 707_575)),
            (of(1, 4), of(1125, 2573)),
        ]);
        let pair = Pair::Finite(FinitePair::from_probabilities(outcomes).unwrap());
        let plan = Plan::of(&Domination::by(pair), 3);
        let ask = |n: i64, d: i64| {
            let epsilon = NonNegative::new(Rational::new(n.into(), d.into())).unwrap();
            super::super::delta(&plan, &epsilon, &Precision::default()).unwrap()
        };
        let (below, above) = (ask(36_249, 1000), ask(145, 4));
        assert!(below.is_narrow && below.enclosure.lower() > Rational::from_integer(0.into()), "{below:?}");
        assert!(above.is_narrow && above.enclosure.upper() == Rational::from_integer(0.into()), "{above:?}");
        let epsilon = super::super::epsilon(&plan, &of(1, 10_000_000_000), &Precision::default()).unwrap();
        assert!(epsilon.is_narrow, "{epsilon:?}");
        assert!(epsilon.enclosure.contains(&parse("36.2499136400852745110209035606233").unwrap()), "{epsilon:?}");
        for answer in [below, above, epsilon] {
            assert_ne!(answer.method, Method::Spectral, "{answer:?}");
        }
    }

    #[test]
    fn laplace_is_pure() {
        let plan = plan(&["laplace(scale=2)"]);
        assert!(at(&plan, 1, 2).lower() == Rational::from_integer(0.into()));
        assert!(at(&plan, 49, 100).lower() > Rational::from_integer(0.into()));
    }
}
