//! The fuzz corpus of the CSV reader.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../fuzz/properties/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/properties/csv.rs"]
mod properties;

#[test]
fn csv() {
    corpus::run(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."), "csv", 20, properties::csv);
}
