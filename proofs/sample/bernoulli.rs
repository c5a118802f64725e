//! Bernoulli(p): the lazy comparison says what comparing the whole expansion with p says.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;
use crate::symbolic::Answers;

/// 2·remainder = digit·denominator + rest, with rest < denominator: the digit is the next of the expansion, and the rest its rest.
fn is_the_next_digit(denominator: u128, remainder: u128, digit: Option<(bool, u128)>) {
    let Some((digit, rest)) = digit else { panic!("it fits") };
    assert!(rest < denominator);
    assert_eq!(remainder + remainder, if digit { denominator } else { 0 } + rest);
}

/// One step from any remainder: nothing is drawn at 0 or past the denominator, else one bit, and the first difference from p's digit decides.
fn compares_one_digit<N: Natural, P: Program<State = N, Output = bool>>(
    coin: &P,
    twin: &Kernel<N>,
    remainder: &N,
    bit: bool,
) {
    let mut on = Answers::<Kernel<u8>>::tape(u128::from(bit) << 127);
    let outcome = coin.step(remainder.clone(), &mut on);
    if *remainder == N::zero() {
        assert!(on.drawn == 0 && outcome == Ok(ControlFlow::Break(false)));
    } else if *remainder >= twin.denominator {
        assert!(on.drawn == 0 && outcome == Ok(ControlFlow::Break(true)));
    } else {
        let Some((digit, rest)) = twin.digit(remainder) else { panic!("it fits") };
        assert_eq!(on.drawn, 1);
        // U differs from p at this digit: U < p iff the digit of p is 1, which is when that of U is 0.
        let expected = if bit == digit { ControlFlow::Continue(rest) } else { ControlFlow::Break(!bit) };
        assert!(outcome == Ok(expected));
    }
}

/// What some first bits of U, as the integer `word`, say of U < p: U is in [word, word + 1)/2^length.
struct Prefix {
    /// word·denominator.
    least: u32,
    /// p·denominator·2^length.
    p: u32,
    denominator: u32,
}

impl Prefix {
    fn of(numerator: u8, denominator: u8) -> Self {
        Self { least: 0, p: numerator.into(), denominator: denominator.into() }
    }

    /// With one bit more. (By doubling, since a product of two symbols is hard to prove anything of.)
    fn then(&self, bit: bool) -> Self {
        let least = self.least + self.least + if bit { self.denominator } else { 0 };
        Self { least, p: self.p + self.p, denominator: self.denominator }
    }

    fn decided(&self) -> Option<bool> {
        if self.least + self.denominator <= self.p {
            Some(true)
        } else if self.least >= self.p {
            Some(false)
        } else {
            None
        }
    }
}

/// On a tape of `most` bits: ends at the first prefix that decides U < p, with its answer, and not before; or no prefix does.
fn ends_where_decided<P: Program<State = u8, Output = bool>>(
    coin: &P,
    numerator: u8,
    denominator: u8,
    tape: u8,
    most: u32,
) {
    let mut state = coin.start();
    let mut prefix = Prefix::of(numerator, denominator);
    let mut length = 0;
    while length < most {
        let bit = tape >> (7 - length) & 1 == 1;
        let mut on = Answers::<Kernel<u8>>::tape(u128::from(bit) << 127);
        let outcome = coin.step(state, &mut on);
        // A step that is decided draws nothing, and one that is not draws a bit.
        assert!((on.drawn == 0) == prefix.decided().is_some());
        if on.drawn == 1 {
            prefix = prefix.then(bit);
        }
        match outcome {
            Ok(ControlFlow::Continue(next)) => {
                // Undecided, or decided without another bit: no digit of p is left.
                assert!(on.drawn == 1 && (prefix.decided().is_none() || next == 0));
                state = next;
            }
            Ok(ControlFlow::Break(toss)) => {
                assert!(prefix.decided() == Some(toss));
                return;
            }
            Err(_) => panic!("bits were there"),
        }
        length += 1;
    }
}

/// Planted: answers with the digit of U where that of p decides.
#[cfg(any(test, certus_controls))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Inverted(Kernel<u8>);

