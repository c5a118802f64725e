//! Every mechanism that a spec can name: its keys, examples, and how it is built. One entry gives a mechanism its spec, its samples, its account, its
//! certificate and its line in `certus mechanisms`.

mod additive;
mod closed_form;
mod erased;
mod grid_vectors;
mod input;
mod keys;
mod noise;
mod on_grid;
mod output;
mod quantiles;
mod reports;
mod selection;
mod statistics;
#[cfg(test)]
mod tests;
mod thresholds;
mod vectors;

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{Arguments, Excerpt, Mechanism, Spec, SpecError};
pub use erased::{AnyMechanism, AnyRelease};
pub use input::InputRefused;
pub use output::Output;

/// One mechanism of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// The name in a spec.
    pub name: &'static str,
    /// Other names for the same.
    pub aliases: &'static [&'static str],
    /// The keys, and what each accepts.
    pub keys: &'static [(&'static str, &'static str)],
    /// The output's distribution.
    pub summary: &'static str,
    /// What it runs on.
    pub input: &'static str,
    /// Specs that work.
    pub examples: &'static [&'static str],
    build: fn(&mut Arguments<'_>) -> Result<Box<dyn AnyMechanism>, SpecError>,
}

/// Mechanisms of one kind.
#[derive(Debug)]
pub struct Family {
    /// What they have in common.
    pub name: &'static str,
    /// The mechanisms, in the order in which they are shown.
    pub entries: &'static [Entry],
}

/// The catalogue, in the order in which it is shown.
pub static CATALOGUE: &[Family] = &[
    Family { name: "with prepared and fixed-work samplers", entries: noise::WITH_SAMPLERS },
    Family { name: "further noise on an integer", entries: additive::ENTRIES },
    Family { name: "noise on vectors", entries: vectors::ENTRIES },
    Family { name: "noise on a rational grid", entries: on_grid::ENTRIES },
    Family { name: "noise on vectors on a rational grid", entries: grid_vectors::ENTRIES },
    Family { name: "reports of one person", entries: reports::ENTRIES },
    Family { name: "choices among candidates", entries: selection::ENTRIES },
    Family { name: "queries against a threshold", entries: thresholds::ENTRIES },
    Family { name: "statistics of records", entries: statistics::ENTRIES },
    Family { name: "quantiles of records", entries: quantiles::ENTRIES },
];

impl Entry {
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// The mechanism of a spec of this name.
    fn build(&self, spec: &Spec) -> Result<Box<dyn AnyMechanism>, SpecError> {
        let mut arguments = spec.reader();
        // An unknown key is reported before a missing one: a misspelt key is both.
        let keys: Vec<_> = self.keys.iter().map(|(key, _)| *key).collect();
        arguments.refuse_unknown(&keys)?;
        let mechanism = (self.build)(&mut arguments)?;
        arguments.finish(&keys)?;
        Ok(mechanism)
    }
}

/// The entries of all families.
fn entries() -> impl Iterator<Item = &'static Entry> {
    CATALOGUE.iter().flat_map(|family| family.entries)
}

/// The entry of a mechanism's name or alias.
#[must_use]
pub fn entry(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.is_named(name))
}

/// The mechanism that a spec names. Its number of copies, `*k`, is for whoever composes.
///
/// ```
/// use certus::mechanism::from_spec;
///
/// let histogram = from_spec(&"histogram(keys=3, scale=2)".parse()?)?;
/// assert!(histogram.on("0,2,2").is_ok());
/// assert!(from_spec(&"histogram(keys=0, scale=2)".parse()?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
pub fn from_spec(spec: &Spec) -> Result<Box<dyn AnyMechanism>, SpecError> {
    let unknown = || SpecError::UnknownName {
        found: Excerpt::new(spec.name()),
        accepted: String::from("those that `certus mechanisms` lists, such as laplace, histogram or exponential"),
    };
    entry(spec.name()).ok_or_else(unknown)?.build(spec)
}

impl Mechanism {
    /// The mechanism that a spec names, one of those with prepared and fixed-work samplers; [`from_spec`] knows all others too. Its
    /// number of copies, `*k`, is for whoever composes.
    ///
    /// # Errors
    ///
    /// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
    pub fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let with_samplers = noise::WITH_SAMPLERS;
        let unknown = || SpecError::UnknownName {
            found: Excerpt::new(spec.name()),
            accepted: with_samplers.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        };
        let entry = with_samplers.iter().find(|entry| entry.is_named(spec.name())).ok_or_else(unknown)?;
        entry.build(spec)?.noise().cloned().ok_or_else(unknown)
    }
}
