//! The combinators: the loop is the loop that the certifier takes it for, carries no state of its own and passes errors on.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;
use crate::symbolic::{Answers, Refusal};

/// A program that is a script: from state i it ends with output i if bit i of `ends` is set, and otherwise goes on to i + 1. It needs a bit
/// of the source from state `draws` on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Script {
    /// Invariant: its highest bit is set, so that it ends.
    ends: u16,
    draws: u8,
}

impl Program for Script {
    type State = u8;
    type Output = u8;

    fn start(&self) -> u8 {
        0
    }

    #[cfg(kani)]
    fn invariant(&self, state: &u8) -> bool {
        // No state before this one ended, or failed if every draw does.
        *state < 16 && self.ends & ((1 << *state) - 1) == 0
    }

    fn step<I: Interpreter>(&self, state: u8, on: &mut I) -> Step<Self, I> {
        if state >= self.draws {
            on.bits(1)?;
        }
        Ok(if self.ends >> state & 1 == 1 { ControlFlow::Break(state) } else { ControlFlow::Continue(state + 1) })
    }
}

/// Executed, the script's output is the first state that ends.
fn ends_at_the_first(output: Result<u8, BitsError>, script: &Script) {
    match output {
        Ok(output) => assert_eq!(u32::from(output), script.ends.trailing_zeros()),
        Err(error) => assert_eq!(error, BitsError::Source),
    }
}

/// A coin: true iff the next bit is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fair;

impl Program for Fair {
    type State = ();
    type Output = bool;
    fn start(&self) {}
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        Ok(ControlFlow::Break(on.bits(1)? == 1))
    }
}

/// One round of a count: true goes on to the next number, false ends with this one, a failure fails; and 2^64 is an error and not 0.
fn counts<P: Program<State = u64, Output = u64>>(count: &P, n: u64, toss: Option<bool>) {
    assert_eq!(count.start(), 0);
    let mut on = Answers::<Fair>::none();
    on.output = toss;
    let outcome = count.step(n, &mut on);
    assert!(on.calls == 1 && on.drawn == 0);
    match toss {
        None => assert!(outcome == Err(Refusal::Call)),
        Some(false) => assert!(outcome == Ok(ControlFlow::Break(n))),
        Some(true) if n == u64::MAX => assert!(outcome == Err(Refusal::Overflow)),
        Some(true) => assert!(outcome == Ok(ControlFlow::Continue(n + 1))),
    }
}

/// Either width is its kernel, in one call.
fn is_its_kernel(big: bool, toss: Option<bool>) {
    let width: Width<Fair, Fair> = if big { Width::Big(Fair) } else { Width::Word(Fair) };
    let mut on = Answers::<Fair>::none();
    on.output = toss;
    let outcome = width.step((), &mut on);
    assert!(on.calls == 1 && on.drawn == 0);
    assert!(outcome == toss.map(ControlFlow::Break).ok_or(Refusal::Call));
}

/// Planted: a count that starts at the first success.
#[cfg(any(test, certus_controls))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Trials;

#[cfg(any(test, certus_controls))]
impl Program for Trials {
    type State = u64;
    type Output = u64;
    fn start(&self) -> u64 {
        0
    }
    fn step<I: Interpreter>(&self, count: u64, on: &mut I) -> Step<Self, I> {
        let next = count.checked_add(1).ok_or_else(|| on.overflow())?;
        Ok(if on.call(&Fair)? { ControlFlow::Continue(next) } else { ControlFlow::Break(next) })
    }
}

#[cfg(kani)]
mod harnesses {
    use super::*;
    use crate::symbolic::Symbolic;

    /// ∀ scripts of up to 16 states; any failure of the source at any state. By loop contract. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_execute() {
        let script = Script { ends: kani::any(), draws: kani::any() };
        kani::assume(script.ends >> 15 == 1);
        let output = execute(&script, &mut Symbolic);
        ends_at_the_first(output, &script);
        kani::cover!(output == Ok(15), "the last state");
        kani::cover!(output == Ok(0), "the first state");
        kani::cover!(output.is_err(), "the source fails");
        if script.draws > 15 {
            assert!(output.is_ok());
        }
    }

    /// ∀ counts of 64 bits and tosses, a failing one included.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_count() {
        let n: u64 = kani::any();
        counts(&Count(Fair), n, kani::any());
        kani::cover!(n == u64::MAX, "the last count");
    }

    /// ∀ widths and tosses, a failing one included.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_width() {
        is_its_kernel(kani::any(), kani::any());
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_count_of_trials() {
        counts(&Trials, kani::any(), kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use crate::bits::{Replay, Tape};
    use proptest::prelude::*;

    /// Every script of 8 states, on tapes that suffice and on tapes that do not.
    #[test]
    fn scripts_exhaustively() {
        for ends in (0..=u8::MAX).map(|ends| u16::from(ends) | 1 << 15) {
            for draws in 0..=16 {
                let script = Script { ends, draws };
                for length in 0..=17 {
                    let mut tape = Replay::new((0..length).map(|_| false).collect::<Tape>());
                    let needed = (ends.trailing_zeros() + 1).saturating_sub(draws.into()) as usize;
                    let output = execute(&script, &mut tape);
                    if needed <= length {
                        ends_at_the_first(output, &script);
                        assert_eq!((output.is_ok(), tape.position()), (true, needed));
                    } else {
                        assert_eq!(output, Err(BitsError::TapeEnded));
                    }
                }
            }
        }
    }

    #[test]
    fn bytes_exhaustively() {
        for n in (0..=255).chain([u64::MAX - 1, u64::MAX]) {
            for toss in [None, Some(false), Some(true)] {
                counts(&Count(Fair), n, toss);
                is_its_kernel(n & 1 == 1, toss);
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        counts(&Trials, 0, Some(false));
    }

    proptest! {
        #[test]
        fn words(n: u64, toss: Option<bool>) {
            counts(&Count(Fair), n, toss);
        }
    }
}
