//! The smallest α that a probability β allows.

use num_bigint::BigUint;
use num_traits::{One, Zero};

use super::{Accuracy, AccuracyError, Tails};
use crate::exact::{Enclosure, Probability, Rational};

/// The most binary digits that a comparison looks at, or that α may have.
pub(super) const MOST_BITS: u32 = 1 << 12;

/// The smallest α, and the evidence that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorBound {
    alpha: BigUint,
    tail: Enclosure,
    before: Option<Enclosure>,
}

impl ErrorBound {
    /// α.
    #[must_use]
    pub fn alpha(&self) -> &BigUint {
        &self.alpha
    }

    /// Encloses the probability of an error of at least α: at most β.
    #[must_use]
    pub fn tail(&self) -> &Enclosure {
        &self.tail
    }

    /// Encloses the probability of an error of at least α − 1: above β. Nothing for α = 0.
    #[must_use]
    pub fn before(&self) -> Option<&Enclosure> {
        self.before.as_ref()
    }
}

/// How the coordinates' tails are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// 1 − (1 − t)^k.
    Exact,
    /// k·t.
    Union,
}

/// Both joints rise with t, and t falls with α: bisection finds the smallest α.
pub(super) fn smallest<A: Accuracy + ?Sized>(
    law: &A,
    beta: &Probability,
    joint: Joint,
) -> Result<ErrorBound, AccuracyError> {
    if beta.get().is_zero() {
        return Err(AccuracyError::Beta);
    }
    // Enough to tell β from 0, and k times an error from it.
    let mut bits = u32::try_from(beta.denominator().bits()).ok().and_then(|bits| bits.checked_add(48));
    while let Some(precision) = bits.filter(|bits| *bits <= MOST_BITS) {
        let tails = law.tails(precision).ok_or(AccuracyError::OutOfReach)?;
        let asked = Asked { tails, coordinates: law.coordinates(), joint, beta: beta.get(), precision };
        match asked.search() {
            Err(AccuracyError::Undecided) => bits = precision.checked_mul(2),
            answer => return answer,
        }
    }
    Err(AccuracyError::Undecided)
}

/// Whether P(max |error| ≥ α) > β, and the probability.
pub(super) fn exceeds<A: Accuracy + ?Sized>(
    law: &A,
    alpha: &BigUint,
    beta: &Probability,
) -> Result<(bool, Enclosure), AccuracyError> {
    let mut bits = u32::try_from(beta.denominator().bits()).ok().and_then(|bits| bits.checked_add(48));
    while let Some(precision) = bits.filter(|bits| *bits <= MOST_BITS) {
        let tails = law.tails(precision).ok_or(AccuracyError::OutOfReach)?;
        let asked = Asked { tails, coordinates: law.coordinates(), joint: Joint::Exact, beta: beta.get(), precision };
        match asked.exceeds(alpha) {
            Err(AccuracyError::Undecided) => bits = precision.checked_mul(2),
            answer => return answer,
        }
    }
    Err(AccuracyError::Undecided)
}

struct Asked<'a> {
    tails: Tails<'a>,
    coordinates: u64,
    joint: Joint,
    beta: &'a Rational,
    precision: u32,
}

impl Asked<'_> {
    fn search(&self) -> Result<ErrorBound, AccuracyError> {
        let (exceeded, tail) = self.exceeds(&BigUint::ZERO)?;
        if !exceeded {
            return Ok(ErrorBound { alpha: BigUint::ZERO, tail, before: None });
        }
        // Invariant: the probability exceeds β at `low`, and not at `high`.
        let (mut low, mut before) = (BigUint::ZERO, tail);
        let mut high = BigUint::one();
        let mut tail = loop {
            let (exceeded, tail) = self.exceeds(&high)?;
            if !exceeded {
                break tail;
            }
            if high.bits() > u64::from(MOST_BITS) {
                return Err(AccuracyError::OutOfReach);
            }
            (low, before) = (high.clone(), tail);
            high *= 2u32;
        };
        while &low + 1u32 < high {
            let middle = (&low + &high) / 2u32;
            let (exceeded, found) = self.exceeds(&middle)?;
            if exceeded { (low, before) = (middle, found) } else { (high, tail) = (middle, found) }
        }
        Ok(ErrorBound { alpha: high, tail, before: Some(before) })
    }

    fn exceeds(&self, alpha: &BigUint) -> Result<(bool, Enclosure), AccuracyError> {
        let tail = (self.tails)(alpha).ok_or(AccuracyError::OutOfReach)?;
        let joint = self.joined(&tail);
        if joint.upper() <= *self.beta {
            Ok((false, joint))
        } else if joint.lower() > *self.beta {
            Ok((true, joint))
        } else {
            Err(AccuracyError::Undecided)
        }
    }

    fn joined(&self, tail: &Enclosure) -> Enclosure {
        match self.joint {
            _ if self.coordinates == 1 => tail.clone(),
            Joint::Union => tail.mul_rational(&Rational::from_integer(self.coordinates.into())),
            Joint::Exact => {
                // Each product rounds by a unit, and a power takes at most 128 of them; k times the width of the base remains.
                let working = self.precision.saturating_add(80);
                let one = Enclosure::from_integer(1, working);
                one.sub(&power(&one.sub(tail).max_zero(), self.coordinates, working))
            }
        }
    }
}

/// x^k for x in [0, 1].
fn power(x: &Enclosure, mut k: u64, working: u32) -> Enclosure {
    let (mut square, mut power) = (x.at_precision(working), Enclosure::from_integer(1, working));
    while k > 0 {
        if k % 2 == 1 {
            power = power.mul(&square).at_precision(working);
        }
        square = square.square().at_precision(working);
        k /= 2;
    }
    power
}
