//! Accounts of any plan, on a grid of losses: the privacy-loss distribution (PLD) from both sides.
//!
//! 1. [`tilt`] sketches every part, and chooses a tilt θ, a window and a grid.
//! 2. [`dots`] replaces each part's curve ([`curve`]) by one above it with kinks on the grid alone, a pessimistic measure of losses ([`pld`]); and the outcomes
//!    are [`grouped`] by their losses, which is optimistic. A part with few losses ([`atoms`]) is composed with itself at nearly its true losses first
//!    ([`sparse`]), and placed on the grid then ([`place`]).
//! 3. Both are integers, tilted; composition is [`convolution`] by exact transforms ([`transform`]).
//! 4. As losses add up they spread by the square root of the number of copies, and the grid is halved ([`coarsen`]) when they outgrow it. So the
//!    first copies are on a fine grid, and k copies cost as many roundings of the loss as k has binary digits, not k ([`chain`]).
//! 5. [`evaluate`] reads δ(ε) off both.
//!
//! **Soundness** is one fact, argued in [`dots`]: if a measure's curve is above (below) that of the true loss everywhere, so are the curves of
//! compositions. Every step raises the pessimistic curve and lowers the optimistic one: dots and splits by convexity, groups since they tell less, masses
//! rounded up and down, what is cut off booked as slack or dropped. No choice of θ, window or grid can make an answer wrong, only wide.

mod atoms;
mod chain;
mod coarsen;
mod convolution;
mod curve;
mod dots;
mod epsilon;
mod evaluate;
mod few;
mod finite;
mod fixed;
mod gaussian;
mod grouped;
mod normal;
mod place;
mod pld;
mod sparse;
mod thin;
mod tilt;
mod transform;

use alloc::vec::Vec;

pub(super) use self::epsilon::epsilon;

use self::{
    chain::{Composed, Part, Work},
    grouped::Grouped,
    pld::Pld,
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
    /// `None` where numbers went out of range.
    lower: Option<Composed<Grouped>>,
    upper: Composed<Pld>,
    /// At least every finite loss of either, where that is known to be small; at most 1.
    greatest: Rational,
}

impl Composition {
    fn new(direction: &Direction, sketches: &[Sketch], aim: Aim<'_>, effort: Effort, budget: &Budget) -> Option<Self> {
        let narrowed = narrowed(direction, sketches, aim, effort, budget);
        let sketches = narrowed.as_deref().unwrap_or(sketches);
        let (choice, effort) = affordable(direction, sketches, aim, effort, budget)?;
        let all = direction.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let mut greatest = Rational::zero();
        let fine = fineness(&choice, all)?;
        let mut parts = Vec::new();
        for ((pairs, copies), (grid, bits)) in direction.iter().zip(&choice.grids) {
            // Placing and halving grids move losses up: by a step of the grid each time, all in all by less than this again.
            let reach = grid.loss(grid.last).max(Rational::zero()) + grid.loss(grid.last) - grid.loss(grid.first);
            greatest += reach * BigInt::from(*copies) * BigInt::from(2);
            parts.push((Part::new(pairs, *grid, *bits, fine)?, *copies));
        }
        let work = Work { all, theta: &choice.theta, effort, cut: choice.cut, fine };
        let (lower, upper) = (work.chain(&parts), work.chain(&parts)?);
        Some(Self { lower, upper, greatest: greatest.min(Rational::one()), theta: choice.theta })
    }

    /// Whether what was cut off makes an answer wide: losses above the window, taken for infinite on one side alone, or slack.
    fn is_cut_short(&self, epsilon: &Rational, found: &Enclosure) -> bool {
        let certain = match &self.lower {
            None => BigInt::zero(),
            Some(Composed::Few(few)) => few.infinite.clone(),
            Some(Composed::Grid(grouped)) => grouped.infinite.clone(),
        };
        let (at_most, slack) = match &self.upper {
            Composed::Few(few) => (&few.infinite, (few.slack, few.exponent, &few.anchor)),
            Composed::Grid(pld) => (&pld.infinite, (pld.slack, pld.exponent, &pld.anchor)),
        };
        let open = Rational::new(at_most - certain, BigInt::one() << pld::INFINITE_BITS);
        let slack = evaluate::of_slack(slack, &self.theta, epsilon, &self.greatest).unwrap_or_else(Rational::one);
        (open + slack) * BigInt::from(OPEN) > found.lower()
    }

