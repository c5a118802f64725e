//! The parts of a declared plan: which mechanisms run how often, in any order.

use std::{collections::BTreeMap, fmt};

use certus::{
    account::{AccountError, Plan},
    guarantee::{GuaranteeError, Relation},
    mechanism::{MAX_COPIES, Spec, SpecError, domination},
};
use serde::{Deserialize, Serialize};

/// Why there is no such list of parts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// A spec names no mechanism.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A mechanism is for other neighbours.
    #[error("{0}: {1}")]
    Relation(String, GuaranteeError),
    /// The parts have no account together.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// A part runs never, or too often.
    #[error("each mechanism must run from 1 to {MAX_COPIES} times")]
    Copies,
}

/// Mechanisms by their canonical specs, and how often each runs.
///
/// The canonical spec is the name of a part: `laplace(scale=2.5)` and `geometric(scale=5/2)` are parts of two
/// names, although they are one distribution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parts(BTreeMap<String, u64>);

impl Parts {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `copies` runs of a mechanism; `*k` in the spec multiplies them.
    ///
    /// # Errors
    ///
    /// If the spec names no mechanism that can be accounted for, or it would run more than 10^9 times.
    pub fn with(mut self, spec: &Spec, copies: u64) -> Result<Self, PartsError> {
        domination(spec)?;
        let (name, copies) = named(spec, copies).ok_or(PartsError::Copies)?;
        let sum = self.0.get(&name).map_or(Some(copies), |earlier| earlier.checked_add(copies));
        let sum = sum.filter(|sum| (1..=MAX_COPIES.into()).contains(sum)).ok_or(PartsError::Copies)?;
        self.0.insert(name, sum);
        Ok(self)
    }

    /// The plan whose exact account is the budget, for neighbours of a relation.
    ///
    /// # Errors
    ///
    /// If a part is not for these neighbours, and does not convert.
    pub fn plan(&self, relation: Relation) -> Result<Plan, PartsError> {
        let mut plan = Plan::new();
        for (name, copies) in &self.0 {
            let domination = domination(&name.parse()?)?;
            let domination = domination.under(relation).map_err(|error| PartsError::Relation(name.clone(), error))?;
            plan = plan.with(&domination, *copies)?;
        }
        Ok(plan)
    }

    /// Each spec, and how often it runs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, copies)| (name.as_str(), *copies))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How often a part runs.
    pub(super) fn copies(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Adds runs of a part that has a canonical name; nothing where there would be 2^64.
    pub(super) fn add(&mut self, name: &str, copies: u64) -> Option<()> {
        let sum = self.copies(name).checked_add(copies)?;
        self.0.insert(name.to_owned(), sum);
        Some(())
    }

    /// What is left when others ran; nothing where one of them is not here as often.
    pub(super) fn minus(&self, others: &Self) -> Option<Self> {
        let mut left = self.clone();
        for (name, copies) in &others.0 {
            let remaining = left.copies(name).checked_sub(*copies)?;
            if remaining == 0 {
                left.0.remove(name)
            } else {
                left.0.insert(name.clone(), remaining)
            };
        }
        Some(left)
    }

    /// Whether every part runs, and none too often.
    pub(super) fn is_budget(&self) -> bool {
        !self.is_empty() && self.0.values().all(|copies| (1..=MAX_COPIES.into()).contains(copies))
    }
}

impl fmt::Display for Parts {
    /// `laplace(scale=1)*3, gaussian(sigma=2)`; `nothing` where there is none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (place, (name, copies)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            match copies {
                1 => write!(f, "{comma}{name}")?,
                _ => write!(f, "{comma}{name}*{copies}")?,
            }
        }
        Ok(())
    }
}

/// The canonical name of a mechanism, and how often it runs: `*k` in the spec counts.
pub(super) fn named(spec: &Spec, copies: u64) -> Option<(String, u64)> {
    let copies = copies.checked_mul(spec.copies().map_or(1, |k| k.get().into()))?;
    Some((spec.without_copies().to_string(), copies))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(specs: &[&str]) -> Parts {
        specs.iter().try_fold(Parts::new(), |parts, spec| parts.with(&spec.parse().unwrap(), 1)).unwrap()
    }

    #[test]
    fn parts_are_counted_by_canonical_name() {
        let all = parts(&["laplace(scale=0.5)*2", "laplace(scale=1/2)", "gaussian(sigma=2)"]);
        assert_eq!(all.to_string(), "gaussian(sigma=2), laplace(scale=1/2)*3");
        assert_eq!(all.minus(&parts(&["laplace(scale=1/2)*3"])), Some(parts(&["gaussian(sigma=2)"])));
        assert_eq!(all.minus(&parts(&["laplace(scale=1/2)*4"])), None);
        assert_eq!(all.minus(&parts(&["laplace(scale=1/3)"])), None);
        assert_eq!(all.minus(&all).unwrap().to_string(), "nothing");
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Parts>(&json).unwrap(), all);
    }

    #[test]
    fn the_plan_is_for_neighbours_of_one_relation() {
        let all = parts(&["count(scale=1)", "gaussian(sigma=2)*3"]);
        assert_eq!(all.plan(Relation::AddRemove).unwrap().relation(), Some(Relation::AddRemove));
        assert_eq!(all.plan(Relation::ChangeOne).unwrap().relation(), Some(Relation::ChangeOne));
        let changes = parts(&["randomized_response(gamma=1/4)"]);
        let error = changes.plan(Relation::AddRemove).unwrap_err().to_string();
        assert!(error.starts_with("randomized_response(gamma=1/4): "), "{error}");
        let too_many = parts(&["laplace(scale=1)*1e9"]).with(&"laplace(scale=1)".parse().unwrap(), 1);
        assert_eq!(too_many, Err(PartsError::Copies));
        assert!(matches!(Parts::new().with(&"laplace(scale=0)".parse().unwrap(), 1), Err(PartsError::Spec(_))));
        assert_eq!(Parts::new().with(&"laplace(scale=1)".parse().unwrap(), 0), Err(PartsError::Copies));
    }
}
