//! Accounts of any plan, on a grid of losses: the privacy-loss distribution (PLD) from both sides.
//!
//! 1. [`tilt`] sketches every part, and chooses a tilt θ, a window and a grid.
//! 2. [`dots`] replaces each part's curve ([`curve`]) by one above it with kinks on the grid alone, a pessimistic measure of losses ([`pld`]); and the outcomes
//!    are [`grouped`] by their losses, which is optimistic. A part with few losses ([`atoms`]) is composed with itself at nearly its true losses first
//!    ([`sparse`]), and placed on the grid then ([`place`]).
//! 3. Both are integers, tilted; composition is [`convolution`] by exact transforms ([`transform`]).
//! 4. As losses add up they spread by the square root of the number of copies, and the grid is halved ([`coarsen`]) when they outgrow it. So the
//!    first copies are on a fine grid, and k copies cost as many roundings of the loss as k has binary digits, not k ([`chain`]).
//!    So do N parts: those with as many copies are composed before they are copied, and how much each step may take is told from that ([`effort`]).
//! 5. [`evaluate`] reads δ(ε) off both.
//!
//! Where losses are of many sizes no one grid suits them all, and the rare outcomes are taken apart from the [`frequent`] ones ([`rare`]).
//!
//! **Soundness** is one fact, argued in [`dots`]: if a measure's curve is above (below) that of the true loss everywhere, so are the curves of
//! compositions. Every step raises the pessimistic curve and lowers the optimistic one: dots and splits by convexity, groups since they tell less, masses
//! rounded up and down, what is cut off booked as slack or dropped. No choice of θ, window or grid can make an answer wrong, only wide.

mod apart;
mod atoms;
mod blocks;
mod chain;
mod coarsen;
mod composition;
mod convolution;
mod curve;
mod dots;
mod effort;
mod epsilon;
mod evaluate;
mod few;
mod finite;
mod fixed;
mod frequent;
mod gaussian;
mod grouped;
mod kinks;
mod memory;
mod normal;
mod outline;
mod place;
mod pld;
mod rare;
mod rough;
mod short;
mod sparse;
mod sums;
mod tails;
mod thin;
mod tilt;
mod transform;

use alloc::vec::Vec;

pub(super) use self::{epsilon::epsilon, memory::Memory};

use self::{
    composition::Composition,
    effort::Effort,
    rare::Rare,
    tilt::{Aim, Detail, Sketch},
};
use super::{
    Answer, Direction, Method, Precision,
    answer::{self, is_narrow},
    greatest,
};
use crate::exact::{Budget, Enclosure, NonNegative, Rational};
use num_bigint::BigInt;
use num_traits::Zero;

/// What the window may leave open of an answer, one part in so many.
const OPEN: u32 = 1 << 14;

/// An answer that is known to one part in so many is not worth another window.
const CLOSE: u32 = 2000;

/// An answer that a light effort leaves open by more than one part in so many is not made close by the full one.
const WIDE: u32 = 20;

/// What is rare depends on δ, which is to be known to this factor; otherwise it may be this much smaller than it is known to be.
const ABOUT: u32 = 1 << 12;

/// A bound that a light effort leaves open by this factor may be shown by the full one.
const HOPELESS: u32 = 64;

/// More parts than this take more of a budget to sketch.
const MANY_PARTS: usize = 16;

/// What an account takes at most, whatever the number of copies: for each part 2^16 points of one copy's curve, or 2^21 sums of listed losses some times over, and
/// for each binary digit of its copies two or three transforms of 2^18 points modulo two primes, on either side. Some seconds, some tens of megabytes.
const FULL: Effort = Effort { single: 1 << 16, looks: 1 << 16, composed: 1 << 17, sums: 1 << 21 };

/// Enough where three digits are asked for, or a first idea.
const LIGHT: Effort = Effort { single: 1 << 12, looks: 1 << 12, composed: 1 << 14, sums: 1 << 18 };

fn sketch(direction: &Direction, budget: &Budget) -> Option<Vec<Sketch>> {
    let [best, less] = Detail::of_parts(direction.len());
    let costs = direction.iter().map(|part| Sketch::cost(part.pairs(), best).unwrap_or(0));
    let are_many = direction.len() > 1 && costs.fold(0, u64::saturating_add) > budget.left();
    let detail = if are_many { less } else { best };
    let sketches = direction.iter().map(|part| Sketch::new(part.pairs(), part.copies(), detail, budget));
    sketches.collect::<Option<Vec<_>>>().filter(|sketches| !sketches.is_empty())
}

/// Encloses δ(ε) of one direction of a plan; `None` if nothing reaches it. What was composed for another ε is asked first.
pub(super) fn delta(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
    budget: &Budget,
    memory: &mut Memory,
) -> Option<Answer> {
    if let Some(enclosure) = memory.delta(direction, epsilon.get()) {
        let is_narrow = is_narrow(&enclosure, precision);
        return Some(Answer { enclosure, method: Method::Spectral, is_narrow });
    }
    let mut narrowest = None;
    let best = composed(direction, epsilon, precision, budget, &mut narrowest);
    if let Some((composition, answer)) = narrowest
        && let Some(best) = &best
        // Not where rare outcomes apart tell more.
        && answer.is_narrow_by(&CLOSE.into())
        && answer.width() <= best.enclosure.width() * BigInt::from(2)
    {
        memory.keep(direction, composition, Some(&answer));
    }
    best
}

