//! [`Real`]: a number given by a formula, enclosed as narrowly as one asks.

use alloc::sync::Arc;
use core::{
    cmp::Ordering,
    fmt,
    iter::Sum,
    ops::{Add, Div, Mul, Neg, Sub},
};

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Enclosure, NonNegative, Positive, Rational, exp_neg, exp_neg_relative, ln, render};

/// A real number as a formula over rationals, with +, −, ·, /, e^x, ln and √.
///
/// What a formula of rationals gives exactly is kept exactly ([`Real::exact`]); anything else is enclosed on demand
/// ([`Real::enclose`]), to any width. Two reals are compared by narrowing both until they part ([`Real::compare`]), which decides everything but
/// equality of two different formulas.
///
/// ```
/// use certus::exact::Real;
///
/// let ln_three = Real::from(3).ln();
/// assert_eq!(ln_three.to_string(), "[1.0986122886681096913876, 1.0986122886681096914012]");
/// assert_eq!(Real::from(0).exp(), Real::from(1));
/// assert!(ln_three.is_at_most(&Real::ratio(11, 10)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Real(Arc<Formula>);

#[derive(Debug, PartialEq, Eq, Hash)]
enum Formula {
    Rational(Rational),
    Sum(Real, Real),
    Product(Real, Real),
    Quotient(Real, Real),
    Exp(Real),
    Ln(Real),
    Sqrt(Real),
}

/// e^x is formed up to this x: above, its integer part alone has more than a million and a half bits.
const GREATEST_EXPONENT: u32 = 1 << 20;

/// The most binary digits that a comparison looks at.
const MOST_BITS: u32 = 1 << 12;

impl Real {
    /// n/d; 0 for a denominator of 0.
    #[must_use]
    pub fn ratio(n: i64, d: i64) -> Self {
        if d == 0 { Self::from(0) } else { Self::from(Rational::new(n.into(), d.into())) }
    }

    /// The number itself, where the formula gave a rational.
    #[must_use]
    pub fn exact(&self) -> Option<&Rational> {
        match &*self.0 {
            Formula::Rational(value) => Some(value),
            _ => None,
        }
    }

    /// e^x.
    #[must_use]
    pub fn exp(&self) -> Self {
        if self.exact().is_some_and(Zero::is_zero) { Self::from(1) } else { Self(Arc::new(Formula::Exp(self.clone()))) }
    }

    /// ln x. For x ≤ 0 there is no such number, and nothing ever encloses it.
    #[must_use]
    pub fn ln(&self) -> Self {
        match &*self.0 {
            Formula::Rational(value) if value.is_one() => Self::from(0),
            Formula::Exp(x) => x.clone(),
            _ => Self(Arc::new(Formula::Ln(self.clone()))),
        }
    }

    /// √x. For x < 0 there is no such number, and nothing ever encloses it.
    #[must_use]
    pub fn sqrt(&self) -> Self {
        if let Some(value) = self.exact().filter(|value| !value.is_negative()) {
            let (n, d) = (value.numer().sqrt(), value.denom().sqrt());
            if &n * &n == *value.numer() && &d * &d == *value.denom() {
                return Self::from(Rational::new(n, d));
            }
        }
        Self(Arc::new(Formula::Sqrt(self.clone())))
    }

    /// (e^x − 1)/(e^x + 1).
    #[must_use]
    pub fn half_tanh(&self) -> Self {
        let power = self.exp();
        (&power - &Self::from(1)) / (&power + &Self::from(1))
    }

