//! Truncated noise: conditioned on [−b, b], so that it is never larger, at the price of an exact δ.

use alloc::vec::Vec;
use core::convert::Infallible;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

use super::{AdditiveError, Noisy, Within};
use crate::{
    exact::{Enclosure, Integer, NonNegative, Positive, Probability, Rational, Real, exp_neg},
    guarantee::{Attained, Domination, FinitePair, Guarantee, L1, L2Squared, Pair, Sensitivity, Weight},
    mechanism::Private,
    sample::{Gaussian, Laplace},
};

/// The largest bound b for which every output is listed.
const WIDEST: u32 = 4096;

/// An integer answer plus discrete Laplace noise conditioned on [−b, b]: (ε, δ) with ε = d/s, d = ⌊Δ⌋, and,
/// with q = e^(−1/s),
///
/// > δ = (q^(b−d+1) − q^(b+1))/(1 + q − 2q^(b+1)) if d ≤ b + 1, and 1 − (q^(d−b) − q^(b+1))/(1 + q − 2q^(b+1)) beyond.
///
/// *Proof.* Where both have mass, P(y)/Q(y) = q^(|y| − |y−d|) ≤ e^ε: the normalisers are equal. P alone has
/// mass on [−b, d − b − 1], and there P − e^ε·Q = P; so δ(ε) is exactly P([−b, d − b − 1]), a sum of a
/// geometric progression. (The truncated Laplace mechanism of Geng, Ding, Guo and Kumar 2020, on the
/// integers.) ∎ Smaller shifts are dominated ([the largest shift is the worst](super)).
///
/// The noise has no tail at all: |output − answer| ≤ b, always.
///
/// ```
/// use certus::{
///     exact::Rational,
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::{Private, additive::TruncatedLaplace},
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove);
/// let mechanism = TruncatedLaplace::new(&count, &Rational::from_integer(1.into()), 13u32.into())?;
/// // q^13·(1 − q)/(1 + q − 2q^14) at q = 1/e.
/// assert!(mechanism.guarantee().to_string().starts_with("approximate, epsilon = 1, delta = [0.00000104453826"));
/// # Ok::<(), certus::mechanism::additive::AdditiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::TruncatedLaplaceParameters",
        into = "super::parameters::TruncatedLaplaceParameters"
    )
)]
pub struct TruncatedLaplace {
    scale: Positive,
    bound: BigUint,
    shift: BigUint,
    delta: Real,
    guarantee: Guarantee,
}

impl TruncatedLaplace {
    /// Noise of a scale, conditioned on magnitudes of at most `bound`.
    ///
    /// # Errors
    ///
    /// If the scale is not positive or over 2^16·(2·bound + 1), where hardly any noise is within the bound,
    /// or 2·bound < ⌊Δ⌋: then neighbours' outputs never meet.
    pub fn new(sensitivity: &Sensitivity<L1>, scale: &Rational, bound: BigUint) -> Result<Self, AdditiveError> {
        let scale = Positive::new(scale.clone()).map_err(|_| AdditiveError::Scale)?;
        let shift = sensitivity.get().floor().numer().magnitude().clone();
        if &bound * 2u32 < shift {
            return Err(AdditiveError::Disjoint);
        }
        if *scale.get() > values_within(&bound) {
            return Err(AdditiveError::HardlyWithin);
        }
        let delta = laplace_delta(&scale, &bound, &shift);
        let epsilon = Real::from(sensitivity.get().floor() / scale.get());
        let guarantee = Guarantee::approximate(sensitivity.relation(), epsilon, delta.clone())?;
        Ok(Self { scale, bound, shift, delta, guarantee })
    }

    /// The scale s.
    #[must_use]
    pub fn scale(&self) -> &Positive {
        &self.scale
    }

    /// b.
    #[must_use]
    pub fn bound(&self) -> &BigUint {
        &self.bound
    }

    /// ⌊Δ⌋.
    #[must_use]
    pub fn shift(&self) -> &BigUint {
        &self.shift
    }

    /// δ at ε = ⌊Δ⌋/s and above.
    #[must_use]
    pub fn delta(&self) -> &Real {
        &self.delta
    }
}

/// 2^16 times the number of integers within a bound: noise of a larger scale or σ is within it less than once
/// in about 2^17 draws.
fn values_within(bound: &BigUint) -> Rational {
    Rational::from_integer(BigInt::from((bound * 2u32 + 1u32) << 16u32))
}

/// q^k = e^(−k/s).
pub(super) fn power(scale: &Positive, k: &BigUint) -> Real {
    Real::from(-(Rational::from_integer(k.clone().into()) / scale.get())).exp()
}

/// P([−b, d − b − 1]), for d ≤ 2b.
fn laplace_delta(scale: &Positive, bound: &BigUint, shift: &BigUint) -> Real {
    if shift.is_zero() {
        return Real::from(0);
    }
    let (one, beyond) = (Real::from(1), power(scale, &(bound + 1u32)));
    let total = &(&one + &power(scale, &BigUint::one())) - &(&Real::from(2) * &beyond);
    if *shift <= bound + 1u32 {
        &(&power(scale, &(bound + 1u32 - shift)) - &beyond) / &total
    } else {
        &one - &(&(&power(scale, &(shift - bound)) - &beyond) / &total)
    }
}

