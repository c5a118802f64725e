//! Enumeration: the strings follow each other in order and none is left out, so that the prefixes of all runs partition the tapes.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;

/// After a run that read `used` bits, the next string begins with the next number of as many bits, and zeros; there is none after all ones.
fn goes_on_to_the_next(advance: impl Fn(&mut Enumeration) -> bool, path: u64, used: u32) {
    let mut tapes = Enumeration { path, used, depth: 64 };
    let number = path.checked_shr(64 - used).unwrap_or(0);
    let greatest = u64::MAX.checked_shr(64 - used).unwrap_or(0);
    if advance(&mut tapes) {
        assert!(number < greatest && tapes.used == 0);
        assert!(tapes.path.checked_shr(64 - used).unwrap_or(0) == number + 1);
        assert!(tapes.path.checked_shl(used).unwrap_or(0) == 0);
    } else {
        assert!(number == greatest);
    }
}

/// Planted: skips the strings below a one.
#[cfg(any(test, certus_controls))]
fn skipping(tapes: &mut Enumeration) -> bool {
    tapes.advance() && tapes.advance()
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    fn any_run() -> (u64, u32) {
        let (path, used): (u64, u32) = (kani::any(), kani::any());
        kani::assume(used <= 64 && path.checked_shl(used).unwrap_or(0) == 0);
        (path, used)
    }

    /// ∀ strings of up to 64 bits, of which a run read all.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_advance() {
        let (path, used) = any_run();
        goes_on_to_the_next(Enumeration::advance, path, used);
        kani::cover!(used == 0, "nothing was read");
        kani::cover!(used == 64 && path == u64::MAX, "the last of 64 bits");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_advance_skipping() {
        let (path, used) = any_run();
        goes_on_to_the_next(skipping, path, used);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for used in 0..=8 {
            for number in 0..1u64 << used {
                goes_on_to_the_next(Enumeration::advance, number.checked_shl(64 - used).unwrap_or(0), used);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        goes_on_to_the_next(skipping, 0, 3);
    }

    proptest! {
        #[test]
        fn words(number: u64, used in 0u32..=64) {
            let number = number.checked_shr(64 - used).unwrap_or(0);
            goes_on_to_the_next(Enumeration::advance, number.checked_shl(64 - used).unwrap_or(0), used);
        }
    }
}
