//! The machine words that the kernel runs on: 64 bits as shipped, 128 in the wide mode, 8 to be enumerated in
//! full.

use core::ops::{BitOr, BitXor};

use num_bigint::BigUint;

use crate::sample::{
    Interpreter,
    machine::{Machine, Short},
};

/// A word of the kernel: a uniform number in [0, 1), in units of 2^-`BITS`.
///
/// Every operation takes the same time whatever the numbers are, on processors whose multiplication does.
pub trait Word:
    Copy
    + Ord
    + Default
    + Send
    + Sync
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + core::fmt::Debug
    + 'static
    + sealed::Sealed
{
    /// The number of bits.
    const BITS: u32;
    /// The machine word that the noise is assembled on.
    type Machine: Machine;
    /// The largest word.
    const MAX: Self;
    /// The tables end where at most about 2^-`TAIL` of the mass is beyond them.
    const TAIL: u32;
    /// log2 of the fewest buckets that a scale is divided into.
    const FEWEST: u32;
    /// How many bits the exact path adds to a uniform number that it must know better.
    const STEP: u32;
    /// The lower coefficients of the polynomial for 2^-f, in units of 2^-BITS.
    type Coefficients: Clone + Ord + Send + Sync + AsRef<[Self]> + core::fmt::Debug + for<'a> TryFrom<&'a [Self]>;
    /// Their number.
    const COEFFICIENTS: usize;
    /// The higher coefficients, for which 64 bits are enough; in units of 2^-(64 + SHORT_SHIFT).
    type Short: Clone + Ord + Send + Sync + AsRef<[u64]> + core::fmt::Debug + for<'a> TryFrom<&'a [u64]>;
    /// Their number.
    const SHORT: usize;
    /// See there.
    const SHORT_SHIFT: u32;
    /// The polynomial is that of 2^(-f/2^SQUARINGS), and is squared this often.
    const SQUARINGS: u32;
    /// A product is rounded down by less than this many units.
    const SLACK: u32;

    /// The word as a big integer.
    fn to_big(self) -> BigUint;
    /// The big integer as a word, if it fits.
    fn from_big(big: &BigUint) -> Option<Self>;
    /// self·other/2^BITS rounded down, by less than `SLACK`.
    fn high_product(self, other: Self) -> Self;
    /// The first 64 bits, if there are more.
    fn head(self) -> u64;
    /// A number in units of 2^-(64 + SHORT_SHIFT) in those of 2^-BITS, for words of more than 64 bits.
    fn from_short(short: u64) -> Self;
    /// self·small as (⌊·/2^BITS⌋, the rest).
    fn product(self, small: u64) -> (u64, Self);
    /// self + other as (carry, the rest).
    fn sum(self, other: Self) -> (u64, Self);
    /// self − other, modulo 2^BITS.
    fn minus(self, other: Self) -> Self;
    /// (1 if self < other and 0 otherwise, 0 if self = other and a positive number otherwise), both below
    /// 2^(BITS−1).
    fn order(self, other: Self) -> (u64, u64);
    /// max(self − other, 0).
    fn minus_or_zero(self, other: Self) -> Self;
    /// ⌊self/2^count⌋ for count < BITS.
    fn shifted(self, count: u64) -> Self;
    /// The least significant bit.
    fn low_bit(self) -> u64;
    /// The fraction whose first `count` < min(64, BITS) binary digits are `digits`, and the others 0.
    fn fraction(digits: u64, count: u32) -> Self;
    /// A uniform word.
    ///
    /// # Errors
    ///
    /// If there are no bits.
    fn draw<I: Interpreter>(on: &mut I) -> Result<Self, I::Error>;
    /// `count` < 64 uniform bits.
    ///
    /// # Errors
    ///
    /// If there are no bits.
    fn draw_digits<I: Interpreter>(on: &mut I, count: u32) -> Result<u64, I::Error>;
    /// How many 64-bit words a word takes from a source in bulk.
    const FROM: usize;
    /// The word from those.
    fn from_words(high: u64, low: u64) -> Self;
}

/// The signed machine word of the noise.
pub type Noise<W> = <<W as Word>::Machine as Machine>::Signed;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}

/// What is the same on every word.
macro_rules! word {
    ($word:ty) => {
        const BITS: u32 = <$word>::BITS;
        const MAX: Self = <$word>::MAX;

        fn to_big(self) -> BigUint {
            BigUint::from(self)
        }

        fn from_big(big: &BigUint) -> Option<Self> {
            Self::try_from(big).ok()
        }

        #[inline]
        fn sum(self, other: Self) -> (u64, Self) {
            let (sum, carry) = self.overflowing_add(other);
            (u64::from(carry), sum)
        }

        #[inline]
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }

        #[inline]
        fn minus_or_zero(self, other: Self) -> Self {
            self.saturating_sub(other)
        }

        #[inline]
        #[expect(clippy::cast_possible_truncation, reason = "the count is below BITS")]
        fn shifted(self, count: u64) -> Self {
            self.wrapping_shr(count as u32)
        }
    };
}

