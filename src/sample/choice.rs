//! A choice among finitely many weights c·e^-x.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer as _;

use super::{Interpreter, Program, Step, Width, bernoulli_exp, program::samples_its_kernel, uniform};
use crate::exact::{Natural, NonNegative, Rational, exp_neg, number};

/// The weight c·e^-x of one alternative, both rational: c ≥ 0, and x of either sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weight {
    /// c ≥ 0; an alternative of factor 0 is never chosen.
    pub factor: NonNegative,
    /// x; only differences of exponents matter.
    pub exponent: Rational,
}

/// Why there is nothing to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// Every factor is 0, or there is none.
    #[error("at least one weight must be positive")]
    NoWeightError,
    /// An exponent was built with a zero denominator.
    #[error("an exponent must have a denominator other than 0")]
    ZeroDenominator,
    /// Hardly any proposal would be accepted.
    #[error(
        "a proposal must be accepted with a probability of at least 2^-16: the exponents of the large factors are too large"
    )]
    Unlikely,
}

/// A choice among finitely many alternatives: P(i) = cᵢ·e^-xᵢ / Σⱼ cⱼ·e^-xⱼ. The output is the index i.
///
/// # Algorithm
///
/// Propose i with probability cᵢ/Σc, from one uniform integer, and accept with e^-(xᵢ − min x). A trial is
/// accepted with probability Σ cᵢ·e^-(xᵢ − min x)/Σ cᵢ, at least the smallest exponent's own share of the
/// factors.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Rational}, sample::{Choice, Program, Weight}};
///
/// let weigh = |c: i64, x: i64| Ok::<_, certus::exact::NegativeError>(Weight {
///     factor: NonNegative::new(Rational::from_integer(c.into()))?,
///     exponent: Rational::from_integer(x.into()),
/// });
/// // Weights 1·e^-2, 0·e^0 and 3·e^-1.
/// let choice = Choice::new(&[weigh(1, 2)?, weigh(0, 0)?, weigh(3, 1)?])?;
/// assert_ne!(choice.sample(&mut seeded([0; 32]))?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Choice {
    /// The choice with these weights.
    ///
    /// # Errors
    ///
    /// If no weight is positive, an exponent has a zero denominator, or a proposal is accepted with a
    /// probability below 2^-16, where [`Inversion`](crate::mechanism::selection::Inversion) is quick.
    pub fn new(weights: &[Weight]) -> Result<Self, ChoiceError> {
        let exponents = weights.iter().map(|weight| Some(number(&weight.exponent)?.into_owned()));
        let exponents: Vec<Rational> = exponents.collect::<Option<_>>().ok_or(ChoiceError::ZeroDenominator)?;
        let positive = |(weight, _): &(&Weight, &Rational)| *weight.factor.numerator() != BigUint::ZERO;
        let smallest = weights.iter().zip(&exponents).filter(positive).map(|(_, exponent)| exponent).min();
        let smallest = smallest.ok_or(ChoiceError::NoWeightError)?;
        // Σc over a common denominator, and each alternative's share [previous, cumulative) of it.
        let common = weights.iter().fold(BigUint::from(1u32), |common, weight| common.lcm(weight.factor.denominator()));
        let mut total = BigUint::ZERO;
        let mut cumulative = Vec::with_capacity(weights.len());
        let mut above_smallest = Vec::with_capacity(weights.len());
        for (weight, exponent) in weights.iter().zip(&exponents) {
            total += weight.factor.numerator() * (&common / weight.factor.denominator());
            cumulative.push(total.clone());
            // An alternative of factor 0 is never proposed; its exponent, possibly below the smallest, is
            // never asked for.
            let above = (exponent - smallest).max(Rational::from_integer(BigUint::ZERO.into()));
            above_smallest.push((above.numer().magnitude().clone(), above.denom().magnitude().clone()));
        }
        if !is_accepted_often(weights, &above_smallest) {
            return Err(ChoiceError::Unlikely);
        }
        let exponents = above_smallest;
        let kernel = match Kernel::narrow(&cumulative, &exponents) {
            Some(kernel) => Width::Word(kernel),
            None => Width::Big(Kernel::new(cumulative, exponents)),
        };
        Ok(Self { kernel })
    }
}

/// −log2 of the least probability with which a proposal is accepted: 65,536 of them take about a tenth of a
/// second.
const LEAST_ACCEPTANCE_BITS: u32 = 16;

/// Whether Σ cᵢ·e^-xᵢ ≥ 2^-16·Σ cᵢ, with the exponents above the smallest: to a hundredth, and never no where
/// it is.
fn is_accepted_often(weights: &[Weight], exponents: &[(BigUint, BigUint)]) -> bool {
    let total: Rational = weights.iter().map(|weight| weight.factor.get()).sum();
    let enough = &total / Rational::from_integer((1_u64 << LEAST_ACCEPTANCE_BITS).into());
    // The certain ones first: that of the smallest exponent is often enough.
    let certain = weights.iter().zip(exponents).filter(|(_, (x, _))| *x == BigUint::ZERO);
    let mut accepted: Rational = certain.map(|(weight, _)| weight.factor.get()).sum();
    for (weight, (x, denominator)) in weights.iter().zip(exponents) {
        if accepted >= enough {
            return true;
        }
        // e^-17 < 2^-24: as much in all would not be enough, and is left out by rounding up there.
        if *x != BigUint::ZERO && *x < denominator * 17_u32 {
            let quotient = Rational::new(x.clone().into(), denominator.clone().into());
            let probability = NonNegative::new(quotient)
                .map_or_else(|_| Rational::from_integer(1.into()), |x| exp_neg(&x, 32).upper());
            accepted += weight.factor.get() * probability;
        }
    }
    accepted + &total / Rational::from_integer((1_u64 << 24).into()) >= enough
}

