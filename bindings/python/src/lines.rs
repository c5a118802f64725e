//! Python's objects as lines of text, one an output: the table of `outputs`.

use std::fmt::Write as _;

use certus_audit::outputs::{LONGEST_LINE_BYTES, Output, Recording};
use certus_cli::report::word;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple},
};

use crate::{
    number::{integer, type_name},
    outputs::{chunks, line},
};

/// The most lists and tuples that a value may be within.
const DEEPEST: u32 = 100;

/// Lines in one buffer, each by its end.
#[derive(Default)]
pub(crate) struct Lines {
    text: String,
    ends: Vec<usize>,
}

impl Lines {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn record(&self, py: Python<'_>, to: &mut Recording) -> PyResult<()> {
        chunks(py, self.ends.len(), to, |from, until, to| {
            let mut start = from.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0);
            for &end in self.ends.get(from..until).unwrap_or_default() {
                line(self.text.get(start..end).unwrap_or_default(), to);
                start = end;
            }
        })
    }
}

/// The outputs of a list or tuple; refusals begin with the name.
pub(crate) fn objects(outputs: &Bound<'_, PyAny>, name: &str) -> PyResult<Lines> {
    let mut lines = Lines::default();
    for output in outputs.try_iter()? {
        let before = lines.text.len();
        whole(&output?, name, &mut lines.text)?;
        check_length(lines.text.len() - before, name)?;
        lines.ends.push(lines.text.len());
    }
    Ok(lines)
}

/// Refuses a line that no tally takes.
pub(crate) fn check_length(bytes: usize, name: &str) -> PyResult<()> {
    if bytes > LONGEST_LINE_BYTES {
        let must = format!("{name}: an output must have at most {LONGEST_LINE_BYTES} bytes as text");
        return Err(PyValueError::new_err(must));
    }
    Ok(())
}

/// A whole output: nothing for None, and no brackets around two entries or more.
fn whole(value: &Bound<'_, PyAny>, name: &str, to: &mut String) -> PyResult<()> {
    if value.is_none() {
        return Ok(());
    }
    let plain = plain(value)?;
    match sequence(&plain) {
        Some(entries) if entries.len()? > 1 => joined(entries, name, 1, to),
        _ => part(&plain, name, 0, to),
    }
}

/// The scalars and arrays of numpy as Python's own; all else as it is.
fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_own = value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyString>();
    if is_own || !value.hasattr("dtype")? || !value.hasattr("tolist")? {
        return Ok(value.clone());
    }
    value.call_method0("tolist")
}

fn sequence<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyAny>> {
    (value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>()).then_some(value)
}

fn joined(entries: &Bound<'_, PyAny>, name: &str, depth: u32, to: &mut String) -> PyResult<()> {
    for (place, entry) in entries.try_iter()?.enumerate() {
        if place > 0 {
            to.push(',');
        }
        part(&plain(&entry?)?, name, depth, to)?;
    }
    Ok(())
}

/// An entry, or a whole output that is no vector.
fn part(value: &Bound<'_, PyAny>, name: &str, depth: u32, to: &mut String) -> PyResult<()> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err(format!("{name}: an output is within at most {DEEPEST} lists and tuples")));
    }
    if value.is_none() {
        to.push_str("null");
    } else if value.is_instance_of::<PyBool>() {
        to.push_str(if value.is_truthy()? { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() {
        // A string takes all that is written; likewise below.
        let _ = write!(to, "{}", integer(value)?);
    } else if let Ok(float) = value.cast::<PyFloat>() {
        let _ = write!(to, "{}", Output::from(float.value()));
    } else if let Ok(text) = value.cast::<PyString>() {
        to.push_str(&string(text.to_str()?));
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        let text = core::str::from_utf8(bytes.as_bytes());
        let not_text = |_| PyValueError::new_err(format!("{name}: bytes must be UTF-8 text"));
        to.push_str(&string(text.map_err(not_text)?));
    } else if let Some(entries) = sequence(value) {
        to.push('[');
        joined(entries, name, depth + 1, to)?;
        to.push(']');
    } else if value.is_instance(&value.py().import("fractions")?.getattr("Fraction")?)? {
        let (over, under) = (integer(&value.getattr("numerator")?)?, integer(&value.getattr("denominator")?)?);
        let _ = write!(to, "{over}");
        if under != 1.into() {
            let _ = write!(to, "/{under}");
        }
    } else {
        let must = "an output must be int, float, bool, str, bytes, Fraction, None, or a tuple or list of these";
        return Err(PyTypeError::new_err(format!("{name}: {must}, not {}", type_name(value))));
    }
    Ok(())
}

/// The line of a string: in quotes where it could be taken for a number or another value.
///
/// JSON has no nan and no infinity, hence its table says nothing of them.
pub(crate) fn string(text: &str) -> String {
    if matches!(text, "NaN" | "inf") || text.starts_with("nan:") {
        return format!("\"{text}\"");
    }
    word(text)
}
