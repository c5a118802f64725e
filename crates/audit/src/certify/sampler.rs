//! The certificate of a sampler of noise: whichever sampler it is, what it draws beside the closed form.

use core::convert::Infallible;
use std::{boxed::Box, vec::Vec};

use num_bigint::BigUint;

use super::{
    Certificate, CertifyError, FIXED_COVERS, FIXED_LEAVES_OUT, Masses, Progress, fixed_gaussian,
    fixed_gaussian_outputs, fixed_laplace, fixed_laplace_outputs, flat, prepared_gaussian, prepared_gaussian_flat,
    prepared_laplace, prepared_laplace_flat, structural, tape_counts,
};
use certus::{
    exact::{GaussianPmf, Integer, LaplacePmf, Pmf},
    mechanism::{
        Private, RandomizedResponse, SamplerError, Spec,
        additive::{GaussianMechanism, LaplaceMechanism},
    },
    sample::{
        PreparedGaussian, PreparedLaplace, Program, Sampler,
        fixed::{FixedGaussian, FixedLaplace, Mode},
        hooks::fixed::Kernel,
    },
};

/// How a sampler is enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enumeration {
    /// Its loops are solved ([`structural`]); a prepared or fixed-work one is evaluated at its edges.
    Structural,
    /// On every tape ([`flat`]); a prepared or fixed-work one on words of 8 bits.
    Flat,
}

/// The widest noise, a scale or σ, of which the fixed-work sampler is certified.
pub const WIDEST_FIXED: u32 = 10_000;

/// A mechanism whose samplers are certified by themselves, beside the closed form.
///
/// ```
/// use certus::{mechanism::Spec, sample::Sampler};
/// use certus_audit::certify::{Enumeration, Noise};
///
/// let spec: Spec = "laplace(scale=5/2)".parse()?;
/// let noise = Noise::of(&spec).ok_or("no noise")?;
/// for sampler in [Sampler::Reference, Sampler::Prepared] {
///     let found = noise.certify(sampler, Enumeration::Structural, 48, &mut |_| ())?;
///     assert!(found.holds());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Noise {
    /// Laplace noise.
    Laplace(LaplaceMechanism),
    /// Gaussian noise.
    Gaussian(GaussianMechanism),
    /// The response to 0.
    Response(RandomizedResponse),
}

/// What was found of a sampler.
#[derive(Clone, Debug)]
pub struct SamplerCertificate {
    /// Of its outputs; or, of a wide prepared sampler, of its buckets.
    pub certificate: Certificate<Integer>,
    /// Flat: whether the structural interpreter counts the same tapes of every length, for every output.
    pub tapes_agree: Option<bool>,
    /// A wide prepared sampler: log₂ of the outputs of each bucket, and whether each accepts as it may.
    pub buckets: Option<(u32, bool)>,
    /// A prepared or fixed-work sampler at the width that ships: from words to the returned value.
    pub whole: Option<Whole>,
}

/// What was found of a sampler from its words to the value that it returns.
#[derive(Clone, Debug)]
pub struct Whole {
    /// Whether the public functions return what plain arithmetic says.
    pub outputs_hold: bool,
    /// On how many tapes they were run.
    pub tapes: u64,
    /// Whether what else was evaluated is as it must be.
    pub also_holds: bool,
    /// What that is.
    pub also: &'static str,
    /// What is enumerated.
    pub covers: Vec<&'static str>,
    /// What is not.
    pub leaves_out: Vec<&'static str>,
}

impl SamplerCertificate {
    /// A certificate of outputs.
    #[must_use]
    pub fn of(certificate: Certificate<Integer>, tapes_agree: Option<bool>) -> Self {
        Self { certificate, tapes_agree, buckets: None, whole: None }
    }

    /// Whether all that was looked at is as it must be.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.certificate.holds()
            && self.tapes_agree != Some(false)
            && self.buckets.is_none_or(|(_, squeezes)| squeezes)
            && self.whole.as_ref().is_none_or(|whole| whole.outputs_hold && whole.also_holds)
    }
}

