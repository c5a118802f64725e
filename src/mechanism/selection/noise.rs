//! The noise that comparisons take: two-sided, or one-sided.

use core::ops::ControlFlow;

use crate::{
    exact::{Integer, Positive},
    sample::{Geometric, Interpreter, Laplace, Program, Step},
};

/// The noise of a comparison. Either has P(X ≥ k) ≤ e^(m/scale)·P(X ≥ k + m) for all k and m ≥ 0, which is
/// all that the proofs need; the one-sided has half the variance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SelectionNoise {
    /// Discrete Laplace: P(k) ∝ e^(-|k|/scale) on all integers.
    Laplace,
    /// Geometric: P(k) ∝ e^(-k/scale) on k ≥ 0.
    Geometric,
}

impl SelectionNoise {
    /// The noise at a scale.
    #[must_use]
    pub fn at(self, scale: &Positive) -> NoiseSampler {
        match self {
            Self::Laplace => NoiseSampler::Laplace(Laplace::new(scale)),
            Self::Geometric => NoiseSampler::Geometric(Geometric::new(scale)),
        }
    }
}

/// [`SelectionNoise`] at a scale.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum NoiseSampler {
    /// Two-sided.
    Laplace(Laplace),
    /// One-sided.
    Geometric(Geometric),
}

/// Whether a noisy number reaches a threshold: at least, not above. What the proofs of privacy and the closed
/// forms take passing for, and the one place where it is written. (Over any ordered numbers, so that what
/// ships is proven on words.)
pub(crate) fn reaches<T: Ord>(noisy: &T, threshold: &T) -> bool {
    noisy >= threshold
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/mechanism/selection/noise.rs"]
mod proofs;

impl Program for NoiseSampler {
    type State = ();
    type Output = Integer;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(match self {
            Self::Laplace(noise) => on.call(noise)?,
            Self::Geometric(noise) => on.call(noise)?,
        }))
    }
}
