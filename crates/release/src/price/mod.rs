//! What a plan costs, and how accurate it will be: mechanisms, scales and costs, from public parameters
//! alone.
//!
//! Every part of a query is a **spec of the catalogue**, so that `certus account` says the same of it, and
//! the spec that is priced is the spec that is drawn. The costs of all parts never exceed the plan's budget:
//! shares are rationals, and what is irrational is rounded to the side of more noise.

mod accuracy;
mod additive;
mod choice;
mod root;
mod sensitivity;
mod split;
mod thresholded;

use certus::{
    exact::{Positive, Rational, Real, render},
    guarantee::{Guarantee, Relation},
    mechanism::{Spec, from_spec},
};
use certus_ledger::{
    book::Cost,
    plan::{After, Budget, Keys, Query, ReleasePlan, Statistic},
};

pub(crate) use accuracy::pull;
pub use accuracy::{Expected, Law, beta};
pub use sensitivity::Sensitivities;
use split::Shares;

/// Why a plan has no price: one line that depends on the plan alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct PriceError {
    place: String,
    what: String,
    /// Whether the plan asks for more than its own budget.
    pub is_over_budget: bool,
}

impl PriceError {
    fn new(place: impl Into<String>, what: impl std::fmt::Display) -> Self {
        Self { place: place.into(), what: what.to_string(), is_over_budget: false }
    }
}

/// A plan with its mechanisms and costs.
#[derive(Clone, Debug)]
pub struct Priced {
    /// In the order of the plan's queries.
    pub queries: Vec<PricedQuery>,
    /// What may be spent.
    pub budget: Guarantee,
    /// What is spent: at most the budget.
    pub cost: Guarantee,
}

/// A query with its mechanisms.
#[derive(Clone, Debug)]
pub struct PricedQuery {
    /// What runs, in the order in which it is drawn.
    pub parts: Vec<Part>,
    /// What they cost together.
    pub cost: Guarantee,
    /// How large the error is at 95 %.
    pub expected: Expected,
}

/// One mechanism of a query.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it makes private.
    pub role: Role,
    /// The mechanism, as the catalogue reads it.
    pub spec: Spec,
    /// Its distribution of errors.
    pub law: Law,
    /// How many numbers it makes private; 1 where that depends on the data.
    pub entries: usize,
    /// What it costs, in the budget's kind.
    pub amount: Amount,
    /// The same as a guarantee.
    pub cost: Guarantee,
}

/// What a part makes private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Counts or sums: those that are released.
    Values,
    /// 2·sum − (lower + upper)·values, of a mean or variance.
    CentredSum,
    /// The number of values, of a mean or variance.
    ValueCount,
    /// Σ 2y² − w² with y = 2v − lower − upper, w = upper − lower, of a variance.
    CentredSquares,
    /// The total that groups are to agree with.
    Total,
    /// The groups that the data have, where the noisy number of persons reaches this threshold.
    Keys {
        /// τ.
        threshold: i64,
    },
    /// A choice among public candidates.
    Choice,
}

/// A cost in the budget's kind: ε or ρ, and δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// ε, or ρ.
    pub main: Rational,
    /// δ; 0 for ε and ρ alone.
    pub delta: Rational,
}

impl Amount {
    fn zero() -> Self {
        Self { main: whole(0), delta: whole(0) }
    }

    fn add(&self, other: &Self) -> Self {
        Self { main: &self.main + &other.main, delta: &self.delta + &other.delta }
    }

    /// An n-th of it.
    fn over(&self, n: i64) -> Self {
        Self { main: &self.main / whole(n), delta: &self.delta / whole(n) }
    }

    /// The guarantee of the budget's kind.
    fn guarantee(&self, budget: &Budget, relation: Relation) -> Result<Guarantee, PriceError> {
        let (main, delta) = (Real::from(self.main.clone()), Real::from(self.delta.clone()));
        let guarantee = match budget {
            Budget::Pure { .. } => Guarantee::pure(relation, main),
            Budget::Approximate { .. } => Guarantee::approximate(relation, main, delta),
            Budget::Zcdp { .. } => Guarantee::zcdp(relation, main),
        };
        guarantee.map_err(|error| PriceError::new("budget", error))
    }

    fn of(budget: &Budget) -> Self {
        match budget {
            Budget::Pure { epsilon } => Self { main: epsilon.get().clone(), delta: whole(0) },
            Budget::Approximate { epsilon, delta } => Self { main: epsilon.get().clone(), delta: delta.get().clone() },
            Budget::Zcdp { rho } => Self { main: rho.get().clone(), delta: whole(0) },
        }
    }
}

pub(crate) fn whole(n: i64) -> Rational {
    Rational::from_integer(n.into())
}

