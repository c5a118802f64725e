//! δ(ε) by its definition: every sum of losses, one by one.
//!
//! The masses of a pair are written down here once more, each from its definition, so that nothing of
//! [`listing`](super::super::listing) is taken for granted.

use alloc::{vec, vec::Vec};

use num_traits::{One, Zero};

use super::{super::outcomes::LossSum, plans::Plan};
use crate::{
    exact::{Enclosure, Rational, Scaled, Working},
    guarantee::{Pair, Weight},
};

/// Digits of every number here.
const TRUTH_BITS: u32 = 420;

/// More sums than this are not listed.
const MOST_SUMS: u64 = 3_000;

/// P and Q of an outcome, either of which may be 0.
type Masses = (Scaled, Scaled);

/// The outcomes of all copies of all parts together, and at least the P-mass of those that are left out.
pub(super) struct Sums {
    outcomes: Vec<Masses>,
    cut: Rational,
    working: Working,
}

impl Sums {
    /// Of pairs; `None` if there are too many.
    pub(super) fn of_plan(plan: &Plan) -> Option<Self> {
        let working = Working::new(TRUTH_BITS);
        let mut parts = Vec::new();
        let mut cut = Rational::zero();
        for (pair, copies) in plan {
            let (masses, left_out) = masses(pair, &working);
            cut += left_out * Rational::from_integer((*copies).into());
            parts.push((masses, *copies));
        }
        Some(Self { outcomes: all(&parts)?, cut, working })
    }

    /// Of outcomes that are listed, without what is cut off from them.
    pub(super) fn of_listed(plan: &LossSum) -> Option<Self> {
        let masses = |part: &super::super::outcomes::Part| {
            let finite = part.outcomes.iter().map(|outcome| (outcome.p.clone(), outcome.q.clone()));
            (finite.chain([(part.never.clone(), Scaled::zero(TRUTH_BITS))]).collect(), part.copies)
        };
        let parts: Vec<(Vec<Masses>, u64)> = plan.parts.iter().map(masses).collect();
        Some(Self { outcomes: all(&parts)?, cut: Rational::zero(), working: Working::new(TRUTH_BITS) })
    }

    /// Σ (P − e^ε·Q)₊, and what is left out besides.
    pub(super) fn delta(&self, epsilon: &Rational) -> Enclosure {
        let power = self.working.exp(&Enclosure::from_rational(epsilon, 2 * TRUTH_BITS)).unwrap();
        let fixed = |value: &Scaled| value.fixed(2 * TRUTH_BITS).unwrap();
        let excess = |(p, q): &Masses| fixed(p).sub(&fixed(&q.mul(&power))).max_zero();
        let sum: Enclosure =
            self.outcomes.iter().map(excess).fold(Enclosure::from_integer(0, 0), |sum, of| sum.add(&of));
        let truth = Enclosure::from_bounds(&sum.lower(), &(sum.upper() + &self.cut), 2 * TRUTH_BITS).unwrap();
        assert!(truth.width() < Rational::new(1.into(), num_traits::pow(10.into(), 50)), "{truth}");
        truth
    }

    /// The finite losses, rising, each to 2^-200.
    pub(super) fn losses(&self) -> Vec<Rational> {
        let finite = self.outcomes.iter().filter(|(p, q)| !p.is_zero() && !q.is_zero());
        let loss = |(p, q): &Masses| self.working.ln(&p.div(q).unwrap()).unwrap().at_precision(200).lower();
        let mut losses: Vec<Rational> = finite.map(loss).collect();
        losses.sort();
        losses
    }
}

/// The outcomes of all copies of all parts, those with P > 0.
fn all(parts: &[(Vec<Masses>, u64)]) -> Option<Vec<Masses>> {
    let possible = |masses: &[Masses]| masses.iter().filter(|(p, _)| !p.is_zero()).cloned().collect::<Vec<_>>();
    let parts: Vec<(Vec<Masses>, u64)> = parts.iter().map(|(masses, copies)| (possible(masses), *copies)).collect();
    let many = |n: u64, k: u64| (1..=k).fold(1_u64, |product, j| product.saturating_mul(n + j - 1) / j);
    let count = |(masses, copies): &(Vec<Masses>, u64)| many(u64::try_from(masses.len()).unwrap(), *copies);
    if parts.iter().map(count).fold(1, u64::saturating_mul) > MOST_SUMS {
        return None;
    }
    let times = |a: &Masses, b: &Masses| (a.0.mul(&b.0), a.1.mul(&b.1));
    let mut sums = vec![(Scaled::one(TRUTH_BITS), Scaled::one(TRUTH_BITS))];
    for (masses, copies) in &parts {
        let own = together(masses, *copies);
        sums = sums.iter().flat_map(|sum| own.iter().map(|of| times(sum, of))).collect();
    }
    Some(sums)
}

