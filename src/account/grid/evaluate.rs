//! δ(ε) of a distribution, from its tilted masses.
//!
//! With u = l − ε, pessimistically: δ(ε) = p_∞ + 2^-e·e^(-θ(ε − a))·Σ_{u > 0} mᵢ·e^(-θu)·(1 − e^-u), and the slack times the same factor. Optimistically
//! each term is (P − e^ε·Q)₊ of a cell, e^(-θu)·(w·(1 − e^-u) + c·h·e^-u)₊ with c = 1 − e^-d.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    convolution::Side,
    fixed::{Range, exp},
    grouped::Grouped,
    pld::{INFINITE_BITS, Pld},
};
use crate::exact::{NonNegative, Positive, Rational, exp_neg_relative, ln};

/// Binary digits of e^(-θu) and e^-u.
const BITS: u32 = 62;

/// From losses of 2^-this on, 1 − e^-u is taken for u.
const SMALL: u32 = 24;

/// The exponentials are found afresh after this many points: between, each is the last times a factor.
const FRESH: usize = 1024;

/// The factors of the points of a grid from one on, in turn: u, and bounds of e^(-θu) and of 1 − e^-u.
///
/// Where losses are so small that 1 − e^-u would have few digits, u − u²/2 ≤ 1 − e^-u ≤ u takes its place, all over a further power of two.
struct Walk<'a> {
    theta: &'a Rational,
    epsilon: &'a Rational,
    unit: Rational,
    step: u32,
    /// 1 − e^-u is over 2^(62 + small).
    small: u32,
    theta_step: (u128, u128),
    loss_step: (u128, u128),
    by_theta: (u128, u128),
    by_loss: (u128, u128),
    u_least: u128,
    count: usize,
}

impl<'a> Walk<'a> {
    /// For losses up to `last`·2^-step.
    fn new(theta: &'a Rational, epsilon: &'a Rational, step: u32, last: i64) -> Option<Self> {
        let unit = Rational::new(BigInt::one(), BigInt::one() << step);
        let widest = &unit * BigInt::from(last) - epsilon;
        // 2^-small is at least every u.
        let small = u32::try_from(widest.denom().bits().saturating_sub(widest.numer().bits() + 1)).ok()?;
        let small = if small < SMALL || !widest.is_positive() { 0 } else { small };
        let (theta_step, loss_step) = (bounds(&-(theta * &unit))?, bounds(&-unit.clone())?);
        let none = (0, 0);
        Some(Self {
            theta,
            epsilon,
            unit,
            step,
            small,
            theta_step,
            loss_step,
            by_theta: none,
            by_loss: none,
            u_least: 0,
            count: 0,
        })
    }

    /// How many of the points from `first` on have u ≤ 0.
    fn skipped(&self, first: i64) -> usize {
        let above = (self.epsilon / &self.unit).floor().to_integer() + 1_u32;
        (above - BigInt::from(first)).max(BigInt::zero()).to_usize().unwrap_or(usize::MAX)
    }

    /// At the next point, i: bounds of e^(-θu), of e^-u and of 1 − e^-u.
    fn next(&mut self, i: i64) -> Option<[(u128, u128); 3]> {
        if self.count.is_multiple_of(FRESH) {
            let u = &self.unit * BigInt::from(i) - self.epsilon;
            self.by_theta = bounds(&-(self.theta * &u))?;
            self.by_loss = bounds(&-u.clone())?;
            self.u_least = super::fixed::floor(&u, BITS + self.small).to_u128()?;
        }
        self.count += 1;
        let complement = if self.small == 0 {
            ((1 << BITS) - self.by_loss.1, (1 << BITS) - self.by_loss.0)
        } else {
            // u² ≤ u·2^-small.
            let square = self.u_least.checked_shr(self.small).unwrap_or(0) + 1;
            (self.u_least.saturating_sub(square), self.u_least + 1)
        };
        let here = [self.by_theta, self.by_loss, complement];
        self.by_theta = times(self.by_theta, self.theta_step);
        self.by_loss = times(self.by_loss, self.loss_step);
        if self.small > 0 {
            // A step of the grid is a whole number of these units: there are fewer than 2^62 points.
            self.u_least +=
                1_u128 << (BITS + self.small).checked_sub(self.step).filter(|shift| *shift < 64).unwrap_or(0);
        }
        Some(here)
    }
}

/// At least δ(ε), no finite loss being above `greatest`; `None` if a number is out of range.
pub(super) fn most(pld: &Pld, theta: &Rational, epsilon: &Rational, greatest: &Rational) -> Option<Rational> {
    let end = pld.first.checked_add(i64::try_from(pld.masses.len()).ok()?)?;
    let mut walk = Walk::new(theta, epsilon, pld.step, end)?;
    let mut sum = 0_u128;
    for (i, mass) in (pld.first..).zip(&pld.masses).skip(walk.skipped(pld.first)) {
        let [by_theta, _, complement] = walk.next(i)?;
        // Masses are at most 2^61 in all and the factors at most 1 (over 2^62), so that the sum is below 2^124.
        sum += u128::from(*mass) * Side::Upper.shift(by_theta.1 * complement.1, BITS);
    }
    let small = walk.small;
    // What the slack stands for has losses too: 1 − e^-u ≤ u there as well, however they were moved; and whatever they are, there is a most.
    let slack = greatest.clone().min(most_of_a_path(theta)) * Rational::from_integer(BigInt::one() << small);
    sum += super::fixed::ceil(&(slack * BigInt::from(pld.slack)), BITS).to_u128()?;
    finish(sum, small, (pld.exponent, &pld.anchor, Side::Upper), &pld.infinite, theta, epsilon)
}

