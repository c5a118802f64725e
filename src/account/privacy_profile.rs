//! δ of one plan at many ε.

use super::{
    AccountError, Answer, Plan, Precision,
    ends::{Ends, Of},
    methods::MOST_STEPS,
};
use crate::exact::{Budget, NonNegative};

/// The privacy profile of a plan, to be asked at many epsilons: δ(ε) as by [`delta`](super::delta).
///
/// Where the losses of a plan are composed on a grid, the composition for one ε answers others near it:
/// nearly as narrowly, and at once. So a profile of many points takes little more than that of a few, and
/// what is answered may depend in its last digits on what was asked before.
///
/// ```
/// use certus::account::{Plan, Precision, PrivacyProfile};
/// use certus::{exact::{NonNegative, parse}, mechanism::domination};
///
/// let plan = Plan::of(&domination(&"subsampled_gaussian(sigma=1, rate=1/10)".parse()?)?, 10);
/// let mut profile = PrivacyProfile::new(&plan);
/// let mut last = parse("1")?;
/// for text in ["1", "1.1", "1.2"] {
///     let delta = profile.delta(&NonNegative::new(parse(text)?)?, &Precision { digits: 3 })?.enclosure;
///     assert!(delta.upper() < last, "it falls");
///     last = delta.lower();
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PrivacyProfile {
    ends: Ends,
}

impl PrivacyProfile {
    /// Of a plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self { ends: Ends::new(plan) }
    }

    /// Encloses δ(ε), the larger of both directions': see [`delta`](super::delta).
    ///
    /// # Errors
    ///
    /// If there is nothing to account for.
    pub fn delta(&mut self, epsilon: &NonNegative, precision: &Precision) -> Result<Answer, AccountError> {
        self.ends.delta(Of::All, epsilon, precision, &Budget::new(MOST_STEPS))
    }

    /// Encloses δ(ε) of either direction by itself: see [`delta_both_ways`](super::delta_both_ways).
    ///
    /// # Errors
    ///
    /// If there is nothing to account for.
    pub fn delta_both_ways(
        &mut self,
        epsilon: &NonNegative,
        precision: &Precision,
    ) -> Result<[Answer; 2], AccountError> {
        let budget = Budget::new(MOST_STEPS);
        let count = self.ends.directions();
        let mut of =
            |index: usize, share: u64| self.ends.delta(Of::One(index), epsilon, precision, &budget.share(share));
        match count {
            0 => Err(AccountError::Empty),
            1 => {
                let answer = of(0, 1)?;
                Ok([answer.clone(), answer])
            }
            _ => Ok([of(0, 2)?, of(1, 1)?]),
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_traits::One;

    use super::*;
    use crate::{
        account::{cache::Cache, delta, methods, question::Question, simplified},
        exact::{Enclosure, Rational},
        mechanism::domination,
    };

    /// At ten epsilons, of both directions and of the larger: about as narrow as when asked for alone, and by
    /// few compositions. The directions are told apart.
    #[test]
    fn what_is_remembered_is_as_good() {
        let plan = Plan::of(&domination(&"subsampled_gaussian(sigma=1, rate=1/20)".parse().unwrap()).unwrap(), 40);
        let precision = Precision { digits: 4 };
        let least = Rational::new(BigInt::one(), BigInt::one() << 15_u32);
        let is_as_good = |found: &Enclosure, alone: &Enclosure| {
            assert!(found.intersects(alone), "{found} {alone}");
            let width = found.width() / found.lower();
            assert!(width <= (alone.width() * BigInt::from(8) / alone.lower()).max(least.clone()), "{found} {alone}");
        };
        let (mut profile, mut both) = (PrivacyProfile::new(&plan), PrivacyProfile::new(&plan));
        for tenths in 0..10 {
            let epsilon = NonNegative::new(Rational::new(tenths.into(), 10.into())).unwrap();
            let found = profile.delta(&epsilon, &precision).unwrap().enclosure;
            is_as_good(&found, &delta(&plan, &epsilon, &precision).unwrap().enclosure);
            let found = both.delta_both_ways(&epsilon, &precision).unwrap();
            for (found, direction) in found.iter().zip(&simplified::directions(&plan)) {
                let (budget, mut none) = (Budget::new(MOST_STEPS), Cache::default());
                let alone = methods::delta(&Question::new(direction, &epsilon, &precision), &budget, &mut none);
                is_as_good(&found.enclosure, &alone.enclosure);
            }
        }
        let known = |profile: &mut PrivacyProfile| profile.ends.exact().unwrap().cache.spectral.len();
        assert!(known(&mut both) < 3 && known(&mut profile) < 3, "{both:?} {profile:?}");
    }
}
