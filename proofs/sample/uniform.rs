//! Uniform below n: in range, and exactly uniform, since an accepted word is its own output and every value has one word.
#![allow(clippy::panic, clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "proofs and tests")]

use super::*;
use crate::symbolic::{Answers, Words};

/// One trial on a tape draws as many bits as n − 1 has, as one word, and accepts it as the output iff it is below n.
///
/// So every value below n is the output of one word and no other, and n > 2^(bits − 1) makes the acceptance at least ½.
fn accepts_words_below<P: Program<State = ()>>(trial: &P, bound: u128, tape: u128)
where
    P::Output: Into<u128>,
{
    let bits = 128 - (bound - 1).leading_zeros();
    let word = tape.checked_shr(128 - bits).unwrap_or(0);
    let mut on = Answers::<Kernel<u8>>::tape(tape);
    let outcome = trial.step((), &mut on);
    assert_eq!(on.drawn, bits);
    assert!(bits == 0 || bound > 1 << (bits - 1));
    match outcome {
        Ok(ControlFlow::Break(value)) => {
            let value: u128 = value.into();
            assert!(word < bound && value == word);
        }
        Ok(ControlFlow::Continue(())) => assert!(word >= bound),
        Err(_) => panic!("bits were there"),
    }
}

/// The number of words, of so many bits, from which a trial makes `value`.
fn words_of<P: Program<State = (), Output = u8>>(trial: &P, bits: u32, value: u8) -> u32 {
    let mut count = 0;
    let mut word = 0u64;
    while word < 1 << bits {
        if accepted(trial, bits, word) == Some(value) {
            count += 1;
        }
        word += 1;
    }
    count
}

/// What a trial accepts a word of so many bits as.
fn accepted<P: Program<State = ()>>(trial: &P, bits: u32, word: u64) -> Option<P::Output> {
    let mut on = Words::new([word.checked_shl(64 - bits).unwrap_or(0), 0]);
    match trial.step((), &mut on) {
        Ok(ControlFlow::Break(value)) => Some(value),
        _ => None,
    }
}

/// Accepted words and values below n are in bijection, so that every value is as likely as any other: what is accepted is below n, two different words are
/// not accepted as one value, and every value below n has a word.
fn is_a_bijection<P: Program<State = ()>>(trial: &P, bound: u64, [word, other]: [u64; 2], value: u64)
where
    P::Output: Into<u64> + Clone,
{
    let bits = 64 - (bound - 1).leading_zeros();
    let greatest = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
    let of = |word| accepted(trial, bits, word).map(Into::<u64>::into);
    if word <= greatest
        && other <= greatest
        && let Some(output) = of(word)
    {
        assert!(output < bound);
        assert!(word == other || of(other) != Some(output));
    }
    assert!(value >= bound || of(value) == Some(value));
}

/// One trial of more than 64 bits draws the word in two parts, the higher first.
fn accepts_two_words<P: Program<State = (), Output = u128>>(trial: &P, bound: u128, words: [u64; 2]) {
    let bits = 128 - (bound - 1).leading_zeros();
    let (first, second) = (bits.min(64), bits.saturating_sub(64));
    let high = words[0].checked_shr(64 - first).unwrap_or(0);
    let low = words[1].checked_shr(64 - second).unwrap_or(0);
    let word = u128::from(high) << second | u128::from(low);
    let mut on = Words::new(words);
    let outcome = trial.step((), &mut on);
    assert!(on.drawn == bits);
    match outcome {
        Ok(ControlFlow::Break(value)) => assert!(word < bound && value == word),
        Ok(ControlFlow::Continue(())) => assert!(word >= bound),
        Err(_) => panic!("bits were there"),
    }
}

/// A source that fails gives no output, unless none is needed.
fn fails_with_its_source<P: Program<State = ()>>(trial: &P, bound: u128) {
    let outcome = trial.step((), &mut Answers::<Kernel<u8>>::none());
    assert_eq!(outcome.is_err(), bound > 1);
}

/// Planted: the remainder of a word, which favours small values.
#[cfg(any(test, certus_controls))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Modulo(Kernel<u8>);

