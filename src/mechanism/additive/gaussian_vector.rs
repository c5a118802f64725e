//! The Gaussian mechanism on vectors of integers.

use alloc::{sync::Arc, vec::Vec};

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{AdditiveError, Difference, GaussianMechanism, LengthError, NoisyVector, differences, gaussian::rho};
use crate::{
    account::{self, AccountError, Plan, Precision},
    exact::{Integer, Probability, Rational, Real},
    guarantee::{Domination, GaussianVectors, Guarantee},
    mechanism::{Private, SamplerError},
    sample::{GaussianNoise, Sampler},
};

/// k integer answers, each plus discrete Gaussian noise of its own: ρ-zCDP with ρ = ⌊Δ₂²⌋/2σ², for the L2
/// sensitivity of the vector (Canonne, Kamath and Steinke 2020, Theorem 14: coordinates compose, Σdᵢ²/2σ²).
///
/// # No single pair
///
/// Continuous noise looks the same in every direction; discrete noise does not, and the profile of
/// (1, 1, 1, 1) is not that of (2), though both have ‖d‖₂ = 2. [`Private::domination`] is exact where each maximal
/// difference moves one coordinate (k = 1, or Δ₂² < 2), and for a histogram. Otherwise it has two ends
/// ([`GaussianVectors`]): the line that dominates every difference within the norm, and a difference that is
/// attained. Beside them is a pair that dominates as well, less narrowly: its profile passes through the zCDP
/// conversion (Canonne, Kamath and Steinke 2020, Proposition 12) of δ = 2^-1, …, 2^-40, and on to 2^-200.
/// [`GaussianVector::is_exact`] says which.
///
/// For one release the exact profile is the largest over all maximal integer differences, up to signs and
/// order: [`GaussianVector::differences`] lists them, up to [`MOST_DIFFERENCES`](super::MOST_DIFFERENCES),
/// each as the list of pairs that an account composes.
///
/// # Histograms
///
/// Where one person changes at most m counts, each by at most r, the worst is r in each of m
/// ([`GaussianMechanism::histogram`]): a coordinate's noise is log-concave, so that its profile rises with
/// its shift, and so does that of the product. Its account is that of m scalars of sensitivity r, exactly.
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
    /// Of a histogram, the most counts that one person changes. Invariant: from 1 to `coordinates`.
    bins: Option<usize>,
    /// Whether neighbours differ by no more in all than one coordinate may: not every vector of that length
    /// is attained.
    is_shared: bool,
    guarantee: Guarantee,
}

impl GaussianVector {
    pub(super) fn new(each: GaussianMechanism, coordinates: usize) -> Result<Self, AdditiveError> {
        if coordinates == 0 {
            return Err(AdditiveError::NoCoordinates);
        }
        let guarantee = if coordinates == 1 {
            each.guarantee()
        } else {
            Guarantee::zcdp(each.sensitivity().relation(), rho(&each.sensitivity().get().floor(), each.variance()))?
        };
        Ok(Self { each, coordinates, bins: None, is_shared: false, guarantee })
    }

    pub(super) fn histogram(each: GaussianMechanism, coordinates: usize, bins: usize) -> Result<Self, AdditiveError> {
        if coordinates == 0 {
            return Err(AdditiveError::NoCoordinates);
        }
        if !(1..=coordinates).contains(&bins) {
            return Err(AdditiveError::Changed);
        }
        let square = each.shift().pow(2) * bins;
        let rho = rho(&Rational::from_integer(BigInt::from(square)), each.variance());
        let guarantee = Guarantee::zcdp(each.sensitivity().relation(), rho)?;
        Ok(Self { each, coordinates, bins: Some(bins), is_shared: false, guarantee })
    }

    pub(super) fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }

    /// Whether neighbours differ by no more in all than one coordinate may.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Of a histogram, the most counts that one person changes.
    #[must_use]
    pub fn bins(&self) -> Option<usize> {
        self.bins
    }

    /// An (ε, δ) guarantee for this δ, by the account: ε is its upper end to six digits.
    ///
    /// ```
    /// use certus::{exact::Rational, guarantee::{L2Squared, Relation, Sensitivity}, mechanism::additive::GaussianMechanism};
    ///
    /// let square = Sensitivity::<L2Squared>::new("10000".parse()?, Relation::AddRemove);
    /// let mechanism = GaussianMechanism::with_sigma(&square, &Rational::from_integer(100.into()))?.vector(1000)?;
    /// let told = mechanism.guarantee_at(&"1e-6".parse()?)?.to_string();
    /// assert!(told.starts_with("approximate, epsilon = 48868"), "{told}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`epsilon`](crate::account::epsilon).
    pub fn guarantee_at(&self, delta: &Probability) -> Result<Guarantee, AccountError> {
        let plan = Plan::of(&self.domination(), 1);
        let found = account::epsilon(&plan, delta, &Precision { digits: 6 })?.enclosure.upper();
        // Six digits after the first, rounded up.
        let scale = Rational::from_integer(BigInt::from(10).pow(6));
        let epsilon = (found * &scale).ceil() / scale;
        Guarantee::approximate(self.guarantee.relation(), Real::from(epsilon), Real::from(delta.get().clone()))
            .map_err(|_| AccountError::OutOfReach)
    }

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

    /// The maximal integer differences within Δ₂, of which the largest profile is the mechanism's; nothing if
    /// there are more than [`MOST_DIFFERENCES`](super::MOST_DIFFERENCES).
    #[must_use]
    pub fn differences(&self) -> Option<Vec<Difference>> {
        let square = self.each.sensitivity().get().floor().to_integer();
        if let Some(bins) = self.bins {
            return Some(Vec::from([Difference::equal(self.each.shift().to_u64()?, u64::try_from(bins).ok()?)]));
        }
        if self.coordinates == 1 || square < 2.into() {
            // One coordinate moves, by as much as it may.
            let shift = self.each.shift().to_u64()?;
            return differences::maximal(shift.checked_mul(shift)?, 1);
        }
        differences::maximal(square.to_u64()?, self.coordinates)
    }

    /// Whether the pair of [`Private::domination`] is the worst of neighbours, rather than a bound of it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_single() || self.bins.is_some()
    }

    /// Whether each maximal difference moves one coordinate.
    fn is_single(&self) -> bool {
        match self.bins {
            Some(bins) => bins == 1,
            None => self.coordinates == 1 || *self.each.sensitivity().get() < Rational::from_integer(2.into()),
        }
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
        Ok(NoisyVector::new(input, Arc::clone(self.each.shared_noise())))
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

    /// Where one coordinate moves, attained by answers of which the first is ⌊√Δ₂²⌋ apart and the others are
    /// equal.
    fn domination(&self) -> Domination {
        if self.is_single() {
            return self.each.domination();
        }
        let variance = self.each.variance().clone();
        let vectors = match self.bins {
            Some(bins) => {
                GaussianVectors::each(variance, self.each.shift().clone(), u64::try_from(bins).unwrap_or(u64::MAX))
            }
            None => {
                let square = self.each.sensitivity().get().floor().numer().magnitude().clone();
                let vectors = GaussianVectors::within(variance, square, self.coordinates.into());
                if self.is_shared { vectors.attained_by_one() } else { vectors }
            }
        };
        vectors.domination().for_neighbours(self.guarantee.relation())
    }
}
