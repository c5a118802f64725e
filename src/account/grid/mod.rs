//! Accounts of any plan, on a grid of losses: the privacy-loss distribution (PLD) from both sides.
//!
//! 1. [`tilt`] sketches every part, and chooses a tilt θ, a window and a grid.
//! 2. [`dots`] replaces each part's curve ([`curve`]) by one above it and one below, with kinks on the grid alone: a pessimistic and an optimistic measure of
//!    losses. A part with few losses ([`atoms`]) is composed with itself at nearly its true losses first ([`sparse`]), and placed on the grid then ([`place`]).
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
mod place;
mod pld;
mod sparse;
mod thicken;
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
    tilt::{Aim, Choice, Sketch, choose},
};
use super::{Answer, Direction, Precision, answer::is_narrow};
use crate::{
    exact::{Budget, Enclosure, NonNegative, Rational},
    guarantee::Pair,
};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// How many points an account may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Effort {
    /// Of one copy's grid.
    single: u64,
    /// Of a composition's.
    composed: usize,
    /// Sums of two losses in one composition of few.
    sums: usize,
}

/// A plan's composed loss, from both sides: asked for δ at any ε, sharp near the one it was made for.
pub(super) struct Composition {
    theta: Rational,
    lower: Pld,
    upper: Pld,
    /// At least every finite loss of either, where that is known to be small; at most 1.
    greatest: Rational,
}

