//! The scale of a mechanism's noise that is certified to meet (ε, δ).

use std::ffi::c_char;

use core_certus::{
    account::{Plan, Precision},
    exact::{Positive, Probability, Rational, render},
    mechanism::{self, CalibrateError, Calibration as Found, Classical, Target, Trend, domination},
};
use num_bigint::BigUint;
use num_traits::{One, Zero};

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

/// The digits of each δ that is compared with the wanted one, as of the command.
const DIGITS: u32 = 12;

/// How many questions may be asked to exclude smaller scales, of one answer and of vectors.
const MOST_CHECKED: u64 = 4000;
const MOST_CHECKED_OF_VECTORS: u64 = 50;

/// The most answers of a vector, as in a spec.
const MOST_COORDINATES: u64 = 1 << 16;

/// Binary digits of the formula that a step is derived from.
const GUIDE_BITS: u32 = 64;

/// A scale that is certified to meet (ε, δ), and what is known of smaller ones.
pub(crate) struct Calibration {
    found: Found,
    step: Positive,
    spec: String,
}

/// What is wanted.
struct Wanted {
    noise: Noise,
    epsilon: Positive,
    delta: Probability,
}

/// How noise is added, and how far the true answers of neighbours are apart.
enum Noise {
    Laplace { sensitivity: u64 },
    Gaussian { sensitivity: BigUint },
    GaussianVector { square: BigUint, coordinates: u64 },
}

impl Noise {
    fn spec(&self, scale: &Positive) -> String {
        let scale = render(scale.get());
        let stated = |sensitivity: &dyn std::fmt::Display, is_one| {
            if is_one { String::new() } else { format!(", sensitivity={sensitivity}") }
        };
        match self {
            Self::Laplace { sensitivity } => {
                format!("laplace(scale={scale}{})", stated(sensitivity, *sensitivity == 1))
            }
            Self::Gaussian { sensitivity } => {
                format!("gaussian(sigma={scale}{})", stated(sensitivity, sensitivity.is_one()))
            }
            Self::GaussianVector { square, coordinates } => {
                format!("gaussian_vector(sigma={scale}, coordinates={coordinates}, sensitivity2={square})")
            }
        }
    }

    /// What is accounted for at a scale: nothing at all where there is no such mechanism, which no account
    /// meets.
    fn plan(&self, scale: &Positive) -> Plan {
        let found = self.spec(scale).parse().and_then(|spec| domination(&spec));
        found.map_or_else(|_| Plan::new(), |domination| Plan::of(&domination, 1))
    }

    fn trend(&self) -> (Trend, u64) {
        match self {
            Self::Laplace { .. } => (Trend::Falls, MOST_CHECKED),
            Self::Gaussian { sensitivity } => (Trend::Gaussian { sensitivity: sensitivity.clone() }, MOST_CHECKED),
            Self::GaussianVector { .. } => (Trend::Unknown, MOST_CHECKED_OF_VECTORS),
        }
    }

    /// About where the scale will be: from above.
    fn guide(&self, epsilon: &Positive, delta: &Probability) -> Option<Rational> {
        let square = match self {
            Self::Laplace { sensitivity } => {
                return Some(Rational::from_integer((*sensitivity).into()) / epsilon.get());
            }
            Self::Gaussian { sensitivity } => sensitivity.pow(2),
            Self::GaussianVector { square, .. } => square.clone(),
        };
        let square = Positive::new(Rational::from_integer(square.into())).ok()?;
        Classical::new(&square, epsilon, delta).sigma.enclose(GUIDE_BITS).map(|sigma| sigma.upper())
    }
}

/// The largest power of ten that is at most a thousandth of the guide.
fn thousandth(guide: &Rational) -> Option<Positive> {
    let (ten, thousand) = (Rational::from_integer(10.into()), Rational::from_integer(1000.into()));
    let mut step = Rational::one();
    while &step * &thousand > *guide {
        step /= &ten;
    }
    while &step * &thousand * &ten <= *guide {
        step *= &ten;
    }
    Positive::new(step).ok()
}

impl Wanted {
    fn on(&self, step: &Positive) -> Result<Found, CalibrateError> {
        let (trend, most_checked) = self.noise.trend();
        let target = Target {
            epsilon: self.epsilon.clone().into(),
            delta: self.delta.clone(),
            step: step.clone(),
            trend,
            most_checked,
            precision: Precision { digits: DIGITS },
        };
        mechanism::calibrate(&target, |scale| self.noise.plan(scale))
    }

    /// On multiples of a power of ten that is about a thousandth of the answer: the guide may have been far
    /// above it.
    fn on_a_fine_grid(&self) -> Result<(Found, Positive), Failure> {
        let guide = self.noise.guide(&self.epsilon, &self.delta);
        let step = guide.as_ref().and_then(thousandth);
        let mut step = step.ok_or_else(|| Failure::argument("step", "must be given for such an epsilon"))?;
        loop {
            let found = self.on(&step).map_err(no_scale)?;
            match thousandth(found.scale.get()) {
                Some(finer) if finer.get() < step.get() => step = finer,
                _ => return Ok((found, step)),
            }
        }
    }
}

fn no_scale(error: CalibrateError) -> Failure {
    match error {
        CalibrateError::Account(error) => error.into(),
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
    fn noise(&self) -> Result<Noise, Failure> {
        let stated = self.sensitivity.max(1);
        if self.sensitivity2 > 0 && (self.coordinates == 0 || self.sensitivity > 0) {
            let why = "must be given with coordinates, and in the place of sensitivity";
            return Err(Failure::argument("sensitivity2", why));
        }
        match (self.noise, self.coordinates) {
            (CERTUS_LAPLACE, 0) => Ok(Noise::Laplace { sensitivity: stated }),
            (CERTUS_LAPLACE, _) => Err(Failure::argument("coordinates", "must be 0 but for CERTUS_GAUSSIAN")),
            (CERTUS_GAUSSIAN, 0) => Ok(Noise::Gaussian { sensitivity: stated.into() }),
            (CERTUS_GAUSSIAN, coordinates @ 1..=MOST_COORDINATES) => {
                let square = match self.sensitivity2 {
                    0 => BigUint::from(stated).pow(2),
                    square => square.into(),
                };
                Ok(match coordinates {
                    // An integer moves by whole steps.
                    1 => Noise::Gaussian { sensitivity: square.sqrt() },
                    _ => Noise::GaussianVector { square, coordinates },
                })
            }
            (CERTUS_GAUSSIAN, _) => {
                Err(Failure::argument("coordinates", format_args!("must be at most {MOST_COORDINATES}")))
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
        if delta.get().is_zero() && !matches!(noise, Noise::Laplace { .. }) {
            return Err(Failure::argument("delta", "must be above 0 for CERTUS_GAUSSIAN: its losses have no bound"));
        }
        let wanted = Wanted { noise, epsilon: positive(&epsilon, "epsilon")?, delta };
        let (found, step) = match step {
            Some(step) => {
                let step = positive(&step, "step")?;
                (wanted.on(&step).map_err(no_scale)?, step)
            }
            None => wanted.on_a_fine_grid()?,
        };
        Ok(Calibration { spec: wanted.noise.spec(&found.scale), found, step })
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
