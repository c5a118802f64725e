//! `certus.calibrate`: the scale of a mechanism's noise that is certified to meet (ε, δ).

use certus::{
    exact::{Positive, Probability, Rational},
    mechanism::{CalibrateError, CalibratedNoise, Calibration as Found},
};
use num_bigint::BigUint;
use num_traits::Zero;
use pyo3::{exceptions::PyValueError, prelude::*};

use crate::{
    enclosure::Enclosure,
    number::{count, positive, refused, to_fraction},
    plan::below_one,
};

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

fn no_scale(error: CalibrateError) -> PyErr {
    match error {
        CalibrateError::NoStep => refused("step", "must be given for such an epsilon"),
        error => PyValueError::new_err(error.to_string()),
    }
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
    let coordinates =
        coordinates.map(|value| count(value, "coordinates", 1, CalibratedNoise::MOST_COORDINATES)).transpose()?;
    if square.is_some() && (coordinates.is_none() || sensitivity.is_some()) {
        return Err(refused("sensitivity2", "must be given with coordinates, and in the place of sensitivity"));
    }
    let stated = BigUint::from(stated);
    let noise = match (noise, coordinates) {
        ("laplace", None) => CalibratedNoise::Laplace { sensitivity: stated },
        ("laplace", Some(_)) => return Err(refused("coordinates", "must be given for gaussian alone")),
        ("gaussian", None) => CalibratedNoise::Gaussian { sensitivity: stated },
        ("gaussian", Some(coordinates)) => {
            CalibratedNoise::gaussian(square.map_or_else(|| stated.pow(2), BigUint::from), coordinates)
        }
        _ => return Err(refused("noise", "must be 'laplace' or 'gaussian'")),
    };
    let delta = match delta {
        Some(delta) => below_one(delta)?,
        None => Probability::new(Rational::zero()).map_err(|error| refused("delta", error))?,
    };
    if delta.get().is_zero() && !matches!(noise, CalibratedNoise::Laplace { .. }) {
        return Err(refused("delta", "must be above 0 for gaussian: its losses have no bound"));
    }
    let epsilon = positive(epsilon, "epsilon")?;
    let given = step.map(|step| positive(step, "step")).transpose()?;
    let (found, step) = py.detach(|| noise.calibrate(&epsilon, &delta, given.as_ref())).map_err(no_scale)?;
    Ok(Calibration { spec: noise.spec(&found.scale), found, step })
}
