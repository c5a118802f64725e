//! The DP-SGD accountant.

use core::num::NonZeroU64;

use num_bigint::BigUint;

use super::{AccountError, Answer, Plan, Precision, delta, epsilon};
use crate::{
    exact::{NonNegative, Positive, Probability, Rational},
    guarantee::GaussianVectors,
};

/// Differentially private stochastic gradient descent (Abadi et al. 2016): each of `steps` steps clips the
/// gradients of a Poisson sample to a norm C, in which every person is with probability `rate`, and releases
/// their sum plus Gaussian noise of σ = `noise_multiplier`·C.
///
/// Gradients are vectors of integers, in steps of C/`clip`; the noise on every coordinate is the discrete
/// Gaussian of σ = noise_multiplier·clip steps, and the clip norm is `clip` steps. Inputs are neighbours if
/// one has one person more (add/remove), and both directions are accounted for. The account has two ends: a
/// line dominates the vector, and a gradient in one coordinate is attained ([`GaussianVectors`]). The spec
/// `dp_sgd(…)` is the same.
///
/// ```
/// use certus::account::{DpSgd, Precision};
/// use certus::exact::{NonNegative, Positive, Probability, Rational};
///
/// let sgd = DpSgd {
///     noise_multiplier: Positive::new(Rational::from_integer(2.into()))?,
///     rate: Probability::new(Rational::new(1.into(), 50.into()))?,
///     steps: 20.try_into()?,
///     clip: (1 << 20).try_into()?,
///     coordinates: 1_000_000.try_into()?,
/// };
/// let delta = sgd.delta(&NonNegative::new(Rational::new(1.into(), 4.into()))?, &Precision { digits: 3 })?;
/// assert!(delta.is_narrow);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DpSgd {
    /// σ/C.
    pub noise_multiplier: Positive,
    /// The probability that a person is in a step's sample.
    pub rate: Probability,
    /// How many steps there are.
    pub steps: NonZeroU64,
    /// C in steps of the grid.
    pub clip: NonZeroU64,
    /// How many coordinates a gradient has.
    pub coordinates: NonZeroU64,
}

impl DpSgd {
    /// The plan: `steps` copies of one subsampled vector.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let clip = self.clip.get();
        let sigma = self.noise_multiplier.get() * Rational::from_integer(clip.into());
        // A product of positive numbers is positive.
        let variance = Positive::new(&sigma * &sigma).unwrap_or_else(|_| self.noise_multiplier.clone());
        let vectors = GaussianVectors::within(variance, BigUint::from(clip).pow(2), self.coordinates.get().into());
        Plan::of(&vectors.subsampled(&self.rate).domination(), self.steps.get())
    }

    /// Encloses δ(ε).
    ///
    /// # Errors
    ///
    /// Those of [`delta`](super::delta).
    pub fn delta(&self, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
        delta(&self.plan(), epsilon, precision)
    }

    /// Encloses ε(δ).
    ///
    /// # Errors
    ///
    /// Those of [`epsilon`](super::epsilon).
    pub fn epsilon(&self, at: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
        epsilon(&self.plan(), at, precision)
    }
}
