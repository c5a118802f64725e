//! Fixed-work samplers: the same exact noise, by work that says nothing about it.
//!
//! How long a release takes can be seen from outside, and the plain samplers take longer for larger noise:
//! attacks that read the noise off the clock are published. Here the *trace* of a sample (its branches, its
//! addresses and the number of its trials) is independent of the sample, except on an event of probability β
//! a sample:
//!
//! | | bound of β | from comparisons of |
//! | --- | --- | --- |
//! | [`Mode::Standard`] | 2^-53 | 64 bits |
//! | [`Mode::Wide`] | 2^-100 | 128 bits |
//!
//! [`FixedGaussian::beta`] and [`FixedLaplace::beta`] give the bound for the sampler at hand, as an exact
//! rational. **What it costs.** If the trace is released with the output, n samples of an (ε, δ) mechanism
//! are (ε, δ + n·(1 + e^ε)·β): on either of two neighbouring inputs the pair (output, trace) is within n·β in
//! total variation of a pair whose trace is independent noise. Filling a slice of n counts as n. `cost`
//! computes n·(1 + e^ε)·β.
//!
//! # How a sample is drawn
//!
//! A trial draws a fixed number of words. Tables are scanned in full; e^-x comes from a polynomial on
//! integers; the sign is a mask; a slice is written at every trial and the position moves on by the accept
//! bit. Three constructions (`shape.rs`, `digits.rs`):
//!
//! | construction | for | a trial | words a trial |
//! | --- | --- | --- | --- |
//! | direct | σ < 4, scale ≤ 1 | \|k\| from a table | 1 |
//! | bucketed | σ ≥ 4 | bucket from a table, offset accepted with e^-x | 3 |
//! | digits | scale > 1 | two digits of the bucket from a table each; from scale 4 on, an offset as above | 2, or 4 |
//!
//! Some trials are rejected, whatever the noise: trials are independent and alike, so their number is
//! independent of the sample.
//!
//! # Exact all the same
//!
//! Every comparison is that of a uniform real number, of which the first 64 (or 128) digits are drawn, with a
//! real number F, a value of a distribution function or e^-x. The digits decide unless F is among the numbers
//! that begin with them, or within the stated error: then the trial is *ambiguous*, and an exact path decides
//! the very same comparison with more digits of the same number and ever narrower enclosures of F. Tables end
//! where less than about 2^-57 (2^-104) is beyond them; that end is open, not cut: a number beyond it is
//! ambiguous too. The ambiguous event is the event of probability β, and the only one in which the work
//! depends on the noise. Rounding decides nothing.
//!
//! # What is not promised
//!
//! The work is independent of the noise, not constant: a rejected trial and a refill of the generator take
//! time. What a caller does with the noise (adding, printing, sending) is the caller's. Processors whose
//! multiplication depends on its operands exist (some small embedded ones); there this promise ends.
//! `audits/timing` measures it, and checks the compiled code.

mod acceptance;
mod digits;
pub(crate) mod edges;
mod inversion;
pub(crate) mod kernel;
mod lazy;
mod polynomial;
mod shape;
#[cfg(test)]
#[expect(clippy::float_arithmetic, clippy::cast_precision_loss, reason = "the statistics of the tests")]
mod tests;
mod word;

use num_bigint::{BigInt, BigUint};
use num_traits::One;

use word::Word;

use edges::{Edge, Stated};
use kernel::Kernel;

use super::{Width, program::samples_its_kernel};
use crate::{
    bits::{Bits, BitsError},
    exact::{Enclosure, Integer, NonNegative, Positive, Rational, exp_neg},
};

/// log2 of the largest σ or scale: beyond it, noise that is not rare would pass an `i64`.
pub const MOST_SCALE_BITS: u32 = 56;

/// How improbable the event is in which the work depends on the noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Mode {
    /// β ≤ 2^-53.
    #[default]
    Standard,
    /// β ≤ 2^-100, at about twice the cost.
    Wide,
}

impl Mode {
    /// −log2 of the bound of β.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Standard => 53,
            Self::Wide => 100,
        }
    }
}

