//! δ(ε) of a distribution, from its tilted masses: at any number of ε, each by a few exponentials.
//!
//! With u = l − ε, pessimistically: δ(ε) = p_∞ + 2^-e·e^(-θ(ε − a))·Σ_{u > 0} mᵢ·e^(-θu)·(1 − e^-u), and the slack times the same factor. Optimistically
//! each term is (P − e^ε·Q)₊ of a cell, e^(-θu)·(w·(1 − e^-u) + c·h·e^-u)₊ with c = 1 − e^-d, d the step of the grid.
//!
//! **Tails.** For the point i and all that are above it, with v = l_j − l_i,
//!
//! Sᵢ = Σ_{j ≥ i} w_j·e^(-θv), Gᵢ = Σ_{j ≥ i} e^(-θv)·(w_j·(1 − e^-v)/c + h_j·e^-v),
//!
//! which are found from the last point on, without a difference: Sᵢ = wᵢ + e^(-θd)·Sᵢ₊₁ and Gᵢ = hᵢ + e^(-θd)·(Sᵢ₊₁ + e^-d·Gᵢ₊₁), since 1 − e^-(v+d) = c + e^-d·(1 − e^-v).
//! By the same, of an ε with l_i the first loss above it the sum is e^(-θu)·((1 − e^-u)·Sᵢ + c·e^-u·Gᵢ), u = l_i − ε. Pessimistically all h are 0.

use alloc::vec::Vec;

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    convolution::Side,
    fixed::{Range, exp, floor, shift_up},
    grouped::Grouped,
    pld::{INFINITE_BITS, Pld},
};
use crate::exact::{NonNegative, Positive, Rational, exp_neg_relative, ln};

/// Binary digits of e^(-θd) and e^-d.
const BITS: u32 = 62;

/// Binary digits after the point of tails: masses are at most 2^61 in all, and G at most as many times that as there are points.
const FRACTION: u32 = 40;

/// The most points, so that a tail is below 2^127.
const MOST_POINTS: usize = 1 << 26;

/// Binary digits of e^(-θu).
const TILTED: u32 = 96;

/// Of the grid's step, binary digits of e^-u and 1 − e^-u.
const FINER: u32 = 80;

/// The sums over the points of a grid from each on.
struct Table {
    side: Side,
    theta: Rational,
    step: u32,
    first: i64,
    /// S and G of every point, over 2^[`FRACTION`].
    from: Vec<(u128, u128)>,
    /// Over 2^(step + [`FINER`]): 1 − e^-d.
    width: Range,
    /// e·ln 2, of which e^-that is a bound of this side.
    exponent: Rational,
    anchor: Rational,
    infinite: BigInt,
}

/// The place of an ε among the points of a table.
struct Place {
    /// The first point above it.
    above: usize,
    /// e^-u, over 2^(step + [`FINER`]).
    power: Range,
    /// e^(-θu), over 2^[`TILTED`].
    tilted: Range,
}

impl Table {
    /// Of the masses w and h at the points from `first` on.
    fn new(
        (side, theta): (Side, &Rational),
        (step, first): (u32, i64),
        points: impl DoubleEndedIterator<Item = (u64, u64)> + ExactSizeIterator,
        (exponent, anchor, infinite): (i128, &Rational, &BigInt),
    ) -> Option<Self> {
        let unit = Rational::new(BigInt::one(), BigInt::one() << step);
        let factor = |x: Rational| -> Option<u128> {
            let (lower, upper) = bounds(&x)?;
            Some(if side == Side::Upper { upper } else { lower })
        };
        let (by_theta, by_loss) = (factor(-(theta * &unit))?, factor(-unit.clone())?);
        if points.len() > MOST_POINTS {
            return None;
        }
        let mut from = Vec::with_capacity(points.len());
        let (mut whole, mut rise) = (0_u128, 0_u128);
        for (w, h) in points.rev() {
            rise = (u128::from(h) << FRACTION) + times(whole + times(rise, by_loss, side), by_theta, side);
            whole = (u128::from(w) << FRACTION) + times(whole, by_theta, side);
            from.push((whole, rise));
        }
        from.reverse();
        let bits = step.checked_add(FINER)?;
        let width = Range::of(&exp(&-unit, bits)?, bits).clamp(bits).complement(bits);
        let (exponent, anchor, infinite) = (halvings(exponent, side)?, anchor.clone(), infinite.clone());
        Some(Self { side, theta: theta.clone(), step, first, from, width, exponent, anchor, infinite })
    }

