//! `certus.Filter` and `certus.Odometer`: a release is paid for and drawn in one call.

use std::{
    process,
    sync::{Mutex, MutexGuard, PoisonError},
};

use certus::{
    exact::Real,
    guarantee::{self, DebitError, Relation, SavedFilter},
    mechanism::{InputError, Outcome, ReleaseError},
};
use pyo3::{create_exception, exceptions::PyRuntimeError, prelude::*};

use crate::{
    data::to_object,
    guarantee::Guarantee,
    mechanism::Mechanism,
    number::{non_negative, positive, refused},
    plan::relation,
    source::{Seeded, Source, draw, failed},
};

create_exception!(
    certus,
    BudgetError,
    PyRuntimeError,
    "A budget does not pay for a release: nothing was drawn, and nothing was spent."
);

/// The longest saved budget, in bytes.
const LONGEST: usize = 1 << 16;

/// Why a closed budget pays no more.
const CLOSED: &str = "the budget is closed: its with block has ended";

/// A budget: epsilon, epsilon and delta, rho, or alpha and epsilon.
fn budget(
    relation: Relation,
    epsilon: Option<&Bound<'_, PyAny>>,
    delta: Option<&Bound<'_, PyAny>>,
    rho: Option<&Bound<'_, PyAny>>,
    alpha: Option<&Bound<'_, PyAny>>,
) -> PyResult<guarantee::Guarantee> {
    let number = |value: &Bound<'_, PyAny>, name| Ok::<_, PyErr>(Real::from(non_negative(value, name)?.get().clone()));
    let found = match (epsilon, delta, rho, alpha) {
        (Some(epsilon), None, None, None) => guarantee::Guarantee::pure(relation, number(epsilon, "epsilon")?),
        (Some(epsilon), Some(delta), None, None) => {
            guarantee::Guarantee::approximate(relation, number(epsilon, "epsilon")?, number(delta, "delta")?)
        }
        (None, None, Some(rho), None) => guarantee::Guarantee::zcdp(relation, number(rho, "rho")?),
        (Some(epsilon), None, None, Some(alpha)) => {
            guarantee::Guarantee::renyi(relation, &positive(alpha, "alpha")?, number(epsilon, "epsilon")?)
        }
        _ => {
            let must = "give epsilon, epsilon and delta, rho (zCDP), or alpha and epsilon (Renyi)";
            return Err(refused("budget", must));
        }
    };
    found.map_err(|error| refused("budget", error))
}

/// The neighbours of a budget; add_remove where none are named.
fn neighbours(name: Option<&str>) -> PyResult<Relation> {
    name.map_or(Ok(Relation::AddRemove), relation)
}

/// What a budget and an odometer are to a release.
trait Pays: Send {
    fn release(
        &mut self,
        mechanism: &Mechanism,
        data: &str,
        bits: Source<'_>,
    ) -> Result<Outcome, ReleaseError<InputError>>;
    fn relation(&self) -> Relation;
    /// What is left, where there is an end.
    fn left(&self) -> Option<guarantee::Guarantee>;
}

impl Pays for guarantee::Filter {
    fn release(
        &mut self,
        mechanism: &Mechanism,
        data: &str,
        bits: Source<'_>,
    ) -> Result<Outcome, ReleaseError<InputError>> {
        mechanism.any().release_within(self, data, bits)
    }

    fn relation(&self) -> Relation {
        self.relation()
    }

    fn left(&self) -> Option<guarantee::Guarantee> {
        Some(self.remaining())
    }
}

impl Pays for guarantee::Odometer {
    fn release(
        &mut self,
        mechanism: &Mechanism,
        data: &str,
        bits: Source<'_>,
    ) -> Result<Outcome, ReleaseError<InputError>> {
        mechanism.any().release_counted(self, data, bits)
    }

    fn relation(&self) -> Relation {
        self.relation()
    }

    fn left(&self) -> Option<guarantee::Guarantee> {
        None
    }
}

/// Whoever pays, while it may: `None` once it was saved.
struct Account<T> {
    state: Mutex<State<T>>,
}

struct State<T> {
    payer: Option<T>,
    is_closed: bool,
}

impl<T: Pays> Account<T> {
    fn new(payer: T) -> Self {
        Self { state: Mutex::new(State { payer: Some(payer), is_closed: false }) }
    }

