//! Enclosures: closed intervals that contain the truth, as objects with two `Fraction`s and a short text.

use std::fmt;

use certus::exact::{self, Rational, Real, Rounding, decimal, render};
use pyo3::prelude::*;

use crate::number::{Role, number, to_fraction};

/// Digits of the short text.
const SHOWN_DIGITS: u32 = 6;

/// Binary digits of a number that is not rational, such as ln 3.
const REAL_BITS: u32 = 128;

/// A number that is known to be from `lower` to `upper`, both of them exact fractions.
#[pyclass(module = "certus", frozen, subclass, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct Enclosure {
    lower: Rational,
    upper: Rational,
}

impl Enclosure {
    /// A number that is known exactly.
    pub(crate) fn exactly(value: &Rational) -> Self {
        Self { lower: value.clone(), upper: value.clone() }
    }

    /// A real number; nothing if it has no value.
    pub(crate) fn of_real(value: &Real) -> Option<Self> {
        value.exact().map(Self::exactly).or_else(|| value.enclose(REAL_BITS).as_ref().map(Self::from))
    }
}

impl From<&exact::Enclosure> for Enclosure {
    fn from(found: &exact::Enclosure) -> Self {
        Self { lower: found.lower(), upper: found.upper() }
    }
}

impl fmt::Display for Enclosure {
    /// Six digits of each bound, rounded outward.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lower, upper) =
            (decimal(&self.lower, SHOWN_DIGITS, Rounding::Down), decimal(&self.upper, SHOWN_DIGITS, Rounding::Up));
        match (self.lower == self.upper, lower == upper) {
            (true, true) => f.write_str(&lower),
            (true, false) => f.write_str(&render(&self.lower)),
            _ => write!(f, "[{lower}, {upper}]"),
        }
    }
}

#[pymethods]
impl Enclosure {
    /// The lower bound, a Fraction.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, &self.lower)
    }

    /// The upper bound, a Fraction.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, &self.upper)
    }

    /// upper - lower, a Fraction.
    #[getter]
    fn width<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, &(&self.upper - &self.lower))
    }

    /// Whether lower = upper: the number is then known exactly.
    #[getter]
    fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether a number is from lower to upper; a float is what it prints as.
    fn __contains__(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(number(value, Role::Parameter, "value")?.is_some_and(|value| self.lower <= value && value <= self.upper))
    }

    fn __str__(&self) -> String {
        self.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Enclosure {self}>")
    }
}
