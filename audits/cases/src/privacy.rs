//! What certus says of privacy, in one call each: the accountant's δ and ε, the auditor's report, and noise.

use certus::account::{self, Plan, Precision};
use certus::bits::Bits;
use certus::exact::{Enclosure, NonNegative, Positive, Probability, Rational, Real, normal_tail, parse};
use certus::mechanism::{Spec, domination, from_spec};
use certus::sample::{PreparedGaussian, PreparedLaplace, Sampler};
use certus_audit::{Audit, Claim, Own, Report, Sampled, tallies};

use crate::CaseError;

/// The confidence of every audit of the cases.
pub const CONFIDENCE: f64 = 0.999;

/// The plan of specs, each with its copies, as `laplace(scale=10)*100`.
///
/// # Errors
///
/// If a spec is none.
pub fn plan(specs: &[&str]) -> Result<Plan, CaseError> {
    let mut plan = Plan::new();
    for spec in specs {
        let spec: Spec = spec.parse()?;
        let copies = spec.copies().map_or(1, |copies| u64::from(copies.get()));
        plan = plan.with(&domination(&spec)?, copies)?;
    }
    Ok(plan)
}

/// The smallest δ of a spec at this ε, enclosed.
///
/// # Errors
///
/// If the spec is none, or ε is negative.
pub fn delta(spec: &str, epsilon: &Rational) -> Result<Enclosure, CaseError> {
    delta_of(&plan(&[spec])?, epsilon)
}

/// The smallest δ of a plan at this ε, enclosed.
///
/// # Errors
///
/// If the plan is empty, or ε is negative.
pub fn delta_of(plan: &Plan, epsilon: &Rational) -> Result<Enclosure, CaseError> {
    Ok(account::delta(plan, &NonNegative::new(epsilon.clone())?, &Precision { digits: 9 })?.enclosure)
}

/// The smallest ε of a spec at this δ, enclosed.
///
/// # Errors
///
/// If the spec is none, δ no probability, or no ε will do.
pub fn epsilon(spec: &str, delta: &Rational) -> Result<Enclosure, CaseError> {
    let delta = Probability::new(delta.clone())?;
    Ok(account::epsilon(&plan(&[spec])?, &delta, &Precision { digits: 9 })?.enclosure)
}

/// An audit of a mechanism on two inputs: is it (ε, δ)-private on them?
///
/// # Errors
///
/// If the claim is none, or the source of randomness fails.
pub fn audit(
    target: &dyn Sampled,
    epsilon: &Rational,
    delta: &Rational,
    samples: u64,
    seed: [u8; 32],
) -> Result<Report, CaseError> {
    let (a, b) = tallies(target, samples, seed)?;
    let claim = Claim::new(epsilon.clone(), delta.clone())?;
    Ok(Audit::new(claim, CONFIDENCE)?.seed(coins(seed)).run(&a, &b)?)
}

/// The seed of the coins that split the samples of this seed: another key, hence another stream, and the same in every run, so that a case's numbers can be checked.
#[must_use]
pub fn coins(seed: [u8; 32]) -> [u8; 32] {
    seed.map(|byte| !byte)
}

/// A mechanism of the catalogue on its worst neighbours, to be audited.
///
/// # Errors
///
/// If the spec is none.
pub fn own(spec: &str) -> Result<Own, CaseError> {
    let spec = spec.parse()?;
    let mechanism = from_spec(&spec)?;
    Ok(Own::new(&spec, mechanism.neighbours(), Sampler::Reference)?)
}

/// The δ of *continuous* Gaussian noise, which the documents speak of: δ(ε) = Φ̄(εσ/Δ − Δ/2σ) − e^ε·Φ̄(εσ/Δ + Δ/2σ).
///
/// Balle and Wang 2018, Theorem 8, enclosed; in any dimension, with Δ the ℓ2 sensitivity. Here for Δ = 1.
#[must_use]
pub fn gaussian_delta(sigma: &Rational, epsilon: &Rational) -> Option<Enclosure> {
    const BITS: u32 = 64;
    let half = Rational::new(1.into(), 2.into()) / sigma;
    let middle = epsilon * sigma;
    let (near, far) = (normal_tail(&(&middle - &half), BITS)?, normal_tail(&(&middle + &half), BITS)?);
    let factor = Real::from(epsilon.clone()).exp().enclose(BITS)?;
    let precision = near.precision().max(far.precision()).max(factor.precision()).max(2 * BITS);
    let product = factor.at_precision(precision).mul(&far.at_precision(precision));
    Some(near.at_precision(precision).sub(&product).max_zero())
}

/// The smallest σ, on a grid of `step`, with which continuous Gaussian noise on a Δ of 1 is certified to be (ε, δ)-private.
///
/// δ falls with σ: noise of a larger σ is noise of a smaller one and more of it. Nothing if it is 1/20 or less.
#[must_use]
pub fn gaussian_sigma(epsilon: &Rational, delta: &Rational, step: &Rational) -> Option<Rational> {
    let meets = |count: u64| {
        let sigma = step * Rational::from_integer(count.into());
        gaussian_delta(&sigma, epsilon).is_some_and(|found| found.upper() <= *delta)
    };
    // From 1/20 on: below, the tails are of numbers that nobody needs, and take long.
    let mut low = u64::try_from((Rational::new(1.into(), 20.into()) / step).ceil().to_integer()).ok()?;
    if meets(low) {
        return None;
    }
    let mut high = low.checked_mul(2)?;
    while !meets(high) {
        low = high;
        high = high.checked_mul(2).filter(|high| *high < 1 << 40)?;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if meets(middle) { high = middle } else { low = middle }
    }
    Some(step * Rational::from_integer(high.into()))
}

/// A rational from text that the cases themselves write.
///
/// # Errors
///
/// If it is none.
pub fn rational(text: &str) -> Result<Rational, CaseError> {
    Ok(parse(text)?)
}

/// So many draws of discrete Laplace noise.
///
/// # Errors
///
/// If the scale is not positive, or the source fails.
pub fn laplace(scale: &Rational, count: usize, bits: &mut impl Bits) -> Result<Vec<i64>, CaseError> {
    let mut noise = vec![0; count];
    PreparedLaplace::new(&Positive::new(scale.clone())?).fill(bits, &mut noise)?;
    Ok(noise)
}

/// So many draws of discrete Gaussian noise.
///
/// # Errors
///
/// If σ is not positive, or the source fails.
pub fn gaussian(sigma: &Rational, count: usize, bits: &mut impl Bits) -> Result<Vec<i64>, CaseError> {
    let mut noise = vec![0; count];
    PreparedGaussian::new(&Positive::new(sigma.clone())?).fill(bits, &mut noise)?;
    Ok(noise)
}
