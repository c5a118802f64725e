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
    fn a_planted_order_is_seen() {
        adds(at_most, 3, 3, 1);
    }

    proptest! {
        #[test]
        fn words(a: u64, b: u64, count in 1u32..64) {
            adds(Word::order, a, b, count);
            adds(Word::order, a, a, count);
        }
    }
}
