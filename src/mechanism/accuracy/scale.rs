//! The inverse: the most noise that a wanted accuracy allows.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::{
    Accuracy, AccuracyError,
    bound::{Joined, Joint},
    crossing::{Search, Slope},
};
use crate::{
    exact::{Enclosure, Positive, Probability, Rational},
    guarantee::{L1, L2Squared, Sensitivity},
    mechanism::additive::{GaussianMechanism, LaplaceMechanism},
};

/// The largest scale of a grid that is accurate enough, and the evidence that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaleForAccuracy {
    scale: Positive,
    tail: Enclosure,
    next: Enclosure,
}

impl ScaleForAccuracy {
    /// The scale (or σ): a multiple of the grid's step.
    #[must_use]
    pub fn scale(&self) -> &Positive {
        &self.scale
    }

    /// Encloses P(max |error| ≥ α) with it: at most β.
    #[must_use]
    pub fn tail(&self) -> &Enclosure {
        &self.tail
    }

    /// Encloses it for the next larger scale of the grid: above β.
    #[must_use]
    pub fn next(&self) -> &Enclosure {
        &self.next
    }
}

/// The largest multiple of `step` with which P(max |error| ≥ α) ≤ β: the most noise, hence the most privacy,
/// that the accuracy allows. `mechanism` builds the mechanism for a scale; its tail must rise with the scale,
/// as that of Laplace and of Gaussian noise does:
///
/// * Laplace: 2q^α/(1 + q) rises with q = e^(−1/s) for α ≥ 1: its derivative has the sign of α(1 + q) −
///   q > 0.
/// * Gaussian: for σ < τ the ratio of the weights, e^(k²(1/2σ² − 1/2τ²)), rises with |k|, so that |X_τ| is
///   stochastically larger.
///
/// # Errors
///
/// If α is 0, β not in (0, 1), the smallest scale of the grid errs too often already, or the noise is out of
/// reach.
pub fn largest_scale<A: Accuracy>(
    alpha: &BigUint,
    beta: &Probability,
    step: &Positive,
    mechanism: impl Fn(&Positive) -> Option<A>,
) -> Result<ScaleForAccuracy, AccuracyError> {
    if alpha.is_zero() {
        return Err(AccuracyError::Alpha);
    }
    if beta.get().is_zero() || beta.get().is_one() {
        return Err(AccuracyError::Beta);
    }
    let scale = |n: &BigUint| Positive::new(step.get() * Rational::from_integer(n.clone().into()));
    let mut search = Search::new(beta, Slope::Rises, |n, precision| {
        let law = scale(n).ok().and_then(|scale| mechanism(&scale)).ok_or(AccuracyError::Grid)?;
        Joined::new(&law, Joint::Exact, precision)?.at(alpha)
    })?;
    let (is_accurate, _) = search.probe(&BigUint::one())?;
    if !is_accurate {
        return Err(AccuracyError::NoScale);
    }
    let found = search.crossing(BigUint::one())?;
    let scale = scale(&found.low).map_err(|_| AccuracyError::Grid)?;
    Ok(ScaleForAccuracy { scale, tail: found.at_low, next: found.at_high })
}

impl LaplaceMechanism {
    /// The largest scale, a multiple of `step`, with which P(max |error| ≥ α) ≤ β over k = `coordinates`
    /// answers.
    ///
    /// ```
    /// use certus::{
    ///     exact::{Positive, Probability, Rational},
    ///     guarantee::{L1, Relation, Sensitivity},
    ///     mechanism::additive::LaplaceMechanism,
    /// };
    ///
    /// let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
    /// let (beta, step) = (Rational::new(1.into(), 20.into()), Rational::new(1.into(), 100.into()));
    /// let found = LaplaceMechanism::scale_for(&count, 1, &31u32.into(), &Probability::new(beta)?, &Positive::new(step)?)?;
    /// assert_eq!(found.scale().to_string(), "509/50");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`largest_scale`].
    pub fn scale_for(
        sensitivity: &Sensitivity<L1>,
        coordinates: usize,
        alpha: &BigUint,
        beta: &Probability,
        step: &Positive,
    ) -> Result<ScaleForAccuracy, AccuracyError> {
        largest_scale(alpha, beta, step, |scale| {
            Self::with_scale(sensitivity, scale.get()).ok()?.vector(coordinates).ok()
        })
    }
}

impl GaussianMechanism {
    /// The largest σ, a multiple of `step`, with which P(max |error| ≥ α) ≤ β over k = `coordinates` answers.
    ///
    /// # Errors
    ///
    /// As [`largest_scale`].
    pub fn sigma_for(
        sensitivity: &Sensitivity<L2Squared>,
        coordinates: usize,
        alpha: &BigUint,
        beta: &Probability,
        step: &Positive,
    ) -> Result<ScaleForAccuracy, AccuracyError> {
        largest_scale(alpha, beta, step, |sigma| {
            Self::with_sigma(sensitivity, sigma.get()).ok()?.vector(coordinates).ok()
        })
    }
}
