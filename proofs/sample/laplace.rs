//! Laplace noise: sign and magnitude cover every integer once, zero included.

use super::*;

/// Negative zero is nothing; any other sign and magnitude is the integer that they write, and no other pair is.
fn is_that_integer(sign: impl Fn(Integer, bool) -> Option<Integer>, magnitude: i64, negative: bool) {
    let signed = sign(Integer::from(magnitude), negative);
    if negative && magnitude == 0 {
        assert!(signed.is_none());
    } else {
        let expected = if negative { -magnitude } else { magnitude };
        let signed = signed.and_then(|signed| signed.to_i64());
        assert_eq!(signed, Some(expected));
        // The pair can be read off it: the map is one to one. And every integer but the least is met, by its own sign and magnitude.
        assert_eq!(signed.map(|signed| (signed.abs(), signed < 0)), Some((magnitude, negative)));
    }
}

/// Planted: keeps the negative zero, so that zero is drawn twice as often.
#[cfg(any(test, certus_controls))]
fn doubling(magnitude: Integer, negative: bool) -> Option<Integer> {
    Some(if negative { magnitude.neg() } else { magnitude })
}

#[cfg(kani)]
mod harnesses {
    use super::*;

    /// ∀ magnitudes of 63 bits and signs.
    #[kani::proof]
    #[kani::unwind(2)] // no magnitude here leaves the word, so no list of digits is walked
    #[kani::solver(minisat)]
    fn verify_signed() {
        let (magnitude, negative): (i64, bool) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        is_that_integer(signed, magnitude, negative);
        kani::cover!(negative && magnitude == 0, "negative zero");
        kani::cover!(negative && magnitude == i64::MAX, "the edge of the word");
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(2)]
    #[kani::solver(minisat)]
    fn refute_signed_doubling() {
        let (magnitude, negative): (i64, bool) = (kani::any(), kani::any());
        kani::assume(magnitude >= 0);
        is_that_integer(doubling, magnitude, negative);
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use crate::symbolic::Answers;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for magnitude in 0..=255 {
            is_that_integer(signed, magnitude, false);
            is_that_integer(signed, magnitude, true);
        }
    }

    /// A trial draws one bit after the magnitude, of which 1 is minus; and starts again at negative zero.
    #[test]
    fn a_bit_is_the_sign() {
        let kernel = Kernel::<u8> { magnitude: geometric::Kernel::narrow(&5u32.into(), &2u32.into()).unwrap() };
        for magnitude in 0..=255i64 {
            for negative in [false, true] {
                let mut on = Answers::<geometric::Kernel<u8>>::tape(u128::from(negative) << 127);
                on.output = Some(Integer::from(magnitude));
                let outcome = kernel.step((), &mut on);
                let expected = if negative { -magnitude } else { magnitude };
                let expected = if negative && magnitude == 0 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(Integer::from(expected))
                };
                assert_eq!((outcome, on.drawn, on.calls), (Ok(expected), 1, 1));
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        is_that_integer(doubling, 0, true);
    }

    proptest! {
        #[test]
        fn words(magnitude in 0..=i64::MAX, negative: bool) {
            is_that_integer(signed, magnitude, negative);
        }
    }
}
