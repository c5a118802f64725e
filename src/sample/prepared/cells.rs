//! Distributions on the cells 0, 1, 2, …, and enclosures of their cumulative probabilities.
//!
//! A cell is a magnitude (for a table) or a bucket of magnitudes (for the wide construction). Everything is
//! on integers scaled by 2^working, one of which is called an *ulp*; a computed number is a lower bound, and
//! an error beside it says by how many ulps at most the truth exceeds it. How narrow that must be is not
//! analysed but checked: whoever asks raises the precision until the answer is determined.

use alloc::vec::Vec;
use core::ops::Shr;

use num_bigint::BigUint;
use num_traits::One;

use crate::exact::{Enclosure, NonNegative, Positive, Rational, exp_neg};

/// What decays, and how: the weight of cell j is e^(-j/s) or e^(-j²/2v).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decay {
    /// e^(-j/scale).
    Laplace {
        /// The scale.
        scale: Positive,
    },
    /// e^(-j²/2·variance).
    Gaussian {
        /// σ².
        variance: Positive,
    },
}

/// A distribution on 0, 1, 2, …: P(j) ∝ weight(j), with the weights of j ≥ 1 doubled if `folded`.
///
/// Folded, it is the magnitude |K| of noise on all integers; as it is, the first edges of buckets of one
/// sign.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cells {
    /// How the weights fall.
    pub decay: Decay,
    /// Whether the weights of j ≥ 1 are doubled.
    pub folded: bool,
}

/// Bounds of G(j) = P(cell ≤ j), in units of 2^-precision: lower ≤ G(j)·2^precision ≤ upper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds<N = BigUint> {
    /// At most.
    pub lower: N,
    /// At least.
    pub upper: N,
}

/// A number of ulps, and by how many more at most the truth exceeds it.
#[derive(Clone)]
struct Approximation {
    value: BigUint,
    error: u64,
}

/// numerator/denominator as an exponent; 0 for a denominator of 0, which no caller has.
fn exponent(numerator: BigUint, denominator: BigUint) -> NonNegative {
    NonNegative::new(Rational::new_raw(numerator.into(), denominator.into())).unwrap_or_else(|_| NonNegative::zero())
}

/// ⌊x·2^working⌋ for a bound that is not negative.
fn floor(bound: &Rational, working: u32) -> BigUint {
    (bound.numer().magnitude() << working) / bound.denom().magnitude()
}

/// ⌈x·2^working⌉ for a bound that is not negative.
fn ceil(bound: &Rational, working: u32) -> BigUint {
    let scaled = bound.numer().magnitude() << working;
    let denominator = bound.denom().magnitude();
    (scaled + denominator - 1u32) / denominator
}

/// An enclosure of a non-negative number, as ulps.
fn approximate(enclosure: &Enclosure, working: u32) -> Approximation {
    let value = floor(&enclosure.max_zero().lower(), working);
    let upper = ceil(&enclosure.max_zero().upper(), working);
    let error = u64::try_from(&(upper - &value)).unwrap_or(u64::MAX);
    Approximation { value, error }
}

impl Approximation {
    /// The product of two numbers in [0, 1].
    ///
    /// (a + e)(b + f) = ab + a·f + b·e + e·f ≤ ab + f + e + e·f·2^-working in ulps, since a and b are at most
    /// 1; the last term is below 1 while e and f are below 2^(working/2), and rounding ab down loses less
    /// than 1: e + f + 2 at most.
    fn product(&self, other: &Self, working: u32) -> Self {
        let value = (&self.value * &other.value) >> working;
        Self { value, error: self.error.saturating_add(other.error).saturating_add(2) }
    }
}

impl Cells {
    /// Bounds of G(0), G(1), … in units of 2^-precision, until a lower bound is within 2^`stop` units of 1;
    /// the bounds are a unit or two wide, and 2^-`guard` more. There is one at least.
    pub fn cumulative(&self, precision: u32, guard: u32, stop: u32) -> Vec<Bounds> {
        match &self.decay {
            Decay::Laplace { scale } => self.laplace(scale, precision, guard, stop),
            Decay::Gaussian { variance } => self.gaussian(variance, precision, guard, Some(stop)),
        }
    }

