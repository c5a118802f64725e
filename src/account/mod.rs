//! Accounts: the smallest δ for an ε, and the smallest ε for a δ, of any number of mechanisms together, enclosed.
//!
//! A [`Plan`] says what runs how often. Its privacy-loss distribution is that of the sum of independent losses
//! ln(P(y)/Q(y)), y drawn from P, and δ(ε) = E[(1 − e^(ε − loss))₊]: no float decides anything, and the answer is
//! an interval that contains the truth.

mod answer;
mod grid;
mod plan;
mod reference;

pub use answer::{AccountError, Answer, Precision};
pub use plan::{Part, Plan};

use crate::{
    exact::{NonNegative, Probability},
    guarantee::Pair,
};

/// Encloses δ(ε) = max over the two directions of Σ_y max(P(y) − e^ε·Q(y), 0), of the whole plan.
///
/// # Errors
///
/// If the question is beyond every method's bounds.
pub fn delta(plan: &Plan, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
    let mut answers = plan.directions().into_iter().map(|direction| reference::delta(&direction, epsilon, precision));
    let first = answers.next().unwrap_or(Err(AccountError::Empty))?;
    answers.try_fold(first, |most, answer| Ok(most.max(&answer?)))
}

/// Encloses ε(δ), the smallest ε ≥ 0 with δ(ε) ≤ δ.
///
/// # Errors
///
/// If the question is beyond every method's bounds, or no ε will do.
pub fn epsilon(plan: &Plan, delta: &Probability, precision: &Precision) -> Result<Answer, AccountError> {
    let _ = (plan, delta, precision);
    Err(AccountError::OutOfReach)
}

/// One direction of a plan: each entry is the list of pairs of which the largest profile dominates, and the number of copies.
pub type Direction = alloc::vec::Vec<(alloc::vec::Vec<Pair>, u64)>;
