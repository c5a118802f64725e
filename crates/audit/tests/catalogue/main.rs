//! Every mechanism of the catalogue, whatever it is: a new entry is covered at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod attained;
mod certificates;
mod keys;
mod values;

use certus::mechanism::{AnyMechanism, CATALOGUE, Entry, from_spec};

/// All entries.
fn entries() -> impl Iterator<Item = &'static Entry> {
    CATALOGUE.iter().flat_map(|family| family.entries)
}

/// All examples.
fn examples() -> impl Iterator<Item = &'static str> {
    entries().flat_map(|entry| entry.examples).copied()
}

fn build(spec: &str) -> Box<dyn AnyMechanism> {
    from_spec(&spec.parse().unwrap()).unwrap_or_else(|error| panic!("{spec}: {error}"))
}