/// Products of words that 128 bits hold twice: the same text at 8 bits and at 64.
macro_rules! products_in_a_double {
    () => {
        #[inline]
        #[allow(clippy::cast_possible_truncation, reason = "the high half is meant, which fits")]
        fn high_product(self, other: Self) -> Self {
            ((u128::from(self) * u128::from(other)) >> Self::BITS) as Self
        }

        #[inline]
        #[expect(clippy::cast_possible_truncation, reason = "the low part is meant, and the high part fits")]
        fn product(self, small: u64) -> (u64, Self) {
            let product = u128::from(self) * u128::from(small);
            ((product >> Self::BITS) as u64, product as Self)
        }
    };
}

impl Word for u8 {
    word!(u8);
    products_in_a_double!();
    // A scale below 64 settles on magnitudes below 2^8; the exact path passes them.
    type Machine = Short<9>;
    const TAIL: u32 = 5;
    const FEWEST: u32 = 1;
    const STEP: u32 = 1;
    type Coefficients = [u8; 5];
    const COEFFICIENTS: usize = 5;
    type Short = [u64; 0];
    const SHORT: usize = 0;
    const SHORT_SHIFT: u32 = 0;
    const SQUARINGS: u32 = 0;
    const SLACK: u32 = 1;
    const FROM: usize = 1;

    #[inline]
    fn head(self) -> u64 {
        self.into()
    }

    #[inline]
    fn from_short(_: u64) -> Self {
        0
    }

    #[inline]
    fn order(self, other: Self) -> (u64, u64) {
        (u64::from(self < other), (self ^ other).into())
    }

    #[inline]
    fn low_bit(self) -> u64 {
        u64::from(self & 1)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "fewer than 8 digits fit 8 bits")]
    fn fraction(digits: u64, count: u32) -> Self {
        (digits as u8).wrapping_shl(8 - count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "8 bits were asked for")]
    fn draw<I: Interpreter>(on: &mut I) -> Result<Self, I::Error> {
        Ok(on.bits(8)? as u8)
    }

    /// Exactly the bits asked for: every one that is drawn doubles the enumeration.
    fn draw_digits<I: Interpreter>(on: &mut I, count: u32) -> Result<u64, I::Error> {
        on.bits(count)
    }

    #[inline]
    fn from_words(high: u64, _: u64) -> Self {
        (high >> 56) as u8
    }
}

impl Word for u64 {
    word!(u64);
    products_in_a_double!();
    type Machine = u64;
    const TAIL: u32 = 57;
    const FEWEST: u32 = 1;
    const STEP: u32 = 64;
    type Coefficients = [u64; 12];
    const COEFFICIENTS: usize = 12;
    type Short = [u64; 0];
    const SHORT: usize = 0;
    const SHORT_SHIFT: u32 = 0;
    const SQUARINGS: u32 = 0;
    const SLACK: u32 = 1;
    const FROM: usize = 1;

    #[inline]
    fn head(self) -> u64 {
        self
    }

    #[inline]
    fn from_short(_: u64) -> Self {
        0
    }

    #[inline]
    fn order(self, other: Self) -> (u64, u64) {
        (u64::from(self < other), self ^ other)
    }

    #[inline]
    fn low_bit(self) -> u64 {
        self & 1
    }

    #[inline]
    fn fraction(digits: u64, count: u32) -> Self {
        digits.wrapping_shl(64 - count)
    }

    #[inline]
    fn draw<I: Interpreter>(on: &mut I) -> Result<Self, I::Error> {
        on.bits(64)
    }

    /// The first bits of a whole word: a source that hands out words stays in step.
    #[inline]
    fn draw_digits<I: Interpreter>(on: &mut I, count: u32) -> Result<u64, I::Error> {
        Ok(on.bits(64)?.wrapping_shr(64 - count))
    }

    #[inline]
    fn from_words(high: u64, _: u64) -> Self {
        high
    }
}

/// The halves of a word of two halves of HALF bits: 64 as shipped.
#[inline]
fn halves<const HALF: u32>(word: u128) -> (u128, u128) {
    (word >> HALF, word & ((1 << HALF) - 1))
}

/// (a·H + b)(c·H + d)/H² = ac + (ad + bc)/H + bd/H², with H = 2^HALF: the last is left out, and each of the
/// two before it is rounded down. The sum is at most the whole product's, so it is below H².
#[inline]
fn high_product_by_halves<const HALF: u32>(word: u128, other: u128) -> u128 {
    let ((a, b), (c, d)) = (halves::<HALF>(word), halves::<HALF>(other));
    a.wrapping_mul(c).wrapping_add(a.wrapping_mul(d) >> HALF).wrapping_add(b.wrapping_mul(c) >> HALF)
}