/// Why there is no fixed-work sampler for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedError {
    /// σ or the scale is over 2^[`MOST_SCALE_BITS`].
    #[error("the fixed-work sampler takes a scale or sigma up to 2^56")]
    TooWide,
    /// The construction did not reach its bound of β: no parameter is known for which this happens.
    #[error("the fixed-work sampler cannot bound its ambiguous event for this parameter")]
    TooAmbiguous,
}

/// The kernel at either width, with its β.
type Sampler = Width<Kernel<u64>, Kernel<u128>>;

/// Builds at the width of the mode, and holds the construction to the bound of the mode.
fn build(
    mode: Mode,
    standard: impl FnOnce() -> Option<Kernel<u64>>,
    wide: impl FnOnce() -> Option<Kernel<u128>>,
) -> Result<(Sampler, Rational), FixedError> {
    let built = match mode {
        Mode::Standard => standard().and_then(|kernel| Some((kernel.beta()?, Width::Word(kernel)))),
        Mode::Wide => wide().and_then(|kernel| Some((kernel.beta()?, Width::Big(kernel)))),
    };
    let (beta, kernel) = built.ok_or(FixedError::TooAmbiguous)?;
    if beta > Rational::new(1.into(), BigInt::one() << mode.bits()) {
        return Err(FixedError::TooAmbiguous);
    }
    Ok((kernel, beta))
}

/// min(n·(1 + e^ε)·β, 1), enclosed.
fn cost(beta: &Rational, draws: u64, epsilon: &NonNegative) -> Enclosure {
    let one = Enclosure::from_integer(1, 0);
    // β is at least 2^-127 wherever it is not 0: at this ε the product is over 1.
    if draws > 0 && *epsilon.get() > Rational::from_integer(128.into()) {
        return one;
    }
    // e^-128 > 2^-185, so e^ε is enclosed to a relative width of about 2^-320.
    let Some(exp) = Enclosure::from_integer(1, 512).div(&exp_neg(epsilon, 512)) else { return one };
    let cost = exp.add(&one).mul_rational(beta).mul_rational(&Rational::from_integer(draws.into()));
    match Enclosure::from_bounds(&cost.lower().min(Rational::one()), &cost.upper().min(Rational::one()), 320) {
        Some(capped) => capped,
        None => one,
    }
}

macro_rules! fixed_sampler {
    ($sampler:ident) => {
        impl $sampler {
            /// An upper bound of β, exact: the probability that the work of a sample depends on it.
            #[must_use]
            pub fn beta(&self) -> &Rational {
                &self.beta
            }

            /// What the traces of `draws` samples add to the δ of an (ε, δ) mechanism, at most: min(n·(1 +
            /// e^ε)·β, 1), enclosed.
            #[must_use]
            pub fn cost(&self, draws: u64, epsilon: &NonNegative) -> Enclosure {
                cost(&self.beta, draws, epsilon)
            }

            /// Visits what the words of a trial settle; the answer is how many digits are counted.
            pub(crate) fn settled(&self, visit: &mut shape::Visit<'_>) -> Option<u32> {
                match &self.kernel {
                    Width::Word(kernel) => kernel.settled(visit),
                    Width::Big(kernel) => kernel.settled(visit),
                }
            }

            /// Tapes on both sides of every edge, and what they give.
            pub(crate) fn edges(&self) -> Option<alloc::vec::Vec<Edge>> {
                match &self.kernel {
                    Width::Word(kernel) => kernel.edges(),
                    Width::Big(kernel) => kernel.edges(),
                }
            }

            /// What the acceptance states about its error, if there is one.
            pub(crate) fn stated(&self) -> Option<Stated> {
                match &self.kernel {
                    Width::Word(kernel) => kernel.stated(),
                    Width::Big(kernel) => kernel.stated(),
                }
            }

            /// Fills a slice with independent samples: the same as one sample after another, but much faster.
            ///
            /// (The same samples, too, from the same source, unless one of them is ambiguous: then the exact
            /// path draws its digits after those of up to 31 trials to come.)
            ///
            /// # Errors
            ///
            /// If the source fails, or noise passes 64 bits, as with a probability below 2^-180; what the
            /// slice holds then must not be used.
            pub fn fill<B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [i64]) -> Result<(), BitsError> {
                match &self.kernel {
                    Width::Word(kernel) => kernel.fill(bits, out),
                    Width::Big(kernel) => kernel.fill(bits, out),
                }
            }
        }
    };
}

