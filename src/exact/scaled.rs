//! [`Scaled`]: an enclosure of a non-negative real with an exponent of its own, so that it is relatively
//! narrow whatever its size.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, Zero};

use super::{Enclosure, Rational};

/// The closed interval `[lower, upper] · 2^exponent` with `0 ≤ lower ≤ upper` (Invariant #1), of about `bits`
/// binary digits.
///
/// Where an [`Enclosure`] counts its digits from the point, this counts them from the first digit that is not
/// 0: products and powers keep their relative width, and cost the same, from 2^-1000000 to 2^1000000.
#[derive(Clone, Debug)]
pub(crate) struct Scaled {
    lower: BigUint,
    upper: BigUint,
    exponent: i64,
    bits: u32,
}

/// `⌈value / 2^shift⌉`.
fn shift_ceil(value: &BigUint, shift: u64) -> BigUint {
    let floor = value >> shift;
    if (&floor << shift) == *value { floor } else { floor + 1_u32 }
}

impl Scaled {
    /// Rounds outward to at most `bits` digits.
    fn rounded(lower: BigUint, upper: BigUint, exponent: i64, bits: u32) -> Self {
        let excess = upper.bits().saturating_sub(u64::from(bits));
        if excess == 0 {
            return Self { lower, upper, exponent, bits };
        }
        let exponent = exponent.saturating_add_unsigned(excess);
        Self { lower: lower >> excess, upper: shift_ceil(&upper, excess), exponent, bits }
    }

    pub(crate) fn zero(bits: u32) -> Self {
        Self { lower: BigUint::zero(), upper: BigUint::zero(), exponent: 0, bits }
    }

    pub(crate) fn one(bits: u32) -> Self {
        Self { lower: BigUint::one(), upper: BigUint::one(), exponent: 0, bits }
    }

    /// The numbers of an enclosure that are not negative; those that are count as 0.
    pub(crate) fn from_enclosure(value: &Enclosure, bits: u32) -> Self {
        let (lower, upper) = value.scaled_bounds();
        let part =
            |bound: &BigInt| if bound.sign() == Sign::Minus { BigUint::zero() } else { bound.magnitude().clone() };
        Self::rounded(part(lower), part(upper), -i64::from(value.precision()), bits)
    }

    /// |value|.
    pub(crate) fn from_rational(value: &Rational, bits: u32) -> Self {
        let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
        // The quotient has at least `bits` digits.
        let shift = (u64::from(bits) + 2 + denominator.bits()).saturating_sub(numerator.bits());
        let (quotient, rest) = (numerator << shift).div_rem(denominator);
        let upper = if rest.is_zero() { quotient.clone() } else { &quotient + 1_u32 };
        Self::rounded(quotient, upper, 0_i64.saturating_sub_unsigned(shift), bits)
    }

    /// units · 2^-digits.
    pub(crate) fn from_units(units: &BigUint, digits: u32, bits: u32) -> Self {
        Self::rounded(units.clone(), units.clone(), -i64::from(digits), bits)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.upper.is_zero()
    }

    /// `{x · y}`.
    pub(crate) fn mul(&self, other: &Self) -> Self {
        let exponent = self.exponent.saturating_add(other.exponent);
        let bits = self.bits.max(other.bits);
        Self::rounded(&self.lower * &other.lower, &self.upper * &other.upper, exponent, bits)
    }

    /// `{x · 2^shift}`.
    pub(crate) fn shifted(mut self, shift: i64) -> Self {
        self.exponent = self.exponent.saturating_add(shift);
        self
    }

    /// `{x / y}`; `None` if the divisor contains 0.
    pub(crate) fn div(&self, divisor: &Self) -> Option<Self> {
        if divisor.lower.is_zero() {
            return None;
        }
        let bits = self.bits.max(divisor.bits);
        // At least `bits` digits of the quotient.
        let shift = u64::from(bits) + 2 + divisor.upper.bits();
        let lower = (&self.lower << shift) / &divisor.upper;
        let upper = (&self.upper << shift).div_ceil(&divisor.lower);
        let exponent = self.exponent.saturating_sub(divisor.exponent).saturating_sub_unsigned(shift);
        Some(Self::rounded(lower, upper, exponent, bits))
    }

