//! Keys that nobody knew beforehand: released where the noisy number of persons reaches a threshold.

use certus::{
    exact::{Positive, Real},
    guarantee::{Guarantee, Privacy, Relation},
    mechanism::statistic::StabilityHistogram,
};
use certus_ledger::plan::Statistic;

use super::{
    Amount, Law, Part, PriceError, Pricing, Role,
    additive::{integer, positive},
    text, whole,
};

impl Pricing<'_> {
    /// Whether the noisy number of persons is itself what is released.
    pub(crate) fn releases_persons(&self) -> bool {
        match self.query.statistic {
            Statistic::Persons => true,
            Statistic::Count => self.plan.contribution(self.query).rows_per_group == 1,
            _ => false,
        }
    }

    /// The keys, with all of δ and all of ε where the noisy numbers of persons are released, else half of ε;
    /// then noise on what is released of each key. The number of keys is not public, and Laplace noise does
    /// not depend on it: the spec is that of one number that moves by all of L1, which is the worst.
    pub(super) fn thresholded(&self, share: &Amount) -> Result<Vec<Part>, PriceError> {
        if self.releases_persons() {
            return Ok(vec![self.keys(share)?]);
        }
        let half = share.over(2);
        let mut parts = vec![self.keys(&Amount { main: half.main.clone(), delta: share.delta.clone() })?];
        let rest = Amount { main: half.main, delta: whole(0) };
        parts.extend(match self.query.statistic {
            Statistic::Mean { .. } | Statistic::Variance { .. } => self.moments(1, &rest)?,
            _ => vec![self.laplace(Role::Values, 1, &self.sensitivities(), &rest)?],
        });
        Ok(parts)
    }

    fn keys(&self, share: &Amount) -> Result<Part, PriceError> {
        let kept = self.plan.contribution(self.query);
        let moved = self.sensitivities_of(Role::Keys { threshold: 0 });
        let scale = positive(integer(&moved.l1) / positive(share.main.clone())?.get())?;
        let threshold =
            smallest_threshold(&scale, kept.groups, self.plan.neighbours, &Real::from(share.delta.clone()))?;
        let change_one = u8::from(self.plan.neighbours == Relation::ChangeOne);
        let spec = format!(
            "stability_histogram(scale={}, threshold={threshold}, contributions={}, change_one={change_one})",
            text(&scale),
            kept.groups
        );
        self.part(Role::Keys { threshold }, &spec, Law::Laplace { scale }, 1, share.clone())
    }
}

/// The smallest τ whose δ is at most the share: δ falls with τ.
fn smallest_threshold(scale: &Positive, groups: u32, relation: Relation, delta: &Real) -> Result<i64, PriceError> {
    let refused = |error: &dyn std::fmt::Display| PriceError::new("keys", error);
    let fits = |threshold: i64| -> Result<bool, PriceError> {
        let histogram = StabilityHistogram::<u8>::new(scale, threshold, groups, relation);
        let guarantee = match histogram {
            Ok(histogram) => certus::mechanism::Private::guarantee(&histogram),
            // δ so close to 1 that it is no guarantee.
            Err(certus::mechanism::statistic::StatisticError::Guarantee(_)) => Guarantee::none(relation),
            Err(error) => return Err(refused(&error)),
        };
        Ok(matches!(guarantee.privacy(), Privacy::Approximate { delta: own, .. } if own.is_at_most(delta)))
    };
    let (mut low, mut high) = (0_i64, 2_i64);
    while !fits(high)? {
        low = high;
        high = high.checked_mul(2).filter(|high| *high < 1 << 60).ok_or_else(|| {
            refused(&"no threshold below 2^60 has so small a delta: a larger share of the budget is needed")
        })?;
    }
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if fits(middle)? { high = middle } else { low = middle }
    }
    Ok(high)
}
