//! Probabilities on paper, over [`Outcome`]s.

use alloc::{boxed::Box, collections::BTreeMap, vec::Vec};
use core::cell::RefCell;

use num_bigint::BigUint;
use num_traits::One;

use super::Outcome;
use crate::exact::{Enclosure, Integer, LaplacePmf, NonNegative, Pmf, Positive, Rational, exp_neg};

/// No probability at all.
fn nothing() -> Enclosure {
    Enclosure::from_integer(0, 0)
}

/// A distribution of integers.
pub(super) struct Integers(pub(super) Box<dyn Pmf<Integer>>);

impl Pmf<Outcome> for Integers {
    fn probability(&self, value: &Outcome) -> Enclosure {
        match value {
            Outcome::Integer(value) => self.0.probability(value),
            _ => nothing(),
        }
    }
}

/// answer + noise.
pub(super) struct Shifted<N> {
    pub(super) answer: Integer,
    pub(super) noise: N,
}

impl<N: Pmf<Integer>> Pmf<Outcome> for Shifted<N> {
    fn probability(&self, value: &Outcome) -> Enclosure {
        match value {
            Outcome::Integer(value) => self.noise.probability(&value.add(&self.answer.neg())),
            _ => nothing(),
        }
    }
}

/// The multiples of a rational, distributed as their numbers are.
pub(super) struct Multiples<N> {
    pub(super) step: Rational,
    pub(super) number: N,
}

impl<N: Pmf<Outcome>> Pmf<Outcome> for Multiples<N> {
    fn probability(&self, value: &Outcome) -> Enclosure {
        let Outcome::Rational(value) = value else { return nothing() };
        let number = value / &self.step;
        if !number.is_integer() {
            return nothing();
        }
        self.number.probability(&Outcome::Integer(Integer::from(number.to_integer())))
    }
}

/// Independent coordinates. Each one's probabilities are computed once, and remembered.
pub(super) struct Product(Vec<(Box<dyn Pmf<Outcome>>, Known)>);

/// Probabilities that were computed before.
type Known = RefCell<BTreeMap<Outcome, Enclosure>>;

impl Product {
    /// Of these coordinates.
    pub(super) fn new(coordinates: impl Iterator<Item = Box<dyn Pmf<Outcome>>>) -> Self {
        Self(coordinates.map(|pmf| (pmf, RefCell::default())).collect())
    }
}

impl Pmf<Outcome> for Product {
    fn probability(&self, value: &Outcome) -> Enclosure {
        let Outcome::Vector(entries) = value else { return nothing() };
        if entries.len() != self.0.len() {
            return nothing();
        }
        let each = entries.iter().zip(&self.0).map(|(entry, (pmf, known))| {
            known.borrow_mut().entry(entry.clone()).or_insert_with(|| pmf.probability(entry)).clone()
        });
        each.reduce(|product, factor| product.mul(&factor)).unwrap_or_else(|| Enclosure::from_integer(1, 0))
    }
}

/// An integer with Laplace noise.
pub(super) fn laplace(answer: Integer, scale: &Positive, precision: u32) -> Box<dyn Pmf<Outcome>> {
    Box::new(Shifted { answer, noise: LaplacePmf::new(scale, precision) })
}

/// Integers, each with Laplace noise of its own scale.
pub(super) fn laplaces(answers: Vec<(Integer, Positive)>, precision: u32) -> Box<dyn Pmf<Outcome>> {
    // The product of k enclosures is k times as wide at most: they are all at most 1.
    Box::new(Product::new(answers.into_iter().map(|(answer, scale)| laplace(answer, &scale, precision))))
}

/// Staircase noise around an answer: P(k) = a·b^level(k), a = (1 − b)/(2r + 2b(Δ − r) − (1 − b)), b = e^-ε.
/// Geng and Viswanath 2014, section V.
pub(super) struct Staircase {
    answer: Integer,
    /// Δ, and Δ − r.
    sensitivity: BigUint,
    rest: BigUint,
    epsilon: Positive,
    precision: u32,
    /// a.
    top: Enclosure,
}

impl Staircase {
    /// Around an answer, for ε, Δ and r.
    pub(super) fn new(
        answer: Integer,
        epsilon: &Positive,
        sensitivity: &BigUint,
        step: &BigUint,
        precision: u32,
    ) -> Option<Self> {
        // The division makes the numerator's error larger by 1/(2r) at most, and b's by Δ/r.
        let working = precision.checked_add(u32::try_from(sensitivity.bits()).ok()?)?.checked_add(8)?;
        let rest = if sensitivity >= step { sensitivity - step } else { return None };
        let b = exp_neg(&NonNegative::from(epsilon.clone()), working).at_precision(working);
        let twice = |n: &BigUint| Enclosure::from_integer(n.clone() * 2u32, working);
        let numerator = Enclosure::from_integer(1, working).sub(&b);
        let denominator = twice(step).add(&twice(&rest).mul(&b)).sub(&numerator);
        let top = numerator.div(&denominator)?;
        Some(Self { answer, sensitivity: sensitivity.clone(), rest, epsilon: epsilon.clone(), precision: working, top })
    }
}

impl Pmf<Outcome> for Staircase {
    fn probability(&self, value: &Outcome) -> Enclosure {
        let Outcome::Integer(value) = value else { return nothing() };
        let level = (value.add(&self.answer.neg()).magnitude() + &self.rest) / &self.sensitivity;
        let exponent = self.epsilon.get() * Rational::from_integer(level.into());
        let falling = exp_neg(&NonNegative::new(exponent).unwrap_or_else(|_| NonNegative::zero()), self.precision);
        self.top.mul(&falling)
    }
}

/// A bit that is 1 with a rational probability.
pub(super) struct Bit(pub(super) Rational, pub(super) u32);

impl Pmf<Outcome> for Bit {
    fn probability(&self, value: &Outcome) -> Enclosure {
        let Self(one, precision) = self;
        match value {
            Outcome::Integer(bit) if bit.is_zero() => Enclosure::from_rational(&(Rational::one() - one), *precision),
            Outcome::Integer(bit) if bit.to_i64() == Some(1) => Enclosure::from_rational(one, *precision),
            _ => nothing(),
        }
    }
}
