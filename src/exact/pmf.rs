//! Closed forms: the probabilities on paper, enclosed.
//!
//! Everything that checks a sampler or accounts for it compares with these. They know nothing of how a sample
//! is drawn.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigUint;
use num_traits::One;

use super::{Enclosure, Integer, NonNegative, Positive, Rational, exp_neg};

/// A distribution's probability mass function, as enclosures.
pub trait Pmf<T> {
    /// Encloses P(value).
    fn probability(&self, value: &T) -> Enclosure;
}

/// A quotient of an enclosure in [0, 1] by one that is at least 1, or the whole of [0, 1] if it is not.
fn share(part: &Enclosure, whole: &Enclosure) -> Enclosure {
    part.div(whole).unwrap_or_else(|| Enclosure::from_integer(0, 0).hull(&Enclosure::from_integer(1, 0)))
}

/// numerator/denominator as an exponent; 0 for a denominator of 0, which no caller has.
fn exponent(numerator: BigUint, denominator: BigUint) -> NonNegative {
    let quotient = Rational::new_raw(numerator.into(), denominator.into());
    NonNegative::new(quotient).unwrap_or_else(|_| NonNegative::zero())
}

/// Discrete Laplace: P(k) = (1 − q)/(1 + q)·e^(-|k|/s) with q = e^(-1/s).
///
/// ```
/// use certus::exact::{Integer, LaplacePmf, Pmf, Positive, Rational};
///
/// let pmf = LaplacePmf::new(&Positive::new(Rational::from_integer(1.into()))?, 60);
/// assert!(pmf.probability(&Integer::ZERO).to_string().starts_with("[0.46211715726000975"));
/// # Ok::<(), certus::exact::NotPositiveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LaplacePmf {
    scale: Positive,
    precision: u32,
    /// (1 − q)/(1 + q).
    at_zero: Enclosure,
}

impl LaplacePmf {
    /// Probabilities of width about 2^-`precision`.
    #[must_use]
    pub fn new(scale: &Positive, precision: u32) -> Self {
        let q = exp_neg(&exponent(scale.denominator().clone(), scale.numerator().clone()), precision.saturating_add(4));
        let one = Enclosure::from_integer(1, 0);
        Self { scale: scale.clone(), precision, at_zero: share(&one.sub(&q), &one.add(&q)) }
    }
}

impl Pmf<Integer> for LaplacePmf {
    fn probability(&self, value: &Integer) -> Enclosure {
        let x = exponent(value.magnitude() * self.scale.denominator(), self.scale.numerator().clone());
        self.at_zero.mul(&exp_neg(&x, self.precision.saturating_add(4)))
    }
}

/// Discrete Gaussian: P(k) = e^(-k²/2σ²)/Z with Z = Σ_j e^(-j²/2σ²).
#[derive(Clone, Debug)]
pub struct GaussianPmf {
    variance: Positive,
    precision: u32,
    /// e^(-k²/2σ²) for k = 0, 1, …; beyond these it is below 2^-(precision + 4).
    weights: Vec<Enclosure>,
    normaliser: Enclosure,
}

impl GaussianPmf {
    /// The most terms that the normaliser may take.
    const MOST_TERMS: usize = 1 << 22;

    /// Probabilities of width about 2^-`precision`; `None` if more than 2^22 terms count, as for σ over about
    /// 350,000.
    ///
    /// Terms come by recurrence: w₀ = 1, wₖ₊₁ = wₖ·rₖ, rₖ = e^(-(2k+1)/2σ²), rₖ₊₁ = rₖ·e^(-1/σ²). The ratios
    /// fall, so from the first negligible wₙ on, Σ_{k≥n} wₖ ≤ wₙ/(1 − rₙ): the tail is in [0, that].
    #[must_use]
    pub fn new(variance: &Positive, precision: u32) -> Option<Self> {
        let (numerator, denominator) = (variance.numerator(), variance.denominator());
        // wₙ < 2^-(precision + 4) once n² ≥ 2σ²·(precision + 4)·ln 2, so about n ≤ σ·√(2·(precision + 4))
        // terms count.
        let terms = (numerator * BigUint::from(2u32) * precision.saturating_add(4) / denominator).sqrt();
        if terms > BigUint::from(Self::MOST_TERMS) {
            return None;
        }
        // The error of wₙ is at most about n² units: that of rₖ grows by a unit a step, and adds up.
        let guard = u32::try_from(2 * terms.bits()).ok()?.saturating_add(8);
        let working = precision.saturating_add(guard);
        let one = Enclosure::from_integer(1, working);
        // The tail is known only to be in [0, wₙ/(1 − rₙ)]: what it adds to the width must be well below
        // 2^-precision.
        let negligible = Rational::new_raw(1.into(), num_bigint::BigInt::one() << precision.saturating_add(4));
        let falling = exp_neg(&exponent(denominator.clone(), numerator.clone()), working);
        let mut ratio = exp_neg(&exponent(denominator.clone(), numerator * BigUint::from(2u32)), working);
        let mut weights = Vec::new();
        let mut weight = one.clone();
        let mut sum = Enclosure::from_integer(0, working);
        while weight.upper() >= negligible {
            if weights.len() > Self::MOST_TERMS {
                return None;
            }
            sum = sum.add(&weight);
            weights.push(weight.clone());
            weight = weight.mul(&ratio).at_precision(working);
            ratio = ratio.mul(&falling).at_precision(working);
        }
        let tail = weight.div(&one.sub(&ratio))?.hull(&Enclosure::from_integer(0, 0));
        let both = sum.add(&tail).mul(&Enclosure::from_integer(2, 0));
        let normaliser = both.sub(&one).at_precision(working);
        Some(Self { variance: variance.clone(), precision, weights, normaliser })
    }
}

