//! `certus.calibrate`: the scale of a mechanism's noise that is certified to meet (ε, δ).

use certus::{
    account::{Plan, Precision},
    exact::{Positive, Probability, Rational, render},
    mechanism::{self, CalibrateError, Calibration as Found, Classical, Target, Trend, domination},
};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    enclosure::Enclosure,
    number::{count, positive, refused, to_fraction},
    plan::below_one,
};

/// The digits of each δ that is compared with the wanted one, as of the command.
const DIGITS: u32 = 12;

/// How many questions may be asked to exclude smaller scales, of one answer and of vectors.
const MOST_CHECKED: u64 = 4000;
const MOST_CHECKED_OF_VECTORS: u64 = 50;

/// The most answers of a vector, as in a spec.
const MOST_COORDINATES: u64 = 1 << 16;

/// Binary digits of the formula that a step is derived from.
const GUIDE_BITS: u32 = 64;

/// A scale that is certified to meet (epsilon, delta), and what is known of smaller ones.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Calibration {
    found: Found,
    step: Positive,
    /// The mechanism of that scale.
    #[pyo3(get)]
    spec: String,
}

#[pymethods]
impl Calibration {
    /// The scale, or sigma: a Fraction.
    #[getter]
    fn scale<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, self.found.scale.get())
    }

    /// The scale is a multiple of this Fraction.
    #[getter]
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_fraction(py, self.step.get())
    }

    /// Its delta: at most the one that was asked for.
    #[getter]
    fn delta(&self) -> Enclosure {
        Enclosure::from(&self.found.delta)
    }

    /// The next smaller multiple and its delta; None if there is none.
    #[getter]
    fn below<'py>(&self, py: Python<'py>) -> PyResult<Option<(Bound<'py, PyAny>, Enclosure)>> {
        let Some((scale, delta)) = &self.found.below else { return Ok(None) };
        Ok(Some((to_fraction(py, scale.get())?, Enclosure::from(delta))))
    }

    /// Whether every smaller multiple is certified to fail.
    #[getter]
    fn smallest(&self) -> bool {
        self.found.is_smallest()
    }

    /// Which smaller multiples are certified to fail: 'every', 'next' or 'nothing'.
    #[getter]
    fn excluded(&self) -> &'static str {
        self.found.excluded.key()
    }

    fn __repr__(&self) -> String {
        format!("<Calibration {}, delta = {}>", self.spec, self.delta())
    }
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
    fn on_a_fine_grid(&self) -> PyResult<(Found, Positive)> {
        let guide = self.noise.guide(&self.epsilon, &self.delta);
        let step = guide.as_ref().and_then(thousandth);
        let mut step = step.ok_or_else(|| refused("step", "must be given for such an epsilon"))?;
        loop {
            let found = self.on(&step).map_err(no_scale)?;
            match thousandth(found.scale.get()) {
                Some(finer) if finer.get() < step.get() => step = finer,
                _ => return Ok((found, step)),
            }
        }
    }
}

fn no_scale(error: CalibrateError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The smallest scale of noise on a grid that is certified to meet (epsilon, delta).
///
/// noise: 'laplace' or 'gaussian'. sensitivity: the distance between the true answers of neighbours, an
/// integer; of vectors, with coordinates, sensitivity2 is the square of their L2 distance. step: the scale
/// is a multiple of it; without it, of a power of ten, about a thousandth of the answer.
#[pyfunction]
#[pyo3(signature = (noise, *, epsilon, delta=None, sensitivity=None, sensitivity2=None, coordinates=None, step=None))]
#[allow(clippy::too_many_arguments, reason = "they are named in Python")]
pub(crate) fn calibrate(
    py: Python<'_>,
    noise: &str,
    epsilon: &Bound<'_, PyAny>,
    delta: Option<&Bound<'_, PyAny>>,
    sensitivity: Option<&Bound<'_, PyAny>>,
    sensitivity2: Option<&Bound<'_, PyAny>>,
    coordinates: Option<&Bound<'_, PyAny>>,
    step: Option<&Bound<'_, PyAny>>,
) -> PyResult<Calibration> {
    let stated = sensitivity.map_or(Ok(1), |value| count(value, "sensitivity", 1, u64::MAX))?;
    let square = sensitivity2.map(|value| count(value, "sensitivity2", 1, u64::MAX)).transpose()?;
    let coordinates = coordinates.map(|value| count(value, "coordinates", 1, MOST_COORDINATES)).transpose()?;
    if square.is_some() && (coordinates.is_none() || sensitivity.is_some()) {
        return Err(refused("sensitivity2", "must be given with coordinates, and in the place of sensitivity"));
    }
    let noise = match (noise, coordinates) {
        ("laplace", None) => Noise::Laplace { sensitivity: stated },
        ("laplace", Some(_)) => return Err(refused("coordinates", "must be given for gaussian alone")),
        ("gaussian", None) => Noise::Gaussian { sensitivity: stated.into() },
        ("gaussian", Some(coordinates)) => {
            let square = square.map_or_else(|| BigUint::from(stated).pow(2), BigUint::from);
            match coordinates {
                // An integer moves by whole steps.
                1 => Noise::Gaussian { sensitivity: square.sqrt() },
                _ => Noise::GaussianVector { square, coordinates },
            }
        }
        _ => return Err(refused("noise", "must be 'laplace' or 'gaussian'")),
    };
    let delta = match delta {
        Some(delta) => below_one(delta)?,
        None => Probability::new(Rational::zero()).map_err(|error| refused("delta", error))?,
    };
    if delta.get().is_zero() && !matches!(noise, Noise::Laplace { .. }) {
        return Err(refused("delta", "must be above 0 for gaussian: its losses have no bound"));
    }
    let wanted = Wanted { noise, epsilon: positive(epsilon, "epsilon")?, delta };
    let given = step.map(|step| positive(step, "step")).transpose()?;
    let (found, step) = py.detach(|| match given {
        Some(step) => Ok((wanted.on(&step).map_err(no_scale)?, step)),
        None => wanted.on_a_fine_grid(),
    })?;
    Ok(Calibration { spec: wanted.noise.spec(&found.scale), found, step })
}
