//! The command `certus`, in this process, and certificates, which are its answers.

use std::ffi::OsString;

use certus_cli::Failure;
use pyo3::{
    exceptions::{PyOSError, PyRuntimeError, PyValueError},
    prelude::*,
};

/// Runs the command on its arguments, the program's name first, with the process's own streams; the answer
/// is its exit status.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| certus_cli::run_on_streams(arguments))
}

/// What the command prints for some arguments, and its exit status: 0 or 1.
pub(crate) fn answer(arguments: &[&str]) -> PyResult<(String, u8)> {
    let mut out = Vec::new();
    let arguments = std::iter::once(&"certus").chain(arguments).map(OsString::from);
    let status = certus_cli::run(arguments, &mut out).map_err(|failure| {
        // An option of the command is an argument here.
        let line = failure.line().unwrap_or_default();
        let line = line.strip_prefix("--").unwrap_or(&line).to_owned();
        match failure {
            Failure::Usage(_) => PyValueError::new_err(line),
            _ => PyOSError::new_err(line),
        }
    })?;
    let text = String::from_utf8(out).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((text, status))
}

/// A certificate: the code's own output distribution, enumerated, and compared with the one on paper, or with
/// that on a neighbour.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Certificate {
    /// Whether it holds.
    #[pyo3(get)]
    holds: bool,
    json: String,
    text: String,
}

impl Certificate {
    /// What the command certifies on these arguments.
    pub(crate) fn of(py: Python<'_>, arguments: &[&str]) -> PyResult<Self> {
        py.detach(|| {
            let (json, status) = answer(&[arguments, &["--json", "--quiet"]].concat())?;
            let (text, _) = answer(&[arguments, &["--quiet"]].concat())?;
            Ok(Self { holds: status == 0, json: json.trim_end().to_owned(), text })
        })
    }
}

#[pymethods]
impl Certificate {
    /// The JSON document, as `certus certify --json` prints it.
    fn json(&self) -> &str {
        &self.json
    }

    /// The same, as Python's own dicts and lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> &'static str {
        if self.holds { "<Certificate that holds>" } else { "<Certificate that FAILS>" }
    }
}