/// Discrete Gaussian noise by fixed work: P(k) = e^(-k²/2σ²)/Z for every integer k, with Z = Σ_j e^(-j²/2σ²).
///
/// ```
/// use certus::{bits::SystemBits, exact::{Positive, Rational}, sample::{fixed::{FixedGaussian, Mode}, Program}};
///
/// let noise = FixedGaussian::new(&Positive::new(Rational::from_integer(1000.into()))?, Mode::Standard)?;
/// assert!(*noise.beta() < Rational::new(1.into(), (1u64 << 53).into()));
///
/// let mut bits = SystemBits::new()?;
/// let mut many = [0; 100];
/// noise.fill(&mut bits, &mut many)?;
/// println!("{} {many:?}", noise.sample(&mut bits)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixedGaussian {
    kernel: Sampler,
    beta: Rational,
}

impl FixedGaussian {
    /// The sampler with standard parameter σ = `sigma`.
    ///
    /// # Errors
    ///
    /// If σ is over 2^[`MOST_SCALE_BITS`].
    pub fn new(sigma: &Positive, mode: Mode) -> Result<Self, FixedError> {
        Self::with_variance(&sigma.square(), mode)
    }

    /// The sampler with σ² = `variance`, whose root need not be rational.
    ///
    /// # Errors
    ///
    /// If σ is over 2^[`MOST_SCALE_BITS`].
    pub fn with_variance(variance: &Positive, mode: Mode) -> Result<Self, FixedError> {
        if *variance.numerator() > variance.denominator() * (BigUint::one() << (2 * MOST_SCALE_BITS)) {
            return Err(FixedError::TooWide);
        }
        let (kernel, beta) = build(mode, || Kernel::gaussian(variance), || Kernel::gaussian(variance))?;
        Ok(Self { kernel, beta })
    }
}

fixed_sampler!(FixedGaussian);
samples_its_kernel!(FixedGaussian, Integer);

/// Discrete Laplace noise by fixed work: P(k) = (1 − e^(-1/s))/(1 + e^(-1/s)) · e^(-|k|/s) for every integer
/// k.
///
/// ```
/// use certus::{bits::seeded, exact::{NonNegative, Positive, Rational}, sample::fixed::{FixedLaplace, Mode}};
///
/// let noise = FixedLaplace::new(&Positive::new(Rational::new(5.into(), 2.into()))?, Mode::Wide)?;
/// let mut many = [0; 3];
/// noise.fill(&mut seeded([7; 32]), &mut many)?;
///
/// // A million samples, their traces released with them, at ε = 2/5: δ is 0 + less than 2^-79.
/// let epsilon = NonNegative::new(Rational::new(2.into(), 5.into()))?;
/// assert!(noise.cost(1_000_000, &epsilon).upper() < Rational::new(1.into(), (1u128 << 79).into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixedLaplace {
    kernel: Sampler,
    beta: Rational,
}

impl FixedLaplace {
    /// The sampler with scale `s` = `scale`.
    ///
    /// # Errors
    ///
    /// If the scale is over 2^[`MOST_SCALE_BITS`].
    pub fn new(scale: &Positive, mode: Mode) -> Result<Self, FixedError> {
        if *scale.numerator() > scale.denominator() * (BigUint::one() << MOST_SCALE_BITS) {
            return Err(FixedError::TooWide);
        }
        let (kernel, beta) = build(mode, || Kernel::laplace(scale), || Kernel::laplace(scale))?;
        Ok(Self { kernel, beta })
    }
}

fixed_sampler!(FixedLaplace);
samples_its_kernel!(FixedLaplace, Integer);
