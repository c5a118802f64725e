//! The smallest α that a probability β allows.

use num_bigint::BigUint;
use num_traits::Zero;

use super::{
    Accuracy, AccuracyError, Tails,
    crossing::{Search, Slope},
};
use crate::exact::{Enclosure, Probability, Rational};

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

/// Both joints rise with t, and t falls with α: the smallest α is where the joint passes β.
pub(super) fn smallest<A: Accuracy + ?Sized>(
    law: &A,
    beta: &Probability,
    joint: Joint,
) -> Result<ErrorBound, AccuracyError> {
    if beta.get().is_zero() {
        return Err(AccuracyError::Beta);
    }
    let mut joined: Option<Joined> = None;
    let mut search = Search::new(beta, Slope::Falls, |alpha, precision| {
        match joined.as_ref().filter(|joined| joined.precision == precision) {
            Some(joined) => joined.at(alpha),
            None => joined.insert(Joined::new(law, joint, precision)?).at(alpha),
        }
    })?;
    let (is_exceeded, tail) = search.probe(&BigUint::ZERO)?;
    if !is_exceeded {
        return Ok(ErrorBound { alpha: BigUint::ZERO, tail, before: None });
    }
    let found = search.crossing(BigUint::ZERO)?;
    Ok(ErrorBound { alpha: found.high, tail: found.at_high, before: Some(found.at_low) })
}

/// The tails of all coordinates, joined, to a width of about 2^-precision.
pub(super) struct Joined<'a> {
    tails: Tails<'a>,
    coordinates: u64,
    joint: Joint,
    precision: u32,
}

impl<'a> Joined<'a> {
    pub(super) fn new<A: Accuracy + ?Sized>(law: &'a A, joint: Joint, precision: u32) -> Result<Self, AccuracyError> {
        let tails = law.tails(precision).ok_or(AccuracyError::OutOfReach)?;
        Ok(Self { tails, coordinates: law.coordinates(), joint, precision })
    }

    /// P(max |error| ≥ α), or its union bound.
    pub(super) fn at(&self, alpha: &BigUint) -> Result<Enclosure, AccuracyError> {
        (self.tails)(alpha).map(|tail| self.joined(&tail)).ok_or(AccuracyError::OutOfReach)
    }

    fn joined(&self, tail: &Enclosure) -> Enclosure {
        match self.joint {
            _ if self.coordinates == 1 => tail.clone(),
            Joint::Union => tail.mul_rational(&Rational::from_integer(self.coordinates.into())),
            Joint::Exact => {
                // Each product rounds by a unit, and a power takes at most 128 of them; k times the width of
                // the base remains.
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
