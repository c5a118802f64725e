//! Bounds in closed form: advanced composition, and amplification by subsampling.
//!
//! Both are bounds on what `account` computes exactly from a mechanism's own pair; they serve where only (ε,
//! δ) is known.

use num_traits::{ToPrimitive, Zero};

use super::{Guarantee, GuaranteeError, Privacy, Relation, compose::at_most_one};
use crate::exact::{Probability, Rational, Real};

impl Guarantee {
    /// `k` adaptive releases of (ε, δ): (ε′, 1 − (1 − δ)^k·(1 − slack)) with the least of Kairouz, Oh and
    /// Viswanath 2015, Theorem 3.4:
    ///
    /// * kε;
    /// * kε·(e^ε − 1)/(e^ε + 1) + ε·√(2k·ln(e + √(kε²)/slack));
    /// * kε·(e^ε − 1)/(e^ε + 1) + ε·√(2k·ln(1/slack)).
    ///
    /// # Errors
    ///
    /// If k is 0, the slack is not in (0, 1), or the guarantee is neither pure nor (ε, δ).
    pub fn advanced(&self, k: u64, slack: &Real) -> Result<Self, GuaranteeError> {
        let (zero, one) = (Real::from(0), Real::from(1));
        if k == 0 {
            return Err(GuaranteeError::Count);
        }
        let is_below = |a: &Real, b: &Real| a.compare(b) == Some(core::cmp::Ordering::Less);
        if !is_below(&zero, slack) || !is_below(slack, &one) {
            return Err(GuaranteeError::Delta);
        }
        let (epsilon, delta) = match self.privacy() {
            Privacy::Pure { epsilon } => (epsilon, &zero),
            Privacy::Approximate { epsilon, delta } => (epsilon, delta),
            _ => return Err(GuaranteeError::KindsDiffer),
        };
        let copies = Real::from(Rational::from_integer(k.into()));
        let drift = &(&copies * epsilon) * &epsilon.half_tanh();
        let spread = |logarithm: Real| epsilon * &(&(&Real::from(2) * &copies) * &logarithm).sqrt();
        let spread_by_e = spread((&one.exp() + &(&(&copies.sqrt() * epsilon) / slack)).ln());
        let by_slack = spread(-&slack.ln());
        let epsilon = (&copies * epsilon).min(&(&drift + &spread_by_e)).min(&(&drift + &by_slack));
        let kept = &power(&(&one - delta), k) * &(&one - slack);
        let delta = at_most_one(&(&one - &kept));
        Ok(Self::new(self.relation(), Privacy::Approximate { epsilon, delta }))
    }

    /// The same mechanism on a Poisson sample, each record in it with probability `rate`: ε′ = ln(1 +
    /// rate·(e^ε − 1)), δ′ = rate·δ (Li, Qardaji and Su 2012, Theorem 1; Balle, Barthe and Gaboardi 2018,
    /// Theorem 8). For add/remove neighbours.
    ///
    /// # Errors
    ///
    /// If the guarantee is for change-one neighbours, or neither pure nor (ε, δ).
    pub fn subsampled(&self, rate: &Probability) -> Result<Self, GuaranteeError> {
        if self.relation() != Relation::AddRemove {
            return Err(GuaranteeError::RelationsDiffer);
        }
        // No record is ever in the sample.
        let is_empty = rate.get().is_zero();
        let rate = Real::from(rate.get().clone());
        let others = &Real::from(1) - &rate;
        // The same with e^ε taken out: cheap however large it is.
        let amplified = |epsilon: &Real| match is_empty {
            true => Real::from(0),
            false => epsilon + &(&rate + &(&others * &(-epsilon).exp())).ln(),
        };
        let privacy = match self.privacy() {
            Privacy::Pure { epsilon } => Privacy::Pure { epsilon: amplified(epsilon) },
            Privacy::Approximate { epsilon, delta } => {
                Privacy::Approximate { epsilon: amplified(epsilon), delta: &rate * delta }
            }
            _ => return Err(GuaranteeError::KindsDiffer),
        };
        Ok(Self::new(self.relation(), privacy))
    }
}

/// x^k for 0 ≤ x ≤ 1, as e^(k·ln x), or exactly where that is short.
fn power(x: &Real, k: u64) -> Real {
    match (x.exact(), k.to_i32()) {
        (Some(x), Some(k)) if k <= 64 => Real::from(x.pow(k)),
        _ => (&Real::from(Rational::from_integer(k.into())) * &x.ln()).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pure(n: i64, d: i64) -> Guarantee {
        Guarantee::pure(Relation::AddRemove, Real::ratio(n, d)).unwrap()
    }

    fn parts(guarantee: &Guarantee) -> (Real, Real) {
        match guarantee.privacy() {
            Privacy::Pure { epsilon } => (epsilon.clone(), Real::from(0)),
            Privacy::Approximate { epsilon, delta } => (epsilon.clone(), delta.clone()),
            _ => panic!("kind"),
        }
    }

    #[test]
    fn advanced_is_never_worse_than_basic_and_much_better_for_many() {
        let slack = Real::ratio(1, 1_000_000);
        for (n, d, k) in [(1, 10, 1), (1, 10, 1000), (2, 1, 3), (1, 100, 100_000)] {
            let (epsilon, delta) = parts(&pure(n, d).advanced(k, &slack).unwrap());
            let basic = &Real::ratio(n, d) * &Real::from(i64::try_from(k).unwrap());
            assert!(epsilon.is_at_most(&basic));
            assert!(delta.enclose(64).unwrap().contains(&Rational::new(1.into(), 1_000_000.into())));
        }
        let (epsilon, _) = parts(&pure(1, 100).advanced(100_000, &slack).unwrap());
        // kε·tanh(ε/2) + ε·√(2k·ln(10^6)) = 5.0000 + 16.6221, and the basic bound is 1000.
        assert!(epsilon.is_at_most(&Real::ratio(217, 10)));
        assert!(Real::ratio(211, 10).is_at_most(&epsilon));
    }

    #[test]
    fn subsampling_amplifies() {
        let rate = |n: i64, d: i64| Probability::new(Rational::new(n.into(), d.into())).unwrap();
        let (epsilon, _) = parts(&pure(1, 1).subsampled(&rate(1, 100)).unwrap());
        // ln(1 + (e − 1)/100) = 0.017036863…
        assert!(Real::ratio(17_036, 1_000_000).is_at_most(&epsilon));
        assert!(epsilon.is_at_most(&Real::ratio(17_037, 1_000_000)));
        let whole = parts(&pure(1, 1).subsampled(&rate(1, 1)).unwrap()).0;
        assert!(whole.enclose(60).unwrap().contains(&Rational::from_integer(1.into())));
        assert_eq!(parts(&pure(1, 1).subsampled(&rate(0, 1)).unwrap()).0, Real::from(0));
        let changed = Guarantee::pure(Relation::ChangeOne, Real::from(1)).unwrap();
        assert_eq!(changed.subsampled(&rate(1, 2)), Err(GuaranteeError::RelationsDiffer));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!(pure(1, 1).advanced(0, &Real::ratio(1, 2)), Err(GuaranteeError::Count));
        for slack in [0, 1, -1, 2] {
            assert_eq!(pure(1, 1).advanced(2, &Real::from(slack)), Err(GuaranteeError::Delta));
        }
        let zcdp = Guarantee::zcdp(Relation::AddRemove, Real::from(1)).unwrap();
        assert_eq!(zcdp.advanced(2, &Real::ratio(1, 2)), Err(GuaranteeError::KindsDiffer));
    }
}
