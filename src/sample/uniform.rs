//! Uniform integers below n, by mask and reject.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width};
use crate::exact::{Integer, Natural};

/// The bound of a uniform integer is 0: there is nothing below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bound must be at least 1")]
pub struct ZeroBound;

/// The uniform distribution on 0, 1, …, n − 1: P(k) = 1/n.
///
/// # Algorithm
///
/// Draw as many bits as n − 1 has, and accept them as the answer iff they are below n. Each value below n is the accepted
/// word of exactly one bit string, so all are equally likely: no division, no modulo, no bias. The acceptance is at least ½.
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
    /// Uniform below `bound`.
    ///
    /// # Errors
    ///
    /// If `bound` is 0.
    pub fn new(bound: BigUint) -> Result<Self, ZeroBound> {
        if bound == BigUint::ZERO {
            return Err(ZeroBound);
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
