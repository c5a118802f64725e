//! What is known of δ(ε) as the scale grows, and which scales it excludes without asking the account about
//! each.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive};

use crate::{
    exact::{Enclosure, NonNegative, Positive, Rational, Real},
    guarantee::{L1, Relation, Sensitivity},
    mechanism::{Accuracy, additive::GaussianMechanism},
};

/// What is known beforehand of δ(ε) as the scale grows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trend {
    /// It falls, and this is proven. So it is for discrete Laplace noise: with q < q′, noise of q′ is noise
    /// of q plus independent noise (0 with probability c·q/q′, c = (1 − q′)²/(1 − q)², and noise of q′
    /// otherwise), by the characteristic functions (1 − q)²/(1 − 2q·cos t + q²); more noise is
    /// post-processing.
    Falls,
    /// The scale is the σ of discrete Gaussian noise on one integer answer. Its δ is *not* monotone (at ε =
    /// 3, σ = 0.42 gives 0.052 and σ = 0.50 gives 0.101), yet two facts exclude many σ at once.
    ///
    /// *Sums.* If X and Y are independent of variances s and t and Z has variance s + t, then P(X + Y = k) =
    /// P(Z = k)·f(k)/E f(Z) with f(k) = Σ_x e^(−(x − ks/(s+t))²/2v), v = st/(s + t), and Poisson summation
    /// gives f(k) = √(2πv)·(1 ± η), η = 2·Σ_{n ≥ 1} e^(−2π²vn²) (Canonne, Kamath and Steinke 2020, Section
    /// 5.1). So the masses of X + Y and Z agree within a factor r = (1 + η)/(1 − η); adding Y is
    /// post-processing; hence δ at s is at least δ(ε + 2·ln r)/r at s + t. For v ≥ 1, η < 6·10^-9: what fails
    /// with that to spare at s + t fails at every such s.
    ///
    /// *Tails.* P(Z ≥ n) grows with σ for n ≥ 1 and falls for n ≤ 0, since |Z| has a monotone likelihood
    /// ratio in σ. So over all σ of an interval δ(ε) ≥ P(Z ≥ m − Δ) − e^ε·P(Z ≥ m) for whatever m ≥ 1, each
    /// tail at its worse end.
    Gaussian {
        /// Δ: the distance between neighbours' true answers.
        sensitivity: BigUint,
    },
    /// Nothing: every scale of the grid is looked at.
    Unknown,
}

/// η for v ≥ 1: 2·Σ q^(n²) < 2q/(1 − q) with q = e^(−2π²) < 2.7·10^-9.
const ETA: (i64, i64) = (6, 1_000_000_000);

/// More terms than this are not summed for a tail.
const MOST_TERMS: u32 = 300;

/// What is asked of every scale.
pub(super) struct Wanted<'a> {
    pub(super) epsilon: &'a NonNegative,
    pub(super) delta: &'a Rational,
    pub(super) sensitivity: &'a BigUint,
}

/// ε + 2·ln r, not below, and r, not below: what a failure must have to spare to be that of all smaller σ of
/// the *sums*.
pub(super) fn to_spare(epsilon: &NonNegative) -> Option<(NonNegative, Rational)> {
    let eta = Rational::new(ETA.0.into(), ETA.1.into());
    let one = Rational::one();
    let factor = (&one + &eta) / (&one - &eta);
    // ln r ≤ r − 1.
    let spare = (&factor - &one) * Rational::from_integer(2.into());
    Some((NonNegative::new(epsilon.get() + spare).ok()?, factor))
}

/// Whether a failure of σ = `pivot`·`step` extends to n·`step` by *sums*: v = n²·(pivot² − n²)·step²/pivot²
/// ≥ 1.
pub(super) fn extends(n: u64, pivot: u64, step: &Positive) -> bool {
    let [n, pivot] = [n, pivot].map(|count| BigInt::from(count).pow(2));
    if n >= pivot {
        return false;
    }
    let product = Rational::from_integer(&n * (&pivot - &n)) * step.square().get();
    product >= Rational::from_integer(pivot)
}

impl Wanted<'_> {
    /// Whether *tails* certify that no σ from `smallest` to `largest` has δ(ε) ≤ δ. That it is not certified
    /// says nothing.
    pub(super) fn none_between(&self, smallest: &Positive, largest: &Positive) -> bool {
        let certify = || -> Option<bool> {
            let bits = self.bits()?;
            if !self.is_within_reach(largest) {
                return None;
            }
            let [low, high] = [Tail::new(smallest)?, Tail::new(largest)?];
            let [low_tails, high_tails] = [low.0.tails(bits)?, high.0.tails(bits)?];
            let half = Rational::new(1.into(), 2.into());
            // P(Z ≥ n) for n ≥ 1.
            let upper_tail = |tails: &crate::mechanism::Tails<'_>, n: &BigUint| Some(tails(n)?.mul_rational(&half));
            let power = Real::from(self.epsilon.get().clone()).exp().enclose(bits)?;
            for sigma in [smallest, largest] {
                let m = self.threshold(sigma)?;
                let likely = if m > *self.sensitivity {
                    upper_tail(&low_tails, &(&m - self.sensitivity))?
                } else {
                    let rest = upper_tail(&high_tails, &(self.sensitivity - &m + 1u32))?;
                    Enclosure::from_integer(1, bits).sub(&rest)
                };
                let delta = likely.sub(&power.mul(&upper_tail(&high_tails, &m)?));
                if delta.lower() > *self.delta {
                    return Some(true);
                }
            }
            Some(false)
        };
        certify().unwrap_or(false)
    }

    /// Whether the tails at σ are sums of so few terms that they are asked.
    pub(super) fn is_within_reach(&self, sigma: &Positive) -> bool {
        let terms = |bits: u32| sigma.square().get() * Rational::from_integer(bits.into()) * BigInt::from(2);
        self.bits().is_some_and(|bits| terms(bits) <= Rational::from_integer(BigInt::from(MOST_TERMS).pow(2)))
    }

    /// The first output of the best event at σ: the least integer above σ²ε/Δ + Δ/2.
    fn threshold(&self, sigma: &Positive) -> Option<BigUint> {
        let distance = Rational::from_integer(self.sensitivity.clone().into());
        let edge = sigma.square().get() * self.epsilon.get() / &distance + &distance / Rational::from_integer(2.into());
        (edge.floor().to_integer() + BigInt::one()).to_biguint()
    }

    /// Enough to tell δ and e^ε times as much.
    fn bits(&self) -> Option<u32> {
        let smallness = self.delta.denom().bits().saturating_sub(self.delta.numer().bits());
        let growth = self.epsilon.get().ceil().to_integer().to_u64()?.checked_mul(2)?;
        let bits = smallness.checked_add(growth)?.checked_add(64)?;
        u32::try_from(bits).ok().filter(|&bits| bits <= 4096 && self.delta.is_positive())
    }
}

/// The noise alone: its tails do not depend on the sensitivity.
struct Tail(GaussianMechanism);

impl Tail {
    fn new(sigma: &Positive) -> Option<Self> {
        let count = Sensitivity::<L1>::of_count(Relation::AddRemove).to_l2_squared();
        GaussianMechanism::with_sigma(&count, sigma.get()).ok().map(Self)
    }
}
