//! What training costs.

use std::num::NonZeroU64;

use certus::{
    account::{DpSgd, Plan, Precision, epsilon},
    exact::{Positive, Probability, Rational},
    mechanism::{Spec, domination},
};

use super::private::RESOLUTION;
use crate::{CaseError, exact::float};

/// An ε such that `steps` steps are (ε, δ)-private for δ = `at`, whatever the gradients of so many
/// coordinates: the upper end of the account of vectors, rounded up. A sentence whose gradient lies along one
/// axis attains the lower end.
pub fn spent(
    multiplier: &Positive,
    rate: &Probability,
    steps: u64,
    coordinates: usize,
    at: &Probability,
) -> Result<f64, CaseError> {
    let least = NonZeroU64::MIN;
    let account = DpSgd {
        noise_multiplier: multiplier.clone(),
        rate: rate.clone(),
        steps: NonZeroU64::new(steps).unwrap_or(least),
        clip: NonZeroU64::new(RESOLUTION.into()).unwrap_or(least),
        coordinates: u64::try_from(coordinates).ok().and_then(NonZeroU64::new).unwrap_or(least),
    };
    let answer = account.epsilon(at, &Precision { digits: 3 })?;
    // A float near the upper end and not below it.
    Ok(float(&answer.enclosure.upper()).next_up())
}

/// How many steps of the grid a record moves the number of [`of_one_number`].
const STEPS_OF_ONE: i64 = 8;

/// About the ε of as many steps for a record that is 8 steps of the grid in one number and nothing in others:
/// near to what any grid gives, and seen in a second.
pub fn of_one_number(
    multiplier: &Positive,
    rate: &Probability,
    steps: u64,
    at: &Probability,
) -> Result<f64, CaseError> {
    let sigma = multiplier.get() * Rational::from_integer(STEPS_OF_ONE.into());
    let spec: Spec = format!("subsampled_gaussian(sigma={sigma}, sensitivity={STEPS_OF_ONE}, rate={rate})").parse()?;
    let plan = Plan::of(&domination(&spec)?, steps);
    Ok(float(&epsilon(&plan, at, &Precision { digits: 3 })?.enclosure.upper()))
}