    /// At most δ(ε).
    fn least(&self, epsilon: &Rational) -> Option<Rational> {
        match &self.lower {
            None => Some(Rational::zero()),
            Some(Composed::Few(few)) => few::delta(few, &self.theta, epsilon, &self.greatest),
            Some(Composed::Grid(grouped)) => evaluate::least(grouped, &self.theta, epsilon),
        }
    }

    /// At least δ(ε).
    fn most(&self, epsilon: &Rational) -> Option<Rational> {
        match &self.upper {
            Composed::Few(few) => few::delta(few, &self.theta, epsilon, &self.greatest),
            Composed::Grid(pld) => evaluate::most(pld, &self.theta, epsilon, &self.greatest),
        }
    }

    /// Losses closer than 2^-this are not told apart.
    fn places(&self) -> u32 {
        match &self.upper {
            Composed::Few(few) => few.fine,
            Composed::Grid(pld) => pld.step,
        }
    }

    /// Encloses δ(ε).
    fn delta(&self, epsilon: &Rational) -> Option<Enclosure> {
        let (lower, upper) = (self.least(epsilon)?, self.most(epsilon)?);
        let leading = lower.denom().bits().saturating_sub(lower.numer().bits());
        let precision = u32::try_from(leading.min(1 << 20)).ok()?.checked_add(80)?;
        Enclosure::from_bounds(&lower.min(upper.clone()), &upper, precision)
    }
}

/// What the window may leave open of an answer, one part in so many.
const OPEN: u32 = 1 << 14;

/// An answer that is known to one part in so many is not worth another window.
const CLOSE: u32 = 2000;

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
    // A composition for every binary digit of the copies, and one more where it is not 0: six transforms above and at most fourteen below, twice as long.
    let digits = |copies: u64| u64::from(u64::BITS - copies.leading_zeros() + copies.count_ones());
    let joins: u64 = direction.iter().map(|(_, copies)| digits(*copies)).sum();
    let of_joins = |effort: Effort| {
        let length = u64::try_from(2 * effort.composed).unwrap_or(u64::MAX);
        joins * 20 * length * u64::from(length.ilog2())
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
            pairs.iter().map(move |pair| {
                if are_few { of_few.saturating_add(atoms::cost(pair, *bits)) } else { curve::cost(pair, points, *bits) }
            })
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
    let mut best: Option<Answer> = None;
    for effort in efforts {
        let mut aim = Aim { epsilon: epsilon.get(), log_delta: None, open: None };
        // Once more, with a higher window, where that is what makes it wide; and with a lower one, where nothing else has made it narrow.
        for _ in 0..3 {
            let share = if *effort == FULL { budget.share(1) } else { budget.share(4) };
            let Some(composition) = Composition::new(direction, &sketches, aim, *effort, &share) else { break };
            let Some(enclosure) = composition.delta(epsilon.get()) else { break };
            let is_cut_short = composition.is_cut_short(epsilon.get(), &enclosure);
            let is_narrow = is_narrow(&enclosure, precision);
            let answer = Answer { enclosure, method: METHOD, is_narrow };
            let found = best.map_or(answer.clone(), |best: Answer| best.narrowed_by(&answer, precision));
            let (log_delta, is_close) =
                (log_two_below(&found.enclosure.lower()), found.enclosure.is_narrow_by(&CLOSE.into()));
            best = Some(found);
            if is_narrow {
                return best;
            }
            aim = match (aim.log_delta, aim.open) {
                (None, None) if is_cut_short => Aim { log_delta, ..aim },
                (_, None) if !is_close && *effort == FULL => Aim { log_delta, open: Some(OPEN.ilog2() - 1), ..aim },
                _ => break,
            };
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
    let aim = Aim { epsilon, log_delta: log_two_below(bound), open: None };
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