/// The same by new compositions, of which the one with the narrowest answer is left: lightly first if few digits are asked for, and then with the full effort.
fn composed(
    direction: &Direction,
    epsilon: &NonNegative,
    precision: &Precision,
    budget: &Budget,
    narrowest: &mut Option<(Composition, Enclosure)>,
) -> Option<Answer> {
    let sketches = sketch(direction, &budget.share(if direction.len() > MANY_PARTS { 2 } else { 4 }))?;
    let may_be_rare = Rare::may_be(direction);
    let efforts: &[Effort] = if precision.digits <= 4 || may_be_rare { &[LIGHT, FULL] } else { &[FULL] };
    let mut best: Option<Answer> = None;
    // The δ for which rare outcomes were taken apart.
    let mut apart_for: Option<Rational> = None;
    for effort in efforts {
        let mut aim = Aim { epsilon: epsilon.get(), log_delta: None, open: None };
        // Once more, with a higher window, where that is what makes it wide; and with a lower one, where nothing else has made it narrow.
        for _ in 0..3 {
            let share = if *effort == FULL { budget.share(1) } else { budget.share(4) };
            let Some(composition) = Composition::new(direction, &sketches, aim, *effort, &share) else { break };
            let Some(enclosure) = composition.delta(epsilon.get()) else { break };
            let is_cut_short = composition.is_cut_short(epsilon.get(), &enclosure);
            let is_narrow = is_narrow(&enclosure, precision);
            if narrowest.as_ref().is_none_or(|(_, other)| enclosure.width() < other.width()) {
                *narrowest = Some((composition, enclosure.clone()));
            }
            let answer = Answer { enclosure, method: Method::Spectral, is_narrow };
            let found = best.map_or(answer.clone(), |best: Answer| best.narrowed_by(&answer, precision));
            let (log_delta, is_close) =
                (log_two_below(&found.enclosure.lower()), found.enclosure.is_narrow_by(&CLOSE.into()));
            // Losses of many sizes: the rare ones apart, at once where even the full effort will not do.
            let is_wide = if *effort == FULL { !is_close } else { !found.enclosure.is_narrow_by(&WIDE.into()) };
            best = Some(found);
            if is_narrow {
                return best;
            }
            // Once more where it is known by then that δ is much smaller.
            for _ in 0..3 {
                let known = best.as_ref()?;
                let about = known.enclosure.lower().max(known.enclosure.upper() / BigInt::from(ABOUT));
                let is_other = apart_for.as_ref().is_none_or(|then| &about * BigInt::from(8) < *then);
                if !(may_be_rare && is_wide && aim.log_delta.is_none() && is_other) {
                    break;
                }
                // All that is left, unless the full effort may do as well.
                let may_do = *effort != FULL && known.enclosure.is_narrow_by(&BigInt::from(2));
                let share = if may_do { budget.share(2) } else { budget.share(1) };
                let found = rare_apart(direction, epsilon.get(), &about, &share);
                apart_for = Some(about);
                if let Some(enclosure) = found {
                    let is_narrow = answer::is_narrow(&enclosure, precision);
                    best =
                        Some(known.narrowed_by(&Answer { is_narrow, enclosure, method: Method::Spectral }, precision));
                }
                if best.as_ref().is_some_and(|best| best.enclosure.is_narrow_by(&CLOSE.into())) {
                    return best;
                }
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

/// δ(ε) with rare outcomes apart, where it is known about how large it is.
fn rare_apart(direction: &Direction, epsilon: &Rational, about: &Rational, budget: &Budget) -> Option<Enclosure> {
    let mut rare = Rare::new(direction, epsilon, about, budget)?;
    rare.refine(epsilon, budget);
    let (lower, upper) = rare.delta(epsilon);
    debug_assert!(lower <= upper, "{lower} {upper} at {epsilon}");
    Enclosure::from_bounds(&lower.min(upper.clone()), &upper, digits_of(&upper)?)
}

/// Whether δ(ε) of a direction is at most `bound`, as far as a light composition shows, or the full effort where that is not far from it: a direction that is far
/// from the worst is not worth more.
pub(super) fn is_at_most(
    direction: &Direction,
    epsilon: &Rational,
    bound: &Rational,
    budget: &Budget,
    memory: &mut Memory,
) -> bool {
    // Above every loss nothing can be composed, and nothing need be.
    if greatest::is_at_most(direction, epsilon) {
        return true;
    }
    if memory.is_at_most(direction, epsilon, bound) {
        return true;
    }
    let aim = Aim { epsilon, log_delta: log_two_below(bound), open: None };
    let Some(sketches) = sketch(direction, &budget.share(8)) else { return false };
    if tilt::bound(&sketches, epsilon).is_some_and(|most| most <= *bound) {
        return true;
    }
    for (effort, share) in [(LIGHT, 4), (FULL, 2)] {
        let composition = Composition::new(direction, &sketches, aim, effort, &budget.share(share));
        let Some((composition, found)) = composition.and_then(|of| of.delta(epsilon).map(|found| (of, found))) else {
            return false;
        };
        if found.upper() <= *bound {
            memory.keep(direction, composition, None);
            return true;
        }
        // Not so, or as good as the same, or far from known.
        if found.lower() * BigInt::from(2) > *bound || found.upper() > bound * BigInt::from(HOPELESS) {
            return false;
        }
    }
    false
}

/// The binary digits after the point that a small probability takes: its first ones are zeros.
fn digits_of(probability: &Rational) -> Option<u32> {
    let leading = probability.denom().bits().saturating_sub(probability.numer().bits());
    u32::try_from(leading.min(1 << 20)).ok()?.checked_add(80)
}

/// An integer at most log2 x; `None` for x = 0.
fn log_two_below(x: &Rational) -> Option<i64> {
    let (numerator, denominator) = (i64::try_from(x.numer().bits()).ok()?, i64::try_from(x.denom().bits()).ok()?);
    (!x.is_zero()).then_some(numerator - denominator - 1)
}

#[cfg(test)]
mod tests;
