//! Outputs in Arrow's memory: a column, which may be in several parts. Null is no output.

use arrow_array::{Array, ArrayRef, cast::AsArray, types};
use arrow_schema::DataType;
use certus_audit::outputs::Recording;
use pyo3::{exceptions::PyTypeError, prelude::*};
use pyo3_arrow::input::AnyArray;

use crate::{
    lines::{check_length, string},
    number::type_name,
    outputs::{Entry, Kind, chunks, line},
};

/// A column of a type that is recorded.
pub(crate) struct Column {
    parts: Vec<ArrayRef>,
    kind: Kind,
}

/// Reads a column by Arrow's PyCapsule interface; refusals begin with the name.
pub(crate) fn column(outputs: &Bound<'_, PyAny>, name: &str) -> PyResult<Column> {
    let refused = |what: &str| {
        let must = "must be an Arrow array of integers, floats, booleans or text";
        PyTypeError::new_err(format!("{name}: {must}, not {what}"))
    };
    let any: AnyArray = outputs.extract().map_err(|_| refused(&type_name(outputs)))?;
    let (parts, field) = any.into_chunked_array()?.into_inner();
    let kind = kind(field.data_type()).ok_or_else(|| refused(&field.data_type().to_string()))?;
    let column = Column { parts, kind };
    column.check(name)?;
    Ok(column)
}

fn kind(of: &DataType) -> Option<Kind> {
    Some(match of {
        DataType::Null => "nothing",
        DataType::Boolean => "booleans",
        DataType::Float32 => "float32",
        DataType::Float64 => "float64",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        of if of.is_integer() => "integers",
        _ => return None,
    })
}

impl Column {
    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.iter().map(|part| part.len()).sum()
    }

    /// That no text is too long.
    fn check(&self, name: &str) -> PyResult<()> {
        for part in &self.parts {
            let mut longest = 0;
            texts(part, &mut |text| longest = longest.max(text.map_or(0, |text| string(text).len())), 0, part.len());
            check_length(longest, name)?;
        }
        Ok(())
    }

    pub(crate) fn record(&self, py: Python<'_>, to: &mut Recording) -> PyResult<()> {
        for part in &self.parts {
            chunks(py, part.len(), to, |from, until, to| record(part, from, until, to))?;
        }
        Ok(())
    }
}

fn record(part: &ArrayRef, from: usize, until: usize, to: &mut Recording) {
    macro_rules! numbers {
        ($($data:ident => $arrow:ident as $wide:ty),* $(,)?) => {
            match part.data_type() {
                $(DataType::$data => {
                    let part = part.as_primitive::<types::$arrow>();
                    let values = part.values().get(from..until).unwrap_or_default();
                    entries::<$wide>(part, values.iter().map(|value| <$wide>::from(*value)), from, to);
                })*
                DataType::Boolean => {
                    let part = part.as_boolean();
                    entries::<bool>(part, part.values().slice(from, until - from).iter(), from, to);
                }
                DataType::Null => (from..until).for_each(|_| line("", to)),
                _ => texts(part, &mut |text| line(&text.map(string).unwrap_or_default(), to), from, until),
            }
        };
    }
    numbers! {
        Int8 => Int8Type as i64, Int16 => Int16Type as i64, Int32 => Int32Type as i64, Int64 => Int64Type as i64,
        UInt8 => UInt8Type as i64, UInt16 => UInt16Type as i64, UInt32 => UInt32Type as i64,
        UInt64 => UInt64Type as u64, Float32 => Float32Type as f32, Float64 => Float64Type as f64,
    }
}

/// Records entries from a place on, and nothing where one is null.
fn entries<T: Entry>(part: &dyn Array, values: impl Iterator<Item = T>, from: usize, to: &mut Recording) {
    if part.null_count() == 0 {
        T::record(&values.collect::<Vec<T>>(), to);
        return;
    }
    for (place, value) in (from..).zip(values) {
        if part.is_null(place) { line("", to) } else { T::record(&[value], to) }
    }
}

/// Hands out the texts of a column of text, and `None` where one is null; nothing of another column.
fn texts(part: &ArrayRef, take: &mut dyn FnMut(Option<&str>), from: usize, until: usize) {
    let (skip, count) = (from, until - from);
    match part.data_type() {
        DataType::Utf8 => part.as_string::<i32>().iter().skip(skip).take(count).for_each(take),
        DataType::LargeUtf8 => part.as_string::<i64>().iter().skip(skip).take(count).for_each(take),
        DataType::Utf8View => part.as_string_view().iter().skip(skip).take(count).for_each(take),
        _ => {}
    }
}
