//! What randomized responses tell of a proportion.

use num_traits::{One, Zero};

use crate::exact::{Probability, Rational, Real};

/// Why nothing can be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProportionError {
    /// There are no responses, or fewer than match.
    #[error("must have at least 1 response, and no more that match than there are")]
    Counts,
    /// The truth is as likely as another answer.
    #[error("the truth must be likelier or unlikelier than another answer")]
    SaysNothing,
    /// The failure probability is 0 or 1.
    #[error("the failure probability must be strictly between 0 and 1")]
    Failure,
}

/// An estimate of π, the proportion of n respondents for whom an answer is true, from how many gave it.
///
/// Each respondent for whom it is true gives it with probability p, each other with q, independently. The n
/// people and their true answers are fixed: every statement is about the randomness of the responses alone,
/// and about the proportion among these n, not in a population of which they may be a sample.
///
/// * π̂ = (c/n − q)/(p − q) is unbiased: c has mean n·(π·p + (1 − π)·q);
/// * its variance is (π·p(1 − p) + (1 − π)·q(1 − q))/(n·(p − q)²) exactly. For two answers q = 1 − p, and it
///   does not depend on π;
/// * |π̂ − π| ≤ √(ln(2/β)/2n)/|p − q| with probability at least 1 − β, for every n and π (Hoeffding 1963,
///   Theorem 2: c is a sum of n independent terms in [0, 1]).
#[derive(Clone, Debug)]
pub struct Proportion {
    truth: Real,
    other: Real,
    responses: Real,
    estimate: Real,
}

impl Proportion {
    /// From the probabilities p and q, and c of n responses.
    pub(super) fn new(truth: Real, other: Real, matching: u64, responses: u64) -> Result<Self, ProportionError> {
        if responses == 0 || matching > responses {
            return Err(ProportionError::Counts);
        }
        let gap = &truth - &other;
        if !matches!(gap.compare(&Real::from(0)), Some(core::cmp::Ordering::Less | core::cmp::Ordering::Greater)) {
            return Err(ProportionError::SaysNothing);
        }
        let share = Real::from(Rational::new(matching.into(), responses.into()));
        let estimate = &(&share - &other) / &gap;
        Ok(Self { truth, other, responses: Real::from(Rational::from_integer(responses.into())), estimate })
    }

    /// π̂: exact where p is rational. It may be below 0 or above 1; clamped, it would not be unbiased.
    #[must_use]
    pub fn estimate(&self) -> &Real {
        &self.estimate
    }

    /// The variance of π̂, were π the true proportion.
    #[must_use]
    pub fn variance(&self, proportion: &Probability) -> Real {
        let of = |p: &Real| p * &(&Real::from(1) - p);
        let true_share = Real::from(proportion.get().clone());
        let other_share = Real::from(Rational::one() - proportion.get());
        let gap = &self.truth - &self.other;
        let sum = &(&true_share * &of(&self.truth)) + &(&other_share * &of(&self.other));
        &sum / &(&self.responses * &(&gap * &gap))
    }

    /// The largest variance that π̂ can have, whatever π: that of π = 0 or π = 1, being linear in π.
    #[must_use]
    pub fn largest_variance(&self) -> Real {
        let at = |proportion: Rational| Probability::new(proportion).map(|proportion| self.variance(&proportion));
        match (at(Rational::zero()), at(Rational::one())) {
            (Ok(none), Ok(all)) => none.max(&all),
            // 0 and 1 are probabilities.
            _ => Real::from(1),
        }
    }

