//! [`Real`]: a number given by a formula, enclosed as narrowly as one asks.

mod formula;

use alloc::vec::Vec;
use core::{
    cmp::Ordering,
    fmt,
    iter::Sum,
    ops::{Add, Div, Mul, Neg, Sub},
};

use num_traits::{One, Signed, Zero};

use self::formula::{Formula, Operation};
use super::{Enclosure, NonNegative, Positive, Rational, render};

/// A real number as a formula over rationals, with +, −, ·, /, e^x, ln and √.
///
/// What a formula of rationals gives exactly is kept exactly ([`Real::exact`]); anything else is enclosed on
/// demand ([`Real::enclose`]), to any width. Two reals are compared by narrowing both until they part
/// ([`Real::compare`]), which decides everything but equality of two different formulas.
///
/// ```
/// use certus::exact::Real;
///
/// let ln_three = Real::from(3).ln();
/// assert_eq!(ln_three.to_string(), "[1.0986122886681096913876, 1.0986122886681096914012]");
/// assert_eq!(Real::from(0).exp(), Real::from(1));
/// assert!(ln_three.is_at_most(&Real::ratio(11, 10)));
/// ```
///
/// Formulas may be deep and may share parts: nothing here recurses, and a part that occurs many times is
/// enclosed once.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Real(Formula);

/// The most binary digits that a comparison looks at.
const MOST_BITS: u32 = 1 << 12;

impl Real {
    /// n/d; for a denominator of 0 there is no such number, and nothing ever encloses it.
    #[must_use]
    pub fn ratio(n: i64, d: i64) -> Self {
        Self::from(n) / Self::from(d)
    }

    /// The number itself, where the formula gave a rational.
    #[must_use]
    pub fn exact(&self) -> Option<&Rational> {
        self.0.rational()
    }

    fn of(operation: Operation, operands: &[&Self]) -> Self {
        Self(Formula::of(operation, operands.iter().map(|operand| operand.0.clone()).collect()))
    }

    /// e^x.
    #[must_use]
    pub fn exp(&self) -> Self {
        if self.exact().is_some_and(Zero::is_zero) { Self::from(1) } else { Self::of(Operation::Exp, &[self]) }
    }

    /// ln x. For x ≤ 0 there is no such number, and nothing ever encloses it.
    #[must_use]
    pub fn ln(&self) -> Self {
        match (self.exact(), self.0.operand_of(Operation::Exp)) {
            (Some(value), _) if value.is_one() => Self::from(0),
            (_, Some(x)) => Self(x.clone()),
            _ => Self::of(Operation::Ln, &[self]),
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
        Self::of(Operation::Sqrt, &[self])
    }

    /// (e^x − 1)/(e^x + 1) = (1 − e^-x)/(1 + e^-x): the second form is cheap however large x is.
    #[must_use]
    pub fn half_tanh(&self) -> Self {
        let power = (-self).exp();
        (&Self::from(1) - &power) / (&Self::from(1) + &power)
    }

    /// An enclosure of width at most 2^-bits. Nothing where the formula has no value (a division by zero, ln
    /// or √ out of its domain), or none that can be told at 2^12 digits more, or e^x with x > 2^14.
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
            if let Some(enclosure) = self.0.enclose(working) {
                let rounded = enclosure.at_precision(bits.checked_add(2)?);
                if rounded.is_narrow(bits) {
                    return Some(rounded);
                }
            }
            guard *= 2;
        }
        None
    }

    /// A rational that is at least the number, and above it by at most 2^-bits. Nothing as for
    /// [`Real::enclose`].
    #[must_use]
    pub fn at_most(&self, bits: u32) -> Option<Rational> {
        match self.exact() {
            Some(value) => Some(value.clone()),
            None => self.enclose(bits).map(|enclosure| enclosure.upper()),
        }
    }

    /// The order of two numbers, where they part within 2^12 binary digits; equal only where both are the
    /// same formula, or rationals.
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
            // Two points may be equal without either being known exactly; then the formulas are not told
            // apart.
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

    /// The larger of the two, which has no value where one of them has none. Where it cannot be told which it
    /// is, the formula keeps both.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        match self.compare(other) {
            Some(Ordering::Greater) => self.clone(),
            Some(_) => other.clone(),
            None => Self::of(Operation::Max, &[self, other]),
        }
    }

    /// The smaller of two numbers that have a value, as a formula: which one it is shows where it is
    /// enclosed. Of rationals, the smaller.
    pub(crate) fn least(&self, other: &Self) -> Self {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => Self::from(a.min(b).clone()),
            _ => Self::of(Operation::Min, &[self, other]),
        }
    }

    /// The smaller of the two. Where that cannot be told, one that has a value, hence the smaller but for
    /// 2^-4096: of two bounds of one number either is one.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        match self.compare(other) {
            Some(Ordering::Greater) => other.clone(),
            None if self.enclose(0).is_none() => other.clone(),
            _ => self.clone(),
        }
    }
}

impl From<Rational> for Real {
    fn from(value: Rational) -> Self {
        Self(Formula::from(value))
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

impl fmt::Debug for Real {
    /// As it is displayed: the formula may be large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Add for &Real {
    type Output = Real;
    fn add(self, other: &Real) -> Real {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) => Real::from(a + b),
            (Some(a), None) if a.is_zero() => other.clone(),
            (None, Some(b)) if b.is_zero() => self.clone(),
            _ => Real::of(Operation::Sum, &[self, other]),
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
            _ => Real::of(Operation::Product, &[self, other]),
        }
    }
}

impl Div for &Real {
    type Output = Real;
    fn div(self, other: &Real) -> Real {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) if !b.is_zero() => Real::from(a / b),
            (None, Some(b)) if b.is_one() => self.clone(),
            _ => Real::of(Operation::Quotient, &[self, other]),
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
    /// One flat sum: the rationals among the terms are added up exactly.
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        let mut rational = Rational::zero();
        let mut others = Vec::new();
        for term in terms {
            match term.exact() {
                Some(value) => rational += value,
                None => others.push(term.0),
            }
        }
        if others.is_empty() || !rational.is_zero() {
            others.push(Formula::from(rational));
        }
        match <[Formula; 1]>::try_from(others) {
            Ok([only]) => Self(only),
            Err(terms) => Self(Formula::of(Operation::Sum, terms)),
        }
    }
}

#[cfg(test)]
mod tests;
