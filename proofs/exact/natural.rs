//! Words: every operation is exact, or nothing exactly where the width does not hold the answer. Nothing wraps.

use super::*;

/// Sum, difference and product against twice the width.
fn is_checked(a: u8, b: u8) {
    let (x, y) = (u16::from(a), u16::from(b));
    assert!(Natural::checked_add(&a, &b).map(u16::from) == Some(x + y).filter(|sum| *sum < 256));
    assert!(Natural::checked_sub(&a, &b) == if a >= b { Some(a - b) } else { None });
    assert!(Natural::checked_mul(&a, &b).map(u16::from) == Some(x * y).filter(|product| *product < 256));
}

/// self = q·divisor + r with r < divisor, or q = 0 and r = self where the divisor is 0.
fn divides(a: u8, b: u8) {
    let (q, r) = Natural::div_rem(&a, &b);
    assert!(u16::from(q) * u16::from(b) + u16::from(r) == u16::from(a));
    assert!(if b == 0 { q == 0 } else { r < b });
}

/// 2^(length − 1) ≤ word < 2^length, or both are 0.
fn has_its_length(word: u64, length: u64) {
    assert!(length <= 64);
    assert!(if length == 0 { word == 0 } else { word >> (length - 1) == 1 });
}

/// self·2^count + low, by twice the width; nothing exactly where 64 bits do not hold it.
fn appends(append: impl Fn(&u64, u64, u32) -> Option<u64>, word: u64, low: u64, count: u32) {
    let fits = word == 0 || count <= 64 && (u128::from(word) << count) >> 64 == 0;
    assert!(append(&word, low, count) == if fits { Some(word.checked_shl(count).unwrap_or(0) | low) } else { None });
}

/// Planted: shifts bits out.
#[cfg(any(test, certus_controls))]
fn shifting_out(word: &u64, low: u64, count: u32) -> Option<u64> {
    Some(word.checked_shl(count).unwrap_or(0) | low)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ numbers of 8 bits.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_checked_u8() {
        is_checked(kani::any(), kani::any());
    }

    /// ∀ numbers of 8 bits, a divisor of 0 included.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_div_rem_u8() {
        let b: u8 = kani::any();
        divides(kani::any(), b);
        kani::cover!(b == 0, "by zero");
    }

    /// ∀ words of 64 bits.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bit_length_u64() {
        let word: u64 = kani::any();
        has_its_length(word, word.bit_length());
        kani::cover!(word == 0, "zero");
    }

    fn any_low() -> (u64, u32) {
        let (low, count): (u64, u32) = (kani::any(), kani::any());
        kani::assume(low.checked_shr(count).unwrap_or(0) == 0);
        (low, count)
    }

    /// ∀ words of 64 bits, counts, and low parts of so many.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_append_bits_u64() {
        let (word, (low, count)): (u64, _) = (kani::any(), any_low());
        appends(Natural::append_bits, word, low, count);
        kani::cover!(word == 0 && count == 64, "a whole word");
        kani::cover!(word == 1 && count == 63, "the last that fits");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_append_bits_shifting_out() {
        let (word, (low, count)): (u64, _) = (kani::any(), any_low());
        appends(shifting_out, word, low, count);
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
                is_checked(a, b);
                divides(a, b);
            }
            has_its_length(a.into(), u64::from(a).bit_length());
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        appends(shifting_out, 1 << 63, 0, 1);
    }

    proptest! {
        #[test]
        fn words(word: u64, narrow in 0u32..=64, low: u64, count in 0u32..=64) {
            let word = word.checked_shr(narrow).unwrap_or(0);
            has_its_length(word, word.bit_length());
            appends(Natural::append_bits, word, low.checked_shr(64 - count).unwrap_or(0), count);
        }
    }
}
