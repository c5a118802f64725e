//! Numbers that the bounds are made of, enclosed.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};

use crate::exact::{Enclosure, Rational, Scaled, Working};

/// An enclosure of a number that is not negative, to significant digits.
pub(super) fn scaled(value: &Enclosure, bits: u32) -> Scaled {
    Scaled::from_enclosure(value, bits)
}

/// With a point: every digit that it has, or 2^16 after the point, which is enough of a number that is
/// smaller than any δ. `None` where it is at least 2^65536.
pub(super) fn pointed(value: &Scaled) -> Option<Enclosure> {
    const MOST_DIGITS: u32 = 1 << 16;
    if value.magnitude() < -i64::from(MOST_DIGITS) { value.fixed(MOST_DIGITS) } else { value.exact() }
}

/// The binary zeros after the point of a small number; at most 2^20.
pub(super) fn leading_zeros(value: &Scaled) -> u32 {
    u32::try_from(value.floor_magnitude().min(0).unsigned_abs().min(1 << 20)).unwrap_or(0)
}

/// An integer of units of 2^-digits that is off by less than 2; `None` if the number is not known to a unit.
pub(super) fn floor_units(value: &Enclosure, digits: u32) -> Option<BigInt> {
    let (lower, upper) = value.scaled_bounds();
    let down = |bound: &BigInt| match value.precision().checked_sub(digits) {
        Some(shift) => bound >> shift,
        None => bound << (digits - value.precision()),
    };
    let (lower, upper) = (down(lower), down(upper));
    (&upper - &lower <= BigInt::one()).then_some(lower)
}

/// (cos, sin) of 2π·x for a number x of turns.
pub(super) fn turn(turns: &Enclosure, working: &Working) -> (Enclosure, Enclosure) {
    let (lower, upper) = turns.scaled_bounds();
    let disc = working.turn(lower, &(BigUint::one() << turns.precision()));
    // |e^(ix) − e^(iy)| ≤ |x − y|, and 2π < 8.
    let gap = Enclosure::from_scaled(BigInt::zero(), (upper - lower) << 3_u32, turns.precision());
    let disc = disc.widened(&gap);
    (disc.re(), disc.im())
}

/// 1 − e^(−x) for x > 0, to as many significant digits as x has.
pub(super) fn one_minus_exp(x: &Scaled, working: &Working) -> Option<Scaled> {
    // At x ≥ 2^21 it is 1, to more digits than anybody has.
    if x.floor_magnitude() > 20 {
        let unit = Rational::new(BigInt::one(), BigInt::one() << working.bits().min(1 << 19));
        let one = Rational::one();
        return Some(Scaled::from_enclosure(
            &Enclosure::from_bounds(&(&one - unit), &one, working.bits())?,
            working.bits(),
        ));
    }
    let deep = Working::within(working.bits().checked_add(leading_zeros(x))?, working.budget());
    let fine = x.fixed(deep.bits().checked_add(64)?)?;
    let power = deep.exp(&fine.neg())?.fixed(deep.bits())?;
    Some(Scaled::from_enclosure(&Enclosure::from_integer(1, 0).sub(&power), working.bits()))
}

/// e^x − 1 for x > 0, to significant digits: (1 − e^(−x))·e^x.
pub(super) fn exp_minus_one(x: &Rational, working: &Working) -> Option<Scaled> {
    if !x.is_positive() {
        return None;
    }
    let bits = working.bits();
    let power = working.exp(&Enclosure::from_rational(x, bits.checked_add(64)?))?;
    Some(one_minus_exp(&Scaled::from_rational(x, bits), working)?.mul(&power))
}

/// c(x) = x^x/(1 + x)^(1+x), c(0) = 1: the largest value of (1 − e^(−u))·e^(−xu), and of (e^v −
/// 1)·e^(−(1+x)v).
///
/// −ln c(x) = ln(1 + x) + x·ln(1 + 1/x).
pub(super) fn c(x: &Rational, working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    if x.is_zero() {
        return Some(Scaled::one(bits));
    }
    let ln = |value: &Rational| working.ln(&Scaled::from_rational(&(value + Rational::one()), bits.saturating_add(64)));
    let exponent = ln(x)?.add(&ln(&x.recip())?.mul_rational(x));
    working.exp(&exponent.neg())
}

/// 1 − Π(1 − x_i)^k_i of shares x_i, to significant digits: never as a difference of products, of which what
/// is multiplied by e^ε would have no digit.
pub(super) fn lost(shares: &[(Scaled, u64)], working: &Working) -> Option<Scaled> {
    let bits = working.bits();
    let times = |copies: u64| Scaled::from_units(&BigUint::from(copies), 0, bits);
    let sum = shares.iter().fold(Scaled::zero(bits), |sum, (share, copies)| sum.add(&share.mul(&times(*copies))));
    if sum.magnitude() < -i64::from(bits) {
        // With u the sum, and u < 2^-bits: u − u²/2 ≤ 1 − Π(1 − x_i)^k_i ≤ u.
        let (one, unit) = (Rational::one(), Rational::new(BigInt::one(), BigInt::one() << bits));
        return Some(sum.mul(&Scaled::from_enclosure(&Enclosure::from_bounds(&(&one - unit), &one, bits)?, bits)));
    }
    // It is no less than the largest share.
    let zeros = shares.iter().map(|(share, _)| leading_zeros(share)).min()?;
    let deep = Working::within(bits.checked_add(zeros)?, working.budget());
    let one = Enclosure::from_integer(1, 0);
    let mut exponent = Enclosure::from_integer(0, 0);
    for (share, copies) in shares {
        let kept = one.sub(&share.fixed(deep.bits().checked_add(64)?)?);
        if !kept.lower().is_positive() {
            // All of it, or it may be: nothing is known to stay.
            let all = Enclosure::from_integer(0, 0).hull(&one);
            let is_all = kept.upper() <= Rational::zero();
            return Some(Scaled::from_enclosure(if is_all { &one } else { &all }, working.bits()));
        }
        let ln = deep.ln(&Scaled::from_enclosure(&kept, deep.bits().saturating_add(64)))?;
        exponent = exponent.add(&ln.mul(&Enclosure::from_integer(*copies, 0)));
    }
    let kept = deep.exp(&exponent)?.fixed(deep.bits())?;
    Some(Scaled::from_enclosure(&one.sub(&kept).max_zero(), working.bits()))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn what_is_lost_has_its_digits() {
        let working = Working::new(100);
        let share = |zeros: u32| Rational::new(BigInt::from(3), BigInt::one() << zeros);
        for zeros in [[2, 3], [10, 400], [60, 90], [99, 104], [105, 107], [400, 2], [300, 410], [900, 700]] {
            for copies in [[1, 1], [7, 2], [3, 40]] {
                let shares = zeros.map(share);
                let kept = shares
                    .iter()
                    .zip(copies)
                    .map(|(share, k)| num_traits::pow(Rational::one() - share, k))
                    .product::<Rational>();
                let truth = Rational::one() - kept;
                let asked: Vec<_> =
                    shares.iter().zip(copies).map(|(x, k)| (Scaled::from_rational(x, 100), k as u64)).collect();
                let found = lost(&asked, &working).unwrap().exact().unwrap();
                assert!(found.contains(&truth), "{zeros:?} {copies:?}");
                assert!(
                    found.width() <= truth * Rational::new(1.into(), BigInt::one() << 80_u32),
                    "{zeros:?} {copies:?}"
                );
            }
        }
        assert!(lost(&[(Scaled::zero(100), 5)], &working).unwrap().is_zero());
        assert!(lost(&[], &working).unwrap().is_zero());
    }
}
