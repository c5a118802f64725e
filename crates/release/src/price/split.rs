//! The budget, divided over the queries: exactly, so that the shares add up to it.

use certus::exact::{Rational, render};
use certus_ledger::plan::{Budget, Keys, Noise, Query, ReleasePlan, Share};

use super::{Amount, PriceError, Pricing, whole};

/// What each query may cost.
pub(super) struct Shares {
    /// In the order of the plan's queries.
    pub(super) each: Vec<Amount>,
}

impl Shares {
    /// Stated costs and those of asked accuracies come first; what is left is divided by weight. δ is divided
    /// by weight (1 where there is none) over the queries that need some.
    pub(super) fn of(plan: &ReleasePlan) -> Result<Self, PriceError> {
        let budget = Amount::of(&plan.budget);
        let mut fixed = Vec::new();
        for query in &plan.queries {
            fixed.push(match &query.share {
                Share::Weight(_) => None,
                Share::Cost(cost) => Some(cost.get().clone()),
                Share::Accuracy(alpha) => {
                    let pricing = Pricing { plan, query };
                    Some(pricing.cost_of(alpha).map_err(|error| super::within(query, error))?)
                }
            });
        }
        let asked: Rational = fixed.iter().flatten().sum();
        let weights = divided(plan, |query| matches!(query.share, Share::Weight(_)));
        let left = &budget.main - &asked;
        if left < whole(0) || (left == whole(0) && weights.iter().any(|weight| *weight > whole(0))) {
            let name = if matches!(plan.budget, Budget::Zcdp { .. }) { "rho" } else { "epsilon" };
            let (asked, has) = (render(&asked), render(&budget.main));
            let what = format!("the queries with a cost or accuracy ask for {name} = {asked}, and it has {has}");
            return Err(PriceError { is_over_budget: true, ..PriceError::new("budget", what) });
        }
        let deltas = divided(plan, needs_delta);
        let parts = fixed.into_iter().zip(weights).zip(deltas);
        let amount = |((fixed, weight), delta): ((Option<Rational>, Rational), Rational)| Amount {
            main: fixed.unwrap_or_else(|| &left * weight),
            delta: &budget.delta * delta,
        };
        Ok(Self { each: parts.map(amount).collect() })
    }
}

/// Gaussian noise and thresholds cost δ.
fn needs_delta(query: &Query) -> bool {
    query.noise == Some(Noise::Gaussian) || query.keys == Keys::Thresholded
}

/// Parts of 1, in proportion to the weights of those that take part; 0 for the others.
fn divided(plan: &ReleasePlan, takes_part: impl Fn(&Query) -> bool) -> Vec<Rational> {
    let weight = |query: &Query| match &query.share {
        _ if !takes_part(query) => whole(0),
        Share::Weight(weight) => weight.get().clone(),
        _ => whole(1),
    };
    let weights: Vec<Rational> = plan.queries.iter().map(weight).collect();
    let sum: Rational = weights.iter().sum();
    if sum == whole(0) {
        return weights;
    }
    weights.iter().map(|weight| weight / &sum).collect()
}
