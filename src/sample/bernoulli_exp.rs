//! Bernoulli(e^-x) for rational x ≥ 0, without an exponential.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, bernoulli, program::samples_its_kernel};
use crate::exact::{Natural, NonNegative};

/// A coin of probability e^-x: P(true) = e^-x, which is irrational unless x = 0.
///
/// # Algorithm
///
/// Follows Algorithm 1 of Canonne, Kamath, Steinke 2020. For x ≤ 1 toss Bernoulli(x/1), Bernoulli(x/2), Bernoulli(x/3), … until one
/// comes up false, at toss K. P(K > k) = x^k/k!, so P(K odd) = Σ_k (−x)^k/k! = e^-x: the parity decides. For x > 1,
/// e^-x is the product of ⌊x⌋ coins of e^-1 and one of e^-(x − ⌊x⌋), tossed until one comes up false.
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
        let scaled = N::from_word(k).and_then(|k| self.denominator.checked_mul(&k));
        let toss = match scaled {
            Some(denominator) => on.call(&bernoulli::Kernel { numerator: self.numerator.clone(), denominator })?,
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
