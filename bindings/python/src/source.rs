//! Where random bits come from: the operating system, or, in tests, a seed.

use std::sync::{Mutex, PoisonError};

use certus::bits::{Bits, BitsError, SystemBits, seeded};
use pyo3::{
    exceptions::{PyOSError, PyTypeError},
    prelude::*,
    types::{PyBytes, PyString},
};

use crate::number::{refused, type_name};

/// Whatever bits are drawn from: on this thread, or on those that it waits for.
pub(crate) type Source<'a> = &'a mut (dyn Bits + Send);

/// A stream of bits under a seed that somebody knows: for tests, never for a release.
///
/// What draws from it goes on where the last draw ended. Made by `certus.testing.seeded`.
#[pyclass(module = "certus.testing", frozen)]
pub(crate) struct Seeded {
    stream: Mutex<Box<dyn Bits + Send>>,
}

#[pymethods]
impl Seeded {
    #[new]
    fn new(seed: &Bound<'_, PyAny>) -> PyResult<Self> {
        let must = "must be 32 bytes, or 1 to 64 hexadecimal digits as the command's --seed";
        let seed = if let Ok(bytes) = seed.cast::<PyBytes>() {
            bytes.as_bytes().try_into().ok()
        } else if let Ok(text) = seed.cast::<PyString>() {
            of_hexadecimal(text.to_str()?)
        } else {
            return Err(PyTypeError::new_err(format!("seed: {must}, not {}", type_name(seed))));
        };
        let seed = seed.ok_or_else(|| refused("seed", must))?;
        Ok(Self { stream: Mutex::new(Box::new(seeded(seed))) })
    }

    fn __repr__(&self) -> &'static str {
        "<a stream of bits under a known seed: for tests only>"
    }
}

/// A number in hexadecimal, as 32 bytes with the most significant first.
fn of_hexadecimal(text: &str) -> Option<[u8; 32]> {
    if !(1..=64).contains(&text.len()) || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let padded = format!("{text:0>64}");
    let mut seed = [0; 32];
    for (byte, digits) in seed.iter_mut().zip(padded.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(seed)
}

/// Draws from the seeded stream if there is one, and otherwise from a fresh one of the operating system.
///
/// A stream lives for one call: no two threads, and no two processes after a fork, share one.
pub(crate) fn draw<T, E: From<BitsError>>(
    source: Option<&Seeded>,
    work: impl FnOnce(Source<'_>) -> Result<T, E>,
) -> Result<T, E> {
    match source {
        None => work(&mut SystemBits::new()?),
        Some(source) => work(&mut **source.stream.lock().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// There are no bits, and hence no output.
pub(crate) fn failed(error: BitsError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
