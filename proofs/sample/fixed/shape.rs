//! The sign of fixed-work noise: without a branch, and right; negative zero is told from every other number.

use super::*;

/// ±magnitude, and whether sign and magnitude write a number that no other pair writes.
fn has_its_sign(signed: impl Fn(u64, u64) -> (i64, u64), magnitude: i64, negative: bool) {
    let expected = if negative { -magnitude } else { magnitude };
    let (noise, counts) = signed(magnitude.unsigned_abs(), negative.into());
    assert!(noise == expected);
    assert!(counts == u64::from(!(negative && magnitude == 0)));
}

/// Planted: the complement, one off.
#[cfg(any(test, certus_controls))]
fn complement(magnitude: u64, negative: u64) -> (i64, u64) {
    ((magnitude ^ negative.wrapping_neg()).cast_signed(), signed(magnitude, negative).1)
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ magnitudes of 63 bits and signs.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_fixed_signed() {
        let (magnitude, negative): (i64, bool) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        has_its_sign(signed, magnitude, negative);
        kani::cover!(magnitude == 0 && negative, "negative zero");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_fixed_signed_complement() {
        let (magnitude, negative): (i64, bool) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        has_its_sign(complement, magnitude, negative);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for magnitude in 0..=255 {
            has_its_sign(signed, magnitude, false);
            has_its_sign(signed, magnitude, true);
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        has_its_sign(complement, 1, true);
    }

    proptest! {
        #[test]
        fn words(magnitude in 0..=i64::MAX, negative: bool) {
            has_its_sign(signed, magnitude, negative);
        }
    }
}
