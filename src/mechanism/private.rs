//! The trait that joins mechanism, account and audit.

use crate::{
    bits::{Bits, BitsError},
    guarantee::{DebitError, Domination, Filter, Guarantee, Released},
    sample::{Program, Sampler, fixed::FixedError},
};

/// A private mechanism: it runs on an input, states its guarantee, and describes the pairs of distributions
/// that dominate its neighbouring inputs.
///
/// Everything else derives from these: an account from [`Private::domination`], a certificate by enumerating
/// [`Private::on`] two neighbours, an audit by sampling it.
pub trait Private {
    /// What it runs on: an answer, a vector of scores, a database.
    type Input: ?Sized;

    /// The release on one input: a program over bits, so that what runs is what is certified.
    type Release: Program;

    /// Why an input is refused. The text depends on the public parameters alone.
    type Error: core::error::Error;

    /// The mechanism on an input.
    ///
    /// # Errors
    ///
    /// If the mechanism takes no such input.
    fn on(&self, input: &Self::Input) -> Result<Self::Release, Self::Error>;

    /// What it guarantees, and for which neighbours.
    fn guarantee(&self) -> Guarantee;

    /// The pairs that dominate its neighbouring inputs: never less than what these attain, and whether they
    /// do ([`Domination::attained`]), at every ε.
    fn domination(&self) -> Domination;

    /// The same mechanism, by another sampler. One without samplers to choose from stays as it is, unless
    /// work that says nothing about the noise is asked for.
    ///
    /// # Errors
    ///
    /// If there is no fixed-work sampler for it.
    fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError>
    where
        Self: Sized,
    {
        match sampler {
            Sampler::Fixed(_) => Err(SamplerError::NoNoise),
            _ => Ok(self),
        }
    }

    /// The name of the sampler that draws: `reference`, `prepared` or `fixed`.
    fn sampler(&self) -> &'static str {
        "reference"
    }

    /// Draws one release.
    ///
    /// # Errors
    ///
    /// If the input is refused or the source of bits fails; nothing is released then.
    fn release<B: Bits + ?Sized>(
        &self,
        input: &Self::Input,
        bits: &mut B,
    ) -> Result<Released<<Self::Release as Program>::Output>, ReleaseError<Self::Error>> {
        let value = self.on(input).map_err(ReleaseError::Input)?.sample(bits)?;
        Ok(Released::new(value, self.guarantee()))
    }

    /// Draws one release that a budget pays for, before anything is drawn.
    ///
    /// # Errors
    ///
    /// If the input is refused or the budget does not suffice, and nothing is spent then; or if the source of
    /// bits fails, which is paid for. Nothing is released in any of these cases.
    fn release_within<B: Bits + ?Sized>(
        &self,
        budget: &mut Filter,
        input: &Self::Input,
        bits: &mut B,
    ) -> Result<Released<<Self::Release as Program>::Output>, ReleaseError<Self::Error>> {
        let release = self.on(input).map_err(ReleaseError::Input)?;
        budget.debit(&self.guarantee())?;
        Ok(Released::new(release.sample(bits)?, self.guarantee()))
    }
}

/// Why a mechanism is not drawn by a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplerError {
    /// The fixed-work sampler does not take the parameter.
    #[error(transparent)]
    Fixed(#[from] FixedError),
    /// The mechanism adds no noise.
    #[error("the fixed-work sampler draws laplace and gaussian noise only")]
    NoNoise,
}

/// Why nothing was released.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError<E> {
    /// The input is refused.
    #[error(transparent)]
    Input(E),
    /// The budget does not pay for it.
    #[error(transparent)]
    Budget(#[from] DebitError),
    /// The source of randomness failed.
    #[error(transparent)]
    Bits(#[from] BitsError),
}