    /// An enclosure of width at most 2^-bits. Nothing where the formula has no value (a division by zero, ln or √ out of its domain), or
    /// none that can be told at 2^12 digits more, or e^x with x > 2^20.
    ///
    /// ```
    /// use certus::exact::Real;
    ///
    /// assert!(Real::from(2).sqrt().enclose(100).is_some_and(|root| root.width() < "1e-30".parse::<Real>().unwrap().enclose(128).unwrap().upper()));
    /// assert_eq!(Real::from(-1).ln().enclose(10), None);
    /// ```
    #[must_use]
    pub fn enclose(&self, bits: u32) -> Option<Enclosure> {
        let mut guard = 32_u32;
        while guard <= MOST_BITS {
            let working = bits.checked_add(guard)?;
            if let Some(enclosure) = self.at(working) {
                let rounded = enclosure.at_precision(bits.checked_add(2)?);
                if rounded.is_narrow(bits) {
                    return Some(rounded);
                }
            }
            guard *= 2;
        }
        None
    }

    /// A rational that is at least the number, and above it by at most 2^-bits. Nothing as for [`Real::enclose`].
    #[must_use]
    pub fn at_most(&self, bits: u32) -> Option<Rational> {
        match self.exact() {
            Some(value) => Some(value.clone()),
            None => self.enclose(bits).map(|enclosure| enclosure.upper()),
        }
    }

    /// An enclosure at a working precision, however wide; nothing if an operand is not known to be in the domain.
    fn at(&self, working: u32) -> Option<Enclosure> {
        Some(match &*self.0 {
            Formula::Rational(value) => Enclosure::from_rational(value, working),
            Formula::Sum(a, b) => a.at(working)?.add(&b.at(working)?),
            Formula::Product(a, b) => a.at(working)?.mul(&b.at(working)?),
            Formula::Quotient(a, b) => a.at(working)?.div(&b.at(working)?)?,
            Formula::Exp(x) => {
                let x = x.at(working)?;
                // e^x rises.
                Enclosure::from_bounds(&exp(&x.lower(), working)?.lower(), &exp(&x.upper(), working)?.upper(), working)?
            }
            Formula::Ln(x) => {
                let x = x.at(working)?;
                let (least, most) = (Positive::new(x.lower()).ok()?, Positive::new(x.upper()).ok()?);
                ln(&least, working).hull(&ln(&most, working)).at_precision(working)
            }
            Formula::Sqrt(x) => {
                let x = x.at(working)?;
                // A number that is not negative may have an enclosure that is, by its rounding.
                if x.upper().is_negative() {
                    return None;
                }
                Enclosure::from_bounds(&sqrt_floor(&x.lower(), working), &sqrt_ceil(&x.upper(), working), working)?
            }
        })
    }

    /// The order of two numbers, where they part within 2^12 binary digits; equal only where both are the same formula, or rationals.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        if let (Some(a), Some(b)) = (self.exact(), other.exact()) {
            return Some(a.cmp(b));
        }
        let mut bits = 64_u32;
        while bits <= MOST_BITS {
            let order = self.enclose(bits)?.compare(&other.enclose(bits)?);
            // Two points may be equal without either being known exactly; then the formulas are not told apart.
            if let Some(order) = order {
                return Some(order);
            }
            bits *= 4;
        }
        None
    }

    /// Whether this is certainly at most the other: false also where it cannot be told.
    #[must_use]
    pub fn is_at_most(&self, other: &Self) -> bool {
        matches!(self.compare(other), Some(Ordering::Less | Ordering::Equal))
    }

    /// The larger of the two. Where that cannot be told, one that has no value (so that it is not lost), or else the second, which is within
    /// 2^-4096 of the first.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        match self.compare(other) {
            Some(Ordering::Greater) => self.clone(),
            None if self.enclose(0).is_none() => self.clone(),
            _ => other.clone(),
        }
    }

    /// The smaller of the two. Where that cannot be told, one that has a value.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        match self.compare(other) {
            Some(Ordering::Greater) => other.clone(),
            None if self.enclose(0).is_none() => other.clone(),
            _ => self.clone(),
        }
    }
}

