//! The additive family: an integer answer, or a vector of them, plus exact noise.
//!
//! | mechanism | noise | guarantee |
//! | --- | --- | --- |
//! | [`LaplaceMechanism`], [`LaplaceVector`] | ∝ e^(−\|k\|/s) | pure, ε = ⌊Δ₁⌋/s |
//! | [`GaussianMechanism`], [`GaussianVector`] | ∝ e^(−k²/2σ²) | zCDP, ρ = ⌊Δ₂²⌋/2σ² |
//! | [`StaircaseMechanism`] | steps of height e^−ε | pure, ε |
//! | [`TruncatedLaplace`], [`TruncatedGaussian`] | the same on [−b, b] | (ε, δ), δ exact |
//! | [`BoundedLaplace`] | Laplace, the *output* conditioned on [lower, upper] | pure, ε larger than Δ/s |
//! | [`Clamped`] | any of these, the output clamped | that of the mechanism it clamps |
//! | [`OnGrid`] | any of these, on g·ℤ for rational answers | that of the mechanism on the rounded answers |
//!
//! The answers are integers, so that a distance of at most Δ is one of at most ⌊Δ⌋. Noise plus answer is
//! widened ([`Integer`](crate::exact::Integer)) and never wraps.
//!
//! # The largest shift is the worst
//!
//! A mechanism must say which pair of distributions is the worst of *all* neighbours. For noise whose pmf p
//! is log-concave (Laplace, Gaussian and their truncations are), it is the largest shift. *Proof.* Let F be
//! the cumulative distribution and 0 ≤ d ≤ Δ. By log-concavity p(y)/p(y − d) does not rise with y, so that
//! p(y) > e^ε·p(y − d) for y up to some t and for no others: δ_d(ε) = max over t of F(t) − e^ε·F(t − d). Each
//! of these grows with d, hence so does their maximum. ∎ The profile of −d is that of d, by y ↦ −y.

mod bounded;
mod clamped;
mod differences;
mod error;
mod gaussian;
mod gaussian_vector;
mod grid;
mod in_place;
mod laplace;
mod noisy;
mod on_grid;
#[cfg(feature = "serde")]
mod parameters;
mod staircase;
mod truncated;

pub use bounded::{BoundedLaplace, Conditioned};
pub use clamped::{Clamp, Clamped};
pub use differences::{Difference, MOST_DIFFERENCES};
pub use error::{AdditiveError, LengthError};
pub use gaussian::GaussianMechanism;
pub use gaussian_vector::GaussianVector;
pub use grid::{Grid, Rounding};
pub use laplace::{LaplaceMechanism, LaplaceVector};
pub use noisy::{Noisy, NoisyVector, Within};
pub use on_grid::{OnGrid, OnGridVector, Scaled};
pub use staircase::{Staircase, StaircaseMechanism};
pub use truncated::{TruncatedGaussian, TruncatedLaplace};
