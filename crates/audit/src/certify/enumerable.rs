//! A mechanism of the catalogue, to be enumerated on any input.

use core::time::Duration;
use std::boxed::Box;

use super::{CertifyError, Effort, Masses, Progress, TapeCounts, flat_by, structural_as, tape_counts_as};
use certus::{
    bits::{BitsError, Enumeration},
    mechanism::{
        AnyRelease, InputError, Outcome, Private, ReadInput, Spec, SpecError, ToOutcome, Typed, Visitor, visit,
    },
    sample::Program,
};

/// Why an input is not enumerated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnumerateError {
    /// It is no input of the mechanism.
    #[error(transparent)]
    Input(#[from] InputError),
    /// There is no certificate.
    #[error(transparent)]
    Certify(#[from] CertifyError),
}

/// A mechanism of the catalogue, to be enumerated, by the reference sampler.
pub trait Enumerable: Send + Sync {
    /// The distribution on an input, solved: [`structural_within`](super::structural_within), with 2^18
    /// outputs and 20 seconds at most.
    ///
    /// # Errors
    ///
    /// As there, and if the text is no input.
    fn structural(
        &self,
        input: &str,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<Masses<Outcome>, EnumerateError>;

    /// The tapes on an input, run one by one: [`flat`](super::flat()).
    ///
    /// # Errors
    ///
    /// As there, and if the text is no input.
    fn flat(&self, input: &str, depth: u32, progress: &mut Progress<'_>)
    -> Result<TapeCounts<Outcome>, EnumerateError>;

    /// The tapes on an input, counted by the structural interpreter: [`tape_counts`](super::tape_counts).
    ///
    /// # Errors
    ///
    /// As there, and if the text is no input.
    fn tape_counts(
        &self,
        input: &str,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<TapeCounts<Outcome>, EnumerateError>;
}

/// The mechanism that a spec names, to be enumerated.
///
/// ```
/// use certus_audit::certify::enumerable;
///
/// let histogram = enumerable(&"histogram(keys=2, scale=1)".parse()?)?;
/// let masses = histogram.structural("0,1,1", 20, &mut |_| {})?;
/// assert!(masses.lower().len() > 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
pub fn enumerable(spec: &Spec) -> Result<Box<dyn Enumerable>, SpecError> {
    visit(spec, Enumerate)
}

/// The most outputs that are enumerated, so that a refusal takes a second or two.
const MOST_OUTPUTS: usize = 1 << 18;

/// The longest that a certificate of one input may take.
const MOST_TIME: Duration = Duration::from_secs(20);

impl<M> Enumerable for Typed<M>
where
    M: Private<Input: ReadInput, Release: Program<Output: ToOutcome>> + Send + Sync + 'static,
{
    fn structural(
        &self,
        input: &str,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<Masses<Outcome>, EnumerateError> {
        let effort = Effort::new(MOST_OUTPUTS, MOST_TIME);
        Ok(structural_as(&self.on(input)?, &ToOutcome::to_outcome, depth, &effort, progress)?)
    }

    fn flat(
        &self,
        input: &str,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<TapeCounts<Outcome>, EnumerateError> {
        let release = self.on(input)?;
        // By what draws, so that nothing more is compiled for each program.
        let draw: &mut dyn FnMut(&mut Enumeration) -> Result<Outcome, BitsError> =
            &mut |tapes| AnyRelease::draw(&release, tapes);
        Ok(flat_by(draw, depth, progress)?)
    }

    fn tape_counts(
        &self,
        input: &str,
        depth: u32,
        progress: &mut Progress<'_>,
    ) -> Result<TapeCounts<Outcome>, EnumerateError> {
        Ok(tape_counts_as(&self.on(input)?, &ToOutcome::to_outcome, depth, progress)?)
    }
}

struct Enumerate;

impl Visitor for Enumerate {
    type Output = Box<dyn Enumerable>;

    fn visit<M>(self, mechanism: Typed<M>) -> Box<dyn Enumerable>
    where
        M: Private<Input: ReadInput, Release: Program<Output: ToOutcome>> + Send + Sync + 'static,
    {
        Box::new(mechanism)
    }
}
