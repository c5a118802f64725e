//! Columns of Arrow, in and out by the PyCapsule interface: pyarrow, polars, pandas and whoever else speaks
//! it. What comes in is read where it lies; a column with nulls is refused.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, cast::AsArray as _, types};
use arrow_schema::{DataType, Field, FieldRef};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyCapsule, PyList, PyTuple},
};
use pyo3_arrow::{ffi, input::AnyArray};

use crate::number::refused;

/// The chunks of a column, if the object is one.
pub(crate) fn chunks(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Vec<ArrayRef>>> {
    if !value.hasattr("__arrow_c_array__")? && !value.hasattr("__arrow_c_stream__")? {
        return Ok(None);
    }
    let reader = value.extract::<AnyArray>()?.into_reader()?;
    let chunks: Vec<ArrayRef> =
        reader.collect::<Result<_, _>>().map_err(|_| refused(name, "the Arrow column cannot be read"))?;
    if chunks.iter().any(|chunk| chunk.logical_null_count() > 0) {
        return Err(refused(name, "must have no nulls"));
    }
    Ok(Some(chunks))
}

/// The chunks of a column of int64.
pub(crate) fn words(chunks: &[ArrayRef], name: &str) -> PyResult<Vec<Int64Array>> {
    let word = |chunk: &ArrayRef| {
        chunk.as_primitive_opt::<types::Int64Type>().cloned().ok_or_else(|| {
            PyTypeError::new_err(format!("{name}: must be an Arrow column of int64, not of {}", chunk.data_type()))
        })
    };
    chunks.iter().map(word).collect()
}

/// The numbers of a column, as Python has them.
pub(crate) fn to_list<'py>(py: Python<'py>, chunks: &[ArrayRef], name: &str) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for chunk in chunks {
        macro_rules! append {
            ($($kind:ident => $values:ident),*) => {
                match chunk.data_type() {
                    $(DataType::$kind => {
                        for value in chunk.as_primitive::<types::$values>().values() {
                            list.append(*value)?;
                        }
                    })*
                    other => {
                        return Err(PyTypeError::new_err(format!(
                            "{name}: must be an Arrow column of integers or floats, not of {other}"
                        )));
                    }
                }
            };
        }
        append!(
            Int8 => Int8Type, Int16 => Int16Type, Int32 => Int32Type, Int64 => Int64Type,
            UInt8 => UInt8Type, UInt16 => UInt16Type, UInt32 => UInt32Type, UInt64 => UInt64Type,
            Float32 => Float32Type, Float64 => Float64Type
        );
    }
    Ok(list)
}

/// A column of int64, for whoever reads Arrow: `pyarrow.array(column)`, `polars.Series(column)`.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Column {
    values: Int64Array,
}

impl From<Vec<i64>> for Column {
    fn from(values: Vec<i64>) -> Self {
        // The vector's own memory.
        Self { values: values.into() }
    }
}

impl Column {
    fn field() -> FieldRef {
        Arc::new(Field::new("", DataType::Int64, false))
    }
}

#[pymethods]
impl Column {
    /// The capsules of Arrow's interface: schema and array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        Ok(ffi::to_array_pycapsules(py, Self::field(), &self.values, requested_schema)?)
    }

    /// The capsule of the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(ffi::to_schema_pycapsule(py, Self::field().as_ref())?)
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// The values, as a list of int.
    fn to_pylist(&self) -> Vec<i64> {
        self.values.values().to_vec()
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} int64>", self.values.len())
    }
}
