//! The discrete Gaussian distribution.

use core::ops::ControlFlow;

use num_bigint::BigUint;
use num_integer::Integer as _;

use super::{Interpreter, Program, Step, Width, bernoulli_exp, laplace, program::samples_its_kernel};
use crate::exact::{Integer, Natural, Positive};

/// Discrete Gaussian noise: P(k) = e^(-k²/2σ²)/Z for every integer k, with Z = Σ_j e^(-j²/2σ²).
///
/// Its variance is at most σ², and close to it for σ ≥ 1.
///
/// # Algorithm
///
/// Follows Algorithm 3 of Canonne, Kamath, Steinke 2020: draw y from discrete Laplace of scale t and accept
/// it with probability e^(-(|y| − σ²/t)²/2σ²), since e^(-|y|/t)·e^(-(|y| − σ²/t)²/2σ²) =
/// e^(-y²/2σ²)·e^(-σ²/2t²). Any t > 0 will do; the paper takes ⌊σ⌋ + 1, we take t = ⌈σ⌉, which accepts more
/// often where they differ (0.70 for 0.54 at σ = 1).
///
/// # Evidence
///
/// Proof of the distribution, for every σ²: `gaussian_probability` in `proofs/coq/samplers/Gaussian.v`.
/// Overflow: operations on
/// words are checked, and what does not fit goes on in big integers (`exact::natural`); the exponent by Kani,
/// in `proofs/sample/gaussian.rs`. Tests: below, `goodness_of_fit` and `frozen` in `tests`, `certificates`
/// and `mutants_are_caught` in `crates/audit/tests`. Function by function: `proofs/STATUS.md`.
///
/// ```
/// use certus::{bits::SystemBits, exact::{Positive, Rational}, sample::{Gaussian, Program}};
///
/// let noise = Gaussian::new(&Positive::new(Rational::from_integer(10.into()))?);
/// println!("{}", noise.sample(&mut SystemBits::new()?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gaussian {
    kernel: Width<Kernel<u64>, Kernel<BigUint>>,
}

impl Gaussian {
    /// The distribution with standard parameter σ = `sigma`.
    #[must_use]
    pub fn new(sigma: &Positive) -> Self {
        Self::of(&sigma.numerator().pow(2), &sigma.denominator().pow(2))
    }

    /// The distribution with σ² = `variance`, whose root need not be rational.
    #[must_use]
    pub fn with_variance(variance: &Positive) -> Self {
        Self::of(variance.numerator(), variance.denominator())
    }

    /// σ² = numerator/denominator, both positive.
    fn of(numerator: &BigUint, denominator: &BigUint) -> Self {
        let t = ceil_sqrt(&numerator.div_ceil(denominator));
        // σ²/t = b/a in lowest terms.
        let scaled = denominator * &t;
        let divisor = scaled.gcd(numerator);
        let (a, b) = (scaled / &divisor, numerator / &divisor);
        let denominator = BigUint::from(2u32) * &t * &a * &b;
        let candidate = laplace::kernel(&t, &BigUint::from(1u32));
        let word = (u64::from_big(&a), u64::from_big(&b), u64::from_big(&denominator));
        let kernel = match word {
            (Some(a), Some(b), Some(denominator)) => Width::Word(Kernel { candidate, a, b, denominator }),
            _ => Width::Big(Kernel { candidate, a, b, denominator }),
        };
        Self { kernel }
    }
}

samples_its_kernel!(Gaussian, Integer);

/// ⌈√n⌉. For an integer t, t² ≥ σ² iff t² ≥ ⌈σ²⌉, so that this of ⌈σ²⌉ is ⌈σ⌉.
fn ceil_sqrt(n: &BigUint) -> BigUint {
    let root = n.sqrt();
    if &root * &root == *n { root } else { root + 1u32 }
}

/// Discrete Gaussian noise, its acceptance at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kernel<N> {
    /// Discrete Laplace of scale t, which may fit a word where the acceptance does not.
    candidate: Width<laplace::Kernel<u64>, laplace::Kernel<BigUint>>,
    /// b/a = σ²/t in lowest terms.
    a: N,
    b: N,
    /// 2·t·a·b.
    denominator: N,
}

/// The numerator (|y|·a − b)² of the exponent (|y| − σ²/t)²/2σ² = (|y|·a − b)²/(2·t·a·b), or `None` where it
/// does not fit.
#[inline]
fn exponent<N: Natural>(magnitude: &N, a: &N, b: &N) -> Option<N> {
    let scaled = magnitude.checked_mul(a)?;
    let difference = if scaled >= *b { scaled.checked_sub(b)? } else { b.checked_sub(&scaled)? };
    difference.checked_mul(&difference)
}

impl<N: Natural> Program for Kernel<N> {
    type State = ();
    type Output = Integer;

    #[inline]
    fn start(&self) {}

    #[inline]
    fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
        let y = on.call(&self.candidate)?;
        let numerator = y.magnitude_word().and_then(N::from_word).and_then(|y| exponent(&y, &self.a, &self.b));
        let accept = match numerator {
            Some(numerator) => on.call(&bernoulli_exp::Kernel::new(&numerator, self.denominator.clone()))?,
            // Past the word: the same exponent on big integers, whose coin draws the same bits.
            None => {
                let numerator = exponent(&y.magnitude(), &self.a.to_big(), &self.b.to_big());
                // Never taken: big integers hold every product, and the smaller is subtracted from the
                // larger.
                let numerator = numerator.ok_or_else(|| on.overflow())?;
                on.call(&bernoulli_exp::Kernel::new(&numerator, self.denominator.to_big()))?
            }
        };
        Ok(if accept { ControlFlow::Break(y) } else { ControlFlow::Continue(()) })
    }
}

