//! Bernoulli(e^-x) for rational x ≥ 0, without an exponential.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, bernoulli, program::samples_its_kernel};
use crate::exact::{Natural, NonNegative};

/// A coin of probability e^-x: P(true) = e^-x, which is irrational unless x = 0.
///
/// # Algorithm
///
/// Follows Algorithm 1 of Canonne, Kamath, Steinke 2020. For x ≤ 1 toss Bernoulli(x/1), Bernoulli(x/2),
/// Bernoulli(x/3), … until one comes up false, at toss K. P(K > k) = x^k/k!, so P(K odd) = Σ_k (−x)^k/k! =
/// e^-x: the parity decides. For x > 1, e^-x is the product of ⌊x⌋ coins of e^-1 and one of e^-(x − ⌊x⌋),
/// tossed until one comes up false.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Rational}, sample::{BernoulliExp, Program}};
///
/// let mut bits = seeded([0; 32]);
/// let coin = BernoulliExp::new(&NonNegative::new(Rational::from_integer(0.into()))?);
/// assert!(coin.sample(&mut bits)?); // e^-0 = 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BernoulliExp {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl BernoulliExp {
    /// A coin that comes up true with probability e^-`x`.
    #[must_use]
    pub fn new(x: &NonNegative) -> Self {
        let (numerator, denominator) = (x.numerator(), x.denominator());
        let kernel = match (u64::from_big(numerator), u64::from_big(denominator)) {
            (Some(numerator), Some(denominator)) => Width::Word(Kernel::new(&numerator, denominator)),
            _ => Width::Big(Kernel::new(numerator, denominator.clone())),
        };
        Self { kernel }
    }
}

samples_its_kernel!(BernoulliExp, bool);

/// Bernoulli(e^-(whole + fraction)) at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    whole: N,
    fraction: Unit<N>,
}

impl<N: Natural> Kernel<N> {
    /// x = numerator/denominator, in lowest terms or not; the denominator is at least 1.
    #[inline]
    pub(crate) fn new(numerator: &N, denominator: N) -> Self {
        let (whole, rest) = numerator.div_rem(&denominator);
        Self { whole, fraction: Unit { numerator: rest, denominator } }
    }
}

impl<N: Natural> Program for Kernel<N> {
    /// How many coins of e^-1 are still to be tossed.
    type State = N;
    type Output = bool;

    #[inline]
    fn start(&self) -> N {
        self.whole.clone()
    }

    #[inline]
    fn step<I: Interpreter>(&self, whole: N, on: &mut I) -> Step<Self, I> {
        match whole.checked_sub(&N::one()) {
            None => Ok(ControlFlow::Break(on.call(&self.fraction)?)),
            Some(rest) => Ok(if on.call(&Unit { numerator: 1u64, denominator: 1 })? {
                ControlFlow::Continue(rest)
            } else {
                ControlFlow::Break(false)
            }),
        }
    }
}

/// Bernoulli(e^-x) for x = numerator/denominator in [0, 1].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit<N> {
    /// Invariant: numerator ≤ denominator.
    pub(crate) numerator: N,
    /// Invariant: denominator ≥ 1.
    pub(crate) denominator: N,
}

impl<N: Natural> Unit<N> {
    /// The k-th coin, Bernoulli(x/k), if the width holds it.
    #[inline]
    fn coin(&self, k: u64) -> Option<bernoulli::Kernel<N>> {
        let denominator = self.denominator.checked_mul(&N::from_word(k)?)?;
        Some(bernoulli::Kernel { numerator: self.numerator.clone(), denominator })
    }
}

impl<N: Natural> Program for Unit<N> {
    /// The number k of the next toss, whose coin is Bernoulli(x/k).
    type State = u64;
    type Output = bool;

    #[inline]
    fn start(&self) -> u64 {
        1
    }

    #[inline]
    fn step<I: Interpreter>(&self, k: u64, on: &mut I) -> Step<Self, I> {
        let toss = match self.coin(k) {
            Some(coin) => on.call(&coin)?,
            // Past the word: the same coin on big integers, which compares the same digits.
            None => on.call(&bernoulli::Kernel {
                numerator: self.numerator.to_big(),
                denominator: self.denominator.to_big() * k,
            })?,
        };
        if !toss {
            return Ok(ControlFlow::Break(k % 2 == 1));
        }
        Ok(ControlFlow::Continue(k.checked_add(1).ok_or_else(|| on.overflow())?))
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/bernoulli_exp.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::widths::{same_on_a_stream, same_on_every_tape};

    /// At a byte, k·denominator leaves the width at k = ⌊255/denominator⌋ + 1: most of these tosses go on on
    /// big integers.
    #[test]
    fn bytes_escalate_and_change_nothing() {
        for denominator in (1..=u8::MAX).step_by(2) {
            for numerator in [0, 1, denominator / 2, denominator - 1, denominator] {
                let narrow = Unit { numerator, denominator };
                let big = Unit { numerator: numerator.to_big(), denominator: denominator.to_big() };
                same_on_every_tape(&narrow, &big, 12, |a, b| a == b);
                let word = Unit { numerator: u64::from(numerator), denominator: u64::from(denominator) };
                same_on_a_stream(&narrow, &word, 200, |a, b| a == b);
            }
        }
    }

    #[test]
    fn words_escalate_and_change_nothing() {
        // From k = 2 on, k·denominator does not fit.
        for (numerator, denominator) in [(u64::MAX, u64::MAX), (u64::MAX - 1, u64::MAX), (1 << 62, (1 << 63) + 1)] {
            let word = Unit { numerator, denominator };
            let big = Unit { numerator: numerator.to_big(), denominator: denominator.to_big() };
            let double = Unit { numerator: u128::from(numerator), denominator: u128::from(denominator) };
            same_on_a_stream(&word, &big, 5000, |a, b| a == b);
            same_on_a_stream(&word, &double, 5000, |a, b| a == b);
        }
    }

    #[test]
    fn whole_parts_at_every_width() {
        for (numerator, denominator) in [(0u8, 1u8), (5, 2), (255, 254), (255, 100), (7, 7), (200, 3)] {
            let narrow = Kernel::new(&numerator, denominator);
            let big = Kernel::new(&numerator.to_big(), denominator.to_big());
            same_on_every_tape(&narrow, &big, 14, |a, b| a == b);
            same_on_a_stream(&narrow, &big, 2000, |a, b| a == b);
        }
        let x = Kernel::new(&17u64, 5);
        assert_eq!((x.whole, x.fraction), (3, Unit { numerator: 2, denominator: 5 }));
    }
}
