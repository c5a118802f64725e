//! Masses to their leading digits: enough to choose a tilt, which any will do for, and a hundred times cheaper than all their digits.

use alloc::{collections::BTreeMap, vec::Vec};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::{
    dots::{Dots, Grid},
    fixed::{Range, exp},
};
use crate::exact::Rational;

/// Binary digits of e^(-θd): what is less is next to nothing at once.
const PLACES: u32 = 192;

/// leading·2^exponent, the leading digit 1 in the highest place, or 0.
#[derive(Clone, Copy, Debug)]
struct Rough {
    leading: u64,
    exponent: i64,
}

impl Rough {
    fn of(value: &BigInt) -> Self {
        let bits = i64::try_from(value.bits()).unwrap_or(i64::MAX);
        let exponent = bits.saturating_sub(i64::from(u64::BITS));
        let shifted = if exponent > 0 { value >> exponent } else { value << exponent.unsigned_abs() };
        Self { leading: shifted.abs().to_u64().unwrap_or(u64::MAX), exponent }
    }

    fn mul(self, other: Self) -> Self {
        let product = u128::from(self.leading) * u128::from(other.leading);
        // Of two numbers in [2^63, 2^64): 127 or 128 digits.
        let short = product.leading_zeros().min(1);
        let leading = u64::try_from((product << short) >> u64::BITS).unwrap_or(u64::MAX);
        let exponent = self.exponent.saturating_add(other.exponent).saturating_add(64 - i64::from(short));
        Self { leading, exponent }
    }
}

/// A tilt θ, and e^(-θd) of the grids that it was asked of: those of many parts are alike.
pub(super) struct Tilt<'a> {
    theta: &'a Rational,
    ratios: BTreeMap<u32, Rough>,
}

impl<'a> Tilt<'a> {
    pub(super) fn new(theta: &'a Rational) -> Self {
        Self { theta, ratios: BTreeMap::new() }
    }

    fn ratio(&mut self, grid: &Grid) -> Option<Rough> {
        if let Some(ratio) = self.ratios.get(&grid.step) {
            return Some(*ratio);
        }
        let ratio = Rough::of(&Range::of(&exp(&-(self.theta * grid.loss(1)), PLACES)?, PLACES).lower);
        let ratio = Rough { exponent: ratio.exponent.saturating_sub(PLACES.into()), ..ratio };
        self.ratios.insert(grid.step, ratio);
        Some(ratio)
    }
}

/// A part's pessimistic masses, so.
pub(super) struct Masses {
    grid: Grid,
    /// Of the masses.
    bits: u32,
    /// From the last point down.
    falling: Vec<Rough>,
}

/// Sums that keep what matters beside the largest term: w, and w·n for n of either sign, over 2^-exponent.
#[derive(Default)]
struct Sums {
    exponent: i64,
    whole: u128,
    above: u128,
    below: u128,
}

impl Sums {
    /// At most 2^16 points of less than 2^64: w·n is below 2^96 in all.
    fn add(&mut self, weight: Rough, n: i64) {
        if weight.leading == 0 {
            return;
        }
        if self.whole == 0 {
            self.exponent = weight.exponent;
        }
        let drop = |by: i64| u32::try_from(by).unwrap_or(u32::MAX);
        let shifted = |value: u128, by: u32| value.checked_shr(by).unwrap_or(0);
        let mut here = u128::from(weight.leading);
        if weight.exponent > self.exponent {
            let by = drop(weight.exponent.saturating_sub(self.exponent));
            for sum in [&mut self.whole, &mut self.above, &mut self.below] {
                *sum = shifted(*sum, by);
            }
            self.exponent = weight.exponent;
        } else {
            here = shifted(here, drop(self.exponent.saturating_sub(weight.exponent)));
        }
        self.whole = self.whole.saturating_add(here);
        let side = if n < 0 { &mut self.below } else { &mut self.above };
        *side = side.saturating_add(here.saturating_mul(n.unsigned_abs().into()));
    }
}

impl Masses {
    pub(super) fn new(dots: &Dots) -> Self {
        Self { grid: dots.grid, bits: dots.bits, falling: dots.upper.iter().rev().map(Rough::of).collect() }
    }

    /// About Σ p·e^(θ(l − last)) over 2^(2·bits), and the mean of l under it, over 2^places, which is at least the grid's step; `None` where
    /// the sum is next to nothing, the losses ending far below the last.
    pub(super) fn moments(&self, tilt: &mut Tilt<'_>, places: u32) -> Option<(BigInt, BigInt)> {
        let Self { grid, bits, falling } = self;
        let ratio = tilt.ratio(grid)?;
        let mut factor = Rough { leading: 1 << 63, exponent: -63 };
        // From the point next to 0, so that the mean of small losses is not a difference of large ones.
        let middle = 0.clamp(grid.first, grid.last);
        let mut sums = Sums::default();
        for (mass, i) in falling.iter().zip((grid.first..=grid.last).rev()) {
            sums.add(mass.mul(factor), i - middle);
            factor = factor.mul(ratio);
            if factor.leading == 0 {
                break;
            }
        }
        if sums.whole == 0 {
            return None;
        }
        let exponent = sums.exponent.saturating_add((*bits).into());
        let by = u32::try_from(exponent.unsigned_abs()).ok()?;
        let whole = BigInt::from(sums.whole);
        let sum = if exponent < 0 { &whole >> by } else { &whole << by };
        let mean = (BigInt::from(middle) * &whole + BigInt::from(sums.above) - BigInt::from(sums.below))
            << places.saturating_sub(grid.step);
        Some((sum, mean / whole)).filter(|(sum, _)| sum.bits() > u64::from(*bits))
    }
}

#[cfg(test)]
mod tests {
    use num_traits::{One, Zero};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Masses from 2^-300 to 1, on a grid above 0, below it or around it: the sum by its definition, and the mean, to ten digits.
        #[test]
        fn agrees_with_the_definition(
            masses in prop::collection::vec((0_u32..300, 0_u64..1 << 40), 1..60),
            first in -100_i64..60,
            (step, theta) in (0_u32..12, 0_i64..400),
        ) {
            let bits = 600;
            let upper: Vec<BigInt> = masses.iter().map(|(by, mass)| BigInt::from(*mass) << (bits - 40 - by)).collect();
            prop_assume!(upper.iter().any(|mass| !mass.is_zero()));
            let grid = Grid { step, first, last: first + i64::try_from(upper.len()).unwrap() - 1 };
            let theta = Rational::new(theta.into(), 10.into());
            let rough = Masses { grid, bits, falling: upper.iter().rev().map(Rough::of).collect() };
            let (mut whole, mut moment) = (Rational::zero(), Rational::zero());
            for (mass, i) in upper.iter().zip(first..) {
                let power = exp(&(&theta * (grid.loss(i) - grid.loss(grid.last))), 4 * bits).unwrap().lower();
                let weight = power * Rational::from_integer(mass << bits);
                moment += &weight * grid.loss(i);
                whole += weight;
            }
            // What is less than 2^-600 is next to nothing.
            prop_assume!(whole > Rational::from_integer(BigInt::one() << (bits + 1)));
            let (sum, mean) = rough.moments(&mut Tilt::new(&theta), 60).unwrap();
            let small = |x: Rational, beside: Rational| x.abs() * BigInt::from(10_u64.pow(10)) <= beside;
            prop_assert!(small(Rational::from_integer(sum) - &whole, whole.clone()));
            let mean = Rational::new(mean, BigInt::one() << 60_u32);
            prop_assert!(small(mean - moment / whole, grid.loss(200)));
        }
    }
}