#[cfg(any(kani, test))]
#[path = "../../proofs/sample/gaussian.rs"]
mod proofs;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        exact::Rational,
        sample::widths::{same_on_a_stream, same_on_every_tape},
    };

    fn variance(numerator: u64, denominator: u64) -> Positive {
        Positive::new(Rational::new(numerator.into(), denominator.into())).unwrap()
    }

    /// The sampler's kernel at another width, where it fits, over the candidate's big integers.
    fn at<N: Natural>(variance: &Positive) -> Option<Kernel<N>> {
        let t = ceil_sqrt(&variance.numerator().div_ceil(variance.denominator()));
        let magnitude = laplace::wide(&t);
        let (a, b, denominator) = match Gaussian::with_variance(variance).kernel {
            Width::Word(kernel) => (kernel.a.to_big(), kernel.b.to_big(), kernel.denominator.to_big()),
            Width::Big(kernel) => (kernel.a, kernel.b, kernel.denominator),
        };
        let (a, b, denominator) = (N::from_big(&a)?, N::from_big(&b)?, N::from_big(&denominator)?);
        Some(Kernel { candidate: Width::Big(magnitude), a, b, denominator })
    }

    #[test]
    fn roots_are_rounded_up() {
        for n in 0..5000u32 {
            let root = u32::try_from(ceil_sqrt(&n.into())).unwrap();
            assert!(root * root >= n && (root == 0 || (root - 1) * (root - 1) < n), "{n}");
        }
        let square = BigUint::from(1u32) << 80u32;
        assert_eq!(ceil_sqrt(&square), BigUint::from(1u64 << 40));
        assert_eq!(ceil_sqrt(&(&square + 1u32)), BigUint::from((1u64 << 40) + 1));
        assert_eq!(ceil_sqrt(&(&square - 1u32)), BigUint::from(1u64 << 40));
    }

    /// (|y|·a − b)²/(2·t·a·b) is (|y| − σ²/t)²/2σ², with t = ⌈σ⌉, on rationals.
    #[test]
    fn the_exponent_on_paper() {
        for numerator in 1..40u64 {
            for denominator in 1..12u64 {
                let sigma_squared = Rational::new(numerator.into(), denominator.into());
                let kernel: Kernel<BigUint> = at(&variance(numerator, denominator)).unwrap();
                let t = (1u64..).find(|&t| Rational::from_integer((t * t).into()) >= sigma_squared).unwrap();
                let t = Rational::from_integer(t.into());
                for y in 0..12u64 {
                    let difference = Rational::from_integer(y.into()) - &sigma_squared / &t;
                    let paper = &difference * &difference / (&sigma_squared * Rational::from_integer(2.into()));
                    let ours = exponent(&y.into(), &kernel.a, &kernel.b).unwrap();
                    assert_eq!(Rational::new(ours.into(), kernel.denominator.clone().into()), paper);
                }
            }
        }
    }

    /// Where the width holds it, the exponent is that of big integers; elsewhere it is none.
    #[test]
    fn the_exponent_fits_or_is_none() {
        for y in (0..=u8::MAX).step_by(3) {
            for a in (1..=u8::MAX).step_by(5) {
                for b in (1..=u8::MAX).step_by(7) {
                    let big = exponent(&y.to_big(), &a.to_big(), &b.to_big()).unwrap();
                    let fits = u32::from(y) * u32::from(a) <= 255;
                    assert_eq!(exponent(&y, &a, &b), u8::from_big(&big).filter(|_| fits), "{y} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn a_width_changes_nothing() {
        // At 7/3, a = 6 and b = 7: from |y| = 4 on, 17² does not fit a byte.
        assert_eq!(exponent(&4u8, &6, &7), None);
        for (numerator, denominator) in [(1, 1), (4, 1), (7, 3), (1, 3), (9, 1)] {
            let sigma_squared = variance(numerator, denominator);
            let (narrow, big) = (at::<u8>(&sigma_squared).unwrap(), at::<BigUint>(&sigma_squared).unwrap());
            same_on_every_tape(&narrow, &big, 14, |a, b| a == b);
            same_on_a_stream(&narrow, &big, 5000, |a, b| a == b);
            same_on_a_stream(&narrow, &Gaussian::with_variance(&sigma_squared), 5000, |a, b| a == b);
        }
        // At σ² = 2^60, a = 1 and b = t = 2^30: a word's exponent overflows from |y| = 5·2^30 on, one
        // candidate in 150.
        for (numerator, denominator) in [(1 << 60, 1), (1 << 40, 1), (1_000_000_000_001, 3), (100, 1)] {
            let sigma_squared = variance(numerator, denominator);
            let (word, big) = (at::<u64>(&sigma_squared), at::<BigUint>(&sigma_squared).unwrap());
            if let Some(word) = word {
                same_on_a_stream(&word, &big, 3000, |a, b| a == b);
            }
            same_on_a_stream(&at::<u128>(&sigma_squared).unwrap(), &big, 3000, |a, b| a == b);
            same_on_a_stream(&Gaussian::with_variance(&sigma_squared), &big, 3000, |a, b| a == b);
        }
    }
}
