//! A direction of a plan, composed: its outcomes listed where they are few, in blocks from both sides where they are many.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use super::{
    blocks::{self, Focus, Sides, blocks},
    constants::{FEWEST_BLOCKS, FIRST_FREQUENCIES, FOCUS_FACTOR, MOST_BLOCKS, MOST_LIMBS, MOST_LISTED_OUTCOMES, ROUGH_WIDTH, TAIL_BITS, TAIL_OF_DELTA_BITS},
    listing::{self, list},
    outcomes::{LossSum, Part},
    plan::{Found, Listed, Wanted, log_of},
    sum::working_bits,
};
use crate::{
    account::Direction,
    exact::{Budget, Rational, Working},
    guarantee::Pair,
};

/// The plan, or one above and one below it.
#[derive(Debug)]
pub(super) struct Composed {
    above: Listed,
    below: Option<Listed>,
    tail: u32,
    focus: Option<Focus>,
}

impl Composed {
    /// With outcomes that suit an ε: others do as well, less narrowly.
    pub(super) fn new(direction: &Direction, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Self> {
        let mut composed = Self::with(direction, TAIL_BITS, None, wanted, budget)?;
        let tail = composed.tail_for(epsilon)?;
        if tail > TAIL_BITS {
            composed = Self::with(direction, tail, None, wanted, budget)?;
        }
        if composed.below.is_some() {
            // A first idea of δ tells where losses matter.
            let rough = composed.delta(epsilon, Wanted { width: ROUGH_WIDTH, most: FIRST_FREQUENCIES }, &budget.share(4));
            let log_delta = rough.map_or(0.0, |rough| log_of(&rough.upper));
            let focus = composed.above.focus(epsilon, log_delta, wanted);
            composed = Self::with(direction, composed.tail, Some(focus), wanted, budget)?;
        }
        Some(composed)
    }

    /// The tail that leaves next to nothing of δ out.
    fn tail_for(&self, epsilon: &Rational) -> Option<u32> {
        let cut = log_of(&self.above.plan.cut(64).exact()?.upper());
        let excess = cut - self.above.log_delta(epsilon) + f64::from(TAIL_OF_DELTA_BITS) * core::f64::consts::LN_2;
        Some(self.tail + bits_of(excess))
    }

    fn with(
        direction: &Direction,
        tail: u32,
        focus: Option<Focus>,
        wanted: Wanted,
        budget: &Budget,
    ) -> Option<Self> {
        let pairs = || direction.parts().iter().flat_map(|part| part.pairs());
        let small = pairs().map(listing::small).max()?;
        let working = Working::new(working_bits(MOST_LIMBS, small));
        let is_wide = |pairs: &[Pair]| match pairs {
            [pair] => listing::count(pair, tail).is_none_or(|count| count > MOST_LISTED_OUTCOMES),
            _ => true,
        };
        let wide = direction.parts().iter().filter(|part| is_wide(part.pairs())).count();
        let many = wanted.blocks().min(MOST_BLOCKS / wide.max(1)).max(FEWEST_BLOCKS);
        let each = if focus.is_some() { many } else { FEWEST_BLOCKS };
        let (mut above, mut below): (Vec<Part>, Vec<Part>) = (Vec::new(), Vec::new());
        for part in direction.parts() {
            let sides = match part.pairs() {
                // What is not in blocks is the same on both sides.
                [pair] if !is_wide(part.pairs()) => {
                    budget.spend(listing::cost(pair, tail, working.bits()))?;
                    let listed = list(pair, part.copies(), tail, &working)?;
                    Sides { below: listed.clone(), above: listed }
                }
                pairs => {
                    budget.spend(blocks::cost(pairs, each, tail, working.bits()))?;
                    blocks(pairs, part.copies(), each, focus, tail, &working)?
                }
            };
            above.push(sides.above);
            below.push(sides.below);
        }
        let listed = |parts: Vec<Part>| Listed::new(LossSum { parts }, working.clone());
        let below = (wide > 0).then(|| listed(below));
        Some(Self { above: listed(above), below, tail, focus })
    }

    /// Whether it does for another ε.
    pub(super) fn suits(&self, epsilon: &Rational) -> bool {
        if self.tail_for(epsilon).is_none_or(|tail| tail > self.tail + 16) {
            return false;
        }
        let Some(focus) = self.focus else { return true };
        let now = self.above.chernoff_tilt(epsilon);
        now < FOCUS_FACTOR * focus.theta && focus.theta < FOCUS_FACTOR * now
    }

    /// Encloses δ(ε).
    pub(super) fn delta(&mut self, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Found> {
        let mut found = self.above.delta(epsilon, wanted, &budget.share(2))?;
        found.upper += self.above.plan.cut(128).exact()?.upper();
        if let Some(below) = &mut self.below {
            found.lower = below.delta(epsilon, wanted, budget)?.lower;
        }
        Some(found)
    }

    /// At least δ(ε).
    pub(super) fn upper_bound(&self, epsilon: &Rational) -> Option<Rational> {
        self.above.upper_bound(epsilon)
    }
}

/// Bits for so many nats more, if it is more.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess")]
fn bits_of(nats: f64) -> u32 {
    if nats > 0.0 { (nats / core::f64::consts::LN_2).min(1e6) as u32 + 1 } else { 0 }
}
