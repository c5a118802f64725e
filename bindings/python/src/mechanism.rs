//! `certus.Mechanism`: any mechanism of the catalogue, by its spec.

use certus::mechanism::{AnyMechanism, CATALOGUE, Outcome, Spec, entry, from_spec};
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyList, PyString},
};

use crate::{
    command::Certificate,
    data::{Shape, to_object, to_text},
    guarantee::Guarantee,
    noise::sampler,
    number::{count, refused, type_name},
    source::{Seeded, draw, failed},
};

/// The most releases of one call.
const MOST_RELEASES: u64 = 1 << 32;

/// A mechanism of the catalogue, named as everywhere: `name(key=value, …)`.
///
/// sampler: 'reference' (the default), or for Laplace and Gaussian noise 'prepared' or 'fixed', as of
/// `certus.Laplace`.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Mechanism {
    spec: Spec,
    mechanism: Box<dyn AnyMechanism>,
    shape: Shape,
}

impl Mechanism {
    pub(crate) fn text(&self) -> String {
        self.spec.to_string()
    }

    pub(crate) fn any(&self) -> &dyn AnyMechanism {
        &*self.mechanism
    }

    /// A Mechanism, or the one of a spec.
    pub(crate) fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        if let Ok(mechanism) = value.cast::<Self>() {
            return Ok(mechanism.clone());
        }
        let Ok(spec) = value.cast::<PyString>() else {
            let name = type_name(value);
            return Err(PyTypeError::new_err(format!("mechanism: must be a Mechanism or a spec, not {name}")));
        };
        Bound::new(value.py(), Self::new(value.py(), spec.to_str()?, None)?)
    }

    /// The text of data that it may run on.
    pub(crate) fn text_of(&self, data: &Bound<'_, PyAny>) -> PyResult<String> {
        to_text(data, self.shape)
    }
}

#[pymethods]
impl Mechanism {
    #[new]
    #[pyo3(signature = (spec, *, sampler=None))]
    fn new(py: Python<'_>, spec: &str, sampler: Option<&str>) -> PyResult<Self> {
        let spec: Spec = spec.parse().map_err(|error| refused("spec", error))?;
        if spec.copies().is_some() {
            return Err(refused("spec", "*k (k copies) is not accepted here: a plan takes copies"));
        }
        let by = sampler.map(self::sampler).transpose()?;
        let mechanism = py.detach(|| {
            let mechanism = from_spec(&spec).map_err(|error| refused("spec", error))?;
            match by {
                Some(by) => mechanism.with_sampler(by).map_err(|error| refused("sampler", error)),
                None => Ok(mechanism),
            }
        })?;
        let is_of_people = entry(spec.name()).is_some_and(|entry| entry.input.starts_with("people"));
        let shape = if is_of_people { Shape::People } else { Shape::Numbers };
        Ok(Self { spec, mechanism, shape })
    }

