//! Basic composition, from the profiles of single copies: wide, and always there.

use num_traits::Zero;

use super::{Answer, Method, cache::Cache, methods::Accountant, profile, question::Question};
use crate::exact::{Budget, Enclosure, NonNegative, Rational};

/// The most parts.
const MOST_PARTS: usize = 8;

/// Encloses δ(ε): it is no less than any copy's own, and no more than Σ k·δ_i(ε/K) over K copies in all, each
/// given its share of ε (Dwork et al. 2006, basic composition). `None` if a profile is not known.
pub(super) struct BasicComposition;

impl Accountant for BasicComposition {
    fn delta(&self, question: &Question<'_>, budget: &Budget, _: &mut Cache) -> Option<Answer> {
        let Question { direction, epsilon, precision, .. } = *question;
        if direction.len() > MOST_PARTS {
            return None;
        }
        let all = direction.copies();
        let share = NonNegative::new(epsilon.get() / Rational::from_integer(all.into())).ok()?;
        let (mut lower, mut upper) = (Rational::zero(), Rational::zero());
        for part in direction {
            let mut most = Rational::zero();
            for pair in part.pairs() {
                lower = lower.max(profile::delta(pair, epsilon, precision, &budget.share(4))?.enclosure.lower());
                most = most.max(profile::delta(pair, &share, precision, &budget.share(4))?.enclosure.upper());
            }
            upper += most * Rational::from_integer(part.copies().into());
        }
        let upper = upper.min(Rational::from_integer(1.into()));
        let digits = u32::try_from(lower.denom().bits().max(upper.denom().bits())).ok()?;
        let enclosure = Enclosure::from_bounds(&lower, &upper, digits.min(1 << 17))?;
        Some(Answer::new(enclosure, Method::BasicComposition, precision))
    }
}