/// e^x for a rational of either sign.
fn exp(x: &Rational, working: u32) -> Option<Enclosure> {
    if !x.is_positive() {
        return Some(exp_neg(&NonNegative::new(-x).ok()?, working).at_precision(working));
    }
    if *x > Rational::from_integer(GREATEST_EXPONENT.into()) {
        return None;
    }
    // e^x = 1/e^-x. Relative to 2^(1.5·x), a bound of e^x, the reciprocal loses `working` bits after the point.
    let bits = working.checked_add(u32::try_from((x.ceil().to_integer() * 3) / 2).ok()?)?.checked_add(4)?;
    let falling = exp_neg_relative(&NonNegative::new(x.clone()).ok()?, bits)?;
    Enclosure::from_bounds(&falling.upper().recip(), &falling.lower().recip(), working)
}

/// ⌊√x·2^working⌋/2^working, and 0 for x < 0.
fn sqrt_floor(x: &Rational, working: u32) -> Rational {
    if x.is_negative() {
        return Rational::zero();
    }
    Rational::new(scaled_square(x, working).sqrt(), BigInt::one() << working)
}

/// At least √x, for x ≥ 0, by at most 2^(1 − working).
fn sqrt_ceil(x: &Rational, working: u32) -> Rational {
    // √⌊y⌋ ≤ √y < √(⌊y⌋ + 1) ≤ ⌊√⌊y⌋⌋ + 1.
    Rational::new(scaled_square(x, working).sqrt() + 1, BigInt::one() << working)
}

/// ⌊x·4^working⌋.
fn scaled_square(x: &Rational, working: u32) -> BigInt {
    (x * Rational::from_integer(BigInt::one() << (2 * u64::from(working)))).floor().to_integer()
}

impl From<Rational> for Real {
    fn from(value: Rational) -> Self {
        Self(Arc::new(Formula::Rational(value)))
    }
}

impl From<i64> for Real {
    fn from(value: i64) -> Self {
        Self::from(Rational::from_integer(value.into()))
    }
}

impl From<NonNegative> for Real {
    fn from(value: NonNegative) -> Self {
        Self::from(value.get().clone())
    }
}

impl From<Positive> for Real {
    fn from(value: Positive) -> Self {
        Self::from(value.get().clone())
    }
}

impl core::str::FromStr for Real {
    type Err = super::NumberError;

    /// A rational, as [`super::parse`] reads it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        super::parse(text).map(Self::from)
    }
}

impl fmt::Display for Real {
    /// The rational, or an enclosure to 64 binary digits after the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact(), self.enclose(64)) {
            (Some(value), _) => f.write_str(&render(value)),
            (None, Some(enclosure)) => enclosure.fmt(f),
            (None, None) => f.write_str("undefined"),
        }
    }
}

impl Add for &Real {
    type Output = Real;
    fn add(self, other: &Real) -> Real {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => Real::from(a + b),
            (Some(a), None) if a.is_zero() => other.clone(),
            (None, Some(b)) if b.is_zero() => self.clone(),
            _ => Real(Arc::new(Formula::Sum(self.clone(), other.clone()))),
        }
    }
}

impl Mul for &Real {
    type Output = Real;
    fn mul(self, other: &Real) -> Real {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => Real::from(a * b),
            (Some(a), None) if a.is_zero() => Real::from(0),
            (None, Some(b)) if b.is_zero() => Real::from(0),
            (Some(a), None) if a.is_one() => other.clone(),
            (None, Some(b)) if b.is_one() => self.clone(),
            _ => Real(Arc::new(Formula::Product(self.clone(), other.clone()))),
        }
    }
}

impl Div for &Real {
    type Output = Real;
    fn div(self, other: &Real) -> Real {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) if !b.is_zero() => Real::from(a / b),
            (None, Some(b)) if b.is_one() => self.clone(),
            _ => Real(Arc::new(Formula::Quotient(self.clone(), other.clone()))),
        }
    }
}

impl Neg for &Real {
    type Output = Real;
    fn neg(self) -> Real {
        &Real::from(-1) * self
    }
}

