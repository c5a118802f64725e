//! Noise for an (ε, δ), and what the accountant leaves to any attacker.

use certus::account::{self, AccountError, Plan, Precision, ProfilePoint, attacker_true_positive_rate, trade_off};
use certus::exact::{Enclosure, NonNegative, Positive, Probability, Rational};
use certus::guarantee::{Domination, Pair};
use certus::mechanism::{Target, Trend, calibrate};

use crate::CaseError;
use crate::exact::{float, upper};

/// The family of the noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Discrete Laplace.
    Laplace,
    /// Discrete Gaussian.
    Gaussian,
}

/// d counts, each of which a person moves by at most 1, with noise of this scale on each.
///
/// The worst neighbours differ by 1 in every count: a product of d equal pairs, so that the account is exact for Gaussian noise too.
#[must_use]
pub fn plan(family: Family, scale: &Positive, attributes: u64) -> Plan {
    let pair = match family {
        Family::Laplace => Pair::Laplace { scale: scale.clone(), shift: 1_u32.into() },
        Family::Gaussian => Pair::Gaussian { variance: scale.square(), shift: 1_u32.into() },
    };
    Plan::of(&Domination::by(pair), attributes)
}

/// A scale that is a multiple of `step` and certified to meet (ε, δ) on d counts, and the next smaller one is not.
///
/// # Errors
///
/// If there is none, or the account fails.
pub fn calibrated(
    family: Family,
    attributes: u64,
    (epsilon, delta): (&Rational, &Rational),
    step: &Rational,
) -> Result<Positive, CaseError> {
    // The account is asked at the boundary only: nothing rests on δ falling in between.
    let target = Target {
        epsilon: NonNegative::new(epsilon.clone())?,
        delta: Probability::new(delta.clone())?,
        step: Positive::new(step.clone())?,
        trend: Trend::Unknown,
        most_checked: 0,
        precision: Precision { digits: 6 },
    };
    Ok(calibrate(&target, |scale| plan(family, scale, attributes))?.scale)
}

/// min(1, e^ε·f + δ), rounded up.
///
/// # Errors
///
/// If f is no probability.
pub fn allowed((epsilon, delta): (&Rational, &Rational), false_positives: f64) -> Result<f64, CaseError> {
    let refused = || CaseError::Refused(String::from("a quotient by 0 is no number"));
    let of = |value: &Rational| Enclosure::enclosing(value, 64).ok_or_else(refused);
    Ok(upper(&attacker_true_positive_rate(&of(epsilon)?, &of(delta)?, &probability(false_positives)?)))
}

/// The exact trade-off of a plan: what the best of all attackers reaches.
#[derive(Clone, Debug)]
pub struct Exact {
    points: Vec<ProfilePoint>,
}

impl Exact {
    /// From δ at so many epsilons around `epsilon` and below, each about the fourth root of 2 times the last. Any epsilons give a bound; these give a close one, and at most
    /// what (ε, δ(ε)) itself allows.
    ///
    /// # Errors
    ///
    /// If the account fails.
    pub fn new(plan: &Plan, epsilon: &Rational, count: usize) -> Result<Self, CaseError> {
        let mut epsilons = vec![NonNegative::zero()];
        let mut rising: Vec<Rational> = Vec::new();
        let ratio = Rational::new(37.into(), 44.into());
        let mut next = epsilon / &ratio / &ratio;
        for _ in 0..count {
            rising.push(next.clone());
            next *= &ratio;
        }
        for epsilon in rising.into_iter().rev() {
            epsilons.push(NonNegative::new(epsilon)?);
        }
        let point = |epsilon: NonNegative| -> Result<ProfilePoint, AccountError> {
            let delta = account::delta(plan, &epsilon, &Precision { digits: 8 })?.enclosure;
            Ok((epsilon, delta))
        };
        Ok(Self { points: epsilons.into_iter().map(point).collect::<Result<_, _>>()? })
    }

    /// The largest true-positive rate for this rate of false positives: [lower, upper], 1 minus the trade-off.
    ///
    /// # Errors
    ///
    /// If f is no probability.
    pub fn rate(&self, false_positives: f64) -> Result<(f64, f64), CaseError> {
        // Laplace and Gaussian noise has the same profile in both directions.
        let misses = trade_off(&self.points, &self.points, &probability(false_positives)?);
        let misses = misses.ok_or(AccountError::OutOfReach)?;
        Ok((1.0 - float(&misses.upper()), 1.0 - float(&misses.lower())))
    }
}

fn probability(value: f64) -> Result<Probability, CaseError> {
    Ok(Probability::new(certus::exact::from_f64(value)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::parse;

    /// One count, Laplace of scale 1: the best test at a small false-positive rate f finds e·f.
    #[test]
    fn one_count_has_the_closed_form() {
        let one = parse("1").unwrap();
        let exact = Exact::new(&plan(Family::Laplace, &Positive::new(one.clone()).unwrap(), 1), &one, 20).unwrap();
        let (lower, upper) = exact.rate(0.05).unwrap();
        let expected = 0.05 * std::f64::consts::E;
        assert!(
            lower <= expected + 1e-12 && (upper - expected).abs() < 1e-12 && upper - lower < 0.01,
            "{lower} {upper}"
        );
        assert!((allowed((&one, &parse("0").unwrap()), 0.05).unwrap() - expected).abs() < 1e-12);
    }

    /// For pure privacy the account cannot do better than the sum: d/ε, exactly.
    #[test]
    fn the_pure_scale_is_the_sum() {
        let (epsilon, zero) = (parse("2").unwrap(), parse("0").unwrap());
        let scale = calibrated(Family::Laplace, 6, (&epsilon, &zero), &parse("1/4").unwrap()).unwrap();
        assert_eq!(scale.to_string(), "3");
    }
}