    fn bits(&self) -> u32 {
        self.step + FINER
    }

    fn bound(&self, range: Range) -> BigInt {
        if self.side == Side::Upper { range.upper } else { range.lower }
    }

    fn place(&self, epsilon: &Rational) -> Option<Place> {
        let above = floor(epsilon, self.step) + BigInt::one() - BigInt::from(self.first);
        let above = above.max(BigInt::zero()).to_usize().unwrap_or(usize::MAX).min(self.from.len());
        let i = BigInt::from(self.first) + BigInt::from(above);
        let u = (Rational::new(i, BigInt::one() << self.step) - epsilon).max(Rational::zero());
        let of = |x: Rational, bits: u32| Some(Range::of(&exp(&-x, bits)?, bits).clamp(bits));
        Some(Place { above, tilted: of(&self.theta * &u, TILTED)?, power: of(u, self.bits())? })
    }

    /// Of all points above ε: over 2^(step + [`FINER`] + [`FRACTION`] + [`TILTED`]).
    fn above(&self, place: &Place) -> BigInt {
        let Some((whole, rise)) = self.from.get(place.above) else { return BigInt::zero() };
        let bits = self.bits();
        let near = self.bound(place.power.complement(bits));
        let far = self.bound(place.power.mul(&self.width, bits));
        (near * *whole + far * *rise) * self.bound(place.tilted.clone())
    }

    /// δ(ε) of a sum over what it was found over.
    fn finish(&self, sum: BigInt, epsilon: &Rational) -> Option<Rational> {
        // Some hundred digits are enough.
        let excess = u32::try_from(sum.bits().saturating_sub(128)).ok()?;
        let digits = self.bits() + FRACTION + TILTED;
        let shift = excess.min(digits);
        let sum = if self.side == Side::Upper { shift_up(&sum, shift) } else { sum >> shift };
        let sum = Rational::new(sum, BigInt::one() << (digits - shift));
        let scale = || scale(&self.exponent, &self.anchor, self.side, &self.theta, epsilon);
        finish(&sum, scale, &self.infinite)
    }
}

/// A pessimistic distribution, to be asked for δ.
pub(super) struct Most {
    pub(super) of: Pld,
    table: Table,
}

impl Most {
    /// `None` if a number is out of range.
    pub(super) fn new(of: Pld, theta: &Rational) -> Option<Self> {
        let points = of.masses.iter().map(|mass| (*mass, 0));
        let table =
            Table::new((Side::Upper, theta), (of.step, of.first), points, (of.exponent, &of.anchor, &of.infinite))?;
        Some(Self { of, table })
    }

    /// At least δ(ε), no finite loss being above `greatest`; `None` if a number is out of range.
    pub(super) fn delta(&self, epsilon: &Rational, greatest: &Rational) -> Option<Rational> {
        let table = &self.table;
        let sum = table.above(&table.place(epsilon)?);
        // What the slack stands for has losses too: 1 − e^-u ≤ u there as well, however they were moved; and whatever they are, there is a most.
        let slack = greatest.clone().min(most_of_a_path(&table.theta)) * BigInt::from(self.of.slack);
        table.finish(sum + super::fixed::ceil(&slack, table.bits() + FRACTION + TILTED), epsilon)
    }
}

/// An optimistic distribution, to be asked for δ.
pub(super) struct Least {
    pub(super) of: Grouped,
    table: Table,
    /// At most e^(θd), over 2^[`TILTED`].
    tilt: BigInt,
    /// e^d, over 2^(step + [`FINER`]).
    power: Range,
}

