//! δ(ε) of a distribution, from its tilted masses.
//!
//! With u = l − ε: δ(ε) = p_∞ + 2^-e·e^(-θ(ε − a))·Σ_{u > 0} mᵢ·e^(-θu)·(1 − e^-u), and the slack times the same factor.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{
    convolution::Side,
    fixed::{Range, exp},
    pld::{INFINITE_BITS, Pld},
};
use crate::exact::{NonNegative, Positive, Rational, exp_neg_relative, ln};

/// Binary digits of e^(-θu) and e^-u.
const BITS: u32 = 62;

/// From losses of 2^-this on, 1 − e^-u is taken for u.
const SMALL: u32 = 24;

/// The exponentials are found afresh after this many points: between, each is the last times a factor.
const FRESH: usize = 1024;

/// δ(ε), rounded to the distribution's side, no finite loss being above `greatest`; `None` if a number is out of range.
///
/// Where losses are so small that 1 − e^-u would have few digits, u − u²/2 ≤ 1 − e^-u ≤ u takes its place, all over a further power of two.
pub(super) fn delta(pld: &Pld, theta: &Rational, epsilon: &Rational, greatest: &Rational) -> Option<Rational> {
    let unit = Rational::new(BigInt::one(), BigInt::one() << pld.step);
    let first = (epsilon / &unit).floor().to_integer() + 1_u32;
    let skip = (first - BigInt::from(pld.first)).max(BigInt::zero()).to_usize().unwrap_or(usize::MAX);
    let end = pld.first.checked_add(i64::try_from(pld.masses.len()).ok()?)?;
    let widest = &unit * BigInt::from(end) - epsilon;
    // 2^-small is at least every u.
    let small = u32::try_from(widest.denom().bits().saturating_sub(widest.numer().bits() + 1)).ok()?;
    let small = if small < SMALL || !widest.is_positive() { 0 } else { small };
    let (theta_step, loss_step) = (bounds(&-(theta * &unit))?, bounds(&-unit.clone())?);
    let (mut by_theta, mut by_loss) = ((0, 0), (0, 0));
    // A step of the grid is a whole number of these units: there are fewer than 2^62 points.
    let mut u_least = 0_u128;
    let u_step = if small == 0 {
        0
    } else {
        1_u128 << (BITS + small).checked_sub(pld.step).filter(|shift| *shift < 64).unwrap_or(0)
    };
    let mut sum = 0_u128;
    for (n, (i, mass)) in (pld.first..).zip(&pld.masses).skip(skip).enumerate() {
        if n % FRESH == 0 {
            let u = &unit * BigInt::from(i) - epsilon;
            by_theta = bounds(&-(theta * &u))?;
            if small == 0 {
                by_loss = bounds(&-u)?;
            } else {
                u_least = super::fixed::floor(&u, BITS + small).to_u128()?;
            }
        }
        let (least, most) = if small == 0 {
            ((1 << BITS) - by_loss.1, (1 << BITS) - by_loss.0)
        } else {
            // u² ≤ u·2^-small.
            (u_least.saturating_sub(u_least.checked_shr(small).unwrap_or(0) + 1), u_least + 1)
        };
        // Masses are at most 2^61 in all and the factors at most 1 (over 2^62), so that the sum is below 2^124.
        sum += u128::from(*mass)
            * match pld.side {
                Side::Lower => (by_theta.0 * least) >> BITS,
                Side::Upper => Side::Upper.shift(by_theta.1 * most, BITS),
            };
        by_theta = times(by_theta, theta_step);
        if small == 0 {
            by_loss = times(by_loss, loss_step);
        } else {
            u_least += u_step;
        }
    }
    // What the slack stands for has losses too: 1 − e^-u ≤ u there as well, however they were moved; and whatever they are, there is a most.
    let slack = greatest.clone().min(most_of_a_path(theta)) * Rational::from_integer(BigInt::one() << small);
    sum += super::fixed::ceil(&(slack * BigInt::from(pld.slack)), BITS).to_u128()?;
    let infinite = Rational::new(pld.infinite.clone(), BigInt::one() << INFINITE_BITS);
    if sum.is_zero() {
        return Some(infinite);
    }
    let finite = Rational::from_integer(sum.into()) * scale(pld, theta, epsilon)?;
    Some((finite / (BigInt::one() << small) + infinite).min(Rational::one()))
}

/// At least e^(-θu)·(1 − e^-u) for every u ≥ 0: that is greatest at e^-u = θ/(1 + θ), where it is (1 + 1/θ)^-θ/(1 + θ), and (1 + 1/θ)^θ ≥ 2 for θ ≥ 1.
fn most_of_a_path(theta: &Rational) -> Rational {
    let most = (Rational::one() + theta).recip();
    if *theta < Rational::one() { most } else { most / BigInt::from(2) }
}

/// 2^-(e + 62)·e^(-θ(ε − a)) = e^-y with y = θ(ε − a) + (e + 62)·ln 2, rounded to the side.
fn scale(pld: &Pld, theta: &Rational, epsilon: &Rational) -> Option<Rational> {
    let power = pld.exponent + i128::from(BITS);
    let two = Positive::new(Rational::from_integer(2.into())).ok()?;
    // |power| < 2^127: these bits leave y within 2^-100.
    let ln_two = ln(&two, 240).mul_rational(&Rational::from_integer(power.into()));
    let tilted = theta * (epsilon - &pld.anchor);
    let y = match pld.side {
        Side::Upper => super::fixed::floor(&(tilted + ln_two.lower()), 100),
        Side::Lower => super::fixed::ceil(&(tilted + ln_two.upper()), 100),
    };
    let y = Rational::new(y, BigInt::one() << 100_u32);
    let power = exp_neg_relative(&NonNegative::new(y.abs()).ok()?, 80)?;
    Some(match (y.is_negative(), pld.side) {
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
