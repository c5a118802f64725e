//! A mechanism as its entry builds it, with its type; and who visits it.

use alloc::{boxed::Box, string::String};
use core::borrow::Borrow;

use super::{
    input::{InputError, ReadInput},
    outcome::{Outcome, ToOutcome},
};
use crate::{
    exact::Pmf,
    guarantee::{Domination, Privacy, Relation},
    mechanism::{Private, SamplerError},
    sample::{Program, Sampler},
};

/// What is done with a mechanism, whatever its type: [`visit`](super::visit) builds the mechanism of a spec
/// and hands it over.
///
/// Everything here is compiled for every entry of the catalogue: a visitor should turn the mechanism into
/// what has one type, and do the rest with that.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Takes the mechanism.
    fn visit<M>(self, mechanism: Typed<M>) -> Self::Output
    where
        M: Private<Input: ReadInput, Release: Program<Output: ToOutcome>> + Send + Sync + 'static;
}

/// The probabilities on paper, for an input and a precision.
type ClosedForm<I> = Box<dyn Fn(&I, u32) -> Option<Box<dyn Pmf<Outcome>>> + Send + Sync>;

/// Any [`Private`] mechanism, as an entry of the catalogue builds it.
pub struct Typed<M: Private> {
    mechanism: M,
    neighbours: (String, String),
    /// Whether the neighbours above attain what dominates all of them.
    is_worst: bool,
    /// Whether the relation of the guarantee is the mechanism's own, and not only that of a sensitivity which
    /// somebody vouches for.
    own_relation: bool,
    closed_form: Option<ClosedForm<M::Input>>,
}

impl<M: Private> core::fmt::Debug for Typed<M> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Typed").field("neighbours", &self.neighbours).finish_non_exhaustive()
    }
}

impl<M: Private> Typed<M> {
    /// A mechanism of data, on two neighbouring inputs.
    pub(super) fn of_data(mechanism: M, neighbours: (String, String)) -> Self {
        Self { mechanism, neighbours, is_worst: false, own_relation: true, closed_form: None }
    }

    /// A mechanism of answers whose sensitivity is stated in the spec.
    pub(super) fn of_answers(mechanism: M, neighbours: (String, String)) -> Self {
        Self { own_relation: false, ..Self::of_data(mechanism, neighbours) }
    }

    /// Whose neighbours are the worst that there are.
    pub(super) fn on_the_worst(self) -> Self {
        Self { is_worst: true, ..self }
    }

    /// With the probabilities on paper.
    pub(super) fn on_paper(
        self,
        closed_form: impl Fn(&M::Input, u32) -> Option<Box<dyn Pmf<Outcome>>> + Send + Sync + 'static,
    ) -> Self {
        Self { closed_form: Some(Box::new(closed_form)), ..self }
    }

    /// The mechanism itself.
    #[must_use]
    pub fn mechanism(&self) -> &M {
        &self.mechanism
    }

    /// The mechanism itself, alone.
    #[must_use]
    pub fn into_mechanism(self) -> M {
        self.mechanism
    }

    /// The same, by another sampler.
    ///
    /// # Errors
    ///
    /// If there is no such sampler for it.
    pub fn with_sampler(self, sampler: Sampler) -> Result<Self, SamplerError> {
        Ok(Self { mechanism: self.mechanism.with_sampler(sampler)?, ..self })
    }

    /// What is guaranteed; nothing if nothing is, as for a randomized response that always tells the truth.
    #[must_use]
    pub fn privacy(&self) -> Option<Privacy> {
        let guarantee = self.mechanism.guarantee();
        (!guarantee.is_none()).then(|| guarantee.privacy().clone())
    }

    /// The neighbours that it is guaranteed for; nothing where the spec's sensitivity says it, and whoever
    /// states the sensitivity knows for whom.
    #[must_use]
    pub fn relation(&self) -> Option<Relation> {
        self.own_relation.then(|| self.mechanism.guarantee().relation())
    }

    /// The pairs that dominate its neighbouring inputs.
    #[must_use]
    pub fn domination(&self) -> Domination {
        let domination = self.mechanism.domination();
        if self.own_relation { domination } else { domination.for_either() }
    }

    /// Two neighbouring inputs, at or near the worst that there are.
    #[must_use]
    pub fn neighbours(&self) -> (&str, &str) {
        (&self.neighbours.0, &self.neighbours.1)
    }

    /// Whether these neighbours are known to be the worst that there are: whatever attains the pairs of the
    /// domination, they do.
    #[must_use]
    pub fn is_on_the_worst(&self) -> bool {
        self.is_worst
    }
}

impl<M: Private<Input: ReadInput>> Typed<M> {
    /// The release on an input.
    ///
    /// # Errors
    ///
    /// If the text is not an input of this mechanism. What the error says depends on the public parameters
    /// alone.
    pub fn on(&self, input: &str) -> Result<M::Release, InputError> {
        let input = read::<M::Input>(input)?;
        self.mechanism.on(input.borrow()).map_err(|error| InputError::new(alloc::format!("{error}")))
    }

    /// The probabilities on paper of what is released on an input, to a width of about 2^-precision; nothing
    /// where there is no closed form, where it would take too long to write down, or for what is no input.
    #[must_use]
    pub fn closed_form(&self, input: &str, precision: u32) -> Option<Box<dyn Pmf<Outcome>>> {
        self.closed_form.as_ref()?(read::<M::Input>(input).ok()?.borrow(), precision)
    }
}

/// The input that a text denotes.
fn read<I: ReadInput + ?Sized>(text: &str) -> Result<I::Owned, InputError> {
    I::read(text).ok_or_else(|| InputError::new(I::MUST))
}
