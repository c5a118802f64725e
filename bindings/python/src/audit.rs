//! Audits: the command's document of two tallies, and its views.

use std::{
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use certus::exact::render as render_exactly;
use certus_audit::{Claim, fresh_seed};
use certus_cli::{
    Failure, canary_report,
    report::{self, Subject},
};
use pyo3::{
    exceptions::{PyOSError, PyRuntimeError, PyValueError},
    prelude::*,
};

use crate::{
    number::rational,
    source::{Seeded, draw, failed},
    tally::Tally,
};

/// How often a running audit looks for Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// The document of an audit of two tallies, as JSON.
#[pyfunction(name = "_audit")]
#[pyo3(signature = (a, b, name, *, inputs, epsilon, delta, confidence, source))]
#[expect(clippy::too_many_arguments, reason = "all of them by name, and private to the package")]
pub(crate) fn audit(
    py: Python<'_>,
    a: &Tally,
    b: &Tally,
    name: &str,
    inputs: Option<(String, String)>,
    epsilon: &Bound<'_, PyAny>,
    delta: &Bound<'_, PyAny>,
    confidence: &Bound<'_, PyAny>,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<String> {
    let subject = subject(name, inputs, epsilon, delta, confidence)?;
    let seed = source.map(|source| draw(Some(source.get()), |mut bits| fresh_seed(&mut bits)));
    let seed = seed.transpose().map_err(failed)?;
    let (a, b) = (Arc::clone(&a.tally), Arc::clone(&b.tally));
    interruptible(py, move || report::audit(&subject, seed, &a, &b).map(|document| document.to_string()))
}

/// The document of an audit by canaries, as JSON: the text of their table, and the options of the command.
#[pyfunction(name = "_audit_canaries")]
#[pyo3(signature = (table, options, *, epsilon, delta, confidence, source))]
pub(crate) fn audit_canaries(
    py: Python<'_>,
    table: String,
    mut options: Vec<String>,
    epsilon: Option<&Bound<'_, PyAny>>,
    delta: Option<&Bound<'_, PyAny>>,
    confidence: &Bound<'_, PyAny>,
    source: Option<&Bound<'_, Seeded>>,
) -> PyResult<String> {
    let exact = |value: &Bound<'_, PyAny>, name: &str| rational(value, name).map(|number| render_exactly(&number));
    let delta = delta.map(|delta| exact(delta, "delta")).transpose()?;
    match (epsilon, delta) {
        (Some(epsilon), delta) => {
            let (epsilon, delta) = (exact(epsilon, "epsilon")?, delta.unwrap_or_else(|| "0".to_owned()));
            options.extend(["--claim".to_owned(), format!("epsilon={epsilon},delta={delta}")]);
        }
        (None, Some(delta)) => options.extend(["--delta".to_owned(), delta]),
        (None, None) => {}
    }
    options.extend(["--confidence".to_owned(), exact(confidence, "confidence")?]);
    let seed = source.map(|source| draw(Some(source.get()), |mut bits| fresh_seed(&mut bits)));
    let seed = seed.transpose().map_err(failed)?;
    interruptible(py, move || {
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        canary_report::audit(table.as_bytes(), &options, seed).map(|document| document.to_string())
    })
}

/// On a thread of its own, so that Ctrl-C is answered at once: an audit that nobody waits for any more ends by
/// itself, and is dropped.
fn interruptible(py: Python<'_>, audit: impl FnOnce() -> Result<String, Failure> + Send + 'static) -> PyResult<String> {
    let (send, receive) = channel();
    // Nobody may be waiting.
    let work = move || drop(send.send(audit()));
    thread::Builder::new().name("certus audit".to_owned()).spawn(work)?;
    let receive = std::sync::Mutex::new(receive);
    let next = || receive.lock().map_or(Err(RecvTimeoutError::Disconnected), |receive| receive.recv_timeout(LOOK));
    loop {
        match py.detach(next) {
            Ok(document) => return document.map_err(not_audited),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the audit ended early")),
        }
    }
}

/// Checks what is claimed before anything is drawn.
#[pyfunction(name = "_check_claim")]
pub(crate) fn check_claim(
    epsilon: &Bound<'_, PyAny>,
    delta: &Bound<'_, PyAny>,
    confidence: &Bound<'_, PyAny>,
) -> PyResult<()> {
    subject("", None, epsilon, delta, confidence).map(drop)
}

fn subject(
    name: &str,
    inputs: Option<(String, String)>,
    epsilon: &Bound<'_, PyAny>,
    delta: &Bound<'_, PyAny>,
    confidence: &Bound<'_, PyAny>,
) -> PyResult<Subject> {
    let claim = Claim::new(rational(epsilon, "epsilon")?, rational(delta, "delta")?);
    let claim = claim.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let subject = Subject::new(name, claim, rational(confidence, "confidence")?).map_err(not_audited)?;
    Ok(match inputs {
        Some((a, b)) => subject.inputs(&a, &b),
        None => subject,
    })
}

fn not_audited(failure: Failure) -> PyErr {
    let line = failure.line().unwrap_or_default();
    // An option of the command is an argument here.
    let line = line.strip_prefix("--").unwrap_or(&line).to_owned();
    match failure {
        // Samples that cannot be audited are the caller's.
        Failure::Usage(_) => PyValueError::new_err(line),
        // There is no randomness.
        _ => PyOSError::new_err(line),
    }
}

/// A view of a document: 'text', 'html', 'junit', 'sarif' or 'counterexample', which is nothing where the
/// claim is not refuted.
#[pyfunction(name = "_render")]
pub(crate) fn render(py: Python<'_>, document: &str, view: &str) -> PyResult<Option<String>> {
    py.detach(|| {
        let document = report::read(document).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(match view {
            "text" if document["kind"] == "canaries" => Some(canary_report::text(&document)),
            "html" if document["kind"] == "canaries" => Some(canary_report::html(&document)),
            "text" => Some(report::text(&document)),
            "html" => Some(report::html(&document)),
            "junit" => Some(report::junit(&document)),
            "sarif" => Some(report::sarif(&document)),
            "counterexample" => report::counterexample(&document),
            _ => return Err(PyValueError::new_err("view: must be text, html, junit, sarif or counterexample")),
        })
    })
}
