//! The extension module of the Python package `certus`: parse, call, return. Everything else is the
//! library's.
//!
//! * `number`, `enclosure`: exact numbers in and out;
//! * `source`: the operating system's randomness, or a test's seed;
//! * `noise`, on the arrays of `array` and the columns of `capsule`;
//! * `mechanism`, which reads its input through `data` and states a `guarantee`;
//! * `budget`, from which mechanisms are paid;
//! * `command`: the program `certus`, and its certificates;
//! * `plan`, with `profile` and `answer`, and `calibrate`: accounts;
//! * `audit`, of tallies (`tally`) of outputs (`outputs`, which are arrays, `arrow` or `lines`).

mod answer;
mod array;
mod arrow;
mod audit;
mod budget;
mod calibrate;
mod capsule;
mod command;
mod data;
mod enclosure;
mod guarantee;
mod lines;
mod mechanism;
mod noise;
mod number;
mod outputs;
mod plan;
mod profile;
mod source;
mod tally;

/// The extension module; `certus/__init__.py` has what is public.
#[pyo3::pymodule]
mod _certus {
    #[pymodule_export]
    use super::{
        answer::Answer,
        audit::{audit, audit_canaries, check_claim, render},
        budget::{BudgetError, Filter, Odometer},
        calibrate::{Calibration, calibrate},
        capsule::Column,
        command::{Certificate, run_command},
        enclosure::Enclosure,
        guarantee::Guarantee,
        mechanism::{Mechanism, describe, mechanisms},
        noise::{Gaussian, Laplace, Noise},
        plan::{Plan, dp_sgd},
        source::Seeded,
        tally::{Recording, Tally},
    };
}