#[cfg(any(test, certus_controls))]
impl Program for Modulo {
    type State = ();
    type Output = u8;
    fn start(&self) {}
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let word = on.bits(self.0.bits as u32)? as u8;
        Ok(ControlFlow::Break(word % self.0.bound))
    }
}

/// Planted: accepts n itself.
#[cfg(any(test, certus_controls))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct AtMost(Kernel<u8>);

#[cfg(any(test, certus_controls))]
impl Program for AtMost {
    type State = ();
    type Output = u8;
    fn start(&self) {}
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let word = on.bits(self.0.bits as u32)? as u8;
        Ok(if word <= self.0.bound { ControlFlow::Break(word) } else { ControlFlow::Continue(()) })
    }
}

#[cfg(kani)]
mod harnesses {
    use super::*;
    use crate::{sample::program::Execution, symbolic::Symbolic};

    fn any_bound<N: kani::Arbitrary + Ord + Natural>() -> N {
        let bound: N = kani::any();
        kani::assume(bound > N::zero());
        bound
    }

    /// ∀ n ≥ 1 of 8 bits, every tape.
    #[kani::proof]
    #[kani::unwind(2)] // one word of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_step_u8() {
        let bound: u8 = any_bound();
        let tape: u128 = kani::any();
        accepts_words_below(&Kernel::new(bound), bound.into(), tape);
        kani::cover!(bound == 255 && tape >> 120 == 255, "a rejected word");
        kani::cover!(bound == 1, "no bits at all");
    }

    /// ∀ n ≥ 1 of 64 bits, every tape. Slow.
    #[kani::proof]
    #[kani::unwind(2)] // one word of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_step_u64() {
        let bound: u64 = any_bound();
        let tape: u128 = kani::any();
        accepts_words_below(&Kernel::new(bound), bound.into(), tape);
        kani::cover!(bound == u64::MAX && tape >> 64 == u64::MAX.into(), "a rejected word");
        kani::cover!(bound.is_power_of_two(), "a power of two");
    }

    /// ∀ n ≥ 1 of 128 bits, every two words. Slow.
    #[kani::proof]
    #[kani::unwind(3)] // two words of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_step_u128() {
        let bound: u128 = any_bound();
        accepts_two_words(&Kernel::new(bound), bound, kani::any());
        kani::cover!(bound > 1 << 64, "two words");
        kani::cover!(bound == 1 << 64, "one whole word");
    }

    /// ∀ n ≥ 1 of 8 bits, every two words, every value: each value below n has exactly one accepted word.
    #[kani::proof]
    #[kani::unwind(2)] // one word of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_bijection_u8() {
        let bound: u8 = any_bound();
        let (words, value): ([u8; 2], u8) = (kani::any(), kani::any());
        is_a_bijection(&Kernel::new(bound), bound.into(), [words[0].into(), words[1].into()], value.into());
        kani::cover!(bound == 255 && words[0] == 254 && words[1] == 255, "accepted beside rejected");
    }

    /// ∀ n ≥ 1 of 64 bits, every two words, every value: each value below n has exactly one accepted word. Slow.
    #[kani::proof]
    #[kani::unwind(2)] // one word of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_bijection_u64() {
        let bound: u64 = any_bound();
        is_a_bijection(&Kernel::new(bound), bound, kani::any(), kani::any());
    }

    /// n = 1, 2, …, 8, all words counted, ∀ values: one word each below n, and none for the others. Slow.
    #[kani::proof]
    #[kani::unwind(10)] // 8 bounds, 8 words
    #[kani::solver(minisat)]
    fn verify_uniform_counts_u3() {
        let value: u8 = kani::any();
        let (mut bound, mut bits) = (1u8, 0u32);
        while bound <= 8 {
            while 1 << bits < bound {
                bits += 1;
            }
            // As `new` makes it, which is a step's own proof; written out, the solver has nothing to unroll.
            let kernel = Kernel { bound, bits: bits.into() };
            assert!(words_of(&kernel, bits, value) == u32::from(value < bound));
            bound += 1;
        }
        kani::cover!(value == 7, "a value of three bits");
    }

    /// ∀ n ≥ 1 of 64 bits, any bits, any failure: a trial's output is in range, or the source's error. A trial leaves no state, so any number of them is alike.
    #[kani::proof]
    #[kani::unwind(2)] // one word of at most 64 bits
    #[kani::solver(minisat)]
    fn verify_uniform_in_range_u64() {
        let bound: u64 = any_bound();
        match Kernel::new(bound).step((), &mut Execution { bits: &mut Symbolic }) {
            Ok(ControlFlow::Break(value)) => {
                assert!(value < bound);
                kani::cover!(value == bound - 1 && bound == u64::MAX, "the last value");
            }
            Ok(ControlFlow::Continue(())) => assert!(!bound.is_power_of_two()),
            Err(error) => assert!(error == crate::bits::BitsError::Source),
        }
    }

    /// ∀ n ≥ 1 of 64 bits: an error of the source is an error.
    #[kani::proof]
    #[kani::unwind(2)] // the loop ends at its first draw
    #[kani::solver(minisat)]
    fn verify_uniform_error() {
        let bound: u64 = any_bound();
        fails_with_its_source(&Kernel::new(bound), bound.into());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(2)]
    #[kani::solver(minisat)]
    fn refute_uniform_modulo() {
        let bound: u8 = any_bound();
        accepts_words_below(&Modulo(Kernel::new(bound)), bound.into(), kani::any());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(2)]
    #[kani::solver(minisat)]
    fn refute_uniform_bijection_modulo() {
        let bound: u8 = any_bound();
        let (words, value): ([u8; 2], u8) = (kani::any(), kani::any());
        is_a_bijection(&Modulo(Kernel::new(bound)), bound.into(), [words[0].into(), words[1].into()], value.into());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::unwind(2)]
    #[kani::solver(minisat)]
    fn refute_uniform_at_most() {
        let bound: u8 = any_bound();
        accepts_words_below(&AtMost(Kernel::new(bound)), bound.into(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for bound in 1..=u8::MAX {
            let kernel = Kernel::new(bound);
            for word in 0..=u8::MAX {
                accepts_words_below(&kernel, bound.into(), u128::from(word) << 120);
                assert_eq!(words_of(&kernel, 8 - (bound - 1).leading_zeros(), word), u32::from(word < bound));
                for other in [0, word.wrapping_sub(1), word, word.wrapping_add(1), 255] {
                    is_a_bijection(&kernel, bound.into(), [word.into(), other.into()], word.into());
                }
            }
            fails_with_its_source(&kernel, bound.into());
        }
    }

    #[test]
    fn planted_bugs_are_seen() {
        let seen = |property: &dyn Fn()| std::panic::catch_unwind(core::panic::AssertUnwindSafe(property)).is_err();
        assert!(seen(&|| accepts_words_below(&Modulo(Kernel::new(5)), 5, 0b111 << 125)));
        assert!(seen(&|| accepts_words_below(&AtMost(Kernel::new(5)), 5, 0b101 << 125)));
        assert_eq!(words_of(&Modulo(Kernel::new(5)), 3, 0), 2);
        assert!(seen(&|| is_a_bijection(&Modulo(Kernel::new(5)), 5, [0, 5], 0)));
    }

    proptest! {
        #[test]
        fn words(bound in 1u64.., narrow in 0u32..64, wide in 1u128.., tape: u128) {
            let bound = (bound >> narrow).max(1);
            accepts_words_below(&Kernel::new(bound), bound.into(), tape);
            accepts_words_below(&Kernel::new(wide), wide, tape);
            let words = [(tape >> 64) as u64, tape as u64];
            for wide in [wide, wide >> 64 | 1, u128::from(bound), 1 << 64] {
                accepts_two_words(&Kernel::new(wide), wide, words);
            }
            is_a_bijection(&Kernel::new(bound), bound, words.map(|word| word % bound), words[0] % bound);
            // Near the bound, where it matters.
            let bits = 64 - (bound - 1).leading_zeros();
            for word in [bound - 1, bound] {
                accepts_words_below(&Kernel::new(bound), bound.into(), u128::from(word).checked_shl(128 - bits).unwrap_or(0));
            }
            fails_with_its_source(&Kernel::new(bound), bound.into());
        }
    }
}
