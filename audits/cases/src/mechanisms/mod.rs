//! Mechanisms compared (000 §2 and §4, 001, 003, 004): one count and many, Laplace and Gaussian, and how much noise (ε, δ) really takes.

mod calibration;
mod counting;
mod premium;
mod vectors;

use crate::{Case, CaseError, Parameter, Setting, Study, Watch};

/// The case.
pub static CASE: Case = Case {
    name: "mechanisms",
    title: "Which noise, and how much",
    source: "000 §2, §4; 001; 003; 004",
    about: "an insurer's premium, counts and histograms, Laplace against Gaussian, and what the classical σ costs",
    parameters: &[
        Parameter {
            name: "draws",
            about: "draws of noise in a simulation",
            default: 1_000_000.0,
            quick: 100_000.0,
            least: 10_000.0,
            most: 1e8,
            whole: true,
        },
        Parameter {
            name: "longest",
            about: "the most coordinates of a vector",
            default: 1000.0,
            quick: 200.0,
            least: 20.0,
            most: 5000.0,
            whole: true,
        },
    ],
    run,
};

fn run(setting: &Setting, watch: &dyn Watch) -> Result<Study, CaseError> {
    let mut study = Study::new();
    let parts = [premium::study, counting::study, vectors::study, calibration::study];
    for (place, part) in parts.iter().enumerate() {
        watch.step("parts", place as u64, parts.len() as u64);
        part(setting, &mut study)?;
    }
    Ok(study)
}
