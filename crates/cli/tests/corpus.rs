//! The fuzz corpora of tallies and audit files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

#[path = "../../../fuzz/properties/audit_file.rs"]
mod audit_file;
#[path = "../../../fuzz/properties/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/properties/tally.rs"]
mod tally;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn tallies() {
    corpus::run(ROOT, "tally", 20, tally::tally);
}

#[test]
fn audit_files() {
    corpus::run(ROOT, "audit_file", 20, audit_file::audit_file);
}
