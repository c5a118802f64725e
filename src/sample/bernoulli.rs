//! Bernoulli(p) for rational p, by a lazy comparison.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, program::samples_its_kernel};
use crate::exact::{Natural, Probability};

/// A coin of rational probability: P(true) = p.
///
/// # Algorithm
///
/// Reveal a uniform real U bit by bit, beside the binary digits of p, and stop at the first difference: U < p
/// iff that digit of p is 1. If only zeros of p are left, U ≥ p whatever follows. So p = 0 and p = 1 draw
/// nothing, a dyadic p = a/2^b draws at most b bits, and any other p draws 2 on average.
///
/// ```
/// use certus::{bits::{Replay, Tape}, exact::{Probability, Rational}, sample::{Bernoulli, Program}};
///
/// // 1/3 = 0.0101…: the tape 00 is below it at the second bit, the tape 1 above it at the first.
/// let third = Bernoulli::new(Probability::new(Rational::new(1.into(), 3.into()))?);
/// let toss = |tape: &str| third.sample(&mut Replay::new(tape.parse::<Tape>().unwrap())).unwrap();
/// assert!(toss("00"));
/// assert!(!toss("1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bernoulli {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Bernoulli {
    /// A coin that comes up true with probability `p`.
    #[must_use]
    pub fn new(p: Probability) -> Self {
        let (numerator, denominator) = (p.numerator(), p.denominator());
        let kernel = match (u64::from_big(numerator), u64::from_big(denominator)) {
            (Some(numerator), Some(denominator)) => Width::Word(Kernel { numerator, denominator }),
            _ => Width::Big(Kernel { numerator: numerator.clone(), denominator: denominator.clone() }),
        };
        Self { kernel }
    }
}

samples_its_kernel!(Bernoulli, bool);

/// Bernoulli(numerator/denominator) at one width; the fraction need not be in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    /// Invariant: numerator ≤ denominator.
    pub(crate) numerator: N,
    /// Invariant: denominator ≥ 1.
    pub(crate) denominator: N,
}

impl<N: Natural> Kernel<N> {
    /// The first binary digit of remainder/denominator after the point, and the remainder of the rest, for
    /// 0 < remainder < denominator.
    ///
    /// The digit is 1 iff 2·remainder ≥ denominator, compared as remainder ≥ denominator − remainder: the
    /// doubling of the first branch stays below the denominator, so nothing overflows at any width. `None`
    /// only outside the stated range.
    #[inline]
    #[cfg_attr(kani, kani::requires(*remainder > N::zero() && *remainder < self.denominator))]
    #[cfg_attr(kani, kani::ensures(|next| proofs::is_digit(&self.denominator, remainder, next)))]
    fn digit(&self, remainder: &N) -> Option<(bool, N)> {
        let complement = self.denominator.checked_sub(remainder)?;
        if *remainder < complement {
            Some((false, remainder.checked_add(remainder)?))
        } else {
            Some((true, remainder.checked_sub(&complement)?))
        }
    }
}

impl<N: Natural> Program for Kernel<N> {
    /// The part of p still to be compared with the rest of U, times the denominator.
    type State = N;
    type Output = bool;

    #[inline]
    fn start(&self) -> N {
        self.numerator.clone()
    }

    #[cfg(kani)]
    fn invariant(&self, remainder: &N) -> bool {
        // A p of 0 or 1 is decided before the first bit.
        let strict = *remainder < self.denominator || self.numerator == self.denominator;
        let positive = *remainder == N::zero() || self.numerator > N::zero();
        *remainder <= self.denominator
            && positive
            && strict
            && (self.numerator < self.denominator || *remainder == self.denominator)
    }

    #[inline]
    fn step<I: Interpreter>(&self, remainder: N, on: &mut I) -> Step<Self, I> {
        if remainder == N::zero() {
            return Ok(ControlFlow::Break(false));
        }
        // Only at p = 1: later remainders are below the denominator.
        if remainder >= self.denominator {
            return Ok(ControlFlow::Break(true));
        }
        let (digit, rest) = self.digit(&remainder).ok_or_else(|| on.overflow())?;
        let bit = on.bits(1)? == 1;
        Ok(if bit == digit { ControlFlow::Continue(rest) } else { ControlFlow::Break(digit) })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/bernoulli.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bits::{BitsError, Enumeration, Recorder},
        sample::{
            execute,
            widths::{same_on_a_stream, same_on_every_tape},
        },
    };

    /// Whether the first `length` bits of U, as the integer `word`, decide U < p: U is in [word, word +
    /// 1)/2^length.
    fn decided(coin: &Kernel<u8>, word: u64, length: usize) -> Option<bool> {
        let (p, unit) = (u64::from(coin.numerator) << length, u64::from(coin.denominator));
        if (word + 1) * unit <= p {
            Some(true)
        } else if word * unit >= p {
            Some(false)
        } else {
            None
        }
    }

    /// Every p with a denominator of a byte: the lazy comparison says what the whole expansion says, at the
    /// first bit that decides.
    #[test]
    fn lazy_is_right_and_lazy() {
        const DEPTH: u32 = 12;
        for denominator in 1..=u8::MAX {
            for numerator in 0..=denominator {
                let coin = Kernel { numerator, denominator };
                let mut tapes = Enumeration::new(DEPTH);
                loop {
                    let mut recorder = Recorder::new(&mut tapes);
                    let toss = execute(&coin, &mut recorder);
                    let tape = recorder.cut();
                    let word = tape.bits().iter().fold(0, |word, &bit| word << 1 | u64::from(bit));
                    let length = tape.bits().len();
                    match toss {
                        Ok(toss) => assert_eq!(decided(&coin, word, length), Some(toss), "{coin:?} on {tape}"),
                        Err(error) => {
                            assert_eq!((error, length), (BitsError::TapeEnded, DEPTH as usize));
                            assert_eq!(decided(&coin, word, length), None, "{coin:?} on {tape}");
                        }
                    }
                    if let Some(shorter) = length.checked_sub(1) {
                        assert_eq!(decided(&coin, word >> 1, shorter), None, "{coin:?} on {tape}: a bit too many");
                    }
                    if !tapes.advance() {
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn a_width_changes_nothing() {
        for denominator in 1..=u8::MAX {
            for numerator in 0..=denominator {
                let big = Kernel { numerator: numerator.to_big(), denominator: denominator.to_big() };
                same_on_every_tape(&Kernel { numerator, denominator }, &big, 9, |a, b| a == b);
            }
        }
        // The edges of the word: nothing may be doubled past it.
        for (numerator, denominator) in
            [(u64::MAX - 1, u64::MAX), (1, u64::MAX), (u64::MAX / 2 + 1, u64::MAX), (1 << 63, u64::MAX)]
        {
            let word = Kernel { numerator, denominator };
            let big = Kernel { numerator: numerator.to_big(), denominator: denominator.to_big() };
            let double = Kernel { numerator: u128::from(numerator), denominator: u128::from(denominator) };
            same_on_a_stream(&word, &big, 10_000, |a, b| a == b);
            same_on_a_stream(&word, &double, 10_000, |a, b| a == b);
        }
    }
}
