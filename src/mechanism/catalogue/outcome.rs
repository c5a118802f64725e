//! What any mechanism releases, as one type that prints as a line of text.

use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::exact::{Integer, Rational, render};

/// A release of any mechanism of the catalogue.
///
/// It prints as one line: an integer; a rational as exact text (`7/100`); a word; a comma-separated vector;
/// and an empty line for "no output". Within a vector, "no output" is `-`. No two outputs of one mechanism
/// print alike.
///
/// ```
/// use certus::mechanism::Outcome;
///
/// let answers = Outcome::Vector(vec![Outcome::Nothing, Outcome::Integer(41.into())]);
/// assert_eq!(answers.to_string(), "-,41");
/// assert_eq!(Outcome::Nothing.to_string(), "");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Outcome {
    /// No output.
    Nothing,
    /// An integer, an index, or a bit.
    Integer(Integer),
    /// A rational.
    Rational(Rational),
    /// A word: no comma, no space.
    Word(String),
    /// Several.
    Vector(Vec<Outcome>),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Integer(value) => value.fmt(f),
            Self::Rational(value) => f.write_str(&render(value)),
            Self::Word(word) => f.write_str(word),
            Self::Vector(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    match entry {
                        Self::Nothing => f.write_str("-")?,
                        entry => entry.fmt(f)?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// What a program returns, as an [`Outcome`]; different values give different outputs.
pub trait ToOutcome {
    /// The output.
    fn to_outcome(&self) -> Outcome;
}

impl ToOutcome for Integer {
    fn to_outcome(&self) -> Outcome {
        Outcome::Integer(self.clone())
    }
}

impl ToOutcome for Rational {
    fn to_outcome(&self) -> Outcome {
        Outcome::Rational(self.clone())
    }
}

impl ToOutcome for usize {
    fn to_outcome(&self) -> Outcome {
        Outcome::Integer(Integer::from(num_bigint::BigInt::from(*self)))
    }
}

impl ToOutcome for bool {
    fn to_outcome(&self) -> Outcome {
        Outcome::Integer(Integer::from(i64::from(*self)))
    }
}

/// A key and its noisy count: `key:count`. A key has no colon.
impl ToOutcome for (String, Integer) {
    fn to_outcome(&self) -> Outcome {
        Outcome::Word(alloc::format!("{}:{}", self.0, self.1))
    }
}

impl<T: ToOutcome> ToOutcome for Option<T> {
    fn to_outcome(&self) -> Outcome {
        self.as_ref().map_or(Outcome::Nothing, T::to_outcome)
    }
}

impl<T: ToOutcome> ToOutcome for Vec<T> {
    fn to_outcome(&self) -> Outcome {
        Outcome::Vector(self.iter().map(T::to_outcome).collect())
    }
}
