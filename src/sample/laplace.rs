//! The discrete Laplace distribution, also called symmetric geometric.

use core::ops::ControlFlow;

use num_bigint::BigUint;

use super::{Interpreter, Program, Step, Width, geometric, program::samples_its_kernel};
use crate::exact::{Integer, Natural, Positive};

/// Discrete Laplace noise: P(k) = (1 − e^(-1/s))/(1 + e^(-1/s)) · e^(-|k|/s) for every integer k.
///
/// # Algorithm
///
/// A [`Geometric`](super::Geometric) magnitude and a fair sign; a negative zero is rejected, so that zero is
/// not counted twice.
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

/// The kernel of an integer scale on big integers, whether or not it fits a word.
#[cfg(test)]
pub(crate) fn wide(scale: &BigUint) -> Kernel<BigUint> {
    let magnitude = geometric::Kernel::narrow(scale, &BigUint::from(1u32));
    Kernel { magnitude: magnitude.unwrap() }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/laplace.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::widths::{same_on_a_stream, same_on_every_tape};

    /// Every integer comes from exactly one magnitude and sign, and only the negative zero from none.
    #[test]
    fn signed_is_a_bijection() {
        let pairs = (0..100u64).flat_map(|magnitude| [(magnitude, false), (magnitude, true)]);
        let mut all: alloc::vec::Vec<_> = pairs.filter_map(|(m, negative)| signed(m.into(), negative)).collect();
        all.sort();
        assert_eq!(all, (-99..100i64).map(Integer::from).collect::<alloc::vec::Vec<_>>());
        assert_eq!(signed(Integer::ZERO, true), None);
        // The one word whose negation is a word though it is none: 2^63.
        assert_eq!(signed(Integer::from(1u64 << 63), true), Some(Integer::from(i64::MIN)));
    }

    fn at<N: Natural>(numerator: u64, denominator: u64) -> Kernel<N> {
        Kernel { magnitude: geometric::Kernel::narrow(&numerator.into(), &denominator.into()).unwrap() }
    }

    #[test]
    fn a_width_changes_nothing() {
        for (numerator, denominator) in [(1, 1), (5, 2), (1, 3), (250, 1), (250, 251)] {
            same_on_every_tape(
                &at::<u8>(numerator, denominator),
                &at::<BigUint>(numerator, denominator),
                14,
                |a, b| a == b,
            );
            same_on_a_stream(&at::<u8>(numerator, denominator), &at::<u64>(numerator, denominator), 3000, |a, b| {
                a == b
            });
        }
        for (numerator, denominator) in [(1, 1), (5, 2), (355, 113), (u64::MAX, 1), (u64::MAX - 1, u64::MAX)] {
            same_on_a_stream(
                &at::<u64>(numerator, denominator),
                &at::<BigUint>(numerator, denominator),
                3000,
                |a, b| a == b,
            );
            same_on_a_stream(&at::<u64>(numerator, denominator), &at::<u128>(numerator, denominator), 3000, |a, b| {
                a == b
            });
        }
    }
}