impl Sub for &Real {
    type Output = Real;
    fn sub(self, other: &Real) -> Real {
        self + &-other
    }
}

macro_rules! by_value {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Real {
            type Output = Real;
            fn $method(self, other: Real) -> Real {
                $trait::$method(&self, &other)
            }
        }
    )*};
}
by_value!(Add add, Sub sub, Mul mul, Div div);

impl Sum for Real {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::from(0), |sum, term| sum + term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rational(n: i64, d: i64) -> Rational {
        Rational::new(n.into(), d.into())
    }

    #[test]
    fn rationals_stay_exact() {
        let x = &(&Real::ratio(1, 3) + &Real::ratio(1, 6)) * &Real::from(4);
        assert_eq!(x.exact(), Some(&rational(2, 1)));
        assert_eq!(Real::ratio(9, 4).sqrt().exact(), Some(&rational(3, 2)));
        assert_eq!(Real::ratio(1, 2).exp().ln(), Real::ratio(1, 2));
        assert_eq!(Real::from(2).sqrt().exact(), None);
        assert_eq!((&Real::from(0) * &Real::from(2).ln()).exact(), Some(&rational(0, 1)));
    }

    #[test]
    fn what_has_no_value_is_never_enclosed() {
        let zero = &Real::from(2).ln() - &Real::from(2).ln();
        for undefined in
            [Real::from(-1).ln(), Real::from(-1).sqrt(), &Real::from(1) / &Real::from(0), &Real::from(1) / &zero]
        {
            assert_eq!(undefined.enclose(20), None, "{undefined:?}");
            assert_eq!(undefined.compare(&Real::from(0)), None);
            assert!(!undefined.is_at_most(&Real::from(0)));
        }
        assert_eq!(Real::from(i64::MAX).exp().enclose(20), None);
        assert!(Real::from(i64::MIN).exp().is_at_most(&Real::ratio(1, i64::MAX)));
        assert_eq!(Real::from(9).ln().compare(&(&Real::from(3).ln() + &Real::from(3).ln())), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn identities_hold(n in 1i64..10_000, d in 1i64..200, m in 1i64..10_000, bits in 10u32..200) {
            let (x, y) = (Real::ratio(n, d), Real::ratio(m, 7));
            let (a, b) = ((&x * &y).ln().enclose(bits).unwrap(), (&x.ln() + &y.ln()).enclose(bits).unwrap());
            prop_assert!(a.intersects(&b));
            let root = x.sqrt();
            prop_assert!((&root * &root).enclose(bits).unwrap().contains(&rational(n, d)));
            let small = Real::ratio(n, 1000);
            let product = &small.exp() * &(-&small).exp();
            prop_assert!(product.enclose(bits).unwrap().contains(&rational(1, 1)));
            // tanh(x/2) by its own definition.
            let half = &small * &Real::ratio(1, 2);
            let tanh = &(&half.exp() - &(-&half).exp()) / &(&half.exp() + &(-&half).exp());
            prop_assert!(tanh.enclose(bits).unwrap().intersects(&small.half_tanh().enclose(bits).unwrap()));
            for real in [x.ln(), root, small.exp(), tanh] {
                let width = real.enclose(bits).unwrap().width();
                prop_assert!(width <= Rational::new(1.into(), BigInt::one() << bits));
                prop_assert!(real.at_most(bits).unwrap() >= real.enclose(bits + 40).unwrap().lower());
            }
        }

        #[test]
        fn order_is_that_of_numbers(n in 1i64..1000, m in 1i64..1000) {
            let order = Real::from(n).ln().compare(&Real::from(m).ln());
            prop_assert_eq!(order, Some(n.cmp(&m)));
            prop_assert_eq!(Real::from(n).sqrt().max(&Real::from(m).sqrt()), Real::from(n.max(m)).sqrt());
            prop_assert_eq!(Real::from(n).sqrt().min(&Real::from(m).sqrt()), Real::from(n.min(m)).sqrt());
        }
    }
}
