//! A plan's composed loss, from both sides, made for one ε within a budget.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    OPEN, atoms,
    chain::{Composed, Part, Work},
    curve, digits_of,
    evaluate::{self, Least, Most},
    few, pld, sparse,
    tilt::{Aim, Choice, Sketch, choose},
};
use crate::{
    account::Direction,
    exact::{Budget, Enclosure, Rational},
    guarantee::Pair,
};

/// How many points an account may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    /// Of one copy's grid.
    pub(super) single: u64,
    /// Of a composition's.
    pub(super) composed: usize,
    /// Sums of two losses in one composition of few.
    pub(super) sums: usize,
}

/// A plan's composed loss, from both sides: asked for δ at any ε, sharp near the one it was made for.
pub(super) struct Composition {
    pub(super) theta: Rational,
    /// `None` where numbers went out of range.
    pub(super) lower: Option<Composed<Least>>,
    pub(super) upper: Composed<Most>,
    /// At least every finite loss of either, where that is known to be small; at most 1.
    pub(super) greatest: Rational,
}

impl Composition {
    pub(super) fn new(
        direction: &Direction,
        sketches: &[Sketch],
        aim: Aim<'_>,
        effort: Effort,
        budget: &Budget,
    ) -> Option<Self> {
        let narrowed = narrowed(direction, sketches, aim, effort, budget);
        let sketches = narrowed.as_deref().unwrap_or(sketches);
        let (choice, effort) = affordable(direction, sketches, aim, effort, budget)?;
        let mut parts = Vec::new();
        let fine = fineness(&choice, direction.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies)))?;
        for ((pairs, copies), (grid, bits)) in direction.iter().zip(&choice.grids) {
            parts.push((Part::new(pairs, *grid, *bits, fine)?, *copies));
        }
        let parts: Vec<_> = parts.iter().map(|(part, copies)| (part, *copies)).collect();
        Self::of_parts(&parts, &choice, fine, effort)
    }

    /// Of parts that were made for a choice, few losses being multiples of 2^-fine.
    pub(super) fn of_parts(parts: &[(&Part, u64)], choice: &Choice, fine: u32, effort: Effort) -> Option<Self> {
        let all = parts.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
        let mut greatest = Rational::zero();
        for ((_, copies), (grid, _)) in parts.iter().zip(&choice.grids) {
            // Placing and halving grids move losses up: by a step of the grid each time, all in all by less than this again.
            let reach = grid.loss(grid.last).max(Rational::zero()) + grid.loss(grid.last) - grid.loss(grid.first);
            greatest += reach * BigInt::from(*copies) * BigInt::from(2);
        }
        let work = Work { all, theta: &choice.theta, effort, cut: choice.cut, fine };
        let lower = work.chain(parts).and_then(|lower| lower.map(|lower| Least::new(lower, &choice.theta)));
        let upper = work.chain(parts)?.map(|upper| Most::new(upper, &choice.theta))?;
        Some(Self { lower, upper, greatest: greatest.min(Rational::one()), theta: choice.theta.clone() })
    }

    /// Whether what was cut off makes an answer wide: losses above the window, taken for infinite on one side alone, or slack.
    pub(super) fn is_cut_short(&self, epsilon: &Rational, found: &Enclosure) -> bool {
        let certain = match &self.lower {
            None => BigInt::zero(),
            Some(Composed::Few(few)) => few.infinite.clone(),
            Some(Composed::Grid(least)) => least.of.infinite.clone(),
        };
        let (at_most, slack) = match &self.upper {
            Composed::Few(few) => (&few.infinite, (few.slack, few.exponent, &few.anchor)),
            Composed::Grid(Most { of, .. }) => (&of.infinite, (of.slack, of.exponent, &of.anchor)),
        };
        let open = Rational::new(at_most - certain, BigInt::one() << pld::INFINITE_BITS);
        let slack =
            evaluate::of_slack(slack, &self.theta, epsilon, &self.farthest(epsilon)).unwrap_or_else(Rational::one);
        (open + slack) * BigInt::from(OPEN) > found.lower()
    }

    /// At most δ(ε).
    ///
    /// ε may be negative, where the measure is a part of a distribution ([`super::rare`]).
    pub(super) fn least(&self, epsilon: &Rational) -> Option<Rational> {
        match &self.lower {
            None => Some(Rational::zero()),
            Some(Composed::Few(few)) => few::delta(few, &self.theta, epsilon, &self.farthest(epsilon)),
            Some(Composed::Grid(least)) => least.delta(epsilon),
        }
    }

    /// At least δ(ε).
    pub(super) fn most(&self, epsilon: &Rational) -> Option<Rational> {
        match &self.upper {
            Composed::Few(few) => few::delta(few, &self.theta, epsilon, &self.farthest(epsilon)),
            Composed::Grid(most) => most.delta(epsilon, &self.farthest(epsilon)),
        }
    }

    /// At least l − ε of every finite loss l, or 1.
    fn farthest(&self, epsilon: &Rational) -> Rational {
        (&self.greatest - epsilon.clone().min(Rational::zero())).min(Rational::one())
    }

    /// Losses closer than 2^-this are not told apart.
    pub(super) fn places(&self) -> u32 {
        match &self.upper {
            Composed::Few(few) => few.fine,
            Composed::Grid(most) => most.of.step,
        }
    }

    /// Encloses δ(ε).
    pub(super) fn delta(&self, epsilon: &Rational) -> Option<Enclosure> {
        let (lower, upper) = (self.least(epsilon)?, self.most(epsilon)?);
        debug_assert!(lower <= upper, "{lower} {upper} at {epsilon}");
        // Those of the smaller, where it is any.
        let precision = digits_of(if lower.is_zero() { &upper } else { &lower })?;
        Enclosure::from_bounds(&lower.min(upper.clone()), &upper, precision)
    }
}

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
pub(super) fn fineness(choice: &Choice, all: u64) -> Option<u32> {
    let many = u64::BITS - all.leading_zeros();
    let widest = choice.grids.iter().map(|(grid, _)| grid.step).min()?;
    Some(sparse::FINE.max(widest + 24 + many.min(14)))
}

