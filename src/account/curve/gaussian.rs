//! The distribution function P(Y ≤ t) of the discrete Gaussian, P(Y = y) = e^(-y²/2σ²)/Z, at any σ.
//!
//! Up to σ = 4096 it is a list of sums ([`super::tails`]). Beyond, the midpoint Euler–Maclaurin formula with
//! u = t + 1/2 and f(y) = e^(-y²/2σ²):
//!
//! Σ_{y ≤ t} f(y) = ∫_{−∞}^u f + Σ_{j=1}^m B_2j(1/2)/(2j)!·f^(2j−1)(u) + R, |R| ≤ |B_2m|/(2m)!·∫|f^(2m)|.
//!
//! Divided by σ√(2π), with z = u/σ, f^(n)(u) = (−1)ⁿ·σ^-n·He_n(z)·f(u) and B_2j(1/2) = −(1 − 2^(1−2j))·B_2j,
//! it is
//!
//! Φ(z) + Σ_j (1 − 2^(1−2j))·B_2j/(2j)!·σ^(-2j)·He_(2j−1)(z)·φ(z), and the rest at most 4·√(2m)!/(2πσ)^2m,
//!
//! since |B_2m|/(2m)! = 2ζ(2m)/(2π)^2m and ∫|He_2m|·φ ≤ √(2m)! (Cauchy and Schwarz). Z = σ√(2π)·(1 + ρ) with
//! 0 < ρ ≤ 3·e^(-2π²σ²) (Poisson summation), which is below 2^(-2^24) here.

use alloc::{boxed::Box, vec::Vec};

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use super::{
    fixed::Range,
    normal::{Normal, ULPS},
    tails::Tails,
};
use crate::exact::{Positive, Rational, product};

/// σ² up to which the sums are listed.
const MOST_LISTED_VARIANCE: u32 = 1 << 24;

/// P(Y ≤ t) over 2^bits.
pub(super) enum GaussianCdf {
    Listed(Tails, u32),
    Smooth(Box<Smooth>),
}

pub(super) struct Smooth {
    normal: Normal,
    bits: u32,
    /// 1/σ over 2^wide, within one unit.
    inverse: BigInt,
    wide: u32,
    /// (1 − 2^(1−2j))·B_2j/(2j)!·σ^(-2j) over 2^fine for j = 1, …, m, each within one ulp.
    corrections: Vec<BigInt>,
    fine: u32,
    /// What the sum may be wrong by, in ulps of 2^-working.
    slack: BigInt,
    last: Option<(BigInt, Range)>,
}

/// Guard bits of [`Smooth`]: ulps of 2^-(bits + GUARD).
const GUARD: u32 = 32;

impl GaussianCdf {
    pub(super) fn new(variance: &Positive, bits: u32) -> Option<Self> {
        if *variance.numerator() <= variance.denominator() * MOST_LISTED_VARIANCE {
            return Tails::new(variance, bits).map(|tails| Self::Listed(tails, bits));
        }
        Smooth::new(variance, bits).map(|smooth| Self::Smooth(Box::new(smooth)))
    }

    /// About the steps that so many values take.
    pub(super) fn cost(variance: &Positive, points: u64, bits: u32) -> u64 {
        if *variance.numerator() <= variance.denominator() * MOST_LISTED_VARIANCE {
            return Tails::cost(variance, bits);
        }
        // A series of bits/7 terms at every point, twice, and at every anchor; and the corrections.
        let series = u64::from(2 * bits / 7 + 128) * (product(bits + GUARD) + 100);
        points.saturating_add(1 << 11).saturating_mul(series)
    }

    /// P(Y ≤ t).
    pub(super) fn at(&mut self, t: &BigInt) -> Option<Range> {
        match self {
            Self::Listed(tails, bits) => {
                // P(Y ≤ t) = P(Y ≥ −t) = 1 − P(Y ≥ t + 1).
                Some(
                    if t.is_negative() { tails.at(&-t)? } else { tails.at(&(t + BigInt::one()))?.complement(*bits) }
                        .clamp(*bits),
                )
            }
            Self::Smooth(smooth) => smooth.at(t),
        }
    }
}

impl Smooth {
    fn new(variance: &Positive, bits: u32) -> Option<Self> {
        let working = bits + GUARD;
        // |u| < 2^6·σ wherever Φ is asked for, so these bits of 1/σ leave z within one ulp.
        let magnitude =
            u32::try_from(variance.numerator().bits().saturating_sub(variance.denominator().bits())).ok()?;
        let wide = working + magnitude + 16;
        let square = (variance.denominator() << (2 * wide)) / variance.numerator();
        let inverse = BigInt::from(square.sqrt());
        let (mut values, mut j) = (Vec::new(), 0_u32);
        let bernoulli = bernoulli(128);
        let mut power = Rational::one();
        let mut factorial = BigInt::one();
        // 2πσ > 2^12 here, and √(2m)! ≤ (2m)^m: the rest is below an ulp of 2^-working for 24m − m·log2(2m) ≥
        // working + 2.
        let enough = |m: u32| m * (24 - (2 * m).ilog2() - 1) >= working + 2;
        while j == 0 || !enough(j) {
            j += 1;
            let number = bernoulli.get(usize::try_from(2 * j).ok()?)?;
            power /= variance.get();
            factorial *= (2 * j - 1) * (2 * j);
            let share = Rational::one() - Rational::new(BigInt::from(2), BigInt::one() << (2 * j));
            values.push(share * number * &power / &factorial);
        }
        // |He_n(z)|·φ(z) ≤ 0.44·√n!, so with √(2m)! times as many digits the m ≤ 64 corrections' own errors
        // are some ulps in all. The recurrence's: z < 40 to an ulp, φ to ULPS, and a step multiplies errors
        // by at most 43 (43² ≥ 40·43 + 127), to which it adds √n! + 1, less than 12ⁿ: after n steps they are
        // below 2·ULPS·43ⁿ ulps, and c_j ≤ 2.1·(2πσ)^(-2j) with 2πσ > 6433 leaves less than one.
        let fine = working + u32::try_from(factorial.bits() / 2).ok()? + 2;
        let corrections = values.iter().map(|value| super::fixed::floor(value, fine)).collect();
        Some(Self {
            normal: Normal::new(working),
            bits,
            inverse,
            wide,
            fine,
            corrections,
            slack: BigInt::from(4 * ULPS),
            last: None,
        })
    }

