//! Rényi privacy.

use num_bigint::BigInt;
use num_traits::One;

use super::{moments, refined, total, zcdp};
use crate::{
    account::{Plan, Precision},
    exact::{Enclosure, Rational, number},
};

/// Encloses the plan's Rényi divergence of order α > 1, D_α = ln(E_Q[(P/Q)^α])/(α − 1), the larger of the two
/// directions: the plan is (α, D_α)-Rényi private (Mironov 2017), and no smaller number will do. The
/// divergences of independent runs add up.
///
/// `None` where α ≤ 1, where it is infinite, where a part is dominated by several pairs, or is subsampled
/// Gaussian noise and α is not an integer up to 1024.
///
/// ```
/// use certus::{account::{Plan, Precision, renyi}, exact::parse, mechanism::from_spec};
///
/// let mechanism = from_spec(&"gaussian(sigma=10)".parse()?)?;
/// let plan = Plan::of(&mechanism.domination(), 100);
/// // 100·α/(2σ²) = 1 at α = 2.
/// let divergence = renyi(&plan, &parse("2")?, &Precision::default()).expect("a Gaussian has one");
/// assert!(divergence.contains(&parse("1")?), "{divergence}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn renyi(plan: &Plan, alpha: &Rational, precision: &Precision) -> Option<Enclosure> {
    let alpha = number(alpha).filter(|alpha| **alpha > Rational::one())?;
    if plan.has_vectors() {
        return of_vectors(plan, &alpha, precision);
    }
    refined(precision, |bits| total(plan, |pair| moments::renyi(pair, &alpha, bits)))
}

/// Of Gaussian noise on vectors: D_α of the vectors that are attained, and at most D_α of the lines with κ,
/// as ΣP^α·Q^(1−α) ≤ κ^(2α−1)·ΣP′^α·Q′^(1−α); or αρ, where that is less.
fn of_vectors(plan: &Plan, alpha: &Rational, precision: &Precision) -> Option<Enclosure> {
    let one = Rational::one();
    let by_lines = plan.above().and_then(|(lines, ln_kappa, _)| {
        let times = (alpha * BigInt::from(2) - &one) / (alpha - &one);
        Some(renyi(&lines, alpha, precision)?.upper() + ln_kappa * times)
    });
    let by_length = plan.of_their_length().and_then(|plan| zcdp(&plan, precision)).map(|rho| rho.upper() * alpha);
    let upper = by_lines.into_iter().chain(by_length).min()?;
    let below = plan.below().and_then(|plan| renyi(&plan, alpha, precision));
    let bits = below.as_ref().map_or_else(|| precision.bits(), Enclosure::precision);
    let lower = below.map_or_else(Rational::default, |below| below.lower());
    Enclosure::from_bounds(&lower.min(upper.clone()), &upper, bits)
}

#[cfg(test)]
#[allow(clippy::float_arithmetic, reason = "an independent check in doubles")]
mod tests {
    use super::super::tests::{brute, plan};
    use super::*;
    use crate::exact::parse;

    fn close(plan: &Plan, alpha: &str, expected: f64) {
        let found = renyi(plan, &parse(alpha).unwrap(), &Precision::default()).unwrap();
        let middle: f64 = found.lower_decimal().parse().unwrap();
        assert!(crate::account::answer::is_narrow(&found, &Precision { digits: 12 }), "{alpha}: {found}");
        assert!((middle - expected).abs() <= 1e-9 * expected.abs(), "{alpha}: {found} for {expected}");
    }

    /// Against sums over all outputs in doubles.
    #[test]
    fn closed_forms_are_sums() {
        for (spec, alphas) in [
            ("laplace(scale=2)", ["3/2", "2", "7/3", "20"]),
            ("laplace(scale=2, sensitivity=3)", ["3/2", "2", "7/3", "20"]),
            ("laplace(scale=3/7, sensitivity=2)", ["3/2", "2", "7/3", "5"]),
            ("gaussian(sigma=1/2)", ["3/2", "2", "7/3", "5"]),
            ("gaussian(sigma=2, sensitivity=2)", ["5/4", "2", "7/3", "5"]),
            ("gaussian(sigma=5, sensitivity=2)", ["5/4", "2", "7/3", "5"]),
            ("randomized_response(gamma=1/4)", ["3/2", "2", "7/3", "20"]),
            ("randomized_response(epsilon=1, k=5)", ["3/2", "2", "7/3", "20"]),
        ] {
            for alpha in alphas {
                let order = alpha.split_once('/').map_or_else(
                    || alpha.parse::<f64>().unwrap(),
                    |(n, d)| n.parse::<f64>().unwrap() / d.parse::<f64>().unwrap(),
                );
                let outcomes = brute(spec);
                let moment: f64 = outcomes.iter().map(|(p, q)| (order * p.ln() + (1.0 - order) * q.ln()).exp()).sum();
                close(&plan(&[spec]), alpha, moment.ln() / (order - 1.0));
            }
        }
    }

    /// Sampled: at integer orders of Gaussian noise, at every order of the rest; the direction with the
    /// person in front is the larger.
    #[test]
    fn sampled_noise() {
        for (spec, of, alphas) in [
            (
                "subsampled_gaussian(sigma=1, sensitivity=2, rate=1/5)",
                "gaussian(sigma=1, sensitivity=2)",
                ["2", "3", "7"],
            ),
            ("subsampled_gaussian(sigma=3, rate=1/5)", "gaussian(sigma=3)", ["2", "4", "16"]),
            (
                "subsampled_laplace(scale=2, sensitivity=3, rate=1/5)",
                "laplace(scale=2, sensitivity=3)",
                ["3/2", "2", "20"],
            ),
        ] {
            let domination = crate::mechanism::domination(&spec.parse().unwrap()).unwrap();
            let sampled = crate::account::Plan::of(&domination, 1);
            for alpha in alphas {
                let order = if alpha == "3/2" { 1.5 } else { alpha.parse::<f64>().unwrap() };
                let mixed = brute(of).into_iter().map(|(p, q)| (0.2 * p + 0.8 * q, q));
                let (forward, backward) = mixed
                    .map(|(p, q)| (p * (p / q).powf(order - 1.0), q * (q / p).powf(order - 1.0)))
                    .fold((0.0, 0.0), |a: (f64, f64), b| (a.0 + b.0, a.1 + b.1));
                assert!(forward > backward, "{spec} {alpha}");
                close(&sampled, alpha, forward.ln() / (order - 1.0));
            }
        }
        let domination =
            crate::mechanism::domination(&"subsampled_gaussian(sigma=3, rate=1/5)".parse().unwrap()).unwrap();
        let sampled = crate::account::Plan::of(&domination, 1);
        assert_eq!(renyi(&sampled, &parse("3/2").unwrap(), &Precision::default()), None);
    }

    #[test]
    fn divergences_add_up_and_may_be_infinite() {
        close(&plan(&["gaussian(sigma=10)*200"]), "2", 2.0);
        assert_eq!(renyi(&plan(&["gaussian(sigma=10)"]), &parse("1").unwrap(), &Precision::default()), None);
        assert_eq!(renyi(&plan(&["randomized_response(p=1)"]), &parse("2").unwrap(), &Precision::default()), None);
        // Noise far wider than its sensitivity, where all but 24 digits cancel: D_α ≈ α/2·10^-24.
        close(&plan(&["laplace(scale=1e12)"]), "2", 1e-24);
    }
}
