//! A choice among finitely many weights c·e^-x.

use alloc::{sync::Arc, vec::Vec};
use core::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer as _;

use super::{Interpreter, Program, Step, Width, bernoulli_exp, program::samples_its_kernel, uniform};
use crate::exact::{Natural, NonNegative, Rational};

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
    NoWeight,
    /// An exponent was built with a zero denominator.
    #[error("an exponent must have a denominator other than 0")]
    ZeroDenominator,
}

/// A choice among finitely many alternatives: P(i) = cᵢ·e^-xᵢ / Σⱼ cⱼ·e^-xⱼ. The output is the index i.
///
/// # Algorithm
///
/// Propose i with probability cᵢ/Σc, from one uniform integer, and accept with e^-(xᵢ − min x). A trial is accepted with
/// probability Σ cᵢ·e^-(xᵢ − min x)/Σ cᵢ, at least the smallest exponent's own share of the factors.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Rational}, sample::{Choice, Program, Weight}};
///
/// let weigh = |c: i64, x: i64| Ok::<_, certus::exact::NotNegative>(Weight {
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
    /// If no weight is positive, or an exponent has a zero denominator.
    pub fn new(weights: &[Weight]) -> Result<Self, ChoiceError> {
        if weights.iter().any(|weight| *weight.exponent.denom() == BigUint::ZERO.into()) {
            return Err(ChoiceError::ZeroDenominator);
        }
        let positive = |weight: &&Weight| *weight.factor.numerator() != BigUint::ZERO;
        let smallest = weights.iter().filter(positive).map(|weight| &weight.exponent).min();
        let smallest = smallest.ok_or(ChoiceError::NoWeight)?;
        // Σc over a common denominator, and each alternative's share [previous, cumulative) of it.
        let common = weights.iter().fold(BigUint::from(1u32), |common, weight| common.lcm(weight.factor.denominator()));
        let mut total = BigUint::ZERO;
        let mut cumulative = Vec::with_capacity(weights.len());
        let mut exponents = Vec::with_capacity(weights.len());
        for weight in weights {
            total += weight.factor.numerator() * (&common / weight.factor.denominator());
            cumulative.push(total.clone());
            // An alternative of factor 0 is never proposed; its exponent, possibly below the smallest, is never asked for.
            let above = (&weight.exponent - smallest).max(Rational::from_integer(BigUint::ZERO.into()));
            exponents.push((above.numer().magnitude().clone(), above.denom().magnitude().clone()));
        }
        let kernel = match Kernel::narrow(&cumulative, &exponents) {
            Some(kernel) => Width::Word(kernel),
            None => Width::Big(Kernel::new(cumulative, exponents)),
        };
        Ok(Self { kernel })
    }
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

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = usize;

    fn start(&self) {}

    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let u = on.call(&self.proposal)?;
        // The first alternative whose share reaches past u: u < Σc, so there is one.
        let index = self.cumulative.partition_point(|end| *end <= u);
        let accept = self.accept.get(index).ok_or_else(|| on.overflow())?;
        Ok(if on.call(accept)? { ControlFlow::Break(index) } else { ControlFlow::Continue(()) })
    }
}