/// The outcomes of k copies, without their order: of the copies that are left some have the next outcome, in
/// binom(left, j) ways.
fn together(masses: &[Masses], copies: u64) -> Vec<Masses> {
    let one = Scaled::one(TRUTH_BITS);
    let mut open = vec![(copies, (one.clone(), one))];
    for (p, q) in masses {
        let mut next = Vec::new();
        for (left, (a, b)) in &open {
            let mut ways = Rational::one();
            for j in 0..=*left {
                let times = Scaled::from_rational(&ways, TRUTH_BITS);
                next.push((left - j, (a.mul(&p.pow(j)).mul(&times), b.mul(&q.pow(j)).mul(&times))));
                ways = ways * Rational::from_integer((left - j).into()) / Rational::from_integer((j + 1).into());
            }
        }
        open = next;
    }
    open.into_iter().filter(|(left, _)| *left == 0).map(|(_, masses)| masses).collect()
}

/// P and Q of every outcome of one copy, and at least the mass of those that are left out of either.
fn masses(pair: &Pair, working: &Working) -> (Vec<Masses>, Rational) {
    let number = |value: &Rational| Scaled::from_rational(value, TRUTH_BITS);
    let fall = |x: &Rational| working.exp(&Enclosure::from_rational(&-x, 2 * TRUTH_BITS)).unwrap();
    let sum = |values: &[Scaled]| values.iter().fold(Scaled::zero(TRUTH_BITS), |sum, of| sum.add(of));
    match pair {
        Pair::Finite(pair) => {
            let value = |weight: &Weight| number(weight.factor.get()).mul(&fall(weight.exponent.get()));
            let (p, q): (Vec<Scaled>, Vec<Scaled>) = pair.outcomes().iter().map(|(p, q)| (value(p), value(q))).unzip();
            let (whole_p, whole_q) = (sum(&p), sum(&q));
            let share = |(p, q): (&Scaled, &Scaled)| (p.div(&whole_p).unwrap(), q.div(&whole_q).unwrap());
            (p.iter().zip(&q).map(share).collect(), Rational::zero())
        }
        // With a = e^(−1/s), P(Y ≥ n) = a^n/(1 + a) for n > 0: at its ends, and differences of it between
        // them.
        Pair::Laplace { scale, shift } => {
            let shift = u64::try_from(shift).unwrap();
            let a = fall(&scale.get().recip());
            let from = |n: u64| a.pow(n).div(&Scaled::one(TRUTH_BITS).add(&a)).unwrap();
            let less = |x: &Scaled, y: &Scaled| x.fixed(2 * TRUTH_BITS).unwrap().sub(&y.fixed(2 * TRUTH_BITS).unwrap());
            let middle = |y: u64| Scaled::from_enclosure(&less(&from(y), &from(y + 1)), TRUTH_BITS);
            let p: Vec<Scaled> = [from(0)].into_iter().chain((1..shift).map(middle)).chain([from(shift)]).collect();
            (p.iter().cloned().zip(p.iter().rev().cloned()).collect(), Rational::zero())
        }
        // Beyond n, chosen with e^(−(n+1)²/2σ²) < e^-125, each weight is less than half of the one before it.
        Pair::Gaussian { variance, shift } => {
            let shift = i64::try_from(shift).unwrap();
            let weight = |y: i64| {
                fall(&(Rational::from_integer((y * y).into()) / (variance.get() * Rational::from_integer(2.into()))))
            };
            let is_far =
                |y: i64| Rational::from_integer((y * y).into()) > variance.get() * Rational::from_integer(250.into());
            let reach = (0..).find(|n| is_far(n + 1)).unwrap();
            let listed: Vec<Scaled> = (-4 * reach..=4 * reach).map(weight).collect();
            let beyond = number(&Rational::from_integer(4.into())).mul(&weight(4 * reach + 1)).down_to_zero();
            let whole = sum(&listed).add(&beyond);
            let mass = |y: i64| weight(y).div(&whole).unwrap();
            let cut = mass(reach + 1).exact().unwrap().upper() * Rational::from_integer(4.into());
            ((-reach..=reach + shift).map(|y| (mass(y), mass(y - shift))).collect(), cut)
        }
        Pair::Subsampled { rate, of, reversed } => {
            let (outcomes, cut) = masses(of, working);
            let (hit, miss) = (number(rate.get()), number(&(Rational::one() - rate.get())));
            let mixed = |(p, q): Masses| {
                let mixture = p.mul(&hit).add(&q.mul(&miss));
                if *reversed { (q, mixture) } else { (mixture, q) }
            };
            (outcomes.into_iter().map(mixed).collect(), cut)
        }
    }
}
