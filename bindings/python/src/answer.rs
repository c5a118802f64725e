//! What an account answers: an enclosure, and how it was found.

use certus::account::{self, Plan};
use pyo3::prelude::*;

use crate::enclosure::Enclosure;

/// What an account answers: an enclosure, and how it was found.
#[pyclass(module = "certus", frozen, extends = Enclosure)]
pub(crate) struct Answer {
    /// The method that found it.
    #[pyo3(get)]
    method: String,
    /// Whether it is as narrow as `digits` asks.
    #[pyo3(get)]
    narrow: bool,
    /// Whether the lower end is the mechanisms' own, too; otherwise only the upper end says something of
    /// them.
    #[pyo3(get)]
    attained: bool,
}

impl Answer {
    /// The answer to a question about a plan.
    pub(crate) fn new(py: Python<'_>, found: &account::Answer, plan: &Plan) -> PyResult<Py<Self>> {
        let answer =
            Self { method: found.method.to_string(), narrow: found.is_narrow, attained: found.is_attained(plan) };
        Py::new(py, PyClassInitializer::from(Enclosure::from(&found.enclosure)).add_subclass(answer))
    }
}

#[pymethods]
impl Answer {
    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("<Answer {}, by {}>", **slf.as_super(), slf.method)
    }
}
