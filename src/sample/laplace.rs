//! The discrete Laplace distribution, also called symmetric geometric.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, geometric, program::samples_its_kernel};
use crate::exact::{Integer, Natural, Positive};

/// Discrete Laplace noise: P(k) = (1 − e^(-1/s))/(1 + e^(-1/s)) · e^(-|k|/s) for every integer k.
///
/// # Algorithm
///
/// A [`Geometric`](super::Geometric) magnitude and a fair sign; a negative zero is rejected, so that zero is not counted twice.
///
/// ```
/// use certus::{bits::SystemBits, exact::{Positive, Rational}, sample::{Laplace, Program}};
///
/// let noise = Laplace::new(&Positive::new(Rational::new(5.into(), 2.into()))?);
/// println!("{}", noise.sample(&mut SystemBits::new()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Laplace {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Laplace {
    /// The distribution with scale `s` = `scale`.
    #[must_use]
    pub fn new(scale: &Positive) -> Self {
        Self { kernel: kernel(scale.numerator(), scale.denominator()) }
    }
}

samples_its_kernel!(Laplace, Integer);

/// The kernel for a positive scale, at the narrowest width that holds it.
pub(crate) fn kernel(numerator: &BigUint, denominator: &BigUint) -> Width<Kernel<u64>, Kernel<BigUint>> {
    match geometric::kernel(numerator, denominator) {
        Width::Word(magnitude) => Width::Word(Kernel { magnitude }),
        Width::Big(magnitude) => Width::Big(Kernel { magnitude }),
    }
}

/// Discrete Laplace noise at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    magnitude: geometric::Kernel<N>,
}

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = Integer;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let magnitude = on.call(&self.magnitude)?;
        let negative = on.bits(1)? == 1;
        Ok(signed(magnitude, negative).map_or(ControlFlow::Continue(()), ControlFlow::Break))
    }
}

/// The signed number, or nothing for a negative zero: every integer has exactly one (magnitude, sign).
#[inline]
fn signed(magnitude: Integer, negative: bool) -> Option<Integer> {
    match (negative, magnitude.is_zero()) {
        (true, true) => None,
        (true, false) => Some(magnitude.neg()),
        (false, _) => Some(magnitude),
    }
}