    /// `{x^n}`, by squaring: the relative width grows about n times.
    pub(crate) fn pow(&self, mut n: u64) -> Self {
        let (mut power, mut result) = (self.clone(), Self::one(self.bits));
        loop {
            if n & 1 == 1 {
                result = result.mul(&power);
            }
            n >>= 1;
            if n == 0 {
                return result;
            }
            power = power.mul(&power);
        }
    }

    /// `{x + y}`, rounded outward to `bits` digits of the larger.
    pub(crate) fn add(&self, other: &Self) -> Self {
        let bits = self.bits.max(other.bits);
        if self.is_zero() {
            return other.clone();
        }
        if other.is_zero() {
            return self.clone();
        }
        let (high, low) = if self.magnitude() >= other.magnitude() { (self, other) } else { (other, self) };
        // Digits more than 2·bits below the larger are rounded away: to a unit there, outward.
        let floor = high.magnitude().saturating_sub(2 * i64::from(bits) + 4);
        let bring = |value: &Self, exponent: i64| match value.exponent.checked_sub(exponent) {
            Some(up) if up >= 0 => (&value.lower << up.unsigned_abs(), &value.upper << up.unsigned_abs()),
            _ => {
                let down = exponent.saturating_sub(value.exponent).unsigned_abs();
                if down > value.upper.bits() {
                    (BigUint::zero(), BigUint::one())
                } else {
                    (&value.lower >> down, shift_ceil(&value.upper, down))
                }
            }
        };
        let exponent = high.exponent.min(low.exponent).max(floor);
        let ((a, b), (c, d)) = (bring(high, exponent), bring(low, exponent));
        Self::rounded(a + c, b + d, exponent, bits)
    }

    /// The least e with x < 2^e for every x; very low for the point 0.
    pub(crate) fn magnitude(&self) -> i64 {
        if self.upper.is_zero() { i64::MIN / 4 } else { self.exponent.saturating_add_unsigned(self.upper.bits()) }
    }

    /// An e with 2^e ≤ x for every x; very low where the lower bound is 0.
    pub(crate) fn floor_magnitude(&self) -> i64 {
        if self.lower.is_zero() { i64::MIN / 4 } else { self.exponent.saturating_add_unsigned(self.lower.bits() - 1) }
    }

    /// The first 64 binary digits of the upper bound, and the exponent of the last of them; (0, 0) for the
    /// point 0.
    pub(crate) fn leading(&self) -> (u64, i64) {
        let excess = self.upper.bits().saturating_sub(64);
        let leading = (&self.upper >> excess).iter_u64_digits().next().unwrap_or(0);
        (leading, if leading == 0 { 0 } else { self.exponent.saturating_add_unsigned(excess) })
    }

    /// The numbers from 0 to the greatest of these.
    pub(crate) fn down_to_zero(mut self) -> Self {
        self.lower = BigUint::zero();
        self
    }

    /// The numbers of these that are at most 1, where the enclosed number is known to be.
    pub(crate) fn at_most_one(self) -> Self {
        if self.magnitude() >= 1 {
            let one = Self::one(self.bits);
            let lower = if self.floor_magnitude() >= 0 { one.clone() } else { self.clone() };
            return lower.hull(&one);
        }
        self
    }

    /// From the lower bound of this to the upper bound of the other.
    fn hull(&self, upper: &Self) -> Self {
        let exponent = self.exponent.min(upper.exponent);
        let up = |value: &Self| value.exponent.saturating_sub(exponent).unsigned_abs();
        let (lower, top) = (&self.lower << up(self), &upper.upper << up(upper));
        Self::rounded(lower.min(top.clone()), top, exponent, self.bits)
    }

    /// √x, rounded up.
    pub(crate) fn sqrt_upper(&self) -> Self {
        // An even exponent, and 2·bits digits under the root.
        let mut shift = (2 * u64::from(self.bits) + 2).saturating_sub(self.upper.bits());
        if self.exponent.saturating_sub_unsigned(shift) & 1 == 1 {
            shift += 1;
        }
        let root = (&self.upper << shift).sqrt() + 1_u32;
        let exponent = self.exponent.saturating_sub_unsigned(shift) / 2;
        Self::rounded(BigUint::zero(), root, exponent, self.bits)
    }

