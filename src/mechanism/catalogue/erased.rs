//! A mechanism of the catalogue, whatever its types: what every command works on.
//!
//! Only here is the type of a mechanism's program known together with what is to be done with it. So this is where sampling and the two modes of a certificate
//! are instantiated, and the one place of this layer that calls the audit's.

use alloc::{boxed::Box, string::String};
use core::borrow::Borrow;

use super::{
    input::{InputRefused, ReadInput},
    output::{Output, ToOutput},
};
#[cfg(feature = "audit")]
use crate::{
    audit::certify::{self, CertifyError, Effort, Masses, Progress, TapeCounts},
    bits::Enumeration,
};
use crate::{
    bits::{Bits, BitsError},
    exact::Pmf,
    guarantee::{Domination, Privacy, Relation},
    mechanism::{Mechanism, Private},
    sample::Program,
};

/// A mechanism of the catalogue: it reads its input from text and releases [`Output`]s.
///
/// ```
/// use certus::{bits::seeded, mechanism::from_spec};
///
/// let mechanism = from_spec(&"exponential(epsilon=1, candidates=3)".parse()?)?;
/// let chosen = mechanism.on("-900,900,0")?.draw(&mut seeded([0; 32]))?;
/// assert_eq!(chosen.to_string(), "1");
/// assert!(mechanism.on("1,2").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AnyMechanism: Send + Sync {
    /// The release on an input.
    ///
    /// # Errors
    ///
    /// If the text is not an input of this mechanism. What the error says depends on the public parameters alone.
    fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, InputRefused>;

    /// What is guaranteed; nothing if nothing is, as for a randomized response that always tells the truth.
    fn privacy(&self) -> Option<Privacy>;

    /// The neighbours that it is guaranteed for; nothing where the spec's sensitivity says it, and whoever states the sensitivity knows for whom.
    fn relation(&self) -> Option<Relation>;

    /// The pairs that dominate its neighbouring inputs.
    fn domination(&self) -> Domination;

    /// Two neighbouring inputs, at or near the worst that there are: what is certified, and audited, where nobody names others. The first is also
    /// what is sampled on.
    fn neighbours(&self) -> (&str, &str);

    /// The probabilities on paper of what is released on an input, to a width of about 2^-precision; nothing where there is no closed form, where it would take
    /// too long to write down, or for what is no input.
    fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Output>>>;

    /// The mechanism as one of those that also have prepared and fixed-work samplers.
    fn noise(&self) -> Option<&Mechanism> {
        None
    }
}

/// A mechanism on an input.
pub trait AnyRelease: Send + Sync {
    /// Draws one output; it begins the source.
    ///
    /// # Errors
    ///
    /// If the source of bits fails; there is no output then.
    fn draw(&self, bits: &mut dyn Bits) -> Result<Output, BitsError>;

