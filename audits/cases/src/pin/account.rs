//! What training costs: the account of many coordinates by that of one.
//!
//! A step adds discrete Gaussian noise of variance σ² to each of d integers that a sentence changes by a vector v with ‖v‖ ≤ R. certus'
//! [`DpSgd`] accounts for **one** coordinate that changes by R. Continuous noise could be turned so that v lies along one axis; a grid cannot. But it nearly can:
//!
//! 1. Draw y from the continuous N(0, σ² − τ²) in each coordinate, and then an integer x with weight e^(−(x−y)²/2τ²). Then P(x) is that of the discrete Gaussian of
//!    variance σ², but for a factor ρ(y) = Σ_k e^(−(k−y)²/2τ²) that depends on y, and by Poisson summation ρ(y)/(τ√2π) = 1 + 2 Σ_{j≥1} e^(−2π²τ²j²) cos 2πjy, within 1 ± η
//!    with η = 2.1·e^(−2π²τ²). So discrete noise is, within a factor (1 + η)/(1 − η) on every probability, what *post-processing* makes of continuous noise, the
//!    same post-processing wherever the sum is, since integers move with it.
//! 2. Continuous noise turns: the pair of v is the pair of one coordinate that changes by ‖v‖ ≤ R (Zhu, Dong and Wang 2022, Theorem 11, subsampled too).
//! 3. Back: a discrete Gaussian of variance s − τ² plus a continuous one of variance τ² is the continuous one of variance s, within such a factor again
//!    (with τ²(s − τ²)/s for τ², which the 2.1 above pays for where s ≥ 100·τ⁴).
//!
//! Hence d coordinates at σ² are dominated by one at σ² − 2τ², within a factor e^κ on every probability, κ ≤ 5·(d + 1)·steps·η. With τ = 4, η < 10^-136: κ < 10^-120 for
//! any training here. Sampling mixes pairs with the same weights, which keeps the factor. In the other direction a sentence whose gradient lies along one axis has exactly the
//! pair of one coordinate at σ². So nearly nothing is given away.

use std::num::NonZeroU64;

use certus::{
    account::{DpSgd, Precision},
    exact::{Positive, Probability, Rational},
};

use super::private::RESOLUTION;
use crate::{CaseError, exact::float};

/// τ², in grid units.
const SMOOTHING: u32 = 16;

/// An ε such that `steps` steps are (ε, δ)-private for δ = `at`, whatever the gradients: the account of one coordinate with a little less noise, rounded up.
///
/// No ε below the account of one coordinate at z itself would do, and that is less by some 10^-5 of it at the most: the two z differ by 10^-6.
pub fn spent(multiplier: &Positive, rate: &Probability, steps: u64, at: &Probability) -> Result<f64, CaseError> {
    let account = DpSgd {
        noise_multiplier: smoothed(multiplier)?,
        rate: rate.clone(),
        steps: NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN),
        resolution: NonZeroU64::new(RESOLUTION.into()).unwrap_or(NonZeroU64::MIN),
    };
    let answer = account.epsilon(at, &Precision { digits: 3 })?;
    // A float near the upper end and not below it; that also pays for κ.
    Ok(float(&answer.enclosure.upper()).next_up())
}

/// A noise multiplier z' a little below z: (z'R)² + 2τ² ≤ (zR)².
fn smoothed(multiplier: &Positive) -> Result<Positive, CaseError> {
    let grid = |z: &Rational| z * z * Rational::from_integer(u64::from(RESOLUTION).pow(2).into());
    let less = multiplier.get() - Rational::new(1.into(), 1_000_000.into());
    if less <= Rational::default()
        || grid(&less) + Rational::from_integer((2 * SMOOTHING).into()) > grid(multiplier.get())
    {
        return Err(CaseError::Refused("a noise multiplier must be at least 0.01".into()));
    }
    Ok(Positive::new(less)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(x) of a discrete Gaussian, and δ(ε) of a subsampled shift by each of `shifts` in a coordinate of its own.
    fn delta(variance: f64, shifts: &[i32], rate: f64, epsilon: f64) -> f64 {
        let range = 60;
        let weight = |x: i32| (-f64::from(x * x) / 2.0 / variance).exp();
        let total: f64 = (-2 * range..=2 * range).map(weight).sum();
        // The list of (P, Q) over all outputs, coordinate by coordinate.
        let mut pairs = vec![(1.0, 1.0)];
        for &shift in shifts {
            let one: Vec<(f64, f64)> =
                (-range..=range).map(|x| (weight(x - shift) / total, weight(x) / total)).collect();
            pairs = pairs.iter().flat_map(|(p, q)| one.iter().map(move |(a, b)| (p * a, q * b))).collect();
        }
        pairs.iter().map(|(p, q)| ((1.0 - rate) * q + rate * p - epsilon.exp() * q).max(0.0)).sum()
    }

    /// Two coordinates that change by (3, 4) against one that changes by 5, by sums over all outputs: dominated at σ² − 2τ², and *not* at σ² itself.
    #[test]
    fn many_coordinates_are_dominated_by_one_with_a_little_less_noise() {
        let (variance, tau_squared) = (9.0, 0.6);
        let eta = |tau_squared: f64| 2.1 * (-2.0 * std::f64::consts::PI.powi(2) * tau_squared).exp();
        // On the way back the weights have variance τ²(s − τ²)/s, which is τ² where s is large, and is not here.
        let kappa = 5.0 * (2.0 * eta(tau_squared) + eta(tau_squared * (1.0 - tau_squared / (variance - tau_squared))));
        let mut is_above = false;
        for rate in [1.0, 0.2] {
            for step in 0..60 {
                let epsilon = f64::from(step) * 0.08;
                let two = delta(variance, &[3, 4], rate, epsilon);
                let one = kappa.exp() * delta(variance - 2.0 * tau_squared, &[5], rate, epsilon - kappa);
                assert!(two <= one, "{rate} {epsilon}: {two} > {one}");
                is_above |= two > delta(variance, &[5], rate, epsilon) * (1.0 + 1e-6);
            }
        }
        assert!(is_above, "without a little less noise it would not be so");
    }

    #[test]
    fn the_smoothing_is_paid_for() {
        for (n, d) in [(3, 10), (1, 100), (4, 1)] {
            assert!(smoothed(&Positive::new(Rational::new(n.into(), d.into())).unwrap()).is_ok());
        }
        assert!(smoothed(&Positive::new(Rational::new(1.into(), 1_000_000.into())).unwrap()).is_err());
    }
}
