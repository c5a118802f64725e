//! The extension module of the Python package `certus`: parse, call, return. Everything else is the
//! library's.
//!
//! * `number`, `enclosure`: exact numbers in and out;
//! * `source`: the operating system's randomness, or a test's seed;
//! * `noise`, on the arrays of `array`;
//! * `mechanism`, which reads its input through `data` and states a `guarantee`;
//! * `plan`, with `profile` and `answer`, and `calibrate`: accounts.

mod answer;
mod array;
mod calibrate;
mod data;
mod enclosure;
mod guarantee;
mod mechanism;
mod noise;
mod number;
mod plan;
mod profile;
mod source;

/// The extension module; `certus/__init__.py` has what is public.
#[pyo3::pymodule]
mod _certus {
    #[pymodule_export]
    use super::{
        answer::Answer,
        calibrate::{Calibration, calibrate},
        enclosure::Enclosure,
        guarantee::Guarantee,
        mechanism::{Mechanism, describe, mechanisms},
        noise::{Gaussian, Laplace, Noise},
        plan::{Plan, dp_sgd},
        source::Seeded,
    };
}
