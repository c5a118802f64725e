//! The tail of discrete Laplace noise.

use num_bigint::BigInt;
use num_traits::One;

use crate::exact::{Positive, Rational, Real};

/// P(X ≥ t) for discrete Laplace noise: e^(-t/s)/(1 + e^(-1/s)) for t ≥ 1, and 1 − P(X ≥ 1 − t) for t ≤ 0, by
/// symmetry.
///
/// A tail below e^-2000 is stated as about e^-2000, an upper bound, so that it can be told from 0.
///
/// ```
/// use certus::{exact::{Positive, Rational}, mechanism::statistic::laplace_tail};
///
/// // P(X ≥ 1) + P(X ≥ 0) = 1.
/// let scale = Positive::new(Rational::from_integer(2.into()))?;
/// let sum = laplace_tail(&scale, &1.into()) + laplace_tail(&scale, &0.into());
/// assert!(sum.enclose(100).is_some_and(|sum| sum.contains(&Rational::from_integer(1.into()))));
/// # Ok::<(), certus::exact::NotPositiveError>(())
/// ```
#[must_use]
pub fn laplace_tail(scale: &Positive, t: &BigInt) -> Real {
    let one = Real::from(1);
    let steps = |k: &BigInt| Rational::from_integer(k.clone()) / scale.get();
    let tail = |exponent: Rational| &Real::from(-exponent).exp() / &(&one + &Real::from(-steps(&BigInt::one())).exp());
    if *t < BigInt::one() {
        return &one - &tail(steps(&(BigInt::one() - t)));
    }
    tail(steps(t).min(Rational::from_integer(2000.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{Enclosure, Integer, LaplacePmf, Pmf};

    #[test]
    fn is_the_sum_of_the_masses() {
        for (n, d) in [(1, 2), (1, 1), (5, 2), (4, 1)] {
            let scale = Positive::new(Rational::new(n.into(), d.into())).unwrap();
            let pmf = LaplacePmf::new(&scale, 80);
            for t in -6_i64..8 {
                let summed: Enclosure = (t..t + 400).map(|k| pmf.probability(&Integer::from(k))).sum();
                let error = (laplace_tail(&scale, &t.into()).enclose(80).unwrap()).sub(&summed);
                let small = Rational::new(1.into(), (1_u64 << 60).into());
                assert!(error.upper() < small && error.lower() > -small, "{scale} {t}");
            }
        }
    }

    #[test]
    fn what_cannot_be_told_from_nothing_is_bounded() {
        for (t, d) in [(1_i64, 1000_i64), (2, 1000), (3, 1000), (i64::MAX, 1), (1, i64::MAX)] {
            let scale = Positive::new(Rational::new(1.into(), d.into())).unwrap();
            let tail = laplace_tail(&scale, &t.into());
            assert!(Real::from(0).is_at_most(&tail) && tail.is_at_most(&Real::from(-1000).exp()), "{t}");
        }
    }
}
