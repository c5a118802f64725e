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
//! * `in_place` and `gpu`, `gradient` and `gradient_on_gpu`, `poisson` and `steps`: what `certus.torch` rests on;
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
mod gpu;
mod gradient;
mod gradient_on_gpu;
mod guarantee;
mod in_place;
mod lines;
mod mechanism;
mod noise;
mod number;
mod outputs;
mod plan;
mod poisson;
mod profile;
mod source;
mod steps;
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
        gpu::{gpu_add_noise, gpu_fill},
        gradient::add_rounded,
        gradient_on_gpu::gpu_add_rounded,
        guarantee::Guarantee,
        in_place::add_in_place,
        mechanism::{Mechanism, describe, mechanisms},
        noise::{Gaussian, Laplace, Noise},
        number::exactly,
        plan::{Plan, dp_sgd},
        poisson::poisson_sample,
        source::Seeded,
        steps::Steps,
        tally::{Recording, Tally},
    };
}
