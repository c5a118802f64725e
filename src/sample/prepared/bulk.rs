//! Many samples at a time.

use super::{Execution, Trial};
use crate::{
    bits::{Bits, BitsError},
    exact::Integer,
    sample::{Program, execute},
};

/// What a slice of samples may hold: [`Integer`], `i64` or `i128`.
pub trait Output: Sized + Send + sealed::Sealed {
    /// A sample that fits a machine word.
    fn of_word(sample: i64) -> Self;

    /// A sample of any size, if it fits.
    fn of_integer(sample: Integer) -> Option<Self>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i64 {}
    impl Sealed for i128 {}
    impl Sealed for crate::exact::Integer {}
}

impl Output for i64 {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        sample.to_i64()
    }
}

impl Output for i128 {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample.into()
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        sample.to_big().try_into().ok()
    }
}

impl Output for Integer {
    #[inline]
    fn of_word(sample: i64) -> Self {
        sample.into()
    }

    fn of_integer(sample: Integer) -> Option<Self> {
        Some(sample)
    }
}

/// Why a slice was not filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FillError {
    /// There are no bits.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// A sample does not fit the slice's type. It is neither clamped nor wrapped; an [`Integer`] holds any.
    #[error("a sample does not fit this machine word")]
    TooWide,
}

/// Trials until one is accepted, where the first was not settled.
#[cold]
#[inline(never)]
fn slow<C: Trial, B: Bits + ?Sized>(construction: &C, drawn: C::Drawn, bits: &mut B) -> Result<Integer, BitsError> {
    let on = &mut Execution { bits };
    let mut drawn = drawn;
    loop {
        if let Some(sample) = construction.resolve(&drawn, on)? {
            return Ok(sample);
        }
        // Rejected: everything afresh.
        drawn = construction.draw(on)?;
        if let Some(sample) = construction.settle(&drawn) {
            return Ok(sample.into());
        }
    }
}

pub(super) fn fill<C: Trial, T: Output, B: Bits + ?Sized>(
    construction: &C,
    bits: &mut B,
    out: &mut [T],
) -> Result<(), FillError> {
    for slot in out {
        let drawn = construction.draw(&mut Execution { bits })?;
        *slot = match construction.settle(&drawn) {
            Some(sample) => T::of_word(sample),
            None => T::of_integer(slow(construction, drawn, bits)?).ok_or(FillError::TooWide)?,
        };
    }
    Ok(())
}

pub(super) fn fill_by_reference<T: Output, B: Bits + ?Sized>(
    reference: &impl Program<Output = Integer>,
    bits: &mut B,
    out: &mut [T],
) -> Result<(), FillError> {
    for slot in out {
        *slot = T::of_integer(execute(reference, bits)?).ok_or(FillError::TooWide)?;
    }
    Ok(())
}

pub(super) fn add_noise<C: Trial, B: Bits + ?Sized>(
    construction: &C,
    bits: &mut B,
    values: &mut [i64],
) -> Result<(), BitsError> {
    for value in values {
        let drawn = construction.draw(&mut Execution { bits })?;
        *value = match construction.settle(&drawn) {
            Some(sample) => value.saturating_add(sample),
            None => clamped_sum(*value, &slow(construction, drawn, bits)?),
        };
    }
    Ok(())
}

pub(super) fn add_noise_by_reference<B: Bits + ?Sized>(
    reference: &impl Program<Output = Integer>,
    bits: &mut B,
    values: &mut [i64],
) -> Result<(), BitsError> {
    for value in values {
        *value = clamped_sum(*value, &execute(reference, bits)?);
    }
    Ok(())
}

/// value + noise, formed exactly, then clamped to 64 bits.
fn clamped_sum(value: i64, noise: &Integer) -> i64 {
    let sum = noise.add(&Integer::from(value));
    sum.to_i64().unwrap_or(if sum < Integer::ZERO { i64::MIN } else { i64::MAX })
}

/// An endless iterator of samples; an error where the source fails.
#[derive(Debug)]
pub struct Noise<'s, S, B> {
    sampler: &'s S,
    bits: B,
}

impl<'s, S, B> Noise<'s, S, B> {
    pub(super) fn new(sampler: &'s S, bits: B) -> Self {
        Self { sampler, bits }
    }
}

impl<S: Program<Output = Integer>, B: Bits> Iterator for Noise<'_, S, B> {
    type Item = Result<Integer, BitsError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some(self.sampler.sample(&mut self.bits))
    }
}
