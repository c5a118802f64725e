//! A table's sign: without a branch, and right.

#![allow(clippy::cast_possible_truncation, reason = "proofs and tests")]

use super::*;

/// ±magnitude by the lowest bit.
fn has_its_sign(signed: impl Fn(u64, u64) -> i64, magnitude: i64, word: u64) {
    let expected = if word & 1 == 1 { -magnitude } else { magnitude };
    assert!(signed(magnitude.unsigned_abs(), word) == expected);
}

/// On 32 bits, too.
fn has_its_sign_on_halves(signed_half: impl Fn(u32, u32) -> i32, magnitude: i32, lower: u32) {
    assert!(
        i64::from(signed_half(magnitude.unsigned_abs(), lower))
            == u64::from(magnitude.unsigned_abs()).signed(lower.into())
    );
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
        has_its_sign(<u64 as Machine>::signed, magnitude, word);
        kani::cover!(magnitude == 0 && word & 1 == 1, "minus zero is zero");
    }

    /// ∀ magnitudes of 31 bits and halves of words: the sign is that of the whole word.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_signed_half() {
        let (magnitude, lower): (i32, u32) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        has_its_sign_on_halves(signed_half, magnitude, lower);
        kani::cover!(magnitude == i32::MAX && lower & 1 == 1, "the least number");
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
    use crate::{
        exact::{Positive, Rational},
        sample::{machine::Short, prepared::inversion::Found},
        symbolic::Words,
    };
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for magnitude in 0..=255 {
            for word in 0..4 {
                has_its_sign(<u64 as Machine>::signed, magnitude, word);
            }
        }
        for magnitude in [0, 1, 2, 255, i32::MAX - 1, i32::MAX] {
            for lower in [0, 1, 2, 3, u32::MAX - 1, u32::MAX] {
                has_its_sign_on_halves(signed_half, magnitude, lower);
            }
        }
    }

    /// What a GPU settles by halves is what the processor settles by words, and nothing else.
    #[test]
    fn halves_of_a_word_settle_what_it_settles() {
        let scale = Positive::new(Rational::new(1000.into(), 1.into())).unwrap();
        let table = Table::<u64, STEPS>::new(Decay::Laplace { scale });
        let mut settled = 0;
        for i in 0..1u64 << 16 {
            // Of every octave.
            let word = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) | !(u64::MAX >> (i % 14));
            let by_halves = table.view().settle_in_halves((word >> 32) as u32, word as u32);
            assert_eq!(by_halves.map(i64::from), table.settle(word, 0), "{word:x}");
            if let Found::Cell(cell) = table.magnitudes.search(word >> 1) {
                assert_eq!(table.view().search(word), Some(cell.signed(word)));
            }
            settled += u32::from(by_halves.is_some());
        }
        assert!(settled > 1 << 15, "{settled}");
    }

    #[test]
    fn integers_have_the_same_sign() {
        for magnitude in 0..=255u64 {
            for word in 0..4 {
                assert_eq!(signed_integer(Integer::from(magnitude), word), Integer::from(magnitude.signed(word)));
            }
        }
    }

    /// Words at a width: what it settles on is the cell of its real, with the sign of its last bit, and what it does not settle on is resolved to that
    /// where the thresholds say which it is. Almost all are settled, but where there are few bits.
    fn words_say_what_the_thresholds_say<W: Machine>(words: impl Iterator<Item = u64>) {
        let scale = Positive::new(Rational::new(3.into(), 2.into())).unwrap();
        let table = Table::<W, STEPS>::new(Decay::Laplace { scale });
        assert_eq!(table.memory(), table.magnitudes.memory());
        let (mut settled, mut all) = (0, 0);
        for word in words {
            let found = table.magnitudes.search(word >> 1);
            let word = W::cut(word);
            let at_once = table.settle(word, W::default());
            if let Found::Cell(cell) = found {
                let expected = W::cut(cell).signed(word);
                assert!(at_once.is_none_or(|answer| answer == expected));
                let resolved = table.resolve(word, W::default(), &mut Words::new([0; 2]));
                assert_eq!(resolved, Ok(Some(Integer::from(expected.into()))));
            } else {
                assert_eq!(at_once, None);
            }
            settled += u32::from(at_once.is_some());
            all += 1;
        }
        assert!(W::BITS < 40 || settled * 100 > all * 99, "{settled} of {all} are settled");
    }

    #[test]
    fn words_of_three_widths() {
        words_say_what_the_thresholds_say::<Short<8>>(0..256);
        let words = || (0..4096).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        words_say_what_the_thresholds_say::<Short<41>>(words().map(|word| word >> 23));
        words_say_what_the_thresholds_say::<u64>(words());
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        has_its_sign(complement, 1, 1);
    }

    proptest! {
        #[test]
        fn words(magnitude in 0..=i64::MAX, word: u64) {
            has_its_sign(<u64 as Machine>::signed, magnitude, word);
        }
    }
}
