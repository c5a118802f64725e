//! The greatest loss on a lattice.

use core::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::Zero;

use super::{super::Direction, factor::Factor, factors};
use crate::{
    exact::{Enclosure, Rational, Working},
    guarantee::Pair,
};

/// Whether ε is at least every loss of a pair on a lattice.
pub(in super::super) fn is_bounded_by(pair: &Pair, epsilon: &Rational) -> bool {
    let bounded = |factor: Factor| !factor.is_infinite() && is_above_every_loss(&[factor], epsilon);
    Factor::new(pair, 1).is_some_and(bounded)
}

/// The greatest loss of a plan, enclosed: its pure ε; `None` if there is none, or the losses are on no
/// lattice.
pub(in super::super) fn greatest_loss(direction: &Direction, bits: u32) -> Option<Enclosure> {
    let factors = factors(direction)?;
    if factors.iter().any(Factor::is_infinite) {
        return None;
    }
    let (exact, enclosed) = maximal_loss(&factors, bits)?;
    Some(exact.map_or(enclosed, |exact| Enclosure::from_rational(&exact, bits)))
}

/// The greatest loss of a plan that is not infinite.
pub(in super::super) fn greatest_finite_loss(direction: &Direction, bits: u32) -> Option<Enclosure> {
    let (exact, enclosed) = maximal_loss(&factors(direction)?, bits)?;
    Some(exact.map_or(enclosed, |exact| Enclosure::from_rational(&exact, bits)))
}

/// The greatest loss of a pair: `None` if it is on no lattice, and `Some(None)` if there is none.
pub(in super::super) fn greatest_loss_of(pair: &Pair, bits: u32) -> Option<Option<Enclosure>> {
    let factor = Factor::new(pair, 1)?;
    if factor.is_infinite() || factor.top().is_none() {
        return Some(None);
    }
    maximal_loss(&[factor], bits).map(|(_, enclosed)| Some(enclosed))
}

/// Whether ε is at least every loss of a plan, ties included; `None` if the losses are on no lattice.
pub(in super::super) fn is_at_most(direction: &Direction, epsilon: &Rational) -> Option<bool> {
    let factors = factors(direction)?;
    Some(!factors.iter().any(Factor::is_infinite) && is_above_every_loss(&factors, epsilon))
}

/// Whether ε is at least the greatest total loss that is finite, so that δ(ε) is the probability of an
/// infinite one.
pub(super) fn is_above_every_loss(factors: &[Factor], epsilon: &Rational) -> bool {
    let mut bits = 64;
    while bits <= 1 << 12 {
        let Some((exact, enclosed)) = maximal_loss(factors, bits) else { return false };
        if let Some(exact) = exact {
            return *epsilon >= exact;
        }
        match Enclosure::from_rational(epsilon, bits).compare(&enclosed) {
            Some(Ordering::Less) => return false,
            Some(_) => return true,
            None => bits *= 2,
        }
    }
    false
}

/// The greatest total loss that is finite, exactly where it is rational, and enclosed; `None` if there is
/// none.
fn maximal_loss(factors: &[Factor], bits: u32) -> Option<(Option<Rational>, Enclosure)> {
    let working = Working::new(bits.saturating_add(64));
    let mut exact = Some(Rational::zero());
    let mut enclosed = Enclosure::from_integer(0, 0);
    for factor in factors {
        let (rational, one) = factor.greatest(&working)?;
        let copies = BigInt::from(factor.copies);
        exact = exact.zip(rational).map(|(sum, one)| sum + one * &copies);
        enclosed = enclosed.add(&one.mul(&Enclosure::from_integer(copies, 0)));
    }
    Some((exact, enclosed))
}
