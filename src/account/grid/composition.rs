//! A plan's composed loss, from both sides, made for one ε within a budget.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    OPEN,
    chain::{Composed, Part, Work},
    digits_of,
    effort::{Effort, affordable},
    evaluate::{self, Least, Most},
    few, pld,
    tilt::{Aim, Choice, Sketch, choose},
};
use crate::{
    account::Direction,
    exact::{Budget, Enclosure, Rational},
};

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
        let fine = choice.fineness(direction.iter().fold(0_u64, |sum, part| sum.saturating_add(part.copies())))?;
        for (part, grid) in direction.iter().zip(&choice.grids) {
            parts.push((Part::new(part.pairs(), *grid, (effort.looks, fine), &choice.theta)?, part.copies()));
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
            parts.map(|((part, sketch), (grid, _))| sketch.narrowed(part.pairs(), grid, &budget.share(8))).collect();
        // All of them, or none: one tilt is for them all.
        match next.into_iter().collect::<Option<Vec<_>>>() {
            Some(next) => best = Some(next),
            None => break,
        }
    }
    best
}
