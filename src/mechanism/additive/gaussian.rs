//! The Gaussian mechanism on integers.

use alloc::{sync::Arc, vec::Vec};
use core::convert::Infallible;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use super::{AdditiveError, Difference, LengthError, Noisy, NoisyVector, differences, envelope};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Attained, Domination, FinitePair, Guarantee, L2Squared, Pair, Privacy, Sensitivity},
    mechanism::{Private, SamplerError},
    sample::{
        Gaussian, GaussianNoise, PreparedGaussian, Sampler,
        fixed::{FixedError, FixedGaussian, Mode},
    },
};

/// An integer answer plus discrete Gaussian noise: ρ-zCDP with ρ = d²/2σ², d = ⌊√Δ₂²⌋, exactly (Canonne, Kamath and Steinke 2020, Theorem 4; the
/// Rényi divergence of every order α is αρ, attained).
///
/// Its (ε, δ) profile is that of the pair in [`Private::domination`], for the account; the shift d is the worst ([the largest shift is the
/// worst](super)).
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
    /// If ρ is not positive, or the sensitivity is below 1 (the answers of neighbours are the same integers: there is no noise to derive).
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
        if coordinates == 0 {
            return Err(AdditiveError::NoCoordinates);
        }
        let guarantee = if coordinates == 1 {
            self.guarantee.clone()
        } else {
            Guarantee::zcdp(self.sensitivity.relation(), rho(&self.sensitivity.get().floor(), &self.variance))?
        };
        Ok(GaussianVector { each: self, coordinates, guarantee })
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
fn rho(square: &Rational, variance: &Positive) -> Real {
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

/// k integer answers, each plus discrete Gaussian noise of its own: ρ-zCDP with ρ = ⌊Δ₂²⌋/2σ², for the L2 sensitivity of the vector (Canonne,
/// Kamath and Steinke 2020, Theorem 14: coordinates compose, Σdᵢ²/2σ²).
///
/// # No single pair
///
/// Continuous noise looks the same in every direction; discrete noise does not, and the profile of (1, 1, 1, 1) is not that of (2), though both
/// have ‖d‖₂ = 2. The exact profile is the largest over all integer difference vectors within the norm, up to signs and order, and of
/// these only the maximal ones: [`GaussianVector::differences`] lists them, up to [`MOST_DIFFERENCES`](super::MOST_DIFFERENCES), each as the list of pairs that an
/// account composes.
///
/// [`Private::domination`], which has room for single pairs alone, is exact where each maximal difference moves one coordinate (k = 1, or
/// Δ₂² < 2). Otherwise it is a *bound*: the pair whose profile passes through the zCDP conversion (Canonne, Kamath and Steinke 2020, Proposition 12) of δ = 2^-1, …,
/// 2^-40, and on to 2^-200. [`GaussianVector::is_exact`] says which.
///
/// ```
/// use certus::{
///     account::{Plan, Precision, delta},
///     exact::{NonNegative, Rational},
///     guarantee::{L2Squared, Relation, Sensitivity},
///     mechanism::additive::GaussianMechanism,
/// };
///
/// // One record moves from one count to another: (1, 1), which no single coordinate tells.
/// let histogram = Sensitivity::<L2Squared>::of_histogram(Relation::ChangeOne);
/// let mechanism = GaussianMechanism::with_sigma(&histogram, &Rational::from_integer(1.into()))?.vector(5)?;
/// let differences = mechanism.differences().unwrap_or_default();
/// assert_eq!(differences.len(), 1);
/// let plan = differences[0]
///     .gaussian(mechanism.each().variance())
///     .iter()
///     .try_fold(Plan::new(), |plan, (domination, copies)| plan.with(domination, *copies))?;
/// let delta = delta(&plan, &NonNegative::one(), &Precision { digits: 5 })?;
/// assert!(delta.enclosure.to_string().starts_with("[0.26250"), "{}", delta.enclosure);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::GaussianVectorParameters",
        into = "super::parameters::GaussianVectorParameters"
    )
)]
pub struct GaussianVector {
    each: GaussianMechanism,
    /// Invariant: at least 1.
    coordinates: usize,
    guarantee: Guarantee,
}

impl GaussianVector {
    /// The mechanism of one coordinate. Its guarantee is for a difference in that coordinate alone.
    #[must_use]
    pub fn each(&self) -> &GaussianMechanism {
        &self.each
    }

    /// k.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// The maximal integer differences within Δ₂, of which the largest profile is the mechanism's; nothing if there are more than
    /// [`MOST_DIFFERENCES`](super::MOST_DIFFERENCES).
    #[must_use]
    pub fn differences(&self) -> Option<Vec<Difference>> {
        let square = self.each.sensitivity.get().floor().to_integer();
        if self.coordinates == 1 || square < 2.into() {
            // One coordinate moves, by as much as it may.
            let shift = self.each.shift.to_u64()?;
            return differences::maximal(shift.checked_mul(shift)?, 1);
        }
        differences::maximal(square.to_u64()?, self.coordinates)
    }

    /// Whether the pair of [`Private::domination`] is the worst of neighbours, rather than a bound of it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.coordinates == 1 || *self.each.sensitivity.get() < Rational::from_integer(2.into())
    }

    /// The pair through the zCDP conversions.
    fn bound(&self) -> FinitePair {
        let exponents = (1..=40_u32).chain((48..=200).step_by(8));
        let bounds: Option<Vec<_>> = exponents
            .map(|exponent| {
                let delta = Rational::new(BigInt::one(), BigInt::one() << exponent);
                let stated = self.guarantee.to_approximate(&Real::from(delta.clone())).ok()?;
                let Privacy::Approximate { epsilon, .. } = stated.privacy() else { return None };
                // The profile falls, so that δ bounds it at any ratio from e^ε on.
                Some((epsilon.exp().at_most(64)?, delta))
            })
            .collect();
        // Where e^ε is beyond what is formed, nothing is promised.
        bounds.map_or_else(FinitePair::revealing, |bounds| envelope::dominating(&bounds))
    }
}

impl Private for GaussianVector {
    type Input = [Integer];
    type Release = NoisyVector<Arc<GaussianNoise>>;
    type Error = LengthError;

    fn on(&self, input: &[Integer]) -> Result<Self::Release, LengthError> {
        if input.len() != self.coordinates {
            return Err(LengthError { coordinates: self.coordinates });
        }
        Ok(NoisyVector::new(input, Arc::clone(&self.each.noise)))
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        Ok(Self { each: self.each.with_sampler(sampler)?, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.each.sampler()
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Where it is exact, attained by answers of which the first is ⌊√Δ₂²⌋ apart and the others are equal. The pair through zCDP conversions is above every difference's.
    fn domination(&self) -> Domination {
        if self.is_exact() {
            self.each.domination()
        } else {
            Domination::by(Pair::Finite(self.bound())).for_neighbours(self.guarantee.relation())
        }
    }
}
