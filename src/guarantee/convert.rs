//! Conversions between kinds of guarantee, each the tightest known that needs nothing but the guarantee.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::{Guarantee, GuaranteeError, Privacy};
use crate::exact::{Rational, Real};

impl Guarantee {
    pub(super) fn pure_epsilon(&self) -> Result<Real, GuaranteeError> {
        match self.privacy() {
            Privacy::Pure { epsilon } => Ok(epsilon.clone()),
            _ => Err(GuaranteeError::KindsDiffer),
        }
    }

    /// zCDP of a pure guarantee: ρ = ε·tanh(ε/2), the Kullback–Leibler divergence of randomized response,
    /// attained by it; below the ε²/2 of Bun and Steinke 2016, Proposition 1.4. Harrison and Manurangsi 2025,
    /// section 1, state it as the tight one.
    ///
    /// zCDP is returned as it is.
    ///
    /// # Errors
    ///
    /// From (ε, δ) and from one Rényi order it does not follow.
    pub fn to_zcdp(&self) -> Result<Self, GuaranteeError> {
        if matches!(self.privacy(), Privacy::Zcdp { .. }) {
            return Ok(self.clone());
        }
        let epsilon = self.pure_epsilon()?;
        Ok(Self::new(self.relation(), Privacy::Zcdp { rho: &epsilon * &epsilon.half_tanh() }))
    }

    /// Rényi privacy of order α.
    ///
    /// Of zCDP, by definition, αρ. Of a pure guarantee the divergence of randomized response, which dominates
    /// every ε-private mechanism (Kairouz, Oh and Viswanath 2015, Theorem 2.2): ln((e^(αε) + e^((1−α)ε))/(1 +
    /// e^ε))/(α − 1).
    ///
    /// # Errors
    ///
    /// If α ≤ 1; from (ε, δ), or another order, where it does not follow.
    pub fn to_renyi(&self, alpha: &Rational) -> Result<Self, GuaranteeError> {
        let one = Rational::one();
        if *alpha <= one {
            return Err(GuaranteeError::Alpha);
        }
        let order = Real::from(alpha.clone());
        let epsilon = match self.privacy() {
            Privacy::Zcdp { rho } => &order * rho,
            Privacy::Pure { epsilon } if epsilon.exact().is_some_and(|epsilon| !epsilon.is_positive()) => Real::from(0),
            Privacy::Pure { epsilon } => {
                let less = Real::from(alpha - one);
                // The same with e^αε taken out of the numerator and e^ε out of the denominator: cheap however
                // large they are.
                let soft = |times: &Real| (&Real::from(1) + &(-&(times * epsilon)).exp()).ln();
                epsilon + &(&(&soft(&(&order + &less)) - &soft(&Real::from(1))) / &less)
            }
            Privacy::Renyi { alpha: known, epsilon } if known >= alpha => epsilon.clone(), // It grows with the order.
            _ => return Err(GuaranteeError::KindsDiffer),
        };
        Ok(Self::new(self.relation(), Privacy::Renyi { alpha: alpha.clone(), epsilon }))
    }

    /// (ε, δ) for a wanted δ > 0.
    ///
    /// Rényi of order α and ε₀ gives ε = ε₀ + (ln(1/δ) + (α − 1)·ln(1 − 1/α) − ln α)/(α − 1) (Canonne, Kamath
    /// and Steinke 2020, Proposition 12; the same as Balle et al. 2020, Theorem 21). zCDP gives that with
    /// ε₀ = αρ for every α; the one taken is the best of a search, and sound whichever it is. Pure and (ε, δ₀
    /// ≤ δ) give their own ε.
    ///
    /// ```
    /// use certus::{exact::Real, guarantee::{Guarantee, Relation}};
    ///
    /// let census = Guarantee::zcdp(Relation::AddRemove, Real::ratio(1, 2))?;
    /// let stated = census.to_approximate(&Real::ratio(1, 1_000_000))?;
    /// assert!(stated.to_string().starts_with("approximate, epsilon = [5.22153"), "{stated}");
    /// # Ok::<(), certus::guarantee::GuaranteeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If δ is not in (0, 1), or is below what the guarantee has.
    pub fn to_approximate(&self, delta: &Real) -> Result<Self, GuaranteeError> {
        let (zero, one) = (Real::from(0), Real::from(1));
        let is_below = |a: &Real, b: &Real| a.compare(b) == Some(core::cmp::Ordering::Less);
        if !is_below(delta, &one) || !zero.is_at_most(delta) {
            return Err(GuaranteeError::Delta);
        }
        let epsilon = match self.privacy() {
            Privacy::Pure { epsilon } => epsilon.clone(),
            Privacy::Approximate { epsilon, delta: own } if own.is_at_most(delta) => epsilon.clone(),
            Privacy::Approximate { .. } => return Err(GuaranteeError::Delta),
            _ if !is_below(&zero, delta) => return Err(GuaranteeError::Delta),
            Privacy::Renyi { alpha, epsilon } => renyi_epsilon(alpha, epsilon, delta).max(&zero),
            Privacy::Zcdp { rho } => best_order(rho, delta).max(&zero),
        };
        Guarantee::approximate(self.relation(), epsilon, delta.clone())
    }
}

