//! Data of Python, as the text that mechanisms read, and what they release, as Python's objects.
//!
//! A refusal never repeats data, which are private: it says what is accepted, and the type that was met.

use certus::{exact::render, mechanism::Outcome};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyBytes, PyFrozenSet, PyList, PySequence, PySet, PyString},
};

use crate::capsule;
use crate::number::{Role, number, refused, to_fraction, to_int, type_name};

/// What separates in the text, and hence is in no key.
const SEPARATORS: [char; 4] = [',', ';', ' ', '\t'];

/// What a mechanism runs on, as far as its text is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A number, or numbers.
    Numbers,
    /// People, each with keys.
    People,
}

/// The text of data: text as the command takes it, a number, a sequence or array of numbers, or for people a
/// sequence of each one's keys. A float is the dyadic number that it is.
pub(crate) fn to_text(data: &Bound<'_, PyAny>, shape: Shape) -> PyResult<String> {
    if let Ok(text) = data.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    // Arrays and scalars of numpy; and columns of Arrow, which may have nulls.
    let data = match capsule::chunks(data, "data")? {
        Some(chunks) => &capsule::to_list(data.py(), &chunks, "data")?.into_any(),
        None if data.hasattr("tolist")? => &data.call_method0("tolist")?,
        None => data,
    };
    match shape {
        Shape::People => joined(&entries(data, "a sequence of people")?, ";", person),
        Shape::Numbers if data.cast::<PySequence>().is_ok() => {
            joined(&entries(data, "a number or a sequence of numbers")?, ",", entry)
        }
        Shape::Numbers => entry(data),
    }
}

fn joined(
    entries: &[Bound<'_, PyAny>],
    separator: &str,
    text: impl Fn(&Bound<'_, PyAny>) -> PyResult<String>,
) -> PyResult<String> {
    Ok(entries.iter().map(text).collect::<PyResult<Vec<_>>>()?.join(separator))
}

/// What a sequence holds. Text and bytes are sequences, too, and not meant.
fn entries<'py>(data: &Bound<'py, PyAny>, must: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_text = data.is_instance_of::<PyString>() || data.is_instance_of::<PyBytes>();
    let is_set = data.is_instance_of::<PySet>() || data.is_instance_of::<PyFrozenSet>();
    if is_text || !(is_set || data.cast::<PySequence>().is_ok()) {
        return Err(PyTypeError::new_err(format!("data: must be {must}, not {}", type_name(data))));
    }
    data.try_iter()?.collect()
}

fn entry(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let found = number(value, Role::Data, "data")?;
    let must = || PyTypeError::new_err(format!("data: must be numbers, not {}", type_name(value)));
    Ok(render(&found.ok_or_else(must)?))
}

/// One person's keys.
fn person(keys: &Bound<'_, PyAny>) -> PyResult<String> {
    joined(&entries(keys, "a sequence of people, each a sequence of keys")?, ",", |key| {
        let Ok(text) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!("data: keys must be text, not {}", type_name(key))));
        };
        let text = text.to_str()?;
        if text.is_empty() || text.contains(SEPARATORS) {
            return Err(refused("data", "a key must not be empty, or have a space, comma or semicolon"));
        }
        Ok(text.to_owned())
    })
}

/// What was released: None, an int, a Fraction, text, or a list of these.
pub(crate) fn to_object<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyAny>> {
    match outcome {
        Outcome::Nothing => Ok(py.None().into_bound(py)),
        Outcome::Integer(value) => to_int(py, value),
        Outcome::Rational(value) => to_fraction(py, value),
        Outcome::Word(word) => Ok(PyString::new(py, word).into_any()),
        Outcome::Vector(entries) => {
            let entries = entries.iter().map(|entry| to_object(py, entry)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, entries)?.into_any())
        }
        // Whatever comes later prints as a line.
        other => Ok(PyString::new(py, &other.to_string()).into_any()),
    }
}
