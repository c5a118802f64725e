//! Accounts of any plan, on a grid of losses: the privacy-loss distribution (PLD) from both sides.
//!
//! 1. [`tilt`] sketches every part, and chooses a tilt θ, a window and a grid.
//! 2. [`dots`] replaces each part's curve ([`curve`]) by one above it and one below, with kinks on the grid alone: a pessimistic and an optimistic measure of
//!    losses. A part with few losses ([`atoms`]) is composed with itself at nearly its true losses first ([`sparse`]).
//! 3. [`pld`] holds such a measure as integers, tilted; composition is [`convolution`] by exact transforms ([`transform`]).
//! 4. As losses add up they spread by the square root of the number of copies, and the grid is halved ([`coarsen`]) when they outgrow it. So the
//!    first copies are on a fine grid, and k copies cost as many roundings of the loss as k has binary digits, not k.
//! 5. [`evaluate`] reads δ(ε) off both.
//!
//! **Soundness** is one fact, argued in [`dots`]: if a measure's curve is above (below) that of the true loss everywhere, so are the curves of
//! compositions. Every step raises the pessimistic curve and lowers the optimistic one: dots, splits and merges by convexity, masses rounded up and down, what
//! is cut off booked as slack or dropped. No choice of θ, window or grid can make an answer wrong, only wide.

mod atoms;
mod coarsen;
mod convolution;
mod curve;
mod dots;
mod epsilon;
mod evaluate;
mod finite;
mod fixed;
mod gaussian;
mod normal;
mod pld;
mod sparse;
mod tilt;
mod transform;

use alloc::vec::Vec;

pub(super) use self::epsilon::epsilon;

use self::{
    atoms::atoms,
    coarsen::coarsen,
    convolution::Side,
    curve::Curve,
    dots::connect,
    pld::Pld,
    sparse::Sparse,
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
            let few = if let [pair] = pairs.as_slice() { atoms(pair, *bits) } else { None };
            let mut dots = None;
            if few.is_none() {
                let mut curves: Vec<Curve> = pairs.iter().map(|pair| Curve::new(pair, *bits)).collect::<Option<_>>()?;
                dots = Some(connect(&mut curves, *grid, *bits)?);
            }
            for (side, total) in [(Side::Lower, &mut lower), (Side::Upper, &mut upper)] {
                let work = Work { all, theta: &choice.theta, effort };
                let pld = match (&few, &dots) {
                    (Some(atoms), _) => {
                        let (low, high) = (grid.loss(grid.first), grid.loss(grid.last));
                        work.blocks(Sparse::new(atoms, side, &choice.theta, &low, &high, *bits)?, *copies)?
                    }
                    (None, Some(dots)) => work.power(Pld::new(dots, side, &choice.theta)?, *copies, 1, None)?,
                    (None, None) => return None,
                };
                *total = Some(match total.take() {
                    None => pld,
                    Some(other) => work.join(other, pld, *copies)?,
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

/// What the compositions of one account share.
struct Work<'a> {
    /// The copies of all parts together.
    all: u64,
    theta: &'a Rational,
    effort: Effort,
}

impl Work<'_> {
    /// Each of all/count such distributions may lose 2^-38·count/all of itself, so that all of them lose about 2^-38.
    fn cut(&self, count: u64) -> u32 {
        38 + (u64::BITS - (self.all / count.max(1)).leading_zeros())
    }

    /// The loss of `copies` copies: few losses are doubled as they are while they are few, and each binary digit of `copies` takes a block.
    fn blocks(&self, one: Sparse, copies: u64) -> Option<Pld> {
        let connect = |block: &Sparse, size: u64| {
            block.connect(self.theta, self.effort.single, self.cut(size), u64::BITS - (self.all / size).leading_zeros())
        };
        let (mut block, mut size) = (one, 1_u64);
        let mut product: Option<(Pld, u64)> = None;
        while let Some(double) = if copies / size > 1 { block.double(self.theta) } else { None } {
            if copies / size % 2 == 1 {
                let here = connect(&block, size)?;
                product = Some(match product.take() {
                    None => (here, size),
                    Some((other, count)) => (self.join(other, here, count + size)?, count + size),
                });
            }
            (block, size) = (double, size * 2);
        }
        self.power(connect(&block, size)?, copies / size, size, product)
    }

    /// The loss of `times` blocks of `size` copies, by squaring, on grids that widen as the losses spread; and of `product`, so many copies.
    fn power(&self, pld: Pld, times: u64, size: u64, mut product: Option<(Pld, u64)>) -> Option<Pld> {
        let (mut square, mut rest, mut size) = (pld, times, size);
        loop {
            if rest & 1 == 1 {
                product = Some(match product.take() {
                    None => (square.clone(), size),
                    Some((other, count)) => (self.join(other, square.clone(), count + size)?, count + size),
                });
            }
            rest >>= 1;
            if rest == 0 {
                return product.map(|(product, _)| product);
            }
            size *= 2;
            square = self.join(square.clone(), square, size)?;
        }
    }

    /// The composition of two, of `count` copies together.
    fn join(&self, mut a: Pld, mut b: Pld, count: u64) -> Option<Pld> {
        while a.step > b.step {
            a = coarsen(&a, self.theta)?;
        }
        while b.step > a.step {
            b = coarsen(&b, self.theta)?;
        }
        let mut joint = a.compose(&b)?;
        joint.truncate(self.cut(count));
        while joint.masses.len() > self.effort.composed {
            joint = coarsen(&joint, self.theta)?;
        }
        joint.normalise();
        Some(joint)
    }
}

/// How an answer was found.
const METHOD: &str = "connect-the-dots on a grid";

/// What an account takes: at most 2^16 points of one copy's curve and 2^17 of a composition's loss, some seconds and some tens of megabytes
/// in all, whatever the number of copies: it adds its binary digits, each two or three transforms of 2^18 points modulo two primes.
const FULL: Effort = Effort { single: 1 << 16, composed: 1 << 17 };

/// Enough where three digits are asked for, or a first idea.
const LIGHT: Effort = Effort { single: 1 << 13, composed: 1 << 14 };

fn sketch(direction: &Direction) -> Result<Vec<Sketch>, AccountError> {
    let sketches = direction.iter().map(|(pairs, copies)| Sketch::new(pairs, *copies)).collect::<Option<Vec<_>>>();
    sketches.filter(|sketches| !sketches.is_empty()).ok_or(AccountError::OutOfReach)
}

/// Encloses δ(ε) of one direction of a plan: lightly first if few digits are asked for, and then with the full effort.
pub(super) fn delta(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
) -> Result<Answer, AccountError> {
    let sketches = sketch(direction)?;
    let efforts: &[Effort] = if precision.digits <= 4 { &[LIGHT, FULL] } else { &[FULL] };
    let mut best = Err(AccountError::OutOfReach);
    for effort in efforts {
        let composition = Composition::new(direction, &sketches, epsilon.get(), *effort);
        if let Some(enclosure) = composition.and_then(|composition| composition.delta(epsilon.get())) {
            let is_narrow = is_narrow(&enclosure, precision);
            best = Ok(Answer { enclosure, method: METHOD, is_narrow });
            if is_narrow {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests;
