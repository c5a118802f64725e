//! The fuzz corpora of ledgers, plans and filters.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

#[path = "../../../fuzz/properties/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/properties/plan.rs"]
mod plan;
#[path = "../../../fuzz/properties/predicate.rs"]
mod predicate;
#[path = "../../../fuzz/properties/ledger.rs"]
mod properties;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn ledgers() {
    corpus::run(ROOT, "ledger", 30, properties::ledger);
}

#[test]
fn plans() {
    corpus::run(ROOT, "plan", 30, plan::plan);
}

#[test]
fn predicates() {
    corpus::run(ROOT, "predicate", 30, predicate::predicate);
}

/// Every kind of damage, one step of it, at places throughout the ledger.
#[test]
fn every_single_damage() {
    for kind in 0..7 {
        for at in (0_u16..5200).step_by(29) {
            for value in [0, 1, 5, 255] {
                let [high, low] = at.to_be_bytes();
                properties::ledger(&[1, kind, high, low, value]);
            }
        }
    }
}
