//! Copies of one Gaussian pair so wide that sums over the integers are integrals.
//!
//! **The law of the sum.** With S = Σ y of k copies and s = kμ, Σ y² = Σ (y − μ)² + s²/k, so that P(S = s) =
//! e^(−s²/2kσ²)·A(μ)/Z^k with A(μ) = ∫_{−1/2}^{1/2} ψ(r)^k dr, ψ(r) = Σ_y e^(−(y−μ)²/2σ²)·e^(2πi·r(y−μ)) =
//! σ√(2π)·Σ_m e^(−2π²σ²(r−m)²)·e^(−2πi·μm) (Poisson summation). For |r| ≤ 1/2 all terms but m = 0 are
//! together at most η = 3·e^(−π²σ²/2), so that A is (σ√(2π))^k·(1/(τ√(2π)) ± (k·η·(1+η)^k + e^(−π²kσ²/2))),
//! τ = σ√k. For σ ≥ 2^10 and k < 2^64 that, and Z = σ√(2π)·(1 + 3·e^(−2π²σ²)) at most, make P(S = s) the
//! density of N(0, τ²) at s within a factor of 1 ± 2^-2000.
//!
//! **The sum.** With L = kΔ²/2σ² + S·Δ/σ² (S and −S are distributed alike), δ = Σ_s g(s), g(x) =
//! density(x)·(1 − e^(ε−L(x)))₊, which is log-concave, hence rises and then falls: a sum over the integers is
//! within max g of the integral. In v = x/τ, μ = Δ√k/σ and z = ε/μ − μ/2 that is g = φ(v)·(1 −
//! e^(−μ(v−z)))/τ, whose integral is the profile of the continuous Gaussian mechanism (Balle and Wang 2018,
//! Theorem 8),
//!
//! ```text
//! δ_c = Φ̄(z) − e^ε·Φ̄(z + μ) = φ(z)·(R(z) − R(z + μ)),   R = Φ̄/φ,
//! ```
//!
//! and max g ≤ μ·φ(z)/τ for z ≥ 0 (u·e^(−zu−u²/2) ≤ 1), and at most min(1, μ(1 + |z|))/(2τ) for z < 0 (φ(v)(v
//! − z) ≤ φ(0)·(1 + |z|)).
//!
//! **Small μ.** R is completely monotone, R′(x) = x·R(x) − 1, so that with x = ε/μ the mean of −R′ over [x −
//! μ/2, x + μ/2] is between D(x) and D(x − μ/2) for D(x) = 1 − x·R(x): no digit is lost to cancellation,
//! whatever σ.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    super::{Answer, Method, Precision, answer::is_narrow, profile::Epsilon},
    tilt::{log_two, power_of_two},
};
use crate::exact::{Enclosure, Positive, Rational, Scaled, Working, normal_tail};

/// σ² from which on the law of the sum holds.
const LEAST_VARIANCE: u32 = 1 << 20;

/// The largest |z|: beyond, δ or 1 − δ is below 2^-180000, which nobody asks for, and as many digits take
/// hundreds of megabytes at |z| = 2^15.
const FARTHEST: u32 = 1 << 9;

/// Whether the sum over the integers can be told from the integral to as many digits as are wanted; where
/// not, it is not worth a start.
///
/// An answer is as wide as the bound on max g, which is at least δ_c/2τ: for z ≥ 0 it is μ·φ(z)/τ, and δ_c =
/// φ(z)·(R(z) − R(z + μ)) ≤ μ·φ(z) as −R′ = D ≤ 1; for z < 0 it is at least min(1, μ)/2τ, and δ_c(ε) ≤
/// δ_c(0) = 2Φ(μ/2) − 1 ≤ min(1, μ). So 2τ < 10^digits is never narrow.
pub(super) fn can_be_narrow(variance: &Positive, copies: u64, precision: &Precision) -> bool {
    let square = variance.get() * Rational::from_integer(BigInt::from(copies) * 4);
    square >= Rational::from_integer(BigInt::from(100).pow(precision.digits))
}

