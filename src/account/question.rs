//! What is asked of a method.

use super::{Direction, Precision};
use crate::exact::{NonNegative, Rational};

/// The question δ(ε) of one direction, to some digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub(super) direction: &'a Direction,
    pub(super) epsilon: &'a NonNegative,
    pub(super) precision: &'a Precision,
    pub(super) purpose: Purpose<'a>,
}

/// What the answer is for, and so how much work it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose<'a> {
    /// The answer is what the user asked for.
    Answer,
    /// The answer is one of many δ(ε) by which a search for ε(δ) closes in: a method that is worth its time
    /// once is not worth it here, and far below this δ a bound is enough.
    Trial(&'a Rational),
}

impl<'a> Question<'a> {
    /// The question that a user asks.
    pub(super) fn new(direction: &'a Direction, epsilon: &'a NonNegative, precision: &'a Precision) -> Self {
        Self { direction, epsilon, precision, purpose: Purpose::Answer }
    }
}