    /// Its distribution, solved: [`certify::structural_within`].
    ///
    /// # Errors
    ///
    /// As there.
    #[cfg(feature = "audit")]
    fn structural(&self, depth: u32, progress: &mut Progress<'_>) -> Result<Masses<Output>, CertifyError>;

    /// Its tapes, run one by one: [`certify::flat`].
    ///
    /// # Errors
    ///
    /// As there.
    #[cfg(feature = "audit")]
    fn flat(&self, depth: u32, progress: &mut Progress<'_>) -> Result<TapeCounts<Output>, CertifyError>;

    /// Its tapes, counted by the structural interpreter: [`certify::tape_counts`].
    ///
    /// # Errors
    ///
    /// As there.
    #[cfg(feature = "audit")]
    fn tape_counts(&self, depth: u32, progress: &mut Progress<'_>) -> Result<TapeCounts<Output>, CertifyError>;
}

impl<P: Program<Output: ToOutput>> AnyRelease for P {
    fn draw(&self, bits: &mut dyn Bits) -> Result<Output, BitsError> {
        Ok(self.sample(bits)?.to_output())
    }

    #[cfg(feature = "audit")]
    fn structural(&self, depth: u32, progress: &mut Progress<'_>) -> Result<Masses<Output>, CertifyError> {
        let effort = Effort::new(MOST_OUTPUTS, MOST_TIME);
        Ok(certify::structural_within(self, depth, &effort, progress)?.map(ToOutput::to_output))
    }

    #[cfg(feature = "audit")]
    fn flat(&self, depth: u32, progress: &mut Progress<'_>) -> Result<TapeCounts<Output>, CertifyError> {
        // By what draws, so that nothing more is compiled for each program.
        let draw: &mut dyn FnMut(&mut Enumeration) -> Result<Output, BitsError> = &mut |tapes| self.draw(tapes);
        certify::flat_by(draw, depth, progress)
    }

    #[cfg(feature = "audit")]
    fn tape_counts(&self, depth: u32, progress: &mut Progress<'_>) -> Result<TapeCounts<Output>, CertifyError> {
        Ok(certify::tape_counts(self, depth, progress)?.map(ToOutput::to_output))
    }
}

/// The most outputs that are enumerated, so that a refusal takes a second or two.
#[cfg(feature = "audit")]
const MOST_OUTPUTS: usize = 1 << 18;

/// The longest that a certificate of one input may take.
#[cfg(feature = "audit")]
const MOST_TIME: core::time::Duration = core::time::Duration::from_secs(20);

/// The probabilities on paper, for an input and a precision.
pub(super) type ClosedForm<I> = Box<dyn Fn(&I, u32) -> Option<Box<dyn Pmf<Output>>> + Send + Sync>;

/// Any [`Private`] mechanism, as an entry of the catalogue builds it.
pub(super) struct Typed<M: Private> {
    mechanism: M,
    neighbours: (String, String),
    /// Whether the relation of the guarantee is the mechanism's own, and not only that of a sensitivity which somebody vouches for.
    own_relation: bool,
    closed_form: Option<ClosedForm<M::Input>>,
}

impl<M: Private> Typed<M> {
    /// A mechanism of data, on two neighbouring inputs.
    pub(super) fn of_data(mechanism: M, neighbours: (String, String)) -> Self {
        Self { mechanism, neighbours, own_relation: true, closed_form: None }
    }

    /// A mechanism of answers whose sensitivity is stated in the spec.
    pub(super) fn of_answers(mechanism: M, neighbours: (String, String)) -> Self {
        Self { mechanism, neighbours, own_relation: false, closed_form: None }
    }

    /// With the probabilities on paper.
    pub(super) fn on_paper(
        self,
        closed_form: impl Fn(&M::Input, u32) -> Option<Box<dyn Pmf<Output>>> + Send + Sync + 'static,
    ) -> Self {
        Self { closed_form: Some(Box::new(closed_form)), ..self }
    }
}

/// The input that a text denotes.
fn read<I: ReadInput + ?Sized>(text: &str) -> Result<I::Owned, InputRefused> {
    I::read(text).ok_or_else(|| InputRefused::new(I::MUST))
}

impl<M> AnyMechanism for Typed<M>
where
    M: Private<Input: ReadInput, Release: Program<Output: ToOutput>> + Send + Sync,
{
    fn on(&self, input: &str) -> Result<Box<dyn AnyRelease>, InputRefused> {
        let input = read::<M::Input>(input)?;
        let release =
            self.mechanism.on(input.borrow()).map_err(|error| InputRefused::new(alloc::format!("{error}")))?;
        Ok(Box::new(release))
    }

    fn privacy(&self) -> Option<Privacy> {
        Some(self.mechanism.guarantee().privacy().clone())
    }

    fn relation(&self) -> Option<Relation> {
        self.own_relation.then(|| self.mechanism.guarantee().relation())
    }

    fn domination(&self) -> Domination {
        let domination = self.mechanism.domination();
        if self.own_relation { domination } else { domination.for_either() }
    }

    fn neighbours(&self) -> (&str, &str) {
        (&self.neighbours.0, &self.neighbours.1)
    }

    fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Output>>> {
        self.closed_form.as_ref()?(read::<M::Input>(input).ok()?.borrow(), precision)
    }
}
