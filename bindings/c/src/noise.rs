//! Exact noise, into arrays of 64-bit integers and onto them.

use std::ffi::c_char;

use core_certus::{
    bits::{Bits, BitsError},
    sample::{FillError, GaussianNoise, LaplaceNoise, Sampler},
};

use crate::{
    border::{self, Out},
    handle::{NoiseHandle, create, find, free},
    number::{constant_of, positive, sampler},
    source::Source,
    status::{CERTUS_OVERFLOW, Failure, Status, status},
};

/// Of noise, CERTUS_PREPARED; of a mechanism, CERTUS_REFERENCE.
pub const CERTUS_DEFAULT: i32 = 0;
/// Tables that are built once: the fastest. Its time depends on the noise.
pub const CERTUS_PREPARED: i32 = 1;
/// Work that says nothing about the noise, up to a scale of 2^56: for where somebody can measure the time.
pub const CERTUS_FIXED: i32 = 2;
/// The short, proven one; nothing is built beforehand. Its time depends on the noise.
pub const CERTUS_REFERENCE: i32 = 3;

/// The noise by its sampler.
pub(crate) enum Noise {
    Laplace(LaplaceNoise),
    Gaussian(GaussianNoise),
}

impl Noise {
    fn sampler(&self) -> &'static str {
        match self {
            Self::Laplace(noise) => noise.sampler(),
            Self::Gaussian(noise) => noise.sampler(),
        }
    }

    fn fill(&self, bits: &mut dyn Bits, out: &mut [i64]) -> Result<(), FillError> {
        match self {
            Self::Laplace(noise) => noise.fill(bits, out),
            Self::Gaussian(noise) => noise.fill(bits, out),
        }
    }

    fn add(&self, bits: &mut dyn Bits, values: &mut [i64]) -> Result<usize, BitsError> {
        match self {
            Self::Laplace(noise) => noise.add_noise(bits, values),
            Self::Gaussian(noise) => noise.add_noise(bits, values),
        }
    }

    /// Samples, or zeros where one of them did not fit.
    pub(crate) fn fill_from(&self, source: &Source, out: &mut [i64]) -> Result<(), Failure> {
        let filled = self.fill(&mut *source.open()?, out);
        filled.map_err(|error| {
            // What was drawn must not be released: that a sample did not fit says something about the rest.
            out.fill(0);
            match error {
                FillError::Bits(error) => error.into(),
                _ => Failure::new(CERTUS_OVERFLOW, "a sample does not fit 64 bits"),
            }
        })
    }

    /// Adds to all values. After an error they are zeros: values without noise are private, and clamped sums
    /// are not what was asked for.
    pub(crate) fn add_from(&self, source: &Source, values: &mut [i64]) -> Result<(), Failure> {
        let added = source.open().map_err(Failure::from).and_then(|mut bits| match self.add(&mut *bits, values)? {
            0 => Ok(()),
            _ => Err(Failure::new(CERTUS_OVERFLOW, "a value with its noise does not fit 64 bits")),
        });
        if added.is_err() {
            values.fill(0);
        }
        added
    }
}

/// What draws where nobody asks for another.
fn or_prepared(constant: i32) -> Result<Sampler, Failure> {
    Ok(sampler(constant)?.unwrap_or(Sampler::Prepared))
}

/// Discrete Laplace noise: P(k) is proportional to e^(-|k|/scale) on all integers k.
///
/// scale: a number above 0 as exact text, such as "5/2" or "0.1". sampler: CERTUS_DEFAULT, CERTUS_PREPARED,
/// CERTUS_FIXED or CERTUS_REFERENCE; all draw from the same distribution, exactly.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_laplace_new(scale: *const c_char, sampler: i32, noise: *mut NoiseHandle) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let scale = positive(&unsafe { border::text(scale, "scale") }?, "scale")?;
        let noise = LaplaceNoise::new(&scale, or_prepared(sampler)?);
        Ok(Noise::Laplace(noise.map_err(|error| Failure::argument("scale", error))?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(noise, make) }
}

/// Discrete Gaussian noise: P(k) is proportional to e^(-k^2/(2*sigma^2)) on all integers k. As
/// certus_laplace_new.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_gaussian_new(sigma: *const c_char, sampler: i32, noise: *mut NoiseHandle) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let sigma = positive(&unsafe { border::text(sigma, "sigma") }?, "sigma")?;
        let noise = GaussianNoise::new(&sigma.square(), or_prepared(sampler)?);
        Ok(Noise::Gaussian(noise.map_err(|error| Failure::argument("sigma", error))?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(noise, make) }
}

/// As certus_gaussian_new, of the square of sigma, which may be rational where sigma is not.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_gaussian_new_squared(
    sigma2: *const c_char,
    sampler: i32,
    noise: *mut NoiseHandle,
) -> Status {
    let make = || {
        // SAFETY: the caller's contract.
        let variance = positive(&unsafe { border::text(sigma2, "sigma2") }?, "sigma2")?;
        let noise = GaussianNoise::new(&variance, or_prepared(sampler)?);
        Ok(Noise::Gaussian(noise.map_err(|error| Failure::argument("sigma2", error))?))
    };
    // SAFETY: the caller's contract.
    unsafe { create(noise, make) }
}

/// The sampler that draws: noise too wide for tables is drawn by CERTUS_REFERENCE.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_noise_sampler(noise: NoiseHandle, sampler: *mut i32) -> Status {
    status(|| {
        // SAFETY: the caller's contract.
        let sampler = unsafe { Out::new(sampler, "sampler") }?;
        sampler.put(constant_of(find(noise)?.sampler()));
        Ok(())
    })
}

/// Writes n independent samples to out, which need not hold anything before. out may be NULL if n is 0.
///
/// If a sample does not fit 64 bits (CERTUS_OVERFLOW), or there is no randomness, out holds zeros, which are
/// NO noise. Other errors leave out as it was.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_noise_fill(noise: NoiseHandle, out: *mut i64, n: usize) -> Status {
    status(|| {
        let noise = find(noise)?;
        // SAFETY: the caller's contract: n entries.
        let out = unsafe { border::cleared(out, n, "out") }?;
        noise.fill_from(&Source::System, out)
    })
}

/// Adds an independent sample to each of n values. values may be NULL if n is 0.
///
/// If a sum does not fit 64 bits (CERTUS_OVERFLOW), or there is no randomness, the values are zeros: whoever
/// overlooks the error publishes nothing. Do not try again until it fits, since that changes the
/// distribution. After a bad handle or pointer they are what they were, hence still private.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn certus_noise_add(noise: NoiseHandle, values: *mut i64, n: usize) -> Status {
    status(|| {
        let noise = find(noise)?;
        // SAFETY: the caller's contract: n entries that have values.
        let values = unsafe { border::filled(values, n, "values") }?;
        noise.add_from(&Source::System, values)
    })
}

/// Frees noise.
#[unsafe(no_mangle)]
pub extern "C" fn certus_noise_free(noise: NoiseHandle) -> Status {
    free(noise)
}