    fn at(&mut self, t: &BigInt) -> Option<Range> {
        if let Some((last, range)) = &self.last
            && last == t
        {
            return Some(range.clone());
        }
        let working = self.bits + GUARD;
        // u = t + 1/2, by symmetry P(Y ≤ t) = 1 − P(Y ≤ −t − 1), whose u is −u.
        let twice: BigInt = t * 2_u32 + BigInt::one();
        let z = (twice.abs() * &self.inverse) >> (self.wide + 1 - working);
        let one = BigInt::one() << working;
        let range = match self.normal.at(&z) {
            None => {
                // z ≥ 39: 1 − P(Y ≤ t) ≤ 2e^(-z²/2) ≤ 2^-1000.
                let least = one.clone() - (one.clone() >> 1000_u32) - 1;
                Range { lower: least, upper: one.clone() }
            }
            Some((cdf, density)) => {
                let middle = cdf + self.correction(&z, &density, working);
                Range { lower: &middle - &self.slack, upper: middle + &self.slack }
            }
        };
        let range = if twice.is_negative() { range.complement(working) } else { range };
        let range =
            Range { lower: &range.lower >> GUARD, upper: super::fixed::shift_up(&range.upper, GUARD) }.clamp(self.bits);
        self.last = Some((t.clone(), range.clone()));
        Some(range)
    }

    /// Σ_j c_j·He_(2j−1)(z)·φ(z), by He_(n+1) = z·He_n − n·He_(n−1), each times φ.
    fn correction(&self, z: &BigInt, density: &BigInt, working: u32) -> BigInt {
        let (mut before, mut here) = (density.clone(), (z * density) >> working);
        let (mut sum, mut n) = (BigInt::zero(), 1_u32);
        for c in &self.corrections {
            sum += (c * &here) >> self.fine;
            for _ in 0..2 {
                let next = ((z * &here) >> working) - &before * n;
                (before, here) = (here, next);
                n += 1;
            }
        }
        sum
    }
}

/// B_0, …, B_n, by Σ_{k ≤ m} C(m+1, k)·B_k = 0.
fn bernoulli(n: u32) -> Vec<Rational> {
    let mut numbers = alloc::vec![Rational::one()];
    for m in 1..=n {
        let mut binomial = BigInt::one();
        let mut sum = Rational::zero();
        for (k, number) in (0_u32..).zip(&numbers) {
            sum += number * &binomial;
            binomial = (binomial * (m + 1 - k)).div_floor(&BigInt::from(k + 1));
        }
        numbers.push(-sum / BigInt::from(m + 1));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variance(n: u64) -> Positive {
        Positive::new(Rational::from_integer(n.into())).unwrap()
    }

    /// The two ways agree where both are quick, on both sides of 0 and far into the tails, to all but a few
    /// of their bits.
    #[test]
    fn the_formula_agrees_with_the_sums() {
        for (n, bits) in [(1_100_000_u64, 150), (1_234_567, 150), (1_100_000, 300), (1_100_000, 600)] {
            let mut smooth = Smooth::new(&variance(n), bits).unwrap();
            let tails = Tails::new(&variance(n), bits).unwrap();
            for t in [0_usize, 1, 2, 500, 1000, 5000, 9000, 12_000] {
                let (a, b) =
                    (smooth.at(&BigInt::from(t)).unwrap(), tails.at(&BigInt::from(t + 1)).unwrap().complement(bits));
                assert!(a.lower <= b.upper && b.lower <= a.upper, "{n} {t}: {a:?} {b:?}");
                assert!(&a.upper - &a.lower <= BigInt::from(2) && &b.upper - &b.lower <= BigInt::from(3));
                let mirrored = smooth.at(&-BigInt::from(t + 1)).unwrap();
                assert_eq!(mirrored, a.complement(bits));
            }
        }
    }

    #[test]
    fn bernoulli_numbers() {
        let numbers = bernoulli(12);
        assert_eq!(numbers[1], Rational::new((-1).into(), 2.into()));
        assert_eq!(numbers[12], Rational::new((-691).into(), 2730.into()));
    }

    #[test]
    fn huge_deviations_answer() {
        for exponent in [21_u64, 61] {
            let mut cdf =
                GaussianCdf::new(&Positive::new(Rational::from_integer(BigInt::one() << (2 * exponent))).unwrap(), 200)
                    .unwrap();
            let half = cdf.at(&BigInt::from(0)).unwrap();
            assert!(half.lower > BigInt::one() << 199_u32);
            let far = cdf.at(&(-BigInt::one() << (exponent + 6))).unwrap();
            assert!(far.lower.is_zero() && far.upper <= BigInt::one());
        }
    }
}