impl Private for TruncatedLaplace {
    type Input = Integer;
    type Release = Noisy<Within<Laplace>>;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Self::Release, Infallible> {
        Ok(Noisy::new(input.clone(), Within::new(self.bound.clone(), Laplace::new(&self.scale))))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// The pair itself where b ≤ 4096, attained by the answers 0 and ⌊Δ⌋; beyond, that of every (ε, δ)
    /// mechanism, with δ rounded up by less than 2^-256.
    fn domination(&self) -> Domination {
        let exponent = |k: u64| NonNegative::new(Rational::from_integer(k.into()) / self.scale.get()).ok();
        let listed = self.bound.to_u32().filter(|bound| *bound <= WIDEST);
        if let (Some(bound), Some(shift)) = (listed, self.shift.to_u32())
            && let Some(pair) = truncated_pair(bound, shift, exponent)
        {
            let domination = Domination::by(Pair::Finite(pair)).attained(Attained::ByAnswers);
            return domination.for_neighbours(self.guarantee.relation());
        }
        let epsilon = Rational::from_integer(self.shift.clone().into()) / self.scale.get();
        let pair =
            NonNegative::new(epsilon).ok().zip(self.delta.at_most(256)).and_then(|(e, d)| approximate_pair(&e, &d));
        let domination = Domination::by(Pair::Finite(pair.unwrap_or_else(FinitePair::revealing)));
        domination.for_neighbours(self.guarantee.relation())
    }
}

/// Noise of weights e^−x(|k|) on [−b, b], beside the same moved by `shift`.
fn truncated_pair(bound: u32, shift: u32, exponent: impl Fn(u64) -> Option<NonNegative>) -> Option<FinitePair> {
    let (bound, shift) = (i64::from(bound), i64::from(shift));
    let weight = |k: i64| {
        if k.unsigned_abs() > bound.unsigned_abs() {
            return Some(Weight::rational(NonNegative::zero()));
        }
        Some(Weight { factor: NonNegative::one(), exponent: exponent(k.unsigned_abs())? })
    };
    let outcomes: Option<Vec<_>> = (-bound..=bound + shift).map(|y| weight(y).zip(weight(y - shift))).collect();
    FinitePair::new(outcomes?).ok()
}

/// The pair that dominates every (ε, δ)-private mechanism (Kairouz, Oh and Viswanath 2015, Theorem 2.2): with
/// δ one of two outcomes that tell all, otherwise a randomized response of ratio e^ε. Both sides' weights add
/// up to 1 + e^−ε.
fn approximate_pair(epsilon: &NonNegative, delta: &Rational) -> Option<FinitePair> {
    let delta = Probability::new(delta.clone().min(Rational::one())).ok()?;
    let kept = NonNegative::new(Rational::one() - delta.get()).ok()?;
    let delta = NonNegative::from(delta);
    let (flat, falling) = (NonNegative::zero(), epsilon.clone());
    let weight =
        |factor: &NonNegative, exponent: &NonNegative| Weight { factor: factor.clone(), exponent: exponent.clone() };
    let none = || Weight::rational(NonNegative::zero());
    FinitePair::new(alloc::vec![
        (weight(&delta, &flat), none()),
        (weight(&delta, &falling), none()),
        (weight(&kept, &flat), weight(&kept, &falling)),
        (weight(&kept, &falling), weight(&kept, &flat)),
        (none(), weight(&delta, &flat)),
        (none(), weight(&delta, &falling)),
    ])
    .ok()
}

/// An integer answer plus discrete Gaussian noise conditioned on [−b, b]: (ε, δ) for a chosen ε, with d =
/// ⌊√Δ₂²⌋ and
///
/// > δ = F(t) − e^ε·F(t − d), t = max(d − b − 1, ⌈d/2 − εσ²/d⌉ − 1),
///
/// F being the cumulative distribution of the truncated noise. *Proof.* P(y) > e^ε·Q(y) where Q(y) = 0, that
/// is y < d − b, or (d² − 2dy)/2σ² > ε, that is y < d/2 − εσ²/d: for the y up to t, exactly. ∎ Smaller shifts
/// are dominated ([the largest shift is the worst](super)).
///
/// The guarantee states δ rounded up by less than 2^-128; [`TruncatedGaussian::delta`] encloses it as
/// narrowly as one asks.
///
/// ```
/// use certus::{
///     exact::Rational,
///     guarantee::{L1, Relation, Sensitivity},
///     mechanism::additive::TruncatedGaussian,
/// };
///
/// let count = Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared();
/// let (variance, epsilon) = (Rational::from_integer(9.into()), Rational::from_integer(1.into()));
/// let mechanism = TruncatedGaussian::new(&count, &variance, 20, &epsilon)?;
/// assert!(mechanism.delta(40).is_some_and(|delta| delta.to_string().starts_with("[0.000217783")));
/// # Ok::<(), certus::mechanism::additive::AdditiveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        try_from = "super::parameters::TruncatedGaussianParameters",
        into = "super::parameters::TruncatedGaussianParameters"
    )
)]
pub struct TruncatedGaussian {
    variance: Positive,
    bound: u32,
    shift: u32,
    epsilon: NonNegative,
    guarantee: Guarantee,
}