/// The mechanisms, costs and accuracies of a plan.
///
/// # Errors
///
/// If the queries ask for more than the budget, an accuracy is out of reach, or a mechanism takes no such
/// parameters.
pub fn price(plan: &ReleasePlan) -> Result<Priced, PriceError> {
    let shares = Shares::of(plan)?;
    let mut queries = Vec::new();
    let mut total = Amount::zero();
    for (query, share) in plan.queries.iter().zip(shares.each) {
        let pricing = Pricing { plan, query };
        let priced = pricing.query(&share).map_err(|error| within(query, error))?;
        total = priced.parts.iter().fold(total, |total, part| total.add(&part.amount));
        queries.push(priced);
    }
    let most = Amount::of(&plan.budget);
    // By construction; what is booked is checked all the same.
    if total.main > most.main || total.delta > most.delta {
        return Err(PriceError {
            is_over_budget: true,
            ..PriceError::new("budget", "the queries cost more than it has")
        });
    }
    Ok(Priced {
        queries,
        budget: most.guarantee(&plan.budget, plan.neighbours)?,
        cost: total.guarantee(&plan.budget, plan.neighbours)?,
    })
}

fn within(query: &Query, error: PriceError) -> PriceError {
    PriceError { place: format!("query {:?}: {}", query.name, error.place), ..error }
}

impl Priced {
    /// What the ledger is to book, part by part.
    #[must_use]
    pub fn costs(&self) -> Vec<Cost> {
        let parts = self.queries.iter().flat_map(|query| &query.parts);
        parts.map(|part| Cost { spec: part.spec.clone(), copies: 1, guarantee: Some(part.cost.clone()) }).collect()
    }
}

/// One query of a plan, as it is priced.
struct Pricing<'p> {
    plan: &'p ReleasePlan,
    query: &'p Query,
}

impl Pricing<'_> {
    fn query(&self, share: &Amount) -> Result<PricedQuery, PriceError> {
        let parts = match (&self.query.statistic, self.query.keys) {
            (Statistic::Quantile { .. } | Statistic::TopK { .. }, _) => vec![self.choice(share)?],
            (_, Keys::Thresholded) => self.thresholded(share)?,
            (_, Keys::Public) => self.public(share)?,
        };
        let cost = parts.iter().fold(Amount::zero(), |sum, part| sum.add(&part.amount));
        let expected = self.expected(&parts)?;
        Ok(PricedQuery { parts, cost: cost.guarantee(&self.plan.budget, self.plan.neighbours)?, expected })
    }

    /// The parts of a query over public keys.
    fn public(&self, share: &Amount) -> Result<Vec<Part>, PriceError> {
        let entries = self.entries()?;
        match &self.query.statistic {
            Statistic::Mean { .. } | Statistic::Variance { .. } => self.moments(entries, share),
            _ if self.query.after.contains(&After::Consistent) => {
                let total = self.sensitivities().alone();
                let half = share.over(2);
                Ok(vec![
                    self.additive(Role::Values, entries, &self.sensitivities(), &half)?,
                    self.additive(Role::Total, 1, &total, &half)?,
                ])
            }
            _ => Ok(vec![self.additive(Role::Values, entries, &self.sensitivities(), share)?]),
        }
    }

    /// Count, centred sum and, for a variance, centred squares: equal shares.
    fn moments(&self, entries: usize, share: &Amount) -> Result<Vec<Part>, PriceError> {
        let roles: &[Role] = match self.query.statistic {
            Statistic::Variance { .. } => &[Role::ValueCount, Role::CentredSum, Role::CentredSquares],
            _ => &[Role::ValueCount, Role::CentredSum],
        };
        let each = share.over(i64::try_from(roles.len()).unwrap_or(i64::MAX));
        let part = |role: &Role| self.additive(*role, entries, &self.sensitivities_of(*role), &each);
        roles.iter().map(part).collect()
    }

    /// How many numbers are released: groups, or cells.
    fn entries(&self) -> Result<usize, PriceError> {
        if let Statistic::Histogram { column, cuts } = &self.query.statistic {
            let listed = self.plan.columns.get(column).and_then(|column| column.keys());
            let cells =
                if cuts.is_empty() { listed.and_then(|n| usize::try_from(n).ok()) } else { cuts.len().checked_sub(1) };
            return cells.ok_or_else(|| PriceError::new("cuts", "must be at least two"));
        }
        self.plan.public_keys(self.query).map_err(|error| PriceError::new("by", error))
    }

    /// A part, if the catalogue has its spec.
    fn part(&self, role: Role, spec: &str, law: Law, entries: usize, amount: Amount) -> Result<Part, PriceError> {
        let refused = |error: certus::mechanism::SpecError| PriceError::new("mechanism", error);
        let spec: Spec = spec.parse().map_err(refused)?;
        from_spec(&spec).map_err(refused)?;
        let cost = amount.guarantee(&self.plan.budget, self.plan.neighbours)?;
        Ok(Part { role, spec, law, entries, amount, cost })
    }
}

/// A number in a spec.
fn text(value: &Positive) -> String {
    render(value.get())
}

#[cfg(test)]
mod tests;
