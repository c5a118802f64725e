//! The kernel's words: every operation without a branch is the arithmetic that it says, in place of which it stands.
#![allow(clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;

/// Products, at 8 bits, by twice the width.
fn multiplies(high_product: impl Fn(u8, u8) -> u8, a: u8, b: u8, small: u16) {
    let exact = u16::from(a) * u16::from(b);
    assert!(u16::from(high_product(a, b)) == exact >> 8);
    let (high, low) = Word::product(a, small.into());
    assert!(u64::from(a) * u64::from(small) == high << 8 | u64::from(low));
}

/// Sums, differences, the order and the rest, at 64 bits by twice the width.
fn adds(order: impl Fn(u64, u64) -> (u64, u64), a: u64, b: u64, count: u32) {
    let (carry, sum) = Word::sum(a, b);
    assert!(u128::from(carry) << 64 | u128::from(sum) == u128::from(a) + u128::from(b));
    assert!(Word::sum(Word::minus(a, b), b).1 == a);
    assert!(i128::from(Word::minus_or_zero(a, b)) == (i128::from(a) - i128::from(b)).max(0));
    let (is_less, differs) = order(a, b);
    assert!(is_less == u64::from(a < b) && (differs == 0) == (a == b));
    assert!(Word::low_bit(a) == a % 2 && Word::head(a) == a);
    assert!(<u64 as Word>::from_words(a, b) == a && <u8 as Word>::from_words(a, b) == a.to_be_bytes()[0]);
    // The first digits of a fraction, and its first digits again.
    let digits = a.checked_shr(64 - count).unwrap_or(0);
    let fraction = <u64 as Word>::fraction(digits, count);
    assert!(Word::shifted(fraction, (64 - count).into()) == digits && fraction << count == 0);
}

/// Products by halves of 4 bits, at 8 bits: a high product is rounded down by less than 3 units, and a product is exact.
fn multiplies_by_halves(high_product: impl Fn(u128, u128) -> u128, a: u8, b: u8, small: u8) {
    let (x, y) = (u128::from(a), u128::from(b));
    let (floor, rounded) = ((u16::from(a) * u16::from(b)) >> 8, high_product(x, y));
    assert!(rounded <= floor.into() && u128::from(floor) < rounded + u128::from(<u128 as Word>::SLACK));
    let (high, low) = product_by_halves::<4>(x, small.into());
    assert!(high < 16 && low < 256 && high << 8 | low == u128::from(u16::from(a) * u16::from(small)));
}

/// A word times a small number, by sums of the word.
#[cfg(test)]
fn multiplies_by_small(a: u64, b: u128, small: u64) {
    let (mut sum, mut low, mut carries) = (0u128, 0u128, 0u64);
    for _ in 0..small {
        sum += u128::from(a);
        let carry;
        (low, carry) = low.overflowing_add(b);
        carries += u64::from(carry);
    }
    let (high, rest) = Word::product(a, small);
    assert!(u128::from(high) << 64 | u128::from(rest) == sum);
    assert!(Word::product(b, small) == (carries, low));
}

/// Sums, differences, the order and the rest, at 128 bits.
fn adds_double(order: impl Fn(u128, u128) -> (u64, u64), a: u128, b: u128, count: u32) {
    let (carry, sum) = Word::sum(a, b);
    assert!(carry == u64::from(a.checked_add(b).is_none()) && Word::minus(sum, b) == a);
    assert!(Word::minus_or_zero(a, b) == a.saturating_sub(b));
    // Of numbers of 127 bits.
    let (is_less, differs) = order(a >> 1, b >> 1);
    assert!(is_less == u64::from(a >> 1 < b >> 1) && (differs == 0) == (a >> 1 == b >> 1));
    assert!(Word::low_bit(a) == u64::from(a % 2 == 1));
    // Two words, the first of which is the head; and a number of 64 bits in finer units.
    let (high, low) = halves::<64>(a);
    assert!(high << 64 | low == a && low >> 64 == 0);
    assert!(u128::from(Word::head(a)) == high);
    assert!(<u128 as Word>::from_words(high as u64, low as u64) == a);
    let short = <u128 as Word>::from_short(low as u64);
    assert!(Word::shifted(short, u64::from(64 - <u128 as Word>::SHORT_SHIFT)) == low && short & 0x3fff == 0);
    // The first digits of a fraction, and its first digits again.
    let digits = (high as u64).checked_shr(64 - count).unwrap_or(0);
    let fraction = <u128 as Word>::fraction(digits, count);
    assert!(Word::shifted(fraction, (128 - count).into()) == digits.into() && fraction << count == 0);
}

