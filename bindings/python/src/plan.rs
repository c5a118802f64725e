//! `certus.Plan`: what several mechanisms cost together.

use certus::{
    account::{self, AccountError, Precision, TradeOff},
    exact::{Probability, render},
    guarantee::{Domination, Relation},
    mechanism::{MAX_COPIES, Spec, domination},
};
use num_traits::One;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyList, PyString, PyTuple},
};

use crate::{
    answer::Answer,
    enclosure::Enclosure,
    mechanism::Mechanism,
    number::{count, non_negative, positive, probability, refused, to_fraction, type_name},
    profile,
};

/// The most digits that may be asked for, and the most points of a profile, as of the command.
const MOST_DIGITS: u64 = 1000;
const MOST_POINTS: u64 = 1000;

/// Mechanisms that run on the same data, each any number of times, adaptively or not.
///
/// mechanisms: specs, each perhaps with copies ('gaussian(sigma=10)*100'), Mechanisms, or pairs of one of
/// these and a number of copies. relation: 'add_remove' or 'change_one', the neighbours that it is for;
/// 'change_one' takes what is for add_remove as two steps.
#[pyclass(module = "certus", frozen)]
pub(crate) struct Plan {
    plan: account::Plan,
    texts: Vec<String>,
}

/// One mechanism of a plan.
struct Item {
    text: String,
    domination: Domination,
    copies: u64,
}

impl Item {
    fn new(text: &str) -> PyResult<Self> {
        let wrong = |error| refused("mechanisms", error);
        let spec: Spec = text.parse().map_err(wrong)?;
        let copies = spec.copies().map_or(1, |copies| copies.get().into());
        let spec = spec.without_copies();
        Ok(Self { text: spec.to_string(), domination: domination(&spec).map_err(wrong)?, copies })
    }

    fn read(item: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = item.cast::<PyString>() {
            return Self::new(text.to_str()?);
        }
        if let Ok(mechanism) = item.cast::<Mechanism>() {
            return Self::new(&mechanism.get().text());
        }
        if let Ok((mechanism, copies)) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()
            && item.is_instance_of::<PyTuple>()
            && !mechanism.is_instance_of::<PyTuple>()
        {
            let single = Self::read(&mechanism)?;
            if single.copies > 1 {
                return Err(refused("mechanisms", "must not have copies both in a spec (*k) and beside it"));
            }
            return Ok(Self { copies: count(&copies, "copies", 1, MAX_COPIES.into())?, ..single });
        }
        let must = "must be specs, Mechanisms, or pairs of one and a number of copies";
        Err(PyTypeError::new_err(format!("mechanisms: {must}, not {}", type_name(item))))
    }
}

pub(crate) fn relation(name: &str) -> PyResult<Relation> {
    match name {
        "add_remove" => Ok(Relation::AddRemove),
        "change_one" => Ok(Relation::ChangeOne),
        _ => Err(refused("relation", "must be 'add_remove' or 'change_one'")),
    }
}

/// Why there is no account, in the words of this package.
pub(crate) fn no_account(error: AccountError) -> PyErr {
    PyValueError::new_err(match error {
        AccountError::RelationsDiffer => {
            "mechanisms: must all be for the same neighbours: relation='change_one' takes those for add_remove as two steps"
                .to_owned()
        }
        error => error.to_string(),
    })
}

impl Plan {
    fn of(items: Vec<Item>, under: Option<Relation>) -> PyResult<Self> {
        if items.is_empty() {
            return Err(no_account(AccountError::Empty));
        }
        let (mut plan, mut texts) = (account::Plan::new(), Vec::new());
        for Item { text, domination, copies } in items {
            let domination = match under {
                Some(relation) => domination.under(relation).map_err(|error| refused("relation", error))?,
                None => domination,
            };
            plan = plan.with(&domination, copies).map_err(no_account)?;
            texts.push(if copies == 1 { text } else { format!("{text}*{copies}") });
        }
        Ok(Self { plan, texts })
    }
}

fn precision(digits: &Bound<'_, PyAny>) -> PyResult<Precision> {
    Ok(Precision { digits: u32::try_from(count(digits, "digits", 1, MOST_DIGITS)?)? })
}

/// A δ that an ε is asked for.
pub(crate) fn below_one(delta: &Bound<'_, PyAny>) -> PyResult<Probability> {
    let found = probability(delta, "delta")?;
    if found.get().is_one() {
        return Err(refused("delta", "must be at least 0 and below 1, such as 0, 1e-6 or '1/1000'"));
    }
    Ok(found)
}

#[pymethods]
impl Plan {
    #[new]
    #[pyo3(signature = (mechanisms, *, relation=None))]
    fn new(mechanisms: &Bound<'_, PyAny>, relation: Option<&str>) -> PyResult<Self> {
        let under = relation.map(self::relation).transpose()?;
        if mechanisms.is_instance_of::<PyString>() || mechanisms.is_instance_of::<Mechanism>() {
            return Self::of(vec![Item::read(mechanisms)?], under);
        }
        let must =
            || PyTypeError::new_err(format!("mechanisms: must be a list of specs, not {}", type_name(mechanisms)));
        let items = mechanisms.try_iter().map_err(|_| must())?;
        Self::of(items.map(|item| Item::read(&item?)).collect::<PyResult<_>>()?, under)
    }

