//! The probability that a loss is infinite: 1 − Π(1 − p)^k over all parts, with p = P(Q = 0) of a copy.

use alloc::vec::Vec;

use num_traits::{One, Zero};

use super::{Direction, Precision, lattice};
use crate::{
    exact::{Enclosure, Rational, Scaled, Working},
    guarantee::{Pair, Weight},
};

/// Encloses the probability that the loss of a direction is infinite, to digits enough to compare it with δ.
pub(super) fn mass(direction: &Direction, delta: &Rational, precision: &Precision) -> Option<Enclosure> {
    let small = u32::try_from(delta.denom().bits()).ok()?;
    let working = Working::new(precision.bits().saturating_add(small).saturating_add(128));
    let one = Enclosure::from_integer(1, 0);
    let mut finite = Scaled::one(working.bits());
    for part in direction {
        let masses = part.pairs().iter().map(|pair| mass_of(pair, &working)).collect::<Option<Vec<_>>>()?;
        let most = masses.into_iter().max_by(|a, b| a.lower().cmp(&b.lower()))?;
        finite = finite.mul(&Scaled::from_enclosure(&one.sub(&most), working.bits()).pow(part.copies()));
    }
    Some(one.sub(&finite.fixed(working.bits())?).max_zero())
}

/// The same exactly, where it is rational and short.
pub(super) fn exact_mass(direction: &Direction) -> Option<Rational> {
    let mut finite = Rational::one();
    for part in direction {
        let mut most = Rational::zero();
        for pair in part.pairs() {
            most = most.max(exact_mass_of(pair)?);
        }
        let rest = Rational::one() - most;
        let power = i32::try_from(part.copies()).ok()?;
        if !rest.is_one() && rest.denom().bits().checked_mul(part.copies())? > 1 << 14 {
            return None;
        }
        finite *= rest.pow(power);
    }
    Some(Rational::one() - finite)
}

/// P(Q = 0) of a pair, exactly.
fn exact_mass_of(pair: &Pair) -> Option<Rational> {
    match pair {
        Pair::Laplace { .. } | Pair::Gaussian { .. } => Some(Rational::zero()),
        Pair::Finite(finite) => {
            let mut sums = (Rational::zero(), Rational::zero());
            for (p, q) in finite.outcomes() {
                let Weight { factor, exponent } = p;
                if !exponent.get().is_zero() && !p.is_zero() {
                    return None;
                }
                sums.1 += factor.get();
                if q.is_zero() {
                    sums.0 += factor.get();
                }
            }
            Some(sums.0 / sums.1)
        }
        Pair::Subsampled { rate, of, reversed: false } => Some(exact_mass_of(of)? * rate.get()),
        // Rate 1 is no subsampling, and is not written so.
        Pair::Subsampled { reversed: true, .. } => Some(Rational::zero()),
    }
}

/// Encloses P(Q = 0) of a pair.
fn mass_of(pair: &Pair, working: &Working) -> Option<Enclosure> {
    let zero = Enclosure::from_integer(0, 0);
    Some(match pair {
        Pair::Laplace { .. } | Pair::Gaussian { .. } => zero,
        Pair::Finite(finite) => {
            if !finite.outcomes().iter().any(|(p, q)| q.is_zero() && !p.is_zero()) {
                return Some(zero);
            }
            let revealing = |(p, q): &(Weight, Weight)| q.is_zero().then(|| p.clone());
            let listed: Vec<Weight> = finite.outcomes().iter().filter_map(revealing).collect();
            let all: Vec<Weight> = finite.outcomes().iter().map(|(p, _)| p.clone()).collect();
            lattice::share(&listed, &all, working)?
        }
        Pair::Subsampled { rate, of, reversed: false } => mass_of(of, working)?.mul_rational(rate.get()),
        // (1 − r)·Q + r·P = 0 where Q > 0 needs r = 1 and P = 0.
        Pair::Subsampled { rate, of, reversed: true } if rate.get().is_one() => mass_of(&of.reversed(), working)?,
        Pair::Subsampled { .. } => zero,
    })
}