/// Why a sampler has no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplerCertifyError {
    /// Too many outputs matter.
    #[error("must be a scale, sigma or number of answers up to {widest} to be enumerated at this depth")]
    TooWide {
        /// What is accepted.
        widest: u32,
    },
    /// Too many outputs of the fixed-work sampler matter.
    #[error("too wide to enumerate: certify takes a scale or sigma up to {WIDEST_FIXED}")]
    FixedTooWide,
    /// The fixed-work sampler is not exact to this depth.
    #[error("must be at most {deepest} for the fixed sampler: the rest is its ambiguous event")]
    FixedTooDeep {
        /// What is accepted.
        deepest: u32,
    },
    /// No kernel on words of 8 bits.
    #[error("the fixed sampler on words of 8 bits takes a scale or sigma below 64")]
    NoShortKernel,
    /// Nothing is prepared for it.
    #[error("prepared: must be laplace or gaussian, of a scale or sigma below 2^63")]
    NotPrepared,
    /// The closed form would take too long to write down.
    #[error("prepared: the closed form is out of reach")]
    NoClosedForm,
    /// No prepared table on words of 8 bits.
    #[error("prepared: on words of 8 bits, must be a scale or sigma up to 1024")]
    NoShortTable,
    /// The sampler is younger than its certificate.
    #[error("there is no certificate of this sampler")]
    NotKnown,
    /// There is no such sampler.
    #[error(transparent)]
    Sampler(#[from] SamplerError),
    /// The enumeration failed.
    #[error(transparent)]
    Certify(#[from] CertifyError),
}

impl Noise {
    /// The noise that a spec names, if its samplers are certified by themselves.
    #[must_use]
    pub fn of(spec: &Spec) -> Option<Self> {
        let laplace = LaplaceMechanism::try_from(spec).map(Self::Laplace);
        let gaussian = |_| GaussianMechanism::try_from(spec).map(Self::Gaussian);
        laplace.or_else(gaussian).or_else(|_| RandomizedResponse::try_from(spec).map(Self::Response)).ok()
    }

    /// The closed form of the noise, or of the response to 0; nothing if that would take too long to write
    /// down.
    #[must_use]
    pub fn pmf(&self, precision: u32) -> Option<Box<dyn Pmf<Integer>>> {
        Some(match self {
            Self::Laplace(laplace) => Box::new(LaplacePmf::new(laplace.scale(), precision)),
            Self::Gaussian(gaussian) => Box::new(GaussianPmf::new(gaussian.variance(), precision)?),
            Self::Response(response) => Box::new(response.pmf(&Integer::ZERO, precision)?),
        })
    }

    /// Enumerates a sampler, to this depth, and compares what it draws with the closed form.
    ///
    /// # Errors
    ///
    /// If there is no such sampler of this noise, or it cannot be enumerated to this depth.
    pub fn certify(
        &self,
        sampler: Sampler,
        enumeration: Enumeration,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<SamplerCertificate, SamplerCertifyError> {
        match (sampler, enumeration) {
            (Sampler::Prepared, Enumeration::Structural) => self.prepared(),
            (Sampler::Prepared, Enumeration::Flat) => self.prepared_flat(depth, progress),
            (Sampler::Fixed(work), _) => self.fixed(work, enumeration, depth, progress),
            (Sampler::Reference, _) => self.reference(enumeration, depth, progress),
            // `Sampler` may grow.
            _ => Err(SamplerCertifyError::NotKnown),
        }
    }

    /// Whether few enough outputs matter for all of them to be enumerated: a scale, σ or number of answers of
    /// at most `widest`.
    fn is_enumerable(&self, widest: u32) -> bool {
        let bound = BigUint::from(widest);
        match self {
            Self::Laplace(laplace) => *laplace.scale().numerator() <= bound * laplace.scale().denominator(),
            Self::Gaussian(gaussian) => {
                *gaussian.variance().numerator() <= bound.pow(2) * gaussian.variance().denominator()
            }
            Self::Response(response) => response.answers() <= widest.into(),
        }
    }

    fn reference(
        &self,
        enumeration: Enumeration,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<SamplerCertificate, SamplerCertifyError> {
        // About 20 s of work at the widest: it grows with the number of outputs and with their bits.
        let widest = 96_000 / depth.max(48);
        let too_wide = SamplerCertifyError::TooWide { widest };
        if !self.is_enumerable(widest) {
            return Err(too_wide);
        }
        // The closed form is known well beyond what the enumeration resolves.
        let pmf = self.pmf(depth.max(48).saturating_add(32)).ok_or(too_wide)?;
        let enumerated = match self {
            Self::Laplace(laplace) => enumerate(laplace, enumeration, depth, progress),
            Self::Gaussian(gaussian) => enumerate(gaussian, enumeration, depth, progress),
            Self::Response(response) => enumerate(response, enumeration, depth, progress),
        };
        let (masses, tapes_agree) = enumerated.map_err(|error| match error {
            CertifyError::TooManyOutputs => too_wide,
            error => error.into(),
        })?;
        Ok(SamplerCertificate::of(Certificate::new(&masses, &*pmf), tapes_agree))
    }

    /// A prepared sampler at the width that ships, by its edges.
    fn prepared(&self) -> Result<SamplerCertificate, SamplerCertifyError> {
        let found = match Prepared::of(self)? {
            Prepared::Laplace(noise) => prepared_laplace(&noise),
            Prepared::Gaussian(noise) => prepared_gaussian(&noise),
        };
        let found = found.ok_or(SamplerCertifyError::NoClosedForm)?;
        let whole = Whole {
            outputs_hold: found.outputs_hold,
            tapes: found.outputs,
            also_holds: found.short_words_hold,
            also: "the same code on machine words of a few bits, on every tape",
            covers: found.covers,
            leaves_out: found.leaves_out,
        };
        Ok(SamplerCertificate {
            certificate: found.certificate,
            tapes_agree: None,
            buckets: found.bucket.map(|log| (log, found.squeezes_hold && found.acceptance_holds)),
            whole: Some(whole),
        })
    }

    /// The table of a prepared sampler at words of 8 bits, on every tape.
    fn prepared_flat(
        &self,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<SamplerCertificate, SamplerCertifyError> {
        let found = match Prepared::of(self)? {
            Prepared::Laplace(noise) => prepared_laplace_flat(&noise, depth, progress),
            Prepared::Gaussian(noise) => prepared_gaussian_flat(&noise, depth, progress),
        };
        Ok(SamplerCertificate::of(found?.ok_or(SamplerCertifyError::NoShortTable)?, None))
    }

    /// A fixed-work sampler: at the width that ships, by the ends of the runs of words that settle an
    /// outcome; or, flat, its kernel at words of 8 bits, on every tape.
    fn fixed(
        &self,
        work: Mode,
        enumeration: Enumeration,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<SamplerCertificate, SamplerCertifyError> {
        if !self.is_enumerable(WIDEST_FIXED) {
            return Err(SamplerCertifyError::FixedTooWide);
        }
        if enumeration == Enumeration::Structural && depth > work.bits() {
            return Err(SamplerCertifyError::FixedTooDeep { deepest: work.bits() });
        }
        let pmf = self.pmf(128).ok_or(SamplerCertifyError::FixedTooWide)?;
        if enumeration == Enumeration::Flat {
            let kernel = match self {
                Self::Laplace(laplace) => Kernel::<u8>::laplace(laplace.scale()),
                Self::Gaussian(gaussian) => Kernel::<u8>::gaussian(gaussian.variance()),
                Self::Response(_) => return Err(SamplerError::NoNoise.into()),
            };
            let kernel = kernel.ok_or(SamplerCertifyError::NoShortKernel)?;
            let tapes = flat(&kernel, depth, progress)?;
            let structural = tape_counts(&kernel, depth, progress)?;
            let certificate = Certificate::new(&tapes.masses(), &*pmf);
            return Ok(SamplerCertificate::of(certificate, Some(tapes == structural)));
        }
        let (masses, outputs) = match self {
            Self::Laplace(laplace) => {
                let noise = FixedLaplace::new(laplace.scale(), work).map_err(SamplerError::from)?;
                (fixed_laplace(&noise), fixed_laplace_outputs(&noise))
            }
            Self::Gaussian(gaussian) => {
                let noise = FixedGaussian::with_variance(gaussian.variance(), work).map_err(SamplerError::from)?;
                (fixed_gaussian(&noise), fixed_gaussian_outputs(&noise))
            }
            Self::Response(_) => return Err(SamplerError::NoNoise.into()),
        };
        let whole = Whole {
            outputs_hold: outputs.outputs_hold,
            tapes: outputs.outputs,
            also_holds: outputs.error_holds,
            also: "the stated error of the acceptance, summed up again",
            covers: FIXED_COVERS.to_vec(),
            leaves_out: FIXED_LEAVES_OUT.to_vec(),
        };
        let certificate = Certificate::new(&masses?, &*pmf);
        Ok(SamplerCertificate { whole: Some(whole), ..SamplerCertificate::of(certificate, None) })
    }
}

/// Either prepared sampler.
enum Prepared {
    Laplace(PreparedLaplace),
    Gaussian(PreparedGaussian),
}

impl Prepared {
    /// The one of this noise, where there is more than the reference.
    fn of(noise: &Noise) -> Result<Self, SamplerCertifyError> {
        let (prepared, construction) = match noise {
            Noise::Laplace(laplace) => {
                let noise = PreparedLaplace::new(laplace.scale());
                let construction = noise.construction();
                (Self::Laplace(noise), construction)
            }
            Noise::Gaussian(gaussian) => {
                let noise = PreparedGaussian::with_variance(gaussian.variance());
                let construction = noise.construction();
                (Self::Gaussian(noise), construction)
            }
            Noise::Response(_) => return Err(SamplerCertifyError::NotPrepared),
        };
        if construction == "reference" { Err(SamplerCertifyError::NotPrepared) } else { Ok(prepared) }
    }
}

/// The masses on the input 0; and, flat, whether the structural interpreter counts the same tapes.
fn enumerate<M>(
    mechanism: &M,
    enumeration: Enumeration,
    depth: u32,
    progress: &mut Progress<'_>,
) -> Result<(Masses<Integer>, Option<bool>), CertifyError>
where
    M: Private<Input = Integer, Release: Program<Output = Integer>, Error = Infallible>,
{
    let Ok(release) = mechanism.on(&Integer::ZERO);
    Ok(match enumeration {
        Enumeration::Structural => (structural(&release, depth, progress)?, None),
        Enumeration::Flat => {
            let flat = flat(&release, depth, progress)?;
            let structural = tape_counts(&release, depth, progress)?;
            (flat.masses(), Some(flat == structural))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(text: &str) -> Noise {
        Noise::of(&text.parse().unwrap()).unwrap()
    }

    /// Every sampler of every noise, both ways: what holds, and what is refused.
    #[test]
    fn every_sampler_is_certified_or_refused() {
        let (structural, flat) = (Enumeration::Structural, Enumeration::Flat);
        let certify = |text: &str, sampler, enumeration, depth| {
            noise(text).certify(sampler, enumeration, depth, &mut |_| ()).map(|found| found.holds())
        };
        let (reference, prepared, fixed) = (Sampler::Reference, Sampler::Prepared, Sampler::Fixed(Mode::Standard));
        for text in ["laplace(scale=1)", "gaussian(sigma=1)"] {
            for sampler in [reference, prepared, fixed] {
                assert_eq!(certify(text, sampler, structural, 40), Ok(true), "{text} {sampler:?}");
                assert_eq!(certify(text, sampler, flat, 12), Ok(true), "{text} {sampler:?}");
            }
        }
        let response = "randomized_response(gamma=1/4)";
        assert_eq!(certify(response, reference, structural, 40), Ok(true));
        for (text, sampler, enumeration, depth, error) in [
            (response, prepared, structural, 40, SamplerCertifyError::NotPrepared),
            (response, fixed, structural, 40, SamplerError::NoNoise.into()),
            (response, fixed, flat, 12, SamplerError::NoNoise.into()),
            ("laplace(scale=2001)", reference, structural, 48, SamplerCertifyError::TooWide { widest: 2000 }),
            ("laplace(scale=10001)", fixed, structural, 48, SamplerCertifyError::FixedTooWide),
            ("laplace(scale=1)", fixed, structural, 54, SamplerCertifyError::FixedTooDeep { deepest: 53 }),
            ("laplace(scale=100)", fixed, flat, 12, SamplerCertifyError::NoShortKernel),
            ("laplace(scale=1e20)", prepared, structural, 40, SamplerCertifyError::NotPrepared),
            ("laplace(scale=2000)", prepared, flat, 12, SamplerCertifyError::NoShortTable),
        ] {
            assert_eq!(certify(text, sampler, enumeration, depth), Err(error), "{text} {sampler:?}");
        }
    }
}