impl Least {
    /// `None` if a number is out of range.
    pub(super) fn new(of: Grouped, theta: &Rational) -> Option<Self> {
        let points = of.whole.iter().zip(&of.height).map(|(w, h)| (*w, *h));
        let table =
            Table::new((Side::Lower, theta), (of.step, of.first), points, (of.exponent, &of.anchor, &of.infinite))?;
        let unit = Rational::new(BigInt::one(), BigInt::one() << of.step);
        // At least 1, where it is too much to be found.
        let tilt = exp(&(theta * &unit), TILTED).map_or(BigInt::one() << TILTED, |tilt| Range::of(&tilt, TILTED).lower);
        let power = Range::of(&exp(&unit, table.bits())?, table.bits());
        Some(Self { of, table, tilt, power })
    }

    /// At most δ(ε); `None` if a number is out of range.
    pub(super) fn delta(&self, epsilon: &Rational) -> Option<Rational> {
        let table = &self.table;
        let place = table.place(epsilon)?;
        let mut sum = table.above(&place);
        // The cell that ε is in, of l ≤ ε < l + d: c·h·e^(ε−l) − w·(e^(ε−l) − 1) may be positive.
        let of = &self.of;
        let cell = place.above.checked_sub(1).and_then(|i| Some((of.whole.get(i)?, of.height.get(i)?)));
        if let Some((w, h)) = cell.filter(|(_, h)| **h > 0)
            && self.is_in(place.above, epsilon)
        {
            // e^(ε−l) = e^d·e^-u.
            let bits = table.bits();
            let power = self.power.mul(&place.power, bits);
            let one = BigInt::one() << bits;
            let worth = ((&table.width.lower * &power.lower) >> bits) * *h - (power.upper - one) * *w;
            if worth.is_positive() {
                sum += (worth * ((&self.tilt * &place.tilted.lower) >> TILTED)) << FRACTION;
            }
        }
        table.finish(sum, epsilon)
    }

    /// Whether ε is less than a step below the point i, and not above it.
    fn is_in(&self, i: usize, epsilon: &Rational) -> bool {
        let i = BigInt::from(self.of.first) + BigInt::from(i);
        floor(epsilon, self.of.step) + BigInt::one() == i
    }
}

/// At least what a slack, of masses of an exponent and an anchor, adds to δ(ε).
pub(super) fn of_slack(
    (slack, exponent, anchor): (u64, i128, &Rational),
    theta: &Rational,
    epsilon: &Rational,
    greatest: &Rational,
) -> Option<Rational> {
    let each = greatest.clone().min(most_of_a_path(theta));
    let scale = || scale(&halvings(exponent, Side::Upper)?, anchor, Side::Upper, theta, epsilon);
    finish(&(each * BigInt::from(slack)), scale, &BigInt::zero())
}

/// δ(ε) of the sum and what it is to be scaled by, and the probability of an infinite loss over 2^768.
pub(super) fn finish(sum: &Rational, scale: impl FnOnce() -> Option<Rational>, infinite: &BigInt) -> Option<Rational> {
    let infinite = Rational::new(infinite.clone(), BigInt::one() << INFINITE_BITS);
    if sum.is_zero() {
        return Some(infinite);
    }
    Some((sum * scale()? + infinite).min(Rational::one()))
}

/// At least e^(-θu)·(1 − e^-u) for every u ≥ 0: that is greatest at e^-u = θ/(1 + θ), where it is (1 + 1/θ)^-θ/(1 + θ), and (1 + 1/θ)^θ ≥ 2 for θ ≥ 1.
pub(super) fn most_of_a_path(theta: &Rational) -> Rational {
    let most = (Rational::one() + theta).recip();
    if *theta < Rational::one() { most } else { most / BigInt::from(2) }
}

