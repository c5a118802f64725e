//! The Laplace mechanism on integers.

use alloc::sync::Arc;
use core::convert::Infallible;

use num_bigint::BigUint;

use super::{AdditiveError, LengthError, Noisy, NoisyVector};
use crate::{
    exact::{Integer, Positive, Rational, Real},
    guarantee::{Attained, Domination, Guarantee, L1, Pair, Sensitivity},
    mechanism::{Private, SamplerError},
    sample::{
        Laplace, LaplaceNoise, PreparedLaplace, Sampler,
        fixed::{FixedError, FixedLaplace, Mode},
    },
};

/// An integer answer plus discrete Laplace noise of scale s: pure ε = ⌊Δ₁⌋/s, exactly.
///
/// P(y)/Q(y) = e^((|y − d| − |y|)/s) ≤ e^(|d|/s) (Dwork, McSherry, Nissim and Smith 2006, Theorem 1; Ghosh,
/// Roughgarden and Sundararajan 2009 for the integers), and it is attained at every y ≤ 0. The pair of the
/// shift ⌊Δ₁⌋ dominates ([the largest shift is the worst](super)).
///
/// ```
/// use certus::{
///     bits::seeded,
///     exact::{Integer, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::LaplaceMechanism},
/// };
///
/// // A sum of entries from −1 to 60, one of which may change: Δ = 61, and scale 61/2 gives ε = 2.
/// let whole = |n: i64| Rational::from_integer(n.into());
/// let sum = Sensitivity::<L1>::of_sum(&whole(-1), &whole(60), Relation::ChangeOne)?;
/// let mechanism = LaplaceMechanism::with_epsilon(&sum, &whole(2))?;
/// assert_eq!(mechanism.scale().to_string(), "61/2");
/// let released = mechanism.release(&Integer::from(71), &mut seeded([7; 32]))?;
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 2; neighbours: change one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::parameters::LaplaceParameters", into = "super::parameters::LaplaceParameters")
)]
pub struct LaplaceMechanism {
    scale: Positive,
    sensitivity: Sensitivity<L1>,
    shift: BigUint,
    guarantee: Guarantee,
    sampler: Sampler,
    noise: Arc<LaplaceNoise>,
}

impl LaplaceMechanism {
    /// Noise of a given scale; ε = ⌊Δ₁⌋/scale.
    ///
    /// # Errors
    ///
    /// If the scale is not positive.
    pub fn with_scale(sensitivity: &Sensitivity<L1>, scale: &Rational) -> Result<Self, AdditiveError> {
        let scale = Positive::new(scale.clone()).map_err(|_| AdditiveError::Scale)?;
        let shift = sensitivity.get().floor();
        let guarantee = Guarantee::pure(sensitivity.relation(), Real::from(&shift / scale.get()))?;
        let shift = shift.numer().magnitude().clone();
        let noise = Arc::new(LaplaceNoise::Reference(Laplace::new(&scale)));
        Ok(Self { scale, sensitivity: sensitivity.clone(), shift, guarantee, sampler: Sampler::Reference, noise })
    }

    /// Noise for a wanted ε: scale ⌊Δ₁⌋/ε.
    ///
    /// # Errors
    ///
    /// If ε is not positive, or the sensitivity is below 1 (the answers of neighbours are the same integer:
    /// there is no noise to derive).
    pub fn with_epsilon(sensitivity: &Sensitivity<L1>, epsilon: &Rational) -> Result<Self, AdditiveError> {
        let epsilon = Positive::new(epsilon.clone()).map_err(|_| AdditiveError::Epsilon)?;
        let shift = Positive::new(sensitivity.get().floor()).map_err(|_| AdditiveError::NoSensitivity)?;
        Self::with_scale(sensitivity, &(shift.get() / epsilon.get()))
    }

    /// The same noise on each of k answers, whose L1 distance the sensitivity bounds.
    ///
    /// # Errors
    ///
    /// If k is 0.
    pub fn vector(self, coordinates: usize) -> Result<LaplaceVector, AdditiveError> {
        if coordinates == 0 {
            return Err(AdditiveError::NoCoordinates);
        }
        Ok(LaplaceVector { each: self, coordinates })
    }

    /// The same, drawn from tables that are built now: the fastest for many samples.
    #[must_use]
    pub fn prepared(self) -> Self {
        let noise = LaplaceNoise::Prepared(PreparedLaplace::new(&self.scale));
        Self { noise: Arc::new(noise), sampler: Sampler::Prepared, ..self }
    }

    /// The same, by work that says nothing about the noise, but with the probability of the mode.
    ///
    /// # Errors
    ///
    /// If the scale is over 2^56.
    pub fn fixed(self, mode: Mode) -> Result<Self, FixedError> {
        let noise = LaplaceNoise::Fixed(FixedLaplace::new(&self.scale, mode)?);
        Ok(Self { sampler: Sampler::Fixed(mode), noise: Arc::new(noise), ..self })
    }

