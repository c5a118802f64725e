//! Why a mechanism of this family is not built, or refuses an input. Nothing here depends on private data.

use crate::{guarantee::GuaranteeError, mechanism::SamplerError};

/// Why a mechanism is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdditiveError {
    /// The scale is not positive.
    #[error("the scale must be positive (scale > 0)")]
    Scale,
    /// σ is not positive.
    #[error("sigma must be positive (sigma > 0)")]
    Sigma,
    /// σ² is not positive.
    #[error("the variance must be positive (sigma^2 > 0)")]
    Variance,
    /// ε is not positive.
    #[error("epsilon must be positive (epsilon > 0)")]
    Epsilon,
    /// ρ is not positive.
    #[error("rho must be positive (rho > 0)")]
    Rho,
    /// Noise in proportion to a sensitivity of 0 would be none.
    #[error("the sensitivity must be positive where the noise is derived from it (sensitivity > 0)")]
    NoSensitivity,
    /// A vector has no coordinates.
    #[error("the number of coordinates must be at least 1")]
    NoCoordinates,
    /// The staircase's sensitivity is below 1: there are no steps.
    #[error("the sensitivity must be at least 1 (sensitivity >= 1)")]
    SensitivityBelowOne,
    /// A staircase's step is not from 1 to Δ.
    #[error("the step must be from 1 to the sensitivity (1 <= r <= sensitivity)")]
    Step,
    /// The supports of neighbours' outputs do not meet: everything would be revealed.
    #[error("the bound of the noise must be at least half the sensitivity (2 * bound >= sensitivity)")]
    Disjoint,
    /// The bounds are the wrong way round.
    #[error("the lower bound must be at most the upper bound (lower <= upper)")]
    Bounds,
    /// Too many outputs to write the pair down.
    #[error("the bound must be at most {0}, so that every output can be listed")]
    TooWide(u32),
    /// Noise is hardly ever within its bound.
    #[error("the scale or sigma must be at most 2^16 times the number of values within the bound (2 * bound + 1)")]
    HardlyWithin,
    /// A number of steps or a bound is not whole.
    #[error("the bound or step must be a whole number")]
    NotWhole,
    /// A grid's step is not positive.
    #[error("the grid must be positive (g > 0)")]
    Grid,
    /// More coordinates are said to change than there are, or none.
    #[error("the number of coordinates that one person changes must be from 1 to the number of coordinates")]
    Changed,
    /// There is no such sampler for it.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    /// The guarantee is none.
    #[error(transparent)]
    Guarantee(#[from] GuaranteeError),
}

/// An input has not the number of coordinates that the mechanism was built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the input must have {coordinates} coordinates")]
pub struct LengthError {
    /// What the mechanism was built for.
    pub coordinates: usize,
}
