//! A direction of a plan, composed: its outcomes listed where they are few, in blocks from both sides where
//! they are many.

#![expect(clippy::float_arithmetic, reason = "guesses, which affect width and time, never soundness")]

use alloc::vec::Vec;

use super::{
    blocks::{self, Focus, Sides, blocks},
    constants::{
        BLOCKS_FOR_THREE_DIGITS, FEWEST_BLOCKS, FEWEST_LIMBS, FIRST_FREQUENCIES, FOCUS_FACTOR, MOST_BLOCKS,
        MOST_BLOCKS_OF_PART, MOST_LIMBS, MOST_LISTED_OUTCOMES, ROUGH_TAIL_BITS, ROUGH_WIDTH, SIDES_PARTS, TAIL_BITS,
        TAIL_OF_DELTA_BITS,
    },
    jumps::with_jumps,
    listing::{self, list},
    outcomes::{LossSum, Part},
    plan::{Found, Listed, Wanted, log_of},
    sum::working_bits,
    tools::pointed,
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
    detail: Detail,
    /// An ε, and about ln δ there.
    about: Option<(Rational, f64)>,
}

/// How a plan is composed.
#[derive(Clone, Copy, Debug)]
struct Detail {
    limbs: u32,
    tail: u32,
    /// Blocks of each part of wide noise.
    blocks: usize,
    focus: Option<Focus>,
}

/// Few blocks, of few digits: for a first idea of δ.
const ROUGH: Detail = Detail { limbs: FEWEST_LIMBS, tail: ROUGH_TAIL_BITS, blocks: FEWEST_BLOCKS, focus: None };

/// What is asked of a first idea.
const ROUGHLY: Wanted = Wanted { width: ROUGH_WIDTH, most: FIRST_FREQUENCIES, about: None };

/// Whether a part is taken in blocks: of many outcomes, or of several pairs.
fn is_wide(pairs: &[Pair], tail: u32) -> bool {
    match pairs {
        [pair] => listing::count(pair, tail).is_none_or(|count| count > MOST_LISTED_OUTCOMES),
        _ => true,
    }
}

fn count_wide(direction: &Direction) -> usize {
    direction.parts().iter().filter(|part| is_wide(part.pairs(), TAIL_BITS)).count()
}

impl Composed {
    /// Whether some part of a direction is taken in blocks.
    pub(super) fn is_in_blocks(direction: &Direction) -> bool {
        count_wide(direction) > 0
    }

