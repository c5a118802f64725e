//! The smoothed spectral method: δ(ε) of any plan as a sum over frequencies of the characteristic function of
//! its losses.
//!
//! Compose the plan with one more, fictitious mechanism: Gaussian, of a tiny privacy loss of standard
//! deviation s. Its factor makes the Fourier integral of δ fall like e^(−s²t²/2), so that a sum of some
//! thousand frequencies is the integral, up to terms with simple bounds; and the composed plan's δ′ is at
//! least δ, and exceeds it by at most what another sum over the same frequencies says. One pass yields both
//! bounds. There is no grid, no rounding of losses and no convolution, and copies are a power.
//! `docs/spectral.md` has the formulas with their proofs, in the notation of these files:
//!
//! 1. [`listing`]: the outcomes of a pair; [`blocks`]: few outcomes in place of many, from both sides.
//!    [`outcomes`]: plans, their masses and moments.
//! 2. [`sketch`]: where to take a sum, guessed in floats, which decide nothing but width and time.
//! 3. [`rare`]: rare outcomes of great losses apart.
//! 4. [`limbs`], [`frequencies`], [`sum`]: the sum, and what it says of δ.
//! 5. [`jumps`]: losses in narrow clusters, one sum for each near ε; [`jump_sums`]: which of them are listed.
//! 6. [`plan`]: the order of attempts. [`composed`]: a plan's outcomes, listed or in blocks.

mod blocks;
mod composed;
mod constants;
mod frequencies;
mod jump_sums;
mod jumps;
mod limbs;
mod listing;
mod outcomes;
mod plan;
mod rare;
mod sketch;
mod sum;
#[cfg(test)]
mod tests;
mod tools;

use alloc::vec::Vec;

use num_traits::{Signed, Zero};

use self::{
    composed::Composed,
    constants::{FINEST_DECIMAL_DIGITS, TRIAL_DECIMAL_DIGITS},
    plan::Wanted,
};
use super::{
    Answer, Direction, Method,
    cache::Cache,
    greatest,
    methods::Accountant,
    question::{Purpose, Question},
};
use crate::exact::{Budget, Enclosure, Rational};

/// What was composed, by direction: it answers other ε.
#[derive(Debug, Default)]
pub(super) struct Memory {
    known: Vec<(Direction, Composed)>,
}

impl Memory {
    /// How many directions are known.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// What is composed of a direction: as it was for another ε, or anew.
    fn composed(
        &mut self,
        direction: &Direction,
        epsilon: &Rational,
        wanted: Wanted,
        budget: &Budget,
    ) -> Option<&mut Composed> {
        let place = self.known.iter().position(|(known, _)| known == direction);
        let place = match place {
            Some(place) => place,
            None => {
                self.known.push((direction.clone(), Composed::new(direction, epsilon, wanted, budget)?));
                self.known.len() - 1
            }
        };
        let (_, composed) = self.known.get_mut(place)?;
        if !composed.suits(epsilon) {
            *composed = Composed::new(direction, epsilon, wanted, budget)?;
        }
        Some(composed)
    }
}

/// The method as a row of the list.
pub(super) struct Spectral;

impl Accountant for Spectral {
    fn delta(&self, question: &Question<'_>, budget: &Budget, cache: &mut Cache) -> Option<Answer> {
        let Question { direction, epsilon, precision, purpose } = question;
        // Blocks take long, and a search for ε asks for many δ.
        let is_slow = *purpose != Purpose::Answer && Composed::is_in_blocks(direction);
        if let Purpose::Trial(delta) = purpose
            && let Some(most) = Composed::bound(direction, epsilon.get(), budget)
            && most <= **delta
        {
            let enclosure = Enclosure::from_bounds(&Rational::zero(), &most, digits_of(&most)?)?;
            return Some(Answer::new(enclosure, Method::Spectral, precision));
        }
        let finest = if is_slow { TRIAL_DECIMAL_DIGITS } else { FINEST_DECIMAL_DIGITS };
        let wanted = Wanted::digits(precision.digits.min(finest));
        let composed = cache.spectral.composed(direction, epsilon.get(), wanted, budget)?;
        let found = composed.delta(epsilon.get(), wanted, budget)?;
        let lower = if found.lower.is_negative() { Rational::zero() } else { found.lower };
        // Two proven bounds are never crossed; were they, neither would be an answer.
        debug_assert!(lower <= found.upper, "{lower} above {}", found.upper);
        let enclosure = Enclosure::from_bounds(&lower, &found.upper, digits_of(&found.upper)?)?;
        Some(Answer::new(enclosure, Method::Spectral, precision))
    }
}

/// Whether δ(ε) of a direction is at most `bound`, as far as a first look shows: a direction that is far from
/// the worst is not worth more.
pub(super) fn is_at_most(direction: &Direction, epsilon: &Rational, bound: &Rational, budget: &Budget) -> bool {
    greatest::is_at_most(direction, epsilon) || Composed::is_at_most(direction, epsilon, bound, budget)
}

/// The binary digits after the point that a small probability takes: its first ones are zeros.
fn digits_of(probability: &Rational) -> Option<u32> {
    let leading = probability.denom().bits().saturating_sub(probability.numer().bits());
    u32::try_from(leading.min(1 << 20)).ok()?.checked_add(80)
}
