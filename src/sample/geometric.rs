//! The geometric distribution with parameter e^(-1/scale): the magnitude of discrete Laplace noise.

use core::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer as _;

use super::{Count, Interpreter, Program, Step, Width, bernoulli_exp, program::samples_its_kernel, uniform};
use crate::exact::{Integer, Natural, Positive};

/// One-sided geometric noise: P(k) = (1 − e^(-1/s))·e^(-k/s) for k = 0, 1, 2, …
///
/// # Algorithm
///
/// With t = ⌈s⌉, write k = u + t·v, a bijection between k ≥ 0 and the pairs (u, v) with 0 ≤ u < t and v ≥ 0.
/// Then e^(-k/s) = e^(-u/s)·(e^(-t/s))^v, so u and v are independent: u is uniform below t, accepted with
/// probability e^(-u/s), and v counts coins of e^(-t/s). (Canonne, Kamath, Steinke 2020, Algorithm 2 splits
/// with the numerator of s in place of ⌈s⌉, whose cost grows with the denominator.) Since u ≤ t − 1 < s, the
/// exponent u/s is below 1, and t/s ≥ 1 makes v short.
///
/// ```
/// use certus::{bits::seeded, exact::{Positive, Rational}, sample::{Geometric, Program}};
///
/// let noise = Geometric::new(&Positive::new(Rational::new(5.into(), 2.into()))?);
/// assert!(noise.sample(&mut seeded([0; 32]))?.to_i64() >= Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Geometric {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Geometric {
    /// The distribution with scale `s` = `scale`.
    #[must_use]
    pub fn new(scale: &Positive) -> Self {
        Self { kernel: kernel(scale.numerator(), scale.denominator()) }
    }
}

samples_its_kernel!(Geometric, Integer);

/// The kernel for a positive scale, at the narrowest width that holds it.
pub(crate) fn kernel(numerator: &BigUint, denominator: &BigUint) -> Width<Kernel<u64>, Kernel<BigUint>> {
    match Kernel::narrow(numerator, denominator) {
        Some(kernel) => Width::Word(kernel),
        None => {
            let t = numerator.div_ceil(denominator);
            Width::Big(Kernel::new(numerator.clone(), denominator.clone(), t.clone(), &(t * denominator)))
        }
    }
}

/// Geometric noise with scale numerator/denominator at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    numerator: N,
    denominator: N,
    /// t = ⌈scale⌉ ≥ 1.
    t: N,
    /// Uniform below t.
    u: uniform::Kernel<N>,
    /// Counts coins of e^(-t/scale).
    v: Count<bernoulli_exp::Kernel<N>>,
}

impl<N: Natural> Kernel<N> {
    /// `exponent` is t·denominator, whose quotient by the numerator is t/scale.
    fn new(numerator: N, denominator: N, t: N, exponent: &N) -> Self {
        let v = Count(bernoulli_exp::Kernel::new(exponent, numerator.clone()));
        Self { numerator, denominator, u: uniform::Kernel::new(t.clone()), v, t }
    }

    /// The kernel for a positive scale, if numerator, denominator and ⌈scale⌉·denominator fit the width.
    pub(crate) fn narrow(numerator: &BigUint, denominator: &BigUint) -> Option<Self> {
        Self::at(N::from_big(numerator)?, N::from_big(denominator)?)
    }

    /// The kernel for a positive scale at this width, if ⌈scale⌉·denominator fits it too.
    fn at(numerator: N, denominator: N) -> Option<Self> {
        let (quotient, remainder) = numerator.div_rem(&denominator);
        let t = if remainder == N::zero() { quotient } else { quotient.checked_add(&N::one())? };
        let exponent = t.checked_mul(&denominator)?;
        Some(Self::new(numerator, denominator, t, &exponent))
    }
}

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = Integer;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let u = on.call(&self.u)?;
        // u < t = ⌈numerator/denominator⌉ gives u·denominator < numerator: it fits, and the exponent is
        // below 1.
        let exponent = u.checked_mul(&self.denominator).ok_or_else(|| on.overflow())?;
        let accept = bernoulli_exp::Unit { numerator: exponent, denominator: self.numerator.clone() };
        if !on.call(&accept)? {
            return Ok(ControlFlow::Continue(()));
        }
        let v = on.call(&self.v)?;
        Ok(ControlFlow::Break(join(&u, &self.t, v)))
    }
}

