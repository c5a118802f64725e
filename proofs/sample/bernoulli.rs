//! Bernoulli(p): the lazy comparison says what comparing the whole expansion with p says.
#![allow(clippy::panic, reason = "proofs and tests")]

use super::*;
use crate::symbolic::{Answers, Words};

/// 2·remainder = digit·denominator + rest, with rest < denominator: the digit is the next of the expansion, and the rest its rest.
fn is_the_next_digit(denominator: u128, remainder: u128, digit: Option<(bool, u128)>) {
    let Some((digit, rest)) = digit else { panic!("it fits") };
    assert!(rest < denominator);
    assert_eq!(remainder + remainder, if digit { denominator } else { 0 } + rest);
}

/// The same at any width, as a contract: remainder − (denominator − remainder) = rest where the digit is 1, and 2·remainder = rest where it is 0; rest < denominator.
#[cfg(kani)]
pub(super) fn is_digit<N: Natural>(denominator: &N, remainder: &N, next: &Option<(bool, N)>) -> bool {
    let Some((digit, rest)) = next else { return false };
    let exact = match (digit, denominator.checked_sub(remainder)) {
        (true, Some(complement)) => remainder.checked_sub(&complement),
        (false, Some(_)) => remainder.checked_add(remainder),
        (_, None) => None,
    };
    exact.as_ref() == Some(rest) && rest < denominator
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

/// The inductive step over prefixes of U of any length, at any width.
///
/// Let `length` bits of U be the integer `word`, so that U is in [word, word + 1)·2^-length, and D = denominator·(p·2^length − word). They say U < p iff
/// D ≥ denominator, U ≥ p iff D ≤ 0, and nothing in between. One more bit makes D′ = 2·D − bit·denominator of D, and no bits make D the numerator, where
/// a program starts. The claim: a state is D. One that is decided ends without a draw, with the answer; any other draws one bit, and goes on with D′
/// if that is not decided (or 0, which the next step ends without a draw), and ends with its answer if it is. By induction, the comparison ends at the first
/// prefix that decides, with the answer of the whole expansion.
fn goes_on_with_the_difference<N: Natural + Into<u64>, P: Program<State = N, Output = bool>>(
    coin: &P,
    denominator: N,
    difference: N,
    bit: bool,
) {
    let (d, unit): (u64, u64) = (difference.clone().into(), denominator.into());
    let mut on = Words::new([u64::from(bit) << 63, 0]);
    let outcome = coin.step(difference, &mut on);
    if d == 0 || d >= unit {
        assert!(on.drawn == 0 && outcome == Ok(ControlFlow::Break(d > 0)));
        return;
    }
    assert!(on.drawn == 1);
    let (d, unit) = (i128::from(d), i128::from(unit));
    let next = d + d - if bit { unit } else { 0 };
    match outcome {
        Ok(ControlFlow::Continue(state)) => {
            let state: u64 = state.into();
            assert!(0 <= next && next < unit && i128::from(state) == next);
        }
        Ok(ControlFlow::Break(true)) => assert!(next >= unit),
        Ok(ControlFlow::Break(false)) => assert!(next <= 0),
        Err(_) => panic!("bits were there"),
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
        let mut on = Words::new([u64::from(bit) << 63, 0]);
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

    /// ∀ p and remainder of 64 bits, either bit. Slow.
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

    /// ∀ p of 64 bits, ∀ prefixes of any length, either bit after them: the inductive step from the prefix to the next.
    #[kani::proof]
    #[kani::solver(minisat)]
    fn verify_bernoulli_prefix_u64() {
        let kernel: Kernel<u64> = any_kernel();
        let difference: u64 = kani::any();
        kani::assume(difference <= kernel.denominator);
        let start = kernel.start();
        assert!(start == kernel.numerator && start <= kernel.denominator);
        let (denominator, bit) = (kernel.denominator, kani::any());
        goes_on_with_the_difference(&kernel, denominator, difference, bit);
        kani::cover!(difference > 1 << 63 && bit, "the doubled difference does not fit");
        kani::cover!(difference == denominator, "p = 1");
    }

    /// ∀ p of 8 bits, every tape of 4 bits, every prefix of it: what the inductive step above comes to, from the start. Slow.
    #[kani::proof]
    #[kani::unwind(5)] // a step for each bit
    #[kani::solver(minisat)]
    fn verify_bernoulli_prefixes_u8() {
        let kernel: Kernel<u8> = any_kernel();
        let tape: u8 = kani::any();
        ends_where_decided(&kernel, kernel.numerator, kernel.denominator, tape, 4);
        kani::cover!(
            kernel.numerator == 85 && kernel.denominator == 255 && tape == 0b0101_0101,
            "undecided after 4 bits"
        );
    }

    /// ∀ 0 < remainder < denominator of 64 bits: the contract of the next digit, on which a step relies.
    #[kani::proof_for_contract(Kernel::<u64>::digit)]
    #[kani::solver(minisat)]
    fn verify_bernoulli_digit_contract_u64() {
        let kernel: Kernel<u64> = any_kernel();
        let remainder: u64 = kani::any();
        let _ = kernel.digit(&remainder);
    }

    /// ∀ p and remainder of 64 bits, either bit: a step over any digit of which no more is known than its contract.
    #[kani::proof]
    #[kani::stub_verified(Kernel::<u64>::digit)]
    #[kani::solver(minisat)]
    fn verify_bernoulli_step_by_contract_u64() {
        let kernel: Kernel<u64> = any_kernel();
        let difference: u64 = kani::any();
        kani::assume(difference <= kernel.denominator);
        let (denominator, bit) = (kernel.denominator, kani::any());
        goes_on_with_the_difference(&kernel, denominator, difference, bit);
        kani::cover!(0 < difference && difference < denominator && bit, "a digit is compared");
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

    #[cfg(certus_controls)]
    #[kani::proof]
    #[kani::solver(minisat)]
    fn refute_bernoulli_prefix_inverted() {
        let kernel: Kernel<u8> = any_kernel();
        let difference: u8 = kani::any();
        kani::assume(difference <= kernel.denominator);
        goes_on_with_the_difference(&Inverted(kernel.clone()), kernel.denominator, difference, kani::any());
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
                    goes_on_with_the_difference(&kernel, denominator, remainder, bit);
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

    #[test]
    #[should_panic(expected = "assertion")]
    fn a_planted_bug_is_seen_at_one_prefix() {
        goes_on_with_the_difference(&Inverted(Kernel { numerator: 1, denominator: 3 }), 3, 2, false);
    }

    proptest! {
        #[test]
        fn words(a: u64, b: u64, narrow in 0u32..64, bit: bool) {
            let (remainder, denominator) = (a.min(b) >> narrow, (a.max(b) >> narrow).max(1));
            let kernel = Kernel { numerator: remainder, denominator };
            compares_one_digit(&kernel, &kernel, &remainder, bit);
            goes_on_with_the_difference(&kernel, denominator, remainder, bit);
            if 0 < remainder && remainder < denominator {
                let digit = kernel.digit(&remainder).map(|(digit, rest)| (digit, rest.into()));
                is_the_next_digit(denominator.into(), remainder.into(), digit);
            }
        }
    }
}
