//! What any mechanism releases, as one type that prints as a line of text.

use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::exact::{Integer, Rational, render};

/// A release of any mechanism of the catalogue.
///
/// It prints as one line: an integer; a rational as exact text (`7/100`); a word; a comma-separated vector; and an empty line for "no output". Within a
/// vector, "no output" is `-`. No two outputs of one mechanism print alike.
///
/// ```
/// use certus::mechanism::Output;
///
/// let answers = Output::Vector(vec![Output::Nothing, Output::Integer(41.into())]);
/// assert_eq!(answers.to_string(), "-,41");
/// assert_eq!(Output::Nothing.to_string(), "");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Output {
    /// No output.
    Nothing,
    /// An integer, an index, or a bit.
    Integer(Integer),
    /// A rational.
    Rational(Rational),
    /// A word: no comma, no space.
    Word(String),
    /// Several.
    Vector(Vec<Output>),
}

impl fmt::Display for Output {
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

/// What a program returns, as an [`Output`]; different values give different outputs.
pub trait ToOutput {
    /// The output.
    fn to_output(&self) -> Output;
}

impl ToOutput for Integer {
    fn to_output(&self) -> Output {
        Output::Integer(self.clone())
    }
}

impl ToOutput for Rational {
    fn to_output(&self) -> Output {
        Output::Rational(self.clone())
    }
}

impl ToOutput for usize {
    fn to_output(&self) -> Output {
        Output::Integer(Integer::from(num_bigint::BigInt::from(*self)))
    }
}

impl ToOutput for bool {
    fn to_output(&self) -> Output {
        Output::Integer(Integer::from(i64::from(*self)))
    }
}

/// A key and its noisy count: `key:count`. A key has no colon.
impl ToOutput for (String, Integer) {
    fn to_output(&self) -> Output {
        Output::Word(alloc::format!("{}:{}", self.0, self.1))
    }
}

impl<T: ToOutput> ToOutput for Option<T> {
    fn to_output(&self) -> Output {
        self.as_ref().map_or(Output::Nothing, T::to_output)
    }
}

impl<T: ToOutput> ToOutput for Vec<T> {
    fn to_output(&self) -> Output {
        Output::Vector(self.iter().map(T::to_output).collect())
    }
}
