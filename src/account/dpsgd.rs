//! The DP-SGD accountant.

use alloc::boxed::Box;
use core::num::NonZeroU64;

use super::{AccountError, Answer, Plan, Precision, delta, epsilon};
use crate::{
    exact::{NonNegative, Positive, Probability, Rational},
    guarantee::{Attained, Domination, Pair, Relation},
};

/// Differentially private stochastic gradient descent (Abadi et al. 2016): each of `steps` steps clips the gradients of a Poisson sample
/// to a norm C, in which every person is with probability `rate`, and releases their sum plus Gaussian noise of σ = `noise_multiplier`·C.
///
/// The noise is the discrete Gaussian on a grid of C/`resolution`: σ is noise_multiplier·resolution grid units, at sensitivity `resolution`. Inputs are
/// neighbours if one has one person more (add/remove), and both directions are accounted for. A step is dominated by the pair of one coordinate, the
/// direction of the person's clipped gradient, subsampled (Zhu, Dong and Wang 2022, Theorem 11; with a rotation for many coordinates of continuous noise).
/// On a grid a coordinate's noise is independent of the others', and this is the account of **one coordinate**, or of gradients that
/// a person changes in one coordinate by at most C; for many coordinates account for each coordinate's share of the sensitivity.
///
/// ```
/// use certus::account::{DpSgd, Precision};
/// use certus::exact::{NonNegative, Positive, Probability, Rational};
///
/// let sgd = DpSgd {
///     noise_multiplier: Positive::new(Rational::from_integer(2.into()))?,
///     rate: Probability::new(Rational::new(1.into(), 50.into()))?,
///     steps: 20.try_into()?,
///     resolution: 4096.try_into()?,
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
    /// C in grid units.
    pub resolution: NonZeroU64,
}

impl DpSgd {
    /// The plan: `steps` copies of one subsampled discrete Gaussian. Attained by a person whose gradient is C in the coordinate at every step, where all others' are 0.
    #[must_use]
    pub fn plan(&self) -> Plan {
        let resolution = self.resolution.get();
        let sigma = self.noise_multiplier.get() * Rational::from_integer(resolution.into());
        // A product of positive numbers is positive.
        let variance = Positive::new(&sigma * &sigma).unwrap_or_else(|_| self.noise_multiplier.clone());
        let of = Box::new(Pair::Gaussian { variance, shift: resolution.into() });
        let pair = Pair::Subsampled { rate: self.rate.clone(), of, reversed: false };
        let domination = Domination::by(pair).attained(Attained::ByNeighbours(Relation::AddRemove));
        Plan::of(&domination, self.steps.get())
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
