//! Outputs of anybody's mechanism, as Python holds them: arrays of numpy, Arrow, and lists of objects.
//!
//! An output is a line of text (`certus_audit::outputs::Output`), and different values are different lines:
//!
//! | value | line |
//! | --- | --- |
//! | `None` | empty: no output |
//! | `int` | its digits |
//! | `float` | the shortest text that reads back as the same bits; a nan shows its sign and payload |
//! | `bool` | `true`, `false` |
//! | `Fraction` | `7/4` |
//! | `str`, and `bytes` as UTF-8 | as it is, or in quotes where it could be another value |
//! | a tuple or list, a row of a 2-D array | entries with commas; in brackets if nested, or fewer than two |
//!
//! That is the command's table of JSON values, so that `certus tally --format ndjson` counts the same.

use std::fmt::Write as _;

use certus_audit::outputs::{Output, Recording};
use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, dtype};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyList, PyTuple},
};

use crate::{
    arrow,
    lines::{Lines, objects},
    number::type_name,
};

/// The outputs that are recorded between two looks for Ctrl-C: some hundredths of a second.
const CHUNK: usize = 1 << 21;

/// What was accepted, for every refusal.
pub(crate) const ACCEPTED: &str = "must be a numpy array of one or two dimensions, an Arrow array or a list of outputs";

/// Outputs of one batch, read and checked: recording them cannot fail.
pub(crate) enum Batch<'py> {
    Integers(Bound<'py, PyArrayDyn<i64>>),
    Words(Bound<'py, PyArrayDyn<u64>>),
    Doubles(Bound<'py, PyArrayDyn<f64>>),
    Singles(Bound<'py, PyArrayDyn<f32>>),
    Booleans(Bound<'py, PyArrayDyn<bool>>),
    Arrow(arrow::Column),
    Lines(Lines),
}

/// What a batch holds, in words: what does not change from batch to batch.
pub(crate) type Kind = &'static str;

/// Reads a batch; refusals begin with the name.
pub(crate) fn read<'py>(outputs: &Bound<'py, PyAny>, name: &str) -> PyResult<(Batch<'py>, Kind)> {
    let py = outputs.py();
    if outputs.is_instance_of::<PyList>() || outputs.is_instance_of::<PyTuple>() {
        return Ok((Batch::Lines(objects(outputs, name)?), "a list"));
    }
    if let Ok(array) = outputs.cast::<PyUntypedArray>() {
        let numpy = py.import("numpy")?;
        if outputs.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
            // Masked entries are None there.
            return Ok((Batch::Lines(objects(&outputs.call_method0("tolist")?, name)?), "a masked array"));
        }
        return numbers(array, name);
    }
    // A column of pandas needs pyarrow for Arrow, and nothing for numpy.
    let is_pandas = outputs.hasattr("iloc")? && outputs.hasattr("to_numpy")?;
    if !is_pandas && (outputs.hasattr("__arrow_c_array__")? || outputs.hasattr("__arrow_c_stream__")?) {
        let column = arrow::column(outputs, name)?;
        let kind = column.kind();
        return Ok((Batch::Arrow(column), kind));
    }
    if outputs.hasattr("__array__")? {
        let array = py.import("numpy")?.call_method1("asarray", (outputs,))?;
        return numbers(array.cast::<PyUntypedArray>()?, name);
    }
    Err(PyTypeError::new_err(format!("{name}: {ACCEPTED}, not {}", type_name(outputs))))
}

/// An array of numpy, as contiguous numbers of this machine, or as lines.
fn numbers<'py>(array: &Bound<'py, PyUntypedArray>, name: &str) -> PyResult<(Batch<'py>, Kind)> {
    let (dtype, dimensions) = (array.dtype(), array.ndim());
    let refused = |what: String| PyTypeError::new_err(format!("{name}: {what}"));
    if !(1..=2).contains(&dimensions) {
        return Err(refused(format!("must have one or two dimensions, not {dimensions}: a row is one output")));
    }
    // One column is its entries.
    let array = match array.shape() {
        [_, 1] => &array.call_method1("reshape", (-1,))?.cast_into::<PyUntypedArray>()?,
        _ => array,
    };
    Ok(match (dtype.kind(), dtype.itemsize()) {
        (b'i', _) | (b'u', 1..=4) => (Batch::Integers(contiguous(array)?), "integers"),
        (b'u', 8) => (Batch::Words(contiguous(array)?), "integers"),
        (b'f', 8) => (Batch::Doubles(contiguous(array)?), "float64"),
        (b'f', 4) => (Batch::Singles(contiguous(array)?), "float32"),
        (b'f', 2) => (Batch::Singles(contiguous(array)?), "float16"),
        (b'b', _) => (Batch::Booleans(contiguous(array)?), "booleans"),
        (b'U' | b'S' | b'T', _) => (Batch::Lines(objects(&array.call_method0("tolist")?, name)?), "text"),
        (b'V', _) if dtype.has_fields() => {
            (Batch::Lines(objects(&array.call_method0("tolist")?, name)?), "a structured array")
        }
        (b'O', _) => {
            return Err(refused(
                "must not be an array of objects: give a list of int, float, str, tuple or None".into(),
            ));
        }
        _ => return Err(refused(format!("must be of integers, float64, float32, booleans or text, not {dtype}"))),
    })
}

/// As an array of this type, row by row; itself if it is one.
fn contiguous<'py, T: Element>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = array.py();
    let array = py.import("numpy")?.call_method1("ascontiguousarray", (array, dtype::<T>(py)))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

impl Batch<'_> {
    /// How many outputs there are.
    pub(crate) fn len(&self) -> usize {
        let rows = |shape: &[usize]| shape.first().copied().unwrap_or(0);
        match self {
            Self::Integers(array) => rows(array.shape()),
            Self::Words(array) => rows(array.shape()),
            Self::Doubles(array) => rows(array.shape()),
            Self::Singles(array) => rows(array.shape()),
            Self::Booleans(array) => rows(array.shape()),
            Self::Arrow(column) => column.len(),
            Self::Lines(lines) => lines.len(),
        }
    }

    /// Records all of it, without the interpreter's lock, with a look for Ctrl-C now and then: then it has
    /// recorded a part.
    pub(crate) fn record(self, py: Python<'_>, to: &mut Recording) -> PyResult<()> {
        match self {
            Self::Integers(array) => entries(py, &array, to),
            Self::Words(array) => entries(py, &array, to),
            Self::Doubles(array) => entries(py, &array, to),
            Self::Singles(array) => entries(py, &array, to),
            Self::Booleans(array) => entries(py, &array, to),
            Self::Arrow(column) => column.record(py, to),
            Self::Lines(lines) => lines.record(py, to),
        }
    }
}