/// e·ln 2, rounded so that e^-that is a bound of the side.
pub(super) fn halvings(exponent: i128, side: Side) -> Option<Rational> {
    let two = Positive::new(Rational::from_integer(2.into())).ok()?;
    // |e| < 2^127: these bits leave it within 2^-100.
    let ln_two = ln(&two, 240).mul_rational(&Rational::from_integer(exponent.into()));
    let round = match side {
        Side::Upper => floor(&ln_two.lower(), 100),
        Side::Lower => super::fixed::ceil(&ln_two.upper(), 100),
    };
    Some(Rational::new(round, BigInt::one() << 100_u32))
}

/// 2^-e·e^(-θ(ε − a)) = e^-y with y = θ(ε − a) + e·ln 2 of [`halvings`], rounded to the side.
pub(super) fn scale(
    halvings: &Rational,
    anchor: &Rational,
    side: Side,
    theta: &Rational,
    epsilon: &Rational,
) -> Option<Rational> {
    let tilted = theta * (epsilon - anchor);
    let y = match side {
        Side::Upper => floor(&(tilted + halvings), 100),
        Side::Lower => super::fixed::ceil(&(tilted + halvings), 100),
    };
    let y = Rational::new(y, BigInt::one() << 100_u32);
    let power = exp_neg_relative(&NonNegative::new(y.abs()).ok()?, 80)?;
    Some(match (y.is_negative(), side) {
        (false, Side::Upper) => power.upper(),
        (false, Side::Lower) => power.lower(),
        (true, Side::Upper) => power.lower().recip(),
        (true, Side::Lower) => power.upper().recip(),
    })
}

/// e^x for x ≤ 0 over 2^62, both bounds.
fn bounds(x: &Rational) -> Option<(u128, u128)> {
    let range = Range::of(&exp(x, BITS + 2)?, BITS).clamp(BITS);
    Some((range.lower.to_u128()?, range.upper.to_u128()?))
}

/// a·f for a below 2^127 and f at most 1, over 2^62.
fn times(a: u128, factor: u128, side: Side) -> u128 {
    let (high, low) = (a >> BITS, a & ((1 << BITS) - 1));
    high * factor + side.shift(low * factor, BITS)
}

/// At least δ(ε).
#[cfg(test)]
pub(super) fn most(pld: &Pld, theta: &Rational, epsilon: &Rational, greatest: &Rational) -> Option<Rational> {
    Most::new(pld.clone(), theta)?.delta(epsilon, greatest)
}

