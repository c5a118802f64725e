//! Numbers that cross the border, exactly: Python's into rationals, and back.
//!
//! A parameter may be an `int`, a `fractions.Fraction`, a `decimal.Decimal`, text as the command reads it, or
//! a `float`, which is taken for what it prints as: 0.1 is 1/10.

use certus::exact::{BigInt, Integer, NonNegative, Positive, Probability, Rational, parse};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    sync::PyOnceLock,
    types::{PyBool, PyFloat, PyInt, PyString, PyType},
};

/// The most binary digits of a numerator or denominator, as an account has it.
const MOST_BITS: u64 = 8192;

/// What a parameter may be.
const ACCEPTED: &str = "must be an int, a Fraction, a Decimal, a float or text such as '0.1' or '1/3'";

/// A refusal that names the argument.
pub(crate) fn refused(name: &str, why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {why}"))
}

/// The class of a module of Python, imported at first use.
fn class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    path: (&str, &str),
) -> PyResult<&'py Bound<'py, PyType>> {
    cell.import(py, path.0, path.1)
}

/// `fractions.Fraction`.
fn fraction_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    class(py, &CLASS, ("fractions", "Fraction"))
}

/// `decimal.Decimal`.
fn decimal_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    class(py, &CLASS, ("decimal", "Decimal"))
}

/// What a number is read for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A float is what it prints as.
    Parameter,
    /// A float is the dyadic number that it is.
    Data,
}

/// The number that a Python object is; nothing if it is of no accepted type.
pub(crate) fn number(value: &Bound<'_, PyAny>, role: Role, name: &str) -> PyResult<Option<Rational>> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Ok((role == Role::Data)
            .then(|| Rational::from_integer(BigInt::from(u8::from(value.is_truthy().unwrap_or(false))))));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value).map(|value| Some(Rational::from_integer(value)));
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return of_float(float.value(), role)
            .map(Some)
            .ok_or_else(|| refused(name, "must be finite: not nan or infinity"));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return parse(text.to_str()?).map(Some).map_err(|error| refused(name, error));
    }
    if value.is_instance(fraction_class(py)?)? {
        let (numerator, denominator) =
            (integer(&value.getattr("numerator")?)?, integer(&value.getattr("denominator")?)?);
        return Ok(Some(Rational::new(numerator, denominator)));
    }
    if value.is_instance(decimal_class(py)?)? {
        if !value.call_method0("is_finite")?.is_truthy()? {
            return Err(refused(name, "must be finite: not nan or infinity"));
        }
        // As text: an exponent of a billion is refused before it is written out.
        return parse(value.str()?.to_str()?).map(Some).map_err(|error| refused(name, error));
    }
    // The integers of numpy.
    match value.call_method0("__index__") {
        Ok(index) => integer(&index).map(|value| Some(Rational::from_integer(value))),
        Err(_) => Ok(None),
    }
}

/// The number of a float; nothing if it is not finite.
fn of_float(float: f64, role: Role) -> Option<Rational> {
    match role {
        // The shortest digits that read back as the float: those of Python's `repr`.
        Role::Parameter => parse(&format!("{float:e}")).ok(),
        Role::Data => certus::exact::from_f64(float).ok(),
    }
}

/// A parameter.
pub(crate) fn rational(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Rational> {
    let number = number(value, Role::Parameter, name)?;
    let number = number.ok_or_else(|| PyTypeError::new_err(format!("{name}: {ACCEPTED}, not {}", type_name(value))))?;
    if number.numer().bits().max(number.denom().bits()) > MOST_BITS {
        return Err(refused(name, format_args!("must have at most {MOST_BITS} binary digits")));
    }
    Ok(number)
}

/// A parameter as a `Fraction`, for the package's own modules.
#[pyfunction(name = "_rational")]
pub(crate) fn exactly<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    to_fraction(value.py(), &rational(value, name)?)
}

/// A positive parameter.
pub(crate) fn positive(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Positive> {
    Positive::new(rational(value, name)?).map_err(|error| refused(name, error))
}

/// A parameter of 0 or more.
pub(crate) fn non_negative(value: &Bound<'_, PyAny>, name: &str) -> PyResult<NonNegative> {
    NonNegative::new(rational(value, name)?).map_err(|error| refused(name, error))
}

/// A parameter from 0 to 1.
pub(crate) fn probability(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Probability> {
    Probability::new(rational(value, name)?).map_err(|error| refused(name, error))
}

/// A count from `least` to `most`.
pub(crate) fn count(value: &Bound<'_, PyAny>, name: &str, least: u64, most: u64) -> PyResult<u64> {
    let number = rational(value, name)?;
    let count = if number.is_integer() { u64::try_from(number.to_integer()).ok() } else { None };
    count
        .filter(|count| (least..=most).contains(count))
        .ok_or_else(|| refused(name, format_args!("must be an integer from {least} to {most}")))
}

/// The name of an object's type: all that a refusal says of an object.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "another type".to_owned(), |name| name.to_string())
}

/// A Python integer of any size.
pub(crate) fn integer(value: &Bound<'_, PyAny>) -> PyResult<BigInt> {
    if let Ok(word) = value.extract::<i64>() {
        return Ok(BigInt::from(word));
    }
    // In hexadecimal, which takes time in proportion to its digits; of `int` itself, whatever a subclass
    // prints.
    let text = value.py().get_type::<PyInt>().call_method1("__format__", (value, "x"))?;
    let text = text.cast::<PyString>()?.to_str()?.as_bytes();
    BigInt::parse_bytes(text, 16).ok_or_else(|| PyTypeError::new_err("must be an int"))
}

/// A Python integer, from one of any size.
pub(crate) fn to_int<'py>(py: Python<'py>, value: &Integer) -> PyResult<Bound<'py, PyAny>> {
    match value.to_i64() {
        Some(word) => Ok(word.into_pyobject(py)?.into_any()),
        None => big_to_int(py, &value.to_big()),
    }
}

fn big_to_int<'py>(py: Python<'py>, value: &BigInt) -> PyResult<Bound<'py, PyAny>> {
    match i64::try_from(value) {
        Ok(word) => Ok(word.into_pyobject(py)?.into_any()),
        Err(_) => py.get_type::<PyInt>().call1((value.to_str_radix(16), 16)),
    }
}

/// A `Fraction`.
pub(crate) fn to_fraction<'py>(py: Python<'py>, value: &Rational) -> PyResult<Bound<'py, PyAny>> {
    fraction_class(py)?.call1((big_to_int(py, value.numer())?, big_to_int(py, value.denom())?))
}