samples_its_kernel!(Choice, usize);

/// The choice at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    /// Uniform below Σc.
    proposal: uniform::Kernel<N>,
    /// Invariant: not decreasing, and the last is Σc.
    cumulative: Arc<[N]>,
    accept: Arc<[bernoulli_exp::Kernel<N>]>,
}

impl<N: Natural> Kernel<N> {
    fn new(cumulative: Vec<N>, exponents: Vec<(N, N)>) -> Self {
        let total = cumulative.last().cloned().unwrap_or_else(N::one);
        let accept = exponents.into_iter().map(|(x, denominator)| bernoulli_exp::Kernel::new(&x, denominator));
        Self { proposal: uniform::Kernel::new(total), cumulative: cumulative.into(), accept: accept.collect() }
    }

    fn narrow(cumulative: &[BigUint], exponents: &[(BigUint, BigUint)]) -> Option<Self> {
        let cumulative = cumulative.iter().map(N::from_big).collect::<Option<_>>()?;
        let exponents = exponents.iter().map(|(x, denominator)| N::from_big(x).zip(N::from_big(denominator)));
        Some(Self::new(cumulative, exponents.collect::<Option<_>>()?))
    }
}

/// The first alternative whose share [previous, cumulative) reaches past u: where u < Σc, there is one, and
/// as many u have it as its factor says.
fn share<N: Ord>(cumulative: &[N], u: &N) -> usize {
    cumulative.partition_point(|end| end <= u)
}

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = usize;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let u = on.call(&self.proposal)?;
        let index = share(&self.cumulative, &u);
        let accept = self.accept.get(index).ok_or_else(|| on.overflow())?;
        Ok(if on.call(accept)? { ControlFlow::Break(index) } else { ControlFlow::Continue(()) })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/choice.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::widths::{same_on_a_stream, same_on_every_tape};

    fn weight(factor: (u64, u64), exponent: Rational) -> Weight {
        let factor = Rational::new(factor.0.into(), factor.1.into());
        Weight { factor: NonNegative::new(factor).unwrap(), exponent }
    }

    fn over(numerator: i64, denominator: i64) -> Rational {
        Rational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn nothing_to_choose_from() {
        assert_eq!(Choice::new(&[]), Err(ChoiceError::NoWeightError));
        assert_eq!(Choice::new(&[weight((0, 1), over(1, 1))]), Err(ChoiceError::NoWeightError));
        let zero = Rational::new_raw(1.into(), 0.into());
        assert_eq!(Choice::new(&[weight((1, 1), zero)]), Err(ChoiceError::ZeroDenominator));
    }

    /// Each alternative's share of the proposals is its factor over a common denominator, and its exponent is
    /// above the smallest that can be chosen.
    #[test]
    fn shares_and_exponents() {
        let weights = [weight((1, 2), over(-1, 3)), weight((0, 1), over(-9, 1)), weight((2, 3), over(5, 2))];
        let Width::Word(kernel) = Choice::new(&weights).unwrap().kernel else { panic!("these fit a word") };
        assert_eq!(kernel.cumulative[..], [3, 3, 7]);
        assert_eq!(kernel.proposal, uniform::Kernel::new(7));
        let at = |numerator: u64, denominator| bernoulli_exp::Kernel::new(&numerator, denominator);
        assert_eq!(kernel.accept[..], [at(0, 1), at(0, 1), at(17, 6)]);
    }

    #[test]
    fn a_width_changes_nothing() {
        let cumulative: Vec<BigUint> = [3u32, 3, 100, 250].map(BigUint::from).to_vec();
        let exponents: Vec<(BigUint, BigUint)> =
            [(0u32, 1u32), (0, 1), (17, 6), (1, 250)].map(|(x, d)| (x.into(), d.into())).to_vec();
        let narrow = Kernel::<u8>::narrow(&cumulative, &exponents).unwrap();
        let word = Kernel::<u64>::narrow(&cumulative, &exponents).unwrap();
        let big = Kernel::<BigUint>::narrow(&cumulative, &exponents).unwrap();
        same_on_every_tape(&narrow, &big, 14, |a, b| a == b);
        same_on_every_tape(&word, &big, 14, |a, b| a == b);
        same_on_a_stream(&narrow, &word, 5000, |a, b| a == b);
        same_on_a_stream(&word, &big, 5000, |a, b| a == b);
        let past = [BigUint::from(1u32), BigUint::from(u64::MAX) + 1u32];
        assert!(Kernel::<u64>::narrow(&past, &exponents).is_none());
    }
}