    /// An interval that contains π with probability at least 1 − β, rounded outward to 64 binary digits,
    /// within [0, 1].
    ///
    /// # Errors
    ///
    /// If β is not strictly between 0 and 1.
    pub fn interval(&self, failure: &Probability) -> Result<(Rational, Rational), ProportionError> {
        let (zero, one) = (Rational::zero(), Rational::one());
        if *failure.get() <= zero || *failure.get() >= one {
            return Err(ProportionError::Failure);
        }
        let log = Real::from(Rational::from_integer(2.into()) / failure.get()).ln();
        let squared_gap = &(&self.truth - &self.other) * &(&self.truth - &self.other);
        // √(ln(2/β)/(2n(p − q)²))
        let radius = (&log / &(&(&Real::from(2) * &self.responses) * &squared_gap)).sqrt();
        let lower = (&self.estimate - &radius).enclose(64).ok_or(ProportionError::SaysNothing)?.lower();
        let upper = (&self.estimate + &radius).enclose(64).ok_or(ProportionError::SaysNothing)?.upper();
        Ok((lower.clamp(zero.clone(), one.clone()), upper.clamp(zero, one)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{vec, vec::Vec};

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    /// P(c) for n respondents of whom `holds` hold, exactly.
    fn counts(n: u64, holds: u64, p: &Rational, q: &Rational) -> Vec<Rational> {
        (0..n).fold(vec![Rational::one()], |shorter, person| {
            let yes = if person < holds { p } else { q };
            let mut longer = vec![Rational::zero(); shorter.len() + 1];
            for (c, mass) in shorter.iter().enumerate() {
                longer[c] += mass * (Rational::one() - yes);
                longer[c + 1] += mass * yes;
            }
            longer
        })
    }

    /// Over every outcome: unbiased, with the stated variance, and covered as often as stated, exactly.
    #[test]
    fn unbiased_with_its_variance_and_coverage() {
        for (p, k) in [(rational(3, 4), 2_i64), (rational(1, 4), 2), (rational(1, 2), 3), (rational(7, 8), 5)] {
            let q = (Rational::one() - &p) / rational(k - 1, 1);
            for n in [1_u64, 2, 7, 12] {
                for holds in 0..=n {
                    let truth = Rational::new(holds.into(), n.into());
                    let outcomes = counts(n, holds, &p, &q);
                    let of = |c: u64| Proportion::new(Real::from(p.clone()), Real::from(q.clone()), c, n).unwrap();
                    let estimates: Vec<Rational> = (0..=n).map(|c| of(c).estimate().exact().unwrap().clone()).collect();
                    let mean: Rational = outcomes.iter().zip(&estimates).map(|(mass, x)| mass * x).sum();
                    assert_eq!(mean, truth);
                    let variance: Rational =
                        outcomes.iter().zip(&estimates).map(|(mass, x)| mass * (x - &truth) * (x - &truth)).sum();
                    let stated = of(0).variance(&Probability::new(truth.clone()).unwrap());
                    assert_eq!(stated.exact(), Some(&variance));
                    assert!(stated.is_at_most(&of(0).largest_variance()));
                    for beta in [rational(1, 2), rational(1, 10), rational(1, 1000)] {
                        let failure = Probability::new(beta.clone()).unwrap();
                        let missed: Rational = (0..=n)
                            .filter(|c| {
                                let (lower, upper) = of(*c).interval(&failure).unwrap();
                                truth < lower || truth > upper
                            })
                            .map(|c| outcomes[usize::try_from(c).unwrap()].clone())
                            .sum();
                        assert!(missed <= beta, "{p} {k} {n} {holds}");
                    }
                }
            }
        }
    }

    /// An irrational p: the estimate is enclosed, and so are its bounds.
    #[test]
    fn by_epsilon() {
        let response = crate::mechanism::RandomizedResponse::by_epsilon(crate::exact::NonNegative::one(), 4);
        let (p, q) = response.probabilities();
        let sum = &p + &(&Real::from(3) * &q);
        assert!(sum.enclose(100).unwrap().contains(&Rational::one()));
        let proportion = Proportion::new(p, q, 300, 1000).unwrap();
        let half = Probability::new(rational(1, 20)).unwrap();
        let (lower, upper) = proportion.interval(&half).unwrap();
        let estimate = proportion.estimate().enclose(64).unwrap();
        assert!(lower < estimate.lower() && estimate.upper() < upper);
    }

    #[test]
    fn each_refusal_names_its_predicate() {
        let of = |p: (i64, i64), c, n| Proportion::new(Real::ratio(p.0, p.1), Real::ratio(1, 2), c, n);
        assert_eq!(of((3, 4), 0, 0).unwrap_err(), ProportionError::Counts);
        assert_eq!(of((3, 4), 3, 2).unwrap_err(), ProportionError::Counts);
        assert_eq!(of((1, 2), 1, 2).unwrap_err(), ProportionError::SaysNothing);
        let zero = Probability::new(rational(0, 1)).unwrap();
        assert_eq!(of((3, 4), 1, 2).unwrap().interval(&zero).unwrap_err(), ProportionError::Failure);
    }
}