impl TruncatedGaussian {
    /// Noise of a variance, conditioned on magnitudes of at most `bound`; its δ at ε.
    ///
    /// # Errors
    ///
    /// If σ² is not positive, σ is over 2^16·(2·bound + 1), where hardly any noise is within the bound, ε is
    /// negative, 2·bound < ⌊√Δ₂²⌋ (neighbours' outputs never meet), or bound > 4096.
    pub fn new(
        sensitivity: &Sensitivity<L2Squared>,
        variance: &Rational,
        bound: u32,
        epsilon: &Rational,
    ) -> Result<Self, AdditiveError> {
        let variance = Positive::new(variance.clone()).map_err(|_| AdditiveError::Variance)?;
        let epsilon = NonNegative::new(epsilon.clone()).map_err(|_| AdditiveError::Epsilon)?;
        if bound > WIDEST {
            return Err(AdditiveError::TooWide(WIDEST));
        }
        let most = values_within(&bound.into());
        if *variance.get() > &most * &most {
            return Err(AdditiveError::HardlyWithin);
        }
        let shift = sensitivity.get().floor().numer().magnitude().sqrt();
        let shift = shift.to_u32().filter(|shift| *shift <= 2 * bound).ok_or(AdditiveError::Disjoint)?;
        let delta = gaussian_delta(&variance, bound, shift, &epsilon, 128);
        let delta = delta.ok_or(AdditiveError::TooWide(WIDEST))?.upper();
        let guarantee = Guarantee::approximate(sensitivity.relation(), Real::from(epsilon.clone()), Real::from(delta))?;
        Ok(Self { variance, bound, shift, epsilon, guarantee })
    }

    /// σ² of the noise before it is truncated.
    #[must_use]
    pub fn variance(&self) -> &Positive {
        &self.variance
    }

    /// b.
    #[must_use]
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// ⌊√Δ₂²⌋.
    #[must_use]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// ε.
    #[must_use]
    pub fn epsilon(&self) -> &NonNegative {
        &self.epsilon
    }

    /// δ(ε), to a width of about 2^-bits.
    #[must_use]
    pub fn delta(&self, bits: u32) -> Option<Enclosure> {
        gaussian_delta(&self.variance, self.bound, self.shift, &self.epsilon, bits)
    }
}

/// k²/2σ².
pub(super) fn gaussian_exponent(variance: &Positive, k: u64) -> Option<NonNegative> {
    let square = Rational::from_integer(BigInt::from(k).pow(2));
    NonNegative::new(square / (variance.get() * Rational::from_integer(2.into()))).ok()
}

/// F(t) − e^ε·F(t − d).
fn gaussian_delta(variance: &Positive, bound: u32, shift: u32, epsilon: &NonNegative, bits: u32) -> Option<Enclosure> {
    if shift == 0 {
        return Some(Enclosure::from_integer(0, bits));
    }
    let (bound, d) = (i64::from(bound), i64::from(shift));
    let whole = |n: i64| Rational::from_integer(n.into());
    let crossing = whole(d) / whole(2) - epsilon.get() * variance.get() / whole(d);
    let crossed: BigInt = crossing.ceil().to_integer() - 1;
    let t = crossed.max((d - bound - 1).into()).min(bound.into()).to_i64()?;
    // Each of at most 2^13 terms has a unit's error; e^ε widens the second sum.
    let working = bits.checked_add(20)?;
    let falling = exp_neg(epsilon, working).at_precision(working);
    let weight = |k: i64| Some(exp_neg(&gaussian_exponent(variance, k.unsigned_abs())?, working).at_precision(working));
    let up_to = |last: i64| (-bound..=last.min(bound)).map(weight).sum::<Option<Enclosure>>();
    // (e^−ε·F(t) − F(t − d))/e^−ε.
    let difference = up_to(t)?.mul(&falling).sub(&up_to(t - d)?).max_zero();
    difference.div(&falling.mul(&up_to(bound)?))
}

impl Private for TruncatedGaussian {
    type Input = Integer;
    type Release = Noisy<Within<Gaussian>>;
    type Error = Infallible;

    fn on(&self, input: &Integer) -> Result<Self::Release, Infallible> {
        let noise = Within::new(self.bound.into(), Gaussian::with_variance(&self.variance));
        Ok(Noisy::new(input.clone(), noise))
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    /// Attained by the answers 0 and ⌊√Δ₂²⌋.
    fn domination(&self) -> Domination {
        let domination = match truncated_pair(self.bound, self.shift, |k| gaussian_exponent(&self.variance, k)) {
            Some(pair) => Domination::by(Pair::Finite(pair)).attained(Attained::ByAnswers),
            None => Domination::by(Pair::Finite(FinitePair::revealing())),
        };
        domination.for_neighbours(self.guarantee.relation())
    }
}