    /// One release on data.
    ///
    /// data: a number, a sequence or array of numbers, for people a sequence of each one's keys, or text as
    /// the command takes it. A float in data is the dyadic number that it is. What is released is an int, a
    /// Fraction, text, None for no output, or a list of these.
    #[pyo3(signature = (data, *, source=None))]
    fn release<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outcomes = self.draw(py, data, 1, source)?;
        let [outcome] = outcomes.as_slice() else { return Err(PyValueError::new_err("nothing was drawn")) };
        to_object(py, outcome)
    }

    /// n independent releases on the same data, a list: for tests and plots. Each of them costs.
    #[pyo3(signature = (data, n, *, source=None))]
    fn sample_many<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        n: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let outcomes = self.draw(py, data, count(n, "n", 0, MOST_RELEASES)?, source)?;
        PyList::new(py, outcomes.iter().map(|outcome| to_object(py, outcome)).collect::<PyResult<Vec<_>>>()?)
    }

    /// Enumerates the shipped code's own output distribution, and compares it with the one on paper; or, with
    /// two neighbouring inputs, with the guarantee between them. A Certificate: that of `certus certify`.
    ///
    /// depth: how deep to enumerate, in bits of unresolved mass. mode: 'structural', or 'flat', which runs
    /// every tape of that length.
    #[pyo3(signature = (data=None, neighbour=None, *, mode="structural", depth=None))]
    fn certify(
        &self,
        py: Python<'_>,
        data: Option<&Bound<'_, PyAny>>,
        neighbour: Option<&Bound<'_, PyAny>>,
        mode: &str,
        depth: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Certificate> {
        if !["structural", "flat"].contains(&mode) {
            return Err(refused("mode", "must be 'structural' or 'flat'"));
        }
        let (spec, sampler) = (self.text(), self.mechanism.sampler());
        let mut arguments = vec!["certify", &spec, "--mode", mode, "--sampler", sampler];
        let inputs = match (data, neighbour) {
            (Some(data), Some(neighbour)) => Some((self.text_of(data)?, self.text_of(neighbour)?)),
            (None, None) => None,
            _ => return Err(refused("neighbour", "must be given with data, and data with it")),
        };
        if let Some((data, neighbour)) = &inputs {
            arguments.extend(["--input", data, "--neighbour", neighbour]);
        }
        let depth = depth.map(|depth| count(depth, "depth", 1, 4096)).transpose()?.map(|depth| depth.to_string());
        if let Some(depth) = &depth {
            arguments.extend(["--depth", depth]);
        }
        Certificate::of(py, &arguments)
    }

    /// What is guaranteed; None if nothing is.
    #[getter]
    fn guarantee(&self) -> Option<Guarantee> {
        Guarantee::new(&self.mechanism.privacy()?, self.mechanism.relation())
    }

    /// The canonical spec.
    #[getter]
    fn spec(&self) -> String {
        self.text()
    }

    /// The name of the sampler that draws.
    #[getter]
    fn sampler(&self) -> &'static str {
        self.mechanism.sampler()
    }

    /// Two neighbouring inputs, at or near the worst that there are, as text.
    #[getter]
    fn neighbours(&self) -> (&str, &str) {
        self.mechanism.neighbours()
    }

    fn __repr__(&self) -> String {
        format!("certus.Mechanism('{}')", self.spec)
    }
}

impl Mechanism {
    fn draw(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        n: u64,
        source: Option<&Bound<'_, Seeded>>,
    ) -> PyResult<Vec<Outcome>> {
        let text = self.text_of(data)?;
        let source = source.map(Bound::get);
        py.detach(|| {
            let release = self.mechanism.on(&text).map_err(|error| refused("data", error))?;
            let mut outcomes = Vec::new();
            let mut put = |outcome| outcomes.push(outcome);
            // One by one, as the command: the same outputs for a seed.
            let drawn = draw(source, |bits| match self.mechanism.sampler() {
                "fixed" => release.draw_bulk(bits, n, &mut put),
                _ => release.draw_each(bits, n, &mut put),
            });
            drawn.map_err(failed).map(|()| outcomes)
        })
    }
}

/// The names of all mechanisms, in the order in which the command lists them.
#[pyfunction]
pub(crate) fn mechanisms() -> Vec<&'static str> {
    CATALOGUE.iter().flat_map(|family| family.entries).map(|entry| entry.name).collect()
}

/// What the command says of a mechanism: its keys, its input, examples.
#[pyfunction]
pub(crate) fn describe(name: &str) -> PyResult<String> {
    let Some(found) = entry(name) else {
        return Err(refused("name", "must be one of those that certus.mechanisms() lists"));
    };
    let keys = found.keys.iter().map(|(key, accepts)| format!("  {key}: {accepts}\n")).collect::<String>();
    Ok(format!(
        "{}: {}\n{keys}input: {}\nfor example: {}",
        found.name,
        found.summary,
        found.input,
        found.examples.join("; ")
    ))
}
