//! Fixed-point numbers: integers over a common 2^precision, with both bounds at hand.
//!
//! An [`Enclosure`] is the same set; here the scale is known from the context, so that the tens of thousands
//! of points of a curve carry two integers each and no more.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use crate::exact::{Enclosure, NonNegative, Positive, Rational, exp_neg, ln};

/// [lower, upper]·2^-precision, the precision known from the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::account) struct Range {
    pub(in crate::account) lower: BigInt,
    pub(in crate::account) upper: BigInt,
}

impl Range {
    pub(in crate::account) fn point(value: BigInt) -> Self {
        Self { upper: value.clone(), lower: value }
    }

    /// [lower, upper] of an enclosure, rounded outward.
    pub(in crate::account) fn of(enclosure: &Enclosure, precision: u32) -> Self {
        let rounded = enclosure.at_precision(precision);
        let (lower, upper) = rounded.scaled_bounds();
        Self { lower: lower.clone(), upper: upper.clone() }
    }

    /// The number itself, rounded outward.
    pub(in crate::account) fn of_rational(value: &Rational, precision: u32) -> Self {
        Self { lower: floor(value, precision), upper: ceil(value, precision) }
    }

    pub(in crate::account) fn add(&self, other: &Self) -> Self {
        Self { lower: &self.lower + &other.lower, upper: &self.upper + &other.upper }
    }

    /// 1 − x.
    pub(in crate::account) fn complement(&self, precision: u32) -> Self {
        let one = BigInt::one() << precision;
        Self { lower: &one - &self.upper, upper: one - &self.lower }
    }

    /// x·y for x, y ≥ 0.
    pub(in crate::account) fn mul(&self, other: &Self, precision: u32) -> Self {
        Self {
            lower: (&self.lower * &other.lower) >> precision,
            upper: shift_up(&(&self.upper * &other.upper), precision),
        }
    }

    /// Within [0, 1], which the number is known to be.
    pub(in crate::account) fn clamp(self, precision: u32) -> Self {
        let one = BigInt::one() << precision;
        Self { lower: self.lower.max(BigInt::zero()), upper: self.upper.min(one) }
    }
}

/// ⌊value·2^precision⌋.
pub(in crate::account) fn floor(value: &Rational, precision: u32) -> BigInt {
    (value.numer() << precision).div_floor(value.denom())
}

/// ⌈value·2^precision⌉.
pub(in crate::account) fn ceil(value: &Rational, precision: u32) -> BigInt {
    (value.numer() << precision).div_ceil(value.denom())
}

/// ⌈value/2^bits⌉; the plain right shift of a `BigInt` is the floor.
pub(in crate::account) fn shift_up(value: &BigInt, bits: u32) -> BigInt {
    -(-value >> bits)
}

/// e^x for either sign, enclosed to about 2^-precision relative to the larger of 1 and itself; `None` if x >
/// 2^20.
pub(in crate::account) fn exp(x: &Rational, precision: u32) -> Option<Enclosure> {
    let magnitude = NonNegative::new(x.abs()).ok()?;
    if !x.is_positive() {
        return Some(exp_neg(&magnitude, precision).at_precision(precision + 2));
    }
    // e^-x ≥ 2^-(3x/2 + 1), so this many bits more keep the quotient's precision.
    let bits = u32::try_from((x * Rational::new(3.into(), 2.into())).ceil().to_integer()).ok()?;
    if bits > 1 << 21 {
        return None;
    }
    let falling = exp_neg(&magnitude, precision.checked_add(2 * bits)?.checked_add(4)?);
    let one = Enclosure::from_integer(1, falling.precision());
    one.div(&falling)
}

/// ln(x·2^-scale) for x > 0, of width at most about 2^-bits.
///
/// x is cut to its leading bits: m·2^e ≤ x < (m + 1)·2^e with m ≥ 2^(bits + 7), so that ln is raised by at
/// most 1/m.
pub(in crate::account) fn ln_scaled(x: &BigUint, scale: u32, bits: u32) -> Option<Enclosure> {
    let drop = x.bits().saturating_sub(u64::from(bits) + 8);
    let leading = Rational::from_integer(BigInt::from(x >> drop));
    let drop = u32::try_from(drop).ok()?;
    let power = |n: u32| Rational::from_integer(BigInt::one() << n);
    let value = if drop >= scale { leading * power(drop - scale) } else { leading / power(scale - drop) };
    let unit = Rational::new(1.into(), BigInt::one() << (bits + 7));
    let slack = if drop == 0 { Rational::zero() } else { unit };
    let cut = ln(&Positive::new(value).ok()?, bits + 4);
    Some(cut.add(&Enclosure::from_bounds(&Rational::zero(), &slack, bits + 8)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn exp_and_ln_are_inverse(n in -4000_i64..4000, d in 1_i64..200, bits in 30_u32..100) {
            let x = Rational::new(n.into(), d.into());
            if x.abs() < Rational::from_integer(60.into()) {
                let power = exp(&x, 200).unwrap();
                for (bound, of_upper) in [(power.lower(), false), (power.upper(), true)] {
                    let scaled = floor(&bound, 300);
                    let ln = ln_scaled(scaled.magnitude(), 300, bits).unwrap();
                    prop_assert!(ln.width() < Rational::new(1.into(), BigInt::one() << bits));
                    if of_upper { prop_assert!(ln.upper() >= x) } else { prop_assert!(ln.lower() <= x) }
                }
            }
        }
    }
}