    /// Bounds of G(cell) alone, in units of 2^-precision, about 2^-`guard` units wide.
    pub fn bounds(&self, cell: u64, precision: u32, guard: u32) -> Bounds {
        match &self.decay {
            Decay::Laplace { scale } => {
                let working = precision.saturating_add(guard);
                let tail = laplace_tail(scale, cell, self.folded, working);
                let below = Enclosure::from_integer(1, 0).sub(&tail).max_zero();
                Bounds { lower: floor(&below.lower(), precision), upper: ceil(&below.upper(), precision) }
            }
            Decay::Gaussian { variance } => {
                let all = self.gaussian(variance, precision, guard, None);
                let listed = usize::try_from(cell).ok().and_then(|cell| all.get(cell));
                listed.cloned().unwrap_or_else(|| Bounds {
                    // G rises, and stays below 1.
                    lower: all.last().map_or(BigUint::ZERO, |last| last.lower.clone()),
                    upper: BigUint::one() << precision,
                })
            }
        }
    }

    /// 1 − G(j) = q^(j+1), or 2q^(j+1)/(1 + q) if folded, with q = e^(-1/s): a multiplication by q each.
    fn laplace(&self, scale: &Positive, precision: u32, guard: u32, stop: u32) -> Vec<Bounds> {
        // The error grows by some ulps an entry, of which there are fewer than 2^20.
        let working = precision.saturating_add(guard).saturating_add(24);
        let q = exp_neg(&exponent(scale.denominator().clone(), scale.numerator().clone()), working);
        let q = approximate(&q, working);
        let mut tail = approximate(&laplace_tail(scale, 0, self.folded, working), working);
        let one = BigUint::one() << working;
        let below_one = (BigUint::one() << precision) - (BigUint::one() << stop);
        let mut all = Vec::new();
        loop {
            // tail ≤ truth ≤ tail + error, and G = 1 − truth.
            let mut head = &one - &tail.value;
            let upper = (&head >> (working - precision)) + 1u32;
            head = if head > BigUint::from(tail.error) { head - tail.error } else { BigUint::ZERO };
            let lower = head >> (working - precision);
            let last = lower >= below_one;
            all.push(Bounds { lower, upper });
            if last {
                return all;
            }
            tail = tail.product(&q, working);
        }
    }

    /// Weights by recurrence: w₀ = 1, wₖ₊₁ = wₖ·rₖ, rₖ = e^(-(2k+1)/2v), rₖ₊₁ = rₖ·e^(-1/v). The ratios fall,
    /// so Σ_{k≥n} wₖ ≤ wₙ/(1 − rₙ) encloses what the partial sums leave out. With S the partial sums and d =
    /// 1 if folded, else 0, G(j) = ((1 + d)·S(j) − d)/((1 + d)·S(∞) − d).
    fn gaussian(&self, variance: &Positive, precision: u32, guard: u32, stop: Option<u32>) -> Vec<Bounds> {
        // Weights count down to 2^-target, about σ·√(1.4·target) of them; the error of a sum is below their
        // number cubed.
        let target = precision.saturating_add(guard);
        let terms = (variance.numerator() * 2u32 * target / variance.denominator()).sqrt() + 2u32;
        let working = target.saturating_add(u32::try_from(3 * terms.bits()).unwrap_or(u32::MAX / 2)).saturating_add(8);
        let (numerator, denominator) = (variance.numerator(), variance.denominator());
        let falling = approximate(&exp_neg(&exponent(denominator.clone(), numerator.clone()), working), working);
        let ratio = exp_neg(&exponent(denominator.clone(), numerator * 2u32), working);
        let mut ratio = approximate(&ratio, working);
        let one = BigUint::one() << working;
        let negligible = BigUint::one() << (working - target);
        let mut weight = Approximation { value: one.clone(), error: 0 };
        let mut sum = BigUint::ZERO;
        // A sum of n lower bounds is below the truth by at most the sum of their errors.
        let mut error = BigUint::ZERO;
        let mut sums = Vec::new();
        while weight.value > negligible {
            sum += &weight.value;
            error += weight.error;
            sums.push(sum.clone());
            weight = weight.product(&ratio, working);
            ratio = ratio.product(&falling, working);
        }
        let most = &weight.value + weight.error;
        let ratio_most = &ratio.value + ratio.error;
        // 1 − r is positive long before the weights are negligible; if it were not, the tail would be
        // unknown, and G ≥ 0 all that is said.
        let tail = if ratio_most < one { (most << working) / (&one - ratio_most) + 1u32 } else { one.clone() << 64u32 };
        let double = |sum: BigUint| if self.folded { (sum << 1u32) - &one } else { sum };
        let least_total = double(sum.clone());
        let most_total = double(&sum + &error + tail);
        let limit = BigUint::one() << precision;
        let below_one = stop.map(|stop| &limit - (BigUint::one() << stop));
        let mut all = Vec::with_capacity(sums.len());
        for sum in sums {
            let most = double(&sum + &error);
            // At the smallest numerator and the greatest denominator, and the other way round; G < 1.
            let lower = (double(sum) << precision) / &most_total;
            let upper = ((most << precision) / &least_total + 1u32).min(limit.clone());
            let last = below_one.as_ref().is_some_and(|below_one| lower >= *below_one);
            all.push(Bounds { lower, upper });
            if last {
                break;
            }
        }
        all
    }
}

