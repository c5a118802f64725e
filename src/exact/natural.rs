//! Natural numbers of any width: the words on which the kernels run, and the big integers behind them.
//!
//! A kernel is written once, over [`Natural`], and runs at `u64` when its parameters fit and at [`BigUint`]
//! when they do not; proofs run it at `u8`. Every operation that could leave the width says so with `None`:
//! nothing wraps.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{CheckedSub, One, ToPrimitive, Zero};

/// Unsigned integers with checked arithmetic.
///
/// For [`BigUint`] no operation returns `None`, except a subtraction below zero.
pub trait Natural: Clone + Ord + core::fmt::Debug + Send + Sync + 'static {
    /// 0.
    fn zero() -> Self;

    /// 1.
    fn one() -> Self;

    /// A machine word, if it fits.
    fn from_word(word: u64) -> Option<Self>;

    /// A big integer, if it fits.
    fn from_big(big: &BigUint) -> Option<Self>;

    /// The same number as a big integer.
    fn to_big(&self) -> BigUint;

    /// The same number as a machine word, if it fits.
    fn to_word(&self) -> Option<u64>;

    /// self + other.
    fn checked_add(&self, other: &Self) -> Option<Self>;

    /// self − other, if other ≤ self.
    fn checked_sub(&self, other: &Self) -> Option<Self>;

    /// self · other.
    fn checked_mul(&self, other: &Self) -> Option<Self>;

    /// The quotient q and remainder r with self = q·divisor + r, and r < divisor unless the divisor is 0;
    /// then q = 0 and r = self.
    fn div_rem(&self, divisor: &Self) -> (Self, Self);

    /// The number of binary digits; 0 for 0.
    fn bit_length(&self) -> u64;

    /// self · 2^count + low, for low < 2^count.
    fn append_bits(&self, low: u64, count: u32) -> Option<Self>;
}

macro_rules! natural_word {
    ($($word:ident)*) => {$(
        impl Natural for $word {
            #[inline]
            fn zero() -> Self {
                0
            }
            #[inline]
            fn one() -> Self {
                1
            }
            #[inline]
            fn from_word(word: u64) -> Option<Self> {
                word.try_into().ok()
            }
            fn from_big(big: &BigUint) -> Option<Self> {
                big.try_into().ok()
            }
            fn to_big(&self) -> BigUint {
                BigUint::from(*self)
            }
            #[inline]
            fn to_word(&self) -> Option<u64> {
                (*self).try_into().ok()
            }
            #[inline]
            fn checked_add(&self, other: &Self) -> Option<Self> {
                $word::checked_add(*self, *other)
            }
            #[inline]
            fn checked_sub(&self, other: &Self) -> Option<Self> {
                $word::checked_sub(*self, *other)
            }
            #[inline]
            fn checked_mul(&self, other: &Self) -> Option<Self> {
                $word::checked_mul(*self, *other)
            }
            #[inline]
            fn div_rem(&self, divisor: &Self) -> (Self, Self) {
                if *divisor == 0 { (0, *self) } else { (*self / *divisor, *self % *divisor) }
            }
            #[inline]
            fn bit_length(&self) -> u64 {
                u64::from($word::BITS - self.leading_zeros())
            }
            #[inline]
            fn append_bits(&self, low: u64, count: u32) -> Option<Self> {
                let low = Self::from_word(low)?;
                if *self == 0 {
                    return Some(low);
                }
                // No set bit is shifted out, and a shift by the whole width is out of the question for
                // self > 0.
                (count <= self.leading_zeros()).then(|| (*self << count) | low)
            }
        }
    )*};
}

natural_word!(u8 u16 u32 u64 u128);

impl Natural for BigUint {
    fn zero() -> Self {
        Zero::zero()
    }
    fn one() -> Self {
        One::one()
    }
    fn from_word(word: u64) -> Option<Self> {
        Some(Self::from(word))
    }
    fn from_big(big: &BigUint) -> Option<Self> {
        Some(big.clone())
    }
    fn to_big(&self) -> BigUint {
        self.clone()
    }
    fn to_word(&self) -> Option<u64> {
        self.to_u64()
    }
    fn checked_add(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }
    fn checked_sub(&self, other: &Self) -> Option<Self> {
        CheckedSub::checked_sub(self, other)
    }
    fn checked_mul(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }
    fn div_rem(&self, divisor: &Self) -> (Self, Self) {
        if divisor.is_zero() { (Zero::zero(), self.clone()) } else { Integer::div_rem(self, divisor) }
    }
    fn bit_length(&self) -> u64 {
        self.bits()
    }
    fn append_bits(&self, low: u64, count: u32) -> Option<Self> {
        Some((self << count) | Self::from(low))
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/exact/natural.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What `N` answers is what big integers answer, or `None` exactly where the big answer does not fit.
    fn agrees_with_big<N: Natural>(a: &N, b: &N, low: u64, count: u32) {
        let (big_a, big_b) = (a.to_big(), b.to_big());
        assert_eq!(a.checked_add(b), N::from_big(&(&big_a + &big_b)));
        assert_eq!(a.checked_mul(b), N::from_big(&(&big_a * &big_b)));
        assert_eq!(a.checked_sub(b).map(|n| n.to_big()), CheckedSub::checked_sub(&big_a, &big_b));
        let (quotient, remainder) = a.div_rem(b);
        assert!(remainder < *b || big_b.is_zero());
        assert_eq!(quotient.to_big() * big_b + remainder.to_big(), big_a);
        assert_eq!(a.bit_length(), big_a.bits());
        assert_eq!(a.append_bits(low, count), N::from_big(&((&big_a << count) + low)));
        assert_eq!(a.to_word(), big_a.to_u64());
    }

    #[test]
    fn bytes_exhaustively() {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                let count = u32::from(b % 10);
                agrees_with_big(&a, &b, u64::from(b) & ((1 << count) - 1), count);
            }
        }
    }

    proptest! {
        #[test]
        fn words(a: u64, b: u64, shift_a in 0u32..64, shift_b in 0u32..64, low: u64, count in 1u32..=64) {
            let (a, b) = (a >> shift_a, b >> shift_b);
            agrees_with_big(&a, &b, low >> (64 - count), count);
            agrees_with_big(&u128::from(a), &(u128::from(b) << shift_a), low >> (64 - count), count);
            agrees_with_big(&BigUint::from(a), &BigUint::from(b), low >> (64 - count), count);
        }
    }
}