    /// A draw on another thread holds it: waited for without the interpreter's lock.
    fn with<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State<T>) -> PyResult<R> + Send) -> PyResult<R> {
        py.detach(|| {
            let mut state: MutexGuard<'_, State<T>> = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut state)
        })
    }

    fn look<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&T) -> R + Send) -> PyResult<R> {
        self.with(py, |state| state.payer.as_ref().map(work).ok_or_else(gone))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |state| {
            state.is_closed = true;
            Ok(())
        })
    }

    /// Takes it out, to be saved.
    fn take(&self, py: Python<'_>) -> PyResult<T> {
        self.with(py, |state| state.payer.take().ok_or_else(gone))
    }

    fn release<'py>(
        &self,
        py: Python<'py>,
        mechanism: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mechanism = Mechanism::of(mechanism)?;
        let (mechanism, text) = (mechanism.get(), mechanism.get().text_of(data)?);
        let source = source.map(Bound::get);
        let outcome = self.with(py, |state| {
            let payer = state.payer.as_mut().ok_or_else(gone)?;
            if state.is_closed {
                return Err(BudgetError::new_err(CLOSED));
            }
            let released = draw(source, |bits| payer.release(mechanism, &text, bits));
            released.map_err(|error| match error {
                ReleaseError::Input(error) => refused("data", error),
                ReleaseError::Bits(error) => failed(error),
                ReleaseError::Budget(DebitError::Exceeded) => exceeded(mechanism, payer),
                error => BudgetError::new_err(error.to_string()),
            })
        })?;
        to_object(py, &outcome)
    }
}

impl Account<guarantee::Filter> {
    fn debit(&self, py: Python<'_>, cost: &guarantee::Guarantee) -> PyResult<()> {
        self.with(py, |state| {
            let filter = state.payer.as_mut().ok_or_else(gone)?;
            if state.is_closed {
                return Err(BudgetError::new_err(CLOSED));
            }
            filter.debit(cost).map_err(|error| BudgetError::new_err(format!("{error}; nothing was drawn")))
        })
    }
}

fn gone() -> PyErr {
    BudgetError::new_err("the budget was saved, and is spent where it is restored")
}

/// Says what was asked for, and what is left: both are public.
fn exceeded(mechanism: &Mechanism, payer: &impl Pays) -> PyErr {
    let asked = mechanism.any().cost(payer.relation()).ok().and_then(|cost| Guarantee::of(&cost));
    let asked = asked.map_or_else(|| "without a guarantee".to_owned(), |cost| cost.numbers());
    let left = payer.left().and_then(|left| Guarantee::of(&left)).map_or_else(String::new, |left| left.numbers());
    BudgetError::new_err(format!("the budget does not suffice: asked for {asked}, left {left}; nothing was spent"))
}

fn shown(guarantee: &guarantee::Guarantee) -> PyResult<Guarantee> {
    Guarantee::of(guarantee).ok_or_else(|| PyRuntimeError::new_err("the amount has no value"))
}

fn check_length(text: &str) -> PyResult<()> {
    if text.len() > LONGEST { Err(refused("text", "must be what save() returned")) } else { Ok(()) }
}

/// A budget that is never passed: every release is paid for before it is drawn, or refused.
///
/// The budget is epsilon (pure), epsilon and delta, rho (zCDP), or alpha and epsilon (Renyi), for neighbours
/// of relation 'add_remove' (the default) or 'change_one'. The releases may be chosen adaptively, with costs
/// that depend on what was released: the budget is the guarantee of all of them. As a context manager it is
/// closed at the end of its block.
///
/// A child of a fork cannot spend it; a saved text that is restored twice is spent twice.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Filter {
    account: Account<guarantee::Filter>,
    /// Who made it. A forked child's debits are refused by the filter itself, and it must not save it either.
    process: u32,
}

impl Filter {
    fn of(filter: guarantee::Filter) -> Self {
        Self { account: Account::new(filter), process: process::id() }
    }
}

#[pymethods]
impl Filter {
    #[new]
    #[pyo3(signature = (*, epsilon=None, delta=None, rho=None, alpha=None, relation=None))]
    fn new(
        epsilon: Option<&Bound<'_, PyAny>>,
        delta: Option<&Bound<'_, PyAny>>,
        rho: Option<&Bound<'_, PyAny>>,
        alpha: Option<&Bound<'_, PyAny>>,
        relation: Option<&str>,
    ) -> PyResult<Self> {
        let budget = self::budget(neighbours(relation)?, epsilon, delta, rho, alpha)?;
        Ok(Self::of(guarantee::Filter::new(budget)))
    }

