//! A table's sign: without a branch, and right.

use super::*;

/// ±magnitude by the lowest bit.
fn has_its_sign(signed: impl Fn(u64, u64) -> i64, magnitude: i64, word: u64) {
    let expected = if word & 1 == 1 { -magnitude } else { magnitude };
    assert!(signed(magnitude.unsigned_abs(), word) == expected);
}

/// Planted: the complement, one off.
#[cfg(any(test, certus_controls))]
fn complement(magnitude: u64, word: u64) -> i64 {
    (magnitude ^ (word & 1).wrapping_neg()).cast_signed()
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ magnitudes of 63 bits and words.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_table_signed() {
        let (magnitude, word): (i64, u64) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        has_its_sign(signed, magnitude, word);
        kani::cover!(magnitude == 0 && word & 1 == 1, "minus zero is zero");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_table_signed_complement() {
        let (magnitude, word): (i64, u64) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        has_its_sign(complement, magnitude, word);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for magnitude in 0..=255 {
            for word in 0..4 {
                has_its_sign(signed, magnitude, word);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        has_its_sign(complement, 1, 1);
    }

    proptest! {
        #[test]
        fn words(magnitude in 0..=i64::MAX, word: u64) {
            has_its_sign(signed, magnitude, word);
        }
    }
}
