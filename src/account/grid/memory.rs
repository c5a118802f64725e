//! Compositions that were made for one ε, to be asked for δ at others: they are right at every ε, and sharp for some way around.

use alloc::collections::VecDeque;
use core::fmt;

use num_bigint::BigInt;
use num_traits::One;

use super::composition::Composition;
use crate::{
    account::Direction,
    exact::{Enclosure, Rational},
};

/// The most that are kept, of some ten megabytes each.
const MOST_KEPT: usize = 8;

/// An answer may be so many times as wide, beside itself, as the one that a composition was made for.
const WIDER: u32 = 2;

/// An answer of one part in 2^this is narrow enough in any case.
const NARROW: u32 = 16;

/// What was composed before.
#[derive(Default)]
pub(crate) struct Memory {
    known: VecDeque<Known>,
}

struct Known {
    direction: Direction,
    composition: Composition,
    /// How wide an answer may be, beside itself, to be as good as one of its own; `None` where the composition was made for a bound.
    width: Option<Rational>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("known", &self.known.len()).finish()
    }
}

impl Memory {
    /// Keeps a composition of a direction, and the answer that it gave.
    pub(super) fn keep(&mut self, direction: &Direction, composition: Composition, answer: Option<&Enclosure>) {
        let width = answer.and_then(|answer| {
            let least = Rational::new(BigInt::one(), BigInt::one() << NARROW);
            let lower = Some(answer.lower()).filter(|lower| *lower > Rational::from_integer(0.into()))?;
            Some((answer.width() * BigInt::from(WIDER) / lower).max(least))
        });
        if self.known.len() >= MOST_KEPT {
            self.known.pop_front();
        }
        self.known.push_back(Known { direction: direction.clone(), composition, width });
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    fn of<'a>(&'a self, direction: &'a Direction) -> impl Iterator<Item = &'a Known> {
        self.known.iter().filter(move |known| known.direction == *direction)
    }

    /// δ(ε) of a direction, where it is known about as well as it would be by a composition of its own.
    pub(crate) fn delta(&self, direction: &Direction, epsilon: &Rational) -> Option<Enclosure> {
        let answers = self.of(direction).filter_map(|known| {
            let width = known.width.as_ref()?;
            let answer = known.composition.delta(epsilon)?;
            (answer.width() <= answer.lower() * width).then_some(answer)
        });
        answers.min_by_key(Enclosure::width)
    }

    /// Whether δ(ε) of a direction is known to be at most `bound`.
    pub(super) fn is_at_most(&self, direction: &Direction, epsilon: &Rational, bound: &Rational) -> bool {
        self.of(direction).any(|known| known.composition.most(epsilon).is_some_and(|most| most <= *bound))
    }
}
