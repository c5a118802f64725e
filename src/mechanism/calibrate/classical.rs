//! The classical Gaussian calibration, for comparison.

use num_traits::One;

use crate::exact::{Positive, Probability, Rational, Real};

/// The classical σ = Δ₂·√(2·ln(1.25/δ))/ε, for comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classical {
    /// σ.
    pub sigma: Real,
    /// Whether it is proven to meet (ε, δ): for ε ≤ 1 alone (Dwork and Roth 2014, Theorem A.1, for ε < 1; for
    /// ε = 1 by continuity). Above, it can fail.
    pub holds: bool,
}

impl Classical {
    /// The classical σ for a sensitivity Δ₂, given as its square.
    ///
    /// ```
    /// use certus::{exact::{Positive, Probability, Rational}, mechanism::Classical};
    ///
    /// // √(2·ln(1.25·10^5)) = 4.8448…
    /// let positive = |n: i64| Positive::new(Rational::from_integer(n.into()));
    /// let delta = Probability::new(Rational::new(1.into(), 100_000.into()))?;
    /// let classical = Classical::new(&positive(1)?, &positive(1)?, &delta);
    /// assert!(classical.sigma.to_string().starts_with("[4.8448"));
    /// assert!(classical.holds);
    /// assert!(!Classical::new(&positive(1)?, &positive(2)?, &delta).holds);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(l2_squared: &Positive, epsilon: &Positive, delta: &Probability) -> Self {
        // For δ = 0 there is none: nothing encloses ln of a division by zero.
        let ratio = &Real::ratio(5, 4) / &Real::from(delta.get().clone());
        let square = &(&Real::from(2) * &ratio.ln()) * &Real::from(l2_squared.clone());
        let sigma = &square.sqrt() / &Real::from(epsilon.clone());
        Self { sigma, holds: *epsilon.get() <= Rational::one() }
    }

    /// How much less noise a scale is, as a share of the classical σ: 1 − scale/σ.
    #[must_use]
    pub fn saved(&self, scale: &Positive) -> Real {
        &Real::from(1) - &(&Real::from(scale.clone()) / &self.sigma)
    }
}