/// Encloses P(> cell) for e^(-j/s), to about 2^-working.
fn laplace_tail(scale: &Positive, cell: u64, folded: bool, working: u32) -> Enclosure {
    let power = |n: BigUint| exp_neg(&exponent(n * scale.denominator(), scale.numerator().clone()), working + 4);
    let tail = power(BigUint::from(cell) + 1u32);
    if !folded {
        return tail;
    }
    let doubled = tail.add(&tail);
    let whole = Enclosure::from_integer(1, 0).add(&power(BigUint::one()));
    // 1 + q ≥ 1, so there is a quotient.
    doubled.div(&whole).unwrap_or(doubled)
}

impl<N> Bounds<N>
where
    for<'n> &'n N: Shr<u32, Output = N>,
    u128: TryFrom<N>,
{
    /// ⌊G·2^width⌋, for bounds in units of 2^-(width + finer), if they determine it, given that G < 1; width
    /// is at most 127.
    pub fn floor(&self, width: u32, finer: u32) -> Option<u128> {
        let floor = |bound: &N| u128::try_from(bound >> finer).ok();
        let (lower, upper) = (floor(&self.lower)?, floor(&self.upper)?);
        let greatest = (1 << width) - 1;
        // Never 1 itself: some cell lies beyond.
        (lower >= greatest || lower == upper).then_some(lower.min(greatest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{GaussianPmf, Integer, LaplacePmf, Pmf};
    use proptest::prelude::*;

    fn positive(n: u64, d: u64) -> Positive {
        Positive::new(Rational::new(n.into(), d.into())).unwrap()
    }

    fn encloses(bounds: &Bounds, precision: u32, truth: &Enclosure) -> bool {
        let unit = BigUint::one() << precision;
        let of = |n: &BigUint| Rational::new(n.clone().into(), unit.clone().into());
        of(&bounds.lower) <= truth.upper() && of(&bounds.upper) >= truth.lower()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Both ways of computing G agree with sums of the closed form, which knows nothing of them; and are
        /// narrow.
        #[test]
        fn cumulative_probabilities_are_those_on_paper(n in 1u64..80, d in 1u64..20, precision in 20u32..100, folded: bool) {
            let laplace = Cells { decay: Decay::Laplace { scale: positive(n, d) }, folded };
            let gaussian = Cells { decay: Decay::Gaussian { variance: positive(n, d) }, folded };
            let laplace_pmf = LaplacePmf::new(&positive(n, d), precision + 40);
            let gaussian_pmf = GaussianPmf::new(&positive(n, d), precision + 40).unwrap();
            let pmfs: [(&Cells, &dyn Pmf<Integer>); 2] = [(&laplace, &laplace_pmf), (&gaussian, &gaussian_pmf)];
            for (cells, pmf) in pmfs {
                let zero = pmf.probability(&Integer::ZERO);
                // Unfolded: the same weights on one side only, so the total is (1 + P(0))/2.
                let total = if folded {
                    Enclosure::from_integer(1, 0)
                } else {
                    Enclosure::from_integer(1, 0).add(&zero).mul_rational(&Rational::new(1.into(), 2.into()))
                };
                let mut sum = Enclosure::from_integer(0, 0);
                for (j, bounds) in cells.cumulative(precision, 30, 0).iter().enumerate().take(60) {
                    let mass = pmf.probability(&Integer::from(j as u64));
                    sum = sum.add(&mass);
                    if folded && j > 0 {
                        sum = sum.add(&mass);
                    }
                    let truth = sum.div(&total).unwrap();
                    prop_assert!(encloses(bounds, precision, &truth), "cell {j}");
                    prop_assert!(&bounds.upper - &bounds.lower <= BigUint::from(2u32));
                    let alone = cells.bounds(j as u64, precision, 30);
                    prop_assert!(encloses(&alone, precision, &truth), "cell {j} alone");
                    prop_assert!(&alone.upper - &alone.lower <= BigUint::from(2u32));
                }
            }
        }
    }

    #[test]
    fn a_cell_far_beyond_is_almost_one() {
        for decay in [Decay::Laplace { scale: positive(1, 3) }, Decay::Gaussian { variance: positive(1, 9) }] {
            let bounds = Cells { decay, folded: true }.bounds(1 << 40, 100, 30);
            let one = BigUint::one() << 100u32;
            assert!(bounds.upper >= one && &one - bounds.lower <= BigUint::from(2u32));
        }
    }
}