    /// The smallest delta at an epsilon, to so many digits.
    #[pyo3(signature = (epsilon, *, digits=None))]
    fn delta(
        &self,
        py: Python<'_>,
        epsilon: &Bound<'_, PyAny>,
        digits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Answer>> {
        let (epsilon, precision) = (non_negative(epsilon, "epsilon")?, asked(digits)?);
        let found = py.detach(|| account::delta(&self.plan, &epsilon, &precision)).map_err(no_account)?;
        Answer::new(py, &found, &self.plan)
    }

    /// The smallest epsilon at a delta, to so many digits.
    #[pyo3(signature = (delta, *, digits=None))]
    fn epsilon(
        &self,
        py: Python<'_>,
        delta: &Bound<'_, PyAny>,
        digits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Answer>> {
        let (delta, precision) = (below_one(delta)?, asked(digits)?);
        let found = py.detach(|| account::epsilon(&self.plan, &delta, &precision)).map_err(no_account)?;
        Answer::new(py, &found, &self.plan)
    }

    /// delta at evenly spaced epsilons from 0 to `to`: a list of pairs of a Fraction and an Answer.
    ///
    /// Without `to`, they end at the least of 1, 2, 5 times a power of ten where delta is negligible.
    #[pyo3(signature = (*, to=None, points=None, digits=None))]
    fn profile<'py>(
        &self,
        py: Python<'py>,
        to: Option<&Bound<'py, PyAny>>,
        points: Option<&Bound<'py, PyAny>>,
        digits: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let last = to.map(|to| positive(to, "to")).transpose()?;
        let points = points.map_or(Ok(profile::POINTS), |points| count(points, "points", 2, MOST_POINTS))?;
        let precision = asked(digits)?;
        let found = py.detach(|| {
            let last = match last {
                Some(last) => last.get().clone(),
                None => account::reach(&self.plan).map_err(no_account)?,
            };
            profile::profile(&self.plan, &last, points, &precision).map_err(no_account)
        });
        let rows = found?;
        let rows = rows.iter().map(|(epsilon, found)| {
            PyTuple::new(
                py,
                [to_fraction(py, epsilon.get())?, Answer::new(py, found, &self.plan)?.into_bound(py).into_any()],
            )
        });
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// The least false-negative rate of any test between neighbouring inputs with these false-positive
    /// rates: an Enclosure for each of them, or one for one rate.
    #[pyo3(signature = (false_positives, *, digits=None))]
    fn trade_off<'py>(
        &self,
        py: Python<'py>,
        false_positives: &Bound<'py, PyAny>,
        digits: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = "false_positives";
        let is_list = !false_positives.is_instance_of::<PyString>() && false_positives.try_iter().is_ok();
        let rates = if is_list {
            false_positives.try_iter()?.map(|rate| probability(&rate?, name)).collect::<PyResult<Vec<_>>>()?
        } else {
            vec![probability(false_positives, name)?]
        };
        let precision = digits.map_or(Ok(Precision { digits: profile::TRADE_OFF_DIGITS }), precision)?;
        let found = py.detach(|| TradeOff::new(&self.plan, &precision).at_each(&rates));
        let found = found.iter().map(|rate| rate.as_ref().map(Enclosure::from)).collect::<Option<Vec<_>>>();
        let found = found.ok_or_else(|| no_account(AccountError::OutOfReach))?;
        match found.as_slice() {
            [one] if !is_list => Ok(Bound::new(py, one.clone())?.into_any()),
            _ => Ok(PyList::new(py, found)?.into_any()),
        }
    }

    /// Draws the privacy profile (kind='profile') or the trade-off curve (kind='trade_off') with matplotlib, if
    /// it is installed, on axes ax or on new ones, which it returns. Both ends are drawn, as a band. The other
    /// options are those of `profile` and `trade_off`.
    #[pyo3(signature = (kind="profile", *, ax=None, **options))]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        kind: &str,
        ax: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("certus._plot")?.call_method("plot", (slf, kind, ax), options)
    }

    /// The canonical specs, in the order given.
    #[getter]
    fn mechanisms(&self) -> Vec<String> {
        self.texts.clone()
    }

    /// The neighbours that it is for; None while all of it is for either.
    #[getter]
    fn relation(&self) -> Option<&'static str> {
        self.plan.relation().map(Relation::key)
    }

    fn __repr__(&self) -> String {
        format!("certus.Plan({:?})", self.texts)
    }
}

fn asked(digits: Option<&Bound<'_, PyAny>>) -> PyResult<Precision> {
    digits.map_or_else(|| Ok(Precision::default()), precision)
}

/// The plan of DP-SGD: steps that each clip the gradients of a Poisson sample and release their noisy sum.
///
/// noise_multiplier: sigma over the clip norm. rate: the probability that a person is in a step's sample.
/// coordinates: of a gradient. clip: the clip norm in steps of the integer grid that gradients are rounded
/// to. Neighbours differ by one person's presence.
#[pyfunction]
#[pyo3(signature = (*, noise_multiplier, rate, steps, coordinates, clip=None))]
pub(crate) fn dp_sgd(
    noise_multiplier: &Bound<'_, PyAny>,
    rate: &Bound<'_, PyAny>,
    steps: &Bound<'_, PyAny>,
    coordinates: &Bound<'_, PyAny>,
    clip: Option<&Bound<'_, PyAny>>,
) -> PyResult<Plan> {
    let noise = render(positive(noise_multiplier, "noise_multiplier")?.get());
    let rate = render(probability(rate, "rate")?.get());
    let steps = count(steps, "steps", 1, MAX_COPIES.into())?;
    let coordinates = count(coordinates, "coordinates", 1, 1 << 40)?;
    let clip = clip.map_or(Ok(1 << 20), |clip| count(clip, "clip", 1, u64::MAX))?;
    let spec = format!("dp_sgd(noise_multiplier={noise}, rate={rate}, clip={clip}, coordinates={coordinates})");
    Plan::of(vec![Item { copies: steps, ..Item::new(&spec)? }], None)
}