#[cfg(any(test, certus_controls))]
impl Program for Inverted {
    type State = u8;
    type Output = bool;
    fn start(&self) -> u8 {
        self.0.start()
    }
    fn step<I: Interpreter>(&self, remainder: u8, on: &mut I) -> Step<Self, I> {
        if remainder == 0 {
            return Ok(ControlFlow::Break(false));
        }
        if remainder >= self.0.denominator {
            return Ok(ControlFlow::Break(true));
        }
        let (digit, rest) = self.0.digit(&remainder).ok_or_else(|| on.overflow())?;
        let bit = on.bits(1)? == 1;
        Ok(if bit == digit { ControlFlow::Continue(rest) } else { ControlFlow::Break(bit) })
    }
}

#[cfg(kani)]
mod harnesses {
    use super::*;
    use crate::{sample::execute, symbolic::Symbolic};

    fn any_kernel<N: kani::Arbitrary + Natural>() -> Kernel<N> {
        let kernel = Kernel { numerator: kani::any(), denominator: kani::any() };
        kani::assume(kernel.denominator > N::zero() && kernel.numerator <= kernel.denominator);
        kernel
    }

    /// ∀ 0 < remainder < denominator of 64 bits.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bernoulli_digit_u64() {
        let kernel: Kernel<u64> = any_kernel();
        let remainder: u64 = kani::any();
        kani::assume(0 < remainder && remainder < kernel.denominator);
        let digit = kernel.digit(&remainder);
        is_the_next_digit(kernel.denominator.into(), remainder.into(), digit.map(|(digit, rest)| (digit, rest.into())));
        kani::cover!(remainder > 1 << 63, "the doubled remainder does not fit");
        kani::cover!(digit == Some((true, 0)), "an expansion ends");
    }

    /// ∀ p and remainder of 64 bits, either bit.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bernoulli_step_u64() {
        let kernel: Kernel<u64> = any_kernel();
        let remainder: u64 = kani::any();
        kani::assume(remainder <= kernel.denominator);
        compares_one_digit(&kernel, &kernel, &remainder, kani::any());
        kani::cover!(remainder == kernel.denominator, "p = 1");
        kani::cover!(remainder == 0, "p = 0, or what is left of a dyadic p");
    }

    /// ∀ p of 64 bits, any number of bits, any failure: an answer or the source's error; p = 0 never true, p = 1 never false. By loop contract. Slow.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bernoulli_u64() {
        let kernel: Kernel<u64> = any_kernel();
        match execute(&kernel, &mut Symbolic) {
            Ok(toss) => {
                assert!(!(toss && kernel.numerator == 0));
                assert!(toss || kernel.numerator < kernel.denominator);
                kani::cover!(toss && kernel.numerator == 1, "true, if rarely");
                kani::cover!(!toss && kernel.numerator == kernel.denominator - 1, "false, if rarely");
            }
            Err(error) => assert!(error == crate::bits::BitsError::Source),
        }
    }

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_bernoulli_inverted() {
        let kernel: Kernel<u8> = any_kernel();
        let remainder: u8 = kani::any();
        kani::assume(remainder <= kernel.denominator);
        compares_one_digit(&Inverted(kernel.clone()), &kernel, &remainder, kani::any());
    }
}

#[cfg(test)]
mod properties {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_exhaustively() {
        for denominator in 1..=u8::MAX {
            for remainder in 0..=denominator {
                let kernel = Kernel { numerator: remainder, denominator };
                for bit in [false, true] {
                    compares_one_digit(&kernel, &kernel, &remainder, bit);
                }
                if 0 < remainder && remainder < denominator {
                    let digit = kernel.digit(&remainder).map(|(digit, rest)| (digit, rest.into()));
                    is_the_next_digit(denominator.into(), remainder.into(), digit);
                }
                for tape in 0..=u8::MAX {
                    ends_where_decided(&kernel, remainder, denominator, tape, 8);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen() {
        let kernel = Kernel { numerator: 1, denominator: 3 };
        ends_where_decided(&Inverted(kernel), 1, 3, 0, 8);
    }

    proptest! {
        #[test]
        fn words(a: u64, b: u64, narrow in 0u32..64, bit: bool) {
            let (remainder, denominator) = (a.min(b) >> narrow, (a.max(b) >> narrow).max(1));
            let kernel = Kernel { numerator: remainder, denominator };
            compares_one_digit(&kernel, &kernel, &remainder, bit);
            if 0 < remainder && remainder < denominator {
                let digit = kernel.digit(&remainder).map(|(digit, rest)| (digit, rest.into()));
                is_the_next_digit(denominator.into(), remainder.into(), digit);
            }
        }
    }
}