impl Composition {
    fn new(direction: &Direction, sketches: &[Sketch], aim: Aim<'_>, effort: Effort, budget: &Budget) -> Option<Self> {
        let narrowed = narrowed(direction, sketches, aim, effort, budget);
        let sketches = narrowed.as_deref().unwrap_or(sketches);
        let (choice, effort) = affordable(direction, sketches, aim, effort, budget)?;
        let all = direction.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let work = Work { all, theta: &choice.theta, effort };
        let (mut lower, mut upper) = (Sum::default(), Sum::default());
        let mut greatest = Rational::zero();
        let fine = fineness(&choice, all)?;
        for ((pairs, copies), (grid, bits)) in direction.iter().zip(&choice.grids) {
            // Losses as they are have places enough only where they are not tiny beside the others.
            let few = match pairs.as_slice() {
                [pair] if grid.step + 10 <= fine => atoms(pair, *bits, fine + 36),
                _ => None,
            };
            // Placing and halving grids move losses up: by a step of the grid each time, all in all by less than this again.
            let reach = grid.loss(grid.last).max(Rational::zero()) + grid.loss(grid.last) - grid.loss(grid.first);
            greatest += reach * BigInt::from(*copies) * BigInt::from(2);
            let sides = [(Side::Lower, &mut lower), (Side::Upper, &mut upper)];
            if let Some(atoms) = few {
                let window = (&grid.loss(grid.first), &grid.loss(grid.last));
                for (side, sum) in sides {
                    let one = Sparse::new(&atoms, side, &choice.theta, window, (fine, *bits))?;
                    work.add_few(sum, one, *copies)?;
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
        let greatest = greatest.min(Rational::one());
        Some(Self { theta: choice.theta, lower: lower?, upper: upper?, greatest })
    }

    /// Whether losses above the window, taken for infinite on one side alone, make an answer wide.
    fn is_cut_short(&self, found: &Enclosure) -> bool {
        let open = Rational::new(&self.upper.infinite - &self.lower.infinite, BigInt::one() << pld::INFINITE_BITS);
        open * BigInt::from(OPEN) > found.lower()
    }

    /// Encloses δ(ε).
    fn delta(&self, epsilon: &Rational) -> Option<Enclosure> {
        let lower = evaluate::delta(&self.lower, &self.theta, epsilon, &self.greatest)?;
        let upper = evaluate::delta(&self.upper, &self.theta, epsilon, &self.greatest)?;
        let leading = lower.denom().bits().saturating_sub(lower.numer().bits());
        let precision = u32::try_from(leading.min(1 << 20)).ok()?.checked_add(80)?;
        Enclosure::from_bounds(&lower.min(upper.clone()), &upper, precision)
    }
}

/// What the window may leave open of an answer, one part in so many.
const OPEN: u32 = 1 << 14;

/// Sketches of what matters at ε alone, where that is a small part of all: the first ones do not tell small losses apart, and choose a tilt for larger ones.
fn narrowed(
    direction: &Direction,
    sketches: &[Sketch],
    aim: Aim<'_>,
    effort: Effort,
    budget: &Budget,
) -> Option<Vec<Sketch>> {
    let mut best: Option<Vec<Sketch>> = None;
    for _ in 0..4 {
        let here = best.as_deref().unwrap_or(sketches);
        let choice = choose(here, aim, effort.single)?;
        let parts = direction.iter().zip(here).zip(&choice.grids);
        let next: Vec<_> =
            parts.map(|(((pairs, _), sketch), (grid, _))| sketch.narrowed(pairs, grid, &budget.share(8))).collect();
        // All of them, or none: one tilt is for them all.
        match next.into_iter().collect::<Option<Vec<_>>>() {
            Some(next) => best = Some(next),
            None => break,
        }
    }
    best
}

/// The binary digits after the point of few losses: those of the widest grid and some for the roundings of many copies, so that even its losses are numbers
/// of 60 bits.
fn fineness(choice: &Choice, all: u64) -> Option<u32> {
    let many = u64::BITS - all.leading_zeros();
    let widest = choice.grids.iter().map(|(grid, _)| grid.step).min()?;
    Some(sparse::FINE.max(widest + 24 + many.min(14)))
}

/// A choice of grids whose work is within the budget: fewer points where it is not, down to a few hundred.
fn affordable(
    direction: &Direction,
    sketches: &[Sketch],
    aim: Aim<'_>,
    mut effort: Effort,
    budget: &Budget,
) -> Option<(Choice, Effort)> {
    // A composition for every binary digit of the copies, and one more where it is not 0, on either side: six transforms each, and twice as long.
    let digits = |copies: u64| u64::from(u64::BITS - copies.leading_zeros() + copies.count_ones());
    let joins: u64 = direction.iter().map(|(_, copies)| digits(*copies)).sum();
    let of_joins = |effort: Effort| {
        let length = u64::try_from(2 * effort.composed).unwrap_or(u64::MAX);
        joins * 2 * 6 * length * u64::from(length.ilog2())
    };
    let are_few = |pairs: &[Pair]| matches!(pairs, [pair] if atoms::are_few(pair));
    while of_joins(effort) > budget.left() / 2 && effort.composed > LEAST_POINTS {
        effort.composed /= 2;
    }
    for _ in 0..3 {
        let choice = choose(sketches, aim, effort.single)?;
        let costs = direction.iter().zip(&choice.grids).flat_map(|((pairs, _), (grid, bits))| {
            // Few losses are added up, sorted, some times over, on either side.
            let of_few = u64::try_from(effort.sums).unwrap_or(u64::MAX).saturating_mul(400);
            let (points, are_few) = (grid.points(), are_few(pairs));
            pairs.iter().map(move |pair| if are_few { of_few } else { curve::cost(pair, points, *bits) })
        });
        let cost = costs.fold(of_joins(effort), u64::saturating_add);
        if cost <= budget.left() {
            budget.spend(cost)?;
            return Some((choice, effort));
        }
        // In proportion, and some less.
        let fewer = u128::from(effort.single) * u128::from(budget.left()) / u128::from(cost.max(1)) * 3 / 4;
        effort.single = u64::try_from(fewer).unwrap_or(u64::MAX).max(u64::try_from(LEAST_POINTS).ok()?);
        effort.sums /= 2;
    }
    None
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
        let (mut square, mut size, mut rest) = (one.clone(), 1_u64, copies);
        let are_few = one.cut(self.cut(1)).len() <= FEW;
        let mut chunk = (one, 1_u64);
        loop {
            if rest & 1 == 1 {
                self.add_sparse(sum, &square, size)?;
            }
            rest >>= 1;
            if rest == 0 {
                return Some(());
            }
            match square.compose(&square, self.theta, self.effort.sums, self.cut(size * 2)) {
                Some(double) => {
                    (square, size) = (double, size * 2);
                    if are_few && u64::try_from(square.len()).is_ok_and(|len| len <= 16 * size) {
                        chunk = (square.clone(), size);
                    }
                }
                None => {
                    // Two times the rest, of blocks that can be doubled no more as they are.
                    let left = rest * 2 * size;
                    let most = if are_few { left / 8 } else { THICK.min(left / 8) };
                    let (block, of, rest) = self.thickened((&square, size), &chunk, left, most);
                    match rest {
                        Some(rest) => {
                            let pld = self.connect(&rest, left % of)?;
                            self.add(&mut sum.dense, pld, left % of)?;
                        }
                        None => (0..left % of / size).try_for_each(|_| self.add_sparse(sum, &square, size))?,
                    }
                    let pld = self.power(self.connect(&block, of)?, left / of, of)?;
                    return self.add(&mut sum.dense, pld, left / of * of);
                }
            }
        }
    }

    /// A block of `size` copies with more added, chunk by chunk, up to so many of those that are left: it, their number, a multiple of the size, and a block of
    /// those that are left over where as many were added on the way.
    fn thickened(
        &self,
        (block, size): (&Sparse, u64),
        (chunk, each): &(Sparse, u64),
        left: u64,
        most: u64,
    ) -> (Sparse, u64, Option<Sparse>) {
        // Beside few points in all, gaps are of no account.
        let most = if self.effort.composed < FULL.composed / 2 { size } else { (most / size).max(1) * size };
        let chunk = &chunk.cut(self.cut(*each));
        let (mut thick, mut of, mut rest) = (block.clone(), size, None);
        while of < most {
            if of == left % most {
                rest = Some(thick.clone());
            }
            let next = (1..=size / each)
                .try_fold(thick.clone(), |thick, n| thick.thicken(chunk, self.theta, self.cut(of + n * each)));
            let Some(next) = next else { break };
            (thick, of) = (next, of + size);
        }
        let rest = rest.filter(|_| of == most);
        (thick, of, rest)
    }

    fn add_sparse(&self, sum: &mut Sum, block: &Sparse, size: u64) -> Option<()> {
        let Some((few, count)) = sum.few.take() else {
            sum.few = Some((block.clone(), size));
            return Some(());
        };
        match few.compose(block, self.theta, self.effort.sums, self.cut(count + size)) {
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
        block.connect(self.theta, self.effort.composed / 2, self.cut(size))
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
        let mut joint = a.compose(&b, self.cut(count))?;
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

/// The most copies of few losses that are made one block, where doubling them is too much work.
const THICK: u64 = 20;

/// So few losses of one copy have wide gaps, which many copies close, and are quickly added: an eighth of all copies become one block.
const FEW: usize = 12;

/// Fewer are of no use.
const LEAST_POINTS: usize = 1 << 8;

/// How an answer was found.
pub(super) const METHOD: &str = "connect-the-dots on a grid";

/// What an account takes at most, whatever the number of copies: for each part 2^16 points of one copy's curve, or 2^21 sums of listed losses some times over, and
/// for each binary digit of its copies two or three transforms of 2^18 points modulo two primes, on either side. Some seconds, some tens of megabytes.
const FULL: Effort = Effort { single: 1 << 16, composed: 1 << 17, sums: 1 << 21 };

/// Enough where three digits are asked for, or a first idea.
const LIGHT: Effort = Effort { single: 1 << 12, composed: 1 << 14, sums: 1 << 18 };

fn sketch(direction: &Direction, budget: &Budget) -> Option<Vec<Sketch>> {
    let sketches = direction.iter().map(|(pairs, copies)| Sketch::new(pairs, *copies, budget));
    sketches.collect::<Option<Vec<_>>>().filter(|sketches| !sketches.is_empty())
}

/// Encloses δ(ε) of one direction of a plan: lightly first if few digits are asked for, and then with the full effort. `None` if nothing reaches it.
pub(super) fn delta(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
    budget: &Budget,
) -> Option<Answer> {
    let sketches = sketch(direction, &budget.share(4))?;
    let efforts: &[Effort] = if precision.digits <= 4 { &[LIGHT, FULL] } else { &[FULL] };
    let mut best = None;
    for effort in efforts {
        let mut aim = Aim { epsilon: epsilon.get(), log_delta: None };
        // Once more, with a higher window, where that is what makes it wide.
        for _ in 0..2 {
            let share = if *effort == FULL { budget.share(1) } else { budget.share(4) };
            let Some(composition) = Composition::new(direction, &sketches, aim, *effort, &share) else { break };
            let Some(enclosure) = composition.delta(epsilon.get()) else { break };
            aim.log_delta = composition.is_cut_short(&enclosure).then(|| log_two_below(&enclosure.lower())).flatten();
            let is_narrow = is_narrow(&enclosure, precision);
            let answer = Answer { enclosure, method: METHOD, is_narrow };
            best = Some(best.map_or(answer.clone(), |best: Answer| best.narrowed_by(&answer, precision)));
            if is_narrow {
                return best;
            }
            if aim.log_delta.is_none() {
                break;
            }
        }
    }
    best
}

/// Whether δ(ε) of a direction is at most `bound`, as far as a light composition shows: a direction that is far from the worst is not worth more.
pub(super) fn is_at_most(direction: &Direction, epsilon: &Rational, bound: &Rational, budget: &Budget) -> bool {
    let share = budget.share(8);
    let aim = Aim { epsilon, log_delta: log_two_below(bound) };
    let found = sketch(direction, &share)
        .and_then(|sketches| Composition::new(direction, &sketches, aim, LIGHT, &share)?.delta(epsilon));
    found.is_some_and(|found| found.upper() <= *bound)
}

/// An integer at most log2 x; `None` for x = 0.
fn log_two_below(x: &Rational) -> Option<i64> {
    let (numerator, denominator) = (i64::try_from(x.numer().bits()).ok()?, i64::try_from(x.denom().bits()).ok()?);
    (!x.is_zero()).then_some(numerator - denominator - 1)
}

#[cfg(test)]
mod tests;