/// An entry of an array.
pub(crate) trait Entry: Copy + Sync {
    /// Records outputs that are one entry each.
    fn record(values: &[Self], to: &mut Recording);
    /// Appends its text, as a part of a vector.
    fn write(self, to: &mut String);
}

impl Entry for i64 {
    fn record(values: &[Self], to: &mut Recording) {
        to.integers(values);
    }

    fn write(self, to: &mut String) {
        // A string takes all that is written; likewise below.
        let _ = write!(to, "{self}");
    }
}

impl Entry for u64 {
    fn record(values: &[Self], to: &mut Recording) {
        for &value in values {
            match i64::try_from(value) {
                Ok(value) => to.integer(value),
                Err(_) => line(&value.to_string(), to),
            }
        }
    }

    fn write(self, to: &mut String) {
        let _ = write!(to, "{self}");
    }
}

impl Entry for f64 {
    fn record(values: &[Self], to: &mut Recording) {
        to.floats(values);
    }

    fn write(self, to: &mut String) {
        let _ = write!(to, "{}", Output::from(self));
    }
}

impl Entry for f32 {
    fn record(values: &[Self], to: &mut Recording) {
        let wide: Vec<f64> = values.iter().map(|&value| widened(value)).collect();
        to.floats(&wide);
    }

    fn write(self, to: &mut String) {
        widened(self).write(to);
    }
}

impl Entry for bool {
    fn record(values: &[Self], to: &mut Recording) {
        for &value in values {
            line(if value { "true" } else { "false" }, to);
        }
    }

    fn write(self, to: &mut String) {
        to.push_str(if self { "true" } else { "false" });
    }
}

/// The same number as a float64, and of a nan the same sign and payload: a conversion by the processor would
/// make a signalling nan quiet.
pub(crate) fn widened(value: f32) -> f64 {
    if !value.is_nan() {
        return f64::from(value);
    }
    let bits = u64::from(value.to_bits());
    let (sign, payload) = (bits >> 31, bits & 0x7F_FFFF);
    f64::from_bits((sign << 63) | (0x7FF << 52) | (payload << 29))
}

/// Records a line of text.
pub(crate) fn line(text: &str, to: &mut Recording) {
    // Text is UTF-8, so this is no error.
    let _ = to.line(text.as_bytes());
}

/// Records the entries of an array of one dimension, or the rows of one of two.
fn entries<T: Entry + Element>(py: Python<'_>, array: &Bound<'_, PyArrayDyn<T>>, to: &mut Recording) -> PyResult<()> {
    let in_use = |_| PyValueError::new_err("outputs: must not be in use by another call");
    let array = array.try_readonly().map_err(in_use)?;
    let values = array.as_slice()?;
    match array.shape() {
        [rows, columns] => {
            let columns = *columns;
            chunks(py, *rows, to, |from, until, to| {
                let mut text = String::new();
                let rows = values.get(from * columns..until * columns).unwrap_or_default();
                // No columns are no entries, however many rows there are.
                if columns == 0 {
                    (from..until).for_each(|_| line("[]", to));
                }
                for row in rows.chunks_exact(columns.max(1)) {
                    text.clear();
                    for (place, &entry) in row.iter().enumerate() {
                        if place > 0 {
                            text.push(',');
                        }
                        entry.write(&mut text);
                    }
                    line(&text, to);
                }
            })
        }
        _ => chunks(py, values.len(), to, |from, until, to| {
            T::record(values.get(from..until).unwrap_or_default(), to);
        }),
    }
}

/// Does the work from 0 to `length` in parts, without the interpreter's lock; between them it looks for
/// Ctrl-C.
pub(crate) fn chunks(
    py: Python<'_>,
    length: usize,
    to: &mut Recording,
    work: impl Fn(usize, usize, &mut Recording) + Sync,
) -> PyResult<()> {
    let mut from = 0;
    while from < length {
        let until = length.min(from + CHUNK);
        py.detach(|| work(from, until, to));
        py.check_signals()?;
        from = until;
    }
    Ok(())
}
