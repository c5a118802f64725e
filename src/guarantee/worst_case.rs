//! The pairs that dominate every mechanism of a given guarantee: what to say where no closer pair is known.

use alloc::{vec, vec::Vec};

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use super::{FinitePair, Weight};
use crate::exact::{NonNegative, Probability, Rational};

/// The most copies whose outcomes are listed: as many binomial coefficients, of as many bits.
const MOST_COPIES: u32 = 1 << 12;

/// c·e^-(times·ε).
fn weight(factor: Rational, epsilon: &NonNegative, times: u32) -> Weight {
    let exponent = epsilon.get() * Rational::from_integer(times.into());
    // Neither is negative: a binomial coefficient or a probability, and a multiple of ε.
    let non_negative = |value: Rational| NonNegative::new(value).unwrap_or_else(|_| NonNegative::zero());
    Weight { factor: non_negative(factor), exponent: non_negative(exponent) }
}

impl FinitePair {
    /// `copies` independent binary randomized responses of ε each: with j of them lies, P ∝ C(k, j)·e^(-jε)
    /// and Q ∝ C(k, j)·e^(-(k−j)ε).
    ///
    /// One copy dominates every ε-private mechanism (Kairouz, Oh and Viswanath 2015, Theorem 2.5). Discrete
    /// Laplace noise of scale s moved by 1 has the losses ±1/s alone, and hence the profile of one response
    /// of ε = 1/s; so k coordinates with such noise, each moved by 1, have this one.
    ///
    /// More than 2^12 copies are not listed: the pair is then one response of copies·ε, which dominates them
    /// and is not what they are. (A [`Plan`](crate::account::Plan) of one response has any number of copies,
    /// exactly.)
    ///
    /// ```
    /// use certus::{exact::NonNegative, guarantee::FinitePair};
    ///
    /// assert_eq!(FinitePair::responses(&NonNegative::one(), 3).outcomes().len(), 4);
    /// ```
    #[must_use]
    pub fn responses(epsilon: &NonNegative, copies: u32) -> Self {
        if copies > MOST_COPIES {
            let all = weight(Rational::one(), epsilon, copies).exponent;
            return Self::responses(&all, 1);
        }
        let mut ways = BigUint::one();
        let mut outcomes = Vec::new();
        for lies in 0..=copies {
            let factor = Rational::from_integer(BigInt::from(ways.clone()));
            outcomes.push((weight(factor.clone(), epsilon, lies), weight(factor, epsilon, copies - lies)));
            // C(k, j + 1) = C(k, j)·(k − j)/(j + 1), an integer.
            ways = ways * (copies - lies) / (lies.saturating_add(1));
        }
        // The coefficients are positive, so this never falls back; if it did, on the safe side.
        Self::new(outcomes).unwrap_or_else(|_| Self::revealing())
    }

    /// The pair that dominates every (ε, δ)-private mechanism: with probability δ it tells which, and
    /// otherwise it is a randomized response of ε (Kairouz, Oh and Viswanath 2015, Theorem 2.5). What tells
    /// is written as two outcomes, δ·1 and δ·e^-ε, so that it has the share δ beside the response's 1 + e^-ε.
    ///
    /// ```
    /// use certus::{exact::{NonNegative, Probability, Rational}, guarantee::FinitePair};
    ///
    /// let delta = Probability::new(Rational::new(1.into(), 10.into()))?;
    /// assert_eq!(FinitePair::approximate(&NonNegative::one(), &delta).outcomes().len(), 6);
    /// # Ok::<(), certus::exact::NotProbabilityError>(())
    /// ```
    #[must_use]
    pub fn approximate(epsilon: &NonNegative, delta: &Probability) -> Self {
        let (zero, told) = (Weight::rational(NonNegative::zero()), delta.get().clone());
        let kept = Rational::one() - &told;
        let outcomes = vec![
            (weight(told.clone(), epsilon, 0), zero.clone()),
            (weight(told.clone(), epsilon, 1), zero.clone()),
            (weight(kept.clone(), epsilon, 0), weight(kept.clone(), epsilon, 1)),
            (weight(kept.clone(), epsilon, 1), weight(kept, epsilon, 0)),
            (zero.clone(), weight(told.clone(), epsilon, 0)),
            (zero, weight(told, epsilon, 1)),
        ];
        Self::new(outcomes).unwrap_or_else(|_| Self::revealing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{Plan, Precision, delta},
        guarantee::{Domination, Pair},
    };

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    fn at(pair: &Pair, copies: u64, epsilon: &Rational) -> crate::exact::Enclosure {
        let plan = Plan::of(&Domination::by(pair.clone()), copies);
        delta(&plan, &NonNegative::new(epsilon.clone()).unwrap(), &Precision::default()).unwrap().enclosure
    }

    /// δ(0) of (ε, δ) is δ + (1 − δ)·tanh(ε/2), and δ(ε) is δ.
    #[test]
    fn the_pair_of_epsilon_and_delta() {
        let (one, tenth) = (NonNegative::one(), Probability::new(rational(1, 10)).unwrap());
        let pair = Pair::Finite(FinitePair::approximate(&one, &tenth));
        assert!(pair.is_symmetric());
        assert!(at(&pair, 1, one.get()).contains(&rational(1, 10)));
        let half_tanh = crate::exact::Real::from(1).half_tanh();
        let told = &crate::exact::Real::ratio(1, 10) + &(&crate::exact::Real::ratio(9, 10) * &half_tanh);
        assert!(at(&pair, 1, &rational(0, 1)).intersects(&told.enclose(200).unwrap()));
    }

    #[test]
    fn several_responses_are_one_by_one() {
        let third = NonNegative::new(rational(1, 3)).unwrap();
        let three = Pair::Finite(FinitePair::responses(&third, 3));
        let noise = Pair::Laplace { scale: crate::exact::Positive::new(rational(3, 1)).unwrap(), shift: 1u32.into() };
        let one = Pair::Finite(FinitePair::responses(&third, 1));
        for epsilon in [rational(0, 1), rational(1, 5), rational(1, 2), rational(9, 10)] {
            assert!(at(&three, 1, &epsilon).intersects(&at(&one, 3, &epsilon)));
            assert!(at(&one, 1, &epsilon).intersects(&at(&noise, 1, &epsilon)));
        }
    }
}
