//! Placing few losses on a grid, for [`super::pld`] and for [`super::grouped`].
//!
//! Of a loss l = lo + u in the cell [lo, lo + d) let ρ(u) = (1 − e^-u)/(1 − e^-d), from 0 at lo to 1 at lo + d: how far along it lies, in e^-loss.
//!
//! * **Pessimistic**: a share ρ goes up to lo + d and 1 − ρ down to lo, which keeps P and Q. By Jensen's inequality that raises the curve, (1 − x·q)₊
//!   being convex in q. Shares are rounded up.
//! * **Optimistic**: the losses of a cell become one. With P = Σ mᵢ·e^(-θuᵢ) its tilted mass at lo, Q of it is in proportion to P − (1 − e^-d)·H with
//!   H = Σ mᵢ·e^(-θuᵢ)·ρ(uᵢ), and both are known. Rounded down, masses are dropped, and H of what is left, rounded down, raises Q.
//!
//! Work is in proportion to the losses, whatever the grid.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::{
    convolution::Side,
    fixed::{Range, exp},
};
use crate::exact::Rational;

/// Binary digits of the factors.
pub(super) const BITS: u32 = 62;

/// 1 over 2^62.
pub(super) const ONE: u128 = 1 << BITS;

/// Binary digits of u that one table takes.
const DIGIT: u32 = 10;

/// From 2^-this on, 1 − e^-u is u times a short series.
pub(super) const SMALL: u32 = 16;

/// Binary digits after the point of the sums of a cell: with them they are below 2^63.
pub(super) const REST: u32 = 2;

/// Both bounds of a number of [0, 1], over 2^62.
pub(super) type Bounds = (u128, u128);

fn times(a: Bounds, b: Bounds) -> Bounds {
    ((a.0 * b.0) >> BITS, Side::Upper.shift(a.1 * b.1, BITS))
}

/// e^-x for x ≥ 0.
fn falling(x: &Rational) -> Option<Bounds> {
    let range = Range::of(&exp(&-x.clone(), BITS + 2)?, BITS).clamp(BITS);
    Some((range.lower.to_u128()?, range.upper.to_u128()?))
}

/// u = j·2^-fine, over 2^bits.
fn scaled(j: u128, fine: u32, bits: u32) -> Bounds {
    match fine.checked_sub(bits) {
        None | Some(0) => (j << (bits - fine), j << (bits - fine)),
        Some(shift) => (Side::Lower.shift(j, shift), Side::Upper.shift(j, shift)),
    }
}

/// (1 − e^-u)/u = g(u) for u = j·2^-fine ≤ 2^-16: 1 − u/2 + u²/6 − u³/24 ≤ g(u) ≤ 1 − u/2 + u²/6, which are within 2^-52 of each other.
pub(super) fn series(j: u128, fine: u32) -> Bounds {
    let u = scaled(j, fine, BITS);
    let square = times(u, u);
    let cube = times(square, u);
    let least = ONE - u.1.div_ceil(2) + square.0 / 6 - cube.1.div_ceil(24);
    (least, ONE - u.0 / 2 + square.1.div_ceil(6))
}

/// 1 − e^-u for u = j·2^-fine ≤ 2^-16, over 2^(62 + small) where u ≤ 2^-small.
pub(super) fn small_complement(j: u64, fine: u32, small: u32) -> Option<Bounds> {
    let u = scaled(j.into(), fine, BITS.checked_add(small)?);
    let g = series(j.into(), fine);
    Some(((u.0 * g.0) >> BITS, Side::Upper.shift(u.1 * g.1, BITS)))
}

/// e^(-θu) for u = j·2^-fine, digit by digit of j.
pub(super) struct Powers {
    digits: Vec<Vec<Bounds>>,
}

impl Powers {
    /// For j < 2^digits.
    pub(super) fn new(theta: &Rational, fine: u32, digits: u32) -> Option<Self> {
        let table = |shift: u32| {
            let unit = falling(&(theta * Rational::new(BigInt::one() << shift, BigInt::one() << fine)))?;
            let mut power = (ONE, ONE);
            let next = |_| {
                let here = power;
                power = times(power, unit);
                here
            };
            Some((0..1_u32 << DIGIT.min(digits - shift)).map(next).collect())
        };
        let digits = (0..digits.div_ceil(DIGIT)).map(|n| table(n * DIGIT)).collect::<Option<_>>()?;
        Some(Self { digits })
    }

    pub(super) fn at(&self, mut j: u64) -> Option<Bounds> {
        let mut power = (ONE, ONE);
        for table in &self.digits {
            let digit = usize::try_from(j & ((1 << DIGIT) - 1)).ok()?;
            power = times(power, *table.get(digit)?);
            j >>= DIGIT;
        }
        Some(power)
    }
}