/// The steps of all compositions of so many copies: one for every binary digit of them, and one more where it is not 0, of six transforms above and at most
/// fourteen below, twice as long.
pub(super) fn of_joins(copies: u64, effort: Effort) -> u64 {
    let joins = u64::from(u64::BITS - copies.leading_zeros() + copies.count_ones());
    let length = u64::try_from(2 * effort.composed).unwrap_or(u64::MAX);
    joins.saturating_mul(20 * u64::from(length.ilog2())).saturating_mul(length)
}

/// The steps of few losses, which are added up, sorted, some times over, on either side.
pub(super) fn of_few(effort: Effort) -> u64 {
    u64::try_from(effort.sums).unwrap_or(u64::MAX).saturating_mul(400)
}

/// A choice of grids whose work is within the budget: fewer points where it is not, down to a few hundred.
fn affordable(
    direction: &Direction,
    sketches: &[Sketch],
    aim: Aim<'_>,
    mut effort: Effort,
    budget: &Budget,
) -> Option<(Choice, Effort)> {
    let of_joins = |effort: Effort| direction.iter().map(|(_, copies)| of_joins(*copies, effort)).sum();
    let are_few = |pairs: &[Pair]| matches!(pairs, [pair] if atoms::are_few(pair));
    while of_joins(effort) > budget.left() / 2 && effort.composed > LEAST_POINTS {
        effort.composed /= 2;
    }
    for _ in 0..8 {
        let choice = choose(sketches, aim, effort.single)?;
        let costs = direction.iter().zip(&choice.grids).flat_map(|((pairs, _), (grid, bits))| {
            let of_few = of_few(effort);
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
