//! From exact aggregates to private statistics: noise is drawn once, here, after the ledger was debited.
//!
//! What is drawn is the very spec that was priced ([`Part::spec`](crate::price::Part)), by the catalogue. The
//! order of what is released tells nothing: public keys come in the order of their lists, others sorted.

mod after;
mod inputs;
mod moments;
mod ranking;
mod source;

use certus::{
    bits::BitsError,
    exact::{BigInt, Rational},
    mechanism::AccuracyError,
};
use certus_ledger::{
    book::Debited,
    plan::{Query, ReleasePlan, Statistic},
};

use crate::{
    aggregates::{Aggregates, Group},
    price::{Expected, Law, Part, Priced, PricedQuery, Role, whole},
};
pub use source::{Draw, Samplers};

/// What shows that a release was paid for: nothing is drawn without it.
#[derive(Debug)]
pub enum Paid {
    /// By a debit that the ledger has on the disk.
    ByLedger(Debited),
    /// By nobody: whoever releases keeps account themselves.
    Unrecorded,
}

/// Why nothing is released. No text speaks of data.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// The source of randomness failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// The aggregates are not those of the plan.
    #[error("the aggregates are not of this plan: {0}")]
    Aggregates(&'static str),
    /// A mechanism refuses its input, or an accuracy cannot be computed.
    #[error("the mechanism of query {query:?} could not be drawn: {what}")]
    Mechanism {
        /// The query's name.
        query: String,
        /// Why.
        what: String,
    },
}

/// The released statistics of one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// One a group, cell or rank.
    pub rows: Vec<Row>,
    /// The sampler that drew each part.
    pub samplers: Vec<&'static str>,
}

/// One number or word that is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The values of the query's `by` columns, in their own unit.
    pub key: Vec<String>,
    /// The cell of a histogram, the rank of top-k, or `total`.
    pub label: Option<String>,
    /// What is released, in the unit of the column.
    pub value: Value,
    /// α at 95 %, of this value by itself; nothing for a word.
    pub alpha: Option<Rational>,
}

/// What is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(Rational),
    /// A value of a public list.
    Word(String),
}

/// Draws a release. What it cost was debited, which `paid` shows.
///
/// # Errors
///
/// If the source of bits fails, or the aggregates are not those of the plan. There is no output then, and the
/// debit stays.
pub fn draw(
    plan: &ReleasePlan,
    priced: &Priced,
    aggregates: &Aggregates,
    _paid: &Paid,
    source: &mut Draw<'_>,
) -> Result<Vec<Released>, DrawError> {
    if aggregates.plan != plan.digest() {
        return Err(DrawError::Aggregates("another plan's digest"));
    }
    if aggregates.queries.len() != plan.queries.len() || priced.queries.len() != plan.queries.len() {
        return Err(DrawError::Aggregates("another number of queries"));
    }
    let queries = plan.queries.iter().zip(&priced.queries).zip(&aggregates.queries);
    queries.map(|((query, priced), groups)| Drawing { plan, query, priced }.all(groups, source)).collect()
}

/// One query as it is drawn.
struct Drawing<'p> {
    plan: &'p ReleasePlan,
    query: &'p Query,
    priced: &'p PricedQuery,
}

