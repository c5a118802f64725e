//! A budget, and what debits leave of it.

use certus::guarantee::{Filter, Relation};
use serde::{Deserialize, Serialize};

use super::{
    Amount, Parts,
    entry::Charge,
    error::{BookError, Exceeded},
    name::Analyst,
};

/// What may be spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Budget {
    /// A sum of the losses of adaptively chosen mechanisms: a [`Filter`], with the theorems that it cites.
    Sum(Amount),
    /// A list of parts that was fixed beforehand, whose exact account is the budget. Parts are ticked off in
    /// any order, and their inputs may be chosen adaptively; the list does not grow.
    Declared(Parts),
}

impl Budget {
    /// Whether something can be spent of it, and its numbers are such as a ledger holds.
    pub(super) fn is_valid(&self) -> bool {
        match self {
            Self::Sum(amount) => amount.is_budget(),
            Self::Declared(parts) => parts.is_budget(),
        }
    }

    /// Whether it lies inside another.
    pub(super) fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Sum(mine), Self::Sum(theirs)) => mine.fits(theirs),
            (Self::Declared(mine), Self::Declared(theirs)) => theirs.minus(mine).is_some(),
            _ => false,
        }
    }
}

/// A budget and what debits have left of it.
#[derive(Debug)]
pub(super) struct Spending {
    budget: Budget,
    running: Running,
}

#[derive(Debug)]
enum Running {
    Sum(Box<Filter>),
    Declared { spent: Parts },
}

impl Spending {
    /// A budget of which nothing is spent. Nothing where it is no valid one.
    pub(super) fn new(budget: &Budget, relation: Relation) -> Option<Self> {
        if !budget.is_valid() {
            return None;
        }
        let running = match budget {
            Budget::Sum(amount) => Running::Sum(Box::new(Filter::new(amount.guarantee(relation)?))),
            Budget::Declared(_) => Running::Declared { spent: Parts::new() },
        };
        Some(Self { budget: budget.clone(), running })
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What has been spent.
    pub(super) fn spent(&self) -> Budget {
        match (&self.running, &self.budget) {
            (Running::Declared { spent }, _) => Budget::Declared(spent.clone()),
            // A sum of rational costs is rational.
            (Running::Sum(filter), _) => Budget::Sum(exactly(&filter.spent(), &self.budget)),
        }
    }

    /// What is left.
    pub(super) fn left(&self) -> Budget {
        match (&self.running, &self.budget) {
            (Running::Declared { spent }, Budget::Declared(all)) => {
                Budget::Declared(all.minus(spent).unwrap_or_default())
            }
            (Running::Declared { .. }, _) => Budget::Declared(Parts::new()),
            (Running::Sum(filter), _) => Budget::Sum(exactly(&filter.remaining(), &self.budget)),
        }
    }

    /// Whether all these costs together fit what is left; a refusal says what was asked and what is left.
    pub(super) fn check(&self, charge: &Charge, analyst: Option<&Analyst>) -> Result<(), BookError> {
        let left = self.left();
        if charge.budget().fits(&left) {
            return Ok(());
        }
        let (asked, analyst) = (charge.budget().clone(), analyst.cloned());
        Err(BookError::Exceeded(Box::new(Exceeded { analyst, asked, left, budget: self.budget.clone() })))
    }

    /// Spends what [`check`](Self::check) admitted.
    pub(super) fn spend(&mut self, charge: &Charge, relation: Relation) -> Result<(), BookError> {
        match (&mut self.running, charge.budget()) {
            (Running::Sum(filter), Budget::Sum(total)) => {
                let cost = total.guarantee(relation).ok_or(BookError::Kind)?;
                filter.debit(&cost).map_err(BookError::Debit)
            }
            (Running::Declared { spent }, Budget::Declared(parts)) => {
                parts.iter().try_for_each(|(name, copies)| spent.add(name, copies)).ok_or(BookError::Kind)
            }
            _ => Err(BookError::Kind),
        }
    }
}

/// A filter's numbers are sums and differences of rationals.
fn exactly(guarantee: &certus::guarantee::Guarantee, budget: &Budget) -> Amount {
    let nothing = || match budget {
        Budget::Sum(amount) => amount.nothing(),
        Budget::Declared(_) => Amount::Pure { epsilon: certus::exact::NonNegative::zero() },
    };
    Amount::exactly(guarantee).unwrap_or_else(nothing)
}