impl Pmf<Integer> for GaussianPmf {
    fn probability(&self, value: &Integer) -> Enclosure {
        let listed = value.magnitude_word().and_then(|k| self.weights.get(usize::try_from(k).ok()?));
        match listed {
            Some(weight) => share(weight, &self.normaliser),
            None => {
                let square = value.magnitude().pow(2) * self.variance.denominator();
                let x = exponent(square, self.variance.numerator() * BigUint::from(2u32));
                share(&exp_neg(&x, self.precision.saturating_add(4)), &self.normaliser)
            }
        }
    }
}

/// Finitely many values with weights cᵢ·e^-xᵢ: P(i) = cᵢ·e^-xᵢ/Σⱼ cⱼ·e^-xⱼ; any other value has
/// probability 0.
#[derive(Clone, Debug)]
pub struct FinitePmf<T> {
    probabilities: BTreeMap<T, Enclosure>,
}

impl<T: Ord> FinitePmf<T> {
    /// From (value, c, x) with c ≥ 0 and x ≥ 0; `None` if the weights do not exceed 0 at this precision, or a
    /// value is listed twice.
    #[must_use]
    pub fn new(weights: Vec<(T, NonNegative, NonNegative)>, precision: u32) -> Option<Self> {
        let mut probabilities = BTreeMap::new();
        for (value, factor, x) in weights {
            // e^-0 is a point at precision 0: its product with a fraction must not be rounded there.
            let working = precision.saturating_add(4);
            let weight = exp_neg(&x, working).at_precision(working).mul_rational(factor.get());
            if probabilities.insert(value, weight).is_some() {
                return None;
            }
        }
        let total: Enclosure = probabilities.values().cloned().sum();
        for weight in probabilities.values_mut() {
            *weight = weight.div(&total)?;
        }
        Some(Self { probabilities })
    }
}

impl<T: Ord> Pmf<T> for FinitePmf<T> {
    fn probability(&self, value: &T) -> Enclosure {
        self.probabilities.get(value).cloned().unwrap_or_else(|| Enclosure::from_integer(0, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    /// The sum over all k with |k| ≤ reach, which must not exclude 1 − tail.
    fn total(pmf: &impl Pmf<Integer>, reach: i64) -> Enclosure {
        (-reach..=reach).map(|k| pmf.probability(&Integer::from(k))).sum()
    }

    fn is_one_but_for(sum: &Enclosure, slack: Rational) -> bool {
        sum.upper() >= Rational::one() - slack && sum.lower() <= Rational::one()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn masses_add_up_to_one(n in 1u64..60, d in 1u64..20, precision in 30u32..120) {
            let slack = Rational::new(1.into(), 1_000_000_000.into());
            let reach = i64::try_from(22 * n / d + 22).unwrap();
            let laplace = LaplacePmf::new(&positive(n, d), precision);
            prop_assert!(is_one_but_for(&total(&laplace, reach), slack.clone()));
            let gaussian = GaussianPmf::new(&positive(n * n, d * d), precision).unwrap();
            prop_assert!(is_one_but_for(&total(&gaussian, reach), slack));
            let width = Rational::new(1.into(), num_bigint::BigInt::one() << precision);
            for k in [0, 1, reach] {
                prop_assert!(laplace.probability(&k.into()).width() <= width);
                prop_assert!(gaussian.probability(&k.into()).width() <= width);
            }
        }

        /// The ratio of neighbours is known exactly: e^(-(2k+1)/2σ²). The recurrence must not have drifted
        /// from it.
        #[test]
        fn gaussian_recurrence_agrees_with_the_exponential(n in 1u64..2000, d in 1u64..20, k in 0i64..200) {
            let pmf = GaussianPmf::new(&positive(n, d), 80).unwrap();
            let k_squared = BigUint::from(k.unsigned_abs()).pow(2);
            let direct = exp_neg(&exponent(k_squared * d, BigUint::from(2 * n)), 80);
            let by_table = pmf.probability(&k.into()).mul(&pmf.normaliser);
            prop_assert!(by_table.intersects(&direct));
            prop_assert_eq!(pmf.probability(&k.into()), pmf.probability(&(-k).into()));
        }
    }

    #[test]
    fn finite_weights() {
        let of = |n: u64| NonNegative::new(Rational::from_integer(n.into())).unwrap();
        let pmf = FinitePmf::new(alloc::vec![(0, of(1), of(0)), (1, of(3), of(0))], 64).unwrap();
        assert!(pmf.probability(&1).contains(&Rational::new(3.into(), 4.into())));
        assert!(pmf.probability(&1).width() < Rational::new(1.into(), (1u64 << 63).into()));
        let of_fraction = |n: u64, d: u64| NonNegative::new(Rational::new(n.into(), d.into())).unwrap();
        let fractions = alloc::vec![(0, of_fraction(1, 3), of(0)), (1, of_fraction(2, 3), of(0))];
        let fractions = FinitePmf::new(fractions, 64).unwrap();
        assert!(fractions.probability(&0).contains(&Rational::new(1.into(), 3.into())));
        assert!(fractions.probability(&0).width() < Rational::new(1.into(), (1u64 << 60).into()));
        assert_eq!(pmf.probability(&2), Enclosure::from_integer(0, 0));
        assert!(FinitePmf::new(alloc::vec![(0, of(0), of(0))], 64).is_none());
        assert!(FinitePmf::new(alloc::vec![(0, of(1), of(0)), (0, of(1), of(0))], 64).is_none());
    }

    #[test]
    fn a_wide_gaussian_is_refused() {
        assert!(GaussianPmf::new(&positive(1 << 62, 1), 64).is_none());
    }
}