    /// At a fixed number of binary digits after the point, rounded outward.
    ///
    /// `None` where it is at least 2^65536, or the precision itself is out of reach.
    pub(crate) fn fixed(&self, precision: u32) -> Option<Enclosure> {
        if self.magnitude() > 1 << 16 {
            return None;
        }
        let shift = self.exponent.checked_add(i64::from(precision))?;
        let (lower, upper) = if shift >= 0 {
            (&self.lower << shift.unsigned_abs(), &self.upper << shift.unsigned_abs())
        } else if shift.unsigned_abs() > self.upper.bits() {
            (BigUint::zero(), if self.is_zero() { BigUint::zero() } else { BigUint::one() })
        } else {
            (&self.lower >> shift.unsigned_abs(), shift_ceil(&self.upper, shift.unsigned_abs()))
        };
        Some(Enclosure::from_scaled(lower.into(), upper.into(), precision))
    }

    /// With every digit that it has; `None` where its exponent is out of reach.
    pub(crate) fn exact(&self) -> Option<Enclosure> {
        let precision = if self.exponent >= 0 { 0 } else { u32::try_from(self.exponent.unsigned_abs()).ok()? };
        self.fixed(precision)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rational(n: u32, d: u32, shift: u8) -> Rational {
        Rational::new(BigInt::from(n), BigInt::from(d) << shift)
    }

    fn inside(value: &Scaled, truth: &Rational) {
        let enclosed = value.exact().unwrap();
        assert!(enclosed.contains(truth), "{truth} in {enclosed}");
        let width = enclosed.width();
        assert!(width <= truth * Rational::new(1.into(), BigInt::one() << 50_u32), "{width} of {truth}");
    }

    proptest! {
        #[test]
        fn arithmetic_contains_and_is_relatively_narrow(
            (n, d, s) in (1..u32::MAX, 1..u32::MAX, any::<u8>()),
            (m, e, t) in (1..u32::MAX, 1..u32::MAX, any::<u8>()),
            power in 0_u64..40,
        ) {
            let (x, y) = (rational(n, d, s), rational(m, e, t));
            let (a, b) = (Scaled::from_rational(&x, 64), Scaled::from_rational(&y, 64));
            inside(&a, &x);
            inside(&a.mul(&b), &(&x * &y));
            inside(&a.div(&b).unwrap(), &(&x / &y));
            inside(&a.add(&b), &(&x + &y));
            inside(&a.pow(power), &num_traits::pow::pow(x.clone(), power.try_into().unwrap()));
            let root = a.sqrt_upper().exact().unwrap().upper();
            prop_assert!(&root * &root >= x);
            prop_assert!(&root * &root <= &x * Rational::new(1001.into(), 1000.into()));
            prop_assert!(a.fixed(70).unwrap().contains(&x));
            let units = BigUint::from(n) << 3_u32;
            let shifted = Rational::new(BigInt::from(units.clone()), BigInt::one() << (u32::from(s) + 3));
            inside(&Scaled::from_units(&units, u32::from(s) + 3, 64), &shifted);
            let (leading, exponent) = a.leading();
            let two = Rational::from_integer(2.into());
            let near = Rational::from_integer(leading.into()) * num_traits::pow::Pow::pow(&two, i32::try_from(exponent).unwrap());
            prop_assert!(near >= x && near <= &x * Rational::new(1001.into(), 1000.into()));
            inside(&Scaled::from_enclosure(&Enclosure::from_rational(&x, 400), 64), &x);
        }

        #[test]
        fn magnitudes_bound((n, d, s) in (1..u32::MAX, 1..u32::MAX, any::<u8>())) {
            let x = rational(n, d, s);
            let a = Scaled::from_rational(&x, 40);
            let power = |e: i64| if e >= 0 { Rational::from_integer(BigInt::one() << e) } else { Rational::new(1.into(), BigInt::one() << -e) };
            prop_assert!(x <= power(a.magnitude()) && x >= power(a.floor_magnitude()));
            prop_assert!(a.magnitude() - a.floor_magnitude() <= 2);
            let one = Rational::one();
            let capped = Scaled::from_rational(&x.clone().min(one.clone()), 40).at_most_one();
            prop_assert!(capped.exact().unwrap().contains(&x.min(one.clone())) && capped.exact().unwrap().upper() <= one);
        }
    }
}