/// u + t·v, on words while it fits.
#[inline]
fn join<N: Natural>(u: &N, t: &N, v: u64) -> Integer {
    join_within(u, t, v).map_or_else(|| Integer::from(u.to_big() + t.to_big() * v), Integer::from)
}

/// u + t·v, if the width and a word hold it.
#[inline]
fn join_within<N: Natural>(u: &N, t: &N, v: u64) -> Option<u64> {
    N::from_word(v).and_then(|v| t.checked_mul(&v)?.checked_add(u)?.to_word())
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/geometric.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::widths::{same_on_a_stream, same_on_every_tape};

    /// k ≥ 0 and the pairs (u, v) with u < t are the same thing, within the width and past it.
    #[test]
    fn join_is_a_bijection() {
        for t in 1..=u8::MAX {
            let pairs = (0..5u64).flat_map(|v| (0..t).map(move |u| (u, v)));
            let joined: alloc::vec::Vec<_> = pairs.map(|(u, v)| join(&u, &t, v)).collect();
            let expected: alloc::vec::Vec<_> = (0..5 * u64::from(t)).map(Integer::from).collect();
            assert_eq!(joined, expected);
        }
    }

    #[test]
    fn join_goes_on_where_the_word_ends() {
        let expected = |u: u64, t: u64, v: u64| Integer::from(BigUint::from(u) + BigUint::from(t) * v);
        for (u, t, v) in
            [(0, 1, u64::MAX), (5, 7, u64::MAX), (u64::MAX - 1, u64::MAX, 1), (u64::MAX - 1, u64::MAX, u64::MAX)]
        {
            assert_eq!(join(&u, &t, v), expected(u, t, v));
        }
        assert_eq!(join(&254u8, &255u8, u64::MAX), expected(254, 255, u64::MAX));
    }

    fn at<N: Natural>(numerator: u64, denominator: u64) -> Kernel<N> {
        Kernel::narrow(&numerator.into(), &denominator.into()).unwrap()
    }

    #[test]
    fn a_width_changes_nothing() {
        // Bytes: outputs past 255 and coins past the width.
        for (numerator, denominator) in
            [(1, 1), (5, 2), (1, 3), (13, 11), (100, 1), (255, 1), (250, 251), (1, 255), (127, 2)]
        {
            same_on_every_tape(
                &at::<u8>(numerator, denominator),
                &at::<BigUint>(numerator, denominator),
                14,
                |a, b| a == b,
            );
            same_on_a_stream(
                &at::<u8>(numerator, denominator),
                &at::<BigUint>(numerator, denominator),
                3000,
                |a, b| a == b,
            );
            same_on_a_stream(&at::<u16>(numerator, denominator), &at::<u128>(numerator, denominator), 3000, |a, b| {
                a == b
            });
        }
        // Words: outputs past 2^64.
        let wide = [
            (u64::MAX, 1),
            (u64::MAX - 2, 2),
            (1 << 63, 1),
            (1, u64::MAX),
            (49_999_999, 1_000_000),
            (u64::MAX - 1, u64::MAX),
        ];
        for (numerator, denominator) in wide {
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

    /// The word is left exactly where ⌈scale⌉·denominator does not fit it.
    #[test]
    fn the_narrowest_width() {
        let width = |n: BigUint, d: u64| matches!(kernel(&n, &d.into()), Width::Word(_));
        assert!(width(u64::MAX.into(), 1));
        assert!(!width(BigUint::from(u64::MAX) + 1u32, 1));
        assert!(width((u64::MAX - 1).into(), u64::MAX));
        // ⌈(2^64 − 1)/2⌉·2 = 2^64.
        assert!(!width(u64::MAX.into(), 2));
        assert!(width((u64::MAX - 2).into(), 2));
    }
}