    /// With outcomes that suit an ε: others do as well, less narrowly.
    pub(super) fn new(direction: &Direction, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Self> {
        let mut detail = Detail { limbs: MOST_LIMBS, tail: TAIL_BITS, blocks: 0, focus: None };
        let wide = count_wide(direction);
        let mut about = None;
        if wide > 0 {
            // A first idea of δ tells where losses matter.
            let mut rough = Self::with(direction, ROUGH, budget)?;
            let upper = rough.upper(epsilon, ROUGHLY, &budget.share(4));
            let log_delta = upper.map_or(0.0, |upper| log_of(&upper));
            about = Some((epsilon.clone(), log_delta));
            detail.focus = Some(rough.above.focus(epsilon, log_delta, wanted));
            detail.limbs = rough.above.limbs_for(epsilon, log_delta, wanted).unwrap_or(MOST_LIMBS);
            detail.blocks = wanted.blocks().min(blocks_of_part(wide)).max(FEWEST_BLOCKS);
        }
        let mut composed = Self::with(direction, detail, budget)?;
        let tail = composed.tail_for(epsilon)?;
        if tail > TAIL_BITS {
            composed = Self::with(direction, Detail { tail, ..detail }, budget)?;
        }
        Some(Self { about, ..composed })
    }

    /// The tail that leaves next to nothing of δ out.
    fn tail_for(&self, epsilon: &Rational) -> Option<u32> {
        let cut = log_of(&pointed(&self.above.plan.cut(64))?.upper());
        let excess = cut - self.above.log_delta(epsilon) + f64::from(TAIL_OF_DELTA_BITS) * core::f64::consts::LN_2;
        Some(self.detail.tail + bits_of(excess))
    }

    fn with(direction: &Direction, detail: Detail, budget: &Budget) -> Option<Self> {
        let Detail { limbs, tail, blocks: each, focus } = detail;
        let small = direction.parts().iter().flat_map(|part| part.pairs()).map(listing::small).max()?;
        let working = Working::new(working_bits(limbs, small));
        let (mut above, mut below): (Vec<Part>, Vec<Part>) = (Vec::new(), Vec::new());
        for part in direction.parts() {
            let sides = match part.pairs() {
                // What is not in blocks is the same on both sides.
                [pair] if !is_wide(part.pairs(), TAIL_BITS) => {
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
        let below = (count_wide(direction) > 0).then(|| listed(below));
        Some(Self { above: listed(above), below, detail, about: None })
    }

    /// At least δ(ε) of a direction, by Chernoff.
    pub(super) fn bound(direction: &Direction, epsilon: &Rational, budget: &Budget) -> Option<Rational> {
        Self::with(direction, ROUGH, budget)?.above.upper_bound(epsilon)
    }

    /// Whether δ(ε) of a direction is at most `bound`, as far as few blocks and few frequencies show.
    pub(super) fn is_at_most(direction: &Direction, epsilon: &Rational, bound: &Rational, budget: &Budget) -> bool {
        let Some(mut rough) = Self::with(direction, ROUGH, budget) else { return false };
        let by_chernoff = rough.above.upper_bound(epsilon).is_some_and(|most| most <= *bound);
        by_chernoff || rough.upper(epsilon, ROUGHLY, budget).is_some_and(|most| most <= *bound)
    }

    /// Whether it does for another ε.
    pub(super) fn suits(&self, epsilon: &Rational) -> bool {
        if self.tail_for(epsilon).is_none_or(|tail| tail > self.detail.tail + 16) {
            return false;
        }
        let Some(focus) = self.detail.focus else { return true };
        let now = self.above.chernoff_tilt(epsilon);
        now < FOCUS_FACTOR * focus.theta && focus.theta < FOCUS_FACTOR * now
    }

    /// Encloses δ(ε).
    pub(super) fn delta(&mut self, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Found> {
        let cut = pointed(&self.above.plan.cut(128))?.upper();
        let Some(below) = &mut self.below else {
            let found = with_jumps(&mut self.above, epsilon, wanted, budget)?;
            return Some(Found { upper: found.upper + cut, ..found });
        };
        // The two sides' own widths add to that between them.
        let about = self.about.as_ref().filter(|(known, _)| known == epsilon).map(|(_, log_delta)| *log_delta);
        let width = wanted.width.max(Wanted::reached_by(self.detail.blocks)) / SIDES_PARTS;
        let wanted = Wanted { width, about, ..wanted };
        let upper = with_jumps(&mut self.above, epsilon, wanted, &budget.share(2))?.upper + cut;
        let wanted = Wanted { about: Some(log_of(&upper)), ..wanted };
        Some(Found { lower: with_jumps(below, epsilon, wanted, budget)?.lower, upper })
    }

    /// At least δ(ε).
    fn upper(&mut self, epsilon: &Rational, wanted: Wanted, budget: &Budget) -> Option<Rational> {
        let found = with_jumps(&mut self.above, epsilon, wanted, budget)?;
        Some(found.upper + pointed(&self.above.plan.cut(128))?.upper())
    }
}

/// The most blocks of each of so many parts: fewer of more, but enough for three digits.
fn blocks_of_part(wide: usize) -> usize {
    let shared = MOST_BLOCKS.checked_div(wide).unwrap_or(MOST_BLOCKS);
    (MOST_BLOCKS_OF_PART / (1 + wide / 8)).max(BLOCKS_FOR_THREE_DIGITS).min(shared)
}

/// Bits for so many nats more, if it is more.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a guess")]
fn bits_of(nats: f64) -> u32 {
    if nats > 0.0 { (nats / core::f64::consts::LN_2).min(1e6) as u32 + 1 } else { 0 }
}
