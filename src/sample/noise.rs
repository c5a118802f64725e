//! Laplace and Gaussian noise by any of their samplers: one type each, so that a mechanism has one type
//! however it draws.

use alloc::vec;

use super::{
    FillError, Gaussian, Interpreter, Laplace, PreparedGaussian, PreparedLaplace, Program, Sample, Step,
    fixed::{FixedError, FixedGaussian, FixedLaplace, Mode},
    prepared,
};
use crate::{
    bits::{Bits, BitsError},
    exact::{Integer, Positive},
};

/// Which sampler draws: all draw from the same distribution, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Sampler {
    /// The short one, which is certified and proven; nothing is built beforehand.
    #[default]
    Reference,
    /// From tables that are built once: the fastest for many samples.
    Prepared,
    /// By work that says nothing about the noise ([`fixed`](super::fixed)).
    Fixed(Mode),
}

/// How many samples are drawn at a time.
const BULK: usize = 1024;

/// Fills with what a fixed-work sampler puts in words.
fn fill_words<T: Sample>(
    out: &mut [T],
    fill: impl FnOnce(&mut [i64]) -> Result<(), BitsError>,
) -> Result<(), FillError> {
    if let Some(words) = T::words(out) {
        return Ok(fill(words)?);
    }
    let mut words = vec![0; out.len()];
    fill(&mut words)?;
    out.iter_mut().zip(words).for_each(|(slot, word)| *slot = T::of_word(word));
    Ok(())
}

/// Adds what a fixed-work sampler puts in words, by work that does not depend on it; the answer is how many
/// sums were clamped.
fn add_words(
    values: &mut [i64],
    mut fill: impl FnMut(&mut [i64]) -> Result<(), BitsError>,
) -> Result<usize, BitsError> {
    let mut words = [0; BULK];
    let mut clamped = 0_usize;
    for values in values.chunks_mut(BULK) {
        let words = words.get_mut(..values.len()).unwrap_or_default();
        fill(words)?;
        for (value, word) in values.iter_mut().zip(words) {
            let (_, overflows) = value.overflowing_add(*word);
            *value = value.saturating_add(*word);
            clamped = clamped.saturating_add(usize::from(overflows));
        }
    }
    Ok(clamped)
}

macro_rules! noise {
    ($(#[$about:meta])* $noise:ident: $reference:ident, $prepared:ident, $fixed:ident, $new:ident($parameter:ident)) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant, reason = "a mechanism holds one of them, behind a pointer")]
        pub enum $noise {
            /// By the reference sampler.
            Reference($reference),
            /// By the prepared one.
            Prepared($prepared),
            /// By the fixed-work one.
            Fixed($fixed),
        }

        impl $noise {
            /// The noise by a sampler.
            ///
            /// # Errors
            ///
            /// If it is too wide for the fixed-work sampler; the others take any.
            pub fn new($parameter: &Positive, sampler: Sampler) -> Result<Self, FixedError> {
                Ok(match sampler {
                    Sampler::Reference => Self::Reference($reference::$new($parameter)),
                    Sampler::Prepared => Self::Prepared($prepared::$new($parameter)),
                    Sampler::Fixed(mode) => Self::Fixed($fixed::$new($parameter, mode)?),
                })
            }

            /// The name of the sampler that draws: `reference`, `prepared` or `fixed`. (Noise too wide for
            /// tables is drawn by the reference sampler.)
            #[must_use]
            pub fn sampler(&self) -> &'static str {
                match self {
                    Self::Prepared(noise) if noise.construction() != "reference" => "prepared",
                    Self::Reference(_) | Self::Prepared(_) => "reference",
                    Self::Fixed(_) => "fixed",
                }
            }

            /// Fills a slice with independent samples.
            ///
            /// # Errors
            ///
            /// If the source fails, or if a sample does not fit `T`, which never happens to an [`Integer`]
            /// but by the fixed-work sampler, with a probability below 2^-180. What the slice holds then must
            /// not be released: that a sample did not fit says something about it.
            pub fn fill<T: Sample, B: Bits + ?Sized>(&self, bits: &mut B, out: &mut [T]) -> Result<(), FillError> {
                match self {
                    Self::Reference(noise) => {
                        bits.begin()?;
                        prepared::fill_by_reference(noise, bits, out)
                    }
                    Self::Prepared(noise) => noise.fill(bits, out),
                    Self::Fixed(noise) => fill_words(out, |words| noise.fill(bits, words)),
                }
            }

            /// Adds an independent sample to each value; the answer is how many sums were past 64 bits and
            /// were clamped.
            ///
            /// # Errors
            ///
            /// If the source fails. Every value is then overwritten with 0: those that had no noise yet are
            /// private.
            pub fn add_noise<B: Bits + ?Sized>(&self, bits: &mut B, values: &mut [i64]) -> Result<usize, BitsError> {
                let noised = match self {
                    Self::Reference(noise) => {
                        bits.begin().and_then(|()| prepared::add_noise_by_reference(noise, bits, values))
                    }
                    Self::Prepared(noise) => noise.add_noise(bits, values),
                    Self::Fixed(noise) => add_words(values, |words| noise.fill(bits, words)),
                };
                noised.inspect_err(|_| values.fill(0))
            }
        }

        impl Program for $noise {
            type State = ();
            type Output = Integer;

            #[inline]
            fn start(&self) {}

            #[inline]
            fn step<I: Interpreter>(&self, (): (), on: &mut I) -> Step<Self, I> {
                Ok(core::ops::ControlFlow::Break(match self {
                    Self::Reference(noise) => on.call(noise)?,
                    Self::Prepared(noise) => on.call(noise)?,
                    Self::Fixed(noise) => on.call(noise)?,
                }))
            }

            fn bulk<B: Bits + ?Sized>(
                &self,
                bits: &mut B,
                count: u64,
                put: &mut dyn FnMut(Integer),
            ) -> Result<(), BitsError> {
                let mut samples = vec![Integer::ZERO; BULK];
                let mut drawn = 0;
                while drawn < count {
                    let most = usize::try_from(count - drawn).unwrap_or(BULK).min(BULK);
                    let samples = samples.get_mut(..most).unwrap_or_default();
                    self.fill(bits, samples).map_err(|error| match error {
                        FillError::Bits(error) => error,
                        // An `Integer` holds any sample.
                        FillError::TooWide => BitsError::Overflow,
                    })?;
                    samples.iter_mut().for_each(|sample| put(core::mem::replace(sample, Integer::ZERO)));
                    drawn += most as u64;
                }
                Ok(())
            }
        }
    };
}

noise! {
    /// Discrete Laplace noise: P(k) = (1 − e^(-1/s))/(1 + e^(-1/s)) · e^(-|k|/s) for every integer k.
    LaplaceNoise: Laplace, PreparedLaplace, FixedLaplace, new(scale)
}

noise! {
    /// Discrete Gaussian noise: P(k) = e^(-k²/2σ²)/Z for every integer k, with Z = Σ_j e^(-j²/2σ²).
    GaussianNoise: Gaussian, PreparedGaussian, FixedGaussian, with_variance(variance)
}
