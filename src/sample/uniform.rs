//! Uniform integers below n, by mask and reject.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, execute};
use crate::{
    bits::{Bits, BitsError},
    exact::{Integer, Natural},
};

/// The bound of a uniform integer is 0: there is nothing below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bound must be at least 1")]
pub struct ZeroBoundError;

/// The uniform distribution on 0, 1, …, n − 1: P(k) = 1/n.
///
/// # Algorithm
///
/// Draw as many bits as n − 1 has, and accept them as the answer iff they are below n. Each value below n is
/// the accepted word of exactly one bit string, so all are equally likely: no division, no modulo, no bias.
/// The acceptance is at least ½.
///
/// ```
/// use certus::{bits::seeded, sample::{Program, Uniform}};
///
/// let die = Uniform::new(6u32.into())?;
/// let roll = die.sample(&mut seeded([0; 32]))?.to_i64();
/// assert!(roll < Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uniform {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Uniform {
    /// Uniform below a bound that is not 0.
    #[must_use]
    pub fn below(bound: core::num::NonZeroU64) -> Self {
        Self { kernel: Width::Word(Kernel::new(bound.get())) }
    }

    /// Draws one number below a bound: [`below`](Self::below) and [`sample`](Program::sample), as a word.
    ///
    /// # Errors
    ///
    /// If the source fails; there is no number then.
    pub fn word_below<B: Bits + ?Sized>(bound: core::num::NonZeroU64, bits: &mut B) -> Result<u64, BitsError> {
        bits.begin()?;
        execute(&Kernel::new(bound.get()), bits)
    }

    /// Uniform below `bound`.
    ///
    /// # Errors
    ///
    /// If `bound` is 0.
    pub fn new(bound: BigUint) -> Result<Self, ZeroBoundError> {
        if bound == BigUint::ZERO {
            return Err(ZeroBoundError);
        }
        let kernel = match u64::from_big(&bound) {
            Some(word) => Width::Word(Kernel::new(word)),
            None => Width::Big(Kernel::new(bound)),
        };
        Ok(Self { kernel })
    }
}

impl Program for Uniform {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(match &self.kernel {
            Width::Word(kernel) => on.call(kernel)?.into(),
            Width::Big(kernel) => on.call(kernel)?.into(),
        }))
    }
}

/// Uniform below a bound of one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    /// Invariant: bound ≥ 1.
    bound: N,
    /// The number of bits of bound − 1: the fewest that can write every value.
    bits: u64,
}

impl<N: Natural> Kernel<N> {
    /// Uniform below a bound that is at least 1. (Nothing is below 0: it is taken for 1.)
    pub(crate) fn new(bound: N) -> Self {
        match bound.checked_sub(&N::one()) {
            Some(largest) => Self { bound, bits: largest.bit_length() },
            None => Self { bound: N::one(), bits: 0 },
        }
    }
}

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = N;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let mut word = N::zero();
        let mut missing = self.bits;
        while missing > 0 {
            // At most 64, so the conversion is exact.
            let count = u32::try_from(missing.min(64)).unwrap_or(64);
            // The word has at most as many bits as bound − 1, which fits: `None` cannot be.
            word = word.append_bits(on.bits(count)?, count).ok_or_else(|| on.overflow())?;
            missing -= u64::from(count);
        }
        Ok(if word < self.bound { ControlFlow::Break(word) } else { ControlFlow::Continue(()) })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/uniform.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bits::{BitsError, Enumeration},
        sample::{
            execute,
            widths::{same_on_a_stream, same_on_every_tape},
        },
    };

    /// One trial is one word: each value below the bound is accepted from exactly one, and no other word is.
    #[test]
    fn every_value_has_one_word() {
        for bound in 1..=u8::MAX {
            let kernel = Kernel::new(bound);
            let depth = u32::from(bound - 1).checked_ilog2().map_or(0, |top| top + 1);
            let mut tapes = Enumeration::new(depth);
            let mut accepted = alloc::vec![];
            let mut words = 0u32;
            loop {
                match execute(&kernel, &mut tapes) {
                    Ok(value) => accepted.push(value),
                    Err(error) => assert_eq!(error, BitsError::TapeEnded),
                }
                assert_eq!(tapes.used(), depth);
                words += 1;
                if !tapes.advance() {
                    break;
                }
            }
            assert_eq!(words, 1 << depth);
            assert_eq!(accepted, (0..bound).collect::<alloc::vec::Vec<_>>());
        }
    }

    #[test]
    fn a_width_changes_nothing() {
        for bound in 1..=u8::MAX {
            let (narrow, big) = (Kernel::new(bound), Kernel::new(BigUint::from(bound)));
            same_on_every_tape(&narrow, &big, 10, |a, b| a.to_big() == *b);
        }
        for bound in [1, 3, 1 << 32, (1 << 63) + 1, u64::MAX] {
            let (word, big) = (Kernel::new(bound), Kernel::new(BigUint::from(bound)));
            same_on_a_stream(&word, &big, 1000, |a, b| a.to_big() == *b);
            same_on_a_stream(&word, &Kernel::new(u128::from(bound)), 1000, |a, b| u128::from(*a) == *b);
        }
        for bound in [(1u128 << 64) + 1, 1 << 127, u128::MAX] {
            same_on_a_stream(&Kernel::new(bound), &Kernel::new(bound.to_big()), 1000, |a, b| a.to_big() == *b);
        }
    }

    #[test]
    fn nothing_is_below_zero() {
        assert_eq!(Uniform::new(BigUint::ZERO), Err(ZeroBoundError));
    }
}
