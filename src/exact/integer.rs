//! The integers that samplers return: a machine word as long as it fits, a big integer beyond.

use core::{cmp::Ordering, fmt};

use num_bigint::{BigInt, BigUint};

/// An integer of any size; one that fits an `i64` costs no allocation.
///
/// ```
/// use certus::exact::Integer;
///
/// let noise = Integer::from(i64::MAX);
/// let sum = noise.add(&Integer::from(1i64));
/// assert_eq!(sum.to_string(), "9223372036854775808");
/// assert_eq!(sum.to_i64(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Integer(Form);

/// Invariant: `Big` holds only what does not fit an `i64`, so that equal numbers have equal forms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Word(i64),
    Big(BigInt),
}

impl Integer {
    /// 0.
    pub const ZERO: Self = Self(Form::Word(0));

    /// The integer as an `i64`, if it fits.
    #[must_use]
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Form::Word(word) => Some(*word),
            Form::Big(_) => None,
        }
    }

    /// The integer as a big integer.
    #[must_use]
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Form::Word(word) => BigInt::from(*word),
            Form::Big(big) => big.clone(),
        }
    }

    /// |self| as a big integer.
    #[must_use]
    pub fn magnitude(&self) -> BigUint {
        match &self.0 {
            Form::Word(word) => BigUint::from(word.unsigned_abs()),
            Form::Big(big) => big.magnitude().clone(),
        }
    }

    /// |self| as a machine word, if it fits.
    #[must_use]
    #[inline]
    pub fn magnitude_word(&self) -> Option<u64> {
        match &self.0 {
            Form::Word(word) => Some(word.unsigned_abs()),
            Form::Big(big) => big.magnitude().try_into().ok(),
        }
    }

    /// Whether the integer is 0.
    #[must_use]
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Form::Word(0))
    }

    /// self + other, never wrapped.
    #[must_use]
    #[inline]
    pub fn add(&self, other: &Self) -> Self {
        if let (Form::Word(a), Form::Word(b)) = (&self.0, &other.0)
            && let Some(sum) = a.checked_add(*b)
        {
            return Self(Form::Word(sum));
        }
        Self::from(self.to_big() + other.to_big())
    }

    /// −self, never wrapped.
    #[must_use]
    #[inline]
    pub fn neg(&self) -> Self {
        if let Form::Word(word) = &self.0
            && let Some(negated) = word.checked_neg()
        {
            return Self(Form::Word(negated));
        }
        Self::from(-self.to_big())
    }
}

impl From<i64> for Integer {
    #[inline]
    fn from(word: i64) -> Self {
        Self(Form::Word(word))
    }
}

impl From<i32> for Integer {
    #[inline]
    fn from(word: i32) -> Self {
        Self::from(i64::from(word))
    }
}

impl From<u64> for Integer {
    #[inline]
    fn from(word: u64) -> Self {
        i64::try_from(word).map_or_else(|_| Self(Form::Big(BigInt::from(word))), Self::from)
    }
}

impl From<BigInt> for Integer {
    fn from(big: BigInt) -> Self {
        i64::try_from(&big).map_or(Self(Form::Big(big)), Self::from)
    }
}

impl From<BigUint> for Integer {
    fn from(big: BigUint) -> Self {
        Self::from(BigInt::from(big))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Form::Word(a), Form::Word(b)) => a.cmp(b),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Word(word) => word.fmt(f),
            Form::Big(big) => big.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use proptest::prelude::*;

    /// Integers on both sides of the word's edges.
    fn any_big() -> impl Strategy<Value = BigInt> {
        prop_oneof![
            any::<i64>().prop_map(BigInt::from),
            any::<i128>().prop_map(BigInt::from),
            (-2i128..=2).prop_map(|n| BigInt::from(i128::from(i64::MAX) + n)),
            (-2i128..=2).prop_map(|n| BigInt::from(i128::from(i64::MIN) + n)),
            (-2i128..=2).prop_map(|n| BigInt::from(i128::from(u64::MAX) + n)),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers(a in any_big(), b in any_big()) {
            let (x, y) = (Integer::from(a.clone()), Integer::from(b.clone()));
            prop_assert_eq!(x.add(&y).to_big(), &a + &b);
            prop_assert_eq!(x.add(&y), Integer::from(&a + &b));
            prop_assert_eq!(x.neg(), Integer::from(-&a));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(x.to_i64(), i64::try_from(&a).ok());
            prop_assert_eq!(&x.magnitude(), a.magnitude());
            prop_assert_eq!(x.magnitude_word(), u64::try_from(a.magnitude()).ok());
            prop_assert_eq!(x.to_string(), a.to_string());
            prop_assert_eq!(x.is_zero(), a == BigInt::from(0));
        }

        #[test]
        fn words(word: u64) {
            prop_assert_eq!(Integer::from(word), Integer::from(BigUint::from(word)));
        }
    }
}