impl Drawing<'_> {
    fn all(&self, groups: &[Group], source: &mut Draw<'_>) -> Result<Released, DrawError> {
        let mut samplers = Vec::new();
        let rows = match (&self.query.statistic, self.priced.parts.first().map(|part| part.role)) {
            (Statistic::Quantile { .. } | Statistic::TopK { .. }, _) => self.chosen(groups, source, &mut samplers)?,
            (_, Some(Role::Keys { threshold })) => self.thresholded(groups, threshold, source, &mut samplers)?,
            _ => self.public(groups, source, &mut samplers)?,
        };
        Ok(Released { rows, samplers })
    }

    /// Every public key or cell.
    fn public(
        &self,
        groups: &[Group],
        source: &mut Draw<'_>,
        samplers: &mut Vec<&'static str>,
    ) -> Result<Vec<Row>, DrawError> {
        let (labels, found) = self.listed(groups)?;
        let mut noisy = Vec::new();
        for part in &self.priced.parts {
            let mut exact = found.iter().map(|group| self.exact(part.role, group.as_ref())).collect::<Vec<_>>();
            if part.role == Role::Total {
                exact = vec![exact.iter().sum()];
            }
            noisy.push(self.noisy(part, &exact, source, samplers)?);
        }
        self.rows(labels, &noisy)
    }

    /// The keys that the data have, where the noisy number of persons is at least the threshold, sorted.
    fn thresholded(
        &self,
        groups: &[Group],
        threshold: i64,
        source: &mut Draw<'_>,
        samplers: &mut Vec<&'static str>,
    ) -> Result<Vec<Row>, DrawError> {
        let mut sorted: Vec<&Group> = groups.iter().collect();
        sorted.sort_by(|a, b| a.key.cmp(&b.key));
        self.check_keys(&sorted)?;
        let Some((keys, others)) = self.priced.parts.split_first() else { return Ok(Vec::new()) };
        let noise = self.keys_noise(keys)?;
        let (mut labels, mut kept, mut persons) = (Vec::new(), Vec::new(), Vec::new());
        for group in sorted {
            if group.persons == 0 {
                // Nobody has this key: it is not there, as in `StabilityHistogram`.
                continue;
            }
            let noisy = source.add(&noise, &BigInt::from(group.persons)).map_err(|e| self.failed(e))?;
            if noisy >= BigInt::from(threshold) {
                labels.push((self.shown(&group.key), None));
                kept.push(group);
                persons.push(noisy);
            }
        }
        samplers.push(source.sampler_of(&noise).map_err(|e| self.failed(e))?);
        if others.is_empty() {
            return self.rows(labels, &[persons]);
        }
        let mut noisy = Vec::new();
        for part in others {
            let mut column = Vec::new();
            for group in &kept {
                let exact = [self.exact(part.role, Some(group))];
                column.extend(self.noisy(part, &exact, source, &mut Vec::new())?);
            }
            samplers.push(source.sampler_of(&part.spec).map_err(|e| self.failed(e))?);
            noisy.push(column);
        }
        self.rows(labels, &noisy)
    }

    /// The noise of `stability_histogram` on the number of persons of a key: Laplace of its scale.
    fn keys_noise(&self, keys: &Part) -> Result<certus::mechanism::Spec, DrawError> {
        let Law::Laplace { scale } = &keys.law else {
            return Err(self.failed(source::Failed::Refused("keys need Laplace noise".into())));
        };
        let spec = format!("laplace(scale={})", certus::exact::render(scale.get()));
        spec.parse()
            .map_err(|error: certus::mechanism::SpecError| self.failed(source::Failed::Refused(error.to_string())))
    }

    /// A part's numbers with noise of their own.
    fn noisy(
        &self,
        part: &Part,
        exact: &[BigInt],
        source: &mut Draw<'_>,
        samplers: &mut Vec<&'static str>,
    ) -> Result<Vec<BigInt>, DrawError> {
        let (noisy, sampler) = source.numbers(&part.spec, exact).map_err(|error| self.failed(error))?;
        samplers.push(sampler);
        Ok(noisy)
    }

    /// What is made of the noisy numbers: the statistic, its accuracy, and what was asked for afterwards.
    fn rows(&self, labels: Vec<(Vec<String>, Option<String>)>, noisy: &[Vec<BigInt>]) -> Result<Vec<Row>, DrawError> {
        let step = self.step();
        let estimates: Vec<(Rational, Rational)> = match &self.query.statistic {
            Statistic::Mean { .. } | Statistic::Variance { .. } => {
                self.moments(noisy).map_err(|e| self.inaccurate(e))?
            }
            _ => {
                let alpha = match &self.priced.expected {
                    Expected::Value { alpha, .. } => alpha.clone(),
                    _ => whole(0),
                };
                let values = noisy.first().map(Vec::as_slice).unwrap_or_default();
                values.iter().map(|value| (Rational::from_integer(value.clone()) * &step, alpha.clone())).collect()
            }
        };
        let row = |((key, label), (value, alpha)): ((Vec<String>, Option<String>), (Rational, Rational))| Row {
            key,
            label,
            value: Value::Number(value),
            alpha: Some(alpha),
        };
        let rows = labels.into_iter().zip(estimates).map(row).collect();
        let total =
            noisy.get(1).and_then(|total| total.first()).map(|total| Rational::from_integer(total.clone()) * step);
        Ok(after::apply(self.query, &self.priced.parts, rows, total))
    }

    fn failed(&self, failed: source::Failed) -> DrawError {
        match failed {
            source::Failed::Bits(error) => DrawError::Bits(error),
            source::Failed::Refused(what) => DrawError::Mechanism { query: self.query.name.clone(), what },
        }
    }

    fn inaccurate(&self, error: AccuracyError) -> DrawError {
        DrawError::Mechanism { query: self.query.name.clone(), what: error.to_string() }
    }
}

#[cfg(test)]
mod tests;
