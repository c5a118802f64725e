//! What training costs.

use std::num::NonZeroU64;

use certus::{
    account::{DpSgd, Precision},
    exact::{Positive, Probability},
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