/// word·small as (⌊·/H²⌋, the rest), for small < H = 2^HALF.
#[inline]
fn product_by_halves<const HALF: u32>(word: u128, small: u128) -> (u128, u128) {
    let (high, low) = halves::<HALF>(word);
    let (carry, low) = halves::<HALF>(low.wrapping_mul(small));
    let (whole, middle) = halves::<HALF>(high.wrapping_mul(small).wrapping_add(carry));
    (whole, middle << HALF | low)
}

impl Word for u128 {
    word!(u128);
    type Machine = u64;
    const TAIL: u32 = 104;
    const FEWEST: u32 = 1;
    const STEP: u32 = 64;
    type Coefficients = [u128; 9];
    const COEFFICIENTS: usize = 9;
    type Short = [u64; 5];
    const SHORT: usize = 5;
    const SHORT_SHIFT: u32 = 50;
    const SQUARINGS: u32 = 3;
    const SLACK: u32 = 3;
    const FROM: usize = 2;

    #[inline]
    fn high_product(self, other: Self) -> Self {
        high_product_by_halves::<64>(self, other)
    }

    #[inline]
    fn head(self) -> u64 {
        (self >> 64) as u64
    }

    #[inline]
    fn from_short(short: u64) -> Self {
        u128::from(short) << (64 - Self::SHORT_SHIFT)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the high part is below `small`")]
    fn product(self, small: u64) -> (u64, Self) {
        let (whole, rest) = product_by_halves::<64>(self, small.into());
        (whole as u64, rest)
    }

    /// One subtraction says both: numbers of 127 bits differ by less than 2^127, so the sign is the top bit.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "each half of 128 bits is 64 bits")]
    fn order(self, other: Self) -> (u64, u64) {
        let difference = self.wrapping_sub(other);
        let (high, low) = ((difference >> 64) as u64, difference as u64);
        (high >> 63, high | low)
    }

    #[inline]
    fn low_bit(self) -> u64 {
        (self & 1) as u64
    }

    #[inline]
    fn fraction(digits: u64, count: u32) -> Self {
        u128::from(digits).wrapping_shl(128 - count)
    }

    #[inline]
    fn draw<I: Interpreter>(on: &mut I) -> Result<Self, I::Error> {
        let high = on.bits(64)?;
        Ok(Self::from_words(high, on.bits(64)?))
    }

    #[inline]
    fn draw_digits<I: Interpreter>(on: &mut I, count: u32) -> Result<u64, I::Error> {
        u64::draw_digits(on, count)
    }

    #[inline]
    fn from_words(high: u64, low: u64) -> Self {
        u128::from(high) << 64 | u128::from(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<W: Word>(a: W, b: W, small: u64) {
        let product = a.to_big() * b.to_big();
        let (floor, rounded) = (product >> W::BITS, a.high_product(b).to_big());
        assert!(rounded <= floor && &floor - &rounded < W::SLACK.into());
        let (whole, rest) = a.product(small);
        assert_eq!((BigUint::from(whole) << W::BITS) + rest.to_big(), a.to_big() * small);
        let (carry, rest) = a.sum(b);
        assert_eq!((BigUint::from(carry) << W::BITS) + rest.to_big(), a.to_big() + b.to_big());
        assert_eq!(W::from_big(&a.to_big()), Some(a));
    }

    proptest! {
        #[test]
        fn words_calculate(a: u128, b: u128, edge_a in 0..4u8, edge_b in 0..4u8, small in 0u64..1 << 20) {
            let at_edge = |word: u128, edge| match edge { 0 => u128::MAX, 1 => word | u128::MAX << 64, 2 => word & u128::MAX >> 64, _ => word };
            let (a, b) = (at_edge(a, edge_a), at_edge(b, edge_b));
            check(a, b, small);
            let (a64, b64) = ((a & u128::from(u64::MAX)).try_into().unwrap(), (b & u128::from(u64::MAX)).try_into().unwrap());
            check::<u64>(a64, b64, small);
            let (a8, b8) = ((a & 255).try_into().unwrap(), (b & 255).try_into().unwrap());
            check::<u8>(a8, b8, small);
            prop_assert_eq!(u64::fraction(5, 4), 5 << 60);
            prop_assert_eq!(u128::fraction(5, 4), 5 << 124);
            prop_assert_eq!(u8::fraction(5, 4), 5 << 4);
        }
    }
}

#[cfg(any(kani, test))]
#[path = "../../../proofs/sample/fixed/word.rs"]
mod proofs;
