//! Steps of a training run, paid one by one from a ledger that declares them: a debit is on the disk before a
//! step is drawn, so that a model that is restored from an older checkpoint gets no step back.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use certus::mechanism::Spec;
use certus_ledger::{
    Digest,
    book::{Blame, Book, BookError, Budget, Cost, Debit, ReleaseId},
};
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};

use crate::{budget::BudgetError, number::refused};

/// A run whose steps a ledger declares. The ledger is this process's alone until it is dropped.
#[pyclass(name = "_Steps", module = "certus", frozen)]
pub(crate) struct Steps {
    book: Mutex<Book>,
    release: ReleaseId,
    spec: Spec,
}

/// What a ledger refuses, or cannot do.
fn refusal(error: BookError) -> PyErr {
    match error.blame() {
        Blame::Budget => BudgetError::new_err("ledger: no step of this plan is left in it; nothing was drawn"),
        Blame::Environment => PyOSError::new_err(format!("ledger: {error}")),
        _ => PyValueError::new_err(format!("ledger: {error}")),
    }
}

impl Steps {
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Book) -> PyResult<R> + Send) -> PyResult<R> {
        py.detach(|| work(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Steps {
    /// Opens the ledger, and waits until nobody else has it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, release: &str, spec: &str) -> PyResult<Self> {
        let release: ReleaseId = release.parse().map_err(|error| refused("release_id", error))?;
        let spec: Spec = spec.parse().map_err(|error| refused("spec", error))?;
        let book = py.detach(|| Book::open(&path, None)).map_err(refusal)?;
        let declares = match book.state().budget() {
            Budget::Declared(parts) => parts.iter().any(|(part, _)| part == spec.to_string()),
            _ => false,
        };
        if !declares {
            let must = format!("must declare this plan: certus ledger init FILE --declare '{spec}*STEPS'");
            return Err(refused("ledger", must));
        }
        Ok(Self { book: Mutex::new(book), release, spec })
    }

    /// How many steps of this run the ledger has booked.
    fn taken(&self, py: Python<'_>) -> PyResult<u64> {
        let spec = self.spec.to_string();
        self.with(py, |book| {
            let costs = book.state().release(&self.release).into_iter().flat_map(|release| release.costs());
            Ok(costs.filter(|(name, _)| *name == spec).map(|(_, copies)| copies).fold(0, u64::saturating_add))
        })
    }

    /// Books one step; it is on the disk when this returns. BudgetError if none is left.
    fn debit(&self, py: Python<'_>) -> PyResult<()> {
        let plan = Digest::of(self.spec.to_string().as_bytes());
        let cost = Cost { spec: self.spec.clone(), copies: 1, guarantee: None };
        let debit = Debit { release: self.release.clone(), analyst: None, plan, costs: vec![cost] };
        self.with(py, |book| book.debit(&debit).map(drop).map_err(refusal))
    }
}
