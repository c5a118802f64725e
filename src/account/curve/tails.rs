//! The sums P(Y ≥ k), k = 0, 1, …, of the discrete Gaussian P(Y = y) = e^(-y²/2σ²)/Z, listed.
//!
//! w(k) = e^(-k²/2σ²) by recurrence: each is the last times r(k) = e^(-(2k+1)/2σ²), and that the last times
//! e^(-1/σ²). All are rounded down. In ulps of 2^-wide, if both first factors are too small by less than e,
//! r(k) is by less than e + k(e + 1), since no factor is above 1; w(k) by less than (e + 1)·k(k + 1)/2; and a
//! sum of those below K by less than (e + 1)·K(K + 1)(K + 2)/6: for the K ≤ 2^20 here 2^59 for e = 2, of
//! which 2^-5 is left in ulps of 2^-bits.

use alloc::vec::Vec;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive, Zero};

use super::fixed::{Range, ceil};
use crate::exact::{NonNegative, Positive, Rational, exp_neg, product};

/// Guard bits: ulps of 2^-(bits + GUARD).
const GUARD: u32 = 64;

/// P(Y ≥ k) over 2^bits.
pub(super) struct Tails {
    bits: u32,
    /// At most Σ_{j < k} w(j) over 2^wide, k = 0, 1, …, and too small by no more than the slack: the digits
    /// of each, the lowest first, one after the other.
    below: Vec<u32>,
    /// How many digits each has.
    width: usize,
    /// The last of them, of all that are listed.
    all: BigUint,
    /// At least what a sum of all w(j), j ≥ k, is more than what is listed of them.
    slack: BigUint,
    /// 1/Z from both sides, over 2^wide.
    inverse: (BigUint, BigUint),
}

impl Tails {
    pub(super) fn new(variance: &Positive, bits: u32) -> Option<Self> {
        let wide = bits.checked_add(GUARD)?;
        // Some digits more, so that what is beyond is no ulp of 2^-bits.
        let reach = reach(variance, bits.checked_add(8)?)?;
        let rate = variance.get().recip();
        let power = |x: Rational| -> Option<(BigUint, BigUint)> {
            let Range { lower, upper } = Range::of(&exp_neg(&NonNegative::new(x).ok()?, wide), wide).clamp(wide);
            Some((lower.magnitude().clone(), (upper - lower).magnitude().clone()))
        };
        let ((mut ratio, ratio_error), (falling, falling_error)) = (power(&rate / BigInt::from(2))?, power(rate)?);
        let mut weight = BigUint::one() << wide;
        let mut sum = BigUint::zero();
        // A sum of at most 2^20 numbers up to 1.
        let width = usize::try_from((wide + 21).div_ceil(u32::BITS)).ok()?;
        let mut below = Vec::with_capacity(usize::try_from(reach).ok()?.checked_mul(width)?);
        for k in 1..=reach {
            below.extend(sum.iter_u32_digits());
            below.resize(usize::try_from(k).ok()?.checked_mul(width)?, 0);
            sum += &weight;
            weight = (weight * &ratio) >> wide;
            ratio = (ratio * &falling) >> wide;
        }
        let error = ratio_error.max(falling_error) + 1_u32;
        let of_weight = &error * reach * (reach + 1) / 2_u32;
        let of_sums = error * reach * (reach + 1) * (reach + 2) / 6_u32 + 1_u32;
        // Σ_{j ≥ K} w(j) ≤ w(K)/(1 − r), r = e^(-(2K+1)/2σ²), and 1/(1 − e^-x) ≤ 1 + 1/x.
        let more = Rational::one() + Rational::from_integer(2.into()) * variance.get() / BigInt::from(2 * reach + 1);
        let beyond = ceil(&(Rational::from_integer((weight + of_weight + 1_u32).into()) * more), 0);
        let slack = of_sums + beyond.magnitude();
        // Z is the sum from 0 and that from 1.
        let whole: BigUint = &sum * 2_u32 - (BigUint::one() << wide);
        let one = BigUint::one() << (2 * wide);
        let inverse = (one.div_floor(&(&whole + &slack * 2_u32)), one.div_ceil(&whole));
        Some(Self { bits, below, width, all: sum, slack, inverse })
    }

    /// About the steps of a list.
    pub(super) fn cost(variance: &Positive, bits: u32) -> u64 {
        reach(variance, bits).unwrap_or(u64::MAX).saturating_mul(4 * product(bits.saturating_add(GUARD)))
    }

    /// P(Y ≥ k) for k ≥ 0.
    pub(super) fn at(&self, k: &BigInt) -> Option<Range> {
        let digits = |k: usize| self.below.get(k.checked_mul(self.width)?..)?.get(..self.width);
        let below = k.to_usize().and_then(digits).map_or_else(|| self.all.clone(), BigUint::from_slice);
        let tail = &self.all - below;
        // In place of 2·wide digits so many.
        let more = self.bits + 2 * GUARD;
        let lower = (&tail * &self.inverse.0) >> more;
        let upper = (((tail + &self.slack) * &self.inverse.1) >> more) + 1_u32;
        Some(Range { lower: lower.into(), upper: upper.into() })
    }
}

/// The k from which on sums are negligible: e^(-k²/2σ²) < 2^-bits.
fn reach(variance: &Positive, bits: u32) -> Option<u64> {
    let square = variance.get() * Rational::from_integer(bits.checked_mul(2)?.into());
    (square.ceil().to_integer().sqrt() + 1_u32).to_u64().filter(|reach| *reach <= 1 << 20)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::Enclosure;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Each sum by its definition, one exponential a term: inside, and known to a few units in the last
        /// place.
        #[test]
        fn agrees_with_the_definition(hundredths in 30_i64..2000, bits in 40_u32..300) {
            let sigma = Rational::new(hundredths.into(), 100.into());
            let variance = Positive::new(&sigma * &sigma).unwrap();
            let found = Tails::new(&variance, bits).unwrap();
            let digits = 2 * bits + 40;
            let weight = |k: i64| {
                let x = Rational::from_integer((k * k).into()) / (variance.get() * BigInt::from(2));
                exp_neg(&NonNegative::new(x).unwrap(), digits)
            };
            // Beyond these nothing has so many digits.
            let most = i64::try_from(2 * reach(&variance, digits).unwrap()).unwrap();
            let sum = |from: i64| (from..most).map(weight).fold(Enclosure::from_integer(0, digits), |sum, w| sum.add(&w));
            let whole = sum(0).add(&sum(1));
            for k in [0, 1, 2, hundredths / 100, hundredths / 20, hundredths / 5, 1 << 40] {
                let truth = sum(k).div(&whole).unwrap();
                let Range { lower, upper } = found.at(&k.into()).unwrap();
                let over = |n: &BigInt| Rational::new(n.clone(), BigInt::one() << bits);
                prop_assert!(over(&lower) <= truth.upper() && truth.lower() <= over(&upper), "{k}: {lower} {upper} for {truth}");
                prop_assert!(upper - lower <= BigInt::from(3), "{k}");
            }
        }
    }
}