/// At most δ(ε).
#[cfg(test)]
pub(super) fn least(grouped: &Grouped, theta: &Rational, epsilon: &Rational) -> Option<Rational> {
    Least::new(grouped.clone(), theta)?.delta(epsilon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Enclosure;
    use proptest::prelude::*;

    /// Σ (P − e^ε·Q)₊ of the cells by its definition.
    fn truth(of: &Grouped, theta: &Rational, epsilon: &Rational) -> Enclosure {
        let digits = 500;
        let power = |x: &Rational| exp(x, digits).unwrap();
        let unit = Rational::new(BigInt::one(), BigInt::one() << of.step);
        let c = Enclosure::from_integer(1, digits).sub(&power(&-unit.clone()));
        let mut sum =
            Enclosure::from_rational(&Rational::new(of.infinite.clone(), BigInt::one() << INFINITE_BITS), digits);
        for (i, (w, h)) in (of.first..).zip(of.whole.iter().zip(&of.height)) {
            let loss = &unit * BigInt::from(i);
            let rational = |n: u64| Rational::new(n.into(), BigInt::one() << u32::try_from(of.exponent).unwrap());
            let q = Enclosure::from_rational(&rational(*w), digits).sub(&c.mul_rational(&rational(*h)));
            let worth = Enclosure::from_rational(&rational(*w), digits).sub(&q.mul(&power(&(epsilon - &loss))));
            sum = sum.add(&worth.max_zero().mul(&power(&(theta * (&of.anchor - loss)))));
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// Losses of the order of 1, of 2^-20 and of 2^-60, from either side, at an ε between them, beside one, below all or above all: the truth is inside, and
        /// next to the bounds.
        #[test]
        fn agrees_with_the_definition(
            cells in prop::collection::vec((0_u64..1 << 50, 0_u64..=100), 1..40),
            first in -30_i64..30,
            twice_theta in 0_i64..9,
            scale in 0_u32..3,
            (at, beside) in (-5_i64..45, -3_i64..4),
            infinite in 0_u64..3,
        ) {
            let step = 4 + [0, 20, 60][usize::try_from(scale).unwrap()];
            let unit = Rational::new(BigInt::one(), BigInt::one() << step);
            let theta = Rational::new(twice_theta.into(), 2.into()) * (BigInt::one() << (step - 4));
            let whole: Vec<u64> = cells.iter().map(|(w, _)| *w).collect();
            let height = cells.iter().map(|(w, percent)| w / 100 * percent).collect();
            let infinite = BigInt::from(infinite) << (INFINITE_BITS - 40);
            let anchor = &unit * BigInt::from(first + 7);
            let grouped = Grouped { step, first, whole, height, exponent: 60, anchor, infinite };
            let none = alloc::vec![0; grouped.whole.len()];
            let points = Grouped { height: none, ..grouped.clone() };
            let epsilon = &unit * (Rational::from_integer((first + at).into()) + Rational::new(beside.into(), 4096.into()));
            let (below, above) = (truth(&grouped, &theta, &epsilon), truth(&points, &theta, &epsilon));
            prop_assume!(below.upper() < Rational::one() && above.upper() < Rational::one());
            let Grouped { anchor, infinite, whole: masses, .. } = points;
            for slack in [0, 1_u64 << 20] {
                let pld = Pld { step, first, masses: masses.clone(), exponent: 60, anchor: anchor.clone(), slack, infinite: infinite.clone() };
                let of_slack = super::of_slack((slack, 60, &anchor), &theta, &epsilon, &Rational::one()).unwrap();
                let found = most(&pld, &theta, &epsilon, &Rational::one()).unwrap();
                // A unit of every mass, at most, and 2^-50 of what is found.
                let close = |truth: &Enclosure| truth.upper() / (BigInt::one() << 50_u32)
                    + exp(&(&theta * (&anchor - &epsilon)), 300).unwrap().upper() * &unit / (BigInt::one() << 70_u32);
                prop_assert!(found >= above.lower() + &of_slack - close(&above), "{epsilon}");
                prop_assert!(found <= above.upper() + &of_slack + close(&above), "{epsilon}: {found} for {above}");
                prop_assert!(slack > 0 || found >= above.lower(), "{epsilon}");
                let found = least(&grouped, &theta, &epsilon).unwrap();
                prop_assert!(found <= below.upper(), "{epsilon}");
                prop_assert!(found >= below.lower() - close(&below), "{epsilon}: {found} for {below}");
            }
        }
    }

    /// e^(-θu)·(1 − e^-u) at many u, where it is greatest among them: at most the bound there, and more than a third of it.
    #[test]
    fn a_path_is_worth_no_more() {
        for (n, d) in [(0_i64, 1_i64), (1, 10), (9, 10), (1, 1), (7, 1), (1000, 1), (1 << 40, 1)] {
            let theta = Rational::new(n.into(), d.into());
            // The greatest is near u = 1/(θ + 1/2); at θ = 0 it is far out.
            let near = (&theta + Rational::new(1.into(), 2.into())).recip();
            let worth = |quarters: i64| {
                let u = &near * Rational::new(quarters.into(), 4.into());
                let rest = Rational::one() - exp(&-u.clone(), 160).unwrap().upper();
                exp(&-(&theta * u), 160).unwrap().lower() * rest
            };
            let greatest = (1..40).map(worth).max().unwrap();
            let most = most_of_a_path(&theta);
            assert!(greatest <= most && most < greatest * BigInt::from(3), "{theta}");
        }
    }
}
