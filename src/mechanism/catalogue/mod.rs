//! Every mechanism that a spec can name: its keys, examples, and how it is built. One entry gives a mechanism
//! its spec, its samples, its account, its certificate and its line in `certus mechanisms`.

mod additive;
mod closed_form;
mod erased;
mod grid_vectors;
mod input;
mod keys;
mod noise;
mod on_grid;
mod outcome;
mod quantiles;
mod reports;
mod sampled;
mod selection;
mod statistics;
#[cfg(test)]
mod tests;
mod thresholds;
mod typed;
mod vectors;

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{Arguments, Excerpt, Private, Spec, SpecError};
pub use erased::{AnyMechanism, AnyRelease};
pub use input::{InputError, ReadInput};
pub use outcome::{Outcome, ToOutcome};
pub(super) use sampled::domination as sampled;
pub use typed::{Typed, Visitor};

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
    /// Whether the commands choose among its samplers.
    #[must_use]
    pub fn has_samplers(&self) -> bool {
        noise::WITH_SAMPLERS.iter().any(|entry| entry.name == self.name)
    }

    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
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

/// What an entry's function returns.
type Built<M> = Result<Typed<M>, SpecError>;

/// The catalogue: the name of each entry, and what builds its mechanism.
macro_rules! visit_entry {
    ($entry:expr, $spec:expr, $visitor:expr; $($name:literal => $module:ident::$build:ident,)*) => {
        match $entry.name {
            $($name => Ok($visitor.visit(build($entry, $spec, $module::$build)?)),)*
            _ => Err(unknown($entry.name)),
        }
    };
}

/// Builds the mechanism that a spec names, and hands it to a visitor.
///
/// # Errors
///
/// If there is no such mechanism, or a key is missing, unknown, out of range or at odds with another.
pub fn visit<V: Visitor>(spec: &Spec, visitor: V) -> Result<V::Output, SpecError> {
    let entry = entry(spec.name()).ok_or_else(|| unknown(spec.name()))?;
    visit_entry! { entry, spec, visitor;
        "laplace" => noise::laplace,
        "gaussian" => noise::gaussian,
        "randomized_response" => noise::randomized_response,
        "staircase" => additive::staircase,
        "truncated_laplace" => additive::truncated_laplace,
        "truncated_gaussian" => additive::truncated_gaussian,
        "bounded_laplace" => additive::bounded_laplace,
        "clamped_laplace" => additive::clamped_laplace,
        "clamped_gaussian" => additive::clamped_gaussian,
        "laplace_vector" => vectors::laplace_vector,
        "gaussian_vector" => vectors::gaussian_vector,
        "gaussian_histogram" => vectors::gaussian_histogram,
        "laplace_on_grid" => on_grid::laplace_on_grid,
        "gaussian_on_grid" => on_grid::gaussian_on_grid,
        "laplace_vector_on_grid" => grid_vectors::laplace_vector_on_grid,
        "gaussian_vector_on_grid" => grid_vectors::gaussian_vector_on_grid,
        "rappor" => reports::rappor,
        "exponential" => selection::exponential,
        "permute_and_flip" => selection::permute_and_flip,
        "noisy_max" => selection::noisy_max,
        "peeling" => selection::peeling,
        "noisy_top_k" => selection::noisy_top_k,
        "above_threshold" => thresholds::above_threshold,
        "sparse_vector" => thresholds::sparse_vector,
        "numeric_sparse_vector" => thresholds::numeric_sparse_vector,
        "count" => statistics::count,
        "sum" => statistics::sum,
        "mean" => statistics::mean,
        "mean_of_known" => statistics::mean_of_known,
        "variance" => statistics::variance,
        "histogram" => statistics::histogram,
        "stability_histogram" => statistics::stability_histogram,
        "prefix_counts" => statistics::prefix_counts,
        "quantile" => quantiles::quantile,
        "median" => quantiles::median,
        "smooth_median" => quantiles::smooth_median,
        "median_test" => quantiles::median_test,
    }
}

/// The mechanism of a spec that has an entry's name.
fn build<M: Private>(entry: &Entry, spec: &Spec, of: fn(&mut Arguments<'_>) -> Built<M>) -> Built<M> {
    let mut arguments = spec.reader();
    // An unknown key is reported before a missing one: a misspelt key is both.
    let keys: Vec<_> = entry.keys.iter().map(|(key, _)| *key).collect();
    arguments.refuse_unknown(&keys)?;
    let mechanism = of(&mut arguments)?;
    arguments.finish(&keys)?;
    Ok(mechanism)
}

fn unknown(name: &str) -> SpecError {
    SpecError::UnknownName {
        found: Excerpt::new(name),
        accepted: String::from("those that `certus mechanisms` lists, such as laplace, histogram or exponential"),
    }
}

/// The mechanism that a spec names, by the reference sampler. Its number of copies, `*k`, is for whoever
/// composes.
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
    visit(spec, erased::Erase)
}
