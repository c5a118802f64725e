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
        let work = Work { all, theta: &choice.theta, effort };
        let (mut lower, mut upper) = (Sum::default(), Sum::default());
        for ((pairs, copies), (grid, bits)) in direction.iter().zip(&choice.grids) {
            let few = if let [pair] = pairs.as_slice() { atoms(pair, *bits) } else { None };
            let sides = [(Side::Lower, &mut lower), (Side::Upper, &mut upper)];
            if let Some(atoms) = few {
                let (low, high) = (grid.loss(grid.first), grid.loss(grid.last));
                for (side, sum) in sides {
                    work.add_few(sum, Sparse::new(&atoms, side, &choice.theta, &low, &high, *bits)?, *copies)?;
                }
            } else {
                let mut curves: Vec<Curve> = pairs.iter().map(|pair| Curve::new(pair, *bits)).collect::<Option<_>>()?;
                let dots = connect(&mut curves, *grid, *bits)?;
                for (side, sum) in sides {
                    let pld = work.power(Pld::new(&dots, side, &choice.theta)?, *copies, 1)?;
                    work.add(&mut sum.dense, pld, *copies)?;
                }
            }
        }
        let (lower, upper) = (work.finish(lower), work.finish(upper));
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

/// What has been added up so far, and of how many copies: few losses, and dots.
#[derive(Default)]
struct Sum {
    few: Option<(Sparse, u64)>,
    dense: Option<(Pld, u64)>,
}

/// The most points of a composition whose grid is too wide to be halved.
const MOST_POINTS: usize = 1 << 20;

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

    /// Adds `copies` copies of few losses: as they are while they are few, and as dots beyond.
    fn add_few(&self, sum: &mut Sum, one: Sparse, copies: u64) -> Option<()> {
        let (mut square, mut size, mut rest) = (one, 1_u64, copies);
        loop {
            if rest & 1 == 1 {
                self.add_sparse(sum, &square, size)?;
            }
            rest >>= 1;
            if rest == 0 {
                return Some(());
            }
            match square.compose(&square, self.theta, self.cut(size * 2)) {
                Some(double) => (square, size) = (double, size * 2),
                None => {
                    // Two times the rest, of blocks that can be doubled no more as they are.
                    let block = self.connect(&square, size)?;
                    let pld = self.power(block, rest * 2, size)?;
                    return self.add(&mut sum.dense, pld, rest * 2 * size);
                }
            }
        }
    }

    fn add_sparse(&self, sum: &mut Sum, block: &Sparse, size: u64) -> Option<()> {
        let Some((few, count)) = sum.few.take() else {
            sum.few = Some((block.clone(), size));
            return Some(());
        };
        match few.compose(block, self.theta, self.cut(count + size)) {
            Some(joint) => sum.few = Some((joint, count + size)),
            None => {
                let pld = self.connect(&few, count)?;
                self.add(&mut sum.dense, pld, count)?;
                sum.few = Some((block.clone(), size));
            }
        }
        Some(())
    }

    fn connect(&self, block: &Sparse, size: u64) -> Option<Pld> {
        let many = u64::BITS - (self.all / size.max(1)).leading_zeros();
        block.connect(self.theta, 2 * self.effort.single, self.cut(size), many)
    }

    fn add(&self, total: &mut Option<(Pld, u64)>, pld: Pld, size: u64) -> Option<()> {
        *total = Some(match total.take() {
            None => (pld, size),
            Some((other, count)) => (self.join(other, pld, count + size)?, count + size),
        });
        Some(())
    }

    fn finish(&self, mut sum: Sum) -> Option<Pld> {
        if let Some((few, count)) = sum.few.take() {
            let pld = self.connect(&few, count)?;
            self.add(&mut sum.dense, pld, count)?;
        }
        sum.dense.map(|(pld, _)| pld)
    }

    /// The loss of `times` blocks of `size` copies, by squaring, on grids that widen as the losses spread.
    fn power(&self, pld: Pld, times: u64, size: u64) -> Option<Pld> {
        let (mut square, mut rest, mut size) = (pld, times, size);
        let mut product = None;
        loop {
            if rest & 1 == 1 {
                self.add(&mut product, square.clone(), size)?;
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
        while joint.masses.len() > self.effort.composed && joint.step > 0 {
            joint = coarsen(&joint, self.theta)?;
        }
        if joint.masses.len() > MOST_POINTS {
            return None;
        }
        joint.normalise();
        Some(joint)
    }
}

/// How an answer was found.
const METHOD: &str = "connect-the-dots on a grid";

/// What an account takes at most, whatever the number of copies: for each part 2^16 points of one copy's curve (2^17 of listed losses), and for each binary
/// digit of its copies two or three transforms of 2^19 points modulo two primes, on either side. Some seconds, some tens of megabytes.
const FULL: Effort = Effort { single: 1 << 16, composed: 1 << 18 };

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
    let zero = || Enclosure::from_integer(0, 0);
    if curve::greatest_loss(direction).is_some_and(|greatest| greatest <= *epsilon.get()) {
        return Ok(Answer { enclosure: zero(), method: "greatest loss", is_narrow: true });
    }
    // Where nothing reaches it, all that is known is that δ is a probability.
    let unknown = Answer { enclosure: zero().hull(&Enclosure::from_integer(1, 0)), method: METHOD, is_narrow: false };
    let Ok(sketches) = sketch(direction) else { return Ok(unknown) };
    let efforts: &[Effort] = if precision.digits <= 4 { &[LIGHT, FULL] } else { &[FULL] };
    let mut best = unknown;
    for effort in efforts {
        let composition = Composition::new(direction, &sketches, epsilon.get(), *effort);
        if let Some(enclosure) = composition.and_then(|composition| composition.delta(epsilon.get())) {
            let is_narrow = is_narrow(&enclosure, precision);
            best = Answer { enclosure, method: METHOD, is_narrow };
            if is_narrow {
                break;
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests;
