//! Accounts: the smallest δ for an ε, and the smallest ε for a δ, of any number of mechanisms together, enclosed.
//!
//! A [`Plan`] says what runs how often. Its privacy-loss distribution is that of the sum of independent losses
//! ln(P(y)/Q(y)), y drawn from P, and δ(ε) = E[(1 − e^(ε − loss))₊]: no float decides anything, and the answer is
//! an interval that contains the truth.

mod answer;
mod dpsgd;
mod grid;
mod inverse;
mod lattice;
mod plan;
mod profile;
mod reference;
mod subsampled;
mod summary;
#[cfg(test)]
mod tests;

pub use answer::{AccountError, Answer, Precision};
pub use dpsgd::DpSgd;
pub use plan::{Part, Plan};
pub use subsampled::domination;
pub use summary::{
    GaussianDp, ProfilePoint, attacker_true_positive_rate, gaussian_dp, renyi, trade_off, zcdp, zcdp_delta,
};

use alloc::vec::Vec;

use num_traits::Zero;

use crate::{
    exact::{Enclosure, NonNegative, Probability, Scaled, Working},
    guarantee::Pair,
};

/// Encloses δ(ε) = max over the two directions of Σ_y max(P(y) − e^ε·Q(y), 0), of the whole plan.
///
/// # Errors
///
/// If the question is beyond every method's bounds.
pub fn delta(plan: &Plan, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    let mut answers = plan.directions().into_iter().map(|direction| one_direction(&direction, epsilon, precision));
    let first = answers.next().unwrap_or(Err(AccountError::Empty))?;
    let most = answers.try_fold(first, |most, answer| Ok(most.max(&answer?)))?;
    // δ is a probability, whatever was rounded on the way.
    let whole = Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0));
    let enclosure = most.enclosure.intersection(&whole).unwrap_or(whole);
    Ok(Answer { enclosure, ..most })
}

/// Encloses ε(δ), the smallest ε ≥ 0 with δ(ε) ≤ δ.
///
/// # Errors
///
/// If the question is beyond every method's bounds, or no ε will do.
pub fn epsilon(plan: &Plan, delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    let directions = plan.directions();
    if directions.is_empty() {
        return Err(AccountError::Empty);
    }
    if delta.get().is_zero() {
        return pure(&directions, precision);
    }
    // Below the probability that the loss is infinite no ε will do.
    for direction in &directions {
        let revealed = infinite_mass(direction, precision).ok_or(AccountError::OutOfReach)?;
        if revealed.lower() > *delta.get() {
            return Err(AccountError::NoEpsilon);
        }
    }
    // A grid composes once and is asked many times.
    let coarse = Precision { digits: 3 };
    let needs_grid = |direction: &Direction| {
        !matches!(direction.as_slice(), [(_, 1)]) && lattice::delta(direction, &NonNegative::one(), &coarse).is_none()
    };
    if directions.iter().any(needs_grid) {
        return grid::epsilon(&directions, delta, precision);
    }
    let profile = |epsilon: &NonNegative, precision: &Precision| self::delta(plan, epsilon, precision);
    let bits = precision.bits().saturating_add(16);
    let greatest = directions.iter().map(|direction| Some(lattice::greatest_loss(direction, bits)?.upper()));
    let bound = greatest.collect::<Option<Vec<_>>>().and_then(|losses| losses.into_iter().max());
    inverse::epsilon(&profile, delta, bound.as_ref(), precision)
}

/// ε(0), the greatest loss there is.
fn pure(directions: &[Direction], precision: &Precision) -> Result<Answer, AccountError> {
    let bits = precision.bits().saturating_mul(2).saturating_add(64);
    let mut most: Option<Answer> = None;
    for direction in directions {
        if !lattice::is_known(direction) {
            return Err(AccountError::OutOfReach);
        }
        let enclosure = lattice::greatest_loss(direction, bits).ok_or(AccountError::NoEpsilon)?.max_zero();
        let is_narrow = answer::is_narrow(&enclosure, precision);
        let answer = Answer { enclosure, method: "greatest loss", is_narrow };
        most = Some(most.map_or_else(|| answer.clone(), |most| most.max(&answer)));
    }
    most.ok_or(AccountError::Empty)
}

/// The probability that a direction's loss is infinite, 1 − Π(1 − p)^k.
fn infinite_mass(direction: &Direction, precision: &Precision) -> Option<Enclosure> {
    let working = Working::new(precision.bits().saturating_add(128));
    let one = Enclosure::from_integer(1, 0);
    let mut finite = Scaled::one(working.bits());
    for (pairs, copies) in direction {
        let masses = pairs.iter().map(|pair| profile::infinite_mass(pair, &working)).collect::<Option<Vec<_>>>()?;
        let most = masses.into_iter().max_by(|a, b| a.lower().cmp(&b.lower()))?;
        finite = finite.mul(&Scaled::from_enclosure(&one.sub(&most), working.bits()).pow(*copies));
    }
    Some(one.sub(&finite.fixed(working.bits())?).max_zero())
}

/// δ(ε) of one direction, by the first method that reaches it.
fn one_direction(direction: &Direction, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    // The supremum of several profiles is their pointwise maximum, where nothing is composed.
    if let [(pairs, 1)] = direction.as_slice() {
        let mut most: Option<Answer> = None;
        for pair in pairs {
            match (profile::delta(pair, epsilon, precision), &most) {
                (Some(answer), Some(found)) => most = Some(found.max(&answer)),
                (Some(answer), None) => most = Some(answer),
                (None, _) => {
                    most = None;
                    break;
                }
            }
        }
        if let Some(answer) = most {
            return Ok(answer);
        }
    }
    let exact = lattice::delta(direction, epsilon, precision);
    if let Some(answer) = exact.as_ref().filter(|answer| answer.is_narrow) {
        return Ok(answer.clone());
    }
    // A few copies of few outcomes each are listed at once, and exactly.
    let copies = direction.iter().fold(0_u64, |sum, (_, copies)| sum.saturating_add(*copies));
    if copies <= 3
        && let Ok(answer) = reference::delta(direction, epsilon, precision)
        && answer.is_narrow
    {
        return Ok(answer);
    }
    match (exact, grid::delta(direction, epsilon, precision)) {
        (Some(exact), Ok(grid)) => Ok(exact.narrowed_by(&grid, precision)),
        (Some(exact), Err(_)) => Ok(exact),
        (None, grid) => grid,
    }
}

/// One direction of a plan: each entry is the list of pairs of which the largest profile dominates, and the number of copies.
pub type Direction = alloc::vec::Vec<(alloc::vec::Vec<Pair>, u64)>;
