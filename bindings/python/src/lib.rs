//! The extension module of the Python package `certus`: parse, call, return. Everything else is the library's.
//!
//! * `number`: exact numbers in and out;
//! * `source`: the operating system's randomness, or a test's seed;
//! * `noise`, on the arrays of `array`.

mod array;
mod noise;
mod number;
mod source;

/// The extension module; `certus/__init__.py` has what is public.
#[pyo3::pymodule]
mod _certus {
    #[pymodule_export]
    use super::{
        noise::{Gaussian, Laplace, Noise},
        source::Seeded,
    };
}
