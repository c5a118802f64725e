//! The Gaussian mechanism on integers.

use alloc::sync::Arc;
use core::convert::Infallible;

use num_bigint::{BigInt, BigUint};

use super::{AdditiveError, GaussianVector, Noisy};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Attained, Domination, Guarantee, L2Squared, Pair, Sensitivity},
    mechanism::{Private, SamplerError},
    sample::{
        Gaussian, GaussianNoise, PreparedGaussian, Sampler,
        fixed::{FixedError, FixedGaussian, Mode},
    },
};

/// An integer answer plus discrete Gaussian noise: ρ-zCDP with ρ = d²/2σ², d = ⌊√Δ₂²⌋, exactly (Canonne,
/// Kamath and Steinke 2020, Theorem 4; the Rényi divergence of every order α is αρ, attained).
///
/// Its (ε, δ) profile is that of the pair in [`Private::domination`], for the account; the shift d is the
/// worst ([the largest shift is the worst](super)).
///
/// ```
/// use certus::{
///     bits::seeded,
///     exact::{Integer, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::GaussianMechanism},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared();
/// let mechanism = GaussianMechanism::with_sigma(&count, &Rational::from_integer(10.into()))?;
/// let released = mechanism.release(&Integer::from(412), &mut seeded([7; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "zCDP, rho = 1/200; neighbours: add or remove one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::parameters::GaussianParameters", into = "super::parameters::GaussianParameters")
)]
pub struct GaussianMechanism {
    variance: Positive,
    sensitivity: Sensitivity<L2Squared>,
    shift: BigUint,
    guarantee: Guarantee,
    sampler: Sampler,
    noise: Arc<GaussianNoise>,
}

impl GaussianMechanism {
    /// Noise of a given σ.
    ///
    /// # Errors
    ///
    /// If σ is not positive.
    pub fn with_sigma(sensitivity: &Sensitivity<L2Squared>, sigma: &Rational) -> Result<Self, AdditiveError> {
        let sigma = Positive::new(sigma.clone()).map_err(|_| AdditiveError::Sigma)?;
        Self::with_variance(sensitivity, sigma.square().get())
    }

    /// Noise of a given σ².
    ///
    /// # Errors
    ///
    /// If σ² is not positive.
    pub fn with_variance(sensitivity: &Sensitivity<L2Squared>, variance: &Rational) -> Result<Self, AdditiveError> {
        let variance = Positive::new(variance.clone()).map_err(|_| AdditiveError::Variance)?;
        let shift = sensitivity.get().floor().numer().magnitude().sqrt();
        let square = Rational::from_integer(BigInt::from(shift.pow(2)));
        let guarantee = Guarantee::zcdp(sensitivity.relation(), rho(&square, &variance))?;
        let noise = Arc::new(GaussianNoise::Reference(Gaussian::with_variance(&variance)));
        Ok(Self { variance, sensitivity: sensitivity.clone(), shift, guarantee, sampler: Sampler::Reference, noise })
    }

    /// Noise for a wanted ρ: σ² = ⌊Δ₂²⌋/2ρ.
    ///
    /// # Errors
    ///
    /// If ρ is not positive, or the sensitivity is below 1 (the answers of neighbours are the same integers:
    /// there is no noise to derive).
    pub fn with_rho(sensitivity: &Sensitivity<L2Squared>, rho: &Rational) -> Result<Self, AdditiveError> {
        let rho = Positive::new(rho.clone()).map_err(|_| AdditiveError::Rho)?;
        let square = Positive::new(sensitivity.get().floor()).map_err(|_| AdditiveError::NoSensitivity)?;
        Self::with_variance(sensitivity, &(square.get() / (rho.get() * Rational::from_integer(2.into()))))
    }

    /// The same noise on each of k answers, whose squared L2 distance the sensitivity bounds.
    ///
    /// # Errors
    ///
    /// If k is 0.
    pub fn vector(self, coordinates: usize) -> Result<GaussianVector, AdditiveError> {
        GaussianVector::new(self, coordinates)
    }

    /// The same noise on each of k counts, of which one person changes at most `bins`, each by at most what
    /// the sensitivity of one says: a histogram.
    ///
    /// # Errors
    ///
    /// If k is 0, or `bins` is 0 or more than k.
    pub fn histogram(self, coordinates: usize, bins: usize) -> Result<GaussianVector, AdditiveError> {
        GaussianVector::histogram(self, coordinates, bins)
    }

    /// The same noise on each of k counts, of which one person changes any, by as much together as the
    /// sensitivity says of one: a histogram whose contributions may share a bin.
    ///
    /// # Errors
    ///
    /// If k is 0.
    pub fn shared_histogram(self, coordinates: usize) -> Result<GaussianVector, AdditiveError> {
        Ok(GaussianVector::new(self, coordinates)?.shared())
    }

    /// The same, drawn from tables that are built now: the fastest for many samples.
    #[must_use]
    pub fn prepared(self) -> Self {
        let noise = GaussianNoise::Prepared(PreparedGaussian::with_variance(&self.variance));
        Self { noise: Arc::new(noise), sampler: Sampler::Prepared, ..self }
    }

    /// The same, by work that says nothing about the noise, but with the probability of the mode.
    ///
    /// # Errors
    ///
    /// If σ is over 2^56.
    pub fn fixed(self, mode: Mode) -> Result<Self, FixedError> {
        let noise = GaussianNoise::Fixed(FixedGaussian::with_variance(&self.variance, mode)?);
        Ok(Self { sampler: Sampler::Fixed(mode), noise: Arc::new(noise), ..self })
    }

    /// The noise, by its sampler.
    #[must_use]
    pub fn noise(&self) -> &GaussianNoise {
        &self.noise
    }

    pub(super) fn shared_noise(&self) -> &Arc<GaussianNoise> {
        &self.noise
    }

    /// The sampler that was asked for.
    #[must_use]
    pub fn drawn_by(&self) -> Sampler {
        self.sampler
    }

    /// σ².
    #[must_use]
    pub fn variance(&self) -> &Positive {
        &self.variance
    }

    /// Δ₂².
    #[must_use]
    pub fn sensitivity(&self) -> &Sensitivity<L2Squared> {
        &self.sensitivity
    }

    /// ⌊√Δ₂²⌋, the largest distance of integers that Δ₂² allows.
    #[must_use]
    pub fn shift(&self) -> &BigUint {
        &self.shift
    }
}

/// square/2σ².
pub(super) fn rho(square: &Rational, variance: &Positive) -> Real {
    Real::from(square / (variance.get() * Rational::from_integer(2.into())))
}

impl Private for GaussianMechanism {
    type Input = Integer;
    type Release = Noisy<Arc<GaussianNoise>>;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Self::Release, Infallible> {
        Ok(Noisy::new(input.clone(), Arc::clone(&self.noise)))
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        let noise = Arc::new(GaussianNoise::new(&self.variance, sampler)?);
        Ok(Self { sampler, noise, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.noise.sampler()
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by the answers 0 and ⌊√Δ₂²⌋.
    fn domination(&self) -> Domination {
        let pair = Pair::Gaussian { variance: self.variance.clone(), shift: self.shift.clone() };
        Domination::by(pair).attained(Attained::ByAnswers).for_neighbours(self.guarantee.relation())
    }
}
