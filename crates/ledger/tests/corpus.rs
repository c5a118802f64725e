//! Every file of the fuzz corpora of ledgers, plans and filters through the properties that the fuzz targets check.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking"
)]

use std::{fs, path::Path};

#[path = "../../../fuzz/properties/plan.rs"]
mod plan;
#[path = "../../../fuzz/properties/predicate.rs"]
mod predicate;
#[path = "../../../fuzz/properties/ledger.rs"]
mod properties;

#[test]
fn ledgers() {
    run("ledger", properties::ledger);
}

#[test]
fn plans() {
    run("plan", plan::plan);
}

#[test]
fn predicates() {
    run("predicate", predicate::predicate);
}

fn run(target: &str, property: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display()); // shown if the property fails
        property(&fs::read(&path).unwrap());
        files += 1;
    }
    assert!(files >= 30, "{} holds {files} files: fewer than it had", folder.display());
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