    /// One release of a mechanism (or of a spec) on data, paid for first.
    ///
    /// BudgetError, and nothing is drawn or spent, if the budget does not suffice. Data that the mechanism
    /// refuses cost nothing; a source of randomness that fails has been paid for.
    #[pyo3(signature = (mechanism, data, *, source=None))]
    fn release<'py>(
        &self,
        py: Python<'py>,
        mechanism: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.account.release(py, mechanism, data, source)
    }

    /// Pays for what `certus.torch` is about to draw: epsilon and delta, for neighbours of relation
    /// 'add_remove'.
    fn _debit(&self, py: Python<'_>, epsilon: &Bound<'_, PyAny>, delta: &Bound<'_, PyAny>) -> PyResult<()> {
        let cost = budget(Relation::AddRemove, Some(epsilon), Some(delta), None, None)?;
        self.account.debit(py, &cost)
    }

    /// What has been spent, a Guarantee.
    #[getter]
    fn spent(&self, py: Python<'_>) -> PyResult<Guarantee> {
        shown(&self.account.look(py, guarantee::Filter::spent)?)
    }

    /// What is left, a Guarantee.
    #[getter]
    fn remaining(&self, py: Python<'_>) -> PyResult<Guarantee> {
        shown(&self.account.look(py, guarantee::Filter::remaining)?)
    }

    /// Text that `Filter.restore` takes. The budget is gone from here: it is spent where it is restored.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        if process::id() != self.process {
            return Err(BudgetError::new_err(DebitError::Forked.to_string()));
        }
        let saved = self.account.take(py)?.save().map_err(|error| BudgetError::new_err(error.to_string()))?;
        serde_json::to_string(&saved).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The budget that a text of `save` holds, with what was spent of it.
    #[staticmethod]
    fn restore(text: &str) -> PyResult<Self> {
        check_length(text)?;
        let saved: SavedFilter = serde_json::from_str(text)
            .map_err(|error| refused("text", format_args!("must be what save() returned: {error}")))?;
        Ok(Self::of(saved.restore()))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<bool> {
        self.account.close(py)?;
        Ok(false)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let left = self.account.look(py, guarantee::Filter::remaining).ok().and_then(|left| Guarantee::of(&left));
        Ok(left.map_or_else(|| "<Filter, saved>".to_owned(), |left| format!("<Filter, left: {}>", left.text())))
    }
}

/// Counts what releases spend, without an end.
///
/// kind: 'pure', 'approximate', 'zcdp' or 'renyi' (of order alpha). What is spent is a guarantee at a time
/// that is fixed beforehand; for one that depends on what was released, a Filter's budget is.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Odometer {
    account: Account<guarantee::Odometer>,
}

#[pymethods]
impl Odometer {
    #[new]
    #[pyo3(signature = (kind, *, alpha=None, relation=None))]
    fn new(kind: &str, alpha: Option<&Bound<'_, PyAny>>, relation: Option<&str>) -> PyResult<Self> {
        let (relation, nothing) = (neighbours(relation)?, Real::from(0));
        let like = match (kind, alpha) {
            ("pure", None) => guarantee::Guarantee::pure(relation, nothing),
            ("approximate", None) => guarantee::Guarantee::approximate(relation, nothing.clone(), nothing),
            ("zcdp", None) => guarantee::Guarantee::zcdp(relation, nothing),
            ("renyi", Some(alpha)) => guarantee::Guarantee::renyi(relation, &positive(alpha, "alpha")?, nothing),
            ("renyi", None) => return Err(refused("alpha", "must be given for 'renyi'")),
            ("pure" | "approximate" | "zcdp", Some(_)) => {
                return Err(refused("alpha", "must be given for 'renyi' alone"));
            }
            _ => return Err(refused("kind", "must be 'pure', 'approximate', 'zcdp' or 'renyi'")),
        };
        let like = like.map_err(|error| refused("alpha", error))?;
        Ok(Self { account: Account::new(guarantee::Odometer::new(&like)) })
    }

    /// One release of a mechanism (or of a spec) on data, counted first.
    #[pyo3(signature = (mechanism, data, *, source=None))]
    fn release<'py>(
        &self,
        py: Python<'py>,
        mechanism: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
        source: Option<&Bound<'py, Seeded>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.account.release(py, mechanism, data, source)
    }

    /// What has been spent, a Guarantee.
    #[getter]
    fn spent(&self, py: Python<'_>) -> PyResult<Guarantee> {
        shown(&self.account.look(py, guarantee::Odometer::spent)?)
    }

    /// Text that `Odometer.restore` takes; it goes on counting there.
    fn save(&self, py: Python<'_>) -> PyResult<String> {
        let saved = self.account.take(py)?;
        serde_json::to_string(&saved).map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    /// The odometer that a text of `save` holds.
    #[staticmethod]
    fn restore(text: &str) -> PyResult<Self> {
        check_length(text)?;
        let saved = serde_json::from_str(text)
            .map_err(|error| refused("text", format_args!("must be what save() returned: {error}")))?;
        Ok(Self { account: Account::new(saved) })
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<bool> {
        self.account.close(py)?;
        Ok(false)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let spent = self.account.look(py, guarantee::Odometer::spent).ok().and_then(|spent| Guarantee::of(&spent));
        Ok(spent.map_or_else(|| "<Odometer, saved>".to_owned(), |spent| format!("<Odometer, spent: {}>", spent.text())))
    }
}
