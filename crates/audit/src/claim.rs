//! What is claimed of a mechanism.

use num_traits::One;

use certus::exact::{NonNegative, Probability, Rational, Rounding, decimal, from_f64};

/// P(S) ≤ e^ε·Q(S) + δ for every event S, and the same with the sides exchanged.
///
/// ```
/// use certus_audit::Claim;
/// use certus::exact::parse;
///
/// assert!(Claim::new(parse("1")?, parse("1e-6")?).is_ok());
/// assert!(Claim::new(parse("-1")?, parse("0")?).is_err());
/// # Ok::<(), certus::exact::NumberError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    epsilon: Rational,
    delta: Rational,
}

/// Why a claim makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// ε is out of range.
    #[error("epsilon must be from 0 to 100")]
    Epsilon,
    /// δ is out of range.
    #[error("delta must be from 0 to below 1")]
    Delta,
}

/// Beyond this no number of samples could refute a claim.
const MOST_EPSILON: i32 = 100;

impl Claim {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// If ε is not in [0, 100] or δ not in [0, 1), as no quotient by 0 is.
    pub fn new(epsilon: Rational, delta: Rational) -> Result<Self, ClaimError> {
        let epsilon = NonNegative::new(epsilon).map_err(|_| ClaimError::Epsilon)?.get().clone();
        let delta = Probability::new(delta).map_err(|_| ClaimError::Delta)?.get().clone();
        if epsilon > Rational::from_integer(MOST_EPSILON.into()) {
            return Err(ClaimError::Epsilon);
        }
        if delta.is_one() {
            return Err(ClaimError::Delta);
        }
        Ok(Self { epsilon, delta })
    }

    /// ε.
    #[must_use]
    pub fn epsilon(&self) -> &Rational {
        &self.epsilon
    }

    /// δ.
    #[must_use]
    pub fn delta(&self) -> &Rational {
        &self.delta
    }

    /// The least float that is at least ε.
    #[must_use]
    pub fn epsilon_above(&self) -> f64 {
        above(&self.epsilon)
    }

    /// The least float that is at least δ.
    #[must_use]
    pub fn delta_above(&self) -> f64 {
        above(&self.delta)
    }
}

/// The least float that is at least a small number.
#[must_use]
pub fn above(value: &Rational) -> f64 {
    let near: f64 = decimal(value, 20, Rounding::Up).parse().unwrap_or(f64::MAX);
    let down = near.next_down();
    let is_enough = |float: f64| from_f64(float).is_ok_and(|float| float >= *value);
    if is_enough(down) {
        down
    } else if is_enough(near) {
        near
    } else {
        near.next_up()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use certus::exact::parse;

    #[test]
    fn claims_are_rounded_up() {
        let claim = Claim::new(parse("1/3").unwrap(), parse("1/10").unwrap()).unwrap();
        assert!(from_f64(claim.epsilon_above()).unwrap() >= *claim.epsilon());
        assert!(from_f64(claim.delta_above()).unwrap() >= *claim.delta());
        assert!(from_f64(claim.epsilon_above().next_down()).unwrap() < *claim.epsilon());
        assert_eq!(Claim::new(parse("1").unwrap(), parse("0").unwrap()).unwrap().delta_above(), 0.0);
        assert_eq!(Claim::new(parse("101").unwrap(), parse("0").unwrap()), Err(ClaimError::Epsilon));
        assert_eq!(Claim::new(parse("1").unwrap(), parse("1").unwrap()), Err(ClaimError::Delta));
    }
}
