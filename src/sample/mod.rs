//! Exact samplers, over any rational parameter.
//!
//! These are the *reference* samplers: short, readable, the object of the certificates and of the proofs.
//! Each follows Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020), and is
//! built from fair bits and comparisons of integers alone; no float, no table, no rounding. A comparison
//! stops at the first bit that decides it.
//!
//! | sampler | distribution | from |
//! | --- | --- | --- |
//! | [`Uniform`] | 1/n on 0 … n − 1 | bits |
//! | [`Bernoulli`] | true with p | bits |
//! | [`BernoulliExp`] | true with e^-x | Bernoulli |
//! | [`Geometric`] | ∝ e^(-k/s) on k ≥ 0 | uniform, Bernoulli(e^-x) |
//! | [`Laplace`] | ∝ e^(-\|k\|/s) on all integers | geometric, a sign |
//! | [`Gaussian`] | ∝ e^(-k²/2σ²) on all integers | Laplace, Bernoulli(e^-x) |
//! | [`Choice`] | ∝ cᵢ·e^-xᵢ on finitely many i | uniform, Bernoulli(e^-x) |
//!
//! [`PreparedLaplace`] and [`PreparedGaussian`] draw the same noise from tables built once for a parameter,
//! much faster; [`fixed`] draws it by work that says nothing about it. [`LaplaceNoise`] and [`GaussianNoise`]
//! are either, by any [`Sampler`].
//!
//! Each runs on machine words where its parameters fit and on big integers where they do not; the output and
//! the bits drawn are the same either way. An output is exact whatever its size.

mod bernoulli;
mod bernoulli_exp;
mod choice;
pub mod fixed;
mod gaussian;
mod geometric;
#[doc(hidden)]
pub mod hooks;
mod laplace;
pub(crate) mod machine;
mod noise;
pub(crate) mod prepared;
pub(crate) mod program;
mod uniform;
#[cfg(test)]
mod widths;

pub use bernoulli::Bernoulli;
pub use bernoulli_exp::BernoulliExp;
pub use choice::{Choice, ChoiceError, Weight};
pub use gaussian::Gaussian;
pub use geometric::Geometric;
pub use laplace::Laplace;
pub use noise::{GaussianNoise, LaplaceNoise, Sampler};
pub use prepared::{FillError, PreparedGaussian, PreparedLaplace, Sample, Samples, View};
pub use program::{Count, Interpreter, Program, Step};
pub use uniform::{Uniform, ZeroBoundError};

use program::Width;
pub(crate) use program::execute;
