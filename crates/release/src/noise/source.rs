//! The catalogue's mechanisms, drawn by the sampler that was asked for where it can draw them.

use std::{borrow::Borrow, collections::BTreeMap};

use certus::{
    bits::{Bits, BitsError},
    exact::BigInt,
    mechanism::{AnyMechanism, Outcome, Spec, from_spec},
    sample::{Sampler, fixed::Mode},
};

/// Which sampler is to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samplers {
    /// By work that says nothing about the noise where there is such a sampler, else the reference one.
    #[default]
    Fixed,
    /// The reference sampler, which is certified and proven.
    Reference,
}

/// Why nothing was drawn.
#[derive(Debug)]
pub(super) enum Failed {
    Bits(BitsError),
    Refused(String),
}

impl From<BitsError> for Failed {
    fn from(error: BitsError) -> Self {
        Self::Bits(error)
    }
}

/// A source of bits for one release, and the mechanisms that draw from it.
pub struct Draw<'b> {
    bits: &'b mut dyn Bits,
    samplers: Samplers,
    built: BTreeMap<String, Box<dyn AnyMechanism>>,
}

impl<'b> Draw<'b> {
    /// A release that draws from a source, which is to be fresh.
    pub fn new(bits: &'b mut dyn Bits, samplers: Samplers) -> Self {
        Self { bits, samplers, built: BTreeMap::new() }
    }

    /// The mechanism of a spec, built once.
    fn mechanism(&mut self, spec: &Spec) -> Result<&dyn AnyMechanism, Failed> {
        let name = spec.to_string();
        if !self.built.contains_key(&name) {
            let refused = |error: certus::mechanism::SpecError| Failed::Refused(error.to_string());
            let reference = || from_spec(spec).map_err(refused);
            let mechanism = match self.samplers {
                Samplers::Reference => reference()?,
                // A choice has no such sampler, nor has noise wider than 2^56.
                Samplers::Fixed => match reference()?.with_sampler(Sampler::Fixed(Mode::Standard)) {
                    Ok(mechanism) => mechanism,
                    Err(_) => reference()?,
                },
            };
            self.built.insert(name.clone(), mechanism);
        }
        let built = self.built.get(&name).ok_or_else(|| Failed::Refused("it was not built".into()))?;
        Ok(built.borrow())
    }

    /// The name of the sampler that draws a spec.
    pub(super) fn sampler_of(&mut self, spec: &Spec) -> Result<&'static str, Failed> {
        Ok(self.mechanism(spec)?.sampler())
    }

    /// Draws on an input: integers or rationals with commas between them.
    pub(super) fn outcome(&mut self, spec: &Spec, input: &str) -> Result<(Outcome, &'static str), Failed> {
        let mechanism = self.mechanism(spec)?;
        let sampler = mechanism.sampler();
        let release = mechanism.on(input).map_err(|error| Failed::Refused(error.to_string()))?;
        Ok((release.draw(self.bits)?, sampler))
    }

    /// A number with noise.
    pub(super) fn add(&mut self, spec: &Spec, exact: &BigInt) -> Result<BigInt, Failed> {
        let (noisy, _) = self.numbers(spec, std::slice::from_ref(exact))?;
        noisy.into_iter().next().ok_or_else(|| Failed::Refused("it gave nothing".into()))
    }

    /// Numbers with noise, one of its own for each.
    pub(super) fn numbers(&mut self, spec: &Spec, exact: &[BigInt]) -> Result<(Vec<BigInt>, &'static str), Failed> {
        let input = exact.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let (outcome, sampler) = self.outcome(spec, &input)?;
        let noisy = integers(&outcome).filter(|noisy| noisy.len() == exact.len());
        Ok((noisy.ok_or_else(|| Failed::Refused("it gave another number of answers".into()))?, sampler))
    }
}

/// An integer, or a vector of them.
pub(super) fn integers(outcome: &Outcome) -> Option<Vec<BigInt>> {
    match outcome {
        Outcome::Integer(value) => Some(vec![value.to_big()]),
        Outcome::Vector(entries) => entries
            .iter()
            .map(|entry| match entry {
                Outcome::Integer(value) => Some(value.to_big()),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}
