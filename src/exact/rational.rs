//! Rationals, and the ranges that parameters need: [`Positive`], [`NonNegative`] and [`Probability`].
//!
//! The types carry the proof: a field is private, its one constructor checks, and from then on nobody does.

use alloc::borrow::Cow;

use num_bigint::{BigInt, BigUint};
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

use super::{NumberError, parse};

/// An exact rational number.
///
/// The type is another crate's, and its `new_raw` makes quotients by 0, which are no numbers, and
/// denominators below 0, which its own comparisons get wrong. Every public function of this one that takes a
/// `Rational` takes the latter for the numbers that they are, and says what it does with the former.
pub type Rational = Ratio<BigInt>;

/// A number in lowest terms over a positive denominator. An integer is that already, and so is an odd number
/// over a power of two: a gcd of long numbers takes long.
fn lowest_terms(value: Rational) -> Rational {
    let denominator = value.denom();
    let is_power_of_two =
        denominator.is_positive() && denominator.magnitude().trailing_zeros() == Some(denominator.bits() - 1);
    let is_odd = value.numer().magnitude().bit(0);
    if denominator.is_one() || is_power_of_two && is_odd {
        return value;
    }
    Rational::new(value.numer().clone(), denominator.clone())
}

/// The number that a quotient is, over a positive denominator; nothing for a quotient by 0.
pub(crate) fn number(quotient: &Rational) -> Option<Cow<'_, Rational>> {
    match quotient.denom() {
        denominator if denominator.is_positive() => Some(Cow::Borrowed(quotient)),
        denominator if denominator.is_zero() => None,
        denominator => Some(Cow::Owned(Rational::new(quotient.numer().clone(), denominator.clone()))),
    }
}

/// The number is zero or negative where it must be positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be positive (> 0)")]
pub struct NotPositiveError;

/// The number is negative where it must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must not be negative (>= 0)")]
pub struct NegativeError;

/// The number is not in the range that a type promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// It is not positive.
    #[error(transparent)]
    Positive(NotPositiveError),
    /// It is negative.
    #[error(transparent)]
    NonNegative(NegativeError),
    /// It is not between 0 and 1.
    #[error(transparent)]
    Probability(NotProbabilityError),
}

/// Why a text is no parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// It is no number.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// It is out of range.
    #[error(transparent)]
    Range(RangeError),
}

/// A rational number that is greater than zero, in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Positive(Rational);

/// A rational number that is zero or greater, in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NonNegative(Rational);

/// The number is not between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be between 0 and 1 (0 <= p <= 1)")]
pub struct NotProbabilityError;

/// A rational number in [0, 1], in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probability(Rational);

macro_rules! ranged_rational {
    ($name:ident, $error:ident, $holds:expr) => {
        impl $name {
            /// Checks the range, and brings the number to lowest terms.
            ///
            /// # Errors
            ///
            /// If the number is not in the range that this type promises, or was built with a zero
            /// denominator.
            pub fn new(value: Rational) -> Result<Self, $error> {
                if value.denom().is_zero() {
                    return Err($error);
                }
                let value = lowest_terms(value);
                if $holds(&value) { Ok(Self(value)) } else { Err($error) }
            }

            /// The number itself.
            #[must_use]
            pub fn get(&self) -> &Rational {
                &self.0
            }

            /// The numerator, in lowest terms.
            #[must_use]
            pub fn numerator(&self) -> &BigUint {
                self.0.numer().magnitude()
            }

            /// The denominator, in lowest terms; never zero.
            #[must_use]
            pub fn denominator(&self) -> &BigUint {
                self.0.denom().magnitude()
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl core::str::FromStr for $name {
            type Err = ParameterError;

            /// A number as [`parse`] reads it, in range.
            fn from_str(text: &str) -> Result<Self, ParameterError> {
                Self::new(parse(text)?).map_err(|error| ParameterError::Range(error.into()))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = ParameterError;

            fn try_from(text: &str) -> Result<Self, ParameterError> {
                text.parse()
            }
        }

        impl From<$error> for RangeError {
            fn from(error: $error) -> Self {
                Self::$name(error)
            }
        }

        impl TryFrom<Rational> for $name {
            type Error = $error;
            fn try_from(value: Rational) -> Result<Self, $error> {
                Self::new(value)
            }
        }
    };
}

ranged_rational!(Positive, NotPositiveError, |value: &Rational| value.is_positive());
ranged_rational!(NonNegative, NegativeError, |value: &Rational| !value.is_negative());
ranged_rational!(Probability, NotProbabilityError, |value: &Rational| !value.is_negative()
    && *value <= Rational::one());

impl Positive {
    /// The square, positive too.
    #[must_use]
    pub fn square(&self) -> Self {
        Self(&self.0 * &self.0)
    }
}

impl NonNegative {
    /// 0.
    #[must_use]
    pub fn zero() -> Self {
        Self(Rational::zero())
    }

    /// 1.
    #[must_use]
    pub fn one() -> Self {
        Self(Rational::one())
    }
}

impl From<Probability> for NonNegative {
    fn from(value: Probability) -> Self {
        Self(value.0)
    }
}

impl From<Positive> for NonNegative {
    fn from(value: Positive) -> Self {
        Self(value.0)
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/exact/rational.rs"]
mod proofs;