/// A grid of step d = 2^-step among losses that are multiples of 2^-fine.
pub(super) struct Cells {
    step: u32,
    /// d is 2^width of the losses' units.
    width: u32,
    /// e^(-θu).
    tilt: Powers,
    /// e^-u, where that has digits enough for 1 − e^-u.
    loss: Option<(Powers, Bounds)>,
    /// e^(-θd).
    across: Bounds,
}

impl Cells {
    /// `None` if the grid is finer than the losses, or a number is out of range.
    pub(super) fn new(theta: &Rational, step: u32, fine: u32) -> Option<Self> {
        let width = fine.checked_sub(step).filter(|width| *width < 63)?;
        let d = Rational::new(BigInt::one(), BigInt::one() << step);
        let one = Rational::one();
        let loss = if step < SMALL { Some((Powers::new(&one, fine, width)?, falling(&d)?)) } else { None };
        Some(Self { step, width, tilt: Powers::new(theta, fine, width)?, loss, across: falling(&(theta * &d))? })
    }

    /// ρ(u) for u = j·2^-fine < d.
    fn share(&self, j: u64) -> Option<Bounds> {
        if let Some((powers, across)) = &self.loss {
            let here = powers.at(j)?;
            let (least, most) = ((ONE - here.1) << BITS, (ONE - here.0) << BITS);
            let share = (least / (ONE - across.0), most.div_ceil(ONE - across.1));
            return Some((share.0.min(ONE), share.1.min(ONE)));
        }
        let fine = self.step + self.width;
        let (here, across) = (series(j.into(), fine), series(1 << self.width, fine));
        // u/d is exact, below 2^62 where j < 2^width ≤ 2^62.
        let ratio = u128::from(j) << (BITS - self.width);
        let share = ((ratio * here.0) / across.1, (ratio * here.1).div_ceil(across.0));
        Some((share.0.min(ONE), share.1.min(ONE)))
    }

    /// The cell of a loss, and how far above its lower end the loss is.
    fn cell(&self, i: i64) -> (i64, u64) {
        let mask = (1_u64 << self.width) - 1;
        (i >> self.width, i.cast_unsigned() & mask)
    }

    /// The cell of the first of some losses in rising order, and the number of cells to the last; `None` if they are more than `most`, or none.
    fn extent(&self, points: &[(i64, u64)], most: usize) -> Option<(i64, usize)> {
        let (first, last) = (self.cell(points.first()?.0).0, self.cell(points.last()?.0).0);
        let length = usize::try_from(last.checked_sub(first)?.checked_add(1)?).ok().filter(|length| *length < most)?;
        Some((first, length))
    }

    /// The tilted masses of losses i·2^-fine in rising order, at the points of the grid, **times e^(-θd)** and rounded up: the index of the first
    /// point, and the masses from there on. `None` if there are more than `most` points, or none. The masses together are below 2^61.
    pub(super) fn split(&self, points: &[(i64, u64)], most: usize) -> Option<(i64, Vec<u64>)> {
        let (first, length) = self.extent(points, most)?;
        let mut sums = alloc::vec![0_u128; length + 1];
        for (i, mass) in points {
            let (cell, j) = self.cell(*i);
            // At the upper end e^(θ(d−u)), at the lower e^(-θu), each times e^(-θd): at most 1.
            let here = self.tilt.at(j)?;
            let (least, most) = self.share(j)?;
            let lower = times(times(here, self.across), (0, ONE - least)).1;
            let upper = times(here, (0, most)).1;
            let at = usize::try_from(cell - first).ok()?;
            // The sums are of masses below 2^61 in all, over 2^2.
            *sums.get_mut(at)? += Side::Upper.shift(u128::from(*mass) * lower, BITS - REST);
            *sums.get_mut(at + 1)? += Side::Upper.shift(u128::from(*mass) * upper, BITS - REST);
        }
        let masses = sums.into_iter().map(|sum| Side::Upper.shift(sum, REST).to_u64());
        Some((first, masses.collect::<Option<_>>()?))
    }