/// δ(ε) of k copies; `None` if they are not wide, or ε is too far out.
pub(super) fn delta(
    variance: &Positive,
    shift: &BigUint,
    copies: u64,
    epsilon: &Epsilon<'_>,
    precision: &Precision,
) -> Option<Answer> {
    if *variance.numerator() < variance.denominator() * LEAST_VARIANCE {
        return None;
    }
    let whole = variance.get() * Rational::from_integer(copies.into());
    let shift = Rational::from_integer(shift.clone().into());
    // μ² = kΔ²/σ².
    let square = &shift * &shift * Rational::from_integer(copies.into()) / variance.get();
    let bits = precision.bits().checked_add(48)?;
    let (least, most) = roots(&square, bits)?;
    let (tau, _) = roots(&whole, 64)?;
    let extra = u32::try_from(log_two(&square).unsigned_abs()).ok()?;
    let epsilon = epsilon(bits.checked_add(extra)?.checked_add(64)?)?;
    // δ_c falls in ε and rises in μ.
    let lower = continuous(&epsilon.upper(), &least, false, bits)?;
    let upper = continuous(&epsilon.lower().max(Rational::zero()), &most, true, bits)?;
    let working = Working::new(bits);
    let z = epsilon.lower() / &most - &most / BigInt::from(2);
    let height = if z.is_negative() {
        let slope = &most * (Rational::one() - &z);
        Scaled::from_rational(&(slope.min(Rational::one()) / BigInt::from(2)), bits)
    } else {
        density(&cut(&z, bits, false), &working)?.mul(&Scaled::from_rational(&most, bits))
    };
    let error = height.div(&Scaled::from_rational(&tau, bits))?.exact()?.upper();
    let unit = power_of_two(-2000);
    let lower = (lower.exact()?.lower() * (Rational::one() - &unit) - &error).max(Rational::zero());
    let upper = (upper.exact()?.upper() * (Rational::one() + unit) + error).min(Rational::one());
    let digits = (-log_two(&upper)).max(0).to_u32()?.checked_add(bits)?;
    let enclosure = Enclosure::from_bounds(&lower, &upper, digits)?;
    let is_narrow = is_narrow(&enclosure, precision);
    Some(Answer { enclosure, method: Method::ContinuousGaussian, is_narrow })
}

/// Dyadic numbers below and above √x, x > 0, of relative distance 2^-bits at most.
fn roots(x: &Rational, bits: u32) -> Option<(Rational, Rational)> {
    let half = (i64::from(bits) + 2 - log_two(x).div_euclid(2)).max(0);
    let scaled: BigInt = (x * power_of_two(2 * half)).floor().to_integer();
    let root = scaled.sqrt();
    let unit = power_of_two(-half);
    root.is_positive().then(|| (&unit * &root, unit * (root + 1)))
}

/// x to so many digits after the point, downward or upward.
fn cut(x: &Rational, bits: u32, up: bool) -> Rational {
    let unit = power_of_two(-i64::from(bits));
    let scaled = x / &unit;
    if up { scaled.ceil() * unit } else { scaled.floor() * unit }
}

/// φ(x).
fn density(x: &Rational, working: &Working) -> Option<Scaled> {
    let exponent = Enclosure::from_rational(&(-(x * x) / BigInt::from(2)), working.bits().saturating_add(64));
    working.exp(&exponent)?.div(&root_of_two_pi(working)?)
}

fn root_of_two_pi(working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    let two_pi = working.pi().mul(&Enclosure::from_integer(2, 0));
    let (least, _) = roots(&two_pi.lower(), bits)?;
    let (_, most) = roots(&two_pi.upper(), bits)?;
    Some(Scaled::from_enclosure(&Enclosure::from_bounds(&least, &most, bits.saturating_add(16))?, bits))
}

/// R(x) = Φ̄(x)/φ(x), for x of some digits.
fn mills(x: &Rational, working: &Working) -> Option<Enclosure> {
    let tail = Scaled::from_enclosure(&normal_tail(x, working.bits())?, working.bits());
    tail.div(&density(x, working)?)?.fixed(working.bits())
}

/// A bound on δ_c at ε and μ, on the side that is asked for; the other side is of no account.
fn continuous(epsilon: &Rational, mu: &Rational, up: bool, bits: u32) -> Option<Scaled> {
    let ratio = epsilon / mu;
    let half = mu / BigInt::from(2);
    if (&ratio - &half).abs() > Rational::from_integer(FARTHEST.into()) {
        return None;
    }
    let small = -log_two(mu);
    if small > i64::from(bits) + 34 {
        // |z| ≤ 2^9 costs D(x) ≥ 1/(2 + x²) twenty digits at most.
        let working = Working::new(bits + 48);
        let digits = bits + 32;
        let unit = power_of_two(-i64::from(digits));
        // μ/2 is less than this unit.
        let x = cut(&ratio, digits, !up);
        let x = if up { x - &unit } else { x + &unit };
        let mean = Enclosure::from_integer(1, working.bits()).sub(&mills(&x, &working)?.mul_rational(&x)).max_zero();
        let height = density(&x.max(Rational::zero()), &working)?;
        let mean = Scaled::from_enclosure(&mean, working.bits());
        return Some(Scaled::from_rational(mu, working.bits()).mul(&height).mul(&mean));
    }
    // So many digits cancel, and some are lost to z² and to D.
    let digits = bits + u32::try_from(small.max(0)).ok()? + 64;
    let working = Working::new(digits);
    let z = cut(&(&ratio - &half), digits, !up);
    if z.is_negative() {
        let power = working.exp(&Enclosure::from_rational(&(&(&z + &half) * mu), digits.saturating_add(64)))?;
        let (near, far) = (normal_tail(&z, digits)?, normal_tail(&(&z + mu), digits)?);
        let far = power.mul(&Scaled::from_enclosure(&far, digits)).fixed(digits)?;
        return Some(Scaled::from_enclosure(&near.sub(&far), digits));
    }
    let difference = mills(&z, &working)?.sub(&mills(&(&z + mu), &working)?);
    Some(density(&z, &working)?.mul(&Scaled::from_enclosure(&difference, digits)))
}
