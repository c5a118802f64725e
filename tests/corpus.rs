//! The fuzz corpora of numbers and specs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

#[path = "../fuzz/properties/corpus.rs"]
mod corpus;
#[path = "../fuzz/properties.rs"]
mod properties;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn numbers() {
    corpus::run(ROOT, "number", 30, properties::number);
}

#[test]
fn specs() {
    corpus::run(ROOT, "spec", 30, properties::spec);
}
