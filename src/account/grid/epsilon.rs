//! ε(δ): a composition made near the answer is asked for δ at many ε.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Composition, Effort, FULL, LIGHT, METHOD, evaluate, sketch};
use crate::{
    account::{AccountError, Answer, Direction, Precision, answer::is_narrow},
    exact::{Enclosure, Probability, Rational},
};

/// The largest ε that is tried.
const MOST: u32 = 1 << 20;

/// Encloses the smallest ε ≥ 0 with δ(ε) ≤ δ in every direction, for δ > 0.
///
/// # Errors
///
/// If the plan is out of reach, or δ(ε) stays above δ.
pub(crate) fn epsilon(
    directions: &[Direction],
    delta: &Probability,
    precision: &Precision,
) -> Result<Answer, AccountError> {
    let mut most: Option<Answer> = None;
    for direction in directions {
        let answer = one_direction(direction, delta.get(), precision)?;
        most = Some(most.map_or_else(|| answer.clone(), |most| most.max(&answer)));
    }
    most.ok_or(AccountError::Empty)
}

fn one_direction(direction: &Direction, delta: &Rational, precision: &Precision) -> Result<Answer, AccountError> {
    let sketches = sketch(direction)?;
    let at = |epsilon: &Rational, effort: Effort| {
        Composition::new(direction, &sketches, epsilon, effort).ok_or(AccountError::OutOfReach)
    };
    // A composition is right at every ε, and sharp where it was made: follow it to the answer.
    let mut guess = Rational::one();
    for _ in 0..4 {
        let (_, upper) = at(&guess, LIGHT)?.bracket(delta)?;
        let (difference, scale) = ((&upper - &guess).abs(), upper.clone().max(Rational::one()));
        guess = upper;
        if difference * BigInt::from(16) < scale {
            break;
        }
    }
    let (lower, upper) = at(&guess, FULL)?.bracket(delta)?;
    let enclosure = Enclosure::from_bounds(&lower, &upper, 80).ok_or(AccountError::OutOfReach)?;
    let is_narrow = is_narrow(&enclosure, precision);
    Ok(Answer { enclosure, method: METHOD, is_narrow })
}

impl Composition {
    /// ε between which the answer lies: at the upper, the pessimistic δ is at most δ; at the lower, the optimistic one is above δ, or ε = 0.
    fn bracket(&self, delta: &Rational) -> Result<(Rational, Rational), AccountError> {
        let is_above = |pld, epsilon: &Rational| -> Result<bool, AccountError> {
            Ok(evaluate::delta(pld, &self.theta, epsilon).ok_or(AccountError::OutOfReach)? > *delta)
        };
        let search = |pld| -> Result<(Rational, Rational), AccountError> {
            let (mut low, mut high) = (Rational::zero(), Rational::new(1.into(), 16.into()));
            if !is_above(pld, &low)? {
                return Ok((Rational::zero(), Rational::zero()));
            }
            while is_above(pld, &high)? {
                low = high.clone();
                high *= BigInt::from(2);
                if high > Rational::from_integer(MOST.into()) {
                    return Err(AccountError::OutOfReach);
                }
            }
            for _ in 0..36 {
                let middle = (&low + &high) / BigInt::from(2);
                if is_above(pld, &middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Ok((low, high))
        };
        Ok((search(&self.lower)?.0, search(&self.upper)?.1))
    }
}