    /// The noise, by its sampler.
    #[must_use]
    pub fn noise(&self) -> &LaplaceNoise {
        &self.noise
    }

    /// The sampler that was asked for.
    #[must_use]
    pub fn drawn_by(&self) -> Sampler {
        self.sampler
    }

    /// The scale s of the noise.
    #[must_use]
    pub fn scale(&self) -> &Positive {
        &self.scale
    }

    /// Δ₁.
    #[must_use]
    pub fn sensitivity(&self) -> &Sensitivity<L1> {
        &self.sensitivity
    }

    /// ⌊Δ₁⌋, the largest distance of integers that Δ₁ allows.
    #[must_use]
    pub fn shift(&self) -> &BigUint {
        &self.shift
    }
}

impl Private for LaplaceMechanism {
    type Input = Integer;
    type Release = Noisy<Arc<LaplaceNoise>>;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Self::Release, Infallible> {
        Ok(Noisy::new(input.clone(), Arc::clone(&self.noise)))
    }

    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        let noise = Arc::new(LaplaceNoise::new(&self.scale, sampler)?);
        Ok(Self { sampler, noise, ..self })
    }

    fn sampler(&self) -> &'static str {
        self.noise.sampler()
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by the answers 0 and ⌊Δ₁⌋.
    fn domination(&self) -> Domination {
        let pair = Pair::Laplace { scale: self.scale.clone(), shift: self.shift.clone() };
        Domination::by(pair).attained(Attained::ByAnswers).for_neighbours(self.guarantee.relation())
    }
}

/// k integer answers, each plus discrete Laplace noise of its own: pure ε = ⌊Δ₁⌋/s, for the L1 sensitivity of
/// the vector.
///
/// # One coordinate is the worst
///
/// The pair of one coordinate moved by ⌊Δ₁⌋ dominates every difference vector d with Σ|dᵢ| ≤ Δ₁, at every ε,
/// so that the account of a vector is that of a scalar. *Proof.* It is enough that moving two coordinates by
/// a ≤ b is dominated by moving one by a + b, since a profile that dominates still does beside further
/// independent coordinates. Let q = e^(−1/s) and λ = 1/s. Under a shift of b the loss is λ(b − 2y) with y =
/// 0, …, b, of mass 1/(1 + q) at y = 0, q^y·(1 − q)/(1 + q) between, and q^b/(1 + q) at y = b; summing up, at
/// the losses themselves,
///
/// > δ_b(λ(b − 2j)) = 1 − q^j for j = 0, …, b,
///
/// and between them δ is linear in e^ε. The losses of (a, b) are on the lattice of a + b: it is enough to
/// compare there. At ε = λ(a + b − 2k) ≥ 0, where k ≤ b, conditioning on the first coordinate gives 1 −
/// δ_(a,b)(ε) = Σ_y m_y·min(1, q^(k−y)), m_y being the masses of a. If k < a this is q^k/(1 + q) + k·q^k·(1 −
/// q)/(1 + q) + q^(k+1)/(1 + q) ≥ q^k; if k ≥ a, at least q^k/(1 + q) for y = 0 and as much again for y = a,
/// 2q^k/(1 + q) ≥ q^k. So δ_(a,b)(ε) ≤ 1 − q^k = δ_(a+b)(ε). Both pairs are symmetric, which gives ε < 0. ∎
///
/// ```
/// use certus::{
///     bits::seeded,
///     exact::{Integer, Rational},
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::LaplaceMechanism},
/// };
///
/// let histogram = Sensitivity::<L1>::of_histogram(Relation::ChangeOne);
/// let mechanism = LaplaceMechanism::with_scale(&histogram, &Rational::from_integer(4.into()))?.vector(3)?;
/// let counts = [12, 0, 7].map(Integer::from);
/// let released = mechanism.release(&counts, &mut seeded([7; 32]))?;
/// assert_eq!(released.get().len(), 3);
/// assert_eq!(released.guarantee().to_string(), "pure, epsilon = 1/2; neighbours: change one");
/// assert!(mechanism.release(&counts[..2], &mut seeded([7; 32])).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::LaplaceVectorParameters",
        into = "super::parameters::LaplaceVectorParameters"
    )
)]
pub struct LaplaceVector {
    each: LaplaceMechanism,
    /// Invariant: at least 1.
    coordinates: usize,
}

impl LaplaceVector {
    /// The mechanism of one coordinate.
    #[must_use]
    pub fn each(&self) -> &LaplaceMechanism {
        &self.each
    }

    /// k.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }
}

impl Private for LaplaceVector {
    type Input = [Integer];
    type Release = NoisyVector<Arc<LaplaceNoise>>;
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
        self.each.guarantee()
    }

    /// Attained by answers of which the first is ⌊Δ₁⌋ apart and the others are equal: what is equal has no
    /// loss.
    fn domination(&self) -> Domination {
        self.each.domination()
    }
}