/// At most δ(ε); `None` if a number is out of range.
pub(super) fn least(grouped: &Grouped, theta: &Rational, epsilon: &Rational) -> Option<Rational> {
    let end = grouped.first.checked_add(i64::try_from(grouped.whole.len()).ok()?)?;
    // One further, so that a cell's width is within.
    let mut walk = Walk::new(theta, epsilon, grouped.step, end.checked_add(1)?)?;
    let skipped = walk.skipped(grouped.first);
    let small = walk.small;
    let c = Rational::one() - exp(&-walk.unit.clone(), BITS + small + 8)?.upper();
    let c = super::fixed::floor(&c, BITS + small).to_u128()?;
    let mut sum = 0_u128;
    let cells = (grouped.first..).zip(grouped.whole.iter().zip(&grouped.height));
    for (i, (w, h)) in cells.skip(skipped) {
        let [by_theta, by_loss, complement] = walk.next(i)?;
        // Each of the two sums is below 2^123, as above.
        sum += u128::from(*w) * ((by_theta.0 * complement.0) >> BITS);
        sum += u128::from(*h) * ((by_theta.0 * ((c * by_loss.0) >> BITS)) >> BITS);
    }
    // The cell that ε is in: u ≤ 0, and c·h·e^-u − w·(e^-u − 1) may be positive.
    let straddling = skipped.checked_sub(1).and_then(|i| Some((i, grouped.whole.get(i)?, grouped.height.get(i)?)));
    if let Some((i, w, h)) = straddling {
        let i = grouped.first.checked_add(i64::try_from(i).ok()?)?;
        let below = epsilon - &walk.unit * BigInt::from(i);
        let digits = 2 * BITS + grouped.step;
        let power = exp(&below, digits)?;
        let c = Rational::one() - exp(&-walk.unit.clone(), digits)?.upper();
        let (w, h) = (Rational::from_integer((*w).into()), Rational::from_integer((*h).into()));
        let worth = c * h * power.lower() - w * (power.upper() - Rational::one());
        if worth.is_positive() {
            let worth = worth * exp(&(theta * below), BITS)?.lower();
            sum += super::fixed::floor(&worth, BITS + small).to_u128()?;
        }
    }
    finish(sum, small, (grouped.exponent, &grouped.anchor, Side::Lower), &grouped.infinite, theta, epsilon)
}

/// At least what a slack, of masses of an exponent and an anchor, adds to δ(ε).
pub(super) fn of_slack(
    (slack, exponent, anchor): (u64, i128, &Rational),
    theta: &Rational,
    epsilon: &Rational,
    greatest: &Rational,
) -> Option<Rational> {
    let each = greatest.clone().min(most_of_a_path(theta));
    let sum = super::fixed::ceil(&(each * BigInt::from(slack)), BITS).to_u128()?;
    finish(sum, 0, (exponent, anchor, Side::Upper), &BigInt::zero(), theta, epsilon)
}

/// δ(ε) of the sum over 2^(62 + small), with the exponent, the anchor and the side of its masses, and the probability of an infinite loss over 2^768.
pub(super) fn finish(
    sum: u128,
    small: u32,
    (exponent, anchor, side): (i128, &Rational, Side),
    infinite: &BigInt,
    theta: &Rational,
    epsilon: &Rational,
) -> Option<Rational> {
    let infinite = Rational::new(infinite.clone(), BigInt::one() << INFINITE_BITS);
    if sum.is_zero() {
        return Some(infinite);
    }
    let finite = Rational::from_integer(sum.into()) * scale(exponent, anchor, side, theta, epsilon)?;
    Some((finite / (BigInt::one() << small) + infinite).min(Rational::one()))
}

/// At least e^(-θu)·(1 − e^-u) for every u ≥ 0: that is greatest at e^-u = θ/(1 + θ), where it is (1 + 1/θ)^-θ/(1 + θ), and (1 + 1/θ)^θ ≥ 2 for θ ≥ 1.
pub(super) fn most_of_a_path(theta: &Rational) -> Rational {
    let most = (Rational::one() + theta).recip();
    if *theta < Rational::one() { most } else { most / BigInt::from(2) }
}

/// 2^-(e + 62)·e^(-θ(ε − a)) = e^-y with y = θ(ε − a) + (e + 62)·ln 2, rounded to the side.
fn scale(exponent: i128, anchor: &Rational, side: Side, theta: &Rational, epsilon: &Rational) -> Option<Rational> {
    let power = exponent + i128::from(BITS);
    let two = Positive::new(Rational::from_integer(2.into())).ok()?;
    // |power| < 2^127: these bits leave y within 2^-100.
    let ln_two = ln(&two, 240).mul_rational(&Rational::from_integer(power.into()));
    let tilted = theta * (epsilon - anchor);
    let y = match side {
        Side::Upper => super::fixed::floor(&(tilted + ln_two.lower()), 100),
        Side::Lower => super::fixed::ceil(&(tilted + ln_two.upper()), 100),
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

fn times(a: (u128, u128), b: (u128, u128)) -> (u128, u128) {
    ((a.0 * b.0) >> BITS, Side::Upper.shift(a.1 * b.1, BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

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
