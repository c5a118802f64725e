//! Arrays of numpy: int64 in, int64 out. Numpy is imported at the first call, never with the package.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::number::{refused, type_name};

/// An array of any shape.
pub(crate) type Words<'py> = Bound<'py, PyArrayDyn<i64>>;

/// Zeros by numpy itself, which raises a MemoryError where there is no room.
pub(crate) fn zeros<'py>(py: Python<'py>, shape: &[usize]) -> PyResult<Words<'py>> {
    let numpy = py.import("numpy")?;
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", numpy.getattr("int64")?)?;
    let shape = PyTuple::new(py, shape)?;
    Ok(numpy.call_method("zeros", (shape,), Some(&keywords))?.cast_into::<PyArrayDyn<i64>>()?)
}

/// The array of int64 that an argument is.
fn words<'a, 'py>(value: &'a Bound<'py, PyAny>, name: &str) -> PyResult<&'a Words<'py>> {
    value.cast::<PyArrayDyn<i64>>().map_err(|_| {
        let what = value.getattr("dtype").map_or_else(|_| type_name(value), |dtype| format!("an array of {dtype}"));
        PyTypeError::new_err(format!("{name}: must be a numpy array of int64, not {what}"))
    })
}

/// x in an array of its own, or in `out`, which may be x.
pub(crate) fn copied<'py>(x: &Bound<'py, PyAny>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Words<'py>> {
    let x = words(x, "x")?;
    let Some(out) = out else {
        free(x)?;
        let new = zeros(x.py(), x.shape())?;
        x.copy_to(&new)?;
        return Ok(new);
    };
    let out = words(out, "out")?;
    if out.shape() != x.shape() {
        return Err(refused("out", "must have the shape of x"));
    }
    // Refused before anything is written to it.
    slice(&mut writable(out, "out")?, "out")?;
    if !out.is(x) {
        free(x)?;
        // Right also where the two share memory: numpy sees to that.
        x.copy_to(out)?;
    }
    Ok(out.clone())
}

/// Refuses an array that a call on another thread is writing to.
fn free(x: &Words<'_>) -> PyResult<()> {
    x.try_readonly().map(drop).map_err(|_| refused("x", "must not be in use by another call"))
}

/// The array, for writing: no other call of this package has it meanwhile, also while the interpreter's lock
/// is released. Python code that writes to it on another thread races, as with numpy's own functions.
pub(crate) fn writable<'py>(array: &Words<'py>, name: &str) -> PyResult<PyReadwriteArrayDyn<'py, i64>> {
    array.try_readwrite().map_err(|_| refused(name, "must be writable, and not in use by another call"))
}

/// Its entries, in order.
pub(crate) fn slice<'a>(array: &'a mut PyReadwriteArrayDyn<'_, i64>, name: &str) -> PyResult<&'a mut [i64]> {
    array.as_slice_mut().map_err(|_| refused(name, "must be contiguous"))
}
