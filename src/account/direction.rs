//! What is composed for neighbours in one order.

use alloc::vec::Vec;
use core::slice;

use crate::guarantee::Pair;

/// The mechanisms of a plan in one direction: the pairs that dominate (M(D), M(D′)), or those that dominate
/// (M(D′), M(D)), with D the input that has the person and D′ the one that has not.
///
/// [`Plan::directions`](super::Plan::directions) gives both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direction {
    parts: Vec<Composed>,
}

/// The copies of one mechanism in a [`Direction`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    pairs: Vec<Pair>,
    copies: u64,
}

impl Composed {
    /// The pairs of which the largest profile dominates, at every ε a copy of the mechanism.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// How many copies of the mechanism run.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// The pair that dominates a copy by itself; `None` where there are several.
    #[must_use]
    pub fn pair(&self) -> Option<&Pair> {
        match self.pairs.as_slice() {
            [pair] => Some(pair),
            _ => None,
        }
    }
}

impl Direction {
    /// The direction of some lists of pairs with their numbers of copies.
    pub(super) fn of(parts: impl IntoIterator<Item = (Vec<Pair>, u64)>) -> Self {
        Self { parts: parts.into_iter().map(|(pairs, copies)| Composed { pairs, copies }).collect() }
    }

    /// The mechanisms, sorted as those of the plan are.
    #[must_use]
    pub fn parts(&self) -> &[Composed] {
        &self.parts
    }

    /// The mechanisms, one by one.
    pub fn iter(&self) -> slice::Iter<'_, Composed> {
        self.parts.iter()
    }

    /// The number of different mechanisms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether nothing runs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The number of copies of all mechanisms together.
    pub(super) fn copies(&self) -> u128 {
        self.iter().map(|part| u128::from(part.copies)).sum()
    }

    /// The pairs of a direction in which nothing is composed: one mechanism runs once.
    pub(super) fn of_one_copy(&self) -> Option<&[Pair]> {
        match self.parts.as_slice() {
            [Composed { pairs, copies: 1 }] => Some(pairs),
            _ => None,
        }
    }

    /// Whether the other has the same pairs the other way round, and each part a single one.
    pub(super) fn is_reverse_of(&self, other: &Self) -> bool {
        let is_reverse = |(one, other): (&Composed, &Composed)| {
            let (one_pair, other_pair) = (one.pair(), other.pair());
            one.copies == other.copies && one_pair.zip(other_pair).is_some_and(|(one, other)| one.reversed() == *other)
        };
        self.len() == other.len() && self.iter().zip(other).all(is_reverse)
    }
}

impl<'a> IntoIterator for &'a Direction {
    type Item = &'a Composed;
    type IntoIter = slice::Iter<'a, Composed>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
