//! The extension module of the Python package `certus`: parse, call, return. Everything else is the library's.
//!
//! * `number`, `enclosure`: exact numbers in and out;
//! * `source`: the operating system's randomness, or a test's seed;
//! * `noise`, on the arrays of `array`;
//! * `mechanism`, which reads its input through `data` and states a `guarantee`.

mod array;
mod data;
mod enclosure;
mod guarantee;
mod mechanism;
mod noise;
mod number;
mod source;

/// The extension module; `certus/__init__.py` has what is public.
#[pyo3::pymodule]
mod _certus {
    #[pymodule_export]
    use super::{
        enclosure::Enclosure,
        guarantee::Guarantee,
        mechanism::{Mechanism, describe, mechanisms},
        noise::{Gaussian, Laplace, Noise},
        source::Seeded,
    };
}
