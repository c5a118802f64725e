//! The scale of a mechanism's noise that is certified to meet (ε, δ).

use std::ffi::c_char;

use core_certus::{
    exact::{Positive, render},
    mechanism::{CalibrateError, CalibratedNoise, Calibration as Found},
};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::{
    border,
    handle::{CalibrationHandle, create, find, free},
    number::{below_one, positive},
    status::{CERTUS_NO_ANSWER, Failure, Status, status},
};

/// Laplace noise.
pub const CERTUS_LAPLACE: i32 = 1;
/// Gaussian noise.
pub const CERTUS_GAUSSIAN: i32 = 2;

/// The scale that was found, or sigma.
pub const CERTUS_SCALE: i32 = 1;
/// The scale is a multiple of this.
pub const CERTUS_STEP: i32 = 2;
/// The mechanism of that scale.
pub const CERTUS_SPEC: i32 = 3;
/// Its delta is at least this.
pub const CERTUS_DELTA_LOWER: i32 = 4;
/// Its delta is at most this, which is at most the one asked for.
pub const CERTUS_DELTA_UPPER: i32 = 5;
/// Which smaller multiples are certified to fail: "every", "next" or "nothing".
pub const CERTUS_EXCLUDED: i32 = 6;

/// A scale that is certified to meet (ε, δ), and what is known of smaller ones.
pub(crate) struct Calibration {
    found: Found,
    step: Positive,
    spec: String,
}

fn no_scale(error: CalibrateError) -> Failure {
    match error {
        CalibrateError::Account(error) => error.into(),
        CalibrateError::NoStep => Failure::argument("step", "must be given for such an epsilon"),
        error => Failure::new(CERTUS_NO_ANSWER, error.to_string()),
    }
}

/// What is asked for; 0 is "not given".
struct Request {
    noise: i32,
    sensitivity: u64,
    sensitivity2: u64,
    coordinates: u64,
}

impl Request {
    fn noise(&self) -> Result<CalibratedNoise, Failure> {
        let stated = BigUint::from(self.sensitivity.max(1));
        if self.sensitivity2 > 0 && (self.coordinates == 0 || self.sensitivity > 0) {
            let why = "must be given with coordinates, and in the place of sensitivity";
            return Err(Failure::argument("sensitivity2", why));
        }
        match (self.noise, self.coordinates) {
            (CERTUS_LAPLACE, 0) => Ok(CalibratedNoise::Laplace { sensitivity: stated }),
            (CERTUS_LAPLACE, _) => Err(Failure::argument("coordinates", "must be 0 but for CERTUS_GAUSSIAN")),
            (CERTUS_GAUSSIAN, 0) => Ok(CalibratedNoise::Gaussian { sensitivity: stated }),
            (CERTUS_GAUSSIAN, coordinates @ 1..=CalibratedNoise::MOST_COORDINATES) => {
                let square = match self.sensitivity2 {
                    0 => stated.pow(2),
                    square => square.into(),
                };
                Ok(CalibratedNoise::gaussian(square, coordinates))
            }
            (CERTUS_GAUSSIAN, _) => {
                let most = CalibratedNoise::MOST_COORDINATES;
                Err(Failure::argument("coordinates", format_args!("must be at most {most}")))
            }
            _ => Err(Failure::argument("noise", "must be CERTUS_LAPLACE or CERTUS_GAUSSIAN")),
        }
    }
}

/// The smallest scale of noise on a grid that is certified to meet (epsilon, delta).
///
/// noise: CERTUS_LAPLACE or CERTUS_GAUSSIAN. epsilon: above 0. delta: from 0 to below 1, above 0 for Gaussian
/// noise; NULL is 0. sensitivity: the distance between the true answers of neighbours, 0 for 1. Of vectors of
/// so many coordinates (0: one answer), sensitivity2, if not 0, is the square of their L2 distance. step: the
/// scale is a multiple of it; NULL for a power of ten, about a thousandth of the answer.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_calibrate(
    noise: i32,
    epsilon: *const c_char,
    delta: *const c_char,
    sensitivity: u64,
    sensitivity2: u64,
    coordinates: u64,
    step: *const c_char,
    calibration: *mut CalibrationHandle,
) -> Status {
    let make = || {
        let noise = Request { noise, sensitivity, sensitivity2, coordinates }.noise()?;
        // SAFETY: the caller's contract.
        let (epsilon, delta, step) = unsafe {
            (
                border::text(epsilon, "epsilon")?,
                border::optional_text(delta, "delta")?,
                border::optional_text(step, "step")?,
            )
        };
        let delta = below_one(delta.as_deref().unwrap_or("0"), "delta")?;
        if delta.get().is_zero() && !matches!(noise, CalibratedNoise::Laplace { .. }) {
            return Err(Failure::argument("delta", "must be above 0 for CERTUS_GAUSSIAN: its losses have no bound"));
        }
        let epsilon = positive(&epsilon, "epsilon")?;
        let step = step.map(|step| positive(&step, "step")).transpose()?;
        let (found, step) = noise.calibrate(&epsilon, &delta, step.as_ref()).map_err(no_scale)?;
        Ok(Calibration { spec: noise.spec(&found.scale), found, step })
    };
    // SAFETY: the caller's contract.
    unsafe { create(calibration, make) }
}

/// CERTUS_SCALE, CERTUS_STEP, CERTUS_SPEC, CERTUS_DELTA_LOWER, CERTUS_DELTA_UPPER or CERTUS_EXCLUDED, into a
/// buffer as certus_text_read.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_calibration_text(
    calibration: CalibrationHandle,
    field: i32,
    buffer: *mut c_char,
    capacity: usize,
    needed: *mut usize,
) -> Status {
    status(|| {
        let calibration = find(calibration)?;
        let found = &calibration.found;
        let text = match field {
            CERTUS_SCALE => render(found.scale.get()),
            CERTUS_STEP => render(calibration.step.get()),
            CERTUS_SPEC => calibration.spec.clone(),
            CERTUS_DELTA_LOWER => render(&found.delta.lower()),
            CERTUS_DELTA_UPPER => render(&found.delta.upper()),
            CERTUS_EXCLUDED => found.excluded.key().to_owned(),
            _ => return Err(Failure::argument("field", "must be CERTUS_SCALE, or another that the header lists")),
        };
        // SAFETY: the caller's contract.
        unsafe { border::give(&text, buffer, capacity, needed) }
    })
}

/// Frees a calibration.
#[unsafe(no_mangle)]
pub extern "C" fn certus_calibration_free(calibration: CalibrationHandle) -> Status {
    free(calibration)
}