/// ε₀ + (ln(1/δ) + (α − 1)·ln(1 − 1/α) − ln α)/(α − 1).
fn renyi_epsilon(alpha: &Rational, epsilon: &Real, delta: &Real) -> Real {
    let less = Real::from(alpha - Rational::one());
    let order = Real::from(alpha.clone());
    let correction = &(&less * &(&less / &order).ln()) - &order.ln();
    epsilon + &(&(&correction - &delta.ln()) / &less)
}

/// Orders that are looked at between α − 1 and twice as much.
const STEPS: i64 = 4096;

/// α − 1 = 2^(step/4096), with the fraction of the power interpolated linearly: any order will do.
fn order_less_one(step: i64) -> Rational {
    let (whole, part) = (step.div_euclid(STEPS), step.rem_euclid(STEPS));
    let power = BigInt::one() << whole.unsigned_abs();
    let power = if whole < 0 { Rational::new(BigInt::one(), power) } else { Rational::from_integer(power) };
    power * Rational::new((STEPS + part).into(), STEPS.into())
}

/// The least ε that a search over orders finds for ρ-zCDP and δ.
///
/// With x = α − 1, the derivative of ε(α) is ρ − (ln(1/δ) − ln(1 + x))/x², which has the sign of
/// ρx² + ln(1 + x) − ln(1/δ). That rises with x, so ε falls up to its only root and rises from there:
/// bisection finds the two orders around the root. A comparison that cannot be told costs tightness, never
/// soundness.
fn best_order(rho: &Real, delta: &Real) -> Real {
    if rho.exact().is_some_and(|rho| !rho.is_positive()) {
        // Both distributions are the same.
        return Real::from(0);
    }
    let wanted = -&delta.ln();
    let rises_at = |step: i64| {
        let less = Real::from(order_less_one(step));
        let alpha = &Real::from(1) + &less;
        wanted.is_at_most(&(&(rho * &(&less * &less)) + &alpha.ln()))
    };
    let at = |step: i64| {
        let alpha = Rational::one() + order_less_one(step);
        let epsilon = &Real::from(alpha.clone()) * rho;
        renyi_epsilon(&alpha, &epsilon, delta)
    };
    // Orders from 1 + 2^-64 to 1 + 2^64.
    let (mut low, mut high) = (-64 * STEPS, 64 * STEPS);
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if rises_at(middle) { high = middle } else { low = middle }
    }
    at(low).min(&at(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::{Positive, ln},
        guarantee::Relation,
    };
    use proptest::prelude::*;

    const ONE: Relation = Relation::AddRemove;

    fn epsilon(guarantee: &Guarantee) -> Real {
        match guarantee.privacy() {
            Privacy::Pure { epsilon } | Privacy::Approximate { epsilon, .. } | Privacy::Renyi { epsilon, .. } => {
                epsilon.clone()
            }
            Privacy::Zcdp { rho } => rho.clone(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// ε·tanh(ε/2) is the Kullback–Leibler divergence of randomized response, and at most ε²/2 and ε.
        #[test]
        fn pure_to_zcdp(n in 1i64..8000) {
            let e = Real::ratio(n, 1000);
            let rho = epsilon(&Guarantee::pure(ONE, e.clone()).unwrap().to_zcdp().unwrap());
            let p = &e.exp() / &(&Real::from(1) + &e.exp());
            let q = &Real::from(1) - &p;
            let divergence = &(&p * &e) - &(&q * &e);
            prop_assert!(rho.enclose(80).unwrap().intersects(&divergence.enclose(80).unwrap()));
            prop_assert!(rho.is_at_most(&(&(&e * &e) * &Real::ratio(1, 2))));
            prop_assert!(rho.is_at_most(&e));
        }

        /// Rényi of every order is at most ε and at most α·ε·tanh(ε/2), and grows with the order.
        #[test]
        fn pure_to_renyi(n in 1i64..4000, a in 101i64..3000) {
            let pure = Guarantee::pure(ONE, Real::ratio(n, 1000)).unwrap();
            let order = |a: i64| Rational::new(a.into(), 100.into());
            let at = |a| epsilon(&pure.to_renyi(&order(a)).unwrap());
            prop_assert!(at(a).is_at_most(&Real::ratio(n, 1000)));
            prop_assert!(at(a).is_at_most(&(&Real::from(order(a)) * &epsilon(&pure.to_zcdp().unwrap()))));
            prop_assert!(at(a).is_at_most(&at(a + 50)));
        }

        /// The search is at least as good as ρ + 2·√(ρ·ln(1/δ)) (Bun and Steinke 2016, Proposition 1.3), and
        /// as any order tried at random.
        #[test]
        fn zcdp_to_approximate(n in 1i64..5000, digits in 2u32..40, a in 101i64..100_000) {
            let rho = Real::ratio(n, 1000);
            let delta = Rational::new(1.into(), BigInt::from(10u32).pow(digits));
            let guarantee = Guarantee::zcdp(ONE, rho.clone()).unwrap();
            let found = epsilon(&guarantee.to_approximate(&Real::from(delta.clone())).unwrap());
            let classical = &rho + &(&Real::from(2) * &(&rho * &-&Real::from(delta.clone()).ln()).sqrt());
            prop_assert!(found.is_at_most(&classical));
            let alpha = Rational::new(a.into(), 100.into());
            let other = renyi_epsilon(&alpha, &(&Real::from(alpha.clone()) * &rho), &Real::from(delta));
            // The order taken is within 1/4096 of the best; ε is flat there.
            prop_assert!(found.is_at_most(&(&other * &Real::ratio(1_000_001, 1_000_000))) || found.exact().is_some());
        }
    }

    #[test]
    fn what_does_not_follow_is_refused() {
        let delta = Real::ratio(1, 1000);
        let approximate = Guarantee::approximate(ONE, Real::from(1), delta.clone()).unwrap();
        let order = Positive::new(Rational::from_integer(2.into())).unwrap();
        let renyi = Guarantee::renyi(ONE, &order, Real::from(1)).unwrap();
        assert_eq!(approximate.to_zcdp(), Err(GuaranteeError::KindsDiffer));
        assert_eq!(renyi.to_zcdp(), Err(GuaranteeError::KindsDiffer));
        assert_eq!(approximate.to_renyi(order.get()), Err(GuaranteeError::KindsDiffer));
        assert_eq!(renyi.to_renyi(&Rational::from_integer(3.into())), Err(GuaranteeError::KindsDiffer));
        assert!(renyi.to_renyi(&Rational::new(3.into(), 2.into())).is_ok());
        assert_eq!(approximate.to_approximate(&Real::ratio(1, 1001)), Err(GuaranteeError::Delta));
        assert_eq!(approximate.to_approximate(&delta).unwrap(), approximate);
        assert_eq!(renyi.to_approximate(&Real::from(0)), Err(GuaranteeError::Delta));
        assert_eq!(renyi.to_approximate(&Real::from(1)), Err(GuaranteeError::Delta));
    }

    #[test]
    fn a_response_with_gamma_a_quarter() {
        let three = Positive::new(Rational::from_integer(3.into())).unwrap();
        let rho = epsilon(&Guarantee::pure(ONE, Real::from(three.clone()).ln()).unwrap().to_zcdp().unwrap());
        // tanh(ln(3)/2) = (3 − 1)/(3 + 1).
        let expected = ln(&three, 100).mul_rational(&Rational::new(1.into(), 2.into()));
        assert!(rho.enclose(80).unwrap().intersects(&expected));
    }
}
