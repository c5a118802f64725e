//! Accounts on a grid.

mod coarsen;
mod convolution;
mod curve;
mod dots;
mod evaluate;
mod finite;
mod fixed;
mod gaussian;
mod normal;
mod pld;
mod tilt;
mod transform;

use alloc::vec::Vec;

use self::{
    coarsen::coarsen,
    convolution::Side,
    curve::Curve,
    dots::connect,
    pld::Pld,
    tilt::{Sketch, choose},
};
use super::{AccountError, Answer, Direction, Precision, answer::is_narrow};
use crate::exact::{Enclosure, NonNegative, Rational};

/// How many points an account may take.
#[derive(Clone, Copy, Debug)]
struct Effort {
    /// Of one copy's grid.
    single: u64,
    /// Of a composition's.
    composed: usize,
}

/// A plan's composed loss, from both sides: asked for δ at any ε, sharp near the one it was made for.
pub(super) struct Composition {
    theta: Rational,
    lower: Pld,
    upper: Pld,
}

impl Composition {
    fn new(direction: &Direction, sketches: &[Sketch], epsilon: &Rational, effort: Effort) -> Option<Self> {
        let choice = choose(sketches, epsilon, effort.single)?;
        let all = direction.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let (mut lower, mut upper): (Option<Pld>, Option<Pld>) = (None, None);
        for ((pairs, copies), (grid, bits)) in direction.iter().zip(&choice.grids) {
            let mut curves: Vec<Curve> = pairs.iter().map(|pair| Curve::new(pair, *bits)).collect::<Option<_>>()?;
            let dots = connect(&mut curves, *grid, *bits)?;
            for (side, total) in [(Side::Lower, &mut lower), (Side::Upper, &mut upper)] {
                let pld = power(Pld::new(&dots, side, &choice.theta)?, *copies, all, &choice.theta, effort)?;
                *total = Some(match total.take() {
                    None => pld,
                    Some(other) => join(other, pld, all, *copies, &choice.theta, effort)?,
                });
            }
        }
        Some(Self { theta: choice.theta, lower: lower?, upper: upper? })
    }

    /// Encloses δ(ε).
    fn delta(&self, epsilon: &Rational) -> Option<Enclosure> {
        let lower = evaluate::delta(&self.lower, &self.theta, epsilon)?;
        let upper = evaluate::delta(&self.upper, &self.theta, epsilon)?;
        let leading = lower.denom().bits().saturating_sub(lower.numer().bits());
        let precision = u32::try_from(leading.min(1 << 20)).ok()?.checked_add(80)?;
        Enclosure::from_bounds(&lower.min(upper.clone()), &upper, precision)
    }
}

/// The loss of `copies` copies, by squaring, on grids that widen as the losses spread.
fn power(pld: Pld, copies: u64, all: u64, theta: &Rational, effort: Effort) -> Option<Pld> {
    let mut square = pld;
    let (mut rest, mut size) = (copies, 1_u64);
    let mut product: Option<(Pld, u64)> = None;
    loop {
        if rest & 1 == 1 {
            product = Some(match product.take() {
                None => (square.clone(), size),
                Some((other, count)) => (join(other, square.clone(), all, count + size, theta, effort)?, count + size),
            });
        }
        rest >>= 1;
        if rest == 0 {
            return product.map(|(product, _)| product);
        }
        size *= 2;
        square = join(square.clone(), square, all, size, theta, effort)?;
    }
}

/// The composition of two, of `count` copies together out of `all`.
fn join(mut a: Pld, mut b: Pld, all: u64, count: u64, theta: &Rational, effort: Effort) -> Option<Pld> {
    while a.step > b.step {
        a = coarsen(&a, theta)?;
    }
    while b.step > a.step {
        b = coarsen(&b, theta)?;
    }
    let mut joint = a.compose(&b)?;
    // Each of all/count such joints loses 2^-38·count/all of itself, so that all of them lose about 2^-38.
    joint.truncate(38 + (u64::BITS - (all / count.max(1)).leading_zeros()));
    while joint.masses.len() > effort.composed {
        joint = coarsen(&joint, theta)?;
    }
    joint.normalise();
    Some(joint)
}

/// Encloses δ(ε) of one direction of a plan.
pub(super) fn delta(direction: &Direction, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    let sketches = direction.iter().map(|(pairs, copies)| Sketch::new(pairs, *copies)).collect::<Option<Vec<_>>>();
    let sketches = sketches.ok_or(AccountError::OutOfReach)?;
    let effort = Effort { single: 1 << 15, composed: 1 << 17 };
    let composition =
        Composition::new(direction, &sketches, epsilon.get(), effort).ok_or(AccountError::OutOfReach)?;
    let enclosure = composition.delta(epsilon.get()).ok_or(AccountError::OutOfReach)?;
    let is_narrow = is_narrow(&enclosure, precision);
    Ok(Answer { enclosure, method: "connect-the-dots on a grid", is_narrow })
}

#[cfg(test)]
mod tests;