/// Planted: the first cross product is left out.
#[cfg(any(test, certus_controls))]
fn without_a_cross_product(a: u128, b: u128) -> u128 {
    let ((a, b), (c, _)) = (halves::<4>(a), halves::<4>(b));
    a * c + ((b * c) >> 4)
}

/// Planted: the sign of the low half.
#[cfg(any(test, certus_controls))]
fn by_the_low_half(a: u128, b: u128) -> (u64, u64) {
    let difference = a.wrapping_sub(b);
    ((difference >> 63) as u64 & 1, Word::order(a, b).1)
}

/// Planted: rounded up.
#[cfg(any(test, certus_controls))]
fn rounded_up(a: u8, b: u8) -> u8 {
    (u16::from(a) * u16::from(b)).div_ceil(256) as u8
}

/// Planted: equal words are in order.
#[cfg(any(test, certus_controls))]
fn at_most(a: u64, b: u64) -> (u64, u64) {
    (u64::from(a <= b), a ^ b)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ words of 8 bits and factors of 16.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_word_products_u8() {
        multiplies(Word::high_product, kani::any(), kani::any(), kani::any());
    }

    /// ∀ words of 8 bits in halves of 4, and factors of 4: the text that ships with halves of 64.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_word_products_by_halves_u8() {
        let small: u8 = kani::any();
        kani::assume(small < 16);
        multiplies_by_halves(high_product_by_halves::<4>, kani::any(), kani::any(), small);
    }

    /// ∀ words of 128 bits, fractions of 1 to 63 digits.
    #[kani::proof]
    #[kani::solver(kissat)]
    fn verify_word_sums_u128() {
        let (a, b, count): (u128, u128, u32) = (kani::any(), kani::any(), kani::any());
        kani::assume(1 <= count && count < 64);
        adds_double(Word::order, a, b, count);
        kani::cover!(a == b, "equal");
        kani::cover!(a == u128::MAX && b == 1, "a carry");
    }

    /// ∀ words of 64 bits, fractions of 1 to 63 digits.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_word_sums_u64() {
        let (a, b, count): (u64, u64, u32) = (kani::any(), kani::any(), kani::any());
        kani::assume(1 <= count && count < 64);
        adds(Word::order, a, b, count);
        kani::cover!(a == b, "equal");
        kani::cover!(a == u64::MAX && b == 1, "a carry");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_word_products_rounded_up() {
        multiplies(rounded_up, kani::any(), kani::any(), 1);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_word_products_without_a_half() {
        multiplies_by_halves(without_a_cross_product, kani::any(), kani::any(), 1);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(kissat)]
    fn refute_word_order_by_the_low_half() {
        adds_double(by_the_low_half, kani::any(), kani::any(), 1);
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_word_order_at_most() {
        adds(at_most, kani::any(), kani::any(), 1);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                multiplies(Word::high_product, a, b, u16::from(a) * u16::from(b));
                adds(Word::order, a.into(), b.into(), 1 + u32::from(b) % 63);
                multiplies_by_halves(high_product_by_halves::<4>, a, b, b % 16);
                adds_double(Word::order, u128::from(a) << 60, u128::from(b) << 60, 1 + u32::from(b) % 63);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_product_is_seen() {
        multiplies(rounded_up, 1, 1, 1);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_half_left_out_is_seen() {
        multiplies_by_halves(without_a_cross_product, 255, 255, 1);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn an_order_of_the_low_half_is_seen() {
        adds_double(by_the_low_half, 1 << 64, 0, 1);
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_order_is_seen() {
        adds(at_most, 3, 3, 1);
    }

    proptest! {
        #[test]
        fn doubles(a: u128, b: u128, count in 1u32..64, small in 0u64..16) {
            adds_double(Word::order, a, b, count);
            adds_double(Word::order, a, a, count);
            multiplies_by_small(a as u64, b, small);
        }

        #[test]
        fn words(a: u64, b: u64, count in 1u32..64) {
            adds(Word::order, a, b, count);
            adds(Word::order, a, a, count);
        }
    }
}