    /// P and H of the cells of such losses, over 2^[`REST`]: the index of the first cell, and all from there on.
    pub(super) fn group(&self, points: &[(i64, u64)], most: usize) -> Option<(i64, Vec<(u128, u128)>)> {
        let (first, length) = self.extent(points, most)?;
        let mut cells = alloc::vec![(0_u128, 0_u128); length];
        for (i, mass) in points {
            let (cell, j) = self.cell(*i);
            let kept = (u128::from(*mass) * self.tilt.at(j)?.0) >> (BITS - REST);
            let (whole, height) = cells.get_mut(usize::try_from(cell - first).ok()?)?;
            *whole += kept;
            *height += (kept * self.share(j)?.0) >> BITS;
        }
        Some((first, cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::grid::{evaluate, grouped::Grouped, pld::Pld};
    use num_bigint::BigInt;
    use num_traits::Zero;
    use proptest::prelude::*;

    /// δ(ε) of losses i·2^-fine, on a grid of step 2^-step.
    fn placed(
        points: &[(i64, u64)],
        side: Side,
        theta: &Rational,
        (step, fine): (u32, u32),
        at: &Rational,
    ) -> Rational {
        let cells = Cells::new(theta, step, fine).unwrap();
        match side {
            Side::Upper => {
                let (first, masses) = cells.split(points, 1 << 20).unwrap();
                let anchor = Rational::new(BigInt::one(), BigInt::one() << step);
                let pld = Pld { step, first, masses, exponent: 60, anchor, slack: 0, infinite: BigInt::zero() };
                evaluate::most(&pld, theta, at, &Rational::one()).unwrap()
            }
            Side::Lower => {
                let (first, cells) = cells.group(points, 1 << 20).unwrap();
                let grouped = Grouped::of_cells((step, first), &cells, 60, Rational::zero(), BigInt::zero()).unwrap();
                evaluate::least(&grouped, theta, at).unwrap()
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// On a grid as fine as the losses nothing moves; on a coarser one the bounds move outward at every ε.
        #[test]
        fn bounds_move_outward(
            masses in prop::collection::vec(0_u64..1 << 50, 2..300), gap in 1_i64..40, coarser in 1_u32..6, first in -400_i64..400,
            twice_theta in 0_i64..9, log_scale in 0_u32..3, at in -10_i64..40,
        ) {
            // Losses of the order of 1, of 2^-10 and of 2^-20, and tilts to match.
            let fine = 8 + 10 * log_scale;
            let scale = Rational::from_integer(BigInt::one() << (10 * log_scale));
            let theta = Rational::new(twice_theta.into(), 2.into()) * &scale;
            let points: Vec<(i64, u64)> = (0..).zip(&masses).map(|(n, mass)| (first + n * gap, *mass)).collect();
            let epsilon = Rational::new((first * 16 + at * gap * 16).into(), BigInt::from(16) << fine);
            let of = |side, step| placed(&points, side, &theta, (step, fine), &epsilon);
            // δ of small losses is read off to 2^-24 of itself.
            let slack = Rational::one() + Rational::new(1.into(), BigInt::one() << 20_u32);
            let tiny = Rational::new(1.into(), BigInt::one() << 60_u32);
            prop_assert!(of(Side::Lower, fine) * &slack + &tiny >= of(Side::Upper, fine));
            prop_assert!(of(Side::Lower, fine - coarser) <= of(Side::Lower, fine) * &slack + &tiny);
            prop_assert!(of(Side::Upper, fine - coarser) * &slack + &tiny >= of(Side::Upper, fine));
        }
    }

    /// A second-order error: dense losses on a grid of half the step are off by about a quarter; groups of one loss not at all.
    #[test]
    fn errors_are_of_the_second_order() {
        for (side, gap) in [(Side::Lower, 1), (Side::Upper, 1), (Side::Lower, 300)] {
            let points: Vec<(i64, u64)> = (0..4096 / gap).map(|i| (i * gap, 1 << 40)).collect();
            let theta = Rational::from_integer(2.into());
            let of = |side, step| placed(&points, side, &theta, (step, 12), &Rational::new(1201.into(), 4096.into()));
            let truth = of(Side::Upper, 12);
            let error = |step| {
                let error = of(side, step) - &truth;
                if side == Side::Lower { -error } else { error }
            };
            // What is rounded.
            let tiny = &truth / (BigInt::one() << 36_u32);
            assert_eq!(error(4) > tiny, gap == 1);
            assert!(error(4) >= -tiny.clone() && error(6) >= -tiny.clone());
            assert!(error(6) * BigInt::from(8) <= error(4) + tiny * BigInt::from(8), "{side:?} {gap}");
        }
    }

    /// ρ against its definition at any scale: ρ(u)·(1 − e^-d) = 1 − e^-u.
    #[test]
    fn shares_are_their_definition() {
        for (step, fine) in [(0, 20), (8, 30), (15, 40), (16, 40), (17, 60), (40, 70), (100, 140)] {
            let cells = Cells::new(&Rational::one(), step, fine).unwrap();
            let power = |j: u64| {
                let x = Rational::new(-BigInt::from(j), BigInt::one() << fine);
                Range::of_rational(&Rational::one(), 400).lower - Range::of(&exp(&x, 400).unwrap(), 400).lower
            };
            let width = fine - step;
            for j in [0_u64, 1, 3, (1 << width) / 3, (1 << width) / 2 + 1, (1 << width) - 1] {
                let (least, most) = cells.share(j).unwrap();
                let share = Rational::new(power(j), power(1 << width)) * Rational::from_integer(ONE.into());
                // Some thousand units of the tables over 1 − e^-d; or those of the series.
                let unit = Rational::from_integer(BigInt::one() << if step < SMALL { 13 + step } else { 12 });
                let of = |bound: u128| Rational::from_integer(bound.into());
                assert!(
                    of(least) <= share.clone() + Rational::one() && share <= of(most) + Rational::one(),
                    "{step} {j}"
                );
                assert!(of(most) - of(least) <= unit, "{step} {fine} {j}: {least} {most}");
            }
        }
    }
}
